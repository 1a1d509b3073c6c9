# SPDX-License-Identifier: MIT
# Counts what tests/kernel/suites printed.
# shellcheck disable=SC2034 # what it sets is for its callers

# tap_count FILE: sets passed, failed and skipped, and prints those that failed or were skipped.
# cmocka writes "not ok ... # SKIP" for what it skips.
tap_count() {
	skipped=$(grep -aciE '^(not )?ok .*# skip' "$1")
	failed=$(grep -a '^not ok' "$1" | grep -aciv '# skip')
	passed=$(grep -a '^ok' "$1" | grep -aciv '# skip')
	grep -aiE '^(not )?ok .*# skip' "$1"
	grep -a -A 15 '^not ok' "$1" | grep -aviE '^not ok .*# skip'
}
