# SPDX-License-Identifier: MIT
# The processes of scripts/bench: starts each, waits until it is ready, measures in it, ends it.
#
# Measurements are lines in $work/samples, which report.awk turns into the tables, with tabs between
#   sample KEY VALUE | row SECTION WHAT UNIT KEY [BASE_KEY [TARGET]] | skip SECTION WHAT WHY | note TEXT
# TARGET: `value`, `ratio` (to the base) or `added` (to the base), then an operator and a number.
#
# Checks that the calls measured were really traced: what was not is a note below the table.
# shellcheck shell=bash disable=SC2034,SC2153,SC2154 # variables of scripts/bench

record() {
	local IFS=$'\t'

	echo "$*" >>"$work/samples"
}

# record_samples PREFIX: lines "KEY VALUE" of the input.
record_samples() {
	local key value

	while read -r key value; do
		record sample "$1.$key" "$value"
	done
}

quotient() { # A B
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'
}

wait_for_line() { # FILE PATTERN PID
	local i

	for ((i = 0; i < 1000; i++)); do
		grep -qs "$2" "$1" && return
		kill -0 "$3" 2>/dev/null || break
		sleep 0.02
	done
	grep -qs "$2" "$1" && return # its last words
	echo "bench: gave up waiting for '$2' in:" >&2
	cat "$1" >&2
	return 1
}

# Runs a command, which may have NAME=VALUE in front, on the simulated GPU. It has one GPU that looks
# for work rarely, so that the simulator leaves the CPUs to what is measured.
simulated_gpu=(env LD_PRELOAD="$O/libsimkfd.so" SIMKFD_KERNEL_LIB="$O/workloads/libkernels.so"
	SIMKFD_GPUS=1 SIMKFD_POLL_US=1000 SIMKFD_KERNEL_NS=1000)

start_job() {
	"${simulated_gpu[@]}" "$O/workloads/job" -d 100000 >"$work/job.out" &
	job=$!
	wait_for_line "$work/job.out" '^ready' "$job"
}

# ---- the process that calls ----

start_calls() {
	coproc CALLS { exec "$O/bench/calls"; }
	calls_pid=$CALLS_PID
	read -r -u "${CALLS[0]}" _
	calls_made=0
}

# That many calls in each of that many threads; leaves the result in $ns.
make_calls() { # FUNCTION CALLS [THREADS]
	local threads=${3:-1}

	echo "$1 $threads $2" >&"${CALLS[1]}"
	read -r -u "${CALLS[0]}" ns
	calls_made=$((calls_made + $2 * threads))
}

call() { # KEY FUNCTION CALLS [THREADS]
	make_calls "${@:2}"
	record sample "$1" "$ns"
}

# ---- the tracer ----

start_tracer() { # ARGUMENT...
	calls_made=0
	rm -f "$work/tracer.log" # the last one's words are not to be taken for this one's
	"$O/rtrace-bpf" "$@" 2>"$work/tracer.log" &
	tracer=$!
	wait_for_line "$work/tracer.log" "^rtrace-bpf: process [0-9]* (.*): API calls" "$tracer"
}

end_tracer() {
	kill -INT "$tracer"
	wait "$tracer"
}

stop_tracer() {
	local recorded lost

	end_tracer
	lost=$(lost_of_tracer)
	recorded=$(sed -n 's/^rtrace-bpf: recorded \([0-9]*\) calls.*/\1/p' "$work/tracer.log")
	[ "$recorded" = "$calls_made" ] ||
		record note "rtrace-bpf recorded $recorded of $calls_made calls in one round: ${lost:-it says of none that it is lost}"
}

# What it says to have lost; nothing if that is nothing.
lost_of_tracer() {
	sed -En 's/^rtrace-bpf: (lost [0-9]+ (calls|GPU records|other records).*)/\1/p' "$work/tracer.log"
}

tracer_cpu_ns() {
	awk '{ ns += $1 } END { printf "%d", ns }' /proc/"$tracer"/task/*/schedstat
}

# Times the messages of a tracer as they come.
time_tracer() { # KEY OPTION...
	local begin loaded ready line functions=0

	begin=${EPOCHREALTIME/./}
	exec {log}< <(exec "$O/rtrace-bpf" -v "${@:2}" -S -o /dev/null 2>&1)
	tracer=$!
	while read -r -u "$log" line; do
		case $line in
		*' rings: '*) loaded=${EPOCHREALTIME/./} ;;
		*' attach: '[0-9]*) line=${line#*attach: } && functions=$((functions + ${line%% *})) ;;
		'rtrace-bpf: process '*) ready=${EPOCHREALTIME/./} && break ;;
		esac
	done
	kill -INT "$tracer"
	record sample "$1.startup" "$(quotient $((ready - begin)) 1000)"
	record sample "$1.attach" "$(quotient $((ready - loaded)) 1000)"
	record sample "$1.functions" "$functions"
	while read -r -u "$log" line; do
		case $line in
		*' detached in '*) line=${line#* in } && record sample "$1.detach" "${line% ms}" ;;
		esac
	done
	exec {log}<&-
}

# ---- many processes ----

# They do nothing; their pids are ${pids[@]}.
start_mapped() { # PROCESSES
	rm -f "$work/mapped.out"
	exec {mapped_input}> >(exec "$O/bench/mapped" "$1" >"$work/mapped.out")
	mapped=$!
	wait_for_line "$work/mapped.out" '^mapped' "$mapped"
	read -r -a pids < <(cut -d ' ' -f 2- "$work/mapped.out")
}

stop_mapped() {
	exec {mapped_input}>&-
	while kill -0 "$mapped" 2>/dev/null; do sleep 0.02; done
}

# ---- calls of HIP, HSA and roctx ----

# A process that makes them, with NAME=VALUE...; its pid is $captured.
start_captured() {
	rm -f "$work/asked" "$work/captured.out"
	mkfifo "$work/asked"
	"${simulated_gpu[@]}" "$@" "$O/bench/captured" <"$work/asked" >"$work/captured.out" 2>"$work/captured.log" &
	captured=$!
	exec {asked}>"$work/asked"
	wait_for_line "$work/captured.out" '^ready' "$captured"
}

stop_captured() {
	exec {asked}>&-
	wait "$captured"
}

# Each function with each number of threads: KEY.FUNCTION.THREADS
captured_calls() { # KEY
	local function threads before

	for function in hip hsa range; do
		for threads in 1 2 8; do
			before=$(wc -l <"$work/captured.out")
			echo "$function $threads $calls" >&"$asked"
			while [ "$(wc -l <"$work/captured.out")" = "$before" ]; do sleep 0.02; done
			record sample "$1.$function.$threads" "$(tail -n 1 "$work/captured.out")"
			calls_made=$((calls_made + threads * calls * (1 + $([ $function != range ]; echo $?))))
		done
	done
}

# The same while they are captured: what was recorded must be what was made.
captured_by() { # KEY OPTION...
	local key=$1

	shift
	start_tracer -p "$captured" -t hip,hsa,roctx,gpu -S -o /dev/null "$@"
	sleep 0.2 # the agent leads calls to itself
	captured_calls "$key"
	stop_tracer
}

# ---- launches ----

launch() { # KEY RECORDED COMMAND...: is the agent to have records of the launches, 1 or 0?
	local key=$1 recorded=$2 ns records

	shift 2
	"$@" "$O/bench/launches" "$O/workloads/kernels.hsaco" "$launches" \
		>"$work/launches.out" 2>"$work/launches.log" || {
		cat "$work/launches.log" >&2
		return 1
	}
	read -r ns records <"$work/launches.out"
	record sample "$key" "$ns"
	(((records >= launches) == recorded)) ||
		record note "$key: the agent had $records records of $launches launches in one round"
}

# Starts a program that says when it is ready and waits for go_waiting; its pid is $waiting.
start_waiting() { # ENV-AND-COMMAND...
	rm -f "$work/go" "$work/waiting.out"
	mkfifo "$work/go"
	"${simulated_gpu[@]}" "$@" <"$work/go" >"$work/waiting.out" 2>"$work/waiting.log" &
	waiting=$!
	exec {go}>"$work/go"
	wait_for_line "$work/waiting.out" '^ready' "$waiting"
}

# Leaves the first word of its last line in $ns.
go_waiting() {
	local _

	echo >&"$go"
	exec {go}>&-
	wait "$waiting"
	read -r ns _ < <(tail -n 1 "$work/waiting.out")
}

start_launch() { # NAME=VALUE...
	start_waiting "$@" "$O/bench/launches" "$O/workloads/kernels.hsaco" "$launches" wait
}

go_launch() { # KEY
	go_waiting
	record sample "$1" "$ns"
}

# The same in a process without the agent that is attached to, with these options.
launch_attached() { # KEY OPTION...
	local key=$1

	shift
	start_launch
	start_tracer -p "$waiting" -S -o /dev/null "$@"
	go_launch "$key"
	wait "$tracer"
	[ "$*" = "" ] || grep -q "^rtrace-bpf: $launches dispatches at their doorbells" "$work/tracer.log" ||
		record note "$key: $(sed -n 's/^rtrace-bpf: \(.*doorbells\).*/\1/p' "$work/tracer.log") of $launches launches"
}

# In a process whose agent has been active for a tracer that has ended.
launch_after() { # KEY
	start_launch HSA_TOOLS_LIB="$agent"
	"$O/rtrace-bpf" -p "$waiting" --duration 0.1 -S -o /dev/null 2>"$work/tracer.log"
	go_launch "$1"
}

# ---- training ----

# With OPTION... all is recorded; without, nothing.
train() { # KEY KERNEL_NS [OPTION...]
	local agents=() lost

	[ $# = 2 ] || agents=(HSA_TOOLS_LIB="$agent")
	start_waiting SIMKFD_POLL_US=50 SIMKFD_KERNEL_NS="$2" "${agents[@]}" \
		"$O/bench/training" "$O/workloads/kernels.hsaco" "$steps"
	[ $# = 2 ] || start_tracer -p "$waiting" -f rtrace -o "$work/trace" "${@:3}"
	sleep 0.2 # the agent leads calls to itself
	go_waiting
	record sample "$1" "$(quotient "$ns" 1000)"
	[ $# != 2 ] || return 0
	wait "$tracer"
	rm "$work/trace"
	lost=$(lost_of_tracer)
	[ -z "$lost" ] || record note "$1: $lost"
}

# ---- completions ----

completion() { # KEY SHARED NAME=VALUE...: how long until a signal that counts so many kernels is seen
	local key=$1 shared=$2

	shift 2
	record sample "$key" "$("${simulated_gpu[@]}" SIMKFD_POLL_US=50 "$@" "$O/bench/completions" \
		"$O/workloads/kernels.hsaco" "$completions" "$shared")"
}

# ---- programs that end ----

# Runs a program, whose output is not looked at: "CPU-SECONDS PEAK-MiB"
cost_of() { # COMMAND...
	/usr/bin/python3 - "$@" <<-'END'
		import resource, subprocess, sys
		done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
		used = resource.getrusage(resource.RUSAGE_CHILDREN)
		print(f"{used.ru_utime + used.ru_stime:.4f} {used.ru_maxrss / 1024:.1f}")
		sys.exit(done.returncode)
	END
}
