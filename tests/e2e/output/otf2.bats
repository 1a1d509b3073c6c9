#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# OTF2 archives, read by otf2-print of the format's own library: it takes them without a warning, and what it prints is
# what JSON holds of the same trace.

load ../common
load ../gpu
load ../formats
load ../sums

same_as_json() {
	otf2_wanted "$2" >"$T/sums.json"
	sums_otf2 "$1" "$2" >"$T/sums.otf2"
	same_sums "$T/sums.json" "$T/sums.otf2"
}

@test "what otf2-print reads is what JSON holds of the same trace" {
	for w in vectoradd ranges copies graphs resources "streams -g 2 -t 2 -s 2 -n 20"; do
		echo "$w"
		record_formats otf2 "$w"
		grep -qF "wrote $T/t.otf2/traces.otf2 (otf2)" "$T/err"
		same_as_json "$T/t.otf2" "$T/t.json"
	done
}

@test "definitions: groups, locations, clock; the simulator's kernels" {
	record_formats otf2 "streams -g 2 -t 2 -s 2 -n 20"
	otf2_events "$T/t.otf2" >"$T/events"
	[ "$(grep -c '^LOCATION_GROUP .*Name: "streams ([0-9]*)" .*Type: PROCESS' "$T/events")" = 1 ]
	[ "$(grep -c '^LOCATION_GROUP .*Name: "GPU [01] gfx906 .*Type: ACCELERATOR.*Creator: "streams ' "$T/events")" = 2 ]
	[ "$(grep -c '^LOCATION .*Name: "Thread [0-9]* streams".*Type: CPU_THREAD' "$T/events")" -ge 2 ]
	[ "$(grep -c '^LOCATION .*Name: "Queue [0-9]*\( ([0-9]*)\)\?" .*Type: ACCELERATOR_STREAM' "$T/events")" -ge 4 ]
	# The time of day of the first event.
	day=$(date -u +%Y-%m-%d)
	grep -q "^CLOCK_PROPERTIES .*Ticks per Seconds: 1000000000, .*Date: $day" "$T/events" ||
		[ "$(date -u +%Y-%m-%d)" != "$day" ]
	[ "$(grep -c '"category" <0>; STRING; "kernel_dispatch"' "$T/events")" = \
		"$(true_ops "$T/truth" | awk -F '\t' '$1 == "dispatch"' | wc -l)" ]
}

@test "exported is what was written at once; an archive that is there is replaced" {
	record_formats otf2 ranges
	"$RTRACE" export -f otf2 -o "$T/x" "$T/t.rtrace" 2>"$T/err"
	diff <(otf2_events "$T/t.otf2" | grep -v -i 'trace id\|identifier') <(otf2_events "$T/x" | grep -v -i 'trace id\|identifier')
	files_in "$T/x" >"$T/files"
	[ "$(find "$T/x" -type f -printf '%m\n' | sort -u)" = 600 ]
	[ "$(find "$T/x" -type d -printf '%m\n' | sort -u)" = 700 ]
	touch "$T/x/traces/99.evt" "$T/x/other"
	"$RTRACE" export -f otf2 -o "$T/x" "$T/t.rtrace" 2>"$T/err"
	same_as_json "$T/x" "$T/t.json"
	rm "$T/x/other"
	diff "$T/files" <(files_in "$T/x")
	SUDO_UID=1234 SUDO_GID=2345 "$RTRACE" export -f otf2 -o "$T/s" "$T/t.rtrace" 2>"$T/err"
	[ "$(find "$T/s" -printf '%U %G\n' | sort -u)" = "1234 2345" ]
}

@test "a long recording, in its order" {
	"$O/tests/big_recording" "$T/t.rtrace" 20000
	"$RTRACE" export -f otf2 -f json -o "$T/t" "$T/t.rtrace" 2>"$T/err"
	same_as_json "$T/t.otf2" "$T/t.json"
}

@test "hostile names make no lines" {
	cat >"$T/marks.py" <<-EOT
		import ctypes
		roctx = ctypes.CDLL("$O/libroctx64.so.4")
		for name in (b'a "quoted"', b'two\nlines', b'\x1b[31m\xff\xc2\x9b', b'', b'"'):
		    roctx.roctxRangePushA(name)
		    roctx.roctxRangePop()
	EOT
	"$RTRACE" -f otf2 -o "$T/t" -- python3 "$T/marks.py" 2>"$T/err"
	otf2_events "$T/t" >"$T/events"
	python3 -c '
import re, sys
names = [m[1] for m in re.finditer("^ENTER .*Region: \"(.*)\" <", open(sys.argv[1], encoding="utf-8").read(), re.M)]
want = ["a \"quoted\"", "two?lines", "?[31m\ufffd?", "", "\""]
assert [n for n in names if not n.startswith("roctx")] == want, names' "$T/events"
	not grep -q "$(printf '\033')" "$T/events"
}

@test "not to stdout, not through links, not over what is no archive" {
	record_formats otf2 vectoradd
	fails 2 '-o -: otf2 writes files, not to stdout' "$RTRACE" export -f otf2 -o - "$T/t.rtrace"
	fails 1 'output: /nonexistent/x/traces\.otf2: No such file' "$RTRACE" export -f otf2 -o /nonexistent/x "$T/t.rtrace"
	mkdir "$T/target" "$T/a" "$T/b" "$T/c" "$T/c/traces"
	echo precious >"$T/target/1.evt"
	ln -s "$T/target" "$T/link"
	ln -s "$T/target" "$T/a/traces"
	ln -s "$T/target/1.evt" "$T/b/traces.otf2"
	echo precious >"$T/c/traces/mine"
	for x in link a b; do
		fails 1 "output: .*/$x/traces\.otf2: a symbolic link, which is not followed" \
			"$RTRACE" export -f otf2 -o "$T/$x" "$T/t.rtrace"
	done
	fails 1 'output: .*/c/traces\.otf2: Directory not empty' "$RTRACE" export -f otf2 -o "$T/c" "$T/t.rtrace"
	[ "$(cat "$T/target/1.evt" "$T/c/traces/mine")" = "precious
precious" ]
	[ "$(files_in "$T/target")" = 1.evt ]
}

@test "nothing recorded, a recording that is cut off, a disk that is full" {
	"$RTRACE" -f otf2 -o "$T/none" -- true 2>"$T/err"
	otf2_events "$T/none" >"$T/events"
	not grep -q ^ENTER "$T/events"
	fails 1 'no such process' "$RTRACE" -f otf2 -o "$T/nobody" -p 4194000
	[ ! -e "$T/nobody" ]
	record_formats otf2 "streams -g 2 -t 2 -s 2 -n 20"
	"$O/tests/big_recording" "$T/whole.rtrace" 50000
	head -c "$(($(stat -c %s "$T/whole.rtrace") * 2 / 3))" "$T/whole.rtrace" >"$T/cut.rtrace"
	"$RTRACE" export -f otf2 "$T/cut.rtrace" 2>"$T/err"
	otf2_events "$T/cut.otf2" >"$T/events"
	[ "$(grep -c ^ENTER "$T/events")" -gt 100000 ]
	for kb in 1 4 30 60; do
		(
			trap '' XFSZ
			ulimit -f $kb
			fails 1 'output: write .*/full/traces\.otf2: File too large' \
				"$RTRACE" export -f otf2 -o "$T/full" "$T/t.rtrace"
		)
		[ ! -e "$T/full" ]
	done
	mkdir "$T/disk"
	for kb in 20 60 200; do
		mount -t tmpfs -o size=${kb}k tmpfs "$T/disk" || skip "no tmpfs"
		fails 1 'output: write .*/full/traces\.otf2: No space left' \
			"$RTRACE" export -f otf2 -o "$T/disk/full" "$T/t.rtrace" || failed=1
		[ -z "$(files_in "$T/disk")" ] || failed=1
		umount "$T/disk"
		[ -z "$failed" ]
	done
}

teardown() {
	end_jobs
	umount "$T/disk" 2>/dev/null || :
}
