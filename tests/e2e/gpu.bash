# SPDX-License-Identifier: MIT
# A job with GPU operations, and how its trace compares with the simulator's truth log and with its calls.

# The agent of $job records for that tracer, by what `ps` says.
is_recorded_for() {
	"$RTRACE" ps | grep "^ *$job " | grep -q " recording for $1"
}

# Starts the long-running job; its GPU work and counted calls begin when `go` is called.
start_job() {
	fresh out job.err
	sim_exec SIMKFD_TRUTH="$T/truth" SIMKFD_DRIFT_PPM=200 "$@" --go "$T/go" \
		>"$T/out" 2>"$T/job.err" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/out"
}

# A job of another user, whose HIP only that user may read.
start_private_job() {
	local hip

	hip=$(ldd "$O/workloads/job" | awk '/libamdhip64/ { print $3 }')
	chmod o+x "$BATS_RUN_TMPDIR" "$T"
	mkdir -m 700 "$T/u"
	cp -L "$hip" "$T/u/"
	chown -R 12345:12345 "$T/u"
	setpriv --reuid 12345 --regid 12345 --clear-groups env LD_PRELOAD="$O/libsimkfd.so" \
		SIMKFD_KERNEL_LIB="$O/workloads/libkernels.so" SIMKFD_TRUTH="$T/u/truth" LD_LIBRARY_PATH="$T/u" \
		HSA_TOOLS_LIB="$O/librtrace-agent.so" "$O/workloads/job" --go "$T/go" -n 30 -t 2 >"$T/out" 2>"$T/job.err" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/out"
	grep -q "$T/u/libamdhip64" "/proc/$job/maps"
}

go() {
	awk '{printf "%.0f\n", $1 * 1e9}' /proc/uptime >"$T/go.at"
	touch "$T/go"
}

# Has the GPU run that many operations?
has_run() {
	[ "$(wc -l <"$T/truth")" -ge "$1" ]
}

# truth_since_go TRUTH: the truth log from go on, as truth.go; without the end of a line that a process was writing when it
# was killed.
truth_since_go() {
	head -n "$(wc -l <"$1")" "$1" | awk -v at="$(cat "$T/go.at")" '{ for (i = 1; i <= NF; i++) if ($i ~ /^begin=/) b = substr($i, 7)
		if (b + 0 >= at + 0) print }' >"$T/truth.go"
}

# check_truth_between TRUTH TRACE: of the truth log what lies between the first and the last operation of the
# trace, of a program that does one thing after the other. LEAST: the number that there must be, and one more.
check_truth_between() {
	traced_ops "$2" >"$T/traced"
	cut -f5 "$T/traced" | sort -n | sed -n '1p;$p' >"$T/edges"
	awk -v edges="$(tr '\n' ' ' <"$T/edges")" 'BEGIN { split(edges, at, " ") }
		{ for (i = 1; i <= NF; i++) if ($i ~ /^begin=/) b = substr($i, 7) + 0
		  if (b >= at[1] - 1000 && b <= at[2] + 1000) print }' "$1" >"$T/truth.part"
	check_truth "$T/truth.part" "$2"
	[ "$(wc -l <"$T/traced")" -gt "${LEAST:-20}" ]
}

# The trace's operations, one a line: KIND DEVICE NAME BYTES BEGIN END (ns; names with _ for blanks)
traced_ops() {
	json_trace "$1" ops
}

# The same from the truth log.
true_ops() {
	python3 "$E2E/../truth.py" ops "$1"
}

# Has HIP ended the program, which is to be run again then? Where HIP 5.2 takes times, a thread of HSA's may tell it of the
# last work of a stream that another thread is destroying: the signal that it reads then is gone, which HSA asserts.
# With HIP_FORCE_QUEUE_PROFILING=1 and no tool some runs of `streams` in a thousand end so, too.
hip_ended_it() {
	grep -h 'hsa_signal_load_relaxed.*IsValid(signal)' "$T"/*err || return 1
	# shellcheck disable=SC2115 # the folder's name is never empty
	inconclusive "HIP's own assertion has ended the program" || rm -rf "$T/truth" "$T/files"/*
}

# same_dispatches RAN TOLD NAMELESS: as many lines `BEGIN END NAME` in both files. Each of TOLD ran, within 1 us, by that
# name, or is there as NAMELESS. (Of two GPUs what is the first by one clock may not be by another.)
same_dispatches() {
	[ "$(wc -l <"$1")" = "$(wc -l <"$2")" ] && awk -v ran="$1" -v nameless="$3" '
		function apart(a, b) { return a > b ? a - b : b - a }
		FILENAME == ran { begin[++n] = $1; end[n] = $2; name[n] = $3; next }
		{
			for (i = 1; i <= n; i++)
				if (!used[i] && apart(begin[i], $1) <= 1000 && apart(end[i], $2) <= 1000 && ($3 == name[i] || $3 == nameless))
					break
			if (i > n && ++bad <= 5) print "never ran: " $0
			used[i] = 1
		}
		END { exit bad > 0 }' "$1" "$2"
}

# Every operation of the truth log is in the trace exactly once, with its name, device, bytes, and
# times within 1 us.
check_truth() {
	judge --whole "$@" || {
		[ ! -e "$T/err" ] || tail -n 5 "$T/err"
		return 1
	}
}

# Has any call of our libraries failed, by what libreplaced.so has written? See tests/agent/replaced.c.
has_failed() {
	awk '$3 > 0 { n++ } END { exit !n }' "$T/replaced"
}

# what_lacks_is_said TRUTH TRACE ERR: operations that are not in the trace are counted in what the tracer said, or the agent
# said why it is off, or could not watch a queue; and so are names.
what_lacks_is_said() {
	local true traced lost

	true=$(true_ops "$1" | wc -l)
	traced=$(traced_ops "$2" | wc -l)
	lost=$(lost_of 'GPU records' "$3")
	echo "$traced of $true operations, $lost lost"
	[ "$traced" -le "$true" ]
	[ "$((traced + lost))" = "$true" ] || grep -Eq '^rtrace-agent: |[0-9]+ queues could not be watched' "$3"
	! traced_ops "$2" | grep -v '	elementAdd	\|^copy' || grep -Eq 'lost [0-9]+ names' "$3"
}

# check_counts OUT TRACE [FUNCTIONS]: what the workload (and its children) printed as "calls NAME N" is in the trace,
# function by function: the calls that the application made itself. What is called in a call is the runtime's doing, and
# differs from release to release. FUNCTIONS: only those that match.
check_counts() {
	json_trace ${3:+--functions "$3"} "$2" "counts=$1"
}

# outcome FILE COMMAND...: what a program prints, but for times, and its exit status.
outcome() {
	local file=$1 status=0

	shift
	"$@" >"$file.out" 2>"$file.err" || status=$?
	grep -v '^elapsed' "$file.out" >"$file"
	echo "status $status" >>"$file"
}
