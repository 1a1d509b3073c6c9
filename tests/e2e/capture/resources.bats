#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Memory, queues, code objects and devices of traced programs: against what the programs say that they
# did ("did WHAT ..."), the notes of the code objects, and what rocminfo prints.

load ../common
load ../gpu

AGENT=$O/librtrace-agent.so

teardown() {
	end_jobs
}

# Traces a workload from its first call.
trace() {
	sim SIMKFD_GPUS="${GPUS:-1}" SIMKFD_TRUTH="$T/truth" "$RTRACE" -f json -o "$T/t.json" "${OPTIONS[@]}" \
		-- "$O/workloads/$1" "${@:2}" >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	nothing_lost "$T/err" uncorrelated
}

# What happened to resources, one a line: CORR ROOT and what a workload prints after "did".
happened() {
	jq -r '
		def name($x): {"alloc": "alloc", "free": "free", "create queue": "create-queue",
			"destroy queue": "destroy-queue", "load code object": "load-code",
			"unload code object": "unload-code"}[$x];
		[.traceEvents[] | select(.cat == "gpu" and .ph == "i")] | sort_by(.ts) |
		(map(select(.name == "create queue") | {(.args.queue | tostring): .args.packets}) | add) as $packets |
		.[] | select(name(.name)) | [.args.corr, .args.root, name(.name),
			if .args.queue then $packets[.args.queue | tostring] else
				if .args.code then empty else .args.bytes // "?",
				if .args.device < 0 then "cpu" else "gpu" end end end] | join(" ")' "$1"
}

# Those below an outermost call that matches the pattern, without the numbers.
happened_below() {
	calls "$1" | awk -F '\t' -v re="$2" '$3 == 0 && $1 ~ re { print $2 }' >"$T/roots"
	happened "$1" | awk -v roots="$T/roots" 'BEGIN { while ((getline r < roots) > 0) root[r] }
		$2 in root { $1 = $2 = ""; sub(/^ */, ""); print }'
}

# What the compiler says of a code object, by whichever version of the tool there is.
notes() {
	local tool=(/usr/bin/llvm-readelf*)

	"${tool[0]}" --notes "$1"
}

did() {
	sed -n 's/^did //p' "$1"
}

OPTIONS=()

@test "an HSA program: every allocation, free, queue and code object, in order, with its size and device" {
	trace hsa_resources "$O/workloads/kernels.hsaco"
	[ "$(did "$T/out" | wc -l)" -ge 30 ]
	diff <(did "$T/out") <(happened "$T/t.json" | cut -d' ' -f3-)
	# Each in the very call that does it.
	calls "$T/t.json" | awk -F '\t' '{ print $2, $1 }' >"$T/names"
	happened "$T/t.json" | awk -v names="$T/names" '
		BEGIN { while ((getline < names) > 0) call[$1] = $2
			want["alloc"] = "^hsa_(amd_memory_pool|memory)_allocate$"; want["free"] = "^hsa_(amd_memory_pool|memory)_free$"
			want["create-queue"] = "^hsa_queue_create$"; want["destroy-queue"] = "^hsa_queue_destroy$"
			want["load-code"] = "^hsa_executable_freeze$"; want["unload-code"] = "^hsa_executable_destroy$" }
		call[$1] !~ want[$3] { print $3 " in " call[$1]; bad = 1 }
		END { exit bad || !NR }'
	# The runtime's begin and end, each in its call.
	[ "$(jq -r '[.traceEvents[] | select(.cat == "gpu" and (.name | endswith("runtime"))) | .name] | join(",")' \
		"$T/t.json")" = "start runtime,shut down runtime" ]
	# What is in use, shown with each event and as a counter, is the sum over what the program did.
	for device in gpu cpu; do
		did "$T/out" | awk -v device=$device '$3 == device { n += $1 == "alloc" ? $2 : -$2; print n }' >"$T/sums"
		[ "$(tail -n 1 "$T/sums")" = 0 ]
		jq -r --arg device $device '[.traceEvents[] | select(.cat == "gpu" and .ph == "i" and .args.in_use != null and
			(.args.device < 0) == ($device == "cpu"))] | sort_by(.ts) | .[].args.in_use' "$T/t.json" |
			diff "$T/sums" -
	done
	did "$T/out" | awk '$3 == "gpu" { n += $1 == "alloc" ? $2 : -$2; print n }' |
		diff - <(jq -r '[.traceEvents[] | select(.ph == "C")] | sort_by(.ts) | .[].args.bytes' "$T/t.json")
}

@test "addresses that go from thread to thread: each free has the size of its own allocation" {
	trace hsa_resources -t 4 -n 500 "$O/workloads/kernels.hsaco"
	for n in 1 2 3 4; do
		echo "alloc $((n * 4096)) 500"
		echo "free $((n * 4096)) 500"
	done | sort >"$T/made"
	jq -r '.traceEvents[] | select(.cat == "gpu" and .ph == "i" and (.name | IN("alloc", "free"))) |
		[.name, .args.bytes] | join(" ")' "$T/t.json" | sort | uniq -c | awk '{ print $2, $3, $1 }' | sort |
		diff "$T/made" -
	# Each on the thread that did it: a thread frees what it has allocated.
	jq -r '.traceEvents[] | select(.cat == "gpu" and .ph == "i" and (.name | IN("alloc", "free"))) |
		[.args.corr, .args.bytes] | @tsv' "$T/t.json" >"$T/sizes"
	calls "$T/t.json" | cat - "$T/sizes" | awk -F '\t' 'NF > 2 { tid[$2] = $6; next } { print tid[$1], $2 }' |
		sort -u >"$T/pairs"
	[ "$(wc -l <"$T/pairs")" = 4 ]
	[ "$(jq '[.traceEvents[] | select(.ph == "C")] | sort_by(.ts) | last.args.bytes' "$T/t.json")" = 0 ]
}

@test "a HIP program: what hipMalloc, hipFree, hipModuleLoad and Unload do" {
	trace resources "$O/workloads/resources.hsaco"
	diff <(did "$T/out" | sed -E 's/^((alloc|free) .*)/\1 gpu/') \
		<(happened_below "$T/t.json" '^hip(Malloc|Free|ModuleLoad|ModuleUnload)$' | awk '$3 != "cpu" && !($1 == "alloc" && $2 == 1048576)')
}

@test "kernels: registers, shared and private memory as the code object's notes have them" {
	trace resources "$O/workloads/resources.hsaco"
	# gfx906 gives vector registers in fours and scalar ones in sixteens.
	notes "$O/workloads/resources.hsaco" | awk '
		function up(n, by) { return n < 1 ? by : int((n + by - 1) / by) * by }
		$1 == ".group_segment_fixed_size:" { lds = $2 }
		$1 == ".name:" && $2 ~ /^[a-z]+[A-Z]/ { name = $2 }
		$1 == ".private_segment_fixed_size:" { private = $2 }
		$1 == ".sgpr_count:" { sgprs = up($2, 16) }
		$1 == ".vgpr_count:" { print name, up($2, 4), 0, sgprs, lds, private }' | sort >"$T/notes"
	[ "$(wc -l <"$T/notes")" = 3 ]
	jq -r '.traceEvents[] | select(.cat == "gpu" and .ph == "X") | [.name, .args.vgprs, .args.accum_vgprs, .args.sgprs,
		.args.lds, .args.scratch] | join(" ")' "$T/t.json" | sort | diff "$T/notes" -
	# They are of the code object that the module was loaded as.
	loaded=$(happened_below "$T/t.json" '^hipModuleLoad$' | grep -c load-code)
	[ "$loaded" = 1 ]
	jq -e '[.traceEvents[] | select(.name == "load code object" and .args.kernels == 3) | .args.code] as $code |
		[.traceEvents[] | select(.cat == "gpu" and .ph == "X") | .args.code] | unique == $code' "$T/t.json"
}

@test "devices: as rocminfo and the driver describe them" {
	sim SIMKFD_GPUS=2 "$RTRACE" -f text -o "$T/t" -- "$O/workloads/hsa_resources" \
		"$O/workloads/kernels.hsaco" >"$T/out" 2>"$T/err"
	# It asks for the kernel's module, which a simulated driver does not have.
	mkdir "$T/bin"
	printf '#!/bin/sh\necho amdgpu\n' >"$T/bin/lsmod"
	chmod +x "$T/bin/lsmod"
	PATH="$T/bin:$PATH" sim SIMKFD_GPUS=2 rocminfo >"$T/info"
	awk -F ': *' '
		{ value = $2; gsub(/ +$/, "", value) }
		/^  Name:/ { name = value }
		/^  Uuid:/ { uuid = value }
		/^  Marketing Name:/ { product = value }
		/^  Node:/ { node = value }
		/^  BDFID:/ { bdf = value }
		/^  Compute Unit:/ && name ~ /^gfx/ {
			printf "gpu %d: %s %s, %d CUs, PCI 0000:%02x:%02x.%x, %s, node %d\n", n++, name, product, value,
				int(bdf / 256), int(bdf / 8) % 32, bdf % 8, uuid, node }' "$T/info" >"$T/expected"
	[ "$(wc -l <"$T/expected")" = 2 ]
	sed -nE 's/^--- process [0-9]+ (gpu [01]: .*), gpu_id [0-9]+$/\1/p' "$T/t" | diff "$T/expected" -
	# The simulated driver's numbers: see tests/simkfd/topology.c.
	[ "$(sed -nE 's/^--- process .* gpu_id ([0-9]+)$/\1/p' "$T/t" | tr '\n' ' ')" = "$((0x5000)) $((0x5001)) " ]
}

@test "-t chooses what of the GPU is told" {
	for words in memory --memory-allocation-trace; do
		OPTIONS=(-t "hip,$words")
		[ "$words" = memory ] || OPTIONS=(-t hip "$words")
		trace resources "$O/workloads/resources.hsaco"
		[ "$(jq -r '[.traceEvents[] | select(.cat == "gpu") | .name] | unique | join(",")' "$T/t.json")" = \
			"alloc,device memory in use,free" ]
	done
	OPTIONS=(-t "hip,kernel")
	trace resources "$O/workloads/resources.hsaco"
	[ "$(jq -r '[.traceEvents[] | select(.cat == "gpu") | .ph] | unique | join(",")' "$T/t.json")" = X ]
	OPTIONS=(-t "hip,setup")
	trace resources "$O/workloads/resources.hsaco"
	jq -e '[.traceEvents[] | select(.cat == "gpu") | .name] | unique |
		. - ["create queue", "destroy queue", "load code object", "unload code object", "start runtime", "shut down runtime"] == [] and
		length >= 4' "$T/t.json"
	OPTIONS=(--scratch-memory-trace --kernel-trace)
	trace resources "$O/workloads/resources.hsaco"
	[ "$(jq -r '[.traceEvents[] | select(.cat == "gpu" and .ph == "X")] | length' "$T/t.json")" = 3 ]
}

@test "attached late: what was allocated before is freed with its size unknown" {
	sim_exec HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -n 20 -t 2 --go "$T/go" >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/out"
	"$RTRACE" -f json -o "$T/t.json" -p "$job" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q 'API calls' "$T/err"
	touch "$T/go"
	wait "$job"
	wait "$tracer"
	frees=$(calls "$T/t.json" | awk '$1 == "hipFree"' | wc -l)
	allocs=$(calls "$T/t.json" | awk '$1 == "hipMalloc"' | wc -l)
	[ "$frees" -gt "$allocs" ]
	happened_below "$T/t.json" '^hipFree$' | sort | uniq -c
	[ "$(happened_below "$T/t.json" '^hipFree$' | grep -c '^free')" = "$frees" ]
	[ "$(happened_below "$T/t.json" '^hipFree$' | grep -c '^free ?')" = $((frees - allocs)) ]
}

@test "a full ring: what is lost is counted by kind" {
	sim SIMKFD_TRUTH="$T/truth" RTRACE_AGENT_RING=16 "$RTRACE" -f json -o "$T/t.json" -- \
		"$O/workloads/streams" -g 1 -t 2 -s 2 -n 200 >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	total=$(lost_of 'GPU records' "$T/err")
	[ "$total" -gt 0 ]
	[ "$(sed -n 's/.*lost [0-9]* GPU records: //p' "$T/err" | tr ',' '\n' | awk '{ n += $1 } END { print n }')" = "$total" ]
	jq -e --argjson total "$total" '.otherData | .lost_gpu == $total and ([to_entries[] |
		select(.key | test("^lost_(dispatches|copies|ends|clocks|barriers|memory|scratch|queues|code_objects|runtimes)$")) |
		.value] | add) == $total' "$T/t.json"
	# Each dispatch is recorded or counted as lost.
	[ "$(jq '.otherData | .dispatches + .lost_dispatches' "$T/t.json")" = "$(true_ops "$T/truth" | grep -c ^dispatch)" ]
}

@test "Perfetto: a counter of the memory in use, and what happened as instants" {
	sim "$RTRACE" -f pftrace -o "$T/t.pftrace" -- "$O/workloads/hsa_resources" "$O/workloads/kernels.hsaco" \
		>"$T/out" 2>"$T/err"
	protoc --decode=pf.Trace -I tests/unit tests/unit/perfetto.proto <"$T/t.pftrace" >"$T/decoded"
	not grep -qE '^ *[0-9]+[: {]' "$T/decoded"
	did "$T/out" | awk '$3 == "gpu" { n += $1 == "alloc" ? $2 : -$2; print n }' |
		diff - <(sed -n 's/^ *counter_value: //p' "$T/decoded")
	grep -q 'unit: UNIT_SIZE_BYTES' "$T/decoded"
	# One instant each, the runtime's begin and end, and that of the trace itself.
	[ "$(grep -c 'type: TYPE_INSTANT' "$T/decoded")" = $(($(did "$T/out" | wc -l) + 3)) ]
}

# The trace without its barriers.
without_barriers() {
	jq '.traceEvents |= map(select(.cat != "gpu" or .name != "barrier")) | .otherData.barriers = 0' "$1"
}

@test "copies: the engine that the runtime was told to use" {
	trace copies
	# Engine N of the API is a mask of one bit; the trace counts from 1.
	jq -r '.traceEvents[] | select(.name == "hsa_amd_memory_async_copy_on_engine") |
		[.args.corr, (.args.call.engine_id | capture("(?<n>[0-9]+)$").n | tonumber + 1)] | @tsv' "$T/t.json" | sort >"$T/told"
	jq -r '.traceEvents[] | select(.cat == "gpu" and .args.engine) | [.args.corr, .args.engine] | @tsv' "$T/t.json" |
		sort | diff "$T/told" -
}

@test "barriers on demand: as many as there are without a tracer, at their times, and nothing else changes" {
	export SIMKFD_KERNELS=elementAdd=50000
	sim SIMKFD_TRUTH="$T/alone" "$O/workloads/hsa_dispatch" -k 50000 "$O/workloads/kernels.hsaco" >"$T/out"
	OPTIONS=(--all-functions --barriers)
	trace hsa_dispatch -k 50000 "$O/workloads/kernels.hsaco"
	made=$(grep -c ' kind=barrier ' "$T/alone")
	[ "$made" -gt 0 ]
	# Each at the time of a barrier of the truth log, and the GPU has run no others.
	sed -nE 's/.* kind=barrier .* begin=([0-9]+) end=([0-9]+).*/true \1 \2/p' "$T/truth" >"$T/true"
	jq -r '.traceEvents[] | select(.cat == "gpu" and .name == "barrier") |
		["traced", (.ts * 1000 | round), ((.ts + .dur) * 1000 | round)] | join(" ")' "$T/t.json" >"$T/barriers"
	[ "$(wc -l <"$T/barriers")" = "$made" ]
	[ "$(wc -l <"$T/true")" = "$made" ]
	awk 'function near(a, b) { return a - b < 1000 && b - a < 1000 }
		BEGIN { n = 0 }
		$1 == "true" { begin[n] = $2; end[n++] = $3; next }
		{ for (i = 0; i < n && !(near(begin[i], $2) && near(end[i], $3)); i++); if (i == n) { print; bad = 1 } }
		END { exit bad }' "$T/true" "$T/barriers"
	without_barriers "$T/t.json" >"$T/rest.json"
	check_truth "$T/truth" "$T/rest.json"
	judge --barriers "$T/truth" "$T/t.json"
	rm "$T/truth"
	OPTIONS=(--all-functions)
	trace hsa_dispatch -k 50000 "$O/workloads/kernels.hsaco"
	[ "$(jq '[.traceEvents[] | select(.name == "barrier")] | length' "$T/t.json")" = 0 ]
}

@test "barriers of HIP, which has a signal on each, are told without harm to the rest" {
	OPTIONS=(--barriers)
	trace streams -g 1 -t 2 -s 4 -n 50
	[ "$(jq '.otherData.barriers' "$T/t.json")" -gt 0 ]
	without_barriers "$T/t.json" >"$T/rest.json"
	check_truth "$T/truth" "$T/rest.json"
	judge --barriers "$T/truth" "$T/t.json"
	json_trace --causes '^hip' "$T/t.json" causes
}

@test "scratch memory: the runtime's allocation for the first kernel that spills" {
	GPUS=1
	trace resources "$O/workloads/resources.hsaco"
	if ! grep -q hsa_amd_tool_scratch_event_alloc_end "$O/gen/hsa_tables.h"; then
		[ "$(jq '.otherData.scratch' "$T/t.json")" = 0 ]
		skip "this release of ROCm tells nothing of scratch memory"
	fi
	# privateLookup needs some, manyRegisters less: one allocation, enough for a wave of 64 of the first.
	private=$(notes "$O/workloads/resources.hsaco" |
		awk '$1 == ".name:" { name = $2 } $1 == ".private_segment_fixed_size:" && name == "privateLookup" { print $2 }')
	[ "$private" -gt 0 ]
	jq -r '.traceEvents[] | select(.cat == "gpu" and .name == "alloc scratch") |
		[.args.device, .args.queue, .args.bytes, .args.waves] | @tsv' "$T/t.json" >"$T/scratch"
	cat "$T/scratch"
	[ "$(wc -l <"$T/scratch")" = 1 ]
	awk -v private="$private" '{ exit !($1 == 0 && $2 == 1 && $4 > 0 && $3 >= private * 64 * $4) }' "$T/scratch"
}

@test "dormant: names are kept for a tracer that comes late, and nothing is recorded" {
	sim_exec HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -n 1 -t 1 --go "$T/go" >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/out"
	"$O/tests/agent_dump" "$job" >"$T/dump"
	grep -q '^state head=0 active=0 failed=0' "$T/dump"
	for kind in agent runtime queue code kernel; do
		grep -q "^$kind " "$T/dump"
	done
	# Each kernel is in a code object that is named before it.
	awk '$1 == "code" { known[$2] = 1 }
		$1 == "kernel" { id = $0; sub(/.* code=/, "id=", id); sub(/ .*/, "", id); n++; if (!known[id]) { print; bad = 1 } }
		END { exit bad || !n }' "$T/dump"
	touch "$T/go"
	wait "$job"
}
