# SPDX-License-Identifier: MIT
# bats file_tags=inproc
# The tool library with the real HIP and HSA, loaded as rocprof has it loaded: what its files say is what workloads
# count, what the simulated GPU says it ran, and what the tracer writes into files of the same form.

load ../common
load ../gpu
load ../formats
load ../sums

# told [NAME=VALUE...] WORKLOAD ARGS...: with the tool, which writes into the folder `files`.
told() {
	rm -rf "$T/files" "$T/truth"
	mkdir "$T/files"
	told_into_files "$@"
	not grep -v '^Warning: Resource leak detected by SharedSignalPool' "$T/err" # of HSA's
}

told_into_files() {
	with_tool "$@" || { hip_ended_it && with_tool "$@"; } || {
		cat "$T/out" "$T/err"
		return 1
	}
	grep -q '^result PASSED$' "$T/out"
}

with_tool() {
	sim HSA_TOOLS_LIB="$O/roctracer/libroctracer_tool.so" ROCP_OUTPUT_DIR="$T/files" SIMKFD_GPUS=2 \
		SIMKFD_DRIFT_PPM=200 SIMKFD_TRUTH="$T/truth" "$@" >"$T/out" 2>"$T/err"
}

# lines NAME: of all processes, as rocprof merges them.
lines() {
	find "$T/files" -name "[0-9]*_$1" -exec cat {} + 2>/dev/null
}

# calls_told NAME: FUNCTION TID BEGIN END CORR
calls_told() {
	lines "$1" | sed -E 's/^([0-9]+):([0-9]+) [0-9]+:([0-9]+) (\w+)\(.* :([0-9]+)$/\4 \3 \1 \2 \5/'
}

# Every line has the form of its file; ids are unique in their process.
check_lines() {
	python3 -c '
import os, re, sys
forms = {
    "hip_api_trace.txt": r"\d+:\d+ PID:\d+ [A-Za-z_]\w*\(.*\)(?: kernel=.+)? :([1-9]\d*)",
    "hsa_api_trace.txt": r"\d+:\d+ PID:\d+ hsa_\w+\(.*\) = \S+ :([1-9]\d*)",
    "hcc_ops_trace.txt": r"\d+:\d+ \d+:\d+ [^:]+:[1-9]\d*:PID",
    "roctx_trace.txt": "\\d+ PID:\\d+ [0-4]:\\d+:\".*\"",
    "hsa_handles.txt": r"0x[0-9a-f]+ agent [cg]pu",
    "begin_ts_file.txt": r"[1-9]\d*",
}
ids = set()
for file in os.listdir(sys.argv[1]):
    pid, name = file.split("_", 1)
    text = open(os.path.join(sys.argv[1], file), newline="").read()
    assert text.endswith("\n")
    for line in text[:-1].split("\n"):
        m = re.fullmatch(forms[name].replace("PID", pid), line)
        assert m, (file, line)
        times = re.match(r"(\d+):(\d+) ", line)
        assert not times or 0 < int(times[1]) <= int(times[2]), line
        if m.groups():
            assert (pid, m[1]) not in ids, line
            ids.add((pid, m[1]))
assert ids' "$T/files"
}

# The HIP calls that are in no other one are those that the workload counts, but for those around main. (HIP 5.2 tells
# no tool of hipGetDeviceCount.)
check_calls() {
	awk '$1 == "calls" && $2 ~ /^(hip|__hipP)/ && $2 != "hipGetDeviceCount" { n[$2] += $3 }
		END { for (f in n) print f, n[f] }' "$T/out" | sort >"$T/want"
	[ -s "$T/want" ]
	calls_told hip_api_trace.txt | grep -v '^hipGetDeviceCount ' | sort -k2,2n -k3,3n -k4,4nr |
		awk '$2 != tid { tid = $2; end = 0 } $3 >= end { end = $4; n[$1]++ } END { for (f in n) print f, n[f] }' | sort >"$T/got"
	diff "$T/want" "$T/got"
}

# Every dispatch of the truth log is recorded, within 1 us, by its name, as that of a call that launches. (HIP's own kernels are copies and fills, to it.)
check_dispatches() {
	true_ops "$T/truth" | awk -F '\t' '$1 == "dispatch" && $3 !~ /^__amd_rocclr/ {
		sub(/[(<].*/, "", $3); sub(/.*[_ :]/, "", $3); print $5, $6, $3 }' | sort -n >"$T/ran"
	lines hcc_ops_trace.txt | grep -vE ' (Copy|Fill|Memcpy|Memset|Marker|__amd_rocclr)' | sed -E 's/^([0-9]+):([0-9]+) [0-9]+:[0-9]+ ([^:]+):.*/\1 \2 \3/' |
		sort -n >"$T/kernels"
	[ -s "$T/ran" ] || [ "${1:-}" = none ]
	same_dispatches "$T/ran" "$T/kernels"
	awk 'NR == FNR { sub(/\(.*/, "", $3); call[$NF] = $3; kernel[$NF] = /kernel=/; next }
		{ split($3, of, ":"); f = call[":" of[2]] }
		$3 ~ /^(Copy|Fill)/ && f !~ /^hip(Mem|GraphLaunch)/ || $3 ~ /^KernelExecution/ ||
			$3 !~ /^(Copy|Fill|Marker)/ && !kernel[":" of[2]] && f != "hipGraphLaunch" {
			print f ": " $0; bad++ }
		END { exit bad > 0 }' <(lines hip_api_trace.txt) <(lines hcc_ops_trace.txt)
}

# The copies that the workload counts, and no others. (In graphs of HIP 6 they are kernels of HIP's own.)
check_copies() {
	[ "$(awk '$1 == "copies" { n += $3 } END { print n + 0 }' "$T/out")" = "$(lines hcc_ops_trace.txt | grep -cE ' (Copy|__amd_rocclr_copyBuffer)')" ]
}

@test "exactly what a tool needs is exported" {
	nm -D --defined-only "$O/roctracer/libroctracer_tool.so" | awk '{ print $NF }' | sort >"$T/got"
	diff <(printf '%s\n' HSA_AMD_TOOL_PRIORITY OnLoad OnUnload) "$T/got"
	readelf -d "$O/roctracer/libroctracer_tool.so" | grep -q 'NEEDED.*\[libroctracer64.so.4\]'
	readelf -d "$O/roctracer/libroctracer_tool.so" | grep -qF "[\$ORIGIN/..]"
}

@test "calls, kernels and copies, of each workload" {
	for w in vectoradd "streams -g 2 -t 4 -s 2 -n 20" graphs copies module events matrixtranspose; do
		echo "$w"
		# shellcheck disable=SC2086 # words
		told ROCTRACER_DOMAIN=hip "$O/workloads/"$w
		check_lines
		check_calls
		if [ "$w" = copies ]; then check_dispatches none; else check_dispatches; fi
		check_copies
		[ "$(lines begin_ts_file.txt | wc -l)" = 1 ]
		[ "$(lines begin_ts_file.txt)" -le "$(lines hip_api_trace.txt | cut -d : -f 1 | sort -n | head -n 1)" ]
		[ "$(lines hsa_handles.txt | sort -u | grep -c ' agent gpu$')" = 2 ]
		lines hsa_handles.txt | grep -q ' agent cpu$'
		[ -z "$(lines hsa_api_trace.txt)$(lines roctx_trace.txt)$(lines async_copy_trace.txt)" ]
	done
}

# same_calls TRACER TOOL PATTERN: the lines of calls are the same but for times and IDs, of functions that both record. Those
# that match the pattern may differ.
same_calls() {
	python3 -c '
import re, sys
from collections import Counter
def calls(path):
    for line in open(path):
        call = re.fullmatch(r"\d+:\d+ (.*) :\d+\n", line)[1]
        if not re.search(sys.argv[3], call):
            yield re.split("[ (]", call)[1], call
tracer, tool = (list(calls(path)) for path in sys.argv[1:3])
hip = "hip" in sys.argv[1].rsplit("/", 1)[1]
of = set(f for f, _ in tool)
want, got = Counter(c for f, c in tracer if f in of or not hip), Counter(c for f, c in tool)
for call in list(want - got) + list(got - want if hip else []):
    print("tracer" if call in want else "tool", call)
assert not want - got and not (hip and got - want)
assert sum(want.values()) > 10' "$1" "$2" "$3"
}

with_tool_and_tracer() {
	rm -rf "$T/files" "$T/t"
	mkdir "$T/files"
	sim HSA_TOOLS_LIB="$O/roctracer/libroctracer_tool.so" ROCP_OUTPUT_DIR="$T/files" ROCTRACER_DOMAIN=hip:hsa \
		SIMKFD_GPUS=2 "$RTRACE" -t hip,hsa,gpu -f roctracer -o "$T/t" -- "$@" >"$T/out" 2>"$T/err"
}

# bats test_tags=traces
@test "arguments are those that the tracer decodes by other means" {
	for w in vectoradd "streams -g 2 -t 2 -s 2 -n 20" module; do
		read -ra command <<<"$O/workloads/$w"
		with_tool_and_tracer "${command[@]}" || { hip_ended_it && with_tool_and_tracer "${command[@]}"; } || { cat "$T/err"; false; }
		grep -q '^result PASSED$' "$T/out"
		not grep -q 'was not probed' "$T/err"
		check_calls
		same_calls "$T/t/hip_api_trace.txt" <(lines hip_api_trace.txt) '^$'
		# The agent puts its own signals into copies; what the tool was loaded in the midst of, and what is in no table.
		same_calls "$T/t/hsa_api_trace.txt" <(lines hsa_api_trace.txt) 'async_copy|hsa_init|hsa_shut_down|image_get_info_max_dim| = \?$'
	done
}

@test "loaded as rocprof has it loaded, with libraries beside it" {
	# A list with blanks; ROC-TX's library is no tool, and roctracer's is called by the runtime as well.
	for tools in " $O/libroctx64.so.4 $O/roctracer/libroctracer_tool.so" "$O/libroctracer64.so.4 $O/roctracer/libroctracer_tool.so" \
		"$O/roctracer/libroctracer_tool.so $O/librtrace-agent.so $O/libroctracer64.so.4"; do
		told LD_PRELOAD="$O/libroctracer64.so.4 $O/libsimkfd.so" HSA_TOOLS_LIB="$tools" ROCTRACER_DOMAIN=:roctx:sys \
			ROCP_MERGE_PIDS=1 "$O/workloads/ranges" -i 5 -t 3
		check_lines
		check_calls
		check_dispatches
		check_ranges 5 3
		lines hsa_api_trace.txt | grep -qE ' hsa_signal_store_(relaxed|screlease)\('
	done
}

@test "HSA's calls of a program of HSA alone, and its copies" {
	rm -rf "$T/files"
	mkdir "$T/files"
	touch "$T/go"
	told_into_files ROCTRACER_DOMAIN=hsa "$O/workloads/hsa_calls" "$T/go" 50
	check_lines
	awk '$1 == "calls" && $2 ~ /^hsa/ && $2 !~ /hsa_(agent_get_info|shut_down)/ { print $2, $3 }' "$T/out" | sort >"$T/want"
	[ "$(wc -l <"$T/want")" -gt 4 ]
	calls_told hsa_api_trace.txt | awk '{ n[$1]++ } END { for (f in n) print f, n[f] }' | sort >"$T/got"
	diff "$T/want" <(join "$T/got" <(cut -d ' ' -f 1 "$T/want"))
	[ ! -s "$T/err" ]
	[ -z "$(lines hip_api_trace.txt)$(lines hcc_ops_trace.txt)" ]
	rm -rf "$T/files" "$T/truth"
	mkdir "$T/files"
	told_into_files ROCTRACER_DOMAIN=hsa "$O/workloads/hsa_dispatch" -n 20
	true_ops "$T/truth" | awk -F '\t' '$1 == "copy" { print $5, $6 }' | sort -n >"$T/ran"
	lines async_copy_trace.txt | sed 's/^\([0-9]*\):\([0-9]*\) async-copy:\([0-9]*\):[0-9]*$/\1 \2 \3/' | sort -n >"$T/copies"
	[ "$(wc -l <"$T/ran")" -ge 2 ]
	[ "$(wc -l <"$T/ran")" = "$(wc -l <"$T/copies")" ]
	paste -d ' ' "$T/ran" "$T/copies" | awk '
		function apart(a, b) { return a > b ? a - b : b - a }
		apart($1, $3) > 1000 || apart($2, $4) > 1000 { bad++; print } END { exit bad > 0 }'
	diff <(cut -d ' ' -f 3 "$T/copies" | sort) \
		<(calls_told hsa_api_trace.txt | awk '$1 ~ /^hsa_amd_memory_async_copy/ { print $5 }' | sort)
}

@test "ranges and marks, in the order of each thread, with what ends without a begin left out" {
	told ROCTRACER_DOMAIN=roctx "$O/workloads/ranges" -i 5 -t 3
	check_ranges 5 3
	[ -z "$(lines hip_api_trace.txt)" ]
	told LD_PRELOAD="$O/roctracer/libroctracer_tool.so $O/libsimkfd.so" ROCTRACER_DOMAIN=:roctx:sys "$O/workloads/ranges" -i 5 -t 3
	check_ranges 5 3
	check_calls
	check_dispatches
}

# check_ranges ITERATIONS THREADS: what the workload opens and closes, as readers pair it.
check_ranges() {
	lines roctx_trace.txt | python3 -c '
import re, sys
from collections import Counter
stacks, started, closed = {}, {}, Counter()
for line in sys.stdin:
    time, task, op, number, message = re.fullmatch("(\\d+) (\\d+:\\d+) (\\d):(\\d+):\"(.*)\"\n", line).groups()
    if op == "0":
        closed[message] += 1
    elif op == "1":
        stacks.setdefault(task, []).append((message, int(time)))
    elif op == "2":
        message, begin = stacks[task].pop()
        assert begin <= int(time)
        closed[message, len(stacks[task])] += 1
    elif op == "3":
        started[number] = message, task
    else:
        message, by = started.pop(number)
        assert by != task
        closed[message] += 1
n = int(sys.argv[1]) * int(sys.argv[2])
want = {"between the kernels": n, "across threads": n, ("iteration", 0): n, ("add", 1): n, ("xor", 1): n}
assert closed == want, closed
assert not started and sum(map(len, stacks.values())) == 1' "$1" "$2"
}

@test "ends of ranges that began before the tool was loaded are left out" {
	cat >"$T/early.py" <<-EOT
		import ctypes
		roctx = ctypes.CDLL("$O/libroctx64.so.4")
		hsa = ctypes.CDLL("libhsa-runtime64.so.1")
		roctx.roctxRangeStartA.restype = ctypes.c_uint64
		early = roctx.roctxRangeStartA(b"early")
		roctx.roctxRangePushA(b"early")
		assert hsa.hsa_init() == 0
		late = roctx.roctxRangeStartA(b"late")
		roctx.roctxRangePushA(b"late")
		for id in early, late:
		    roctx.roctxRangePop()
		    roctx.roctxRangeStop(ctypes.c_uint64(id))
		print("result PASSED")
	EOT
	told ROCTRACER_DOMAIN=roctx python3 "$T/early.py"
	[ "$(lines roctx_trace.txt | cut -d ' ' -f 3- | tr '\n' ' ')" = '3:2:"late" 1:0:"late" 2:0:"" 4:2:"" ' ]
}

# leaves OPTION...: `leaving` with the tool, and all is known.
leaves() {
	sim SIMKFD_GPUS=2 "$O/workloads/leaving" -t 4 -n 50 >"$T/out" 2>&1 || skip "this HIP ends by a signal at such an exit(), with no tool"
	told ROCTRACER_DOMAIN=hip "$@" "$O/workloads/leaving" -t 4 -n 50
	check_lines
	check_calls
	check_dispatches
	[ "$(wc -l <"$T/ran")" = "$(awk '$1 == "calls" && $2 == "hipLaunchKernel" { print $3 }' "$T/out")" ]
}

@test "exit() out of the middle: all calls, and all that the GPUs did" {
	leaves
}

@test "the same where the threads that HIP reports with get no CPU for long" {
	leaves LD_PRELOAD="$O/tests/slow_events.so $O/libsimkfd.so"
}

@test "what is known at exit() is written before destructors, which may not come to their end" {
	cat >"$T/cut.py" <<-EOT
		import ctypes
		libc = ctypes.CDLL(None)
		hsa = ctypes.CDLL("libhsa-runtime64.so.1")
		roctx = ctypes.CDLL("$O/libroctx64.so.4")
		assert libc.__cxa_atexit(libc._exit, None, None) == 0
		assert hsa.hsa_init() == 0
		roctx.roctxMarkA(b"mark")
		print("result PASSED", flush=True)
	EOT
	told ROCTRACER_DOMAIN=roctx python3 "$T/cut.py"
	lines roctx_trace.txt | grep -q ':"mark"$'
}

@test "errors are the application's: what it asks HIP for is what its own calls left" {
	cat >"$T/errors.py" <<-EOT
		import ctypes, glob
		hip = ctypes.CDLL(glob.glob("/usr/lib/x86_64-linux-gnu/libamdhip64.so.[0-9]")[0])
		class Dim3(ctypes.Structure):
		    _fields_ = [(c, ctypes.c_uint32) for c in "xyz"]
		pointer, one, size = ctypes.c_void_p(), Dim3(1, 1, 1), ctypes.c_size_t
		def show(what, error):
		    print(what, error, hip.hipPeekAtLastError(), hip.hipGetLastError(), hip.hipGetLastError())
		show("alloc", hip.hipMalloc(ctypes.byref(pointer), size(1 << 60)))
		show("launch", hip.hipLaunchKernel(None, one, one, None, size(0), None))
		show("launch", hip.hipModuleLaunchKernel(None, 1, 1, 1, 1, 1, 1, 0, None, None, None))
		show("free", hip.hipFree(ctypes.c_void_p(16)))
		print("result PASSED")
	EOT
	sim python3 "$T/errors.py" >"$T/want"
	[ "$(awk '$2 != 0 && $2 == $3' "$T/want" | wc -l)" -ge 3 ]
	told ROCTRACER_DOMAIN=hip python3 "$T/errors.py"
	diff "$T/want" "$T/out"
	lines hip_api_trace.txt | grep -q 'hipLaunchKernel(function_address=NULL, .*) :'
}

@test "forked children have files of their own" {
	told ROCTRACER_DOMAIN=hip "$O/workloads/forker" -c 3 -n 20
	check_lines
	[ "$(find "$T/files" -name '*_hip_api_trace.txt' | wc -l)" = 4 ]
	awk '$1 == "process" { pid = $2 } $1 == "calls" && $2 ~ /^(hip|__hipP)/ { print pid, $2, $3 }' "$T/out" | sort >"$T/want"
	[ -s "$T/want" ]
	for f in "$T/files"/*_hip_api_trace.txt; do
		sed -E 's/^[0-9]+:[0-9]+ ([0-9]+):[0-9]+ (\w+)\(.*/\1 \2/' "$f"
	done | sort | uniq -c | awk '{ print $2, $3, $1 }' | sort >"$T/got"
	diff "$T/want" "$T/got"
	for f in "$T/files"/*_hcc_ops_trace.txt; do
		grep -c ' elementAdd:' "$f"
	done | sort -n | tr '\n' ' ' >"$T/kernels"
	[ "$(cat "$T/kernels")" = "20 20 20 40 " ]
}

@test "a child of a process that is traced already writes nothing of its parent's" {
	cat >"$T/child.py" <<-EOT
		import ctypes, os
		roctx = ctypes.CDLL("$O/libroctx64.so.4")
		hsa = ctypes.CDLL("libhsa-runtime64.so.1")
		assert hsa.hsa_init() == 0
		roctx.roctxMarkA(b"parent")
		pid = os.fork()
		roctx.roctxMarkA(b"child" if pid == 0 else b"parent again")
		if pid == 0:
		    raise SystemExit
		assert os.waitpid(pid, 0)[1] == 0
		print("result PASSED")
	EOT
	told ROCTRACER_DOMAIN=roctx python3 -W ignore "$T/child.py"
	[ "$(find "$T/files" -name '*_roctx_trace.txt' -exec cat {} + | sed 's/.*0:0://' | LC_ALL=C sort | tr '\n' ' ')" = '"child" "parent again" "parent" ' ]
	for f in "$T/files"/*_roctx_trace.txt; do
		[ "$(cut -d ' ' -f 2 "$f" | cut -d : -f 1 | sort -u)" = "$(basename "${f%_roctx*}")" ]
	done
}

@test "a folder that is not there, or cannot be written to, or none: one line, and the program goes on" {
	refused 'ROCP_OUTPUT_DIR=/nonexistent/x: No such file or directory: nothing is recorded' ROCP_OUTPUT_DIR=/nonexistent/x
	refused 'ROCP_OUTPUT_DIR is not set: nothing is recorded' -u ROCP_OUTPUT_DIR
	echo file >"$T/file"
	refused '.*/file/[0-9]+_begin_ts_file.txt: Not a directory: nothing is recorded any more' ROCP_OUTPUT_DIR="$T/file"
	refused '/proc/[0-9]+_begin_ts_file.txt: .*: nothing is recorded any more' ROCP_OUTPUT_DIR=/proc
	# A disk that fills up.
	mkdir "$T/files"
	cat >"$T/fill.sh" <<-EOT
		ln -s /dev/full "$T/files/\$\$_hip_api_trace.txt"
		exec "$O/workloads/vectoradd"
	EOT
	refused '.*/files/[0-9]+_hip_api_trace.txt: No space left on device: nothing is recorded any more' \
		ROCP_OUTPUT_DIR="$T/files" bash "$T/fill.sh"
}

# refused PATTERN [VARIABLE...] [COMMAND...]
refused() {
	local pattern=$1

	shift
	[[ "${*: -1}" == *.sh ]] || set -- "$@" "$O/workloads/vectoradd"
	sim HSA_TOOLS_LIB="$O/roctracer/libroctracer_tool.so" ROCTRACER_DOMAIN=hip ROCP_OUTPUT_DIR= env "$@" >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	cat "$T/err"
	[ "$(wc -l <"$T/err")" = 1 ]
	grep -qE "^libroctracer_tool: $pattern\$" "$T/err"
}

@test "nothing is written to stdout" {
	sim "$O/workloads/vectoradd" | grep -v '^elapsed' >"$T/alone"
	told ROCTRACER_DOMAIN=sys:roctx ROCP_FLUSH_RATE=1000 ROCP_CTRL_RATE=0:1000:2000 "$O/workloads/vectoradd"
	diff "$T/alone" <(grep -v '^elapsed' "$T/out")
}

@test "ROCP_INPUT: functions by name" {
	echo '<trace name="HIP"><parameters api="hipFree, hipMalloc"></parameters></trace>' >"$T/input.xml"
	told ROCP_INPUT="$T/input.xml" "$O/workloads/vectoradd" -i 3
	[ "$(calls_told hip_api_trace.txt | cut -d ' ' -f 1 | sort | uniq -c | awk '{ print $1, $2 }' | tr '\n' ' ')" = "9 hipFree 9 hipMalloc " ]
	# What was launched by calls that are left out.
	[ -z "$(lines hcc_ops_trace.txt)" ]
	echo '<trace name="HIP"><parameters api="hipMalloc, hipNone"></parameters></trace>' >"$T/input.xml"
	told_into_files ROCP_INPUT="$T/input.xml" "$O/workloads/vectoradd"
	[ "$(wc -l <"$T/err")" = 1 ]
	grep -q '^libroctracer_tool: ROCP_INPUT: .*"hipNone"' "$T/err"
	# What rocprof writes where nothing is asked for.
	echo '<metric></metric>' >"$T/input.xml"
	told ROCTRACER_DOMAIN=:hip ROCP_INPUT="$T/input.xml" "$O/workloads/vectoradd"
	check_calls
}

@test "ROCP_CTRL_RATE: when the application says so, and at times" {
	told LD_PRELOAD="$O/libroctracer64.so.4 $O/libsimkfd.so" ROCTRACER_DOMAIN=:hip ROCP_CTRL_RATE=-1:0:0 \
		"$O/workloads/windows" -m launch
	calls_told hip_api_trace.txt | awk '{ n[$1]++ } END { for (f in n) print f, n[f] }' | sort >"$T/got"
	awk '$1 == "inside" { print $2, $3 }' "$T/out" | sort >"$T/want"
	[ -s "$T/want" ]
	diff "$T/want" "$T/got"
	[ "$(lines hcc_ops_trace.txt | grep -c ' elementAdd:')" = "$(awk '$1 == "ran" { print $3 }' "$T/out")" ]
	told ROCTRACER_DOMAIN=:hip ROCP_CTRL_RATE=0:3000:6000 "$O/workloads/vectoradd" -i 200
	check_lines
	made=$(awk '$1 == "calls" && $2 == "hipMalloc" { print $3 }' "$T/out")
	n=$(calls_told hip_api_trace.txt | grep -c '^hipMalloc ')
	[ "$n" -gt 0 ]
	[ "$n" -lt "$made" ]
}

@test "ROCP_FLUSH_RATE: what there is can be read while the program runs" {
	rm -rf "$T/files" "$T/go"
	mkdir "$T/files"
	start_job HSA_TOOLS_LIB="$O/roctracer/libroctracer_tool.so" ROCTRACER_DOMAIN=hip ROCP_OUTPUT_DIR="$T/files" \
		ROCP_FLUSH_RATE=50000 "$O/workloads/job" -d 1000000
	go
	wait_for grep -q hipLaunchKernel "$T/files/${job}_hip_api_trace.txt"
	wait_for grep -q ' elementAdd:' "$T/files/${job}_hcc_ops_trace.txt"
}

@test "ROCP_TRUNCATE_NAMES, and names as they are" {
	told ROCTRACER_DOMAIN=hip "$O/workloads/vectoradd"
	lines hip_api_trace.txt | grep -qF 'kernel=void fillWith<float>(float*, float, unsigned int) :'
	lines hcc_ops_trace.txt | grep -q ' fillWith:'
	told ROCTRACER_DOMAIN=hip ROCP_TRUNCATE_NAMES=1 "$O/workloads/vectoradd"
	lines hip_api_trace.txt | grep -q ') kernel=fillWith :'
	! lines hip_api_trace.txt | grep -qF 'float*'
}

@test "a small buffer for records loses none; what makes no sense is said and left out" {
	told ROCTRACER_DOMAIN=hip ROCTRACER_BUFFER_SIZE=100 "$O/workloads/streams" -g 2 -t 4 -s 2 -n 20
	check_dispatches
	for setting in ROCTRACER_BUFFER_SIZE=0 ROCTRACER_BUFFER_SIZE=12x ROCP_FLUSH_RATE=-1 ROCP_CTRL_RATE=1:2 \
		ROCP_CTRL_RATE=1:3:2 ROCP_CTRL_RATE=1:0:2 ROCTRACER_DOMAIN=hip:kfd ROCTRACER_PLUGIN_LIB=other.so ROCP_INPUT=/nonexistent/x; do
		echo "$setting"
		rm -rf "$T/truth" "$T/files"
		mkdir "$T/files"
		told_into_files ROCTRACER_DOMAIN=hip "$setting" "$O/workloads/vectoradd"
		[ "$(wc -l <"$T/err")" = 1 ]
		grep -q "^libroctracer_tool: ${setting%%=*}[=:]" "$T/err"
		check_dispatches
	done
}

# bats test_tags=slow
@test "no memory to speak of is taken" {
	cat >"$T/peak.py" <<-EOT
		import ctypes
		hsa = ctypes.CDLL("libhsa-runtime64.so.1")
		assert hsa.hsa_init() == 0
		status = dict(line.split(":") for line in open("/proc/self/status"))
		print("peak", status["VmHWM"].split()[0])
		print("result PASSED")
	EOT
	told ROCTRACER_DOMAIN=sys:roctx python3 "$T/peak.py"
	with=$(awk '$1 == "peak" { print $2 }' "$T/out")
	without=$(sim python3 "$T/peak.py" | awk '$1 == "peak" { print $2 }')
	echo "$with KiB, $without KiB without"
	[ $((with - without)) -lt 16384 ]
}

# bats test_tags=slow,tsan
@test "ThreadSanitizer: no data race" {
	nm -D "$O/tsan/roctracer/libroctracer_tool.so" | grep -q __tsan_write
	for hip in 52 57 64; do
		setarch -R "$O/tsan/tests/test_roctracer_tool_$hip" >"$T/out" 2>&1 || { grep -A 30 "WARNING: Thr\|FAILED" "$T/out" | head -n 60; false; }
		not grep ThreadSanitizer "$T/out"
	done
}

teardown() {
	end_jobs
}
