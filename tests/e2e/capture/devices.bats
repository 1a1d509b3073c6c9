#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Which GPU it was, in every format: the machine's number, whatever ROCR_VISIBLE_DEVICES and HIP_VISIBLE_DEVICES show each
# process. Judged by the simulator's truth log, which has the machine's numbers.

load ../common
load ../gpu

setup_file() {
	# Ranks that see GPUs in ways of their own: one run on GPU 2, two on GPU 1, three on GPU 0.
	cat >"$BATS_FILE_TMPDIR/ranks" <<-'end'
		ROCR_VISIBLE_DEVICES=2,0 "$1" &
		(HIP_VISIBLE_DEVICES=1,0 "$1"; ROCR_VISIBLE_DEVICES=GPU-51517bd700000001,GPU-51517bd700000002 "$1") &
		(ROCR_VISIBLE_DEVICES=2,0 HIP_VISIBLE_DEVICES=1,0 "$1"; ROCR_VISIBLE_DEVICES=GPU-51517bd700000000 "$1"; "$1") &
		wait
	end
	sim SIMKFD_GPUS=3 SIMKFD_TRUTH="$BATS_FILE_TMPDIR/truth" "$RTRACE" -f rtrace -f json -f text -o "$BATS_FILE_TMPDIR/t" -- \
		sh "$BATS_FILE_TMPDIR/ranks" "$O/workloads/vectoradd" >"$BATS_FILE_TMPDIR/out" 2>"$BATS_FILE_TMPDIR/err"
}

setup() {
	schema=$PWD/tests/unit
	cd "$BATS_FILE_TMPDIR"
	per_gpu "$T/ran" < <(sed -n 's/.*gpu=\([0-9]*\) .*kind=dispatch .*/\1/p' truth)
}

# per_gpu FILE: of numbers of GPUs, how often each is there
per_gpu() {
	sort | uniq -c >"$1"
}

# as_true: the numbers of the dispatches' GPUs in a format are the truth log's
as_true() {
	per_gpu "$T/told"
	diff "$T/ran" "$T/told"
}

# in_text FILE: the numbers of the dispatches' GPUs
in_text() {
	grep -o 'gpu [0-9]* queue [0-9]* \(vectorAdd\|void fill\)' "$1" | cut -d' ' -f2
}

# has_three PATTERN WORDS: what matches, each once
has_three() {
	[ "$(grep -aoE "$1" | sort -u | tr '\n' ' ')" = "$2" ]
}

@test "the ranks ran 3, 2 and 1 times on GPUs 0, 1 and 2" {
	[ "$(awk '{ print $2 ":" $1 }' "$T/ran" | xargs)" = '0:6 1:4 2:2' ]
	[ "$(grep -c 'result PASSED' out)" = 6 ]
}

@test "text, JSON, also exported from a recording" {
	"$RTRACE" export -f json -o "$T/t" -f text t.rtrace
	check_truth truth t.json
	check_truth truth "$T/t.json"
	for text in t.text "$T/t.text"; do
		in_text "$text" | as_true
	done
}

@test "JSON has each GPU's PCI address and unique id, and the process's own number if it is another" {
	labels=$(jq -r '.traceEvents[] | select(.name == "process_labels") | .args.labels' t.json)
	has_three 'GPU-51517bd7[0-9a-f]*, node [0-9], gpu_id [0-9]*$' \
		'GPU-51517bd700000000, node 1, gpu_id 20480 GPU-51517bd700000001, node 2, gpu_id 20481 GPU-51517bd700000002, node 3, gpu_id 20482 ' \
		<<<"$labels"
	# ROCR 2,0 and 2,0 with HIP's 1,0; HIP's 1,0; the UUIDs of 1 and 2, and of 0.
	grep -q 'PCI 0000:05:00.0, .*gpu_id 20482, device 0 of the process' <<<"$labels"
	grep -q 'PCI 0000:05:00.0, .*gpu_id 20482, device 1 of the process' <<<"$labels"
	grep -q 'PCI 0000:03:00.0, .*gpu_id 20480, device 1 of the process' <<<"$labels"
	grep -q 'PCI 0000:04:00.0, .*gpu_id 20481, device 0 of the process' <<<"$labels"
}

@test "CSV, rocpd, roctracer's files" {
	"$RTRACE" export -f csv -f rocpd -o "$T/t" t.rtrace
	sed -n '2,$s/^"KERNEL_DISPATCH","Agent \([0-9]*\)".*/\1/p' "$T/t_kernel_trace.csv" | awk '{ print $1 - 1 }' | as_true
	for column in type_index 'absolute_index - 1'; do
		sqlite3 "$T/t.db" "SELECT A.$column FROM rocpd_kernel_dispatch K JOIN rocpd_info_agent A ON A.id = K.agent_id" | as_true
	done
	"$RTRACE" export -f roctracer -o "$T/r" t.rtrace
	sed -n 's/^[0-9:]* \([0-9]*\):[0-9]* \(vectorAdd\|fillWith\).*/\1/p' "$T/r/hcc_ops_trace.txt" | as_true
}

@test "report, page, OTF2, Perfetto" {
	"$RTRACE" report --json t.rtrace | jq -r '.gpus[].gpu' | awk '{ print; print }' | as_true
	"$RTRACE" export -f html -f pftrace -o "$T/t" t.rtrace
	grep -o '{"pid":[0-9]*,"device":[0-9]*,"name":"gfx906' "$T/t.html" | sed 's/.*"device":\([0-9]*\).*/\1/' |
		awk '{ print; print }' | as_true
	"$RTRACE" export -f otf2 -o "$T/o" t.rtrace
	otf2-print -G "$T/o/traces.otf2" | has_three '"GPU [0-9]* gfx906' '"GPU 0 gfx906 "GPU 1 gfx906 "GPU 2 gfx906 '
	protoc --decode=pf.Trace -I "$schema" perfetto.proto <"$T/t.pftrace" >"$T/decoded"
	has_three '"GPU [0-9]* gfx906' '"GPU 0 gfx906 "GPU 1 gfx906 "GPU 2 gfx906 ' <"$T/decoded"
}

@test "--dispatch-from-bpf numbers GPUs as the agent does" {
	sim SIMKFD_GPUS=3 "$RTRACE" --dispatch-from-bpf -f text -o "$T/t.text" -- \
		sh "$PWD/ranks" "$O/workloads/vectoradd" >"$T/out" 2>"$T/err"
	in_text "$T/t.text" | as_true
}

@test "a name that roctx gives to HIP's device is that GPU's" {
	command -v python3 >/dev/null || skip "no Python"
	cat >"$T/name.py" <<-end
		import ctypes
		hip = ctypes.CDLL("libamdhip64.so.5")
		roctx = ctypes.CDLL("$O/librocprofiler-sdk-roctx.so.1")
		p = ctypes.c_void_p()
		assert hip.hipMalloc(ctypes.byref(p), 1 << 20) == 0
		buffer = ctypes.create_string_buffer(1 << 20)
		assert hip.hipMemcpy(p, buffer, 1 << 20, 1) == 0
		assert hip.hipDeviceSynchronize() == 0
		roctx.roctxNameHipDevice(b"the second one", 0)
		assert hip.hipMemcpy(p, buffer, 1 << 20, 1) == 0
	end
	sim SIMKFD_GPUS=3 "$RTRACE" -f json -o "$T/t.json" -- env ROCR_VISIBLE_DEVICES=1 python3 "$T/name.py" 2>"$T/err" ||
		{ cat "$T/err"; false; }
	jq -r '.traceEvents[] | select(.ph == "M" and .name == "process_name") | .args.name' "$T/t.json" | grep 'GPU 1.*the second one'
}
