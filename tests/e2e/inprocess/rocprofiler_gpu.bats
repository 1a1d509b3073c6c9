# SPDX-License-Identifier: MIT
# bats file_tags=inproc
# librocprofiler-sdk with the real HIP and HSA: what it reports of GPUs to a tool is what the simulated GPU says it ran.

load ../common
load ../gpu
load ../rocprofiler

@test "callbacks and records of kernels and copies are what the GPUs ran, of each workload" {
	for w in vectoradd "streams -g 2 -t 4 -s 2 -n 20" graphs copies module cooperative "hsa_dispatch -n 40"; do
		echo "$w"
		# shellcheck disable=SC2086 # words
		traced RT_TOOL=callbacks,records,calls "$O/workloads/"$w
		check_gpu_work
		check_retired
	done
}

@test "blocking copies are reported with the directions of their memory; fills, which have no name there, are not" {
	traced RT_TOOL=callbacks,records,calls "$O/workloads/hsa_copies"
	sed -n 's/^did copy //p' "$T/out" | sed 's/HtoD/HOST_TO_DEVICE/; s/DtoH/DEVICE_TO_HOST/; s/DtoD/DEVICE_TO_DEVICE/' |
		awk '{ print "MEMORY_COPY_" $1, $2 }' | sort >"$T/want"
	for phase in exit record; do
		awk -v phase=$phase '$1 == "copy" && $2 == phase && $7 { print $3, $11 }' "$T/records" | sort | diff "$T/want" -
	done
	check_retired
}

@test "records alone, and callbacks alone, without calls" {
	for what in records callbacks; do
		traced RT_TOOL=$what "$O/workloads/streams" -g 2 -t 4 -s 2 -n 20
		[ $what = callbacks ] || check_told record record
		[ $what = records ] || check_told complete exit
		not grep -q '^call' "$T/records"
		# Each has an id, of its own.
		[ -z "$(awk '($1 == "dispatch" && ($2 == "record" || $2 == "enter")) || ($1 == "copy" && ($2 == "record" || $2 == "enter")) {
			print $1 == "copy" ? $4 : $3 }' "$T/records" | sort | uniq -d)" ]
	done
}

@test "code that is loaded again has new ids" {
	traced RT_TOOL=callbacks "$O/workloads/module"
	[ "$(grep -c '^kernel load .* elementAdd.kd ' "$T/records")" = 3 ]
	[ "$(awk '$1 == "kernel" && $2 == "load" && $5 == "elementAdd.kd" { print $3 }' "$T/records" | sort -u | wc -l)" = 3 ]
	# Each launch is of the one that was loaded last.
	awk '$1 == "kernel" && $2 == "load" { last[$5] = $3; name[$3] = $5 }
		$1 == "dispatch" && $2 == "enter" { n++; if (last[name[$10]] != $10) bad++ } END { exit bad > 0 || !n }' "$T/records"
}

@test "what is known of kernels and code objects is what their file says" {
	traced RT_TOOL=callbacks "$O/workloads/hsa_resources"
	readelf -sW "$O/workloads/kernels.hsaco" | awk '$NF ~ /\.kd$/ { print $NF }' | sort -u >"$T/kernels"
	[ -s "$T/kernels" ]
	object=$(awk '$1 == "object" && $2 == "load" && $5 ~ /kernels.hsaco/ { print $3 }' "$T/records")
	[ "$(wc -w <<<"$object")" = 1 ]
	awk -v o="$object" '$1 == "kernel" && $2 == "load" && $4 == o { print $5 }' "$T/records" | sort | diff "$T/kernels" -
	# Sizes are those of its metadata; the entry lies in the object.
	tool=(/usr/bin/llvm-readelf*)
	"${tool[0]}" --notes "$O/workloads/kernels.hsaco" | awk '
		/\.group_segment_fixed_size:/ { group = $2 } /\.kernarg_segment_size:/ { kernarg = $2 } /\.kernarg_segment_align:/ { align = $2 }
		/\.private_segment_fixed_size:/ { private = $2 } /\.symbol:/ { gsub(/\047/, "", $2); symbol = $2 }
		/\.wavefront_size:/ { print symbol, kernarg, align < 16 ? 16 : align, group, private }' | sort >"$T/want"
	[ -s "$T/want" ]
	awk -v o="$object" '$1 == "kernel" && $2 == "load" && $4 == o { print $5, $7, $8, $9, $10 }' "$T/records" | sort | diff "$T/want" -
}

# allocations PHASE: "alloc|free BYTES gpu|cpu", of an address that is freed as it was allocated. Those that fail have none.
allocations() {
	awk -v phase="$1" '$1 != "allocation" || $2 != phase || $11 == "(nil)" { next }
		$3 == "MEMORY_ALLOCATION_ALLOCATE" { what[$11] = $12 " " ($10 > 0 ? "gpu" : "cpu"); print "alloc", what[$11] }
		$3 == "MEMORY_ALLOCATION_FREE" { print "free", what[$11] }' "$T/records"
}

@test "memory that is allocated and freed is what the program has allocated and freed, as part of its calls" {
	traced "$O/workloads/hsa_resources"
	sed -n 's/^did \(alloc\|free\)/\1/p' "$T/out" >"$T/want"
	[ "$(wc -l <"$T/want")" -gt 20 ]
	allocations exit | diff "$T/want" -
	allocations record | diff "$T/want" -
	# Times, and the call of HSA that it is part of.
	awk '$1 == "call" && $2 == "enter" { name[$4] = $3; open[$4] = 1 }
		$1 == "call" && $2 == "exit" { open[$4] = 0 }
		$1 == "allocation" && $2 == "enter" && ($8 || $9) { print "times: " $0; bad++ }
		$1 == "allocation" && $2 != "enter" && (!$8 || $9 < $8) { print "times: " $0; bad++ }
		$1 == "allocation" && $2 != "record" && (!open[$4] || name[$4] !~ /^hsa_(amd_memory_pool|memory)_(allocate|free)$/) {
			print "not in its call: " $0; bad++ }
		END { exit bad > 0 }' "$T/records"
	# With HIP, which calls HSA: HIP is what called that.
	traced "$O/workloads/vectoradd"
	awk '$1 == "call" && $2 == "enter" { name[$4] = $3 }
		$1 == "allocation" && $2 == "enter" && name[$6] == "hipMalloc" { n++ }
		END { exit !n }' "$T/records"
	for phase in exit record; do allocations $phase | sort | uniq -c >"$T/$phase"; done
	diff "$T/exit" "$T/record"
}

@test "a runtime that is initialised is told of once" {
	for w in "vectoradd HSA HIP" "hsa_dispatch HSA"; do
		for what in callbacks,records,calls callbacks,records; do
			# shellcheck disable=SC2086 # words
			set -- $w
			traced RT_TOOL=$what "$O/workloads/$1"
			shift
			for how in callback record; do
				diff <(for r; do echo "RUNTIME_INITIALIZATION_$r 0"; done | sort) \
					<(awk -v how=$how '$1 == "init" && $2 == how && $4 >= 10000 { print $3, $5 }' "$T/records" | sort)
			done
		done
	done
}

@test "scratch memory: the runtime's allocation for the first kernel that spills" {
	grep -q hsa_amd_tool_scratch_event_alloc_end "$O/gen/hsa_tables.h" || skip "this release of ROCm tells nothing of scratch memory"
	traced "$O/workloads/resources"
	for what in enter exit record; do
		[ "$(grep -c "^scratch $what SCRATCH_MEMORY_ALLOC " "$T/records")" = 1 ]
	done
	awk '$1 == "scratch" && $8 != 1 { bad++ } $1 == "scratch" { bytes[$2] = $NF } $2 == "record" && $1 == "scratch" && $7 < $6 { bad++ }
		END { exit bad || bytes["enter"] || !bytes["exit"] || bytes["exit"] != bytes["record"] }' "$T/records"
}

@test "a tool may stop and start its context, call HIP, and be finalised in callbacks of kernels" {
	traced RT_TOOL=callbacks,records RT_TOOL_DOES=restart "$O/workloads/streams" -g 2 -t 4 -s 2 -n 20
	[ "$(grep -c '^dispatch complete' "$T/records")" -gt 20 ]
	traced RT_TOOL=callbacks,records RT_TOOL_DOES=hip "$O/workloads/streams" -g 2 -t 4 -s 2 -n 20
	check_told complete exit
	check_told record record
	traced RT_TOOL=callbacks,records RT_TOOL_DOES=finalize "$O/workloads/streams" -g 2 -t 4 -s 2 -n 20
	grep -qx 'about to finalize' "$T/records"
}

# While the context is stopped, other threads ring for packets beyond those that are being looked at: the GPU takes these, and
# their places are given to other packets, with signals that threads wait for.
@test "packets that the GPU takes while a tool is told of them do not cost others their signals" {
	for _ in 1 2 3 4; do
		SIMKFD_GPUS=1 traced RT_TOOL=callbacks,records RT_TOOL_DOES=pause timeout "$(seconds 60)" "$O/workloads/hsa_producers" -m add -t 16 -n 60
		[ "$(grep -c '^dispatch enter' "$T/records")" -gt 0 ]
		[ "$(grep -c '^dispatch enter' "$T/records")" = "$(grep -c '^dispatch complete' "$T/records")" ]
	done
}

# Streams share queues, so that a thread may ring for another's packet.
@test "a kernel belongs to the call that launched it, whoever rings for it" {
	traced RT_TOOL=callbacks,calls SIMKFD_GPUS=1 "$O/workloads/streams" -g 1 -t 8 -s 4 -n 30
	awk '$1 == "call" && $2 == "enter" { name[$4] = $3; ancestor[$4] = $5; tid[$4] = $6
			if ($3 == "hipLaunchKernel") kernels[$4] = 0 }
		$1 == "kernel" && $2 == "load" { copies[$3] = $5 ~ /^__amd_rocclr_copy/ }
		$1 == "dispatch" && $2 == "enter" && !copies[$10] {
			if (tid[$3] != $5) { print "of another thread: " $0; bad++ }
			for (id = $3; id && name[id] != "hipLaunchKernel"; id = ancestor[id]);
			if (id) kernels[id]++; else { print "of no launch: " $0; bad++ } }
		END { for (id in kernels) if (kernels[id] != 1) { print "launch " id ": kernels " kernels[id]; bad++ }
			exit bad > 0 || length(kernels) != 960 }' "$T/records"
}

with_tool_and_tracer() {
	rm -f "$T/truth"
	sim HSA_TOOLS_LIB="$O/librocprofiler-sdk.so.1" "$RTRACE" -t hip,gpu -f json -o "$T/t.json" -- \
		env LD_PRELOAD="$1 $O/libsimkfd.so" SIMKFD_GPUS=2 SIMKFD_DRIFT_PPM=200 SIMKFD_TRUTH="$T/truth" \
		RT_SDK_OUT="$T/records" RT_TOOL_OUT="$T/other" "${@:2}" "$O/workloads/streams" -g 2 -t 4 -s 2 -n 20 \
		>"$T/out" 2>"$T/err"
}

# beside_tracer LIBRARIES [NAME=VALUE...]: what the GPUs ran is what the tool receives, and what the tracer shows.
beside_tracer() {
	with_tool_and_tracer "$@" || { hip_ended_it && with_tool_and_tracer "$@"; } || { cat "$T/err"; return 1; }
	grep -q '^result PASSED$' "$T/out"
	check_truth "$T/truth" "$T/t.json"
	check_counts "$T/out" "$T/t.json" '^hip'
	check_told complete exit
	check_told record record
	check_phases
	check_retired
}

@test "the tracer beside it: both are told all that the GPUs ran" {
	beside_tracer "$O/tests/libgputool.so"
	check_calls
}

@test "the tracer, a tool of libroctracer64 and a second tool beside it: all are told all" {
	beside_tracer "$O/tests/libtool.so $O/tests/libgputool.so" ROCP_TOOL_LIBRARIES="$O/tests/libcalltool.so" RT_CALLS="$T/calls"
	# The named one is the first one.
	[ "$(grep -c '^call exit HIP_RUNTIME_API hipLaunchKernel ' "$T/calls")" = "$(sed -n 's/^calls hipLaunchKernel //p' "$T/out")" ]
	for what in dispatch copy; do
		[ "$(grep -c "^hsaop ${what^^} " "$T/other")" = "$(grep -c "^$what" "$T/true")" ]
	done
}
