#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# Dispatches from BPF alone: programs without the agent, against the simulator's truth log. Copies are not
# recorded by doorbells.

load ../common
load ../gpu

AGENT=$O/librtrace-agent.so

teardown() {
	end_jobs
}

# The trace's dispatches, one a line: PID DEVICE NAME GRID WORKGROUP QUEUE BEGIN END TIMED SUBMIT RETURNED (ns; names
# with _ for blanks). What follows PID is the process's, which its tracks in the trace are not. TIMED: `timed`, or
# why it has no times. RETURNED: when the call that launched it had.
told() {
	json_trace "$1" dispatches
}

# How often which kernel ran on each queue, a line a queue: it does not matter how they are numbered.
by_queue() {
	awk -F '\t' '{ n[$2 " " $6 "\t" $3 " " $4]++ } END { for (k in n) print k " " n[k] }' "$1" | sort |
		awk -F '\t' '$1 != last { if (last) print line; last = $1; split($1, at, " "); line = at[1] }
			{ line = line " | " $2 } END { print line }' | sort
}

# Every dispatch of the truth log is recorded exactly once, with kernel, device, sizes and queue.
check_dispatches() { # TRUTH TRACE
	python3 tests/truth.py dispatches "$1" >"$T/true"
	told "$2" >"$T/told"
	[ -s "$T/true" ]
	diff <(cut -f2-5 "$T/true") <(cut -f2-5 "$T/told") >"$T/diff" || {
		head -n 20 "$T/diff"
		return 1
	}
	diff <(by_queue "$T/true") <(by_queue "$T/told")
	judge --no-copies "$1" "$2"
}

# What may be said where threads share queues: one has submitted a packet before the other had, and the GPU has taken
# it before it was read. Then it has no times, or the packet has none that had its signal before.
SHARED='taken signal-reused'

# Times that are recorded are those of a dispatch of that kernel and size, within 1 us, and each of another one.
# Each without times says why, which is one of the words of WHY. What was taken before it was read began before its
# launch returned. EARLY: where threads share queues the GPU may begin a packet before its owner's store.
check_times() {
	awk -F '\t' -v why="${WHY:-}" -v early="${EARLY:-}" '
		function apart(a, b) { return a > b ? a - b : b - a }
		function wrong(why) { bad++; if (bad <= 5) print why ": " $0 }
		NR == FNR { k = $2 " " $3 " " $4; begin[k, ++n[k]] = $7; end[k, n[k]] = $8; next }
		$9 != "timed" {
			if (!index(" " why " ", " " $9 " ")) wrong("no times, for a cause that is none here")
			if ($9 == "taken") { taken[++takes] = $2 " " $3 " " $4; returned[takes] = $11 }
			next
		}
		!early && $7 + 2000 < $10 { wrong("before it was submitted") }
		{
			k = $2 " " $3 " " $4; found = 0; nearest = 1001
			for (i = 1; i <= n[k]; i++) {
				d = apart(begin[k, i], $7)
				if (!used[k, i] && d < nearest && apart(end[k, i], $8) <= 1000) { nearest = d; found = i }
			}
			used[k, found] = 1
			if (!found) wrong("no such times")
			timed++
		}
		END {
			for (t = 1; t <= takes; t++) {
				k = taken[t]; found = 0
				for (i = n[k]; i && !found; i--) # the last that it can be: others may need the first
					if (!used[k, i] && begin[k, i] <= returned[t]) found = i
				used[k, found] = 1
				if (!found) { bad++; print "taken, but none had begun: " k }
			}
			print timed + 0 " with times"; exit bad > 0
		}' "$T/true" "$T/told"
}

# Those that the application launches. The runtime's own copy, and may take times for the copy's sake.
LAUNCHED='.cat == "gpu" and .args.grid and (.name | startswith("__amd_rocclr_") | not)'

# The tracer, but not what it starts, has a CPU whenever it wants one: a program that ends after 0.1 s has no memory to
# read names in when a tracer that was kept from running comes to it.
AT_ONCE=(chrt --fifo --reset-on-fork 1)

# Launches a workload without the agent. HIP 5.2 with queues that take times now and then asks for a signal
# that it has destroyed, in its own handler, and aborts: where threads share queues and are slow, 1 in 100 runs.
run_bare() {
	for _ in 1 2 3; do
		rm -f "$T/truth"
		sim SIMKFD_TRUTH="$T/truth" SIMKFD_DRIFT_PPM=200 SIMKFD_GPUS="${GPUS:-2}" "${AT_ONCE[@]}" "$RTRACE" \
			--dispatch-from-bpf -f json -o "$T/t.json" "${OPTIONS[@]}" -- "$O/workloads/$@" \
			>"$T/out" 2>"$T/err" || :
		grep -q "hsa_signal_load_relaxed.*Assertion .IsValid(signal). failed" "$T/err" || break
	done
	grep -q '^result PASSED$' "$T/out"
	nothing_lost "$T/err"
	grep -q '; 0 packets not seen' "$T/err"
	check_dispatches "$T/truth" "$T/t.json"
}

run_hip() {
	run_bare "$@"
	json_trace --instants "$T/t.json" causes
	is_complete "$T/err" uncorrelated
}

# ROCclr makes queues take times when it is asked to: 5.2 by another name than later releases.
profiled() {
	HIP_FORCE_QUEUE_PROFILING=1 GPU_FORCE_QUEUE_PROFILING=1 "$@"
	check_times
}

OPTIONS=()

@test "HIP: every dispatch, with kernel, sizes, queue and cause; without times, and it says so" {
	for w in vectoradd "matrixtranspose 3" "streams -g 2 -t 2 -s 4 -n 32" graphs "module $O/workloads/kernels.hsaco"; do
		echo "$w"
		# shellcheck disable=SC2086
		run_hip $w
		not jq -e '.traceEvents[] | select('"$LAUNCHED"') | select(.ph != "i" or
			(.args.flags | test("^no-times,doorbell,(no-signal|untimed-queue)$") | not))' "$T/t.json" >"$T/wrong" || {
			head "$T/wrong"
			return 1
		}
	done
}

@test "HIP with queues that take times: those of the GPU" {
	profiled run_hip vectoradd
	EARLY=1 WHY=$SHARED profiled run_hip streams -g 2 -t 2 -s 4 -n 64
	profiled run_hip graphs
}

@test "signals that copies use in between, by engines and by the runtime's own kernels" {
	profiled run_hip copies
	HSA_ENABLE_SDMA=0 EARLY=1 WHY=$SHARED profiled run_hip streams -g 1 -t 2 -s 2 -n 128
	HSA_ENABLE_SDMA=0 profiled run_hip copies
}

@test "8 GPUs: each queue's, with its own clock" {
	GPUS=8 profiled run_hip streams -g 8 -t 1 -s 2 -n 8
	[ "$(cut -f2 "$T/told" | sort -u | wc -l)" = 8 ]
}

@test "threads that share a queue: each dispatch is of who launched it" {
	export GPU_MAX_HW_QUEUES=1
	GPUS=1 run_hip streams -g 1 -t 4 -s 4 -n 200
	json_trace "$T/t.json" sizes
	GPUS=1 EARLY=1 WHY=$SHARED profiled run_hip streams -g 1 -t 4 -s 4 -n 200
	json_trace "$T/t.json" sizes
	unset GPU_MAX_HW_QUEUES
}

@test "HSA alone: one by one, in batches, with and without signals" {
	OPTIONS=(--all-functions)
	export SIMKFD_KERNELS=elementAdd=50000
	run_bare hsa_dispatch -k 50000 "$O/workloads/kernels.hsaco"
	# Whole batches hang below the store that rang for them.
	json_trace --instants --causes '^hsa_signal_store_(screlease|relaxed)$' "$T/t.json" causes
	WHY='no-signal signal-shared' check_times >"$T/times"
	cat "$T/times"
	# Those that have a signal of their own to themselves; it does 200 one by one.
	[ "$(awk '{print $1}' "$T/times")" -ge 200 ]
	# As many of its dispatches count one signal down.
	[ "$(cut -f 9 "$T/told" | grep -cx signal-shared)" = 200 ]
}

@test "children that use the GPU, and those that run another program" {
	run_bare forker
}

@test "text and Perfetto say what is measured" {
	sim "$RTRACE" --dispatch-from-bpf -f text -f pftrace -o "$T/t" -- "$O/workloads/vectoradd" >/dev/null 2>&1
	[ "$(grep -c 'gpu 0 queue 1 .* <?> (doorbell,\(no-signal\|untimed-queue\)) ← corr' "$T/t.text")" = 2 ]
	sim HIP_FORCE_QUEUE_PROFILING=1 GPU_FORCE_QUEUE_PROFILING=1 "$RTRACE" --dispatch-from-bpf -f text -o "$T/p.text" \
		-- "$O/workloads/vectoradd" >/dev/null 2>&1
	# A kernel takes 20 us of the GPU's clock; as in check_times, the two clocks differ by less than 1 us over that.
	sed -nE 's/.*gpu 0 queue 1 .* <([0-9.]+)us> \(doorbell\) ← corr.*/\1/p' "$T/p.text" >"$T/took"
	cat "$T/took"
	[ "$(awk '$1 > 19 && $1 < 21' "$T/took" | wc -l)" = 2 ]
	protoc --decode=pf.Trace -I tests/unit tests/unit/perfetto.proto <"$T/t.pftrace" >"$T/decoded"
	[ "$(grep -c '"no-times,doorbell,\(no-signal\|untimed-queue\)"' "$T/decoded")" -ge 1 ]
}

@test "a process that has ended before its code was read: addresses, and how many" {
	start_job "$O/workloads/job" -n 20 -t 1
	start_tracer --summary-json "$T/summary" -p "$job"
	kill -STOP "$tracer"
	go
	wait "$job"
	kill -CONT "$tracer"
	wait "$tracer"
	truth_since_go "$T/truth"
	python3 tests/truth.py dispatches "$T/truth.go" >"$T/true"
	ran=$(wc -l <"$T/true")
	[ "$ran" -ge 20 ]
	told "$T/t.json" >"$T/told"
	[ "$(cut -f3 "$T/told" | grep -c '^(kernel_0x')" = "$ran" ]
	diff <(cut -f4,5 "$T/true" | sort) <(cut -f4,5 "$T/told" | sort)
	grep -q ": $ran dispatches have an address in place of their kernel's name" "$T/err"
	[ "$(jq .otherData.nameless "$T/t.json")" = "$ran" ]
	[ "$(jq .incomplete.kernels_nameless "$T/summary")" = "$ran" ]
}

# The trace's kernels are those of the truth log, in its order, but for those without a name; prints how many these are.
same_order() { # TRUTH TRACE
	python3 tests/truth.py dispatches "$1" | sort -t $'\t' -k7,7n | cut -f3 >"$T/true.names"
	told "$2" | sort -t $'\t' -k10,10n | cut -f3 >"$T/told.names"
	[ -s "$T/true.names" ]
	paste "$T/true.names" "$T/told.names" | awk -F '\t' '
		$2 ~ /^\(kernel_0x/ { nameless++; next }
		$1 != $2 { bad++; print NR ": " $0 }
		END { print nameless + 0; exit bad > 0 }'
}

@test "code that is loaded in the place of other code: kernels have their own names" {
	run_hip reload -n 60
	[ "$(grep -c reload "$T/told")" = 90 ]
	[ "$(same_order "$T/truth" "$T/t.json")" = 0 ]
	OPTIONS=(-t gpu)
	# Without launches that say what they launch.
	rm -f "$T/truth"
	sim SIMKFD_TRUTH="$T/truth" SIMKFD_GPUS=1 "$RTRACE" --dispatch-from-bpf -f json -o "$T/t.json" -- \
		"$O/workloads/reload" -d -n 60 >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	nameless=$(same_order "$T/truth" "$T/t.json")
	[ "$(wc -l <"$T/told.names")" = 90 ]
	[ "$(jq .otherData.nameless "$T/t.json")" = "$nameless" ]
}

# ---- attached late ----

# The tracer reads the simulated GPU's clock: it has the simulator under it as well.
start_tracer() {
	start_tracing sim_exec SIMKFD_DRIFT_PPM=200 "$RTRACE" --dispatch-from-bpf -v -f json -o "$T/t.json" "$@"
}

end_both() {
	wait "$job"
	wait "$tracer"
	grep -q '^result PASSED$' "$T/out"
	nothing_lost "$T/err" uncorrelated
	truth_since_go "$T/truth"
}

late() {
	needs_mode "$1"
	rm -f "$T/truth" "$T/go"
	start_job HIP_FORCE_QUEUE_PROFILING=1 GPU_FORCE_QUEUE_PROFILING=1 "$O/workloads/job" -n 150 -t 4
	start_tracer --attach "$1" -p "$job"
	go
	end_both
	grep -q '; 0 packets not seen' "$T/err"
	check_dispatches "$T/truth.go" "$T/t.json"
	json_trace --instants "$T/t.json" causes
	EARLY=1 WHY=$SHARED check_times
}

@test "attached to a running job" {
	late session
	grep -q ' functions behind their trampolines' "$T/err"
}

@test "the same with uprobe_multi links" {
	late multi
}

@test "the same with tracefs events" {
	late tracefs
	not grep -q "rtrace_$tracer/" /sys/kernel/tracing/uprobe_events
}

@test "a process that has the agent is told by the agent alone" {
	start_job HSA_TOOLS_LIB="$AGENT" "$O/workloads/job" -n 100 -t 2
	start_tracer -p "$job"
	go
	end_both
	check_truth "$T/truth.go" "$T/t.json"
	grep -q ' 0 dispatches at their doorbells' "$T/err"
}
