#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Processes of `-- CMD` that use the GPU without the agent: each has a line that says why, and a gap in the trace;
# no other process has. Judged by how each was started.

load ../common
load ../gpu

setup() {
	agent=$(dirname "$RTRACE")/librtrace-agent.so
	# What the simulated GPU needs, for an environment that is made from nothing.
	bare=(LD_PRELOAD="$O/libsimkfd.so" SIMKFD_KERNEL_LIB="$O/workloads/libkernels.so" SIMKFD_GPUS=1 PATH="$PATH")
}

teardown() {
	touch "$T/go"
	end_jobs
}

# traced COMMAND...: into t.json; what the tracer says in err
traced() {
	sim SIMKFD_GPUS=1 "${tracer_program:-$RTRACE}" -f json -o "$T/t.json" -- "$@" >"$T/out" 2>"$T/err"
}

# held COMMAND...: the same of `COMMAND... job`, which ends when the line has been said
held() {
	fresh go out err
	sim SIMKFD_GPUS=1 "${tracer_program:-$RTRACE}" -f json -o "$T/t.json" -- \
		"$@" "$O/workloads/job" -n 3 --go "$T/go" >"$T/out" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q 'no GPU operations and times' "$T/err"
	touch "$T/go"
	wait "$tracer"
}

lines() {
	grep -c 'no GPU operations and times' "$T/err" || :
}

# gaps: of the trace, as they are called
gaps() {
	jq -r '.traceEvents[] | select(.ph == "b" and (.name | startswith("no GPU operations and times"))) | .name' "$T/t.json"
}

# says PATTERN: exactly one line, which says that, and one such gap
says() {
	cat "$T/err"
	[ "$(lines)" = 1 ]
	grep -qE "process [0-9]+ \(.*\): no GPU operations and times: $1" "$T/err"
	[ "$(gaps | wc -l)" = 1 ]
	gaps | grep -qE "$1"
	[ "$(count "$T/t.json" hipLaunchKernel)" -gt 0 ]
	[ "$(traced_ops "$T/t.json" | wc -l)" = 0 ]
}

says_nothing() {
	cat "$T/err"
	[ "$(lines)" = 0 ]
	[ "$(gaps | wc -l)" = 0 ]
}

@test "no agent: the environment was emptied, or another library is named, or the agent is off → the line says which" {
	held env -i "${bare[@]}"
	says "its environment lacks HSA_TOOLS_LIB .*HSA_TOOLS_LIB=$agent"
	held setpriv --reset-env env "${bare[@]}"
	says 'its environment lacks HSA_TOOLS_LIB'
	held env HSA_TOOLS_LIB=/nowhere/libother.so
	says "its HSA_TOOLS_LIB is another, \"/nowhere/libother.so\": add $agent"
	held env RTRACE_AGENT=off
	says 'its environment has RTRACE_AGENT=off'
}

@test "no agent: its file is hidden by a mount, or its user may not read it → the line says so" {
	mkdir "$T/inst"
	chmod 755 "$BATS_RUN_TMPDIR" "$T" "$T/inst"
	cp "$RTRACE" "$O/librtrace-agent.so" "$T/inst"
	tracer_program=$T/inst/rtrace-bpf
	unshare -m true || skip "no mount namespaces here"
	# shellcheck disable=SC2016
	held unshare -m sh -c 'mount -t tmpfs none "$0" && exec "$@"' "$T/inst"
	says "$T/inst/librtrace-agent.so is not in its mount namespace, or not readable there"
	chmod 600 "$T/inst/librtrace-agent.so"
	held setpriv --reuid 12345 --regid 12345 --clear-groups
	says ".*librtrace-agent.so is not in its mount namespace, or not readable there"
	chmod 644 "$T/inst/librtrace-agent.so"
	traced setpriv --reuid 12345 --regid 12345 --clear-groups "$O/workloads/vectoradd"
	says_nothing
}

@test "no agent: the runtime refuses what it is given → the line says so" {
	mkdir "$T/fake"
	echo none >"$T/fake/librtrace-agent.so"
	held env HSA_TOOLS_LIB="$T/fake/librtrace-agent.so"
	says 'its HSA runtime did not take the agent of HSA_TOOLS_LIB=.*/fake/librtrace-agent.so'
}

@test "no agent: of 20 processes 16 have a line, one line counts the rest, the trace has all" {
	# shellcheck disable=SC2016
	traced env -i "${bare[@]}" sh -c 'for i in $(seq 20); do "$0"; done' "$O/workloads/vectoradd"
	[ "$(grep -c 'process .* no GPU operations and times' "$T/err")" = 16 ]
	grep -q ' 4 further processes had no GPU operations and times' "$T/err"
	[ "$(gaps | wc -l)" = 20 ]
}

@test "a running process without the agent has its line before it ends" {
	sim SIMKFD_GPUS=1 "$RTRACE" -f json -o "$T/t.json" -- env -i "${bare[@]}" "$O/workloads/job" -d 1000 \
		>"$T/out" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q 'its environment lacks HSA_TOOLS_LIB' "$T/err"
	job=$(sed -n 's/.*process \([0-9]*\) (job): no GPU.*/\1/p' "$T/err")
	[ "$(cat "/proc/$job/comm")" = job ]
	kill -TERM "$job"
	wait "$tracer" || :
	[ "$(gaps | wc -l)" = 1 ]
}

@test "no false line: the agent is there; the children do the work; a killed process; no GPU used; forked after HSA" {
	traced "$O/workloads/vectoradd"
	says_nothing
	# shellcheck disable=SC2016
	traced sh -c '"$0" & "$0" & wait' "$O/workloads/vectoradd"
	says_nothing
	traced "$O/workloads/forker"
	says_nothing
	# shellcheck disable=SC2016
	traced sh -c '"$0" -d 1000 & sleep 1; kill -KILL $!; wait' "$O/workloads/job" || :
	says_nothing
	traced env -i "$O/capture/edges" plain 10
	says_nothing
	traced env -i PATH="$PATH" "$O/workloads/errors" || : # without a GPU: nothing succeeds
	says_nothing
	sim SIMKFD_GPUS=1 "$RTRACE" -t hip -f json -o "$T/t.json" -- env -i "${bare[@]}" "$O/workloads/vectoradd" 2>"$T/err"
	says_nothing
}
