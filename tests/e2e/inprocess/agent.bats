#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=inproc,traces
# The agent does its host no harm, whatever the host does: each program ends the same without agent, with a
# dormant one, and traced, and what was traced is true.

load ../common
load ../gpu

AGENT=$O/librtrace-agent.so
LIFE=$O/agent/life

setup() {
	ulimit -c 0
}

teardown() {
	end_jobs
}

# same COMMAND...: without agent, with a dormant one, and traced; the trace is left as t.json. A hang is a
# failure, its status 124. The ring holds all of it: nothing is lost, however late the tracer reads.
same() {
	echo "same $*"
	rm -f "$T/truth"
	outcome "$T/none" sim SIMKFD_GPUS=1 SIMKFD_KERNEL_NS=5000 timeout "$(seconds 150)" "$@"
	outcome "$T/dormant" sim SIMKFD_GPUS=1 SIMKFD_KERNEL_NS=5000 HSA_TOOLS_LIB="$AGENT" \
		timeout "$(seconds 150)" "$@"
	outcome "$T/active" sim SIMKFD_GPUS=1 SIMKFD_KERNEL_NS=5000 SIMKFD_TRUTH="$T/truth" \
		timeout "$(seconds 150)" "$RTRACE" -t gpu --gpu-buffer=64 -f json -o "$T/t.json" -- "$@"
	diff "$T/none" "$T/dormant"
	diff "$T/none" "$T/active"
	grep -q '^result PASSED$' "$T/none"
	not grep -q '^status 124$' "$T/none"
	# Nobody had a reason to complain.
	not grep 'rtrace-agent:' "$T/dormant.err" "$T/active.err"
	nothing_lost "$T/active.err" || { cat "$T/active.err"; return 1; }
}

all_is_true() {
	is_complete "$T/active.err" 'without end'
	check_truth "$T/truth" "$T/t.json"
}

# Of a process that has ended with work in flight: all that it submitted is in the trace, and what has an
# end there has really run then.
what_ended_is_true() {
	grep -q "recorded .* $(awk '$1 == "kernels" { n += $3 } END { print n }' "$T/active") dispatches, $(
		awk '$1 == "copies" { n += $3 } END { print n }' "$T/active") copies" "$T/active.err"
	true_ops "$T/truth" >"$T/true"
	traced_ops "$T/t.json" >"$T/traced"
	awk -F '\t' '
		function at(time) { return sprintf("%.0f", int(time / 1000)) }
		{ what = $1 " " $2 " " $3 " " $4 }
		NR == FNR { end[what " " at($5)] = $6; next }
		{ for (i = -1; i <= 1; i++) {
			d = end[what " " at($5 + i * 1000)] - $6
			if (d >= -1000 && d <= 1000) next
		  }
		  bad++; if (bad <= 5) print "not in the truth log: " $0 }
		END { exit bad > 0 }' "$T/true" "$T/traced"
	judge --not-run "$T/truth" "$T/t.json"
}

@test "fork while another thread works and is recorded: children live on, and nothing is missing" {
	same "$LIFE" fork
	[ "$(grep -c '^child status' "$T/none")" = 20 ]
	all_is_true
}

@test "children that run another program with a GPU: by fork, by vfork, by posix_spawn" {
	for how in fork-exec vfork-exec spawn; do
		same "$LIFE" $how
		[ "$(grep -c '^kernels elementAdd 200$' "$T/active")" = 2 ]
		all_is_true
	done
}

@test "a child that has ended before the tracer has looked at its agent: all that it did is in the trace" {
	fresh first second out t.json truth
	# The first run makes the libraries known, for which the second one would be held.
	sim_exec SIMKFD_GPUS=1 SIMKFD_TRUTH="$T/truth" "$RTRACE" -f json -o "$T/t.json" -- sh -c \
		'"$1" restart >/dev/null && touch "$2" && until [ -e "$3" ]; do sleep 0.05; done && "$1" restart && touch "$2.ended"' \
		sh "$LIFE" "$T/first" "$T/second" >"$T/out" 2>"$T/active.err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for test -e "$T/first"
	kill -STOP "$tracer"
	touch "$T/second"
	until grep -q '^result PASSED' "$T/out"; do :; done
	# It waits for its tracer at its end, not for long.
	child=$(child_of "$(child_of "$tracer")")
	kill -STOP "$child"
	kill -CONT "$tracer"
	memory=$(awk '/memfd:rtrace-agent/ { print $5; exit }' "/proc/$child/maps")
	[ -n "$memory" ]
	wait_for grep -q " $memory .*memfd:rtrace-agent" "/proc/$tracer/maps"
	kill -CONT "$child"
	wait "$tracer"
	[ -e "$T/first.ended" ]
	all_is_true
	# Nor is a child held up by a tracer that does not come, or has gone.
	RTRACE_AGENT=active RTRACE_AGENT_TRACER=1 HSA_TOOLS_LIB="$AGENT" sim SIMKFD_GPUS=1 "$LIFE" restart
	RTRACE_AGENT=active RTRACE_AGENT_TRACER=99999999 HSA_TOOLS_LIB="$AGENT" sim SIMKFD_GPUS=1 "$LIFE" restart
}

@test "exit with work in flight: of main, of a thread, of the runtime's own thread, without main" {
	for how in exit exit-thread exit-handler main-thread-exit; do
		same "$LIFE" $how
		grep -q '^status 42$' "$T/none"
		what_ended_is_true
		# What was waited for has ended: the agent has time for that when a process exits.
		[ "$(wc -l <"$T/traced")" -ge 201 ]
	done
}

@test "sudden ends with work in flight: _exit, quick_exit, abort, a signal" {
	for how in _exit quick_exit abort segv; do
		same "$LIFE" $how
		what_ended_is_true
	done
}

@test "work after exit() has begun, by whatever is older than the runtime: all is in the trace" {
	for how in static atexit library thread quick _exit; do
		rm -f "$T/truth"
		sim SIMKFD_GPUS=1 SIMKFD_TRUTH="$T/truth" "$RTRACE" -t hip,gpu --barriers -f json -o "$T/t.json" -- \
			"$O/workloads/late" $how >"$T/out" 2>"$T/err"
		grep -q '^result PASSED$' "$T/out"
		nothing_lost "$T/err"
		# With _exit() what was launched last never ran.
		judge $([ $how != _exit ] || echo --not-run) "$T/truth" "$T/t.json"
		[ $how = _exit ] || is_complete "$T/err" 'without end'
		not grep 'incomplete: .*\([6-9]\|[0-9][0-9]\) GPU operations without end' "$T/err"
		# It says what it did before it launches the last.
		[ $how = _exit ] || check_counts "$T/out" "$T/t.json" 'hip(LaunchKernel|Memset|Memcpy|Free)$'
		# What is freed late is not left over.
		jq -e '[.traceEvents[] | select(.name == "alloc" and .args.bytes == 4096 and .args.device == 0) | .args.address] as $ours |
			($ours | length) > 0 and ([.traceEvents[] | select(.name == "free") | .args.address] | contains($ours))' "$T/t.json" >/dev/null
	done
}

@test "a copy that the runtime's own thread waits for, which tells us of the ends of copies" {
	same "$LIFE" handler
	all_is_true
}

@test "the runtime is shut down and started again, also with queues left behind" {
	same "$LIFE" restart
	grep -q '^start 3: 0$' "$T/none" || grep -q '^start 0: 0x1008$' "$T/none"
	all_is_true
}

@test "the runtime is shut down, and started again by parent and child" {
	same "$LIFE" restart-child
	all_is_true
}

@test "no descriptor left: work goes on and is recorded, by the runtime's clock" {
	same "$LIFE" descriptors
	all_is_true
}

# bats test_tags=slow
@test "10,000 queues: memory does not grow with them, and all that they run is recorded" {
	# Without interrupts: in ROCm 5.2 two threads of the runtime wait for one of a queue that is destroyed,
	# and now and then, in thousands, one of them for ever.
	HSA_ENABLE_INTERRUPT=0 same "$LIFE" -n 10000 queues
	[ "$(grep '^kernels' "$T/none")" = "kernels elementAdd 825" ]
	all_is_true
	# KiB; 40 in 8,000 queues without the agent. The ring and the list of names are written for the
	# first time: 8000 * (56 + 32 + 2 * 128) bytes, and operations.
	for run in none dormant active; do
		awk '$2 == "memory" { print; if ($5 - $3 > 8000) exit 1 }' "$T/$run.out"
	done
}

# The agent cannot be had, with this reason, and nobody else notices.
switched_off() {
	local why=$1

	shift
	outcome "$T/none" sim SIMKFD_GPUS=1 timeout "$(seconds 150)" "$@"
	outcome "$T/dormant" sim SIMKFD_GPUS=1 HSA_TOOLS_LIB="$AGENT" timeout "$(seconds 150)" "$@"
	outcome "$T/active" sim SIMKFD_GPUS=1 timeout "$(seconds 150)" \
		"$RTRACE" -t gpu -f json -o "$T/t.json" -- "$@"
	grep -q '^result PASSED$' "$T/none"
	diff "$T/none" "$T/dormant"
	diff "$T/none" "$T/active"
	cat "$T/dormant.err"
	[ "$(cat "$T/dormant.err")" = "rtrace-agent: $why" ]
	[ "$(grep 'rtrace-agent:' "$T/active.err")" = "rtrace-agent: $why" ]
}

@test "a sandbox without memfd_create: one line, and the program does what it does" {
	switched_off 'shared memory, rtrace-agent: Operation not permitted' "$O/agent/refuse" 1 "$LIFE" plain
	switched_off 'shared memory, rtrace-agent: Function not implemented' "$O/agent/refuse" 38 "$LIFE" plain
}

@test "a limit for the size of files: one line, and no SIGXFSZ" {
	switched_off 'shared memory, rtrace-agent: File too large' "$LIFE" file-size
}

@test "nobody reads what it says: no SIGPIPE, no waiting" {
	mkfifo "$T/gone" "$T/full"
	exec 5<>"$T/gone" 6>"$T/gone" 5<&- 7<>"$T/full"
	timeout 1 cat /dev/zero >&7 || :
	for reader in 6 7; do
		status=0
		HSA_TOOLS_LIB="$AGENT" sim SIMKFD_GPUS=1 timeout "$(seconds 150)" "$O/agent/refuse" 1 "$LIFE" plain \
			2>&$reader >"$T/out" || status=$?
		echo "status $status"
		[ "$status" = 0 ]
		grep -q '^result PASSED$' "$T/out"
	done
	exec 6>&- 7<&-
}

# will_fail WHAT:N: sets `failing`, to be put before a command; see tests/agent/replaced.c.
will_fail() {
	rm -f "$T/replaced"
	failing=(env REPLACED_LOG="$T/replaced" REPLACED_FAIL="$1" REPLACED_ERRNO="${ERRNO:-12}"
		LD_PRELOAD="$O/agent/libreplaced.so $O/libsimkfd.so")
}

@test "no descriptor, no seal, no mapping, no thread: one line each" {
	for what in memfd_create ftruncate fcntl mmap; do
		ERRNO=24 will_fail "$what:1"
		switched_off 'shared memory, rtrace-agent: Too many open files' "${failing[@]}" "$LIFE" plain
		has_failed
	done
	will_fail pthread_create:1
	switched_off 'start: Resource temporarily unavailable' "${failing[@]}" "$LIFE" plain
	has_failed
}

# A program runs as it does without agent, with at most one line said, while the agent's allocation N fails,
# and perhaps all after it; for N from 1 until none fails any more.
starved() {
	local n=0 more=$1

	outcome "$T/none" sim SIMKFD_GPUS=1 "${@:2}"
	grep -q '^result PASSED$' "$T/none"
	while ((++n < 500)); do
		will_fail "memory:$n$more"
		outcome "$T/starved" sim SIMKFD_GPUS=1 HSA_TOOLS_LIB="$AGENT" timeout "$(seconds 150)" \
			"${failing[@]}" "${@:2}"
		has_failed || break
		diff "$T/none" "$T/starved" || { echo "allocation $n$more"; return 1; }
		[ "$(grep -c 'rtrace-agent:' "$T/starved.err")" -le 1 ]
	done
	echo "$((n - 1)) allocations"
	[ "$n" -gt 10 ] && [ "$n" -lt 500 ]
}

# bats test_tags=slow
@test "no memory for the agent: a program does what it does, whichever allocation fails" {
	starved '' "$LIFE" plain
	RTRACE_AGENT=active starved '' "$LIFE" plain
	RTRACE_AGENT=active starved + "$LIFE" plain
}

# What the agent could not record for want of memory is said to be missing.
@test "no memory for the agent: the trace says what it lacks" {
	for which in 1+ 2 4 5 12+ 23 28; do
		will_fail "memory:$which"
		rm -f "$T/truth"
		outcome "$T/active" sim SIMKFD_GPUS=1 SIMKFD_TRUTH="$T/truth" timeout "$(seconds 150)" \
			"$RTRACE" -t gpu -f json -o "$T/t.json" -- "${failing[@]}" "$LIFE" plain
		grep -q '^result PASSED$' "$T/active"
		echo "$which"
		what_lacks_is_said "$T/truth" "$T/t.json" "$T/active.err"
	done
}

# Copies of HIP, HSA and the thunk under names of their own, as wheels of Python bring them; and a library that takes the
# simulated GPU into another namespace of the loader.
make_second_rocm() {
	local name file

	mkdir "$T/second"
	for name in libamdhip64.so.5 libhsa-runtime64.so.1 libhsakmt.so.1; do
		file=$(ldd "$O/workloads/vectoradd" | awk -v name=$name '$1 == name { print $3 }')
		[ -n "$file" ] || skip "this release of ROCm has other names"
		sed 's/libamdhip64[.]so/libamdhip65.so/g; s/libhsa-runtime64[.]so/libhsa-runtime65.so/g; s/libhsakmt[.]so/libhsakmu.so/g' \
			"$file" >"$T/second/$(sed 's/hip64/hip65/; s/runtime64/runtime65/; s/kmt/kmu/' <<<"$name")"
	done
	echo 'int nothing;' | cc -shared -fPIC -x c - -x none -o "$T/second/libboth.so" -Wl,--no-as-needed "$O/libsimkfd.so" -lamdhip64
}

@test "a second HSA runtime in the process: the first is traced, what the second has run is counted as lost" {
	make_second_rocm
	export LD_LIBRARY_PATH=$T/second
	for how in "namespace $T/second/libboth.so" "copy $T/second/libamdhip65.so.5"; do
		rm -f "$T/truth"
		# shellcheck disable=SC2086 # words
		sim SIMKFD_GPUS=1 SIMKFD_TRUTH="$T/truth" "$RTRACE" -t gpu -f json -o "$T/t.json" -- \
			"$O/workloads/two_runtimes" $how >"$T/out" 2>"$T/err"
		cat "$T/err"
		grep -q '^result PASSED$' "$T/out"
		grep -q 'warning: process [0-9]*: has 1 more HSA runtime' "$T/err"
		# A fill by HIP is a kernel. There are two simulated GPUs of one name in the first case, so only numbers are compared.
		# Each runtime uploads code, once, as it copies when a call waits for it (blit).
		[ "$(grep -c ' kind=dispatch ' "$T/truth")" = 10 ]
		[ "$(grep -c ' kind=\(copy\|blit\) ' "$T/truth")" = 42 ]
		[ "$(jq -c '.otherData | [.dispatches, .copies, .lost_dispatches, .lost_copies, .lost_gpu]' "$T/t.json")" = '[5,20,5,20,25]' ]
	done
}

@test "the runtime is unloaded after it was shut down, and loaded again" {
	same "$O/agent/reopen"
	grep -q '^HSA is gone$' "$T/none"
	all_is_true
}

@test "a signal every millisecond, with system calls that go on and with such that do not" {
	ticking=(env TICKS=restart LD_PRELOAD="$O/agent/libticks.so $O/libsimkfd.so")
	same "${ticking[@]}" "$LIFE" restart
	all_is_true
	same "${ticking[@]}" "$O/workloads/storm" -g 1 -s 2 -t 2 -n 200 -o
	all_is_true
	ticking=(env TICKS=interrupt "${ticking[2]}")
	same "${ticking[@]}" "$O/workloads/hsa_dispatch"
	all_is_true
	same "${ticking[@]}" "$O/workloads/storm" -g 1 -s 2 -t 2 -n 200 -o
	all_is_true
}

# HIP gets the times for its records from signals that are ours while we record.
@test "a profiler that takes HIP's own records gets the same ones, with times that are true" {
	export HIP_FORCE_QUEUE_PROFILING=1 GPU_FORCE_QUEUE_PROFILING=1
	recorded=(env LD_PRELOAD="$O/agent/libhip_records.so $O/libsimkfd.so")
	same "${recorded[@]}" "$O/workloads/streams" -g 1 -t 2 -s 2 -n 32
	all_is_true
	# Every one of the program's kernels, as some operation that has run; HIP runs kernels of its own, too, which copy.
	awk '{ split("", at); for (i = 1; i <= NF; i++) { split($i, kv, "="); at[kv[1]] = kv[2] } }
		at["kind"] == "dispatch" || at["kind"] == "blit" { print at["begin"] "\t" at["end"] }' "$T/truth" >"$T/true"
	[ "$(awk '$1 == "records" { print $3 }' "$T/active")" -ge "$(awk '$1 == "kernels" { n += $3 } END { print n }' "$T/active")" ]
	awk '$1 == "elapsed" && $2 == "record" && $3 == 0 { print $4 "\t" $5 }' "$T/active.out" >"$T/records"
	awk -F '\t' '
		NR == FNR { begin[++n] = $1; end[n] = $2; next }
		function apart(a, b) { return a > b ? a - b : b - a }
		# The nearest one: those of two queues may be less than 1 us apart.
		{ least = 1000; at = 0
		  for (i = 1; i <= n; i++) {
			d = apart(begin[i], $1) + apart(end[i], $2)
			if (d < least && !used[i]) { least = d; at = i }
		  }
		  if (at) { used[at] = 1; next }
		  bad++; if (bad <= 5) print "not in the truth log: " $0 }
		END { exit bad > 0 }' "$T/true" "$T/records"
}

@test "the agent is named twice, by its job and by the tracer" {
	HSA_TOOLS_LIB="$AGENT $AGENT" outcome "$T/twice" sim SIMKFD_GPUS=1 timeout "$(seconds 150)" "$LIFE" restart
	HSA_TOOLS_LIB="$AGENT" same "$LIFE" restart
	diff "$T/none" "$T/twice"
	all_is_true
}

# What both tools are to see, of which the second one in the list has been loaded last.
two_tools() {
	local kernels copies

	export OTHER_TOOL="$T/other"
	outcome "$T/none" sim SIMKFD_GPUS=1 "$LIFE" restart
	rm -f "$T/truth" "$T/other"
	outcome "$T/active" sim SIMKFD_GPUS=1 SIMKFD_TRUTH="$T/truth" timeout "$(seconds 150)" \
		"$RTRACE" -t gpu -f json -o "$T/t.json" -- env HSA_TOOLS_LIB="$1" "$LIFE" restart
	diff "$T/none" "$T/active"
	kernels=$(awk '$1 == "kernels" {print $3}' "$T/none")
	copies=$(awk '$1 == "copies" {print $3}' "$T/none")
	cat "$T/other"
	[ "$(awk '{ n += $4 } END { print n }' "$T/other")" = "$copies" ]
	grep -q " $copies copies, " "$T/active.err"
	[ -z "${ALL:-}" ] || {
		[ "$(awk '{ n += $2 } END { print n }' "$T/other")" = "$kernels" ]
		all_is_true
	}
}

@test "another tool of the HSA runtime, before us or behind: results are the same, and both see the copies" {
	two_tools "$O/agent/libother_tool.so $AGENT"
	two_tools "$AGENT $O/agent/libother_tool.so"
}

@test "another tool of the HSA runtime before us: it sees its packets, and we all" {
	ALL=1 two_tools "$O/agent/libother_tool.so $AGENT"
}

@test "another tool of the HSA runtime behind us: it sees its packets, and we all" {
	ALL=1 two_tools "$AGENT $O/agent/libother_tool.so"
}

# A job that does one thing after the other: what is in a trace must be all that was between its first and its
# last operation.
# bats test_tags=slow
@test "tracers one after the other, five times: each has every operation of its time, and the job is the same" {
	start_job HSA_TOOLS_LIB="$AGENT" SIMKFD_GPUS=1 "$O/workloads/job" -d 200
	go
	for i in 1 2 3 4 5; do
		trace_until 40 "$GPU_LINE" $i -p "$job" -t gpu
	done
	kill -TERM "$job"
	wait "$job"
	grep -q '^result PASSED$' "$T/out"
	[ "$(grep -c 'rtrace-agent:' "$T/job.err")" = 0 ]
	for i in 1 2 3 4 5; do
		nothing_lost "$T/$i.err"
		check_truth_between "$T/truth" "$T/$i.json"
	done
}

# Each time that it falls asleep is counted by the kernel.
sleeps_of_agent() {
	awk '/^Name:/ { ours = $2 == "rtrace-reaper" } ours && /^voluntary_ctxt/ { print $2 }' /proc/"$1"/task/*/status
}

stays_asleep() {
	local before

	before=$(sleeps_of_agent "$job")
	[ "$before" -gt 0 ]
	sleep 1
	[ "$(sleeps_of_agent "$job")" = "$before" ]
}

# bats test_tags=slow
@test "nobody looks: the agent's thread sleeps, until a tracer comes, and when it has gone" {
	start_job HSA_TOOLS_LIB="$AGENT" SIMKFD_GPUS=1 "$O/workloads/job" -d 2000
	go
	wait_for stays_asleep
	trace_until 40 "$GPU_LINE" t -p "$job" -t gpu
	wait_for stays_asleep # once what was under way has ended
	kill -TERM "$job"
	wait "$job"
	grep -q '^result PASSED$' "$T/out"
}

# The tracer is kept from the agent's memory until the GPU has done it all.
@test "-- CMD --barriers, the tracer is late: barriers are recorded from the first on" {
	sim_exec SIMKFD_GPUS=1 SIMKFD_TRUTH="$T/truth" "$RTRACE" --barriers -t gpu -f json -o "$T/t.json" -- \
		"$O/workloads/ranges" -g "$T/go" >"$T/out" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q '^ready' "$T/out"
	kill -STOP "$tracer"
	touch "$T/go"
	wait_for grep -q '^result PASSED$' "$T/out"
	kill -CONT "$tracer"
	wait "$tracer"
	nothing_lost "$T/err"
	judge --barriers "$T/truth" "$T/t.json"
}

@test "the ring has the size that is asked for, and what it has no room for is counted" {
	# One MiB: 8192 records, two for each operation. The tracer is kept from reading.
	sim_exec SIMKFD_GPUS=1 SIMKFD_TRUTH="$T/truth" "$RTRACE" --gpu-buffer 1 -t gpu -f json -o "$T/t.json" -- \
		"$O/workloads/storm" -n 20000 >"$T/out" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for test -s "$T/truth"
	kill -STOP "$tracer"
	# After the pages of the agent come 2 MiB of operations in flight, 64 MiB of names, the ring, and 75 MiB
	# for calls.
	read -r begin end < <(sed -n 's/^\([^-]*\)-\([^ ]*\) .*memfd:rtrace-agent.*/\1 \2/p' "/proc/$(child_of "$tracer")/maps")
	[ $(((0x$end - 0x$begin - 12288) >> 20)) = $((2 + 64 + 1 + 75)) ]
	wait_for grep -q '^result PASSED$' "$T/out"
	kill -CONT "$tracer"
	wait "$tracer"
	seen=$(sed -n 's/.* \([0-9]*\) dispatches, .* ranges,.*/\1/p' "$T/err")
	lost=$(sed -n 's/.*lost [0-9]* GPU records: \([0-9]*\) dispatches.*/\1/p' "$T/err")
	[ "$lost" -gt 1000 ]
	[ $((seen + lost)) = "$(grep -c ' kind=dispatch ' "$T/truth")" ]
}

# What a checker says of us has a function of ours among its lines.
says_nothing_of_us() {
	not grep -B 20 -A 20 -E '(hsa_agent|inprocess)/|librtrace-agent' "$@"
}

# Whether the doorbell comes before or after must make no difference.
@test "packets that are written before a tracer comes or goes, and rung for after" {
	sim_exec SIMKFD_GPUS=1 HSA_TOOLS_LIB="$AGENT" RTRACE_AGENT_LOG=1 "$O/workloads/hsa_producers" -m held -n 4 >"$T/out" 2>&1 &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^held 1$' "$T/out"
	"$RTRACE" -p "$job" -t gpu -f json -o "$T/t.json" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q '^rtrace-agent: recording' "$T/out"
	kill -USR1 "$job"
	wait_for grep -q '^held 2$' "$T/out"
	kill -USR1 "$job"
	wait_for grep -q '^held 3$' "$T/out"
	kill -INT "$tracer"
	wait "$tracer"
	kill -USR1 "$job"
	wait_for grep -q '^held 4$' "$T/out"
	kill -USR1 "$job"
	wait "$job"
	grep -q '^result PASSED$' "$T/out"
	# Those of the second round, which were written and submitted while it was there.
	[ "$(traced_ops "$T/t.json" | grep -c ^dispatch)" = 2 ]
	# Those of the first could not be recorded any more; they were submitted at once, which counts once.
	[ "$(lost_of 'GPU records' "$T/err")" = 1 ]
}

# bats test_tags=slow
@test "valgrind: no use of memory that is not ours to use, dormant and recording" {
	for how in "" RTRACE_AGENT=active; do
		for program in "hsa_dispatch -n 50" "hsa_producers"; do
			echo "$how $program"
			# shellcheck disable=SC2086 # words
			sim SIMKFD_GPUS=1 HSA_TOOLS_LIB="$AGENT" $how valgrind --log-file="$T/valgrind" \
				"$O/workloads/"$program >"$T/out"
			grep -q '^result PASSED$' "$T/out"
			grep -q 'ERROR SUMMARY' "$T/valgrind"
			says_nothing_of_us "$T/valgrind"
		done
	done
}

# The application and the runtime are not built for it, and what it says of them may be wrong. That it is at work shows
# what it says of a library with a race.
# bats test_tags=slow,tsan
@test "ThreadSanitizer: no data race of ours, while tracers come and go" {
	local tsan

	nm -D "$O/tsan/librtrace-agent.so" | grep -q __tsan_write
	tsan=$(realpath "$(gcc -print-file-name=libtsan.so)")
	sim_exec LD_PRELOAD="$tsan $O/tsan/agent/librace.so $O/libsimkfd.so" TSAN_OPTIONS="log_path=$T/tsan exitcode=0" SIMKFD_GPUS=2 \
		HSA_TOOLS_LIB="$O/tsan/librtrace-agent.so" setarch -R "$O/workloads/storm" -g 2 -t 4 -s 4 -n 100000 \
		>"$T/out" 2>"$T/job.err" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q librtrace-agent "/proc/$job/maps"
	for i in 1 2 3 4 5; do
		trace_until 40 "$GPU_LINE" $i -p "$job" -t gpu
	done
	wait "$job"
	grep -q '^result PASSED$' "$T/out"
	grep -q 'data race .*tests/agent/race.c' "$T/tsan".*
	says_nothing_of_us "$T/tsan".*
}
