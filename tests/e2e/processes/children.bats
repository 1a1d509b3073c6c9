#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Processes that a traced process makes, in every way that Linux has, while they and it are in functions that
# are probed in every way (tests/workloads/children.c): none ends other than untraced, and each call is in the
# trace, as one of the process that made it. docs/reference/processes.md has the table.

load ../common

bats_require_minimum_version 1.5.0

CHILDREN=$O/workloads/children
export LD_LIBRARY_PATH=$O:$LD_LIBRARY_PATH
N=5				      # children
IN=(env LD_PRELOAD="$O/libsimkfd.so") # how the program is run

teardown() {
	end_jobs
}

# The calls that the program says it made, and those in the trace: lines "PID FUNCTION COUNT".
said() {
	awk '$1 == "called" { n[$2 " " $3] += $4 } END { for (i in n) print i, n[i] }' "$T/out" | sort
}

traced() {
	calls "$T/t.json" | awk -F '\t' '{ n[$5 " " $1]++ } END { for (i in n) print i, n[i] }' | sort
}

# check [PID]: of all processes that the program speaks of, or of one. (A tracer of the node may see others.)
check() {
	local of="^${1:-[0-9]*} "

	grep -q '^result PASSED$' "$T/out"
	[ "$(said | grep -c "$of")" -gt 8 ]
	diff <(said | grep "$of") <(traced | grep "$of" |
		awk 'NR == FNR { pids[$1]; functions[$2]; next } $1 in pids && $2 in functions' <(said) -)
}

launched() { # WAY OPTION...
	local way=$1

	shift
	"${IN[@]}" "$RTRACE" "$@" -f json -o "$T/t.json" -- "$CHILDREN" "$way" -n "$N" >"$T/out" 2>"$T/err"
	check
}

# attached WAY -p|-a OPTION...: in a process that runs already.
attached() {
	local way=$1 job of=

	shift
	fresh out
	"${IN[@]}" "$CHILDREN" "$way" -n "$N" -w >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q ready "$T/out"
	if [ "$1" = -p ]; then
		shift
		set -- -p "$job" "$@"
		of=$job
		start_tracing "$RTRACE" "$@" -f json -o "$T/t.json"
	else
		fresh err
		"$RTRACE" "$@" -f json -o "$T/t.json" 2>"$T/err" &
		tracer=$!
		JOBS_STARTED+=("$tracer")
		wait_for grep -q "process $job " "$T/err"
	fi
	kill -USR1 "$job"
	wait "$job"
	[ -n "$of" ] || kill -INT "$tracer"
	wait "$tracer"
	check "$of"
}

# each_use WAY: launched, and in a process that runs already.
each_use() {
	launched "$1"
	attached "$1" -p
}

# The same by uprobes alone, in every way of attaching.
each_use_by_uprobes() {
	in_every_mode launched "$1" --capture uprobe --attach
	attached "$1" -p --capture uprobe
}

@test "children by fork: none is harmed, each call is counted" {
	each_use_by_uprobes fork
	each_use fork
}

@test "children by fork from inside of a probed function" {
	each_use_by_uprobes inside
	each_use inside
}

@test "children by fork that execute a program" {
	each_use_by_uprobes exec
	each_use exec
}

@test "children by vfork" {
	each_use_by_uprobes vfork
}

@test "children by vfork from inside of a probed function" {
	each_use_by_uprobes vfork-inside
}

@test "children by clone that share the memory" {
	each_use_by_uprobes clone-vm
}

@test "children by posix_spawn" {
	each_use_by_uprobes spawn
	each_use spawn
}

# RT_WORKERS=1000 is the long form.
@test "many forked workers that use roctx, HIP and rocprofiler-sdk: each ends as untraced, and each call is counted" {
	local with_tool=(env HSA_TOOLS_LIB="$O/librocprofiler-sdk.so.1" LD_PRELOAD="$O/tests/libgputool.so $O/libsimkfd.so"
		RT_TOOL_OUT="$T/records")

	N=${RT_WORKERS:-40}
	each_use fork
	IN=("${with_tool[@]}")
	each_use fork
}

# bats test_tags=node
@test "children of a process that is traced with all others, in each way, by the agent and by uprobes" {
	for way in fork inside exec vfork vfork-inside clone-vm spawn; do
		attached "$way" -a --capture uprobe
	done
	for way in fork inside exec spawn; do
		attached "$way" -a
	done
	N=${RT_WORKERS:-40}
	attached fork -a
}
