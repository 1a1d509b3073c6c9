#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=inproc,traces
# The agent does its host no harm, whatever the host does: each program ends the same without agent, with a
# dormant one, and traced, and what was traced is true.

load common
load gpu

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
	rm -f "$(tmp truth)"
	outcome "$(tmp none)" sim SIMKFD_GPUS=1 SIMKFD_KERNEL_NS=5000 timeout "$(seconds 150)" "$@"
	outcome "$(tmp dormant)" sim SIMKFD_GPUS=1 SIMKFD_KERNEL_NS=5000 HSA_TOOLS_LIB="$AGENT" \
		timeout "$(seconds 150)" "$@"
	outcome "$(tmp active)" sim SIMKFD_GPUS=1 SIMKFD_KERNEL_NS=5000 SIMKFD_TRUTH="$(tmp truth)" \
		timeout "$(seconds 150)" "$RTRACE" -t gpu --gpu-buffer=64 -f json -o "$(tmp t.json)" -- "$@"
	diff "$(tmp none)" "$(tmp dormant)"
	diff "$(tmp none)" "$(tmp active)"
	grep -q '^result PASSED$' "$(tmp none)"
	not grep -q '^status 124$' "$(tmp none)"
	# Nobody had a reason to complain.
	not grep 'rtrace-agent:' "$(tmp dormant.err)" "$(tmp active.err)"
	nothing_lost "$(tmp active.err)" || { cat "$(tmp active.err)"; return 1; }
}

all_is_true() {
	grep -q ' 0 without end' "$(tmp active.err)"
	check_truth "$(tmp truth)" "$(tmp t.json)"
}

# Of a process that has ended with work in flight: all that it submitted is in the trace, and what has an
# end there has really run then.
what_ended_is_true() {
	grep -q "recorded .* $(awk '$1 == "kernels" { n += $3 } END { print n }' "$(tmp active)") dispatches, $(
		awk '$1 == "copies" { n += $3 } END { print n }' "$(tmp active)") copies" "$(tmp active.err)"
	true_ops "$(tmp truth)" >"$(tmp true)"
	traced_ops "$(tmp t.json)" >"$(tmp traced)"
	awk -F '\t' '
		function at(time) { return sprintf("%.0f", int(time / 1000)) }
		{ what = $1 " " $2 " " $3 " " $4 }
		NR == FNR { end[what " " at($5)] = $6; next }
		{ for (i = -1; i <= 1; i++) {
			d = end[what " " at($5 + i * 1000)] - $6
			if (d >= -1000 && d <= 1000) next
		  }
		  bad++; if (bad <= 5) print "not in the truth log: " $0 }
		END { exit bad > 0 }' "$(tmp true)" "$(tmp traced)"
	judge --not-run "$(tmp truth)" "$(tmp t.json)"
}

@test "fork while another thread works and is recorded: children live on, and nothing is missing" {
	same "$LIFE" fork
	[ "$(grep -c '^child status' "$(tmp none)")" = 20 ]
	all_is_true
}

@test "children that run another program with a GPU: by fork, by vfork, by posix_spawn" {
	for how in fork-exec vfork-exec spawn; do
		same "$LIFE" $how
		[ "$(grep -c '^kernels elementAdd 200$' "$(tmp active)")" = 2 ]
		all_is_true
	done
}

@test "a child that has ended before the tracer has looked at its agent: all that it did is in the trace" {
	fresh first second out t.json truth
	# The first run makes the libraries known, for which the second one would be held.
	sim_exec SIMKFD_GPUS=1 SIMKFD_TRUTH="$(tmp truth)" "$RTRACE" -f json -o "$(tmp t.json)" -- sh -c \
		'"$1" restart >/dev/null && touch "$2" && until [ -e "$3" ]; do sleep 0.05; done && "$1" restart && touch "$2.ended"' \
		sh "$LIFE" "$(tmp first)" "$(tmp second)" >"$(tmp out)" 2>"$(tmp active.err)" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for test -e "$(tmp first)"
	kill -STOP "$tracer"
	touch "$(tmp second)"
	wait_for grep -q '^result PASSED' "$(tmp out)"
	sleep 0.3
	kill -CONT "$tracer"
	wait "$tracer"
	[ -e "$(tmp first.ended)" ]
	all_is_true
	# Nor is a child held up by a tracer that does not come, or has gone.
	RTRACE_AGENT=active RTRACE_AGENT_TRACER=1 HSA_TOOLS_LIB="$AGENT" sim SIMKFD_GPUS=1 timeout "$(seconds 30)" "$LIFE" restart
	RTRACE_AGENT=active RTRACE_AGENT_TRACER=99999999 HSA_TOOLS_LIB="$AGENT" sim SIMKFD_GPUS=1 timeout "$(seconds 30)" "$LIFE" restart
}

@test "exit with work in flight: of main, of a thread, of the runtime's own thread, without main" {
	for how in exit exit-thread exit-handler main-thread-exit; do
		same "$LIFE" $how
		grep -q '^status 42$' "$(tmp none)"
		what_ended_is_true
		# What was waited for has ended: the agent has time for that when a process exits.
		[ "$(wc -l <"$(tmp traced)")" -ge 201 ]
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
		rm -f "$(tmp truth)"
		sim SIMKFD_GPUS=1 SIMKFD_TRUTH="$(tmp truth)" "$RTRACE" -t hip,gpu --barriers -f json -o "$(tmp t.json)" -- \
			"$O/workloads/late" $how >"$(tmp out)" 2>"$(tmp err)"
		grep -q '^result PASSED$' "$(tmp out)"
		nothing_lost "$(tmp err)"
		# With _exit() what was launched last never ran.
		judge $([ $how != _exit ] || echo --not-run) "$(tmp truth)" "$(tmp t.json)"
		grep -q "$([ $how = _exit ] && echo ' [0-5]' || echo ' 0') without end" "$(tmp err)"
		# It says what it did before it launches the last.
		[ $how = _exit ] || check_counts "$(tmp out)" "$(tmp t.json)" 'hip(LaunchKernel|Memset|Memcpy|Free)$'
		# What is freed late is not left over.
		jq -e '[.traceEvents[] | select(.name == "alloc" and .args.bytes == 4096 and .args.device == 0) | .args.address] as $ours |
			($ours | length) > 0 and ([.traceEvents[] | select(.name == "free") | .args.address] | contains($ours))' "$(tmp t.json)" >/dev/null
	done
}

@test "a copy that the runtime's own thread waits for, which tells us of the ends of copies" {
	same "$LIFE" handler
	all_is_true
}

@test "the runtime is shut down and started again, also with queues left behind" {
	same "$LIFE" restart
	grep -q '^start 3: 0$' "$(tmp none)" || grep -q '^start 0: 0x1008$' "$(tmp none)"
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
	[ "$(grep '^kernels' "$(tmp none)")" = "kernels elementAdd 825" ]
	all_is_true
	# KiB; 40 in 8,000 queues without the agent. The ring and the list of names are written for the
	# first time: 8000 * (56 + 32 + 2 * 128) bytes, and operations.
	for run in none dormant active; do
		awk '$2 == "memory" { print; if ($5 - $3 > 8000) exit 1 }' "$(tmp $run.out)"
	done
}

# The agent cannot be had, with this reason, and nobody else notices.
switched_off() {
	local why=$1

	shift
	outcome "$(tmp none)" sim SIMKFD_GPUS=1 timeout "$(seconds 60)" "$@"
	outcome "$(tmp dormant)" sim SIMKFD_GPUS=1 HSA_TOOLS_LIB="$AGENT" timeout "$(seconds 60)" "$@"
	outcome "$(tmp active)" sim SIMKFD_GPUS=1 timeout "$(seconds 60)" \
		"$RTRACE" -t gpu -f json -o "$(tmp t.json)" -- "$@"
	grep -q '^result PASSED$' "$(tmp none)"
	diff "$(tmp none)" "$(tmp dormant)"
	diff "$(tmp none)" "$(tmp active)"
	cat "$(tmp dormant.err)"
	[ "$(cat "$(tmp dormant.err)")" = "rtrace-agent: $why" ]
	[ "$(grep 'rtrace-agent:' "$(tmp active.err)")" = "rtrace-agent: $why" ]
}

@test "a sandbox without memfd_create: one line, and the program does what it does" {
	switched_off 'shared memory, rtrace-agent: Operation not permitted' "$O/agent/refuse" 1 "$LIFE" plain
	switched_off 'shared memory, rtrace-agent: Function not implemented' "$O/agent/refuse" 38 "$LIFE" plain
}

@test "a limit for the size of files: one line, and no SIGXFSZ" {
	switched_off 'shared memory, rtrace-agent: File too large' "$LIFE" file-size
}

@test "nobody reads what it says: no SIGPIPE, no waiting" {
	mkfifo "$(tmp gone)" "$(tmp full)"
	exec 5<>"$(tmp gone)" 6>"$(tmp gone)" 5<&- 7<>"$(tmp full)"
	timeout 1 cat /dev/zero >&7 || :
	for reader in 6 7; do
		status=0
		HSA_TOOLS_LIB="$AGENT" sim SIMKFD_GPUS=1 timeout "$(seconds 60)" "$O/agent/refuse" 1 "$LIFE" plain \
			2>&$reader >"$(tmp out)" || status=$?
		echo "status $status"
		[ "$status" = 0 ]
		grep -q '^result PASSED$' "$(tmp out)"
	done
	exec 6>&- 7<&-
}

# will_fail WHAT:N: sets `failing`, to be put before a command; see tests/agent/failing.c.
will_fail() {
	rm -f "$(tmp failed)"
	failing=(env FAILING_LOG="$(tmp failed)" FAILING="$1" FAILING_ERRNO="${ERRNO:-12}"
		LD_PRELOAD="$O/agent/libfailing.so $O/libsimkfd.so")
}

@test "no descriptor, no seal, no mapping, no thread: one line each" {
	for what in memfd truncate seal map; do
		ERRNO=24 will_fail "$what:1"
		switched_off 'shared memory, rtrace-agent: Too many open files' "${failing[@]}" "$LIFE" plain
		[ -s "$(tmp failed)" ]
	done
	will_fail thread:1
	switched_off 'start: Resource temporarily unavailable' "${failing[@]}" "$LIFE" plain
	[ -s "$(tmp failed)" ]
}

# A program runs as it does without agent, with at most one line said, while the agent's allocation N fails,
# and perhaps all after it; for N from 1 until none fails any more.
starved() {
	local n=0 more=$1

	outcome "$(tmp none)" sim SIMKFD_GPUS=1 "${@:2}"
	grep -q '^result PASSED$' "$(tmp none)"
	while ((++n < 500)); do
		will_fail "memory:$n$more"
		outcome "$(tmp starved)" sim SIMKFD_GPUS=1 HSA_TOOLS_LIB="$AGENT" timeout "$(seconds 60)" \
			"${failing[@]}" "${@:2}"
		[ -s "$(tmp failed)" ] || break
		diff "$(tmp none)" "$(tmp starved)" || { echo "allocation $n$more"; return 1; }
		[ "$(grep -c 'rtrace-agent:' "$(tmp starved.err)")" -le 1 ]
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
		rm -f "$(tmp truth)"
		outcome "$(tmp active)" sim SIMKFD_GPUS=1 SIMKFD_TRUTH="$(tmp truth)" timeout "$(seconds 60)" \
			"$RTRACE" -t gpu -f json -o "$(tmp t.json)" -- "${failing[@]}" "$LIFE" plain
		grep -q '^result PASSED$' "$(tmp active)"
		true_ops "$(tmp truth)" >"$(tmp true)"
		traced=$(traced_ops "$(tmp t.json)" | wc -l)
		echo "$which: $traced of $(wc -l <"$(tmp true)")"
		[ "$traced" -le "$(wc -l <"$(tmp true)")" ]
		lost=$(sed -n 's/.*too deep), \([0-9]*\) GPU records.*/\1/p' "$(tmp active.err)")
		[ "$((traced + lost))" = "$(wc -l <"$(tmp true)")" ] ||
			grep -q '1 queues could not be watched' "$(tmp active.err)"
		! traced_ops "$(tmp t.json)" | grep -v '	elementAdd	\|^copy' ||
			grep -Eq 'lost [0-9]+ names' "$(tmp active.err)"
	done
}

# Copies of HIP, HSA and the thunk under names of their own, as wheels of Python bring them; and a library that takes the
# simulated GPU into another namespace of the loader.
make_second_rocm() {
	local name file

	mkdir "$(tmp second)"
	for name in libamdhip64.so.5 libhsa-runtime64.so.1 libhsakmt.so.1; do
		file=$(ldd "$O/workloads/vectoradd" | awk -v name=$name '$1 == name { print $3 }')
		[ -n "$file" ] || skip "this release of ROCm has other names"
		sed 's/libamdhip64[.]so/libamdhip65.so/g; s/libhsa-runtime64[.]so/libhsa-runtime65.so/g; s/libhsakmt[.]so/libhsakmu.so/g' \
			"$file" >"$(tmp second)/$(sed 's/hip64/hip65/; s/runtime64/runtime65/; s/kmt/kmu/' <<<"$name")"
	done
	echo 'int nothing;' | cc -shared -fPIC -x c - -x none -o "$(tmp second)/libboth.so" -Wl,--no-as-needed "$O/libsimkfd.so" -lamdhip64
}

@test "a second HSA runtime in the process: the first is traced, what the second has run is counted as lost" {
	make_second_rocm
	export LD_LIBRARY_PATH=$(tmp second)
	for how in "namespace $(tmp second)/libboth.so" "copy $(tmp second)/libamdhip65.so.5"; do
		rm -f "$(tmp truth)"
		# shellcheck disable=SC2086 # words
		sim SIMKFD_GPUS=1 SIMKFD_TRUTH="$(tmp truth)" "$RTRACE" -t gpu -f json -o "$(tmp t.json)" -- \
			"$O/workloads/two_runtimes" $how >"$(tmp out)" 2>"$(tmp err)"
		cat "$(tmp err)"
		grep -q '^result PASSED$' "$(tmp out)"
		grep -q 'warning: process [0-9]*: has 1 more HSA runtime' "$(tmp err)"
		# A fill is a kernel. There are two simulated GPUs of one name in the first case, so only numbers are compared.
		[ "$(grep -c ' kind=dispatch ' "$(tmp truth)")" = 10 ]
		[ "$(grep -c ' kind=copy ' "$(tmp truth)")" = 20 ]
		[ "$(jq -c '.otherData | [.dispatches, .copies, .lost_dispatches, .lost_copies, .lost_gpu]' "$(tmp t.json)")" = '[5,10,5,10,15]' ]
	done
}

@test "the runtime is unloaded after it was shut down, and loaded again" {
	same "$O/agent/reopen"
	grep -q '^HSA is gone$' "$(tmp none)"
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
		at["kind"] == "dispatch" || at["kind"] == "blit" { print at["begin"] "\t" at["end"] }' "$(tmp truth)" >"$(tmp true)"
	[ "$(awk '$1 == "records" { print $3 }' "$(tmp active)")" -ge "$(awk '$1 == "kernels" { n += $3 } END { print n }' "$(tmp active)")" ]
	awk '$1 == "elapsed" && $2 == "record" && $3 == 0 { print $4 "\t" $5 }' "$(tmp active.out)" >"$(tmp records)"
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
		END { exit bad > 0 }' "$(tmp true)" "$(tmp records)"
}

@test "the agent is named twice, by its job and by the tracer" {
	HSA_TOOLS_LIB="$AGENT $AGENT" outcome "$(tmp twice)" sim SIMKFD_GPUS=1 timeout "$(seconds 60)" "$LIFE" restart
	HSA_TOOLS_LIB="$AGENT" same "$LIFE" restart
	diff "$(tmp none)" "$(tmp twice)"
	all_is_true
}

# What both tools are to see, of which the second one in the list has been loaded last.
two_tools() {
	local kernels copies

	export OTHER_TOOL="$(tmp other)"
	outcome "$(tmp none)" sim SIMKFD_GPUS=1 "$LIFE" restart
	rm -f "$(tmp truth)" "$(tmp other)"
	outcome "$(tmp active)" sim SIMKFD_GPUS=1 SIMKFD_TRUTH="$(tmp truth)" timeout "$(seconds 60)" \
		"$RTRACE" -t gpu -f json -o "$(tmp t.json)" -- env HSA_TOOLS_LIB="$1" "$LIFE" restart
	diff "$(tmp none)" "$(tmp active)"
	kernels=$(awk '$1 == "kernels" {print $3}' "$(tmp none)")
	copies=$(awk '$1 == "copies" {print $3}' "$(tmp none)")
	cat "$(tmp other)"
	[ "$(awk '{ n += $4 } END { print n }' "$(tmp other)")" = "$copies" ]
	grep -q " $copies copies, " "$(tmp active.err)"
	[ -z "${ALL:-}" ] || {
		[ "$(awk '{ n += $2 } END { print n }' "$(tmp other)")" = "$kernels" ]
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
		"$RTRACE" -p "$job" -t gpu -f json -o "$(tmp $i.json)" --duration "$(seconds 0.3)" 2>"$(tmp $i.err)"
	done
	kill -TERM "$job"
	wait "$job"
	grep -q '^result PASSED$' "$(tmp out)"
	[ "$(grep -c 'rtrace-agent:' "$(tmp job.err)")" = 0 ]
	for i in 1 2 3 4 5; do
		nothing_lost "$(tmp $i.err)"
		check_truth_between "$(tmp truth)" "$(tmp $i.json)"
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
	stays_asleep
	"$RTRACE" -p "$job" -t gpu -f json -o "$(tmp t.json)" --duration "$(seconds 0.3)" 2>"$(tmp err)"
	[ "$(traced_ops "$(tmp t.json)" | wc -l)" -gt 20 ]
	sleep "$(seconds 0.5)" # what was under way ends
	stays_asleep
	kill -TERM "$job"
	wait "$job"
	grep -q '^result PASSED$' "$(tmp out)"
}

@test "the ring has the size that is asked for, and what it has no room for is counted" {
	# One MiB: 8192 records, two for each operation. The tracer is kept from reading.
	sim_exec SIMKFD_GPUS=1 SIMKFD_TRUTH="$(tmp truth)" "$RTRACE" --gpu-buffer 1 -t gpu -f json -o "$(tmp t.json)" -- \
		"$O/workloads/storm" -n 20000 >"$(tmp out)" 2>"$(tmp err)" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for test -s "$(tmp truth)"
	kill -STOP "$tracer"
	# Behind the pages of the agent are 2 MiB of operations under way, 64 MiB of names, the ring, and 75 MiB
	# for calls.
	read -r begin end < <(sed -n 's/^\([^-]*\)-\([^ ]*\) .*memfd:rtrace-agent.*/\1 \2/p' \
		"/proc/$(tr -d ' ' <"/proc/$tracer/task/$tracer/children")/maps")
	[ $(((0x$end - 0x$begin - 12288) >> 20)) = $((2 + 64 + 1 + 75)) ]
	wait_for grep -q '^result PASSED$' "$(tmp out)"
	kill -CONT "$tracer"
	wait "$tracer"
	seen=$(sed -n 's/.* \([0-9]*\) dispatches, .* ranges,.*/\1/p' "$(tmp err)")
	lost=$(sed -n 's/.*lost GPU records: \([0-9]*\) dispatches.*/\1/p' "$(tmp err)")
	[ "$lost" -gt 1000 ]
	[ $((seen + lost)) = "$(grep -c ' kind=dispatch ' "$(tmp truth)")" ]
}

# What a checker says of us has a function of ours among its lines.
says_nothing_of_us() {
	not grep -B 20 -A 20 -E '(hsa_agent|inprocess)/|librtrace-agent' "$@"
}

# Whether the doorbell comes before or after must make no difference.
@test "packets that are written before a tracer comes or goes, and rung for after" {
	sim_exec SIMKFD_GPUS=1 HSA_TOOLS_LIB="$AGENT" timeout 60 "$O/workloads/hsa_producers" -m held -n 4 >"$(tmp out)" 2>&1 &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^held 1$' "$(tmp out)"
	pid=$(pgrep -P "$job")
	"$RTRACE" -p "$pid" -t gpu -f json -o "$(tmp t.json)" 2>"$(tmp err)" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q 'and GPU times' "$(tmp err)"
	sleep 0.3
	kill -USR1 "$pid"
	wait_for grep -q '^held 2$' "$(tmp out)"
	kill -USR1 "$pid"
	wait_for grep -q '^held 3$' "$(tmp out)"
	kill -INT "$tracer"
	wait "$tracer"
	kill -USR1 "$pid"
	wait_for grep -q '^held 4$' "$(tmp out)"
	kill -USR1 "$pid"
	wait "$job"
	grep -q '^result PASSED$' "$(tmp out)"
	# Those of the second round, which were written and rung for while it was there.
	[ "$(traced_ops "$(tmp t.json)" | grep -c ^dispatch)" = 2 ]
	# Those of the first could not be recorded any more; they were rung for at once, which counts once.
	grep -q ', 1 GPU records,' "$(tmp err)"
}

# bats test_tags=slow
@test "valgrind: no use of memory that is not ours to use, dormant and recording" {
	for how in "" RTRACE_AGENT=active; do
		for program in "hsa_dispatch -n 50" "hsa_producers"; do
			echo "$how $program"
			# shellcheck disable=SC2086 # words
			sim SIMKFD_GPUS=1 HSA_TOOLS_LIB="$AGENT" $how valgrind --log-file="$(tmp valgrind)" \
				"$O/workloads/"$program >"$(tmp out)"
			grep -q '^result PASSED$' "$(tmp out)"
			grep -q 'ERROR SUMMARY' "$(tmp valgrind)"
			says_nothing_of_us "$(tmp valgrind)"
		done
	done
}

# The application and the runtime are not built for it, and what it says of them may be wrong; that it says
# something shows that it is at work.
# bats test_tags=slow,tsan
@test "ThreadSanitizer: no data race of ours, while tracers come and go" {
	local tsan

	nm -D "$O/tsan/librtrace-agent.so" | grep -q __tsan_write
	tsan=$(realpath "$(gcc -print-file-name=libtsan.so)")
	sim_exec LD_PRELOAD="$tsan $O/libsimkfd.so" TSAN_OPTIONS="log_path=$(tmp tsan) exitcode=0" SIMKFD_GPUS=2 \
		HSA_TOOLS_LIB="$O/tsan/librtrace-agent.so" setarch -R "$O/workloads/storm" -g 2 -t 4 -s 4 -n 100000 \
		>"$(tmp out)" 2>"$(tmp job.err)" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q librtrace-agent "/proc/$job/maps"
	touch "$(tmp ops)"
	# On a busy machine a tracer may be gone before the agent has heard of it.
	for ((i = 0; i < 5 || (i < 20 && $(wc -l <"$(tmp ops)") <= 100); i++)); do
		"$RTRACE" -p "$job" -t gpu -f json -o "$(tmp t.json)" --duration 0.3 2>"$(tmp err)" || break
		traced_ops "$(tmp t.json)" >>"$(tmp ops)"
		sleep 0.1
	done
	cat "$(tmp err)"
	[ "$(wc -l <"$(tmp ops)")" -gt 100 ]
	wait "$job"
	grep -q '^result PASSED$' "$(tmp out)"
	grep -q 'data race' "$(tmp tsan)".*
	says_nothing_of_us "$(tmp tsan)".*
}
