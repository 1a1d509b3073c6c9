#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# OTF2 archives, read by otf2-print of the format's own library: it takes them without a warning, and what it prints is
# what JSON tells of the same trace.

load common
load gpu
load formats
load sums

same_as_json() {
	otf2_wanted "$2" >"$(tmp sums.json)"
	sums_otf2 "$1" "$2" >"$(tmp sums.otf2)"
	same_sums "$(tmp sums.json)" "$(tmp sums.otf2)"
}

@test "what otf2-print reads is what JSON tells of the same trace" {
	for w in vectoradd ranges copies graphs resources "streams -g 2 -t 2 -s 2 -n 20"; do
		echo "$w"
		record_formats otf2 "$w"
		grep -qF "wrote $(tmp t.otf2)/traces.otf2 (otf2)" "$(tmp err)"
		same_as_json "$(tmp t.otf2)" "$(tmp t.json)"
	done
}

@test "definitions: groups, locations, clock; the simulator's kernels" {
	record_formats otf2 "streams -g 2 -t 2 -s 2 -n 20"
	otf2_events "$(tmp t.otf2)" >"$(tmp events)"
	[ "$(grep -c '^LOCATION_GROUP .*Name: "streams ([0-9]*)" .*Type: PROCESS' "$(tmp events)")" = 1 ]
	[ "$(grep -c '^LOCATION_GROUP .*Name: "GPU [01] gfx906 .*Type: ACCELERATOR.*Creator: "streams ' "$(tmp events)")" = 2 ]
	[ "$(grep -c '^LOCATION .*Name: "Thread [0-9]* streams".*Type: CPU_THREAD' "$(tmp events)")" -ge 2 ]
	[ "$(grep -c '^LOCATION .*Name: "Queue [0-9]*\( ([0-9]*)\)\?" .*Type: ACCELERATOR_STREAM' "$(tmp events)")" -ge 4 ]
	# The time of day of the first event.
	day=$(date -u +%Y-%m-%d)
	grep -q "^CLOCK_PROPERTIES .*Ticks per Seconds: 1000000000, .*Date: $day" "$(tmp events)" ||
		[ "$(date -u +%Y-%m-%d)" != "$day" ]
	[ "$(grep -c '"category" <0>; STRING; "kernel_dispatch"' "$(tmp events)")" = \
		"$(true_ops "$(tmp truth)" | awk -F '\t' '$1 == "dispatch"' | wc -l)" ]
}

@test "exported is what was written at once; an archive that is there is replaced" {
	record_formats otf2 ranges
	"$RTRACE" export -f otf2 -o "$(tmp x)" "$(tmp t.rtrace)" 2>"$(tmp err)"
	diff <(otf2_events "$(tmp t.otf2)" | grep -v -i 'trace id\|identifier') <(otf2_events "$(tmp x)" | grep -v -i 'trace id\|identifier')
	files_in "$(tmp x)" >"$(tmp files)"
	[ "$(find "$(tmp x)" -type f -printf '%m\n' | sort -u)" = 600 ]
	[ "$(find "$(tmp x)" -type d -printf '%m\n' | sort -u)" = 700 ]
	touch "$(tmp x/traces/99.evt)" "$(tmp x/other)"
	"$RTRACE" export -f otf2 -o "$(tmp x)" "$(tmp t.rtrace)" 2>"$(tmp err)"
	same_as_json "$(tmp x)" "$(tmp t.json)"
	rm "$(tmp x/other)"
	diff "$(tmp files)" <(files_in "$(tmp x)")
	SUDO_UID=1234 SUDO_GID=2345 "$RTRACE" export -f otf2 -o "$(tmp s)" "$(tmp t.rtrace)" 2>"$(tmp err)"
	[ "$(find "$(tmp s)" -printf '%U %G\n' | sort -u)" = "1234 2345" ]
}

@test "a long recording, in its order" {
	"$O/tests/big_recording" "$(tmp t.rtrace)" 20000
	"$RTRACE" export -f otf2 -f json -o "$(tmp t)" "$(tmp t.rtrace)" 2>"$(tmp err)"
	same_as_json "$(tmp t.otf2)" "$(tmp t.json)"
}

@test "hostile names make no lines" {
	cat >"$(tmp marks.py)" <<-EOT
		import ctypes
		roctx = ctypes.CDLL("$O/libroctx64.so.4")
		for name in (b'a "quoted"', b'two\nlines', b'\x1b[31m\xff\xc2\x9b', b'', b'"'):
		    roctx.roctxRangePushA(name)
		    roctx.roctxRangePop()
	EOT
	"$RTRACE" -f otf2 -o "$(tmp t)" -- python3 "$(tmp marks.py)" 2>"$(tmp err)"
	otf2_events "$(tmp t)" >"$(tmp events)"
	python3 -c '
import re, sys
names = [m[1] for m in re.finditer("^ENTER .*Region: \"(.*)\" <", open(sys.argv[1], encoding="utf-8").read(), re.M)]
want = ["a \"quoted\"", "two?lines", "?[31m\ufffd?", "", "\""]
assert [n for n in names if not n.startswith("roctx")] == want, names' "$(tmp events)"
	not grep -q "$(printf '\033')" "$(tmp events)"
}

@test "not to stdout, not through links, not over what is no archive" {
	record_formats otf2 vectoradd
	fails 2 '-o -: otf2 writes files, not to stdout' "$RTRACE" export -f otf2 -o - "$(tmp t.rtrace)"
	fails 1 'output: /nonexistent/x/traces\.otf2: No such file' "$RTRACE" export -f otf2 -o /nonexistent/x "$(tmp t.rtrace)"
	mkdir "$(tmp target)" "$(tmp a)" "$(tmp b)" "$(tmp c)" "$(tmp c/traces)"
	echo precious >"$(tmp target/1.evt)"
	ln -s "$(tmp target)" "$(tmp link)"
	ln -s "$(tmp target)" "$(tmp a/traces)"
	ln -s "$(tmp target/1.evt)" "$(tmp b/traces.otf2)"
	echo precious >"$(tmp c/traces/mine)"
	for x in link a b; do
		fails 1 "output: .*/$x/traces\.otf2: a symbolic link, which is not followed" \
			"$RTRACE" export -f otf2 -o "$(tmp $x)" "$(tmp t.rtrace)"
	done
	fails 1 'output: .*/c/traces\.otf2: Directory not empty' "$RTRACE" export -f otf2 -o "$(tmp c)" "$(tmp t.rtrace)"
	[ "$(cat "$(tmp target/1.evt)" "$(tmp c/traces/mine)")" = "precious
precious" ]
	[ "$(files_in "$(tmp target)")" = 1.evt ]
}

@test "nothing recorded, a recording that is cut off, a disk that is full" {
	"$RTRACE" -f otf2 -o "$(tmp none)" -- true 2>"$(tmp err)"
	otf2_events "$(tmp none)" >"$(tmp events)"
	not grep -q ^ENTER "$(tmp events)"
	fails 1 'no such process' "$RTRACE" -f otf2 -o "$(tmp nobody)" -p 4194000
	[ ! -e "$(tmp nobody)" ]
	record_formats otf2 "streams -g 2 -t 2 -s 2 -n 20"
	"$O/tests/big_recording" "$(tmp whole.rtrace)" 50000
	head -c "$(($(stat -c %s "$(tmp whole.rtrace)") * 2 / 3))" "$(tmp whole.rtrace)" >"$(tmp cut.rtrace)"
	"$RTRACE" export -f otf2 "$(tmp cut.rtrace)" 2>"$(tmp err)"
	otf2_events "$(tmp cut.otf2)" >"$(tmp events)"
	[ "$(grep -c ^ENTER "$(tmp events)")" -gt 100000 ]
	for kb in 1 4 30 60; do
		(
			trap '' XFSZ
			ulimit -f $kb
			fails 1 'output: write .*/full/traces\.otf2: File too large' \
				"$RTRACE" export -f otf2 -o "$(tmp full)" "$(tmp t.rtrace)"
		)
		[ ! -e "$(tmp full)" ]
	done
	mkdir "$(tmp disk)"
	for kb in 20 60 200; do
		mount -t tmpfs -o size=${kb}k tmpfs "$(tmp disk)" || skip "no tmpfs"
		fails 1 'output: write .*/full/traces\.otf2: No space left' \
			"$RTRACE" export -f otf2 -o "$(tmp disk/full)" "$(tmp t.rtrace)" || failed=1
		[ -z "$(files_in "$(tmp disk)")" ] || failed=1
		umount "$(tmp disk)"
		[ -z "$failed" ]
	done
}

teardown() {
	end_jobs
	umount "$(tmp disk)" 2>/dev/null || :
}
