#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Attaching to jobs that already run, and the ends of both sides.

load ../common
load ../gpu

AGENT=$O/librtrace-agent.so

start_tracer() {
	start_tracing "$RTRACE" -f json -o "$T/t.json" "$@"
}

ops_are_true() {
	truth_since_go "$T/truth"
	check_truth "$T/truth.go" "$T/t.json"
	json_trace "$T/t.json" causes
}

exact() { # MODE CALLS
	needs_mode "$1"
	start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -n $(($2 / 20)) -t 4
	start_tracer --attach "$1" -p "$job"
	go
	wait "$job"
	wait "$tracer"
	grep -q '^result PASSED$' "$T/out"
	[ "$(awk '$1 == "calls" {n += $3} END {print n}' "$T/out")" -ge "$2" ]
	json_trace "$T/t.json" nesting balance "counts=$T/out"
	cat "$T/err"
	nothing_lost "$T/err" 'GPU operations'
	ops_are_true
}

# bats test_tags=smoke
@test "attached to a running job: exactly its 10,000 calls, and every GPU operation under its cause" {
	exact session 10000
}

@test "the same with uprobe_multi links" {
	exact multi 2000
}

# bats test_tags=node
@test "the same with tracefs events" {
	exact tracefs 2000
	[ -z "$(cat /sys/kernel/tracing/uprobe_events)" ]
}

needs_fexit() { # FILE: what a tracer has said
	grep -q 'mappings are seen by fexit' "$1" || skip "this kernel runs no programs at the end of its functions (fexit)"
}

# How many programs the tracer has that run where system calls are traced: then each one of each process takes longer.
programs_on_system_calls() {
	# The kernel's number of programs for tracepoints (BPF_PROG_TYPE_TRACEPOINT).
	cat /proc/"$tracer"/fdinfo/* | grep -c '^prog_type:[[:space:]]*5$' || :
}

@test "no process takes longer for a system call, unless dispatches are taken from BPF" {
	start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job"
	for option in --all-functions --dispatch-from-bpf; do
		start_tracer -v "$option" -p "$job"
		needs_fexit "$T/err"
		[ "$(programs_on_system_calls)" = "$([ $option = --all-functions ] && echo 0 || echo 1)" ]
		kill -INT "$tracer"
		wait "$tracer"
	done
	sim_exec "$RTRACE" -v -S -- sh -c 'touch "$1/runs"; until [ -e "$1/seen" ]; do sleep 0.02; done' sh "$T" 2>"$T/command.err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for [ -e "$T/runs" ]
	[ "$(programs_on_system_calls)" = 0 ]
	touch "$T/seen"
	wait "$tracer"
}

# in_overlay COMMAND...: as in a container, whose files are those of other file systems: $T/lower is seen as $T/seen.
in_overlay() {
	sim LD_LIBRARY_PATH="$T/seen:${LD_LIBRARY_PATH:-}" unshare --mount --propagation private sh -ec '
		mount -t tmpfs none "$1/upper"
		mkdir "$1/upper/files" "$1/upper/work"
		mount -t overlay -o "lowerdir=$1/lower,upperdir=$1/upper/files,workdir=$1/upper/work" none "$1/seen"
		shift
		exec "$@"' sh "$T" "$@"
}

@test "a library in a container's overlay: calls have what their pointers lead to, in each way of attaching" {
	local mode

	mkdir "$T/lower" "$T/upper" "$T/seen"
	cp -L "$(ldd "$O/workloads/vectoradd" | awk '/libamdhip64/ { print $3 }')" "$T/lower/"
	in_overlay true 2>"$T/err" || skip "no overlay can be mounted here: $(cat "$T/err")"
	in_overlay ldd "$O/workloads/vectoradd" | grep -q "$T/seen/libamdhip64"
	for mode in $(attach_modes); do
		in_overlay "$RTRACE" --capture uprobe --attach "$mode" -t hip -f text -o "$T/$mode.text" \
			-- "$O/workloads/vectoradd" >"$T/out" 2>"$T/err"
		nothing_lost "$T/err"
		grep __hipRegisterFunction "$T/$mode.text"
		[ "$(grep -c '__hipRegisterFunction(.* deviceName="vectorAdd"' "$T/$mode.text")" = 1 ]
		not grep 'deviceName=0x' "$T/$mode.text"
	done
}

# HSA's functions are probed past their trampolines, but for those that the agent itself uses.
hsa_calls() {
	start_tracer_on() {
		fresh err
		"$RTRACE" -v --capture uprobe -t hsa -f json -o "$T/t.json" -p "$job" 2>"$T/err" &
		tracer=$!
		JOBS_STARTED+=("$tracer")
		wait_for grep -q '^rtrace-bpf: process' "$T/err"
	}
	fresh go out
	sim_exec "$@" "$O/workloads/hsa_calls" "$T/go" >"$T/out" 2>"$T/job.err" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/out"
	start_tracer_on
	# An event of tracefs is at the same places in all processes.
	[ "$(attach_modes | head -n 1)" = tracefs ] ||
		grep -Eq 'libhsa-runtime64.*: [0-9]+ functions behind their trampolines' "$T/err"
	touch "$T/go"
	wait "$job"
	wait "$tracer"
	grep -q '^result PASSED$' "$T/out"
	nothing_lost "$T/err"
	check_counts "$T/out" "$T/t.json"
	# Nothing but what the program called.
	diff <(awk '$1 == "calls" {print $2}' "$T/out" | sort -u) <(calls "$T/t.json" | cut -f1 | sort -u)
}

@test "behind trampolines: exactly the calls that the program made, with the agent and without" {
	hsa_calls env
	hsa_calls HSA_TOOLS_LIB="$AGENT"
}

@test "a job without the agent: its calls all the same, and it is said that GPU times are missing" {
	start_job "$O/workloads/job" -n 200
	start_tracer -p "$job"
	grep -q 'no GPU times' "$T/err"
	go
	wait "$job"
	wait "$tracer"
	check_counts "$T/out" "$T/t.json"
	[ "$(traced_ops "$T/t.json" | wc -l)" = 0 ]
}

# bats test_tags=slow
@test "two tracers one after the other, each with its part of the job" {
	start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -d 2000
	go
	for i in 1 2; do
		trace_until 20 "$GPU_LINE" $i -p "$job"
		json_trace "$T/$i.json" nesting
	done
	[ "$(calls "$T/1.json" | cut -f7 | sort -g | tail -n 1 | cut -d. -f1)" -lt \
		"$(calls "$T/2.json" | cut -f7 | sort -g | head -n 1 | cut -d. -f1)" ]
	kill -TERM "$job"
	wait "$job"
	grep -q '^result PASSED$' "$T/out"
}

# A digest of HIP's code as it is in the process's memory.
bytes_in_memory() {
	local range

	range=$(awk '$2 ~ /x/ && $6 ~ /\/libamdhip64/ {print $1; exit}' "/proc/$1/maps")
	dd if="/proc/$1/mem" bs=64K skip=$((0x${range%-*})) count=$((0x${range#*-} - 0x${range%-*})) \
		iflag=skip_bytes,count_bytes 2>/dev/null | md5sum
}

# bats test_tags=node
@test "kill -9 of the tracer: the job runs on, without a probe, and ends well" {
	start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -d 1000
	clean=$(bytes_in_memory "$job")
	start_tracer -p "$job"
	[ "$(bytes_in_memory "$job")" != "$clean" ]
	go
	sleep 0.3
	kill -KILL "$tracer"
	wait "$tracer" || :
	wait_for eval '[ "$(bytes_in_memory "$job")" = "$clean" ]'
	# A later tracer finds everything in order.
	trace_until 20 "$GPU_LINE" later -p "$job"
	json_trace "$T/later.json" nesting
	kill -TERM "$job"
	wait "$job"
	grep -q '^result PASSED$' "$T/out"
}

# bats test_tags=slow
@test "kill -9 of the job: the trace holds what it did up to then" {
	start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -t 2
	start_tracer -p "$job"
	before=$(wc -l <"$T/truth")
	go
	wait_for has_run $((before + 300))
	kill -KILL "$job"
	wait "$tracer"
	nothing_lost "$T/err"
	json_trace "$T/t.json" nesting balance
	truth_since_go "$T/truth"
	"$O/tests/storm_check" -k "$T/truth.go" "$T/t.json"
}

# bats test_tags=node
@test "-a: jobs that run, and jobs that come" {
	needs_to_be_alone
	start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -n 200
	start_tracer -a
	has_found "$job"
	go
	sim_exec HSA_TOOLS_LIB="$AGENT" "$O/workloads/vectoradd" >"$T/second" &
	second=$!
	wait "$second"
	wait "$job"
	kill -INT "$tracer"
	wait "$tracer"
	only() {
		jq -c --argjson pid "$1" '.traceEvents |= map(select(.pid == $pid))' "$T/t.json"
	}
	only "$job" >"$T/first.json"
	only "$second" >"$T/second.json"
	json_trace "$T/first.json" nesting
	json_trace "$T/second.json" nesting
	check_counts "$T/out" "$T/first.json"
	# The library files were probed before: nothing is missing from its first call on.
	check_counts "$T/second" "$T/second.json" '^(__)?hip'
}

@test "Ctrl-C and --duration end the trace, not the job" {
	start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -d 1000
	go
	start_tracer -p "$job"
	kill -INT "$tracer"
	wait "$tracer"
	"$RTRACE" -p "$job" -f text -o "$T/text" --duration 0.3 2>"$T/err"
	grep -q hipLaunchKernel "$T/text"
	kill -0 "$job"
	kill -TERM "$job"
	wait "$job"
	grep -q '^result PASSED$' "$T/out"
}

@test "many processes: -p twice" {
	start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -n 100
	first=$job
	mv "$T/out" "$T/out1"
	start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -n 100
	second=$job
	"$RTRACE" -p "$first" -p "$second" -f json -o "$T/t.json" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for eval '[ "$(grep -c "API calls" "$T/err")" = 2 ]'
	go
	wait "$first"
	wait "$second"
	wait "$tracer"
	cat "$T/out1" >>"$T/out"
	check_counts "$T/out" "$T/t.json"
	[ "$(calls "$T/t.json" | cut -f5 | sort -u | wc -l)" = 2 ]
}

# bats test_tags=slow
@test "kill -9 of the tracer of a command: nothing that it had stopped stays so" {
	for i in 1 2 3 4 5 6 7 8; do
		"$RTRACE" -f text -o /dev/null -- sh -c \
			"for i in $(seq -s " " 150); do '$O/capture/edges' plain 10; done" >"$T/out.$i" 2>/dev/null &
		tracer=$!
		sleep "0.$((20 + i * 3))"
		kill -KILL "$tracer"
		wait "$tracer" || :
	done
	sleep 0.5
	# Nor one that has not printed anything yet.
	wait_for eval '[ -z "$(pgrep -f -r T "capture/edges plain 10")" ]'
	# The commands have run to their ends.
	for i in 1 2 3 4 5 6 7 8; do
		[ ! -s "$T/out.$i" ] || wait_for eval '[ "$(grep -c PASSED "$T/out.'$i'")" = 150 ]'
	done
}

# Waits until the tracer of this test has said so on stderr.
started() {
	wait_for grep -q "$1" "$T/err"
}

# bats test_tags=node
@test "-a first, then a library that nobody had: it is found and probed" {
	"$RTRACE" -v -a -f json -o "$T/t.json" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	started 'rings:'
	sleep 0.5
	"$O/capture/edges" go 500 >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q ready "$T/out"
	started "attach: .* of $O/capture/libamdhip64.so.99"
	kill -USR1 "$job"
	wait "$job"
	kill -INT "$tracer"
	wait "$tracer"
	[ "$(count "$T/t.json" hipTestPlain)" = 500 ]
}

# called_early [fork]: a process, or its child, maps a library that is probed and one that is not while the tracer is stopped.
# It calls the second on the CPU where it has mapped it; on another one it maps the first, and calls it. When both are probed it
# goes on. Prints its number, and the time (us of CLOCK_BOOTTIME) before that first call.
called_early() {
	rm -rf "$T/known" "$T/new" "$T/go"
	mkdir "$T/known" "$T/new"
	cp "$O/libroctx64.so.4" "$T/known"
	cp "$O/librocprofiler-sdk-roctx.so.1" "$T/new"
	cat >"$T/early.py" <<-'END'
		import ctypes, os, sys, time
		folder, forks = sys.argv[1], len(sys.argv) > 2
		cpus = sorted(os.sched_getaffinity(0))
		os.sched_setaffinity(0, {cpus[-1]})
		new = ctypes.CDLL(folder + "/new/librocprofiler-sdk-roctx.so.1")
		if forks and os.fork():
		    sys.exit(os.wait()[1])
		at = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000
		new.roctxMarkA(b"missed")
		os.sched_setaffinity(0, {cpus[0]})
		known = ctypes.CDLL(folder + "/known/libroctx64.so.4")
		known.roctxMarkA(b"known")
		print(os.getpid(), at, flush=True)
		while not os.path.exists(folder + "/go"):
		    time.sleep(0.01)
		new.roctxMarkA(b"seen")
	END
	fresh out
	"$RTRACE" -v -a -t roctx -f json -o "$T/t.json" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	started 'tracing starts'
	/usr/bin/python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1]); input()' "$T/known/libroctx64.so.4" \
		< <(wait_for grep -q "attach: .* of $T/known" "$T/err" && echo)
	started "attach: .* of $T/known"
	kill -STOP "$tracer"
	/usr/bin/python3 "$T/early.py" "$T" "$@" >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q . "$T/out"
	kill -CONT "$tracer"
	started "attach: .* of $T/new"
	touch "$T/go"
	wait "$job"
	kill -INT "$tracer"
	wait "$tracer"
}

# bats test_tags=node
@test "-a: calls that were made before their library was probed lie in a gap" {
	for forks in "" fork; do
		called_early $forks
		read -r pid at <"$T/out"
		jq -r --argjson pid "$pid" '.traceEvents[] | select(.pid == $pid and .cat != "__metadata") |
			select(.ph == "i" or .ph == "b") | .name' "$T/t.json" >"$T/shown"
		cat "$T/shown"
		[ "$(grep -cx 'known\|seen' "$T/shown")" = 2 ]
		grep "$T/new/.* was probed up to .* ms after it was mapped" "$T/shown"
		jq -e --argjson pid "$pid" --argjson at "$at" 'any(.traceEvents[];
			.pid == $pid and .ph == "b" and (.name | contains(" was probed up to ")) and .ts <= $at)' "$T/t.json"
		# The library that was probed has none.
		not grep "$T/known/.*probed" "$T/shown"
	done
}

# The tracefs events of the tracer with that pid.
events_of() {
	grep -c "rtrace_$1/" /sys/kernel/tracing/uprobe_events
}

# bats test_tags=node
@test "tracefs events that a killed tracer left do no harm, and the next tracer removes them" {
	"$O/capture/edges" go 500 >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q ready "$T/out"
	start_tracer --attach tracefs -p "$job"
	# Entry and return of each function, all on two events.
	[ "$(events_of "$tracer")" -ge 20 ]
	[ "$(grep -o "rtrace_$tracer/[a-z0-9]*" /sys/kernel/tracing/uprobe_events | sort -u | wc -l)" -le 4 ]
	kill -KILL "$tracer"
	wait "$tracer" || :
	old=$tracer
	rm "$T/err"
	[ "$(events_of "$old")" -ge 20 ]
	start_tracer --attach tracefs -p "$job"
	[ "$(events_of "$old")" = 0 ]
	kill -USR1 "$job"
	wait "$job"
	wait "$tracer"
	[ "$(count "$T/t.json" hipTestPlain)" = 500 ]
	[ "$(events_of "$tracer")" = 0 ]
}

@test "-p: a library that is loaded later" {
	"$O/capture/edges" load "$O/libroctx64.so.4" >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q ready "$T/out"
	start_tracer -v -p "$job"
	kill -USR1 "$job"
	started 'attach: .*libroctx64'
	kill -USR1 "$job"
	wait "$job"
	wait "$tracer"
	[ "$(count "$T/t.json" roctxMarkA)" = 10 ]
	[ "$(jq '[.traceEvents[] | select(.ph == "i" and .name == "from a late library")] | length' "$T/t.json")" = 10 ]
}

@test "after a tracer has gone the agent is dormant, and the next one finds nothing of before" {
	start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -d 1000
	go
	trace_until 20 "$GPU_LINE" 1 -p "$job"
	"$O/tests/agent_dump" "$job" --seconds 1 >"$T/dump.1"
	"$O/tests/agent_dump" "$job" --seconds 1 >"$T/dump.2"
	diff <(grep -c . "$T/dump.1") <(grep -c . "$T/dump.2")
	trace_until 20 "$GPU_LINE" 2 -p "$job"
	[ "$(lost_of 'other records' "$T/2.err")" = 0 ] && is_complete "$T/2.err" uncorrelated
	kill -TERM "$job"
	wait "$job"
}

# bats test_tags=slow
@test "a tracer that was stopped: operations that the agent gave up recording are counted as lost" {
	start_job HSA_TOOLS_LIB="$AGENT" RTRACE_AGENT_LOG=1 "$O/workloads/job" -d 1000
	start_tracer -p "$job"
	go
	sleep 0.2
	kill -STOP "$tracer"
	wait_for grep -q 'rtrace-agent: dormant' "$T/job.err"
	sleep 0.2
	kill -CONT "$tracer"
	back() { [ "$(grep -c 'rtrace-agent: recording' "$T/job.err")" = 2 ]; }
	wait_for back
	kill -TERM "$job"
	wait "$job"
	wait "$tracer"
	truth_since_go "$T/truth"
	true_ops "$T/truth.go" >"$T/true"
	recorded=$(sed -n 's/.*calls, \([0-9]*\) dispatches, \([0-9]*\) copies.*/\1 \2/p' "$T/err" | awk '{print $1 + $2}')
	lost=$(lost_of 'GPU records' "$T/err")
	[ "$lost" -gt 0 ]
	echo "recorded $recorded, lost $lost, in truth $(wc -l <"$T/true")"
	[ $((recorded + lost)) = "$(wc -l <"$T/true")" ]
}

# bats test_tags=slow,node
@test "a FIFO that is named like a library holds nobody up" {
	mkfifo "$T/libamdhip64.so"
	"$RTRACE" -v -a -f json -o "$T/t.json" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	started 'rings:'
	perl -e 'use Fcntl; sysopen(F, $ARGV[0], O_RDONLY | O_NONBLOCK) or die; sleep 1' "$T/libamdhip64.so"
	kill -INT "$tracer"
	wait "$tracer"
	grep -q '^rtrace-bpf: recorded' "$T/err"
}

@test "two tracers at once: the second is told that the GPU times are taken" {
	start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -d 1000
	go
	start_tracer -p "$job"
	first=$tracer
	trace_until 5 ' hipLaunchKernel' 2 -p "$job"
	grep -q "no GPU times: its agent serves another tracer, process $first\$" "$T/2.err"
	kill -INT "$first"
	wait "$first"
	[ "$(lost_of 'other records' "$T/err")" = 0 ] && is_complete "$T/err" uncorrelated
	kill -TERM "$job"
	wait "$job"
}

teardown() {
	end_jobs
}
