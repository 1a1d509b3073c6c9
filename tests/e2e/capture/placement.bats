#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Where probes are placed, on a library whose functions begin in every way that matters
# (tests/capture/sites.S). Its user checks that nothing is lost on the way; the kernel itself says how it
# treats each place; the labels of the assembly are checked by the unit test.

load ../common

bats_require_minimum_version 1.5.0

SITES=$O/capture/sites
LIBRARY=$O/capture/libamdhip64.so.98

teardown() {
	end_jobs
}

# What the tracer has found out about the kernel.
nop5_answer() {
	"$RTRACE" doctor --json | jq -r '.checks[] | select(.check == "probes on 5-byte nops") | .found'
}

# How often each function is to be entered: as often as it is called, but for three that others lead to, by
# running into them or by a call. The labels are for kernels that make a nop5 a call: for others, one that
# others enter is nothing special.
expected() {
	local nop5=0

	case $(nop5_answer) in
	'stay traps') nop5=1 ;;
	esac
	awk -v nop5=$nop5 '$1 == "called" {
		n = $3
		if ($2 == "hipSiteInside" || $2 == "hipSiteNext") n *= 2
		print $2, n
		if ($2 == "hipSiteIndirectCall") print "hipSiteReturn", n }
		END { if (nop5) print "hipSiteForeignNop5", n }' "$1" | sort
}

counted() {
	jq -r '.traceEvents[] | select(.ph == "X" and .cat == "hip") | .name' "$1" | sort | uniq -c |
		awk '{ print $2, $1 }' | sort
}

check_trace() {
	grep -q '^result PASSED$' "$T/out"
	diff <(expected "$T/out") <(counted "$T/t.json")
	# At every place the arguments are still those of the call.
	jq -r '.traceEvents[] | select(.ph == "X" and .cat == "hip") | .args.args | join(" ")' "$T/t.json" |
		sort -u | diff <(sed -n 's/^arguments //p' "$T/out") -
	json_trace "$T/t.json" nesting
}

trace_all() {
	"$RTRACE" --attach "$1" -f json -o "$T/t.json" -- "$SITES" call 20 >"$T/out" 2>"$T/err"
	[ -z "$(grep -i 'cannot probe' "$T/err")" ]
	check_trace
}

@test "every call is seen at every kind of place, with its arguments, and none is harmed" {
	for mode in $(attach_modes); do
		echo "mode $mode"
		trace_all "$mode"
	done
}

@test "the same in a process that runs already" {
	local job tracer

	"$SITES" wait 20 >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q ready "$T/out"
	"$RTRACE" -p "$job" -f json -o "$T/t.json" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q 'API calls' "$T/err"
	kill -USR1 "$job"
	wait "$tracer"
	check_trace
}

doctors_view() {
	"$RTRACE" doctor --probes --json "$LIBRARY" >"$T/doctor.json"
	jq -r '.libraries[].functions[] | "\(.name) \(.how)"' "$T/doctor.json" | sort
}

@test "the kernel treats each place as doctor says" {
	"$SITES" kernel | sort >"$T/kernel"
	[ -z "$(grep broken "$T/kernel")" ]
	doctors_view >/dev/null
	jq -r '.libraries[].functions[] | "\(.name) \(.how) \(.place // 0)"' "$T/doctor.json" | sort >"$T/doctor"
	# NAME, DOCTOR'S HOW and PLACE, KERNEL'S HOW and PLACE; where both speak of one place. On kernels that treat
	# nops otherwise than the newest, doctor passes some.
	join "$T/doctor" "$T/kernel" | awk '$3 == $5' >"$T/both"
	[ "$(wc -l <"$T/both")" -gt 80 ]
	# What is skipped may be so for reasons that the kernel does not know.
	run awk '$2 != "skipped" && $4 != "accepted" && $2 != $4' "$T/both"
	echo "$output"
	[ -z "$output" ]
	run awk '$4 == "refused" && $2 != "skipped"' "$T/both"
	[ -z "$output" ]
	for kind in emulated single-stepped refused; do
		grep -q " $kind " "$T/kernel"
	done
}

@test "doctor's table says the same as its JSON, and sums it up" {
	doctors_view >"$T/json"
	"$RTRACE" doctor --probes "$LIBRARY" >"$T/table"
	awk '$1 == "libamdhip64.so.98" { print $2, $5 }' "$T/table" | sort | diff "$T/json" -
	local sum="$(wc -l <"$T/json") functions:"
	for kind in emulated nop5 single-stepped skipped; do
		sum="$sum $(grep -c " $kind$" "$T/json" || :) $kind,"
	done
	grep -q "$sum\$" < <(sed 's/$/,/' "$T/table")
}

@test "doctor finds the libraries of a process" {
	"$SITES" wait 1 >"$T/out" &
	JOBS_STARTED+=($!)
	wait_for grep -q ready "$T/out"
	run "$RTRACE" doctor --probes --json -p $!
	kill -USR1 "${JOBS_STARTED[0]}"
	[ "$status" = 0 ]
	[ "$(jq -r '.libraries[].path' <<<"$output")" = "$LIBRARY" ]
}

@test "doctor on this machine" {
	run --separate-stderr "$RTRACE" doctor --json
	[ "$(jq .possible <<<"$output")" = true ]
	[ "$status" = 0 ]
	[ "$(jq -r '.checks[] | select(.check == "kernel") | .found' <<<"$output")" = "Linux $(uname -r)" ]
	[ "$(jq -r '.checks[] | select(.check == "attaching") | .found' <<<"$output")" = "$(attach_modes | head -n 1)" ]
	run "$RTRACE" doctor
	[ "$status" = 0 ]
	[[ ${lines[0]} == CHECK* ]]
}

@test "doctor without privileges says so, with status 1" {
	run --separate-stderr setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all \
		--bounding-set=-all "$RTRACE" doctor --json
	[ "$status" = 1 ]
	[ "$(jq .possible <<<"$output")" = false ]
	[ "$(jq -r '.checks[] | select(.check == "privileges") | .result' <<<"$output")" = fail ]
}

@test "doctor refuses what it cannot read, in one line" {
	run "$RTRACE" doctor --probes "$T/none"
	[ "$status" = 1 ] && [ "${#lines[@]}" = 1 ] && [[ $output == *"No such file"* ]]
	echo text >"$T/text"
	run "$RTRACE" doctor --probes "$T/text"
	[ "$status" = 1 ] && [ "${#lines[@]}" = 1 ] && [[ $output == *"not a library for x86-64"* ]]
	mkfifo "$T/fifo"
	run timeout "$(seconds 60)" "$RTRACE" doctor --probes "$T/fifo"
	[ "$status" = 1 ]
	run "$RTRACE" doctor --probes -p 0
	[ "$status" = 2 ]
	run "$RTRACE" doctor "$LIBRARY"
	[ "$status" = 2 ]
	run "$RTRACE" doctor --nonsense
	[ "$status" = 2 ]
}
