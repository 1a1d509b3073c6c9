#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Programs that execute a translation of their code, or compare it with its file, find no probe in it.
# The judges are programs that compare (text_check, under the names of such programs), and valgrind.

load ../common
load ../gpu
load ../node

HIP=$(ldd "$O/workloads/vectoradd" | awk '/libamdhip64/ { print $3 }')
FAKE=$O/capture/libamdhip64.so.99

setup() {
	checks=()
}

teardown() {
	touch "$T/compared"
	end_jobs
}

# finds_probes FILE: the comparison has not become blind
finds_probes() {
	touch "$T/once"
	run "$O/workloads/text_check" "$1" "$T/once"
	[ "$status" = 1 ]
	[[ $output == *"differs 1"* ]]
}

# Does the trace say that calls of the process are missing?
is_told() {
	jq -e --argjson pid "$1" --arg file "$2" '[.traceEvents[] | select(.pid == $pid and
		(.name | startswith("its calls of " + $file) and contains("may be missing: probes keep off")))] | length > 0' "$T/t.json"
}

# A process that has the real HIP, and calls it until the test ends it.
start_user() {
	start_job HSA_TOOLS_LIB="$O/librtrace-agent.so" "$O/workloads/job"
	user=$job
}

# bats test_tags=tracer
@test "-a: the code of translators is as in its file, of those that run and of those that come" {
	local name file

	start_user
	for name in qemu-x86_64 memcheck-amd64-linux; do start_check "$name" "$HIP"; done
	start_check pinbin "$FAKE"
	start_node_tracer
	has_found "$user"
	for name in qemu-x86_64-static libdynamorio.so; do start_check "$name" "$HIP"; done
	start_check none-amd64-linux "$FAKE"
	for file in "$HIP" "$FAKE"; do finds_probes "$file"; done
	go
	wait_for has_run 20
	checks_pass
	stop_node_tracer
	[ "$(calls "$T/t.json" | awk -F '\t' -v pid="$user" '$5 == pid' | wc -l)" -ge 20 ]
	for i in "${!checks[@]}"; do is_told "${checks[i]}" libamdhip64; done
	not is_told "$user" libamdhip64
}

compared_in_mode() {
	fresh compared
	checks=()
	start_check qemu-x86_64 "$FAKE"
	start_node_tracer --attach "$1"
	start_check qemu-x86_64 "$FAKE"
	finds_probes "$FAKE"
	checks_pass
	stop_node_tracer
}

# bats test_tags=tracer
@test "-a: in each way of attaching" {
	in_every_mode compared_in_mode
}

# bats test_tags=tracer
@test "--keep-off: what else compares its code with its file" {
	start_check guarded "$FAKE"
	start_node_tracer --keep-off guarded --keep-off other
	start_check other "$FAKE"
	finds_probes "$FAKE"
	checks_pass
	stop_node_tracer
	for i in "${!checks[@]}"; do is_told "${checks[i]}" libamdhip64; done
}

@test "--keep-off: names that are none are refused" {
	fails 2 "^rtrace-bpf: --keep-off: '': names have 1 to 31 bytes, and no folder$" "$RTRACE" --keep-off "" -a
	fails 2 "^rtrace-bpf: --keep-off: '/bin/x': names" "$RTRACE" --keep-off /bin/x -a
	fails 2 "names have 1 to 31 bytes" "$RTRACE" --keep-off "$(printf %032d 0)" -a
	many=()
	for i in {1..33}; do many+=(--keep-off "n$i"); done
	fails 2 '^rtrace-bpf: --keep-off: too many$' "$RTRACE" "${many[@]}" -a
}

# bats test_tags=tracer
@test "-a: a program with HIP in itself, and one whose file is in a container's overlay" {
	containers_work
	"$O/capture/static_hip" 1000000 >"$T/static.out" &
	JOBS_STARTED+=("$!")
	static=$!
	GROUP=
	cp "$O/workloads/text_check" "$T/pinbin"
	(contain inner / "" sh -c 'exec "$1/pinbin" "$2" "$1/compared" >"$1/0.out"' sh "$T" "$HIP") 2>"$T/inner.err" &
	checks+=("$!")
	JOBS_STARTED+=("$!")
	wait_for grep -q ready "$T/0.out"
	start_user
	start_check pinbin "$O/capture/static_hip"
	start_node_tracer
	has_found "$static" "$user"
	start_check pinbin "$O/capture/static_hip"
	(contain later / "" sh -c 'exec "$1/pinbin" "$2" "$1/compared" >"$1/3.out"' sh "$T" "$HIP") 2>"$T/later.err" &
	checks+=("$!")
	JOBS_STARTED+=("$!")
	wait_for grep -q ready "$T/3.out"
	finds_probes "$O/capture/static_hip"
	checks_pass
	stop_node_tracer
}

@test "in a command's tree: its code is as in its file, its calls are told to be missing, the others' are traced" {
	touch "$T/compared"
	cp "$O/workloads/text_check" "$T/pinbin"
	for mode in "" $(attach_modes); do
		# shellcheck disable=SC2016 # for the inner shell
		"$RTRACE" ${mode:+--attach "$mode"} --capture uprobe -f json -o "$T/t.json" -- sh -ec '
			"$1/pinbin" "$2/capture/libamdhip64.so.99" "$1/compared" & echo $!; wait $!
			"$1/pinbin" "$3" "$1/compared"
			"$2/capture/edges" plain 50' sh "$T" "$O" "$HIP" >"$T/out" 2>"$T/err"
		[ "$(grep -c 'differs 0' "$T/out")" = 2 ]
		grep -q 'its calls of libamdhip64.* may be missing: probes keep off pinbin$' "$T/err"
		is_told "$(grep -x '[0-9]*' "$T/out")" libamdhip64
		[ "$(count "$T/t.json" hipTestPlain)" = 50 ]
	done
}

@test "doctor names such processes" {
	start_check pinbin "$FAKE"
	"$RTRACE" doctor --json >"$T/doctor" || :
	jq -e --arg found "pinbin (${checks[0]})" '.checks[] | select(.check == "translators") |
		.result == "warn" and (.found | contains($found)) and (.advice | contains("docs/reference/limits.md"))' "$T/doctor"
	checks_pass
}

@test "-p refuses such a process" {
	start_check pinbin "$FAKE"
	fails 1 "^rtrace-bpf: process ${checks[0]}: probes keep off pinbin, as it would die of them: nothing to trace$" \
		"$RTRACE" -p "${checks[0]}"
	checks_pass
}

is_stopped() {
	grep -q '^State:.*T' "/proc/$1/status"
}

# bats test_tags=tracer
@test "-a: what somebody else has stopped stays stopped" {
	start_check pinbin "$FAKE"
	kill -STOP "${checks[0]}"
	wait_for is_stopped "${checks[0]}"
	start_node_tracer
	finds_probes "$FAKE"
	is_stopped "${checks[0]}"
	kill -CONT "${checks[0]}"
	checks_pass
	stop_node_tracer
}

# bats test_tags=tracer
@test "-a: a tracer that is killed while it holds a process lets it go without probes" {
	start_node_tracer
	finds_probes "$FAKE"
	kill -STOP "$tracer"
	cp "$O/workloads/text_check" "$T/pinbin"
	"$T/pinbin" "$FAKE" "$T/compared" >"$T/0.out" &
	checks+=("$!")
	JOBS_STARTED+=("$!")
	wait_for is_stopped "${checks[0]}"
	kill -KILL "$tracer"
	wait_for grep -q ready "$T/0.out"
	checks_pass
}

# bats test_tags=slow,tracer
@test "valgrind: programs end as alone, beside -a and in a command" {
	command -v valgrind || skip "valgrind is not installed"
	checked() {
		sim SIMKFD_GPUS=1 valgrind -q --fair-sched=yes --log-file="$T/valgrind.log" "$O/workloads/hsa_dispatch" -n 5
	}
	checked
	start_user
	for i in {1..10}; do
		checked &
		first=$!
		JOBS_STARTED+=("$first")
		start_node_tracer
		has_found "$user"
		checked
		wait "$first"
		stop_node_tracer
	done
	sim "$RTRACE" --capture uprobe -S -- valgrind -q --fair-sched=yes --log-file="$T/valgrind.log" "$O/workloads/hsa_dispatch" -n 5
}
