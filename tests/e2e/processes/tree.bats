#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# A command and all that it starts is traced, in whatever way it is started; nothing else on the node meets a probe.
# The judges are what the programs print, and programs that compare their code with its file.

load ../common
load ../gpu
load ../node

HIP=$(ldd "$O/workloads/vectoradd" | awk '/libamdhip64/ { print $3 }')

teardown() {
	end_jobs
}

# Before Linux 6.12 the kernel exchanges the events of processes: a command is probed node-wide.
needs_tree() {
	local major minor

	IFS=.- read -r major minor _ < <(uname -r)
	[ $((major * 1000 + minor)) -ge 6012 ] || skip "on this kernel a command is probed node-wide"
}

# bats test_tags=tracer
@test "beside a command the code of every other process is as in its file, and the command is traced" {
	needs_tree
	checks=()
	start_check before "$HIP"
	start_check before_late "$O/capture/libamdhip64.so.99"
	"$RTRACE" --capture uprobe -f json -o "$T/t.json" -- sh -c '
		"$1/capture/edges" plain 50 >"$2/out"
		touch "$2/runs"
		until [ -e "$2/seen" ]; do sleep 0.02; done' sh "$O" "$T" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for [ -e "$T/runs" ]
	start_check after "$HIP"
	start_check after_late "$O/capture/libamdhip64.so.99"
	checks_pass
	touch "$T/seen"
	wait "$tracer"
	[ "$(count "$T/t.json" hipTestPlain)" = 50 ]
	nothing_lost "$T/err"
}

@test "in what a command starts it is not: the comparison would find probes" {
	touch "$T/compared"
	for library in "$HIP" "$O/capture/libamdhip64.so.99"; do
		run "$RTRACE" --capture uprobe -S -- "$O/workloads/text_check" "$library" "$T/compared"
		[ "$status" = 1 ]
		[[ $output == *"differs 1"* ]]
	done
}

# bats test_tags=tracer
@test "beside -p as well" {
	checks=()
	start_check before "$HIP"
	start_job HSA_TOOLS_LIB="$O/librtrace-agent.so" "$O/workloads/job"
	start_tracing "$RTRACE" --capture uprobe -f json -o "$T/t.json" -p "$job"
	start_check after "$HIP"
	checks_pass
	kill -INT "$tracer"
	wait "$tracer"
}

# bats test_tags=slow,tracer
@test "valgrind executes code that has no probes beside a command and beside -p" {
	needs_tree
	command -v valgrind || skip "valgrind is not installed"
	checked() {
		sim SIMKFD_GPUS=1 valgrind -q --fair-sched=yes --log-file="$T/valgrind.log" "$O/workloads/hsa_dispatch" -n 5
	}
	checked
	start_job HSA_TOOLS_LIB="$O/librtrace-agent.so" "$O/workloads/job"
	start_tracing "$RTRACE" --capture uprobe -f json -o "$T/t.json" -p "$job"
	checked
	kill -INT "$tracer"
	wait "$tracer"
	sim_exec "$RTRACE" --capture uprobe -S -- sh -c '
		"$1/workloads/hsa_dispatch" -n 1
		touch "$2/runs"
		until [ -e "$2/seen" ]; do sleep 0.02; done' sh "$O" "$T" >"$T/out" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for [ -e "$T/runs" ]
	checked
	touch "$T/seen"
	wait "$tracer"
}

# set_user_id FROM TO: a program of another user, that runs with that user's rights
set_user_id() {
	cp "$1" "$2"
	chown nobody "$2"
	chmod 4755 "$2"
}

# The kernel takes its probes from a process that gets other rights.
@test "programs that set the user id, and what they start: libraries from the first call on" {
	set_user_id "$O/workloads/vectoradd" "$T/vectoradd"
	chmod 755 "$T"
	"$RTRACE" --capture uprobe -f json -o "$T/t.json" -- sh -c '
		"$1/vectoradd" & echo $!; wait $!
		"$1/vectoradd" & echo $!; wait $!; true' sh "$T" >"$T/out" 2>"$T/err"
	nothing_lost "$T/err"
	for pid in $(grep -x '[0-9]*' "$T/out"); do
		# The program's first call, before main() is.
		[ "$(calls "$T/t.json" | awk -F '\t' -v pid="$pid" '$5 == pid' | cut -f1 | grep -c '^__hipRegisterFatBinary$')" = 1 ]
	done
}

# A program with HIP in itself is probed when it runs already, and so is the child that it has started meanwhile.
@test "HIP linked into a program that the command starts, and its child: a gap holds what was missed" {
	for program in "$O/capture/static_hip" "$T/user/static_hip"; do
		mkdir -p "$T/user"
		set_user_id "$O/capture/static_hip" "$T/user/static_hip"
		fresh said t.text probed
		"$RTRACE" -f json -f text -o "$T/t" -- sh -c '"$1" 100 child "$2"' sh "$program" "$T/probed" >"$T/said" 2>"$T/err" &
		tracer=$!
		JOBS_STARTED+=("$tracer")
		wait_for grep -q child "$T/said"
		child=$(awk '/^child/ { print $2 }' "$T/said")
		calls_arrive "$child" hipMalloc
		touch "$T/probed"
		wait "$tracer"
		all_but_gap "$child" hipMalloc 1 "$T/said" static_hip 100
	done
}
