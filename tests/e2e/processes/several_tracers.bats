#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Several tracers that reach one process in the same moment: one of them has its agent, and nobody is harmed. And what is
# said of processes that have no GPU times.
# RT_ROUNDS: rounds of each test (default 5), RT_FIRST: number of the first (default 0), which says how late the second
# tracer comes; runs side by side need not repeat each other. RT_BESIDE: jobs at once, each with its -p, that one
# recorder of the node sees (default 1). RT_DONE: a file for the numbers of the rounds that went well. RT_JOBS and RT_SEED:
# how many jobs beside tracers that come and go (default 500), and what is drawn. scripts/rivals is the long form.

load ../common
load ../gpu

setup_file() {
	export SIMKFD_GPUS=1
	learn_names
}

setup() {
	AGENT=$(realpath "$O/librtrace-agent.so")
	FIRST=${RT_FIRST:-0} LAST=$((${RT_FIRST:-0} + ${RT_ROUNDS:-5} - 1)) BESIDE=${RT_BESIDE:-1}
	export SIMKFD_GPUS=1
	cp "$BATS_FILE_TMPDIR/names" "$T/names"
}

# A copy of tracer and agent of another build: the number of its shared memory is another.
make_other_build() {
	local at

	mkdir -p "$T/b"
	cp "$RTRACE" "$T/b/rtrace-bpf"
	at=$(readelf -SW "$RTRACE" | sed -n 's/.*\.rtrace_layout *PROGBITS *[0-9a-f]* *\([0-9a-f]*\) .*/\1/p')
	[ -n "$at" ]
	printf 'OTHER123' | dd of="$T/b/rtrace-bpf" bs=1 seek=$((16#$at)) conv=notrunc status=none
	not cmp -s "$RTRACE" "$T/b/rtrace-bpf"
}

# lag ROUND SECONDS: spread evenly over SECONDS, in the order 0, 1/2, 1/4, 3/4, 1/8, ...
lag() {
	awk -v n="$1" -v most="$2" 'BEGIN { for (part = 0.5; n > 0; n = int(n / 2)) { at += n % 2 * part; part /= 2 }; print at * most }'
}

# rival N COMMAND...: tracer number N, with its trace in N.json and N.text, and what it says in N.err; its pid is in tracers[N]
rival() {
	local n=$1

	shift
	fresh "$n.json" "$n.text" "$n.err"
	"$@" -f json -f text -o "$T/$n" 2>"$T/$n.err" &
	tracers[n]=$!
	JOBS_STARTED+=("$!")
}

is_ready() {
	grep -qE 'API calls|another build' "$T/$1.err"
}

# names TRACE [PID]: the functions in a trace, of that process alone
names() {
	calls "$1" | awk -F '\t' -v pid="${2:-}" 'pid == "" || $5 == pid { print $1 }' | sort -u
}

# only_known_names TRACE [PID]: no function that the job does not call, as a tracer alone has seen it
only_known_names() {
	local unknown

	unknown=$(comm -13 "$T/names" <(names "$@"))
	[ -z "$unknown" ] || { echo "never called: $unknown"; return 1; }
}

# What one tracer that is alone sees of the job, at its begin and at its end, too.
learn_names() {
	local n AGENT

	AGENT=$(realpath "$O/librtrace-agent.so")
	: >"$T/names.all"
	for n in 1 2; do
		fresh go
		start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -n 30 -t "$n"
		rival 0 "$RTRACE" -p "$job" -t all
		wait_for is_ready 0
		go
		wait "$job"
		wait "${tracers[0]}"
		names "$T/0.json" >>"$T/names.all"
	done
	sim "$RTRACE" -t all -f json -o "$T/0.json" -- "$O/workloads/job" -n 30 >"$T/out" 2>"$T/0.err"
	names "$T/0.json" >>"$T/names.all"
	sort -u "$T/names.all" >"$T/names"
	grep -q '^hipLaunchKernel$' "$T/names"
}

# The calls of the job that the closing line of a tracer counts as lost.
lost_calls() {
	echo $(($(lost_of 'calls (ring full)' "$1") + $(lost_of 'calls (nested too deep)' "$1")))
}

# has_all_calls N: what the job made is in the trace of that tracer, or was lost by its count
has_all_calls() {
	local made told

	made=$(awk '$1 == "calls" { n += $3 } END { print n }' "$T/out")
	told=$(calls "$T/$1.json" | awk -F '\t' -v out="$T/out" '
		BEGIN { while (getline line <out) { split(line, f, " "); if (f[1] == "calls") { sub(/R0[0-9]+$/, "", f[2]); made[f[2]] } } }
		$1 in made && $3 == 0 { n++ }
		END { print n + 0 }')
	echo "tracer $1: $told of $made calls, $(lost_calls "$T/$1.err") lost"
	[ $((told + $(lost_calls "$T/$1.err"))) -ge "$made" ]
}

# The one that has the agent, by what both say.
winner() {
	local n

	for n in 1 2; do
		! grep -q 'API calls and GPU times$' "$T/$n.err" || echo "$n"
	done
}

job_ended_well() {
	local status=0

	wait "$job" || status=$?
	[ "$status" = 0 ]
	grep -q '^result PASSED$' "$T/out"
}

# done_with ROUND: for whoever reads the output
done_with() {
	[ -z "${RT_DONE:-}" ] || echo "$1" >>"$RT_DONE"
}

# show ROUND: what is of use if a round fails
show() {
	echo "round $1"
	tail -n 6 "$T/1.err" "$T/2.err" "$T/job.err" 2>/dev/null || :
}

# race ROUND SECOND_TRACER: two tracers come to a job, the second some time after the first. In every second round the job
# waits until both are there; in the others it is at work, until both have seen some of it.
race() {
	local i=$1 second=$2 threads=2

	[ $((i % 2)) = 0 ] || threads=1
	rm -f "$T/go" "$T/truth"
	if [ "$threads" = 2 ]; then
		start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -n 100 -t 2 || return
	else
		start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -t 1 -d 1000 || return
		go
	fi
	rival 1 "$RTRACE" -p "$job" -t hip,gpu
	sleep "$(lag "$i" 0.4)"
	rival 2 "$second" -p "$job" -t all
	wait_for is_ready 1 && wait_for is_ready 2 || return
	if [ "$threads" = 2 ]; then
		go
	else
		wait_for has_lines 40 "$GPU_LINE" "$T/$(winner).text" || return
		kill -TERM "$job"
	fi
	job_ended_well || return
	wait "${tracers[1]}" "${tracers[2]}" || return
	only_known_names "$T/1.json" && only_known_names "$T/2.json"
}

# has_all_work ROUND N: calls and operations are in the trace of the one that has the agent
has_all_work() {
	if [ $(($1 % 2)) = 0 ]; then
		truth_since_go "$T/truth"
		has_all_calls "$2" && check_truth "$T/truth.go" "$T/$2.json" && json_trace "$T/$2.json" causes
	else
		check_truth_between "$T/truth" "$T/$2.json"
	fi
}

@test "two tracers of one build at once: one has the agent, the other says which process has it" {
	for ((i = FIRST; i <= LAST; i++)); do
		race "$i" "$RTRACE" || { show "$i"; false; }
		one=$(winner) two=$((3 - $(winner)))
		[ "$(echo "$one" | wc -w)" = 1 ] || { show "$i"; false; }
		grep -q "API calls; no GPU times: its agent serves another tracer, process ${tracers[one]}$" "$T/$two.err" || { show "$i"; false; }
		[ "$(jq '[.traceEvents[] | select(.cat == "gpu")] | length' "$T/$two.json")" = 0 ] || { show "$i"; false; }
		has_all_work "$i" "$one" || { show "$i"; false; }
		done_with "$i"
	done
}

@test "two tracers of two builds at once: the agent serves the one of its own build, the other keeps its hands off" {
	make_other_build
	for ((i = FIRST; i <= LAST; i++)); do
		race "$i" "$T/b/rtrace-bpf" || { show "$i"; false; }
		[ "$(winner)" = 1 ] || { show "$i"; false; }
		[ "$(grep -c 'is of another build of rtrace, and left alone' "$T/2.err")" = 1 ] || { show "$i"; false; }
		has_all_work "$i" 1 || { show "$i"; false; }
		done_with "$i"
	done
}

# bats test_tags=node
@test "a recorder of the node beside -- CMD: the command's tracer has the GPU times" {
	needs_to_be_alone
	for ((i = FIRST; i <= LAST; i++)); do
		rm -f "$T/truth"
		rival 1 "$RTRACE" -a -t hip,gpu
		sleep "$(lag "$i" 0.8)"
		fresh out 2.json
		status=0
		sim SIMKFD_TRUTH="$T/truth" "$RTRACE" -t hip,gpu -f json -o "$T/2.json" -- "$O/workloads/job" -n 50 -t 2 >"$T/out" 2>"$T/2.err" || status=$?
		[ "$status" = 0 ] || { show "$i"; false; }
		kill -INT "${tracers[1]}"
		wait "${tracers[1]}" || { show "$i"; false; }
		grep -q '^result PASSED$' "$T/out" || { show "$i"; false; }
		job=$(calls "$T/2.json" | cut -f 5 | sort -u)
		only_known_names "$T/1.json" "$job" && only_known_names "$T/2.json" || { show "$i"; false; }
		{ check_truth "$T/truth" "$T/2.json" && json_trace "$T/2.json" causes && has_all_calls 2; } || { show "$i"; false; }
		done_with "$i"
	done
}

# beside ROUND: a job that a recorder of the node, tracer 1, sees, and its own tracer; in a folder and a shell of their own
beside() {
	local i=$1 recorded=$T recorder

	JOBS_STARTED=() TEST_GROUP= # which are the test's
	trap end_processes EXIT
	T=$T/$i
	start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -d $((BESIDE > 4 ? 5000 : 1000)) -t 1 || return
	echo "$job" >"$T/job"
	go
	touch "$T/at.work"
	until [ -s "$recorded/recorder" ]; do
		[ -d "$T" ] || return
		sleep 0.02
	done
	recorder=$(cat "$recorded/recorder")
	sleep "$(lag "$i" 0.8)"
	trace_until 4 "$GPU_LINE" 2 -p "$job" -t hip,gpu || return
	grep -q 'API calls and GPU times$' "$T/2.err" || return
	LEAST=2 check_truth_between "$T/truth" "$T/2.json" || return
	has_it() {
		grep -qE "process $job( \(job\))?: (API calls and GPU times|GPU times from now on)" "$recorded/1.err" &&
			is_recorded_for "$recorder"
	}
	wait_for has_it || { "$RTRACE" ps; return 1; }
	kill -TERM "$job"
	job_ended_well && only_known_names "$T/2.json"
}

# bats test_tags=node
@test "-p beside a recorder of the node: it has the GPU times as long as it runs, then the recorder has them again" {
	needs_to_be_alone
	for ((i = FIRST; i <= LAST; i += BESIDE)); do
		rm -f "$T/recorder"
		shells=()
		for ((n = i; n < i + BESIDE; n++)); do
			mkdir "$T/$n"
			cp "$T/names" "$T/$n"
			beside "$n" >"$T/$n/log" 2>&1 &
			shells+=($!)
			JOBS_STARTED+=($!)
		done
		for ((n = i; n < i + BESIDE; n++)); do
			wait_for [ -e "$T/$n/at.work" ] || { cat "$T/$n/log"; false; }
		done
		rival 1 "$RTRACE" -a -t hip,gpu
		echo "${tracers[1]}" >"$T/recorder"
		for ((n = i; n < i + BESIDE; n++)); do
			wait "${shells[n - i]}" || { show "$n"; cat "$T/$n/log"; tail -n 6 "$T/$n/2.err" "$T/$n/job.err"; false; }
		done
		sleep 0.1
		kill -INT "${tracers[1]}"
		wait "${tracers[1]}" || { show "$i"; false; }
		calls "$T/1.json" | cut -f 1,5 | sort -u >"$T/named"
		jq '.traceEvents[] | select(.cat == "gpu") | .pid' "$T/1.json" | sort | uniq -c >"$T/timed"
		for ((n = i; n < i + BESIDE; n++)); do
			job=$(cat "$T/$n/job")
			unknown=$(comm -13 "$T/names" <(awk -F '\t' -v pid="$job" '$2 == pid { print $1 }' "$T/named"))
			[ -z "$unknown" ] || { show "$n"; echo "never called: $unknown"; false; }
			grep -q " $job\$" "$T/timed" || { show "$n"; echo "no GPU times of $job"; false; }
			rm -r "$T/$n"
			done_with "$n"
		done
	done
}

# start_python LINE...: a program that HIP is loaded into, with an agent in its environment; it says "ready PID" itself
start_python() {
	fresh out
	{ printf '%s\n' 'import ctypes, ctypes.util, os, time' 'hip = ctypes.CDLL(ctypes.util.find_library("amdhip64"))' \
		'use = lambda: hip.hipGetDeviceCount(ctypes.byref(ctypes.c_int()))' 'ready = lambda: print("ready", os.getpid(), flush=True)' \
		"$@" 'time.sleep(1000)'; } >"$T/p.py"
	sim_exec HSA_TOOLS_LIB="$AGENT" python3 "$T/p.py" >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/out"
	child=$(sed -n 's/^ready //p' "$T/out")
	[ "$child" = "$job" ] || JOBS_STARTED+=("$child")
}

# has_no_times PID REASON
has_no_times() {
	"$RTRACE" -p "$1" -t hip,gpu -f json -o "$T/t.json" --duration 0.1 2>"$T/err"
	cat "$T/err"
	[ "$(grep -c 'no GPU times' "$T/err")" = 1 ]
	grep -qE "^rtrace-bpf: process $1 \\([a-z0-9.]*\\): API calls; no GPU times: $2$" "$T/err"
}

@test "why a process has no GPU times: what is said is true" {
	start_python 'ready()'
	has_no_times "$job" 'HSA has not loaded the agent that HSA_TOOLS_LIB names: it is not initialised yet, or refuses it \(rtrace-bpf doctor\)'
	start_python 'if not os.fork(): use(); ready()'
	has_no_times "$job" "HSA has not loaded the agent .*; processes below it have one: -p $child"
	start_python 'use()' 'if not os.fork(): ready()'
	has_no_times "$child" 'its agent does not work: the process is a fork of one that has it, or it has failed, as it said on stderr'
	AGENT= start_python 'use(); ready()'
	has_no_times "$job" 'it was started without the agent \(HSA_TOOLS_LIB=...\/librtrace-agent.so\)'
	RTRACE_AGENT=off start_python 'use(); ready()'
	has_no_times "$job" 'its agent is switched off \(RTRACE_AGENT=off\)'
}

@test "-p of a process without ROCm: those below it that use it are named" {
	(python3 -c 'import subprocess, sys; subprocess.run(sys.argv[1:])' sh -c '"$@" & wait' - \
		env LD_PRELOAD="$O/libsimkfd.so" SIMKFD_KERNEL_LIB="$O/workloads/libkernels.so" "$O/workloads/job" -d 1000 >"$T/out" 2>&1) &
	top=$!
	JOBS_STARTED+=("$top")
	wait_for grep -q '^ready' "$T/out"
	job=$(awk '$1 == "ready" { print $2 }' "$T/out")
	JOBS_STARTED+=("$job")
	fails 1 "process $top \\(.*\\): no ROCm library mapped: nothing to trace; processes below it have: -p $job$" "$RTRACE" -p "$top" -f json -o "$T/t.json"
}

# start_call: the job $waits, which is traced, enters a call that makes others and returns when it has started threads
start_call() {
	kill -USR1 "$waits"
	wait_for grep -q '^inside' "$T/out"
}

# another_leaves OPTION...: another tracer comes; the job starts its last threads when that one leaves
another_leaves() {
	"$RTRACE" "$@" --capture uprobe -S -- sh -c '"$1/capture/edges" plain 1; kill -USR1 "$2"' sh "$O" "$waits"
}

has_call() {
	wait "$tracer"
	grep -q '^result PASSED$' "$T/out"
	[ "$(count "$T/t.json" hipTestCallback)" = 1 ]
	is_complete "$T/err" 'calls unfinished'
	nothing_lost "$T/err"
}

# From Linux 6.13 on a tracer that removes probes has the kernel's lock of trace events until such a call has ended; and threads that
# have such events take it when they start and end.
@test "a command's call that waits for its threads goes on when another tracer leaves" {
	for leaving in "" "--attach tracefs"; do
		fresh out err t.json
		"$RTRACE" --capture uprobe -f json -o "$T/t.json" -- "$O/capture/edges" wait_for_threads 500 >"$T/out" 2>"$T/err" &
		tracer=$!
		JOBS_STARTED+=("$tracer")
		wait_for grep -q '^ready' "$T/out"
		waits=$(awk '/^ready/ { print $2 }' "$T/out")
		start_call
		# shellcheck disable=SC2086 # words
		another_leaves $leaving
		has_call
	done
}

@test "... and so does that of a job that is traced by -p, in each mode" {
	goes_on() {
		fresh out err t.json
		"$O/capture/edges" wait_for_threads 500 >"$T/out" &
		waits=$!
		JOBS_STARTED+=("$waits")
		wait_for grep -q '^ready' "$T/out"
		start_tracing "$RTRACE" --attach "$1" --capture uprobe -f json -o "$T/t.json" -p "$waits"
		start_call
		another_leaves
		has_call
	}
	in_every_mode goes_on
}

# bats test_tags=slow,node
@test "500 jobs beside two to eight tracers of the node with selections that change: as alone, and all in each trace" {
	needs_to_be_alone
	mkdir "$T/many"
	# HIP of a job writes there.
	chmod 1777 "$T/many"
	python3 tests/e2e/many_tracers.py "$O" "${RT_JOBS:-500}" "${RT_SEED:-$RANDOM}" "$T/many" >"$T/said" || { cat "$T/said"; false; }
	sed 's/^/# /' "$T/said" >&3
}
