#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# The capture alone, on a library made for it: every way a call can be entered and left, in every mode
# of attaching. The judge is what tests/capture/edges.c does.

load ../common

EDGES=$O/capture/edges

trace() {
	local mode=$1

	shift
	"$RTRACE" --attach "$mode" -f json -o "$T/t.json" -- "$EDGES" "$@" >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
}

# What became of each call, names indented by depth in the order of entry.
tree() {
	calls "$T/t.json" | sort -t "$(printf '\t')" -k7,7g | awk -F '\t' '
		{ d = $3 ? depth[$3] + 1 : 0; depth[$2] = d
		  printf "%*s%s%s\n", d, "", $1, $4 == "-" ? "" : " " $4 }'
}

same() {
	diff <(tree) - || { cat "$T/err"; return 1; }
}

best_mode() {
	attach_modes | head -n 1
}

plain() {
	trace "$1" plain 1000
	[ "$(count "$T/t.json" hipTestPlain)" = 1000 ]
	# Arguments and results, call by call: e = 0..999 among constants.
	jq -e '[.traceEvents[] | select(.name == "hipTestPlain") | .args] |
		(map(.args[0]) | unique | length) == 1000 and
		all(.args[1:] == ["0x2", "0x3", "0x4", "0x5", "0x6"])' "$T/t.json"
	jq -e '[.traceEvents[] | select(.name == "hipTestPlain" and .args.args[0] == "0x3e7")] |
		length == 1 and .[0].args.ret == "0x441"' "$T/t.json"
	json_trace "$T/t.json" nesting
}

# bats test_tags=smoke
@test "arguments and return values arrive" {
	in_every_mode plain
}

nested() {
	trace "$1" nested 2
	same <<-end
		hipTestNested
		 hipTestPlain
		 hipTestPlain
		 hipTestPlain
		hipTestNested
		 hipTestPlain
		 hipTestPlain
		 hipTestPlain
	end
}

@test "calls inside calls hang below them" {
	in_every_mode nested
}

recurse() {
	trace "$1" recurse 20
	[ "$(tree | grep -c '^ *hipTestRecurse$')" = 20 ]
	tree | grep -q '^ \{19\}hipTestRecurse$'
	[ "$(tree | tail -n 1)" = hipTestPlain ]
}

@test "recursion" {
	in_every_mode recurse
}

@test "recursion deeper than the capture's stack is counted, and harms nothing after it" {
	trace "$(best_mode)" recurse 100
	[ "$(count "$T/t.json" hipTestRecurse)" = 64 ]
	[ "$(lost_of 'calls (nested too deep)' "$T/err")" = 36 ]
	[ "$(tree | tail -n 1)" = hipTestPlain ]
}

jump() {
	trace "$1" jump 3
	same <<-end
		hipTestJumpDeep unwound
		 hipTestJump unwound
		hipTestPlain
		hipTestJumpDeep unwound
		 hipTestJump unwound
		hipTestPlain
		hipTestJumpDeep unwound
		 hipTestJump unwound
		hipTestPlain
	end
}

# bats test_tags=smoke
@test "longjmp out of calls" {
	in_every_mode jump
}

tail_calls() {
	trace "$1" tail 1
	same <<-end
		hipTestTail
		 hipTestPlain
		hipTestTailTwice
		 hipTestTail
		  hipTestPlain
	end
}

@test "tail calls" {
	in_every_mode tail_calls
}

signals() {
	trace "$1" signals 1
	same <<-end
		hipTestRaise
		 hipTestNested
		  hipTestPlain
		  hipTestPlain
		hipTestRaise
		 hipTestNested
		  hipTestPlain
		  hipTestPlain
	end
}

@test "calls in signal handlers, on the thread's stack and on an alternate one" {
	in_every_mode signals
}

signal_jump() {
	trace "$1" signal_jump 2
	same <<-end
		hipTestRaise unwound
		 hipTestCallback unwound
		hipTestPlain
		hipTestRaise unwound
		 hipTestCallback unwound
		hipTestPlain
	end
}

@test "siglongjmp out of a handler on an alternate stack" {
	in_every_mode signal_jump
}

exit_thread() {
	trace "$1" exit_thread 2
	same <<-end
		hipTestPlain
		hipTestExitThread unfinished
		hipTestPlain
		hipTestExitThread unfinished
	end
}

@test "a thread that ends inside a call" {
	in_every_mode exit_thread
}

fork_in_call() {
	trace "$1" fork_in_call 3
	[ "$(count "$T/t.json" hipTestCallback)" = 3 ]
	[ "$(count "$T/t.json" hipTestPlain)" = 6 ]
	[ "$(calls "$T/t.json" | awk '$1 == "hipTestPlain" && $3 == 0 {print $5}' | sort -u | wc -l)" = 3 ]
}

@test "fork inside a call: the child's calls are its own" {
	in_every_mode fork_in_call
}

vfork_in_call() {
	trace "$1" vfork_in_call 2
	same <<-end
		hipTestCallback
		hipTestPlain
		hipTestPlain
		hipTestPlain
		 hipTestPlain
		hipTestCallback
		hipTestPlain
		hipTestPlain
		hipTestPlain
		 hipTestPlain
	end
}

@test "vfork and exec inside a call: parent and child go on, each with its own calls" {
	in_every_mode vfork_in_call
}

@test "a thousand threads" {
	trace "$(best_mode)" threads 1000
	[ "$(count "$T/t.json" hipTestNested)" = 10000 ]
	[ "$(count "$T/t.json" hipTestPlain)" = 30000 ]
	json_trace "$T/t.json" nesting
}

asm_entries() {
	trace "$1" asm 5
	[ "$(count "$T/t.json" hipTestRet)" = 5 ]
	[ "$(count "$T/t.json" hipTestEndbr)" = 5 ]
}

@test "functions of one instruction, and those that start with endbr64" {
	in_every_mode asm_entries
}

open_call() {
	"$EDGES" open_call >"$T/out" &
	JOBS_STARTED+=($!)
	pid=$!
	wait_for grep -q ready "$T/out"
	"$RTRACE" -p "$pid" -f json -o "$T/t.json" --duration 0.3
	# It was entered before the attach: not captured, and not counted as anything.
	[ "$(calls "$T/t.json" | wc -l)" = 0 ]
	end_processes
}

@test "a call that was entered before the attach is outside of the trace" {
	open_call
}

@test "a call that is still open when tracing stops is in the trace as unfinished" {
	fresh out
	"$RTRACE" -f json -o "$T/t.json" -- "$EDGES" open_call >"$T/out" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	# The program says so inside of the call.
	wait_for grep -q '^ready' "$T/out"
	JOBS_STARTED+=("$(awk '/^ready/ { print $2 }' "$T/out")")
	kill -INT "$tracer"
	wait "$tracer"
	same <<-end
		hipTestCallback unfinished
	end
}

# The tracer receives all of it when it has ended.
@test "threads that end at once, late in being heard of: all is of their process, which has its name" {
	"$RTRACE" -f json -o "$T/t.json" -- "$EDGES" end_together 100 >"$T/out" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q ready "$T/out"
	kill -STOP "$tracer"
	kill -USR1 "$(awk '/^ready/ { print $2 }' "$T/out")"
	wait_for grep -q PASSED "$T/out"
	kill -CONT "$tracer"
	wait "$tracer"
	[ "$(count "$T/t.json" hipTestCallback)" = 800 ]
	[ "$(calls "$T/t.json" | awk '$4 == "unfinished" { print $5 }' | sort | uniq -c | awk '$1 == 8' | wc -l)" = 100 ]
	jq -r '.traceEvents[] | select(.name == "process_labels") | .args.labels' "$T/t.json" | sort | uniq -c >"$T/names"
	diff <(echo "100 $EDGES end_together 100") <(sed 's/^ *//' "$T/names")
}

@test "ring full: what is lost is counted, the rest is whole" {
	overflow_a_ring -f json -o "$T/t.json" --summary-json "$T/summary"
	recorded=$(sed -n 's/.*recorded \([0-9]*\) calls.*/\1/p' "$T/err")
	[ "$recorded" = "$(count "$T/t.json" hipTestPlain)" ]
	[ $((recorded + lost)) = 30000 ]
	# The record of the process's end may have found no room, either.
	jq -e '.recorded.calls + .lost.calls_ring_full == 30000 and .lost.total == .lost.calls_ring_full + .lost.other' "$T/summary"
	json_trace "$T/t.json" nesting
}

teardown() {
	end_jobs
}
