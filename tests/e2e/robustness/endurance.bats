#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# A tracer that runs for long: the short form of scripts/endurance, and its two judges, which must find what is wrong.

load ../common

# samples KIB DESCRIPTORS...: ten of each pair
samples() {
	local i

	while [ $# -gt 0 ]; do
		for ((i = 0; i < 10; i++)); do echo "0 $1 $2"; done
		shift 2
	done
}

grows() {
	samples "$@" | not awk -f tests/e2e/endurance_growth.awk >"$T/said"
	grep -c GROWN "$T/said"
}

@test "the judge of growth: by quarters, more than a tenth and 2 MiB, or 4 descriptors" {
	cd "$E2E/../.."
	samples 10000 20 30000 50 30000 50 35000 59 | awk -f tests/e2e/endurance_growth.awk
	samples 10000 20 30000 50 90000 90 30000 50 | awk -f tests/e2e/endurance_growth.awk
	[ "$(grows 10000 20 30000 50 30000 50 35100 59)" = 1 ]
	[ "$(grows 10000 20 30000 50 30000 50 35000 60)" = 1 ]
	[ "$(grows 10000 20 30000 50 40000 70 50000 90)" = 2 ]
	not awk -f tests/e2e/endurance_growth.awk </dev/null
}

# judged LOST LINE...: by the judge of calls
judged() {
	local lost=$1

	shift
	printf '%s\n' "$@" | awk -v lost="$lost" -f tests/e2e/endurance_calls.awk
}

@test "the judge of calls: all that were made are told or were lost, and no more" {
	cd "$E2E/../.."
	made=("pid 7" "pid 8" "calls hipMalloc 3" "calls hipMalloc 2" "calls hipFree 5" "maybe hipFree 1")
	judged 0 "${made[@]}" "told 7 hipMalloc 4" "told 8 hipMalloc 1" "told 8 hipFree 5" "told 7 hipInit 9"
	judged 0 "${made[@]}" "told 7 hipMalloc 5" "told 8 hipFree 6" "told 9 hipMalloc 9"
	judged 2 "${made[@]}" "told 7 hipMalloc 4" "told 8 hipFree 4"
	not judged 1 "${made[@]}" "told 7 hipMalloc 4" "told 8 hipFree 4"
	not judged 0 "${made[@]}" "told 7 hipMalloc 4" "told 9 hipMalloc 1" "told 8 hipFree 5"
	not judged 9 "${made[@]}" "told 7 hipMalloc 6" "told 8 hipFree 5"
	not judged 9 "${made[@]}" "told 7 hipMalloc 5" "told 8 hipFree 7"
	not judged 0 "pid 7"
}

# Another recorder of the node would have the agents capture calls for itself. What AddressSanitizer keeps of freed memory is
# no growth of ours.
# bats test_tags=slow,node
@test "a minute of programs that come and go: all calls told, no growth" {
	cd "$E2E/../.."
	ASAN_OPTIONS=${ASAN_OPTIONS:-}:quarantine_size_mb=1 scripts/endurance 1 >"$T/said" || {
		cat "$T/said"
		return 1
	}
	sed 's/^/# /' "$T/said" >&3
	[ "$(sed -n 's/^endurance: .* \([0-9]*\) programs to their end, \([0-9]*\) killed$/\1 \2/p' "$T/said" |
		awk '$1 >= 8 && $2 >= 2' | wc -l)" = 1 ]
}
