#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The files of -f roctracer, read by patterns of what roctracer writes: what they tell is what JSON tells of the
# same trace, and what the simulator says.

load common
load gpu
load formats
load sums

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
		grep -qF "wrote $(tmp t.roctracer)/* (roctracer)" "$(tmp err)"
		check_lines "$(tmp t.roctracer)"
		roctracer_wanted "$(tmp t.json)" >"$(tmp sums.json)"
		sums_roctracer "$(tmp t.roctracer)" | LC_ALL=C sort >"$(tmp sums.text)"
		same_sums "$(tmp sums.json)" "$(tmp sums.text)"
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
			"$(tmp "t.roctracer/${kind}_api_trace.txt")" "$(tmp "t.roctracer/results.${kind}_stats.csv")"
	done
	# What the simulator ran.
	true_ops "$(tmp truth)" | awk -F '\t' '$1 == "dispatch"' | wc -l >"$(tmp ran)"
	[ "$(awk -F, 'NR > 1 { n += $(NF - 3) } END { print n }' "$(tmp t.roctracer/results.stats.csv)")" = "$(cat "$(tmp ran)")" ]
	[ "$(grep -cv ' Copy' "$(tmp t.roctracer/hcc_ops_trace.txt)")" = "$(cat "$(tmp ran)")" ]
	[ "$(cat "$(tmp t.roctracer/begin_ts_file.txt)")" -le "$(head -n 1 "$(tmp t.roctracer/hip_api_trace.txt)" | cut -d : -f 1)" ]
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
' "$(tmp t.roctracer)"
	[ ! -e "$(tmp t.roctracer/async_copy_trace.txt)" ]
	# Without HIP they are HSA's.
	sim "$RTRACE" -t hsa,gpu -f roctracer -f json -o "$(tmp h)" -- "$O/workloads/copies" >"$(tmp out)" 2>"$(tmp err)"
	check_lines "$(tmp h.roctracer)"
	[ ! -e "$(tmp h.roctracer/hcc_ops_trace.txt)" ]
	[ "$(wc -l <"$(tmp h.roctracer/async_copy_trace.txt)")" = \
		"$(jq '[.traceEvents[] | select(.cat == "gpu" and .args.bytes and .ph == "X")] | length' "$(tmp h.json)")" ]
	record_formats roctracer vectoradd
	grep -qE ' hipLaunchKernel\(.*\) kernel=.* :[0-9]+$' "$(tmp t.roctracer/hip_api_trace.txt)"
	grep -qE ' hipMalloc\(ptr=0x[0-9a-f]+, size=[0-9]+\) :[0-9]+$' "$(tmp t.roctracer/hip_api_trace.txt)"
}

@test "exported is what was written at once; files of before go, others stay" {
	record_formats roctracer ranges
	mkdir "$(tmp x)"
	echo old >"$(tmp x/async_copy_trace.txt)"
	echo other >"$(tmp x/other.txt)"
	"$RTRACE" export -f roctracer -o "$(tmp x)" "$(tmp t.rtrace)" 2>"$(tmp err)"
	for f in "$(tmp t.roctracer)"/*; do
		cmp "$f" "$(tmp x)/${f##*/}"
	done
	[ "$(cat "$(tmp x/other.txt)")" = other ]
	[ -e "$(tmp t.roctracer/async_copy_trace.txt)" ] || [ ! -e "$(tmp x/async_copy_trace.txt)" ]
	[ "$(stat -c %a "$(tmp t.roctracer)")" = 700 ]
	[ "$(stat -c %a "$(tmp t.roctracer)"/* | sort -u)" = 600 ]
	SUDO_UID=1234 SUDO_GID=2345 "$RTRACE" export -f roctracer -o "$(tmp s)" "$(tmp t.rtrace)" 2>"$(tmp err)"
	[ "$(stat -c '%u %g' "$(tmp s)" "$(tmp s)"/* | sort -u)" = "1234 2345" ]
}

@test "hostile names make no lines" {
	cat >"$(tmp marks.py)" <<-EOT
		import ctypes
		roctx = ctypes.CDLL("$O/libroctx64.so.4")
		for name in (b'two\nlines', b'x"\n1 1:1 2:0:"', b'\x1b[31m\xff\xc2\x9b', b'', b'back\\\\slash', b'"'):
		    roctx.roctxRangePushA(name)
		    roctx.roctxRangePop()
	EOT
	"$RTRACE" -f roctracer -o "$(tmp t)" -- python3 "$(tmp marks.py)" 2>"$(tmp err)"
	check_lines "$(tmp t)"
	[ "$(grep -cE '^[0-9]+ [0-9]+:[0-9]+ 1:0:".*"$' "$(tmp t/roctx_trace.txt)")" = 6 ]
	[ "$(grep -cE '^[0-9]+ [0-9]+:[0-9]+ 2:0:""$' "$(tmp t/roctx_trace.txt)")" = 6 ]
	grep -qF ' 1:0:"two\x0alines"' "$(tmp t/roctx_trace.txt)"
}

@test "not to stdout, not through a link, not where there is no folder; a full disk; nothing recorded" {
	record_formats roctracer vectoradd
	fails 2 '-o -: roctracer writes files, not to stdout' "$RTRACE" export -f roctracer -o - "$(tmp t.rtrace)"
	fails 1 'output: /nonexistent/x/\*: No such file' "$RTRACE" export -f roctracer -o /nonexistent/x "$(tmp t.rtrace)"
	echo file >"$(tmp file)"
	fails 1 'output: .*/file/\*: Not a directory' "$RTRACE" export -f roctracer -o "$(tmp file)" "$(tmp t.rtrace)"
	mkdir "$(tmp target)"
	ln -s "$(tmp target)" "$(tmp link)"
	fails 1 'output: .*/link/\*: a symbolic link, which is not followed' \
		"$RTRACE" export -f roctracer -o "$(tmp link)" "$(tmp t.rtrace)"
	[ -z "$(files_in "$(tmp target)")" ]
	mkdir "$(tmp x)"
	ln -s "$(tmp file)" "$(tmp x/roctx_trace.txt)"
	fails 1 'output: .*/x/\*: a symbolic link, which is not followed' \
		"$RTRACE" export -f roctracer -o "$(tmp x)" "$(tmp t.rtrace)"
	[ "$(files_in "$(tmp x)")" = roctx_trace.txt ]
	[ "$(cat "$(tmp file)")" = file ]
	(
		trap '' XFSZ
		ulimit -f 4
		fails 1 'output: write .*/full/\*: File too large' "$RTRACE" export -f roctracer -o "$(tmp full)" "$(tmp t.rtrace)"
	)
	"$RTRACE" -f roctracer -o "$(tmp none)" -- true 2>"$(tmp err)"
	[ ! -e "$(tmp none)" ]
	fails 1 'no such process' "$RTRACE" -f roctracer -o "$(tmp none)" -p 4194000
	[ ! -e "$(tmp none)" ]
	"$O/tests/big_recording" "$(tmp whole.rtrace)" 50000
	head -c "$(($(stat -c %s "$(tmp whole.rtrace)") * 2 / 3))" "$(tmp whole.rtrace)" >"$(tmp cut.rtrace)"
	"$RTRACE" export -f roctracer "$(tmp cut.rtrace)" 2>"$(tmp err)"
	check_lines "$(tmp cut.roctracer)"
	[ "$(wc -l <"$(tmp cut.roctracer/hip_api_trace.txt)")" -gt 50000 ]
}

teardown() {
	end_jobs
}
