#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Folded stacks: the lines are those that a program makes of the JSON trace of the same recording, which knows every
# caller when it begins; a flame graph's reader takes them; names cannot forge any.

load ../common
load ../gpu
load ../formats
load ../sums

same_lines() {
	[ "$(wc -l <"$T/t.folded")" -gt 10 ]
	diff <(folded_json "$T/t.json") <(LC_ALL=C sort "$T/t.folded")
}

@test "the lines are those that JSON makes of the same trace" {
	for w in vectoradd ranges copies graphs "streams -g 2 -t 2 -s 2 -n 20"; do
		echo "$w"
		record_formats folded "$w"
		grep -qF "wrote $T/t.folded (folded)" "$T/err"
		same_lines
	done
}

@test "exported is what was written at once; the GPU time is the simulator's" {
	record_formats folded "streams -g 2 -t 2 -s 2 -n 20"
	"$RTRACE" export -f folded -o - "$T/t.rtrace" >"$T/x" 2>"$T/err"
	cmp <(sort "$T/x") <(sort "$T/t.folded")
	"$RTRACE" export -f folded "$T/t.rtrace" 2>"$T/err"
	[ "$(stat -c %a "$T/t.folded")" = 600 ]
	# Kernels by name, in the simulator's words.
	true_ops "$T/truth" | awk -F '\t' '$1 == "dispatch" { print $3 }' | sort -u >"$T/ran"
	sed -n 's/^gpu;.*;gpu: \([^ ]*\) [0-9]*$/\1/p' "$T/t.folded" | grep -v ^copy | sort -u >"$T/told"
	diff "$T/ran" "$T/told"
}

@test "user stacks lie below the calls" {
	fresh out t.text
	sim_exec "$RTRACE" --stacks -f json -f folded -f text -o "$T/t" -- "$O/workloads/job" -n 5 --go "$T/go" \
		>"$T/out" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	# Callers get their names while the process lives: it goes on when the call is in the text.
	wait_for grep -q '^ready' "$T/out"
	JOBS_STARTED+=("$(awk '/^ready/ { print $2 }' "$T/out")")
	wait_for grep -q ' hipMalloc(' "$T/t.text"
	touch "$T/go"
	wait "$tracer"
	same_lines
	grep -q '^host;job ([0-9]*);.*main (job).*;hipMalloc [0-9]*$' "$T/t.folded"
	not grep -q '+0x' "$T/t.folded"
}

@test "hostile names make no lines" {
	cat >"$T/marks.py" <<-EOT
		import ctypes
		roctx = ctypes.CDLL("$O/libroctx64.so.4")
		for name in (b'a;b', b'two\nlines', b'x 77\nhost;forged 12', b'\x1b[31m\xff\xc2\x9b', b'', b' ', b'ends 5 '):
		    roctx.roctxRangePushA(name)
		    roctx.roctxRangePop()
	EOT
	"$RTRACE" -f folded -o "$T/t.folded" -- python3 "$T/marks.py" 2>"$T/err"
	not grep -avE '^(host|gpu)(;[^;]+)+ [0-9]+$' "$T/t.folded"
	not grep -a '^host;forged' "$T/t.folded"
	python3 -c '
import sys
frames = {line.rsplit(" ", 1)[0].split(";")[2] for line in open(sys.argv[1], encoding="utf-8")}
want = {"a,b", "two?lines", "x 77?host,forged 12", "?[31m\ufffd?", "?", " ", "ends 5 "}
assert frames >= want, frames' "$T/t.folded"
}

@test "nothing recorded, a recording that is cut off, a disk that is full, a link in the way" {
	"$RTRACE" -f folded -o "$T/none.folded" -- true 2>"$T/err"
	[ ! -s "$T/none.folded" ]
	record_formats folded vectoradd
	"$O/tests/big_recording" "$T/whole.rtrace" 50000
	head -c "$(($(stat -c %s "$T/whole.rtrace") * 2 / 3))" "$T/whole.rtrace" >"$T/cut.rtrace"
	"$RTRACE" export -f folded -f json -o "$T/c" "$T/cut.rtrace" 2>"$T/err"
	[ "$(wc -l <"$T/c.folded")" -gt 1000 ]
	not grep -avE '^(host|gpu)(;[^;]+)+ [0-9]+$' "$T/c.folded"
	fails 1 'output: write /dev/full: No space left' "$RTRACE" export -f folded -o /dev/full "$T/t.rtrace"
	ln -s "$T/target" "$T/l.folded"
	fails 1 'output: .*/l\.folded: a symbolic link, which is not followed' \
		"$RTRACE" export -f folded -o "$T/l.folded" "$T/t.rtrace"
	[ ! -e "$T/target" ]
}

@test "a long recording, to the nanosecond" {
	"$O/tests/big_recording" "$T/t.rtrace" 50000
	"$RTRACE" export -f folded "$T/t.rtrace" 2>"$T/err"
	# 7 us of a range in each round, and 3 and 1 us of a kernel and a copy.
	[ "$(awk '/^host/ { sum += $NF } END { print sum }' "$T/t.folded")" = 350000000 ]
	[ "$(awk '/^gpu/ { sum += $NF } END { print sum }' "$T/t.folded")" = 200000000 ]
	[ "$(grep -c '^gpu;made-up (1000);step [0-9]*;hipLaunchKernel;gpu: vectorAdd 150000$' "$T/t.folded")" = 1000 ]
	[ "$(wc -l <"$T/t.folded")" = 7000 ]
}

teardown() {
	end_jobs
}
