#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The files of -f roctracer, read by patterns of what roctracer writes: what they hold is what JSON holds of the
# same trace, and what the simulator says.

load ../common
load ../gpu
load ../formats
load ../sums

# Every line has the form of its file, and none is missing at the end.
check_lines() {
	python3 -c '
import os, re, sys
forms = {
    "hip_api_trace.txt": r"\d+:\d+ \d+:\d+ [A-Za-z_]\w*\(.*\)(?: kernel=.+)? :\d+",
    "hsa_api_trace.txt": r"\d+:\d+ \d+:\d+ hsa_\w+\(.*\) = \S+ :\d+",
    "hcc_ops_trace.txt": r"\d+:\d+ \d+:\d+ [^:]+:[1-9]\d*:\d+",
    "async_copy_trace.txt": r"\d+:\d+ async-copy:\d+:\d+",
    "roctx_trace.txt": "\\d+ \\d+:\\d+ [0-4]:\\d+:\".*\"",
    "begin_ts_file.txt": r"\d+",
}
tables = {"results.stats.csv", "results.hip_stats.csv", "results.hsa_stats.csv", "results.copy_stats.csv"}
names = set(os.listdir(sys.argv[1]))
assert names <= set(forms) | tables, names
for name in names - tables:
    text = open(os.path.join(sys.argv[1], name), newline="").read()
    assert text.endswith("\n")
    for line in text[:-1].split("\n"):
        assert re.fullmatch(forms[name], line), (name, line)
for name in names & tables:
    header, *rows = open(os.path.join(sys.argv[1], name)).read().splitlines()
    assert header == "\"Name\",\"Calls\",\"TotalDurationNs\",\"AverageNs\",\"Percentage\"" and rows' "$1"
}

@test "lines, and what JSON tells of the same trace" {
	for w in vectoradd ranges copies graphs "streams -g 2 -t 2 -s 2 -n 20"; do
		echo "$w"
		record_formats roctracer "$w"
		grep -qF "wrote $T/t.roctracer/* (roctracer)" "$T/err"
		check_lines "$T/t.roctracer"
		roctracer_wanted "$T/t.json" >"$T/sums.json"
		sums_roctracer "$T/t.roctracer" | LC_ALL=C sort >"$T/sums.text"
		same_sums "$T/sums.json" "$T/sums.text"
	done
}

@test "tables are those of the lines" {
	record_formats roctracer "streams -g 2 -t 2 -s 2 -n 20"
	for kind in hip hsa; do
		python3 -c '
import csv, re, sys
from collections import defaultdict
times = defaultdict(list)
for line in open(sys.argv[1]):
    begin, end = map(int, line.split(" ")[0].split(":"))
    times[line.split(" ")[2].split("(")[0]].append(end - begin)
total = sum(map(sum, times.values()))
rows = list(csv.DictReader(open(sys.argv[2])))
assert [r["Name"] for r in rows] == sorted(times, key=lambda n: (-sum(times[n]), n))
for r in rows:
    of = times[r["Name"]]
    assert (int(r["Calls"]), int(r["TotalDurationNs"]), int(r["AverageNs"])) == (len(of), sum(of), sum(of) // len(of))
    assert float(r["Percentage"]) == 100.0 * sum(of) / total' \
			"$T/t.roctracer/${kind}_api_trace.txt" "$T/t.roctracer/results.${kind}_stats.csv"
	done
	# What the simulator ran.
	true_ops "$T/truth" | awk -F '\t' '$1 == "dispatch"' | wc -l >"$T/ran"
	[ "$(awk -F, 'NR > 1 { n += $(NF - 3) } END { print n }' "$T/t.roctracer/results.stats.csv")" = "$(cat "$T/ran")" ]
	[ "$(grep -cv ' Copy' "$T/t.roctracer/hcc_ops_trace.txt")" = "$(cat "$T/ran")" ]
	[ "$(cat "$T/t.roctracer/begin_ts_file.txt")" -le "$(head -n 1 "$T/t.roctracer/hip_api_trace.txt" | cut -d : -f 1)" ]
}

@test "every operation of HIP finds the call that launched it" {
	record_formats roctracer copies
	python3 -c '
import re, sys
calls = {}
for kind in "hip", "hsa":
    for line in open(sys.argv[1] + "/" + kind + "_api_trace.txt"):
        calls[int(line.rsplit(":", 1)[1])] = kind, line.split(" ")[2].split("(")[0], "kernel=" in line
for line in open(sys.argv[1] + "/hcc_ops_trace.txt"):
    name, corr, _ = line.split(" ", 2)[2].split(":")
    kind, function, kernel = calls[int(corr)]
    assert kind == "hip" and ("Copy" not in name or function.startswith("hipMem")), (line, function)
' "$T/t.roctracer"
	[ ! -e "$T/t.roctracer/async_copy_trace.txt" ]
	# Without HIP they are HSA's.
	sim "$RTRACE" -t hsa,gpu -f roctracer -f json -o "$T/h" -- "$O/workloads/copies" >"$T/out" 2>"$T/err"
	check_lines "$T/h.roctracer"
	[ ! -e "$T/h.roctracer/hcc_ops_trace.txt" ]
	[ "$(wc -l <"$T/h.roctracer/async_copy_trace.txt")" = \
		"$(jq '[.traceEvents[] | select(.cat == "gpu" and .args.bytes and .ph == "X")] | length' "$T/h.json")" ]
	record_formats roctracer vectoradd
	grep -qE ' hipLaunchKernel\(.*\) kernel=.* :[0-9]+$' "$T/t.roctracer/hip_api_trace.txt"
	grep -qE ' hipMalloc\(ptr=0x[0-9a-f]+, size=[0-9]+\) :[0-9]+$' "$T/t.roctracer/hip_api_trace.txt"
}

@test "exported is what was written at once; files of before go, others stay" {
	record_formats roctracer ranges
	mkdir "$T/x"
	echo old >"$T/x/async_copy_trace.txt"
	echo other >"$T/x/other.txt"
	"$RTRACE" export -f roctracer -o "$T/x" "$T/t.rtrace" 2>"$T/err"
	for f in "$T/t.roctracer"/*; do
		cmp "$f" "$T/x/${f##*/}"
	done
	[ "$(cat "$T/x/other.txt")" = other ]
	[ -e "$T/t.roctracer/async_copy_trace.txt" ] || [ ! -e "$T/x/async_copy_trace.txt" ]
	[ "$(stat -c %a "$T/t.roctracer")" = 700 ]
	[ "$(stat -c %a "$T/t.roctracer"/* | sort -u)" = 600 ]
	SUDO_UID=1234 SUDO_GID=2345 "$RTRACE" export -f roctracer -o "$T/s" "$T/t.rtrace" 2>"$T/err"
	[ "$(stat -c '%u %g' "$T/s" "$T/s"/* | sort -u)" = "1234 2345" ]
}

@test "hostile names make no lines" {
	cat >"$T/marks.py" <<-EOT
		import ctypes
		roctx = ctypes.CDLL("$O/libroctx64.so.4")
		for name in (b'two\nlines', b'x"\n1 1:1 2:0:"', b'\x1b[31m\xff\xc2\x9b', b'', b'back\\\\slash', b'"'):
		    roctx.roctxRangePushA(name)
		    roctx.roctxRangePop()
	EOT
	"$RTRACE" -f roctracer -o "$T/t" -- python3 "$T/marks.py" 2>"$T/err"
	check_lines "$T/t"
	[ "$(grep -cE '^[0-9]+ [0-9]+:[0-9]+ 1:0:".*"$' "$T/t/roctx_trace.txt")" = 6 ]
	[ "$(grep -cE '^[0-9]+ [0-9]+:[0-9]+ 2:0:""$' "$T/t/roctx_trace.txt")" = 6 ]
	grep -qF ' 1:0:"two\x0alines"' "$T/t/roctx_trace.txt"
}

@test "not to stdout, not through a link, not where there is no folder; a full disk; nothing recorded" {
	record_formats roctracer vectoradd
	fails 2 '-o -: roctracer writes files, not to stdout' "$RTRACE" export -f roctracer -o - "$T/t.rtrace"
	fails 1 'output: /nonexistent/x/\*: No such file' "$RTRACE" export -f roctracer -o /nonexistent/x "$T/t.rtrace"
	echo file >"$T/file"
	fails 1 'output: .*/file/\*: Not a directory' "$RTRACE" export -f roctracer -o "$T/file" "$T/t.rtrace"
	mkdir "$T/target"
	ln -s "$T/target" "$T/link"
	fails 1 'output: .*/link/\*: a symbolic link, which is not followed' \
		"$RTRACE" export -f roctracer -o "$T/link" "$T/t.rtrace"
	[ -z "$(files_in "$T/target")" ]
	mkdir "$T/x"
	ln -s "$T/file" "$T/x/roctx_trace.txt"
	fails 1 'output: .*/x/\*: a symbolic link, which is not followed' \
		"$RTRACE" export -f roctracer -o "$T/x" "$T/t.rtrace"
	[ "$(files_in "$T/x")" = roctx_trace.txt ]
	[ "$(cat "$T/file")" = file ]
	(
		trap '' XFSZ
		ulimit -f 4
		fails 1 'output: write .*/full/\*: File too large' "$RTRACE" export -f roctracer -o "$T/full" "$T/t.rtrace"
	)
	"$RTRACE" -f roctracer -o "$T/none" -- true 2>"$T/err"
	[ ! -e "$T/none" ]
	fails 1 'no such process' "$RTRACE" -f roctracer -o "$T/none" -p 4194000
	[ ! -e "$T/none" ]
	"$O/tests/big_recording" "$T/whole.rtrace" 50000
	head -c "$(($(stat -c %s "$T/whole.rtrace") * 2 / 3))" "$T/whole.rtrace" >"$T/cut.rtrace"
	"$RTRACE" export -f roctracer "$T/cut.rtrace" 2>"$T/err"
	check_lines "$T/cut.roctracer"
	[ "$(wc -l <"$T/cut.roctracer/hip_api_trace.txt")" -gt 50000 ]
}

teardown() {
	end_jobs
}
