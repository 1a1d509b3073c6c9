#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# rtrace-bpf without libraries (scripts/static): in a folder where there is nothing but it.

load ../e2e/common
load ../e2e/gpu

teardown() { end_jobs; }

# In place of this shell: where the root holds it, its agent, what is written, and the kernel's file systems.
alone_exec() {
	mkdir -p "$T/root"/{proc,sys,tmp}
	cp "$O/static/rtrace-bpf" "$O/librtrace-agent.so" "$T/root/"
	# shellcheck disable=SC2016 # for the inner shell
	exec unshare --mount --propagation private sh -c 'root=$1; shift
		for d in proc sys; do mount --rbind "/$d" "$root/$d" || exit 1; done
		exec chroot "$root" /rtrace-bpf "$@"' sh "$T/root" "$@"
}

alone() {
	(alone_exec "$@")
}

@test "it is not linked with anything" {
	ldd "$O/static/rtrace-bpf" 2>&1 | grep 'not a dynamic executable'
	[ -z "$(objdump -p "$O/static/rtrace-bpf" | grep -E 'NEEDED|INTERP')" ]
}

@test "it records a job, with GPU times, and writes all formats" {
	start_job HSA_TOOLS_LIB="$O/librtrace-agent.so" "$O/workloads/job" -n 50
	alone_exec -p "$job" -f rtrace -o /tmp/job.rtrace 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q 'GPU times' "$T/err"
	go
	wait "$tracer"
	cat "$T/err"
	for format in json pftrace csv rocpd text stats summary; do
		alone export -f $format -o "/tmp/job.$format" /tmp/job.rtrace
	done
	truth_since_go "$T/truth"
	check_truth "$T/truth.go" "$T/root/tmp/job.json"
	check_counts "$T/out" "$T/root/tmp/job.json"
	[ "$(sqlite3 "$T/root/tmp/job.rocpd" 'SELECT count(*) FROM kernels')" = "$(jq '[.traceEvents[] | select(.cat == "gpu" and .ph == "X" and .args.bytes == null)] | length' "$T/root/tmp/job.json")" ]
	alone report /tmp/job.rtrace | grep elementAdd
}

@test "names of users are those of /etc/passwd" {
	fails 2 "no user 'root'" alone -a --uid root
	mkdir -p "$T/root/etc"
	echo 'somebody:x:4711:4711::/:/bin/false' >"$T/root/etc/passwd"
	fails 2 "no user 'root'" alone --uid root
	fails 2 'nothing to trace' alone --uid somebody
}
