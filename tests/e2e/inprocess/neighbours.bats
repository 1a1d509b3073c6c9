#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=inproc,traces
# What else may be in the application's process: it works as it does without us, and what is traced is true.

load ../common
load ../gpu

AGENT=$O/librtrace-agent.so

teardown() {
	end_jobs
}

launched() {
	fresh truth
	sim SIMKFD_TRUTH="$T/truth" "$RTRACE" "$@" -f json -o "$T/t.json" -- "${PROGRAM[@]}" >"$T/out" 2>"$T/err"
}

attached() {
	fresh go truth
	start_job HSA_TOOLS_LIB="$AGENT" "${PROGRAM[@]}"
	start_tracing "$RTRACE" "$@" -p "$job" -f json -o "$T/t.json"
	go
	wait "$job"
	wait "$tracer"
}

# each_way COMMAND...: that, after the program was traced in each way
each_way() {
	local how

	for how in "launched" "launched --capture uprobe" "attached" "attached --capture uprobe"; do
		echo "$how"
		# shellcheck disable=SC2086 # words
		$how
		cat "$T/err"
		grep -q '^result PASSED$' "$T/out"
		"$@"
	done
}

# beside LIBRARIES [NAME=VALUE...] -- COMMAND...: sets PROGRAM, the command with these preloaded before the simulated GPU
beside() {
	local set=()

	PROGRAM=(env LD_PRELOAD="$1 $O/libsimkfd.so")
	shift
	while [ "$1" != -- ]; do
		set+=("$1")
		shift
	done
	PROGRAM+=("${set[@]}" "${@:2}")
}

# Calls and operations of a program in which nothing is in the way.
all_is_true() {
	nothing_lost "$T/err" 'GPU operations'
	check_counts "$T/out" "$T/t.json"
	json_trace "$T/t.json" nesting causes
}

wrapped_is_true() {
	nothing_lost "$T/err"
	check_counts "$T/out" "$T/t.json" '^hipGetDevice$'
}

@test "a tool that has made imports writable and writes to them: it goes on so, and each call is traced" {
	PROGRAM=("$O/workloads/wrapped")
	sim "${PROGRAM[@]}" | grep -q '^result PASSED$'
	each_way wrapped_is_true
}

# By a library that says another time than the kernel.
moved_is_true() {
	all_is_true
	check_truth "$T/truth" "$T/t.json"
	# Each call takes time, and all of them less than a minute.
	jq -e '[.traceEvents[] | select(.ph == "X" and .cat == "hip")] |
		(map(select(.name == "hipStreamSynchronize" and .dur <= 0)) | length == 0) and
		(map(.ts + .dur) | max) - (map(.ts) | min) < 60e6' "$T/t.json"
}

@test "a library that moves all clocks: times are the kernel's, and each operation has its own" {
	local hour=3600000000000

	for by in $hour -$hour; do
		beside "$O/tests/elsewhere.so" ELSEWHERE_ALL_CLOCKS=1 ELSEWHERE_AHEAD_NS="$by" -- "$O/workloads/job" -n 50 -t 2
		launched
		cat "$T/err"
		moved_is_true
		grep -q '^result PASSED$' "$T/out"
	done
}

# ---- functions of the C library that the application has replaced ----

# The functions that ours have called through those of the application.
replaced() {
	awk '$2 > 0 { print $1 }' "$T/replaced" | LC_ALL=C sort -u
}

@test "functions of the C library that ours call: the table in docs has each, and no other" {
	sed -n '/^## The C library/,/^## See also/s/^| [^|]* | \(`[^|]*\) |.*/\1/p' docs/reference/neighbours.md | grep -o '`[^`]*`' | tr -d '`' |
		LC_ALL=C sort >"$T/said"
	sed 's/REPLACE(\(.*\), .*/\1/' "$O/gen/replaced_names.h" | diff "$T/said" -
}

@test "each function of the C library replaced, errno changed by all: the agent and libroctx64 go on so" {
	beside "$O/agent/libreplaced.so" REPLACED_LOG="$T/replaced" -- "$O/workloads/job" -n 50 -t 2
	each_way all_is_true
	replaced >"$T/called"
	# Memory, mappings, files, threads, signals, loader.
	for name in malloc calloc free mmap madvise open read ioctl close pthread_create pthread_mutex_lock pthread_sigmask getenv dlopen; do
		grep -qx "$name" "$T/called" || { echo "never called: $name"; false; }
	done
	beside "$O/agent/libreplaced.so" -- "$O/workloads/ranges"
	launched
	all_is_true
}

# What is replaced makes marks by itself, as some wrappers of allocators and of files do: also while we record a call.
@test "replaced functions that make marks: no call waits for itself, all are in the trace" {
	local made

	beside "$O/agent/libreplaced.so" REPLACED_MARK=1 REPLACED_LOG="$T/replaced" -- "$O/workloads/ranges"
	for how in "" "--capture uprobe"; do
		fresh replaced
		# shellcheck disable=SC2086 # words
		launched $how
		cat "$T/err"
		grep -q '^result PASSED$' "$T/out"
		nothing_lost "$T/err"
		check_counts "$T/out" "$T/t.json" '^hip'
		made=$(awk '{ n += $4 } END { print n }' "$T/replaced")
		[ "$made" -gt 100 ]
		[ "$(count "$T/t.json" roctxMarkA)" = $((made + $(awk '/^calls roctxMarkA / { print $3 }' "$T/out"))) ]
	done
}

@test "replaced functions that fail: the job ends as alone, and what the trace lacks is said" {
	for what in memory mappings files threads process loader any; do
		for which in 1+ 1/3 2/3; do
			echo "$what:$which"
			fresh replaced
			beside "$O/agent/libreplaced.so" REPLACED_FAIL="$what:$which" REPLACED_LOG="$T/replaced" -- "$O/workloads/job" -n 20 -t 2
			launched
			cat "$T/err"
			grep -q '^result PASSED$' "$T/out"
			has_failed
			check_counts "$T/out" "$T/t.json"
			what_lacks_is_said "$T/truth" "$T/t.json" "$T/err"
		done
	done
}

@test "no key left for a thread's memory: uprobes record the calls" {
	beside "$O/agent/libreplaced.so" REPLACED_FAIL=pthread_key_create:1 -- "$O/workloads/job" -n 20 -t 2
	launched
	all_is_true
	check_truth "$T/truth" "$T/t.json"
}

# A tool gets an error, and the application what it has alone. (This tool ends the program with 99 then.)
@test "replaced functions that fail: libroctracer64 returns an error, and ends nothing" {
	local status

	for what in memory mappings files threads process loader any; do
		for which in 1+ 1 2 3 5 8 13 1/3 2/3; do
			status=0
			echo "$what:$which"
			sim LD_PRELOAD="$O/agent/libreplaced.so $O/tests/libtool.so $O/libsimkfd.so" SIMKFD_GPUS=2 RT_TOOL_OUT="$T/records" \
				REPLACED_FAIL="$what:$which" "$O/workloads/streams" -n 5 >"$T/out" 2>"$T/err" || status=$?
			cat "$T/err"
			case $status in
			0) grep -q '^result PASSED$' "$T/out" ;;
			99) grep -q '^tool: roctracer_' "$T/err" ;;
			*) echo "status $status"; false ;;
			esac
		done
	done
}

@test "each function of the C library replaced, errno changed by all: libroctracer64 and librocprofiler-sdk go on so" {
	sim LD_PRELOAD="$O/agent/libreplaced.so $O/tests/libtool.so $O/libsimkfd.so" RT_TOOL_OUT="$T/records" \
		REPLACED_LOG="$T/replaced" "$O/workloads/streams" -n 5 >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	[ "$(grep -c '^api' "$T/records")" -gt 50 ]
	sim LD_PRELOAD="$O/agent/libreplaced.so $O/examples/libsdk_callbacks.so $O/libsimkfd.so" EXAMPLE_OUT="$T/told" \
		HSA_TOOLS_LIB="$O/librocprofiler-sdk.so.1" REPLACED_LOG="$T/replaced" "$O/workloads/streams" -n 5 >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	[ -s "$T/told" ]
	[ "$(replaced | wc -l)" -gt 50 ]
}

# ---- other libraries ----

@test "AddressSanitizer: the program ends as without us, and all is in the trace" {
	beside "$("${CC:-gcc}" -print-file-name=libasan.so)" ASAN_OPTIONS=detect_leaks=0 -- "$O/workloads/job" -n 50 -t 2
	each_way all_is_true
}

# bats test_tags=slow
@test "another allocator: jemalloc, tcmalloc" {
	local library

	for name in libjemalloc.so.2 libtcmalloc_minimal.so.4; do
		library=$(ldconfig -p | awk -v name=$name '$1 == name { print $NF; exit }')
		[ -n "$library" ] || skip "$name is not installed (scripts/setup --all)"
		beside "$library" -- "$O/workloads/job" -n 50 -t 2
		each_way all_is_true
	done
}

audited_is_true() {
	all_is_true
	echo "told: $(cat "$T/told"), alone: $(cat "$T/alone")"
	cmp "$T/told" "$T/alone"
	fresh told
}

@test "a library that the loader tells of each call (LD_AUDIT): it is told of each, and each is in the trace" {
	PROGRAM=(env LD_AUDIT="$O/agent/libaudit.so" AUDIT_LOG="$T/alone" "$O/workloads/job" -n 50 -t 2)
	sim "${PROGRAM[@]}" | grep -q '^result PASSED$'
	[ "$(awk '{ print $2 }' "$T/alone")" -gt 400 ]
	PROGRAM=(env LD_AUDIT="$O/agent/libaudit.so" AUDIT_LOG="$T/told" "$O/workloads/job" -n 50 -t 2)
	each_way audited_is_true
}

@test "two roctx libraries in a process: the marks and ranges of both, each once" {
	mkdir "$T/a" "$T/b"
	cp "$O/libroctx64.so.4" "$T/a"
	cp "$O/libroctx64.so.4" "$T/b"
	cat >"$T/both.py" <<-'END'
		import ctypes, sys
		for number, path in enumerate(sys.argv[1:]):
		    roctx = ctypes.CDLL(path)
		    for i in range(10):
		        roctx.roctxMarkA(b"mark %d" % number)
		        assert roctx.roctxRangePushA(b"range %d" % number) == 0
		        assert roctx.roctxRangePop() == 0
		print("result PASSED")
	END
	PROGRAM=(python3 "$T/both.py" "$T/a/libroctx64.so.4" "$T/b/libroctx64.so.4")
	launched
	cat "$T/err"
	grep -q '^result PASSED$' "$T/out"
	nothing_lost "$T/err"
	for number in 0 1; do
		[ "$(jq "[.traceEvents[] | select(.name == \"range $number\")] | length" "$T/t.json")" = 10 ]
		[ "$(jq "[.traceEvents[] | select(.name == \"roctxMarkA\" and .args.call.message == \"mark $number\")] | length" "$T/t.json")" = 10 ]
	done
}
