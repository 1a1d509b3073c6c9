#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Bad input: one clear line on stderr, the right status, and nothing left over.

load ../common

sleeper() {
	sleep 1000 &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -qx sleep "/proc/$job/comm"
}

# bats test_tags=smoke
@test "no such process" {
	fails 1 'process 4194303: no such process' "$RTRACE" -p 4194303
}

@test "a process without ROCm libraries" {
	sleeper
	fails 1 "process $job \(sleep\): no ROCm library mapped" "$RTRACE" -p "$job"
}

@test "not root: the missing capabilities are named" {
	cp "$RTRACE" "$T/rtrace-bpf"
	chmod 755 "$BATS_RUN_TMPDIR" "$T" "$T/rtrace-bpf"
	fails 1 'run as root.*CAP_BPF.*CAP_PERFMON.*CAP_SYS_PTRACE' \
		setpriv --reuid=65534 --regid=65534 --clear-groups "$T/rtrace-bpf" -p 1
}

@test "an output that cannot be written" {
	fails 1 'output: /nonexistent/x: No such file' "$RTRACE" -o /nonexistent/x -- true
	fails 1 'output: /: Is a directory' "$RTRACE" -f json -o / -- true
	[ ! -e /nonexistent ]
}

@test "a disk that is full" {
	status=0
	"$RTRACE" -f text -o /dev/full -- "$O/capture/edges" plain 10 >/dev/null 2>"$T/err" || status=$?
	[ "$status" = 1 ]
	grep -q 'output: write /dev/full: No space left on device' "$T/err"
}

@test "wrong command lines" {
	fails 2 'nothing to trace' "$RTRACE"
	fails 2 "unrecognized option '--nonsense'" "$RTRACE" --nonsense
	fails 2 "invalid option -- 'x'" "$RTRACE" -x
	fails 2 "-p: 'abc' is not a number" "$RTRACE" -p abc
	fails 2 "-p: '0' is not a number" "$RTRACE" -p 0
	fails 2 "-p: '99999999999999999999' is not a number" "$RTRACE" -p 99999999999999999999
	fails 2 "requires an argument -- 'p'" "$RTRACE" -p
	fails 2 "unknown format 'xml'" "$RTRACE" -f xml -a
	fails 2 "exclude each other" "$RTRACE" -a -p 1
	fails 2 "exclude each other" "$RTRACE" -a -- true
	fails 2 "--duration: '-1' is not" "$RTRACE" --duration=-1 -a
	fails 2 "--duration: 'nan' is not" "$RTRACE" --duration=nan -a
	fails 2 "--duration: '1s' is not" "$RTRACE" --duration=1s -a
	fails 2 "--buffer: '3' is not a power of two" "$RTRACE" --buffer 3 -a
	fails 2 "--gpu-buffer: '0' is not a number from 1 to 1024" "$RTRACE" --gpu-buffer 0 -- true
	fails 2 "--gpu-buffer: '12' is not a power of two" "$RTRACE" --gpu-buffer 12 -- true
	fails 2 "--gpu-buffer: only for a command" "$RTRACE" --gpu-buffer 16 -a
	fails 2 "--stop-with-command: only for a command" "$RTRACE" --stop-with-command -a
	fails 2 "--attach: unknown mode 'kprobe'" "$RTRACE" --attach kprobe -a
}

@test "a command that cannot be executed" {
	fails 1 'start /nonexistent/command: No such file' "$RTRACE" -f text -o /dev/null -- /nonexistent/command
	fails 1 'start /nonexistent/command: No such file' "$RTRACE" -f json -o "$T/x.json" -- /nonexistent/command
	[ ! -e "$T/x.json" ]
	fails 1 'start /etc/passwd: Permission denied' "$RTRACE" -f text -o /dev/null -- /etc/passwd
}

@test "a command that makes no traced call is told so, and keeps its status" {
	"$RTRACE" -f text -o /dev/null -- true 2>"$T/err"
	grep -q 'the command made no call of a traced function' "$T/err"
}

@test "a kernel without BPF, and one without uprobes" {
	fails 1 'bpf: .*Function not implemented' env LD_PRELOAD="$O/capture/oldkernel.so" OLDKERNEL=bpf \
		"$RTRACE" -f text -o /dev/null -- true
	fails 1 'cannot probe user functions.*CONFIG_UPROBE_EVENTS' \
		env LD_PRELOAD="$O/capture/oldkernel.so" OLDKERNEL=uprobes \
		"$RTRACE" --attach tracefs -f text -o /dev/null -- true
}

@test "--help says what there is, --version too" {
	"$RTRACE" --help >"$T/help"
	for word in --pid --all --format --summary --output --duration --attach --buffer Examples: 'Exit status'; do
		grep -q -- "$word" "$T/help"
	done
	"$RTRACE" --version | grep -q '^rtrace-bpf [0-9]'
}

teardown() {
	end_jobs
}
