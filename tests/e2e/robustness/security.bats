#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What the tracer may still do while it traces, and what others may not. What hostile processes write is for
# scripts/fuzz and tests/unit/tracer/test_agent_view.c; what is refused to the tracer for tests/unit/tracer/test_privileges.c.

load ../common
load ../gpu
load ../node

AGENT=$O/librtrace-agent.so
NOBODY=(setpriv --reuid 65534 --regid 65534 --clear-groups)
ALWAYS=(BPF PERFMON SYS_PTRACE CHECKPOINT_RESTORE DAC_OVERRIDE KILL)
# Debian's and Ubuntu's kernels want more for events than Linux does.
if [[ $(uname -v) =~ Debian|Ubuntu ]] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ]; then
	ALWAYS+=(SYS_ADMIN)
fi

setup() {
	unset SUDO_UID SUDO_GID
	chmod o+x "$BATS_RUN_TMPDIR" "$T"
}

teardown() {
	end_jobs
}

# bits NAME...: of these capabilities, as far as we have them ourselves, as a status file has them
bits() {
	local name set=0 own

	own=$(awk '/^CapPrm:/ { print $2 }' /proc/self/status)
	for name; do
		set=$((set | 1 << $(awk -v name="CAP_$name" '$1 == "#define" && $2 == name { print $3 }' /usr/include/linux/capability.h)))
	done
	printf '%016x\n' $((set & 0x$own))
}

# has_just PID NAME...: each thread of the process has these capabilities and gets no others
has_just() {
	local want thread status

	want=$(bits "${@:2}")
	for thread in /proc/"$1"/task/*; do
		status=$(cat "$thread/status" 2>/dev/null) || continue # it has just ended
		awk -v want="$want" -v thread="$thread" '
			/^Cap(Prm|Eff|Bnd):/ && $2 "" != want "" || /^Cap(Inh|Amb):/ && $2 !~ /^0*$/ || /^NoNewPrivs:/ && $2 != 1 ||
				/^Seccomp:/ && $2 != 2 { print thread ": " $0 ", wanted " want; bad = 1 }
			/^(Cap|NoNewPrivs|Seccomp:)/ { n++ }
			END { exit bad || n != 7 }' <<<"$status"
	done
}

# A process that makes no call until it gets SIGUSR1.
start_edges() {
	fresh out
	"$O/capture/edges" go "$1" >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q ready "$T/out"
}

stop_tracer() {
	kill -INT "$tracer"
	wait "$tracer"
}

# bats test_tags=node
@test "capabilities: while it traces it has those that it goes on to need, in all its threads" {
	start_edges 1
	start_tracing "$RTRACE" -p "$job" -f rtrace -o "$T/t"
	# One of them writes the recording.
	[ "$(find "/proc/$tracer/task" -maxdepth 1 -name '[0-9]*' | wc -l)" -ge 2 ]
	has_just "$tracer" "${ALWAYS[@]}"
	stop_tracer
	start_tracing "$RTRACE" -a --metrics 127.0.0.1:0
	has_just "$tracer" "${ALWAYS[@]}" NET_BIND_SERVICE
	stop_tracer
	start_tracing env SUDO_UID=65534 SUDO_GID=65534 "$RTRACE" -p "$job" -f rtrace -o "$T/t"
	has_just "$tracer" "${ALWAYS[@]}" CHOWN FOWNER
	stop_tracer
}

paranoid() {
	fresh t.json
	start_edges 10
	start_tracing env LD_PRELOAD="$O/capture/oldkernel.so" OLDKERNEL=paranoid "$RTRACE" --attach "$1" -p "$job" -f json -o "$T/t.json"
	has_just "$tracer" "${ALWAYS[@]}" SYS_ADMIN
	kill -USR1 "$job"
	wait "$tracer"
	[ "$(count "$T/t.json" hipTestPlain)" = 10 ]
}

@test "capabilities: a kernel that wants CAP_SYS_ADMIN for events" {
	in_every_mode paranoid
}

@test "capabilities: a command has what its user has, and its tracer has not" {
	grep -E '^(Cap|NoNewPrivs|Seccomp)' /proc/self/status >"$T/own"
	# shellcheck disable=SC2016 # for the inner shell
	"$RTRACE" -f text -o /dev/null -- sh -c 'grep -E "^(Cap|NoNewPrivs|Seccomp)" /proc/self/status >"$1"; exec "$2" go 1' \
		sh "$T/status" "$O/capture/edges" >"$T/out" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q ready "$T/out"
	diff "$T/own" "$T/status"
	has_just "$tracer" "${ALWAYS[@]}"
	kill -USR1 "$(awk '/^ready/ { print $2 }' "$T/out")"
	wait "$tracer"
}

# later MODE: the job of another user comes when the tracer has given up what it does not need.
later() {
	fresh out job.err go err t.json t.text
	rm -rf "$T/u"
	start_node_tracer --attach "$1"
	has_just "$tracer" "${ALWAYS[@]}"
	start_private_job
	wait_for grep -q "attach: .*$T/u/libamdhip64.*, all processes" "$T/err"
	wait_for grep -q "agent: process $job: recording" "$T/err"
	go
	wait "$job"
	stop_node_tracer
	# What it did to get ready is traced as well.
	only "$job" | jq -c --argjson at "$(cat "$T/go.at")" \
		'.traceEvents |= map(select(.ph != "X" or .ts * 1000 >= $at))' >"$T/job.json"
	json_trace "$T/job.json" causes "counts=$T/out"
	truth_since_go "$T/u/truth"
	JUDGE=--one-process check_truth "$T/truth.go" "$T/job.json"
}

# bats test_tags=node
@test "-a: a job of another user that comes later, with a library that only that user may read, is traced whole" {
	in_every_mode later
}

@test "-- CMD: a process that is another user's by then, in a session of its own, is not held for ever" {
	copy_capture new
	chmod -R o+rX "$T/new"
	timeout "$(seconds 150)" "$RTRACE" -f text -o "$T/t" -- setsid --wait "${NOBODY[@]}" "$T/new/edges" plain 10 >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	[ "$(grep -c hipTestPlain "$T/t")" = 10 ]
}

@test "behind sudo, in a folder that is the user's alone: what is written later is the user's, too" {
	mkdir -m 700 "$T/u"
	chown 65534:65533 "$T/u"
	sim SUDO_UID=65534 SUDO_GID=65533 "$RTRACE" --rotate 64K -f rtrace -o "$T/u/t.rtrace" -- \
		"$O/workloads/storm" -n 8000 >"$T/out" 2>"$T/err"
	[ -e "$T/u/t.1.rtrace" ]
	sim SUDO_UID=65534 SUDO_GID=65533 "$RTRACE" --per-process -f otf2 -o "$T/u/o" -- \
		sh -c "'$O/workloads/vectoradd'" >"$T/out" 2>"$T/err"
	cat "$T/err"
	[ "$(find "$T/u" -mindepth 1 -type d -name 'o.*' | wc -l)" -ge 1 ]
	[ "$(find "$T/u" -printf '%U:%G\n' | sort -u)" = 65534:65533 ]
	[ "$(find "$T/u" -type f -printf '%m\n' | sort -u)" = 600 ]
	[ "$(find "$T/u" -type d -printf '%m\n' | sort -u)" = 700 ]
}

# refuses COMMAND...: to another user, not to us.
refuses() {
	"$@" >/dev/null
	not "${NOBODY[@]}" "$@" >"$T/refused" 2>&1
	cat "$T/refused"
	grep -Eq 'Permission denied|Operation not permitted' "$T/refused"
}

@test "outputs of every format are their owner's alone, whatever the umask is" {
	umask 0
	mkdir "$T/d"
	# shellcheck disable=SC2046 # words
	sim "$RTRACE" $(printf -- '-f %s ' rtrace json pftrace html csv rocpd otf2 roctracer folded stats text) -o "$T/d/t" -- \
		"$O/workloads/vectoradd" >"$T/out" 2>"$T/err"
	find "$T/d" -mindepth 1 -printf '%y %m %p\n' >"$T/modes"
	cat "$T/err" "$T/modes"
	[ "$(wc -l <"$T/modes")" -ge 11 ]
	# What lies in a folder that nobody else may enter may have any mode.
	not grep -Ev '^f 600 |^d 700 |/t[^/]*/' "$T/modes"
	refuses cat "$T/d/t.rtrace"
	refuses cat "$T/d/t.json"
	refuses ls "$T/d/t.otf2"
}

# range PID: where the memory is mapped that it shares with its tracer
range() {
	awk '/memfd:rtrace-agent/ { print $1; exit }' "/proc/$1/maps"
}

@test "the memory that a job shares with its tracer, and the tracer itself, are out of reach of other users" {
	start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -d 1000
	start_tracing "$RTRACE" -p "$job" -f rtrace -o "$T/t"
	[ "$(stat -L -c '%a %u' "/proc/$job/map_files/$(range "$job")")" = "600 0" ]
	refuses dd if="/proc/$job/map_files/$(range "$job")" of=/dev/null bs=1 count=1
	refuses dd if="/proc/$tracer/map_files/$(range "$tracer")" of=/dev/null bs=1 count=1
	refuses ls "/proc/$tracer/fd/"
	refuses cat "/proc/$tracer/maps"
	stop_tracer
	kill -TERM "$job"
	wait "$job"
}
