#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# User stacks: the judge is the program's source.

load common

stack_of() {
	jq -r --arg f "$1" '.traceEvents[] | select(.name == $f and .args.depth != 1) | .args.stack[]?' "$(tmp t.json)" |
		sed -E 's/\+0x[0-9a-f]+ / /; s/\+0 / /'
}

stacks() {
	"$RTRACE" --attach "$1" --stacks='hipTestPlain' -e 'hipTestPlain' -f json -o "$(tmp t.json)" -- \
		"$O/capture/callers" 2>"$(tmp err)"
	stack_of hipTestPlain >"$(tmp stack)"
	cat "$(tmp stack)" "$(tmp err)"
	# Of two calls: one by inner_caller, one by hipTestNested.
	[ "$(grep -c '^inner_caller (callers)$' "$(tmp stack)")" = 1 ]
	[ "$(grep -c '^outer_caller (callers)$' "$(tmp stack)")" = 2 ]
	[ "$(grep -c '^main (callers)$' "$(tmp stack)")" = 2 ]
	grep -q '^hipTestNested (libamdhip64.so.99)$' "$(tmp stack)"
}

@test "who made a call" {
	in_every_mode stacks
}

@test "stacks are taken of the functions that were asked for alone" {
	"$RTRACE" --stacks='hipTestNested' -f json -o "$(tmp t.json)" -- "$O/capture/callers" 2>/dev/null
	[ -z "$(stack_of hipTestPlain)" ]
	stack_of hipTestNested | grep -q '^outer_caller (callers)$'
	"$RTRACE" --stacks -f text -o "$(tmp t.txt)" -- "$O/capture/callers" 2>/dev/null
	[ "$(grep -cE '^ +main\+0x[0-9a-f]+ \(callers\)$' "$(tmp t.txt)")" = 3 ]
}
