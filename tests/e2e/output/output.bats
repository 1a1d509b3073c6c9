#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The names of output files: what keys in them stand for, and folders.

load ../common
load ../gpu

setup() {
	RTRACE=$(realpath "$RTRACE")
	O=$(realpath "$O")
	mkdir "$T/d"
	cd "$T/d"
}

teardown() {
	end_jobs
}

# named PATTERN [VARIABLE=VALUE...]: the file that a command's trace goes to
named() {
	rm -rf "$T/d"/*
	sim "${@:2}" "$RTRACE" -f stats -o "$1" -- "$O/workloads/vectoradd" >/dev/null 2>"$T/err"
	(shopt -s dotglob && echo *)
}

@test "keys of a command" {
	[ "$(named '%tag%.%hostname%.{tag}')" = "vectoradd.$(hostname).vectoradd" ]
	[ "$(named '%rank%-of-%size%-%job%-%nid%' SLURM_PROCID=3 SLURM_NTASKS=8 SLURM_JOB_ID=77)" = 3-of-8-77-3 ]
	[ "$(named '%r,%s,%j' OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2)" = 1,2,0 ]
	[ "$(named '%rank%{size}')" = 01 ]
	[[ "$(named '%pid%.%nid%')" =~ ^([0-9]+)\.\1$ ]] || [[ "$(named '%pid%')" =~ ^[0-9]+$ ]]
	[ "$(named 'x%env{FOO}%y$env{FOO}z%env{BAR}%' FOO=f)" = xfyfz ]
	day=$(date +%F)
	[ "$(named '%launch_date%')" = "$day" ] || [ "$(date +%F)" != "$day" ]
	[[ "$(named '%launch_time%')" =~ ^20[0-9-]*_[0-9][0-9]\.[0-9][0-9]$ ]]
	[ "$(named '%unknown%{key')" = '%unknown%{key' ]
	# Whoever has it in its hands cannot lead elsewhere.
	[ "$(named '%env{FOO}%' FOO=../../a/b)" = a_b ]
	[ "$(named '%env{FOO}%' FOO="/etc/passwd")" = etc_passwd ]
}

@test "keys of a running process are its own" {
	(cd / && sim_exec SLURM_PROCID=5 "$O/workloads/job" -d 1000) >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/out"
	pid=$(pgrep -P "$job" || echo "$job")
	"$RTRACE" -p "$pid" -f stats -o '%tag%-%pid%-%rank%-%ppid%-%argt%' --duration 0.1 2>"$T/err"
	ppid=$(ps -o ppid= -p "$pid" | tr -d ' ')
	[ -s "job-$pid-5-$ppid-job-d_1000" ]
	mkdir there
	"$RTRACE" -p "$pid" -f stats -o "there%cwd%here" --duration 0.1 2>"$T/err"
	[ -s there/here ]
}

@test "a folder, made if need be, as the user's behind sudo" {
	sim SUDO_UID=65534 SUDO_GID=65533 "$RTRACE" -d "a/%rank%/b" -f stats -f json -- "$O/workloads/vectoradd" \
		>/dev/null 2>"$T/err"
	[ "$(echo a/0/b/rtrace-*.stats)" != 'a/0/b/rtrace-*.stats' ]
	[ "$(echo a/0/b/rtrace-*.json)" != 'a/0/b/rtrace-*.json' ]
	[ "$(stat -c %u:%g a a/0 a/0/b a/0/b/* | sort -u)" = 65534:65533 ]
	sim "$RTRACE" -d a/0 -f text -o t -- "$O/workloads/vectoradd" >/dev/null 2>"$T/err"
	grep -q hipLaunchKernel a/0/t
	fails 1 '-d: a/0/t: ' "$RTRACE" -d a/0/t -f text -- true
	fails 1 '-d: a/0/t/x: Not a directory' "$RTRACE" -d a/0/t/x -f text -- true
}

@test "on a terminal it says how far it is, elsewhere it does not" {
	sim_exec "$O/workloads/job" -d 1000 >"$T/out" 2>&1 &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/out"
	record="'$RTRACE' -p $job -f rtrace -o $T/t.rtrace --duration $(seconds 2.5)"
	script -qec "$record" "$T/drawn" >/dev/null
	grep -q $'\rrtrace-bpf: [0-9]* s: [1-9][0-9]* calls, .* [0-9]* lost\e\\[K' "$T/drawn"
	# The last one is gone when it is done.
	[ "$(tr '\r' '\n' <"$T/drawn" | sed -n '/ s: .* lost/,$p' | grep -c '^.\[Krtrace-bpf: wrote')" -ge 1 ]
	"$O/tests/big_recording" "$T/big.rtrace" 20000
	script -qec "'$RTRACE' export -f json -o /dev/null $T/big.rtrace" "$T/drawn" >/dev/null
	grep -q $'\rrtrace-bpf: .*big.rtrace: [0-9]*%\e\\[K' "$T/drawn"
	"$RTRACE" export -f json -o /dev/null "$T/big.rtrace" 2>"$T/err"
	sh -c "$record" 2>>"$T/err"
	[ "$(grep -c $'\r' "$T/err")" = 0 ]
}

@test "a file for each process" {
	sim "$RTRACE" --per-process -f json -f rtrace -o job -- "$O/workloads/forker" >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	# As many as have called, each with what is its own, which is all that was recorded.
	[ "$(ls job.*.json | wc -l)" -ge 3 ]
	for file in job.*.json; do
		pid=${file#job.}
		[ "$(jq '[.traceEvents[] | select(.ph == "X" and .cat != "gpu") | .pid] | unique | .[]' "$file")" = "${pid%.json}" ]
		json_trace "$file" nesting causes
		grep -q "wrote $file (json)" "$T/err"
		"$RTRACE" export -f json -o export.json "job.${pid%.json}.rtrace"
		cmp "$file" export.json
	done
	for number in calls dispatches copies; do
		want=$(sed -n "s/.*recorded.* \([0-9]*\) $number,.*/\1/p" "$T/err" | head -n 1)
		[ "$(cat job.*.json | jq -s "[.[].otherData.$([ $number = calls ] && echo spans || echo $number)] | add")" = "$want" ]
	done
	fails 2 "-o -: --per-process writes files" "$RTRACE" --per-process -f json -o - -- true
	fails 2 "--per-process: of which format" "$RTRACE" --per-process -- true
}

@test "a process's file is complete some time after its end" {
	fresh err
	sim "$RTRACE" --per-process -f json -d d -- sh -c "$O/workloads/vectoradd; until [ -e stop ]; do sleep 0.1; done" >"$T/out" 2>"$T/err" &
	JOBS_STARTED+=("$!")
	wait_for grep -q 'wrote d/rtrace.*json' "$T/err"
	jq -e '.otherData.dispatches > 0' d/rtrace.*.json
	kill -0 "${JOBS_STARTED[-1]}"
	touch stop
	wait "${JOBS_STARTED[-1]}"
}

# Folders and pipes of another user that waits for root to write there.
@test "another user's symbolic link among the folders, and another user's pipe" {
	"$RTRACE" -f rtrace -o "$T/t.rtrace" -- true 2>"$T/err"
	mkdir "$T/d/own" "$T/d/target"
	ln -s "$T/d/target" "$T/d/l"
	for format in text json html rocpd otf2 roctracer; do
		"$RTRACE" export -f "$format" -o "$T/d/l/good.$format" "$T/t.rtrace" 2>"$T/err"
		[ -e "$T/d/target/good.$format" ] || [ "$format" = roctracer ]
	done
	rm -rf "$T/d/target"/*
	chown -h nobody "$T/d/l"
	for format in text json html csv rocpd otf2 roctracer stats; do
		fails 1 "output: .*another user's" \
			"$RTRACE" export -f "$format" -o "$T/d/l/bad.$format" "$T/t.rtrace"
		fails 1 "output: .*another user's" \
			"$RTRACE" export -f "$format" -o "$T/d/l/../target/bad.$format" "$T/t.rtrace"
	done
	fails 1 "Operation not permitted|another user" \
		"$RTRACE" -f rtrace -d "$T/d/l/made" -- true
	[ -z "$(ls -A "$T/d/target")" ]

	mkfifo "$T/d/pipe" "$T/d/unread"
	cat "$T/d/pipe" >"$T/read" &
	JOBS_STARTED+=($!)
	"$RTRACE" export -f json -o "$T/d/pipe" "$T/t.rtrace" 2>"$T/err"
	wait_for grep -q traceEvents "$T/read"
	chown nobody "$T/d/pipe"
	fails 1 "output: .*another user's pipe" "$RTRACE" export -f json -o "$T/d/pipe" "$T/t.rtrace"
	fails 1 'output: .*no program reads' "$RTRACE" export -f json -o "$T/d/unread" "$T/t.rtrace"
}

# As timeout(1) does it: the child, then its group, in which the child is; and wrappers that pass on what they get.
@test "a stop signal that comes twice within a second ends the trace, which is whole" {
	start_job "$O/workloads/job" -d 1000
	go
	for gap in 0 0 0.01 0.1 0.3; do
		fresh t.json t.text
		start_tracing "$RTRACE" -p "$job" -f json -f text -o "$T/t"
		wait_for has_lines 10 hipLaunchKernel "$T/t.text"
		kill -INT "$tracer"
		sleep "$gap"
		kill -INT "$tracer" 2>/dev/null || :
		wait "$tracer"
		[ "$(count "$T/t.json" hipLaunchKernel)" -ge 10 ]
		not grep -q 'second signal' "$T/err"
	done
	fresh t.json t.text
	# With the tracer's own status. It passes on the signal that it gets itself as it sends one when its time has passed.
	start_tracing timeout --preserve-status 1000 "$RTRACE" -p "$job" -f json -f text -o "$T/t"
	wait_for has_lines 10 hipLaunchKernel "$T/t.text"
	kill -TERM "$tracer"
	wait "$tracer"
	[ "$(count "$T/t.json" hipLaunchKernel)" -ge 10 ]
	kill -TERM "$job"
	wait "$job"
}

@test "a stop signal that comes once more a second later ends the tracer: which outputs are cut off is said" {
	start_job "$O/workloads/job" -n 3000
	mkfifo "$T/pipe"
	sleep 1000 <>"$T/pipe" &
	JOBS_STARTED+=("$!")
	fresh err
	"$RTRACE" -p "$job" -f text >"$T/pipe" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q 'API calls' "$T/err"
	go
	wait "$job" # more text than the pipe has room for, and nobody reads it
	kill -INT "$tracer"
	sleep 1.2
	kill -0 "$tracer"
	kill -INT "$tracer"
	status=0
	wait "$tracer" || status=$?
	[ "$status" = 130 ]
	grep -q '^rtrace-bpf: warning: ended by a second signal: cut off: standard output$' "$T/err"
}

@test "the numbers of the closing lines as JSON" {
	sim "$RTRACE" -f json -o t.json --summary-json '%tag%.sum' -- "$O/workloads/copies" >out 2>err
	[ "$(jq .recorded.calls copies.sum)" = "$(calls t.json | wc -l)" ]
	jq -e '[.lost[]] | all(. == 0)' copies.sum
	[ "$(jq .recorded.copies copies.sum)" = "$(jq '[.traceEvents[] | select(.ph == "X" and .args.bytes and .cat == "gpu")] | length' t.json)" ]
	# Each number is in its description.
	jq -r 'paths(scalars) | last' copies.sum | while read -r key; do grep -qE "\`([a-z]+\.)?$key\`" "$OLDPWD/docs/reference/summary-json.md"; done
	fails 1 '/nonexistent/x' "$RTRACE" --summary-json /nonexistent/x -- true
}
