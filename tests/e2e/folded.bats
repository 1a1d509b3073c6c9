#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Folded stacks: the lines are those that a program makes of the JSON trace of the same recording, which knows every
# caller when it begins; a flame graph's reader takes them; names cannot forge any.

load common
load gpu
load formats
load sums

same_lines() {
	[ "$(wc -l <"$(tmp t.folded)")" -gt 10 ]
	diff <(folded_json "$(tmp t.json)") <(LC_ALL=C sort "$(tmp t.folded)")
}

@test "the lines are those that JSON makes of the same trace" {
	for w in vectoradd ranges copies graphs "streams -g 2 -t 2 -s 2 -n 20"; do
		echo "$w"
		record_formats folded "$w"
		grep -qF "wrote $(tmp t.folded) (folded)" "$(tmp err)"
		same_lines
	done
}

@test "exported is what was written at once; the GPU time is the simulator's" {
	record_formats folded "streams -g 2 -t 2 -s 2 -n 20"
	"$RTRACE" export -f folded -o - "$(tmp t.rtrace)" >"$(tmp x)" 2>"$(tmp err)"
	cmp <(sort "$(tmp x)") <(sort "$(tmp t.folded)")
	"$RTRACE" export -f folded "$(tmp t.rtrace)" 2>"$(tmp err)"
	[ "$(stat -c %a "$(tmp t.folded)")" = 600 ]
	# Kernels by name, in the simulator's words.
	true_ops "$(tmp truth)" | awk -F '\t' '$1 == "dispatch" { print $3 }' | sort -u >"$(tmp ran)"
	sed -n 's/^gpu;.*;gpu: \([^ ]*\) [0-9]*$/\1/p' "$(tmp t.folded)" | grep -v ^copy | sort -u >"$(tmp told)"
	diff "$(tmp ran)" "$(tmp told)"
}

@test "user stacks lie below the calls" {
	fresh out t.text
	sim_exec "$RTRACE" --stacks -f json -f folded -f text -o "$(tmp t)" -- "$O/workloads/job" -n 5 --go "$(tmp go)" \
		>"$(tmp out)" 2>"$(tmp err)" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	# Callers get their names while the process lives: it goes on when the call is in the text.
	wait_for grep -q '^ready' "$(tmp out)"
	JOBS_STARTED+=("$(awk '/^ready/ { print $2 }' "$(tmp out)")")
	wait_for grep -q ' hipMalloc(' "$(tmp t.text)"
	touch "$(tmp go)"
	wait "$tracer"
	same_lines
	grep -q '^host;job ([0-9]*);.*main (job).*;hipMalloc [0-9]*$' "$(tmp t.folded)"
	not grep -q '+0x' "$(tmp t.folded)"
}

@test "hostile names make no lines" {
	cat >"$(tmp marks.py)" <<-EOT
		import ctypes
		roctx = ctypes.CDLL("$O/libroctx64.so.4")
		for name in (b'a;b', b'two\nlines', b'x 77\nhost;forged 12', b'\x1b[31m\xff\xc2\x9b', b'', b' ', b'ends 5 '):
		    roctx.roctxRangePushA(name)
		    roctx.roctxRangePop()
	EOT
	"$RTRACE" -f folded -o "$(tmp t.folded)" -- python3 "$(tmp marks.py)" 2>"$(tmp err)"
	not grep -avE '^(host|gpu)(;[^;]+)+ [0-9]+$' "$(tmp t.folded)"
	not grep -a '^host;forged' "$(tmp t.folded)"
	python3 -c '
import sys
frames = {line.rsplit(" ", 1)[0].split(";")[2] for line in open(sys.argv[1], encoding="utf-8")}
want = {"a,b", "two?lines", "x 77?host,forged 12", "?[31m\ufffd?", "?", " ", "ends 5 "}
assert frames >= want, frames' "$(tmp t.folded)"
}

@test "nothing recorded, a recording that is cut off, a disk that is full, a link in the way" {
	"$RTRACE" -f folded -o "$(tmp none.folded)" -- true 2>"$(tmp err)"
	[ ! -s "$(tmp none.folded)" ]
	record_formats folded vectoradd
	"$O/tests/big_recording" "$(tmp whole.rtrace)" 50000
	head -c "$(($(stat -c %s "$(tmp whole.rtrace)") * 2 / 3))" "$(tmp whole.rtrace)" >"$(tmp cut.rtrace)"
	"$RTRACE" export -f folded -f json -o "$(tmp c)" "$(tmp cut.rtrace)" 2>"$(tmp err)"
	[ "$(wc -l <"$(tmp c.folded)")" -gt 1000 ]
	not grep -avE '^(host|gpu)(;[^;]+)+ [0-9]+$' "$(tmp c.folded)"
	fails 1 'output: write /dev/full: No space left' "$RTRACE" export -f folded -o /dev/full "$(tmp t.rtrace)"
	ln -s "$(tmp target)" "$(tmp l.folded)"
	fails 1 'output: .*/l\.folded: a symbolic link, which is not followed' \
		"$RTRACE" export -f folded -o "$(tmp l.folded)" "$(tmp t.rtrace)"
	[ ! -e "$(tmp target)" ]
}

@test "a long recording, to the nanosecond" {
	"$O/tests/big_recording" "$(tmp t.rtrace)" 50000
	"$RTRACE" export -f folded "$(tmp t.rtrace)" 2>"$(tmp err)"
	# 7 us of a range in each round, and 3 and 1 us of a kernel and a copy.
	[ "$(awk '/^host/ { sum += $NF } END { print sum }' "$(tmp t.folded)")" = 350000000 ]
	[ "$(awk '/^gpu/ { sum += $NF } END { print sum }' "$(tmp t.folded)")" = 200000000 ]
	[ "$(grep -c '^gpu;made-up (1000);step [0-9]*;hipLaunchKernel;gpu: vectorAdd 150000$' "$(tmp t.folded)")" = 1000 ]
	[ "$(wc -l <"$(tmp t.folded)")" = 7000 ]
}

teardown() {
	end_jobs
}
