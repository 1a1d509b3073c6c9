#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What a command under `rtrace-bpf -- CMD` inherits: the same as without the tracer, judged by what the same
# program says that is started by the same parents alone. Terminals: terminal.py.

load ../common

# AddressSanitizer's tracer would have no core files, which the command would inherit.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}disable_coredump=0

EDGES="$O/capture/edges"

setup_file() {
	export ARGP_HELP_FMT=rmargin=200
}

teardown() {
	end_jobs
}

# traced COMMAND...: under the tracer; what it says in err
traced() {
	"$RTRACE" -f text -o "$T/t.text" -- "$@" 2>"$T/err"
}

# in_state COMMAND...: with state that is nowhere as it is by default
in_state() {
	(
		cd "$T"
		umask 027
		ulimit -c 4096
		echo 123456 >"/proc/$BASHPID/timerslack_ns"
		echo 0x07 >"/proc/$BASHPID/coredump_filter"
		exec 7<"$T/seven" 8>>"$T/eight" 9<&- 200<"$T/seven"
		exec perl -e 'syscall(157, 36, 1, 0, 0, 0); alarm 5000; exec @ARGV' \
			prlimit --nofile=4000:5000 --stack=4194304:8388608 --memlock=65536:131072 \
			choom -n 321 -- ionice -c 2 -n 6 taskset -c 0 setarch x86_64 -R \
			nice -n 3 setpriv --pdeathsig TERM --securebits +no_setuid_fixup --bounding-set -sys_time \
			env --ignore-signal=INT,TERM,HUP,USR1,USR2,PIPE,CHLD,TSTP,TTOU,QUIT,RTMIN+3 \
			--block-signal=WINCH,USR2,CHLD,RTMAX -u HSA_TOOLS_LIB A=1 A_LONG="$(printf %5000s)" 'B=a=b c' "$@"
	)
}

# same_state STARTER...: under it, the command has with the tracer what it has alone, but for the agent's variables
same_state() {
	"$@" "$O/workloads/state" "$T/state"
	grep -v '^env _=' "$T/state" >"$T/alone"
	"$@" "$RTRACE" -f text -o "$T/t.text" -- "$O/workloads/state" "$T/state"
	grep -v '^env \(HSA_TOOLS_LIB\|RTRACE_AGENT\|RTRACE_AGENT_TRACER\|_\)=' "$T/state" >"$T/with"
	diff "$T/alone" "$T/with"
	[ "$(wc -l <"$T/alone")" -gt 90 ]
}

@test "a command's state: nothing set, and everything set → as without the tracer" {
	seq 1000 >"$T/seven"
	same_state env
	same_state in_state
	# These were indeed set.
	for fact in 'SigIgn:.*[1-9a-f]' 'SigBlk:.*[1-9a-f]' 'oom_score_adj 321' 'timerslack_ns 123456' 'Max open files  *4000  *5000' \
		'fd/200 -> ' 'stat 19 3$' 'Cpus_allowed:.*1$' 'Umask:.0027' 'PDEATHSIG 15' 'CHILD_SUBREAPER 1' 'timer 0 on' \
		'SECUREBITS 4' 'personality 00040000'; do
		grep -q "$fact" "$T/with"
	done
	not grep -q 'fd/9 ' "$T/with"
	# The agent's variables are all that was added.
	grep -v '^env _=' "$T/state" | grep '^env ' | comm -3 <(grep '^env ' "$T/alone" | sort) <(sort) >"$T/added"
	[ "$(wc -l <"$T/added")" = 3 ]
}

# The children of a thread with this flag are ordinary again, those of a program that it executes are not.
@test "a command's state: a real-time policy that is not handed to children, also with niceness" {
	chrt -f 5 true || skip "no real-time policy here"
	same_state chrt -R -f 5
	grep -q '^stat 41 1$' "$T/with"
	grep -q '^stat 40 5$' "$T/with"
}

@test "a command's state: standard descriptors that are closed stay closed, and nothing of ours goes there" {
	closed() { "$@" <&- >&- 2>&-; }
	same_state closed
	not grep -q 'fd/[012] ' "$T/with"
	not grep -q rtrace-bpf: "$T/t.text"
}

@test "a command's state: no_new_privs" {
	same_state setpriv --no-new-privs
	grep -q 'NoNewPrivs:.1' "$T/with"
}

@test "an alarm set before the command began ends it: status 142, as without the tracer" {
	status=0
	perl -e 'alarm 1; exec @ARGV' "$RTRACE" -f text -o "$T/t.text" -- sleep 100 2>"$T/err" || status=$?
	[ "$status" = 142 ]
}

@test "SIGCHLD ignored, SIGINT and SIGTERM blocked: the command's status all the same, and they end the trace" {
	status=0
	env --ignore-signal=CHLD "$RTRACE" -f text -o "$T/t.text" -- sh -c 'exit 7' 2>"$T/err" || status=$?
	[ "$status" = 7 ]
	for signo in INT TERM; do
		fresh out err
		env --block-signal=INT,TERM "$RTRACE" -f text -o "$T/t.text" -- "$EDGES" open_call \
			>"$T/out" 2>"$T/err" &
		tracer=$!
		JOBS_STARTED+=("$tracer")
		wait_for grep -q ready "$T/out"
		command=$(awk '/^ready/ {print $2}' "$T/out")
		JOBS_STARTED+=("$command")
		kill "-$signo" "$tracer"
		wait "$tracer"
		# The signal was the tracer's alone: the command goes on, which is said.
		kill -0 "$command"
		grep -q "process $command (.*) goes on, untraced" "$T/err"
		grep -q hipTestCallback "$T/t.text"
		kill -KILL "$command"
	done
}

@test "Ctrl-C → the trace is whole, the status the command's: 130, or what it makes of the signal" {
	# It ends when the tracer says that it waits for it.
	cat >"$T/handles" <<-end
		#!/bin/sh
		trap 'until grep -q "goes on" "$T/err"; do sleep 0.1; done; exit 33' INT
		echo ready
		while :; do sleep 0.1; done
	end
	chmod +x "$T/handles"
	fresh out
	# shellcheck disable=SC2016
	python3 tests/e2e/terminal.py c "$T/out" sh -c 'exec "$@" >'"$T/out"' 2>'"$T/err" - \
		"$RTRACE" -f text -o "$T/t.text" -- "$EDGES" open_call >"$T/said"
	[ "$(cat "$T/said")" = 'status 130' ]
	grep -q hipTestCallback "$T/t.text"
	grep -q 'recorded 1 calls' "$T/err"
	fresh out
	# shellcheck disable=SC2016
	python3 tests/e2e/terminal.py c "$T/out" sh -c 'exec "$@" >'"$T/out"' 2>'"$T/err" - \
		"$RTRACE" -f text -o "$T/t.text" -- "$T/handles" >"$T/said"
	[ "$(cat "$T/said")" = 'status 33' ]
	grep -q 'goes on, untraced: waiting for its end' "$T/err"
}

@test "Ctrl-Z stops the command and the tracer, fg continues both" {
	# It ends when it is continued.
	printf '#!/bin/sh\ntrap "exit 5" CONT\necho ready\nwhile :; do sleep 0.1; done\n' >"$T/slow"
	chmod +x "$T/slow"
	# shellcheck disable=SC2016
	python3 tests/e2e/terminal.py z "$T/out" sh -c 'exec "$@" >'"$T/out"' 2>'"$T/err" - \
		"$RTRACE" -f text -o "$T/t.text" -- "$T/slow" >"$T/said"
	grep -q '^rtrace-bpf T$' "$T/said"
	grep -q '^slow T$' "$T/said"
	[ "$(tail -n 2 "$T/said")" = $'stopped 20\nstatus 5' ]
}

@test "a command that a signal ends: 128 + N, for each signal that ends a program" {
	for signo in HUP INT QUIT ILL ABRT KILL SEGV PIPE ALRM TERM; do
		status=0
		# shellcheck disable=SC2016
		traced sh -c 'kill -'$signo' $$' || status=$?
		echo "$signo: status $status: $(cat "$T/err")"
		[ "$status" = $((128 + $(kill -l "$signo"))) ]
	done
}
