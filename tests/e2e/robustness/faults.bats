#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What goes wrong around the tracer: what its user sees of it (one line, the status, what is in the trace), and that the
# job goes on and nothing of the tracer is left. In other suites:
#   kill -9 of the tracer, of the job                     attach, capture_agent, recording, rocpd, limits, storm
#   kill -9 of either at random moments                   attach (a tracer of commands), capture_agent, storm
#   no memory left (the kernel kills the tracer then)     as kill -9; agent: in the job, whichever allocation fails
#   the tracer stopped, and let go on                     attach, capture, storm, perfetto, metrics
#   a disk that is full from the beginning                errors, and each format's own
#   a limit for the size of files                         rocpd, agent (of a job)
#   a job in a sandbox, without descriptors               agent
#   a thousand processes come and go                      node
#   a kernel without bpf(), without uprobes               errors
#   a capability that is missing                          errors, install
#   a recording that is cut off, or broken                recording, report, fuzz
#   clocks of the GPU that drift, are set, or stop        storm, tests/unit/tracer/test_agent_view.c

load ../common
load ../gpu
load ../node

AGENT=$O/librtrace-agent.so
BPFTOOL=$(command -v bpftool || echo /usr/sbin/bpftool)

setup() {
	newest=$(programs | tail -n 1)
}

teardown() {
	end_jobs
	remove_groups
}

# The numbers of the BPF programs of the kind that the tracer has.
programs() {
	"$BPFTOOL" -j prog show | jq '.[] | select(.type | IN("kprobe", "tracing", "tracepoint", "raw_tracepoint")) | .id' | sort -n
}

# Those that tracers of other tests hold.
programs_of_others() {
	local pid

	for pid in $(pgrep -x 'rtrace-bpf|observer'); do
		grep -qzxF "BATS_TEST_TMPDIR=$BATS_TEST_TMPDIR" "/proc/$pid/environ" ||
			sed -n 's/^prog_id:[[:space:]]*//p' "/proc/$pid"/fdinfo/*
	done 2>/dev/null
}

no_programs() {
	local found

	found=$(programs)
	! awk -v newest="${newest:-0}" '$1 > newest' <<<"$found" | grep -vxFf <(programs_of_others)
}

# Events of tracers that have ended.
left_events() {
	local group

	grep -o 'rtrace_[0-9]*' /sys/kernel/tracing/uprobe_events | sort -u | while read -r group; do
		[ -e "/proc/${group#rtrace_}" ] || echo "$group"
	done
}

# Neither programs, which links would hold, nor events.
nothing_is_left() {
	wait_for no_programs
	[ -z "$(left_events)" ]
}

# ends_with STATUS: the tracer does, by itself or when it is asked to
ends_with() {
	local status=0

	wait "$tracer" || status=$?
	cat "$T/err"
	[ "$status" = "$1" ]
}

# The job has come to a good end, and has never stopped to do so.
job_is_well() {
	kill -0 "$job"
	kill -TERM "$job"
	wait "$job"
	grep -q '^result PASSED$' "$T/out"
}

# says PATTERN: in just one line among those about outputs
says() {
	grep -E "$1" "$T/err"
	[ "$(grep -c '^rtrace-bpf: output: ' "$T/err")" = 1 ]
}

# with_disk OPTIONS COMMAND...: with a file system of its own at the folder `disk`. What is in that at the end is left
# in the folder `saved`.
with_disk() {
	mkdir -p "$T/disk" "$T/saved"
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount --propagation private sh -c '
		mount -t tmpfs -o "$1" none "$2" || exit 99
		disk=$2 saved=$3; shift 3
		"$@" & tracer=$!
		echo "$tracer" >"$saved/pid"
		wait "$tracer"; status=$?
		cp -r "$disk/." "$saved/"; exit "$status"' sh "$1" "$T/disk" "$T/saved" "${@:2}"
}

needs_mounts() {
	unshare --mount --propagation private true 2>"$T/unshare" || skip "no mounts of one's own here: $(cat "$T/unshare")"
}

@test "a file system that is read-only" {
	needs_mounts
	for format in rtrace json csv rocpd otf2 roctracer; do
		fails 1 'output: .*/x[^ ]*: Read-only file system' with_disk ro "$RTRACE" -f "$format" -o "$T/disk/x" -- true
	done
	fails 1 '^rtrace-bpf: -d: .*: Read-only file system' with_disk ro "$RTRACE" -f rtrace -d "$T/disk/x" -- true
	nothing_is_left
}

@test "an output that is removed while it is written: said at once, and the others are whole" {
	for format in rtrace json; do
		fresh truth
		start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -d 1000 -t 2
		start_tracing "$RTRACE" -p "$job" -f "$format" -f text -o "$T/t"
		go
		wait_for has_lines 20 "$GPU_LINE" "$T/t.text"
		rm "$T/t.$format"
		wait_for grep -q "output: write .*/t.$format: it was removed" "$T/err"
		kill -0 "$tracer"
		wait_for has_lines $(($(wc -l <"$T/t.text") + 100)) . "$T/t.text"
		kill -INT "$tracer"
		ends_with 1
		says 'it was removed'
		[ ! -e "$T/t.$format" ]
		grep -q "wrote $T/t.text (text)" "$T/err"
		[ "$(grep -Ec '^ *-?[0-9.]+ [0-9/]+ +[A-Za-z_0-9]+\(' "$T/t.text")" = "$(sed -n 's/.*recorded \([0-9]*\) calls.*/\1/p' "$T/err")" ]
		job_is_well
	done
	nothing_is_left
}

# full FORMAT SIZE OPTION...: what there was to write was more, so the disk has got full.
full() {
	fresh go out err pid
	rm -rf "$T/saved"
	start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -d 200 -t 2
	with_disk "size=$2" "$RTRACE" -p "$job" -f "$1" -o "$T/disk/t.$1" "${@:3}" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q 'API calls' "$T/err"
	go
	wait_for grep -q "output: write .*/t.$1[^ ]*: No space left on device" "$T/err"
	kill -0 "$(cat "$T/saved/pid")"
	kill -INT "$(cat "$T/saved/pid")"
	ends_with 1
	says 'No space left on device'
	job_is_well
}

@test "a disk that gets full while it is written to: said at once; a recording is good up to there" {
	needs_mounts
	for format in json pftrace text csv; do
		full "$format" 200k
	done
	# It is written in parts of a quarter of what it may become, or of a second: several fit.
	full rtrace 200k --max-size 300K
	"$RTRACE" export -f json -o "$T/e.json" "$T/saved/t.rtrace" 2>"$T/export.err"
	cat "$T/export.err"
	grep -q 'warning: .*t.rtrace: ' "$T/export.err"
	[ "$(count "$T/e.json" hipMemcpyAsync)" -gt 100 ]
	json_trace --cut "$T/e.json" nesting
	nothing_is_left
}

@test "a reader that goes away: said at once" {
	start_job "$O/workloads/job" -d 1000
	mkfifo "$T/pipe"
	"$RTRACE" -p "$job" -f text >"$T/pipe" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	go
	head -n 1 <"$T/pipe" >"$T/first"
	[ -s "$T/first" ]
	wait_for grep -q 'output: write standard output: Broken pipe' "$T/err"
	kill -0 "$tracer"
	kill -INT "$tracer"
	ends_with 1
	says 'Broken pipe'
	job_is_well
	nothing_is_left
}

# A control group with that much memory for the tracer: "${IN_GROUP[@]}" COMMAND...
memory_group() {
	local root

	root=$(cgroup_root)
	if [ -n "$root" ] && grep -qw memory "$root/cgroup.subtree_control" 2>/dev/null; then
		GROUP=$root/rtrace-faults-$$ limit=memory.max
	else
		root=/sys/fs/cgroup/memory$(awk -F: '$2 == "memory" { print $3 }' /proc/self/cgroup)
		GROUP=$root/rtrace-faults-$$ limit=memory.limit_in_bytes
	fi
	mkdir "$GROUP" 2>/dev/null || skip "no control group with a limit for memory can be made here"
	GROUPS_MADE+=("$GROUP")
	echo "$1" >"$GROUP/$limit"
	# shellcheck disable=SC2016 # for the inner shell
	IN_GROUP=(sh -c 'echo $$ >"$0/cgroup.procs"; exec "$@"' "$GROUP")
}

# bats test_tags=slow
@test "too little memory for its rings: one line, and the job goes on" {
	start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -d 1000
	memory_group 400M
	go
	fails 1 'bpf: create rings: Cannot allocate memory' "${IN_GROUP[@]}" "$RTRACE" --buffer 512 -p "$job" -f json -o "$T/t.json"
	[ ! -e "$T/t.json" ]
	nothing_is_left
	# With smaller ones there is room.
	start_tracing "${IN_GROUP[@]}" "$RTRACE" --buffer 1 -p "$job" -f json -f text -o "$T/t"
	wait_for has_lines 40 "$GPU_LINE" "$T/t.text"
	kill -INT "$tracer"
	ends_with 0
	json_trace "$T/t.json" nesting
	job_is_well
	nothing_is_left
}

@test "the wall clock jumps, forth and back: no time of the trace does" {
	local jumping=(ELSEWHERE_AHEAD_NS=3600000000000 ELSEWHERE_WHILE="$T/ahead")

	touch "$T/ahead"
	[ "$(env LD_PRELOAD="$O/tests/elsewhere.so" "${jumping[@]}" date +%s)" -gt "$(($(date +%s) + 3000))" ]
	rm "$T/ahead"
	start_job LD_PRELOAD="$O/tests/elsewhere.so $O/libsimkfd.so" "${jumping[@]}" HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -d 1000 -t 2
	start_tracing env LD_PRELOAD="$O/tests/elsewhere.so" "${jumping[@]}" "$RTRACE" -p "$job" -f json -o "$T/t.json"
	go
	for _ in 1 2 3; do
		sleep 0.3
		touch "$T/ahead"
		sleep 0.3
		rm "$T/ahead"
	done
	job_is_well
	ends_with 0
	nothing_lost "$T/err" 'GPU operations'
	json_trace "$T/t.json" nesting causes "counts=$T/out"
	truth_since_go "$T/truth"
	check_truth "$T/truth.go" "$T/t.json"
	[ "$(jq '[.traceEvents[] | select(.ph == "X") | .ts] | (max - min) / 1e6 < 60' "$T/t.json")" = true ]
}

# start_elsewhen OPTION...: the job in a time namespace
start_elsewhen() {
	fresh go out job.err truth
	sim_exec SIMKFD_TRUTH="$T/truth" HSA_TOOLS_LIB="$AGENT" unshare --time "$@" --fork \
		"$O/workloads/job" -n 100 -t 2 --go "$T/go" >"$T/out" 2>"$T/job.err" &
	JOBS_STARTED+=("$!")
	wait_for grep -q '^ready' "$T/out"
	job=$(awk '$1 == "ready" { print $2 }' "$T/out")
	JOBS_STARTED+=("$job")
}

@test "a time namespace: a job whose clocks are others has its calls, in the kernel's time, and no GPU times" {
	unshare --time --fork true 2>"$T/unshare" || skip "no time namespaces here: $(cat "$T/unshare")"
	for ahead in "--boottime 86400" "--boottime -100" "--monotonic 86400"; do
		# shellcheck disable=SC2086 # words
		start_elsewhen $ahead
		start_tracing "$RTRACE" -p "$job" -f json -o "$T/t.json"
		wait_for grep -q "agent: process $job: its clock" "$T/err"
		[ "$(grep -c "agent: process $job: its clock is another than the kernel's" "$T/err")" = 1 ]
		before=$(awk '{ printf "%.0f\n", $1 * 1e6 }' /proc/uptime)
		touch "$T/go"
		ends_with 0
		after=$(awk '{ printf "%.0f\n", $1 * 1e6 }' /proc/uptime)
		grep -q '^result PASSED$' "$T/out"
		json_trace "$T/t.json" nesting "counts=$T/out"
		[ "$(traced_ops "$T/t.json" | wc -l)" = 0 ]
		jq -e --argjson before "$((before - 10000))" --argjson after "$((after + 10000))" \
			'[.traceEvents[] | select(.ph == "X") | .ts] | min >= $before and max <= $after' "$T/t.json"
	done
	# In one where nothing is moved, as container runtimes make it, everything is as ever.
	start_elsewhen
	start_tracing "$RTRACE" -p "$job" -f json -o "$T/t.json"
	go
	ends_with 0
	check_counts "$T/out" "$T/t.json"
	truth_since_go "$T/truth"
	check_truth "$T/truth.go" "$T/t.json"
	fails 1 'not possible in a time namespace of its own' unshare --time --boottime 86400 --fork "$RTRACE" -a -f text -o /dev/null
	nothing_is_left
}

# refused OLDKERNEL PATTERN
refused() {
	fails 1 "$2" env LD_PRELOAD="$O/capture/oldkernel.so" OLDKERNEL="$1" "$RTRACE" -p "$job" -f json -o "$T/t.json"
	fails 1 "$2" env LD_PRELOAD="$O/capture/oldkernel.so" OLDKERNEL="$1" "$RTRACE" -f json -o "$T/t.json" -- touch "$T/ran"
	[ ! -e "$T/t.json" ]
	[ ! -e "$T/ran" ]
}

@test "BPF programs that the verifier refuses, that a sandbox refuses, that a kernel refuses which is locked down" {
	start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -d 1000
	go
	refused verifier 'bpf: load programs: Permission denied \(details with -vv\)'
	refused sandbox 'bpf: load programs: Operation not permitted \(details with -vv\)'
	refused lockdown 'bpf: load programs: Invalid argument \(the kernel is locked down: no program may read memory\)'
	job_is_well
	nothing_is_left
}

@test "a kernel that is locked down" {
	grep -q '\[confidentiality\]' /sys/kernel/security/lockdown 2>/dev/null ||
		skip "this kernel is not locked down, and one that is stays so"
	fails 1 'the kernel is locked down: no program may read memory' "$RTRACE" -f text -o /dev/null -- true
}

without_tracefs() {
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount --propagation private sh -c '
		umount -R /sys/kernel/debug 2>/dev/null
		umount -R /sys/kernel/tracing
		[ ! -e /sys/kernel/tracing/events ] && exec "$@"' sh "$@"
}

@test "tracefs is not mounted: it is, for the tracer; where that is not allowed, one line" {
	needs_mounts
	for mode in $(attach_modes); do
		without_tracefs "$RTRACE" -v --attach "$mode" -f json -o "$T/t.json" -- "$O/capture/edges" plain 10 >"$T/out" 2>"$T/err"
		grep -q 'mounted tracefs on /sys/kernel/tracing' "$T/err"
		[ "$(count "$T/t.json" hipTestPlain)" = 10 ]
	done
	rm "$T/t.json"
	fails 1 'tracefs: mount on /sys/kernel/tracing: ' without_tracefs setpriv --inh-caps=-all \
		--bounding-set=-all,+bpf,+perfmon,+sys_ptrace,+checkpoint_restore,+kill "$RTRACE" -f json -o "$T/t.json" -- true
	[ ! -e "$T/t.json" ]
	nothing_is_left
}
