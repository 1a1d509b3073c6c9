# SPDX-License-Identifier: MIT
# How many calls a second are recorded with none lost, when all cores call.
# shellcheck shell=bash disable=SC2154 # variables of scripts/bench and processes.bash

burst=2 # seconds: at the rates that come out the buffers before the tracer hold a part of it

declare -A highest # calls a second that were recorded last, by key

# Whether calls at that rate (0: as fast as they can be made) are all recorded; $made is how many a
# second there were.
record_at() { # RATE OPTION...
	local asked=$1 recorded

	"$O/rtrace-bpf" -t hip -f rtrace -o "$work/rate.rtrace" "${@:2}" -- "${simulated_gpu[@]}" \
		"$O/workloads/rate" "$cores" "$burst" "$asked" "$work/counts" >"$work/rate.out" 2>"$work/tracer.log" ||
		fail "rate: $(tail -n 1 "$work/tracer.log")"
	rm -f "$work/rate.rtrace"
	made=$(sed -n 's/^calls hipGetDevice //p' "$work/rate.out")
	recorded=$(sed -n 's/^rtrace-bpf: recorded \([0-9]*\) calls.*/\1/p' "$work/tracer.log")
	# In its first call each thread waits for the runtime to start, and with it the agent.
	[ "$recorded" -ge $((made - cores)) ] && [ -z "$(lost_of_tracer)" ] || return 1
	made=$((made / burst))
}

# Steps from there, by PERCENT, up until calls are lost, or down until none are; the highest
# rate without loss is then in $found, 0: there is none.
search_from() { # RATE PERCENT OPTION...
	local at=$1 percent=$2 direction=

	shift 2
	found=0
	while [ "$at" -ge 1000 ]; do
		if record_at "$at" "$@"; then
			found=$made
			[ "$direction" != down ] || return 0
			[ $((made * 100)) -ge $((at * 95)) ] || return 0 # callers cannot do more
			direction=up
			at=$((at * (100 + percent) / 100))
		else
			[ "$direction" != up ] || return 0
			direction=down
			at=$((at * 100 / (100 + percent)))
		fi
	done
}

# The first round has to find it, the others to see whether it is still there.
measure_rate() { # KEY OPTION...
	local found=${highest[$1]:-0}

	[ "$found" != 0 ] || search_from 1000000 60 "${@:2}"
	search_from "$found" 12 "${@:2}"
	highest[$1]=$found
	record sample "$1" "$found"
}

measure_throughput() {
	measure_rate highest.uprobe --capture uprobe
	[ -n "$no_agent" ] || measure_rate highest.agent --capture agent
}

describe_throughput() {
	local section="hipGetDevice from $cores threads, recorded with none lost" target="value >= 1200000"

	record row "$section" "captured by uprobes" "calls/s" highest.uprobe "" "$target"
	if [ -n "$no_agent" ]; then
		record skip "$section" "captured by the agent" "$no_agent"
	else
		record row "$section" "captured by the agent" "calls/s" highest.agent "" "$target"
	fi
}
