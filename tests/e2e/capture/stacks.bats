#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# User stacks: the judge is the program's source.

load ../common

stack_of() {
	jq -r --arg f "$1" '.traceEvents[] | select(.name == $f and .args.depth != 1) | .args.stack[]?' "$T/t.json" |
		sed -E 's/\+0x[0-9a-f]+ / /; s/\+0 / /'
}

has_told() {
	[ "$(grep -c ' hipTest[A-Za-z]*(' "$T/t.text")" = "$1" ]
}

# traced CALLS OPTION...: t.json and t.text of the program, which goes on until CALLS calls are in the text. Callers
# get their names while the process lives.
traced() {
	local calls=$1

	shift
	fresh t.text told
	"$RTRACE" "$@" -f json -f text -o "$T/t" -- "$O/capture/callers" "$T/told" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for has_told "$calls"
	touch "$T/told"
	wait "$tracer"
}

stacks() {
	traced 2 --attach "$1" --stacks='hipTestPlain' -e 'hipTestPlain'
	stack_of hipTestPlain >"$T/stack"
	cat "$T/stack" "$T/err"
	# Of two calls: one by inner_caller, one by hipTestNested.
	[ "$(grep -c '^inner_caller (callers)$' "$T/stack")" = 1 ]
	[ "$(grep -c '^outer_caller (callers)$' "$T/stack")" = 2 ]
	[ "$(grep -c '^main (callers)$' "$T/stack")" = 2 ]
	grep -q '^hipTestNested (libamdhip64.so.99)$' "$T/stack"
}

@test "who made a call" {
	in_every_mode stacks
}

@test "stacks are taken of the functions that were asked for alone" {
	traced 3 --stacks='hipTestNested'
	[ -z "$(stack_of hipTestPlain)" ]
	stack_of hipTestNested | grep -q '^outer_caller (callers)$'
	traced 3 --stacks
	[ "$(grep -cE '^ +main\+0x[0-9a-f]+ \(callers\)$' "$T/t.text")" = 3 ]
}

teardown() {
	touch "$T/told"
	end_jobs
}
