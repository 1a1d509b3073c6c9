#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The files of -f csv: their names and columns are those that rocprofv3 documents, read by Python's csv module;
# what they hold is what JSON holds of the same trace, and what the workload and the simulator say.

load ../common
load ../gpu
load ../formats
load ../sums

# The files and columns of rocprofv3 (ROCm 7).
API="Domain Function Process_Id Thread_Id Correlation_Id Start_Timestamp End_Timestamp"
STATS="Name Calls TotalDurationNs AverageNs Percentage MinNs MaxNs StdDev"
declare -gA FIELDS=(
	[hip_api_trace]=$API [hsa_api_trace]=$API [marker_api_trace]=$API
	[kernel_trace]="Kind Agent_Id Queue_Id Stream_Id Thread_Id Dispatch_Id Kernel_Id Kernel_Name Correlation_Id Start_Timestamp End_Timestamp LDS_Block_Size Scratch_Size VGPR_Count Accum_VGPR_Count SGPR_Count Workgroup_Size_X Workgroup_Size_Y Workgroup_Size_Z Grid_Size_X Grid_Size_Y Grid_Size_Z"
	[memory_copy_trace]="Kind Direction Stream_Id Source_Agent_Id Destination_Agent_Id Correlation_Id Start_Timestamp End_Timestamp"
	[memory_allocation_trace]="Kind Operation Agent_Id Allocation_Size Address Correlation_Id Start_Timestamp End_Timestamp"
	[scratch_memory_trace]="Kind Operation Agent_Id Queue_Id Thread_Id Alloc_Flags Start_Timestamp End_Timestamp Allocation_Size"
	[hip_api_stats]=$STATS [hsa_api_stats]=$STATS [marker_api_stats]=$STATS [kernel_stats]=$STATS
	[memory_copy_stats]=$STATS [memory_allocation_stats]=$STATS [scratch_memory_stats]=$STATS [domain_stats]=$STATS
	[agent_info]="Node_Id Logical_Node_Id Agent_Type Cpu_Cores_Count Simd_Count Cpu_Core_Id_Base Simd_Id_Base Max_Waves_Per_Simd Lds_Size_In_Kb Gds_Size_In_Kb Num_Gws Wave_Front_Size Num_Xcc Cu_Count Array_Count Num_Shader_Banks Simd_Arrays_Per_Engine Cu_Per_Simd_Array Simd_Per_Cu Max_Slots_Scratch_Cu Gfx_Target_Version Vendor_Id Device_Id Location_Id Domain Drm_Render_Minor Num_Sdma_Engines Num_Sdma_Xgmi_Engines Num_Sdma_Queues_Per_Engine Num_Cp_Queues Max_Engine_Clk_Ccompute Max_Engine_Clk_Fcompute Sdma_Fw_Version Fw_Version Capability Cu_Per_Engine Max_Waves_Per_Cu Family_Id Workgroup_Max_Size Grid_Max_Size Local_Mem_Size Hive_Id Gpu_Id Workgroup_Max_Dim_X Workgroup_Max_Dim_Y Workgroup_Max_Dim_Z Grid_Max_Dim_X Grid_Max_Dim_Y Grid_Max_Dim_Z Name Vendor_Name Product_Name Model_Name"
)

# Every file that is there has the columns of its name, each row as many, texts in quotes and numbers not, and
# at least one row.
check_columns() {
	local file name found=0

	for file in "$1"_*.csv; do
		name=${file#"$1"_}
		name=${name%.csv}
		[ -n "${FIELDS[$name]}" ]
		python3 -c '
import csv, sys
want = sys.argv[2].split()
names, *rows = csv.reader(open(sys.argv[1], newline=""))
assert names == want, names
assert rows and all(len(row) == len(want) for row in rows)
names, *rows = csv.reader(open(sys.argv[1], newline=""), quoting=csv.QUOTE_NONNUMERIC)
texts = ("Domain", "Function", "Kind", "Operation", "Direction", "Address", "Kernel_Name", "Agent_Type")
for row in rows:
    for name, value in zip(want, row):
        number = name == "Domain" and "Node_Id" in want
        text = not number and (name in texts or name.endswith("Agent_Id") or name == "Agent_Id" or name.endswith("Name"))
        assert isinstance(value, str if text else float), (name, value)' "$file" "${FIELDS[$name]}"
		found=$((found + 1))
	done
	[ "$found" -gt 0 ]
}

# The statistics are those of the rows.
check_stats() {
	python3 -c '
import csv, math, os, statistics, sys
from collections import defaultdict
base = sys.argv[1]
def rows(name):
    return list(csv.DictReader(open(base + "_" + name + ".csv", newline="")))
domains = {}
for trace, column, domain in (("hip_api", "Function", "HIP_API"), ("hsa_api", "Function", "HSA_API"),
        ("marker_api", "Function", "MARKER_API"), ("kernel", "Kernel_Name", "KERNEL_DISPATCH"),
        ("memory_copy", "Direction", "MEMORY_COPY"), ("memory_allocation", "Operation", "MEMORY_ALLOCATION"),
        ("scratch_memory", "Operation", "SCRATCH_MEMORY")):
    if not os.path.exists(base + "_" + trace + "_trace.csv"):
        assert not os.path.exists(base + "_" + trace + "_stats.csv")
        continue
    times = defaultdict(list)
    for row in rows(trace + "_trace"):
        times[row[column]].append(int(row["End_Timestamp"]) - int(row["Start_Timestamp"]))
    domains[domain] = [t for of in times.values() for t in of]
    def check(row, of, total):
        assert (int(row["Calls"]), int(row["TotalDurationNs"]), int(row["MinNs"]), int(row["MaxNs"])) == \
            (len(of), sum(of), min(of), max(of)), row
        assert math.isclose(float(row["AverageNs"]), sum(of) / len(of), abs_tol=1e-6)
        assert math.isclose(float(row["Percentage"]), 100 * sum(of) / total if total else 0, abs_tol=0.006)
        assert math.isclose(float(row["StdDev"]), statistics.stdev(of) if len(of) > 1 else 0, rel_tol=1e-6, abs_tol=1e-5)
    stats = rows(trace + "_stats")
    assert sorted(row["Name"] for row in stats) == sorted(times)
    for row in stats:
        check(row, times[row["Name"]], sum(domains[domain]))
    totals = [int(row["TotalDurationNs"]) for row in stats]
    assert totals == sorted(totals, reverse=True)
stats = rows("domain_stats")
assert sorted(row["Name"] for row in stats) == sorted(domains)
for row in stats:
    check(row, domains[row["Name"]], sum(map(sum, domains.values())))' "$1"
}

# bats test_tags=smoke
@test "columns, and what JSON tells of the same trace" {
	for w in vectoradd ranges copies "streams -g 2 -t 2 -s 2 -n 20" resources; do
		echo "$w"
		record_formats csv "$w"
		grep -qF "wrote $T/t_*.csv (csv)" "$T/err"
		check_columns "$T/t"
		sums_json "$T/t.json" >"$T/sums.json"
		sums_csv "$T/t" >"$T/sums.csv"
		without_copy_bytes <"$T/sums.json" >"$T/sums.want"
		same_sums "$T/sums.want" "$T/sums.csv"
		check_stats "$T/t"
		# What there is none of has no file.
		[ "$(ls "$T" | grep -c '^t_marker_api_trace.csv$')" = "$([ "$w" = ranges ] && echo 1 || echo 0)" ]
	done
}

@test "what the simulator ran, and the workload called" {
	record_formats csv "streams -g 2 -t 2 -s 2 -n 20"
	true_ops "$T/truth" | awk -F '\t' '$1 == "dispatch" { gsub("_", " ", $3); print "Agent " $2 + 1 "\t" $3 }' |
		sort >"$T/ran"
	python3 -c '
import csv, sys
for row in csv.DictReader(open(sys.argv[1], newline="")):
    print(row["Agent_Id"], row["Kernel_Name"].replace("_", " "), sep="\t")' "$T/t_kernel_trace.csv" | sort >"$T/told"
	diff "$T/ran" "$T/told"
	[ "$(wc -l <"$T/told")" -gt 20 ]
	made=$(awk '$1 == "calls" && $2 == "hipMemcpyAsync" {print $3}' "$T/out")
	[ "$(grep -c '^"HIP_RUNTIME_API_EXT","hipMemcpyAsync",' "$T/t_hip_api_trace.csv")" = "$made" ]
	grep -q '^"HIP_COMPILER_API_EXT","__hipPushCallConfiguration",' "$T/t_hip_api_trace.csv"
	grep -q '^"HSA_AMD_EXT_API","hsa_amd_memory_async_copy' "$T/t_hsa_api_trace.csv"
	# Both devices, once each.
	[ "$(cut -d, -f1-3 "$T/t_agent_info.csv" | tail -n +2 | tr '\n' ' ')" = '1,1,"GPU" 2,2,"GPU" ' ]
	# Times are CLOCK_BOOTTIME, a correlation ID is that of a call.
	python3 -c '
import csv, sys
calls = {}
for name in "hip", "hsa":
    for row in csv.DictReader(open(sys.argv[1] + "_" + name + "_api_trace.csv", newline="")):
        calls[row["Correlation_Id"]] = int(row["Start_Timestamp"])
for row in csv.DictReader(open(sys.argv[1] + "_kernel_trace.csv", newline="")):
    assert calls[row["Correlation_Id"]] <= int(row["Start_Timestamp"]) < float(open("/proc/uptime").read().split()[0]) * 1e9' "$T/t"
}

@test "exported is what was written at once; a recording's files stand beside it" {
	record_formats csv resources
	mkdir "$T/x"
	cp "$T/t.rtrace" "$T/x/job.rtrace"
	"$RTRACE" export -f csv "$T/x/job.rtrace" 2>"$T/err"
	grep -qF "wrote $T/x/job_*.csv (csv)" "$T/err"
	for f in "$T/t"_*.csv; do
		cmp "$f" "$T/x/job${f#"$T/t"}"
	done
	[ "$(files_in "$T/x" | wc -l)" = "$(($(ls "$T/t"_*.csv | wc -l) + 1))" ]
	"$RTRACE" export -f csv -o "$T/x/named" "$T/t.rtrace" 2>"$T/err"
	cmp "$T/x/named_hip_api_trace.csv" "$T/t_hip_api_trace.csv"
	[ "$(stat -c %a "$T/t"_*.csv | sort -u)" = 600 ]
	# A file of an earlier trace that this one has no rows for is not taken for its own.
	echo old >"$T/x/named_marker_api_trace.csv"
	"$RTRACE" export -f csv -o "$T/x/named" "$T/t.rtrace" 2>"$T/err"
	[ ! -e "$T/x/named_marker_api_trace.csv" ]
}

@test "hostile names stay in their fields" {
	cat >"$T/marks.py" <<-EOT
		import ctypes
		roctx = ctypes.CDLL("$O/libroctx64.so.4")
		for name in (b'a "quoted", name', b'two\nlines', b'"\n"MARKER_CORE_RANGE_API","forged",1,1,1,1,1',
		        b'=cmd|x', b'\x1b[31m\xff\xc2\x9b', b'', b'"', b',', b'a\r\nb'):
		    roctx.roctxMarkA(name)
	EOT
	"$RTRACE" -f csv -o "$T/t" -- python3 "$T/marks.py" 2>"$T/err"
	check_columns "$T/t"
	python3 -c '
import csv, sys
names = [row["Function"] for row in csv.DictReader(open(sys.argv[1], newline="", encoding="utf-8"))
         if row["Domain"] == "MARKER_CORE_RANGE_API"]
assert names == ["a \"quoted\", name", "two\nlines", "\"\n\"MARKER_CORE_RANGE_API\",\"forged\",1,1,1,1,1",
    "=cmd|x", "?[31m\ufffd?", "", "\"", ",", "a\r\nb"], names' "$T/t_marker_api_trace.csv"
}

@test "not to stdout, not through a symbolic link, not into a folder that is not there" {
	record_formats csv vectoradd
	fails 2 '-o -: csv writes files, not to stdout' "$RTRACE" export -f csv -o - "$T/t.rtrace"
	fails 2 '-o -: csv writes files, not to stdout' "$RTRACE" -f csv -o - -- true
	fails 1 'output: /nonexistent/x_\*\.csv: No such file' "$RTRACE" export -f csv -o /nonexistent/x "$T/t.rtrace"
	mkdir "$T/x"
	echo precious >"$T/target"
	ln -s "$T/target" "$T/x/l_memory_copy_trace.csv"
	ln -s "$T/target" "$T/x/l.text"
	fails 1 'output: .*/l_\*\.csv: a symbolic link, which is not followed' \
		"$RTRACE" export -f csv -o "$T/x/l" "$T/t.rtrace"
	fails 1 'output: .*/l\.text: a symbolic link, which is not followed' \
		"$RTRACE" export -f text -o "$T/x/l.text" "$T/t.rtrace"
	[ "$(cat "$T/target")" = precious ]
	# What was made before it is gone again.
	[ "$(files_in "$T/x" | tr '\n' ' ')" = "l.text l_memory_copy_trace.csv " ]
	# A name that another file has too is taken away from it, not written through.
	ln "$T/target" "$T/x/h.text"
	"$RTRACE" export -f text -o "$T/x/h.text" "$T/t.rtrace" 2>"$T/err"
	[ "$(cat "$T/target")" = precious ]
	grep -q hipLaunchKernel "$T/x/h.text"
}

@test "nothing recorded: nothing left" {
	mkdir "$T/x"
	fails 1 'no such process' "$RTRACE" -f csv -f text -o "$T/x/t" -p 4194000
	sleep 30 3>&- &
	JOBS_STARTED+=($!)
	fails 1 'nothing to trace' "$RTRACE" -f csv -f json -o "$T/x/t" -p $!
	[ -z "$(files_in "$T/x")" ]
	# What was begun before another file cannot be made.
	ln -s nowhere "$T/x/t.json"
	fails 1 'output: .*/t\.json: a symbolic link' "$RTRACE" -f csv -f text -f json -o "$T/x/t" -- true
	rm "$T/x/t.json"
	[ -z "$(files_in "$T/x")" ]
	# A command that makes no calls has no rows.
	"$RTRACE" -f csv -o "$T/x/t" -- true 2>"$T/err"
	[ -z "$(files_in "$T/x")" ]
}

@test "files are the user's who called sudo" {
	record_formats csv vectoradd
	mkdir "$T/x"
	SUDO_UID=1234 SUDO_GID=2345 "$RTRACE" export -f csv -f json -o "$T/x/t" "$T/t.rtrace" 2>"$T/err"
	[ "$(stat -c '%u %g %a' "$T/x"/* | sort -u)" = "1234 2345 600" ]
	[ "$(files_in "$T/x" | wc -l)" -gt 5 ]
	SUDO_UID=x SUDO_GID= "$RTRACE" export -f json -o "$T/x/o" "$T/t.rtrace" 2>"$T/err"
	[ "$(stat -c '%u' "$T/x/o")" = 0 ]
}

@test "a full disk is said" {
	record_formats csv "streams -g 2 -t 2 -s 2 -n 20"
	mkdir "$T/x"
	(
		trap '' XFSZ
		ulimit -f 4
		fails 1 'output: write .*/t_\*\.csv: File too large' "$RTRACE" export -f csv -o "$T/x/t" "$T/t.rtrace"
	)
}

teardown() {
	end_jobs
}
