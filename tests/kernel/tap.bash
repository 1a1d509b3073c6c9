# SPDX-License-Identifier: MIT
# Counts what tests/kernel/suites printed.

# tap_count FILE: sets passed, failed and skipped, and prints those that failed or were skipped.
# cmocka writes "not ok ... # SKIP" for what it skips.
tap_count() {
	skipped=$(grep -ciE '^(not )?ok .*# skip' "$1")
	failed=$(grep '^not ok' "$1" | grep -civ '# skip')
	passed=$(grep '^ok' "$1" | grep -civ '# skip')
	grep -iE '^(not )?ok .*# skip' "$1"
	grep -A 15 '^not ok' "$1" | grep -viE '^not ok .*# skip'
}
