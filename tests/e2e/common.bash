# SPDX-License-Identifier: MIT
# What the end-to-end tests share. They run as root, on the simulated GPU, under real uprobes.

O=$(realpath -m "${O:-build}")
RTRACE=${RTRACE:-$O/rtrace-bpf}
JOBS_STARTED=()

# A file of this test alone.
tmp() {
	echo "$BATS_TEST_TMPDIR/$1"
}

# Environment of a process that uses the simulated GPU: `sim [NAME=VALUE...] COMMAND...`
sim() {
	env LD_PRELOAD="$O/libsimkfd.so" SIMKFD_KERNEL_LIB="$O/workloads/libkernels.so" "$@"
}

# The same in place of the background shell that it runs in, so that $! is the process itself.
sim_exec() {
	exec env LD_PRELOAD="$O/libsimkfd.so" SIMKFD_KERNEL_LIB="$O/workloads/libkernels.so" "$@"
}

# The calls in a JSON trace, one a line: NAME CORR PARENT FLAGS PID TID BEGIN END (ns)
calls() {
	jq -r '.traceEvents[] | select(.ph == "X" and (.cat | IN("hip", "hsa", "kfd", "roctx", "roctracer")) and .args.corr) |
		[.name, .args.corr, .args.parent, .args.flags // "-", .pid, .tid,
		 (.ts * 1000 | round), ((.ts + .dur) * 1000 | round)] | @tsv' "$1"
}

# How many calls of the function are in the trace.
count() {
	calls "$1" | awk -v name="$2" '$1 == name' | wc -l
}

# Every correlation ID once, every parent present (unless the call was cut off), begin <= end, children
# inside their parents and on their thread.
check_nesting() {
	calls "$1" | awk -F '\t' '
		{ corr = $2; parent[corr] = $3; tid[corr] = $6; begin[corr] = $7; end[corr] = $8; name[corr] = $1
		  if (seen[corr]++) wrong(corr, "twice")
		  if ($8 < $7) wrong(corr, "ends before it begins") }
		function wrong(c, why) { bad++; if (bad <= 5) print name[c] " (corr " c "): " why }
		END {
			for (c in parent) {
				p = parent[c]
				if (p == 0) continue
				if (!(p in parent)) wrong(c, "no parent " p)
				else if (tid[p] != tid[c]) wrong(c, "not on the thread of its parent")
				else if (begin[c] < begin[p] || end[c] > end[p]) wrong(c, "not inside its parent")
			}
			exit bad > 0
		}'
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

# For a test that is about one mode.
needs_mode() {
	attach_modes | grep -qx "$1" || skip "this kernel has no mode $1"
}

# So many seconds times RT_PATIENCE, for what is to happen in some time.
seconds() {
	awk -v n="$1" -v patience="${RT_PATIENCE:-1}" 'BEGIN { print n * patience }'
}

# Waits until the command succeeds, at most 20 s times RT_PATIENCE, which is for slow machines.
wait_for() {
	local i

	for ((i = 0; i < 400 * ${RT_PATIENCE:-1}; i++)); do
		if "$@" >/dev/null 2>&1; then
			return 0
		fi
		sleep 0.05
	done
	echo "gave up waiting for: $*" >&2
	return 1
}

# Ends what a test has left running, by pid.
end_jobs() {
	local pid

	for pid in "${JOBS_STARTED[@]}"; do
		kill -KILL "$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
	done
}

# Runs `COMMAND... MODE` for each way of attaching that this kernel has.
in_every_mode() {
	local mode

	for mode in $(attach_modes); do
		echo "mode $mode"
		"$@" "$mode"
	done
}
