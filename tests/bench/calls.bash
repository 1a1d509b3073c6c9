# SPDX-License-Identifier: MIT
# What a traced call costs: by the instruction that its function begins with, by its arguments and by
# the threads that call, against the floor and against other tracers.
# shellcheck shell=bash disable=SC2154 # variables of scripts/bench and processes.bash

sites=(push nop5 sub placed)
arguments=(args0 args1 args2 args3 args4 args5 args6)

call_sites() { # KEY
	local site

	for site in "${sites[@]}"; do
		call "$1.$site.1" "$site" "$calls"
		call "$1.$site.all" "$site" "$calls" "$cores"
	done
}

call_arguments() { # KEY
	local function

	for function in "${arguments[@]}" range; do
		call "$1.$function" "$function" "$calls"
	done
}

measure_calls() {
	call_sites untraced
	call_arguments untraced
	start_floor "$calls_pid"
	call_sites floor
	call_arguments floor
	stop_floor
	# The summary is the least that a tracer can do with a span: nothing is formatted or written.
	start_tracer -p "$calls_pid" -S -o /dev/null
	call_sites traced
	call_arguments traced
	calls_made=$((calls_made + calls)) # a range is two
	stop_tracer
	measure_others
}

measure_others() {
	if [ -z "$no_bpftrace" ]; then
		start_bpftrace "$(bpftrace_count)"
		call_sites count
		stop_bpftrace
		start_bpftrace "$(bpftrace_histogram)"
		call_sites histogram
		stop_bpftrace
	fi
	if [ -z "$no_perf" ]; then
		start_perf
		call_sites perf
		stop_perf
	fi
}

describe_others() { # SECTION SITE.THREADS
	if [ -n "$no_bpftrace" ]; then
		record skip "$1" "bpftrace" "$no_bpftrace"
	else
		record row "$1" "bpftrace, count of entries and returns" ns "count.$2" "floor.$2"
		record row "$1" "bpftrace, histogram of times" ns "histogram.$2" "floor.$2"
		record row "$1" "rtrace-bpf" ns "traced.$2" "histogram.$2" "ratio < 1"
	fi
	if [ -n "$no_perf" ]; then
		record skip "$1" "perf probe" "$no_perf"
	else
		record row "$1" "perf record of perf probe's events" ns "perf.$2" "floor.$2"
	fi
}

describe_call() { # SECTION KEY
	record row "$1" "untraced" ns "untraced.$2"
	record row "$1" "empty BPF program" ns "floor.$2"
	record row "$1" "rtrace-bpf" ns "traced.$2" "floor.$2" "ratio <= 1.25"
}

describe_site() { # SITE WHAT
	local section="function that begins with $2"

	describe_call "$section, 1 thread" "$1.1"
	[ "$1" != placed ] ||
		record row "$section, 1 thread" "empty BPF program, single-stepped" ns floor.sub.1 "floor.$1.1"
	describe_others "$section, 1 thread" "$1.1"
	section+=", all cores ($cores threads)"
	describe_call "$section" "$1.all"
	describe_others "$section" "$1.all"
}

describe_calls() {
	local function

	describe_site push "push"
	describe_site nop5 "a 5-byte nop"
	describe_site sub "sub (single-stepped)"
	describe_site placed "endbr64 (single-stepped), which rtrace-bpf passes"
	for function in "${arguments[@]}"; do
		describe_call "function with ${function#args} arguments" "$function"
	done
	describe_call "roctxRangePush and roctxRangePop" range
}

# ---- a process that is not traced, and one that a command starts ----

threads_started=1000

call_beside() { # KEY
	call "beside.$1.call" push "$calls"
	call "beside.$1.system" system "$calls"
}

# Measures beside a traced command that uses the same functions.
beside_command() { # KEY OPTION...
	local key=$1 tracer_in tracer_out

	shift
	coproc TRACED { exec "$O/rtrace-bpf" "$@" --capture uprobe -S -o /dev/null -- "$O/bench/calls" 2>"$work/tracer.log"; }
	tracer=$TRACED_PID tracer_in=${TRACED[1]} tracer_out=${TRACED[0]}
	read -r -u "$tracer_out" _
	call_beside "$key"
	echo "thread 1 $threads_started" >&"$tracer_in"
	read -r -u "$tracer_out" ns
	record sample "beside.$key.thread" "$ns"
	exec {tracer_in}>&-
	wait "$tracer"
}

measure_beside() {
	call_beside alone
	call "beside.alone.thread" thread "$threads_started"
	beside_command command
	beside_command everywhere --attach session
	start_tracer -a -S -o /dev/null
	call_beside node
	end_tracer # half of the calls were system calls, which it does not record
}

describe_beside() {
	local what section

	for what in "call call of a probed function" "system system call"; do
		section="a ${what#* } in a process"
		record row "$section" "nothing is traced" ns "beside.alone.${what%% *}"
		record row "$section" "beside \`-- CMD\`" ns "beside.command.${what%% *}" "beside.alone.${what%% *}" "ratio <= 1.05"
		record row "$section" "beside \`--attach session -- CMD\`" ns "beside.everywhere.${what%% *}" "beside.alone.${what%% *}"
		record row "$section" "traced by \`-a\`" ns "beside.node.${what%% *}" "beside.alone.${what%% *}"
	done
	section="a thread that is started and ends"
	record row "$section" "untraced" ns beside.alone.thread
	record row "$section" "in \`-- CMD\`" ns beside.command.thread beside.alone.thread
	record row "$section" "in \`--attach session -- CMD\`" ns beside.everywhere.thread beside.alone.thread
}

# ---- threads ----

thread_counts() { # 1, 2, 4, ... and all cores
	local threads

	for ((threads = 1; threads < cores; threads *= 2)); do echo "$threads"; done
	echo "$cores"
}

call_threads() { # KEY
	local threads

	for threads in $(thread_counts); do
		call "$1.$threads" push "$calls" "$threads"
	done
}

measure_scaling() {
	call_threads threads.untraced
	start_floor "$calls_pid"
	call_threads threads.floor
	stop_floor
	start_tracer -p "$calls_pid" -S -o /dev/null
	call_threads threads.traced
	stop_tracer
}

# Of N times what one thread can do, N threads can do the ratio of the times that a call takes.
describe_scaling() {
	local threads section="push from more threads: what one takes, and the ratio to what each of many takes"

	for threads in $(thread_counts | tail -n +2); do
		record row "$section" "untraced, 1 thread to $threads" ns threads.untraced.1 "threads.untraced.$threads"
		record row "$section" "empty BPF program, 1 thread to $threads" ns threads.floor.1 "threads.floor.$threads"
		record row "$section" "rtrace-bpf, 1 thread to $threads" ns threads.traced.1 "threads.traced.$threads" "ratio >= 0.9"
	done
}
