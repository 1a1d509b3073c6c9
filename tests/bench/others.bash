# SPDX-License-Identifier: MIT
# The tracers that rtrace-bpf is compared with, on the process that calls: an empty BPF program,
# bpftrace, perf. Each is started, checked to be there, and asked in the end what it has seen.
# shellcheck shell=bash disable=SC2154 # variables of scripts/bench and processes.bash

# For a tool that does not say when its probes are there: until calls take so long that they must be.
wait_for_probe() { # FUNCTION
	local i

	for ((i = 0; i < 200; i++)); do
		make_calls "$1" 500
		[ "${ns%.*}" -lt 100 ] || return 0
		sleep 0.02
	done
	echo "bench: no probe came on $1" >&2
	return 1
}

wait_for_probes() {
	local site

	for site in "${sites[@]}"; do
		wait_for_probe "$site"
	done
	calls_made=0
}

check_seen() { # TOOL COUNT
	[ "$2" -ge "$calls_made" ] || record note "$1 counted $2 of $calls_made calls in one round"
}

# ---- the empty BPF program ----

start_floor() { # PID...
	rm -f "$work/floor.out"
	exec {floor_input}> >(exec "$O/bench/floor" "$mode" "$@" >"$work/floor.out")
	floor=$!
	wait_for_line "$work/floor.out" '^attached' "$floor"
}

stop_floor() {
	exec {floor_input}>&-
	wait_for_line "$work/floor.out" '^detached' "$floor"
}

# ---- bpftrace ----

# The least that shows how long calls take.
bpftrace_histogram() {
	cat <<-END
		uprobe:$O/bench/libamdhip64.so.98:hipBench* { @begin[tid] = nsecs; }
		uretprobe:$O/bench/libamdhip64.so.98:hipBench* /@begin[tid]/ {
			@ns = hist(nsecs - @begin[tid]); delete(@begin[tid]); }
	END
}

bpftrace_count() {
	cat <<-END
		uprobe:$O/bench/libamdhip64.so.98:hipBench* { @entries = count(); }
		uretprobe:$O/bench/libamdhip64.so.98:hipBench* { @returns = count(); }
	END
}

start_bpftrace() { # SCRIPT
	bpftrace -B line -p "$calls_pid" -e "$1" >"$work/bpftrace.out" 2>&1 &
	bpftrace=$!
	wait_for_probes
}

stop_bpftrace() {
	kill -INT "$bpftrace"
	wait "$bpftrace"
	check_seen bpftrace "$(awk -F '|' '/^\[/ { n = split($1, f, " "); sum += f[n] }
		/^@returns/ { split($0, f, " "); sum += f[2] } END { print sum + 0 }' "$work/bpftrace.out")"
}

# ---- perf ----

# Its events are of the whole machine until they are deleted: also when we are ended early.
perf_group=rtrace_bench_$$

add_perf_probes() {
	local site symbol options=()

	for site in "${sites[@]}"; do
		symbol=hipBench${site^}
		options+=(--add "$perf_group:${site}_entry=$symbol" --add "$perf_group:${site}_return=$symbol%return")
	done
	perf_probes=1
	perf probe -q -x "$O/bench/libamdhip64.so.98" "${options[@]}" >"$work/perf.log" 2>&1
}

delete_perf_probes() {
	[ -z "${perf_probes:-}" ] || perf probe -q -d "$perf_group:*" >/dev/null 2>&1 || true
	perf_probes=
}

# Why there is nothing to compare with; nothing: there is.
why_no_perf() {
	if ! command -v perf >/dev/null; then
		echo "perf is not installed"
	elif ! add_perf_probes; then
		echo "perf probe: $(grep -m 1 . "$work/perf.log")"
	fi
	delete_perf_probes
}

start_perf() {
	add_perf_probes
	perf record -q -e "$perf_group:*" -p "$calls_pid" -m 1024 -o "$work/perf.data" >"$work/perf.log" 2>&1 &
	perf=$!
	wait_for_probes
}

stop_perf() {
	kill -INT "$perf"
	wait "$perf" || true # it ends by the signal
	delete_perf_probes
	check_seen perf "$(($(perf report -i "$work/perf.data" --stats 2>/dev/null |
		awk '$1 == "SAMPLE" && !n { n = $3 } END { print n + 0 }') / 2))"
	rm -f "$work/perf.data"
}
