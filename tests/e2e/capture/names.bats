#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What other calls say of an event: the kernel of a launch, external correlation IDs, names of threads,
# devices and streams. The judges are the agent's own name of the dispatch that a launch caused, checked
# against the simulator's truth log, and what the programs say.

load ../common
load ../gpu

WINDOWS=$O/capture/windows

gpu_traced() {
	rm -f "$T/truth" "$T/t.json"
	sim SIMKFD_TRUTH="$T/truth" GPU_FORCE_BLIT_COPY_SIZE=0 "$RTRACE" -f json -o "$T/t.json" "${OPTIONS[@]}" -- "$@" \
		>"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
}

OPTIONS=()

# Every launch in the trace says which kernel it launches, and the dispatch that it caused, if it is in
# the trace, is of that kernel. LEARNT=1: nothing but dispatches names kernels. Then a launch has a name if its own
# dispatch is in the trace, or one of an earlier launch of that function, and no other has.
launches_are_named() {
	jq -r '(.traceEvents[] | select(.cat == "gpu" and .ph == "X" and .args.bytes == null) |
			["ran", .args.root, .name, (.args.submit * 1000 | round)]),
		(.traceEvents[] | select(.cat == "hip" and (.name | test("^hip(Ext|Module|HccModule)*Launch.*Kernel$"))) |
			["launch", .args.corr, .args.kernel // "?", ((.ts + .dur) * 1000 | round),
			 .args.args[0]]) | @tsv' "$T/t.json" | sort -t $'\t' -k1,1r -k4,4n |
		awk -F '\t' -v learnt="${LEARNT:-0}" '
			function wrong(why) { bad++; if (bad <= 5) print why ": " $0 }
			$1 == "ran" { ran[$2] = $3; submitted[$2] = $4; next }
			$2 in ran { both++; if ($3 != "?" && ran[$2] != $3) wrong("ran " ran[$2]) }
			$2 in ran && submitted[$2] <= $4 { known[$5] = 1 }
			$3 == "?" && (!learnt || $5 in known) { wrong("has no name") }
			$3 != "?" && learnt && !($5 in known) { wrong("has a name that nobody knows") }
			END { exit bad || !both }'
}

@test "kernels by what a program registers: every launch names the one that the GPU runs" {
	for w in "streams -g 2 -t 2 -s 2" "ranges" "matrixtranspose 3"; do
		# shellcheck disable=SC2086
		gpu_traced "$O/workloads/"$w
		launches_are_named
		check_truth "$T/truth" "$T/t.json"
	done
	jq -e '[.traceEvents[] | select(.name == "hipLaunchKernel") | .args.kernel] | unique ==
		["matrixTranspose(float*, float*, int)"]' "$T/t.json"
}

@test "kernels by what a module is asked for" {
	gpu_traced "$O/workloads/module" "$O/workloads/kernels.hsaco"
	launches_are_named
	check_truth "$T/truth" "$T/t.json"
}

@test "the names that launches go by are learnt without -t and -e showing how" {
	OPTIONS=(-t hip -t kernel -e 'hip*Launch*')
	gpu_traced "$O/workloads/vectoradd"
	launches_are_named
	[ "$(count "$T/t.json" __hipRegisterFunction)" = 0 ]
	gpu_traced "$O/workloads/module" "$O/workloads/kernels.hsaco"
	launches_are_named
	[ "$(count "$T/t.json" hipModuleGetFunction)" = 0 ]
}

@test "the kernel in a line of text" {
	OPTIONS=()
	sim "$RTRACE" -f text -o "$T/lines" -t hip -- "$O/workloads/matrixtranspose" 1 >"$T/out"
	grep -qE 'hipLaunchKernel\(.*0x[0-9a-f]+ <matrixTranspose\(float\*, float\*, int\)>' "$T/lines"
}

@test "a kernel's child processes and programs know their own kernels" {
	gpu_traced "$O/workloads/forker"
	launches_are_named
}

# late [OPTION...] -- PROGRAM [ARG...]: attaches to it when it has launched already; with the agent
late() {
	local options=()

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	fresh job err go
	HSA_TOOLS_LIB=${AGENT-$O/librtrace-agent.so} sim_exec "$@" --go "$T/go" -n 20 -t 2 >"$T/job" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/job"
	"$RTRACE" -p "$job" "${options[@]}" -f json -o "$T/t.json" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q 'API calls' "$T/err"
	touch "$T/go"
	wait "$job"
	wait "$tracer"
	grep -q '^result PASSED$' "$T/job"
}

@test "attached late: kernels by the program's symbols" {
	late -- "$O/workloads/job"
	launches_are_named
	# Without an agent too.
	AGENT='' late -- "$O/workloads/job"
	jq -e '[.traceEvents[] | select(.name == "hipLaunchKernel") | .args.kernel] | length == 40 and
		all(. == "elementAdd")' "$T/t.json"
}

@test "attached late: a kernel of C++, without an agent" {
	SIMKFD_TRUTH=$T/truth sim_exec "$O/workloads/matrixtranspose" 100000 >/dev/null &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q matrixTranspose "$T/truth"
	for how in "" -M -T; do
		# shellcheck disable=SC2086
		"$RTRACE" -p "$job" $how -f text -o "$T/lines" 2>"$T/err" &
		tracer=$!
		JOBS_STARTED+=("$tracer")
		wait_for grep -q hipLaunchKernel "$T/lines"
		kill -INT "$tracer"
		wait "$tracer"
		sed -n 's/.*hipLaunchKernel(.* <\(.*\)>, .*/\1/p' "$T/lines" | sort -u >>"$T/kernels"
		rm "$T/lines"
	done
	mangled=$(nm "$O/workloads/matrixtranspose" | awk '$3 ~ /^_Z15matrixTranspose/ {print $3}')
	diff <(c++filt "$mangled"; echo "$mangled"; c++filt -p "$mangled") "$T/kernels"
}

@test "attached late to a stripped program: kernels by what the GPU ran" {
	strip -o "$T/stripped" "$O/workloads/job"
	late -- "$T/stripped"
	LEARNT=1 launches_are_named
}

# ---- external correlation IDs ----

# Every call of hipTestPlain has as its third argument the ID that it is made under.
ids_are_right() {
	nothing_lost "$T/err"
	grep -q '^result PASSED$' "$T/out"
	jq -e --argjson n "$(awk '$1 == "inside" {print $2}' "$T/out")" \
		'[.traceEvents[] | select(.name == "hipTestPlain") | .args] | length == $n' "$T/t.json"
	jq -r '.traceEvents[] | select(.name == "hipTestPlain") | [.args.args[2], .args.external // 0] | @tsv' \
		"$T/t.json" | while read -r want got; do
		[ "$(printf '%u' "$want")" = "$got" ] || echo "$want: $got"
	done >"$T/wrong"
	head "$T/wrong"
	[ ! -s "$T/wrong" ]
}

@test "external IDs: the one on top of the thread's stack" {
	for scenario in external external_of_others; do
		"$RTRACE" -f json -o "$T/t.json" -- "$WINDOWS" "$scenario" on 5 >"$T/out" 2>"$T/err"
		ids_are_right
	done
	# Also where the functions that push and pop are not shown.
	"$RTRACE" -f json -o "$T/t.json" -e hipTestPlain -- "$WINDOWS" external on 5 >"$T/out" 2>"$T/err"
	ids_are_right
	[ "$(count "$T/t.json" hipTestPlain)" = "$(jq '[.traceEvents[] | select(.ph == "X")] | length' "$T/t.json")" ]
}

@test "external IDs: the GPU's operations carry those of their launches" {
	OPTIONS=(-t hip -t hsa -t gpu)
	gpu_traced "$O/workloads/windows" -m ids -n 3
	json_trace "$T/t.json" causes
	jq -e '.traceEvents | map(select(.cat == "gpu" and .ph == "X")) |
		(map(select(.args.bytes == null)) | length == 6 and all(.args.external == 7)) and
		(map(select(.args.bytes != null)) | length == 3 and all(.args.external == 8))' "$T/t.json"
	jq -e '.traceEvents | (map(select(.name == "hipLaunchKernel")) | length == 6 and all(.args.external == 7)) and
		(map(select(.name == "hipMemcpy")) | all(.args.external == 8)) and
		(map(select(.name == "hipDeviceSynchronize")) | all(.args.external == null))' "$T/t.json"
	sim GPU_FORCE_BLIT_COPY_SIZE=0 "$RTRACE" -f text -o "$T/lines" -t hip,gpu -- "$O/workloads/windows" -m ids -n 1 >"$T/out"
	[ "$(grep -c 'hipLaunchKernel(.* ext 7' "$T/lines")" = 2 ]
	[ "$(grep -c 'gpu 0 queue .* ext 7' "$T/lines")" = 2 ]
	[ "$(grep -c 'gpu 0 copy .* ext 8' "$T/lines")" = 1 ]
}

# ---- names by roctx ----

@test "threads, devices and streams go by the names that roctx gives them" {
	OPTIONS=()
	gpu_traced "$O/workloads/windows" -m names -n 1
	jq -e '[.traceEvents[] | select(.ph == "M" and .name == "thread_name" and .args.name == "a worker")] |
		length > 0' "$T/t.json"
	jq -e '[.traceEvents[] | select(.ph == "M" and .name == "process_name" and (.args.name | contains("a device")))] |
		length > 0' "$T/t.json"
}

# renamed_as FORMAT FILE: the process has the name there that the kernel had last, and so has each thread that made calls; one
# that roctx named has that name, unless NO_ROCTX=1.
renamed_as() {
	local pid

	pid=$(awk '$1 == "name" { print $2; exit }' "$T/out")
	python3 "$E2E/task_names.py" "$1" "$2" "$pid" >"$T/names.$1"
	awk '$1 == "name"' "$T/out" | sed "1s/name [0-9]*/process/; s/^name //" >"$T/wanted"
	[ -z "${NO_ROCTX:-}" ] || sed -i 's/ by roctx$/ not this one/' "$T/wanted"
	if [[ $1 = text || $1 = folded ]]; then
		sed -i 1q "$T/wanted"
	fi
	# Threads of the runtime are called as those that started them, at some time.
	awk 'FILENAME == ARGV[1] { wanted[$1] = 1 } FILENAME == ARGV[2] && $1 in wanted' "$T/wanted" "$T/names.$1" |
		diff "$T/wanted" -
}

renamed_in_all_formats() {
	grep -q '^result PASSED$' "$T/out"
	protoc --decode=pf.Trace -I tests/unit tests/unit/perfetto.proto <"$T/t.pftrace" >"$T/t.decoded"
	otf2-print -A "$T/t.otf2/traces.otf2" >"$T/t.printed"
	renamed_as json "$T/t.json"
	renamed_as pftrace "$T/t.decoded"
	renamed_as rocpd "$T/t.db"
	renamed_as html "$T/t.html"
	renamed_as otf2 "$T/t.printed"
	renamed_as text "$T/t.text"
	renamed_as folded "$T/t.folded"
}

RENAMED=(-f json -f pftrace -f rocpd -f html -f otf2 -f text -f folded -f rtrace -o "$T/t")

@test "threads and processes that change their names have the last one, in each format" {
	for capture in auto uprobe; do
		echo "$capture"
		rm -rf "$T"/t.*
		touch "$T/go"
		sim "$RTRACE" --capture "$capture" "${RENAMED[@]}" -- "$O/workloads/renames" "$T/go" >"$T/out" 2>"$T/err"
		nothing_lost "$T/err"
		renamed_in_all_formats
		"$RTRACE" export -f json -o "$T/again.json" "$T/t.rtrace"
		renamed_as json "$T/again.json"
	done
}

# start_renames [early]: a process that waits, as $job
start_renames() {
	rm -rf "$T/go" "$T"/t.*
	fresh out
	sim_exec HSA_TOOLS_LIB="$O/librtrace-agent.so" "$O/workloads/renames" "$T/go" "$@" >"$T/out" 2>&1 &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/out"
}

@test "attached: a process that changes its name before its first call, or after its last" {
	for moment in early late; do
		for capture in auto uprobe; do
			echo "$moment $capture"
			start_renames "$moment"
			start_tracing "$RTRACE" --capture "$capture" "${RENAMED[@]}" -p "$job"
			touch "$T/go"
			wait "$job"
			wait "$tracer"
			renamed_in_all_formats
		done
	done
}

# bats test_tags=node
@test "of the node: a process that changes its name, with calls and without" {
	for moment in early late; do
		for selection in "" "--capture uprobe" "-t gpu"; do
			echo "$moment $selection"
			start_renames "$moment"
			# shellcheck disable=SC2086 # none, or two words
			"$RTRACE" $selection -f json -o "$T/t.json" -a 2>"$T/err" &
			tracer=$!
			JOBS_STARTED+=("$tracer")
			wait_for grep -q "process $job (" "$T/err"
			touch "$T/go"
			wait "$job"
			kill -INT "$tracer"
			wait "$tracer"
			NO_ROCTX=$([ "$selection" != "-t gpu" ] || echo 1) renamed_as json "$T/t.json"
		done
	done
}

teardown() {
	end_jobs
}
