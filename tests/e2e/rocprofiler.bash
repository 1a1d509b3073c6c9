# SPDX-License-Identifier: MIT
# A workload with the tool of librocprofiler-sdk (tests/rocprofiler/gpu_tool.c), and how what that writes compares with the
# simulator's truth log and with itself.

# traced [NAME=VALUE...] WORKLOAD ARGS...: with the tool of tests/rocprofiler, as the file records.
traced() {
	with_tool "$@" || { hip_ended_it && with_tool "$@"; } || { cat "$T/err"; return 1; }
	grep -q '^result PASSED$' "$T/out"
	not grep '^wrong' "$T/records"
	[ "$(tail -n 1 "$T/records")" = finalize ]
}

with_tool() {
	rm -f "$T/truth"
	env HSA_TOOLS_LIB="$O/librocprofiler-sdk.so.1" LD_PRELOAD="$O/tests/libgputool.so $O/libsimkfd.so" \
		SIMKFD_KERNEL_LIB="$O/workloads/libkernels.so" SIMKFD_GPUS=2 SIMKFD_DRIFT_PPM=200 SIMKFD_TRUTH="$T/truth" \
		RT_TOOL_OUT="$T/records" "$@" >"$T/out" 2>"$T/err"
}

# told WHAT-OF-DISPATCHES WHAT-OF-COPIES: as true_ops has it; names by the kernels' ids.
told() {
	sed 's/[.]kd / /' "$T/records" | c++filt | awk -v dispatch="$1" -v copy="$2" '
		function node(src, dst) { return (src > 0 ? src : dst) - 1 }
		$1 == "kernel" && $2 == "load" {
			name[$3] = $5; for (i = 6; i <= NF - 10; i++) name[$3] = name[$3] "_" $i }
		$1 == "dispatch" && $2 == dispatch { printf "dispatch\t%d\t%s\t0\t%s\t%s\n", $8 - 1, name[$10], $6, $7 }
		$1 == "copy" && $2 == copy { printf "copy\t%d\t-\t%s\t%s\t%s\n", node($9, $10), $11, $7, $8 }' |
		sort -k1,1 -k2,2n -k3,3 -k4,4n -k5,5n
}

# Every operation of the truth log is reported once, within 1 us, with its GPU, name and bytes.
check_told() {
	true_ops "$T/truth" >"$T/true"
	[ -s "$T/true" ]
	told "$1" "$2" >"$T/told"
	diff <(cut -f1-4 "$T/true") <(cut -f1-4 "$T/told")
	paste "$T/true" "$T/told" | awk -F '\t' '
		function apart(a, b) { return a > b ? a - b : b - a }
		apart($5, $11) > 1000 || apart($6, $12) > 1000 { bad++; print } END { exit bad > 0 }'
}

# Ids of dispatches are 1 to their number. What ENTER has put there, the others find. Of both phases and the end all that
# does not change is the same, of records too.
check_phases() {
	awk '$1 == "dispatch" {
			id = $11; what = $2; same = $3 " " $4 " " $5; for (i = 8; i <= 15; i++) same = same " " $i
			if (what == "enter") { entered[id] = same; n++ }
			if (what == "enter" || what == "exit" ? $6 || $7 : !$6 || $7 < $6) wrong("times")
			if (what != "record" && $NF != id) wrong("user data")
			if (entered[id] != same && entered[id]) wrong("other than at its begin: " entered[id])
			if (seen[what, id]++) wrong("twice") }
		$1 == "copy" {
			key = $4 " " $5 " " $6 " " $9 " " $10 " " $11 " " $12 " " $13; copies[$2]++
			if ($2 == "enter") left[key]++
			if ($2 == "exit" && left[key]-- <= 0) wrong("never began")
			if ($2 == "exit" && $NF != $11) wrong("user data")
			if ($3 != "MEMORY_COPY_" ($9 ? "DEVICE" : "HOST") "_TO_" ($10 ? "DEVICE" : "HOST")) wrong("direction") }
		function wrong(why) { bad++; if (bad <= 5) print why ": " $0 }
		END {
			for (i = 1; i <= n; i++) if (!seen["enter", i] || !seen["exit", i] || !seen["complete", i]) { print "dispatch " i; bad++ }
			if (copies["enter"] != copies["exit"]) { print "copies"; bad++ }
			exit bad > 0 }' "$T/records"
}

# Each belongs to a call that launches or copies, which had begun and not ended when it was submitted; or to that which has
# reserved its place, where another thread, or a later call, has submitted it.
check_calls() {
	awk '$1 == "call" && $2 == "enter" { name[$4] = $3; tid[$4] = $6; open[$4] = 1 }
		$1 == "call" && $2 == "exit" { open[$4] = 0 }
		$1 == "dispatch" && $2 == "enter" { check($3, $5, "^hsa_signal_store_(relaxed|screlease)$") }
		$1 == "copy" && $2 == "enter" { check($4, $6, "^hsa_amd_memory_async_copy") }
		function check(id, by, re) {
			n++
			if ((!open[id] || name[id] !~ re) && name[id] !~ /^hsa_queue_add_write_index/ || tid[id] != by) {
				bad++; if (bad <= 5) print "by " name[id] ": " $0 } }
		END { exit bad > 0 || !n }' "$T/records"
}

# Each use of an id has ended, once all is reported that was asked for by it.
check_retired() {
	awk '$1 == "retired" { if (retired[$2]++) { print "twice: " $0; bad++ } }
		$1 == "dispatch" && $2 == "record" { used[$3] }
		$1 == "copy" && $2 == "record" { used[$4] }
		END { for (id in used) if (!retired[id]) { print "not retired: " id; bad++ } exit bad > 0 }' "$T/records"
}

# Code objects have ids from 1 on, each its own, as kernels have (threads may load code at once); a kernel is loaded after its
# code object, and unloaded before it. At the end nothing is left.
check_code() {
	awk '$1 == "object" && $2 == "load" { objects++; is_new("object"); here[$3] = rest(3) }
		$1 == "kernel" && $2 == "load" { kernels++; is_new("kernel"); if (!($4 in here)) wrong("no object")
			kernel[$3] = rest(3); of[$4]++ }
		$1 == "kernel" && $2 == "unload" { if (kernel[$3] != rest(3)) wrong("never loaded"); delete kernel[$3]; of[$4]-- }
		$1 == "object" && $2 == "unload" { if (here[$3] != rest(3)) wrong("never loaded"); delete here[$3]; if (of[$3]) wrong("kernels left") }
		function rest(from,   i, s) { for (i = from; i <= NF; i++) s = s " " $i; return s }
		function is_new(what) { if (ids[what, $3]++ || $3 < 1) wrong("id"); if ($3 > last[what]) last[what] = $3 }
		function wrong(why) { bad++; if (bad <= 5) print why ": " $0 }
		END { if (last["object"] != objects || last["kernel"] != kernels) { print "ids left out"; bad++ }
			for (i in here) { print "left: " i; bad++ } for (i in kernel) { print "left: kernel " i; bad++ }
			exit bad > 0 || !objects || !kernels }' "$T/records"
}

# No kernel ends that is not loaded.
check_loaded() {
	awk '$1 == "kernel" { loaded[$3] = $2 == "load" }
		$1 == "dispatch" && $2 != "record" && !loaded[$10] { print; bad++ } END { exit bad > 0 }' "$T/records"
}

# All that was reported, by callbacks and by records, of what GPUs ran and of what was loaded for them.
check_gpu_work() {
	check_told complete exit
	check_told record record
	check_phases
	check_calls
	check_code
	check_loaded
}
