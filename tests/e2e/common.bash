# SPDX-License-Identifier: MIT
# What the end-to-end tests share. They run as root, on the simulated GPU, under real uprobes.

E2E=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd) # this folder
O=$(realpath -m "${O:-build}")
RTRACE=$(realpath -ms "${RTRACE:-$O/rtrace-bpf}")
T=${BATS_TEST_TMPDIR:-${BATS_FILE_TMPDIR:-}} # the folder of this test alone; in setup_file, of the suite
JOBS_STARTED=()
# HIP compiles its own kernels once a build, and not in every process: tests/comgr.
export LD_LIBRARY_PATH=$O/comgr${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

# not COMMAND...: fails if it succeeds. (So does !, but a test goes on after it.)
not() {
	! "$@"
}

# Environment of a process that uses the simulated GPU: `sim [NAME=VALUE...] COMMAND...`
sim() {
	env LD_PRELOAD="$O/libsimkfd.so" SIMKFD_KERNEL_LIB="$O/workloads/libkernels.so" "$@"
}

# The same in place of the background shell that it runs in, so that $! is the process itself.
sim_exec() {
	exec env LD_PRELOAD="$O/libsimkfd.so" SIMKFD_KERNEL_LIB="$O/workloads/libkernels.so" "$@"
}

# fails STATUS PATTERN COMMAND...: the status, exactly one line of ours, and that it says this.
fails() {
	local want=$1 pattern=$2 status=0

	shift 2
	# argp adds a line that points to --help, and is not to wrap it.
	ARGP_HELP_FMT=rmargin=200 "$@" >"$T/out" 2>"$T/err" || status=$?
	cat "$T/err"
	[ "$status" = "$want" ]
	[ "$(grep -cv '^Try ' "$T/err")" = 1 ]
	grep -qE -e "$pattern" "$T/err"
	[ ! -s "$T/out" ]
}

# inconclusive WHY: the test cannot be judged. If it does not succeed it is run once more by scripts/check.
inconclusive() {
	echo "# inconclusive: $*" >&3
	return 1
}

# nothing_lost FILE [WHAT]: by its closing lines the tracer has lost no call and no record, and nothing of WHAT is
# incomplete. A loss that it has counted is no fault of what it recorded.
nothing_lost() {
	grep '^rtrace-bpf: recorded ' "$1"
	! grep -E '^rtrace-bpf: lost [0-9]+ (calls|GPU records|other records)' "$1" || inconclusive "$(grep ': lost ' "$1")"
	[ -z "${2:-}" ] || is_complete "$1" "$2"
}

# is_complete FILE WHAT: by the closing lines; WHAT is a pattern: 'GPU operations', 'uncorrelated', 'calls unfinished'
is_complete() {
	grep '^rtrace-bpf: recorded ' "$1"
	not grep "^rtrace-bpf: incomplete: .*$2" "$1"
}

# lost_of WHAT FILE: how many the closing lines say are lost: 'calls (ring full)', 'calls (nested too deep)', 'GPU records',
# 'other records'
lost_of() {
	sed -n "s/^rtrace-bpf: lost \([0-9]*\) $1.*/\1/p" "$2" | grep . || echo 0
}

# judge [OPTION...] TRUTH TRACE: every operation of the truth log is in the trace or counted as lost, and nothing else.
# The options are those of tests/judge.py; JUDGE has more of them. To be used after each traced run of a workload that uses a GPU.
judge() {
	# shellcheck disable=SC2086 # several options
	python3 "$E2E/../judge.py" ${JUDGE:-} "$@"
}

# json_trace [OPTION...] TRACE WHAT...: what a JSON trace holds, or whether it is right: tests/e2e/json_trace.py.
json_trace() {
	python3 "$E2E/json_trace.py" "$@"
}

# The calls in a JSON trace, one a line: NAME CORR PARENT FLAGS PID TID BEGIN END (ns)
calls() {
	json_trace "$1" calls
}

# How many calls of the function are in the trace.
count() {
	calls "$1" | awk -v name="$2" '$1 == name' | wc -l
}

# The modes of attaching that this kernel has, the best one first.
attach_modes() {
	local major minor version

	IFS=.- read -r major minor _ < <(uname -r)
	version=$((major * 1000 + minor))
	[ "$version" -lt 6013 ] || echo session
	[ "$version" -lt 6006 ] || echo multi
	echo tracefs
}

# For a test that traces the whole machine with GPU times: another recorder of it, which is not of these tests, may have
# the agents first.
needs_to_be_alone() {
	local pid

	for pid in $(pgrep -x rtrace-bpf); do
		tr '\0' '\n' <"/proc/$pid/cmdline" 2>/dev/null | grep -qxE -- '-a|--all' || continue
		tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -q '^BATS_' || skip "process $pid traces the whole machine"
	done
}

# For a test that is about one mode.
needs_mode() {
	attach_modes | grep -qx "$1" || skip "this kernel has no mode $1"
}

# That number of seconds times RT_PATIENCE, for what is to happen in some time.
seconds() {
	awk -v n="$1" -v patience="${RT_PATIENCE:-1}" 'BEGIN { print n * patience }'
}

# Waits until the command succeeds, at most 120 s times RT_PATIENCE, which is for slow machines.
wait_for() {
	local end=$((SECONDS + 120 * ${RT_PATIENCE:-1}))

	until "$@" >/dev/null 2>&1; do
		if [ $SECONDS -ge $end ]; then
			inconclusive "gave up waiting for: $*; load $(cat /proc/loadavg)"
			return 1
		fi
		sleep 0.05
	done
}

# fresh FILE...: files of this test that are about to be written again and waited for. A program in the
# background empties its file only when it starts: what stands in it from before is not to be waited for.
fresh() {
	local file

	for file; do
		rm -f "$T/$file"
	done
}

# start_tracing COMMAND...: in the background, as $tracer, what it says in err; returns when calls are captured
start_tracing() {
	fresh err
	"$@" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for eval 'grep -q "API calls" "$T/err" || ! kill -0 "$tracer"'
	grep 'API calls' "$T/err" || { cat "$T/err" && return 1; }
}

# has_found PID...: waits until the tracer, of the node, has named them in T/err
has_found() {
	local pid

	for pid; do
		wait_for grep -q "process $pid (.*API calls" "$T/err"
	done
}

# trace_until LEAST PATTERN NAME OPTION...: a tracer that is interrupted when NAME.text has LEAST lines like the pattern.
# The same is in NAME.json, and what it has said in NAME.err.
trace_until() {
	local least=$1 pattern=$2 name=$3

	shift 3
	fresh "$name.text"
	"$RTRACE" -f json -f text -o "$T/$name" "$@" 2>"$T/$name.err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	seen() { has_lines "$least" "$pattern" "$T/$name.text"; }
	wait_for eval 'seen || ! kill -0 "$tracer"'
	kill -INT "$tracer" 2>/dev/null || :
	wait "$tracer" && seen
}

has_lines() { # LEAST PATTERN FILE
	[ "$(grep -cE -e "$2" "$3")" -ge "$1" ]
}

# How trace_until knows an operation of a GPU.
export GPU_LINE=' gpu [0-9]+ .* ← '

# Puts the test into a control group of its own, and with it all that it starts. Where no group can be made, only what is
# in JOBS_STARTED is ended with the test.
enter_group() {
	local root path

	root=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
	path=$(sed -n 's/^0:://p' /proc/self/cgroup)
	BEFORE_GROUP=$root${path%/}
	TEST_GROUP=$BEFORE_GROUP/rtrace-test-$$
	[ -n "$root" ] && mkdir "$TEST_GROUP" 2>/dev/null && [ -e "$TEST_GROUP/cgroup.kill" ] &&
		echo $$ 2>/dev/null >"$TEST_GROUP/cgroup.procs" || TEST_GROUP=
}

# Of a test that has failed, for the reader of its report: the files that are not large, in RT_KEEP/SUITE/TEST.N.
keep_files() {
	local suite n=1 to

	suite=$(basename "$BATS_TEST_FILENAME" .bats)
	to=$RT_KEEP/$suite/${BATS_TEST_NAME:0:200}
	while [ -e "$to.$n" ]; do
		n=$((n + 1))
	done
	mkdir -p "$to.$n"
	(cd "$BATS_TEST_TMPDIR" && find . -type f -size -4M -exec cp --parents -t "$to.$n" {} +)
	echo "its files are in $to.$n"
}

# Ends what a test has started, as it may itself do before it goes on.
end_processes() {
	local pid

	for pid in "${JOBS_STARTED[@]}"; do
		kill -KILL "$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
	done
	[ -n "${TEST_GROUP:-}" ] || return 0
	echo $$ >"$BEFORE_GROUP/cgroup.procs"
	echo 1 >"$TEST_GROUP/cgroup.kill"
	wait_for rmdir "$TEST_GROUP"
	TEST_GROUP=
}

# The end of a test.
end_jobs() {
	[ -z "${RT_KEEP:-}" ] || [ -n "${BATS_TEST_COMPLETED:-}${BATS_TEST_SKIPPED:-}" ] || keep_files
	end_processes
}

# What a suite does that has nothing else to do.
teardown() {
	end_jobs
}

[ -z "${BATS_TEST_NUMBER:-}" ] || enter_group

# on_one_cpu COMMAND...: in place of the shell that it runs in. All its calls are in one CPU's ring.
on_one_cpu() {
	exec taskset -c "$(taskset -pc $BASHPID | sed 's/.*: \([0-9]*\).*/\1/')" "$@"
}

# overflow_a_ring OPTION...: records 30000 calls of a job, `$T/err`, most of which find no room: a ring holds
# 1 MiB / 136 bytes = 7710 calls, and stopped, the tracer drains nothing. Sets stopped (ns of CLOCK_BOOTTIME) and lost, > 0.
overflow_a_ring() {
	on_one_cpu "$O/capture/edges" go 30000 >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q ready "$T/out"
	start_tracing "$RTRACE" --buffer 1 -p "$job" "$@"
	kill -STOP "$tracer"
	# shellcheck disable=SC2034 # for the caller
	stopped=$(awk '{ printf "%.0f\n", $1 * 1e9 }' /proc/uptime)
	kill -USR1 "$job"
	wait "$job"
	kill -CONT "$tracer"
	wait "$tracer"
	lost=$(lost_of 'calls (ring full)' "$T/err")
	[ "$lost" -gt 0 ]
}

# The only child of a process.
child_of() {
	tr -d ' ' <"/proc/$1/task/$1/children"
}

# Runs `COMMAND... MODE` for each way of attaching that this kernel has.
in_every_mode() {
	local mode

	for mode in $(attach_modes); do
		echo "mode $mode"
		"$@" "$mode"
	done
}
