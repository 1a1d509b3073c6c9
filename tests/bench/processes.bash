# SPDX-License-Identifier: MIT
# The processes of scripts/bench: starts each, waits until it is ready, measures in it, ends it.
#
# Measurements are lines in $work/samples, which report.awk turns into the tables, with tabs between
#   sample KEY VALUE | row SECTION WHAT UNIT KEY [BASE_KEY] | skip SECTION WHAT WHY | note TEXT
#
# Checks that the calls measured were really traced: what was not is a note below the table.
# shellcheck shell=bash disable=SC2153,SC2154 # variables of scripts/bench

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

# Leaves the result in $ns.
make_calls() { # FUNCTION CALLS
	echo "$1 $2" >&"${CALLS[1]}"
	read -r -u "${CALLS[0]}" ns
	calls_made=$((calls_made + $2))
}

call() { # KEY FUNCTION CALLS
	make_calls "$2" "$3"
	record sample "$1" "$ns"
}

# Waits until calls take so long that there must be a probe, for tools that do not say when it is there.
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

# ---- the tracer ----

start_tracer() { # ARGUMENT...
	calls_made=0
	"$O/rtrace-bpf" "$@" 2>"$work/tracer.log" &
	tracer=$!
	wait_for_line "$work/tracer.log" "^rtrace-bpf: process [0-9]* (.*): API calls" "$tracer"
}

stop_tracer() {
	local recorded

	kill -INT "$tracer"
	wait "$tracer"
	recorded=$(sed -n 's/^rtrace-bpf: recorded \([0-9]*\) calls.*/\1/p' "$work/tracer.log")
	[ "$recorded" = "$calls_made" ] ||
		record note "rtrace-bpf recorded $recorded of $calls_made calls in one round: $(
			sed -n 's/^rtrace-bpf: \(lost [^;]*\).*/\1/p' "$work/tracer.log")"
}

tracer_cpu_ns() {
	awk '{ ns += $1 } END { printf "%d", ns }' /proc/"$tracer"/task/*/schedstat
}

# Times the messages of a tracer on the job as they come.
time_tracer() {
	local begin loaded ready line functions=0

	begin=${EPOCHREALTIME/./}
	exec {log}< <(exec "$O/rtrace-bpf" -v -p "$job" -S -o /dev/null 2>&1)
	tracer=$!
	while read -r -u "$log" line; do
		case $line in
		*' rings: '*) loaded=${EPOCHREALTIME/./} ;;
		*' attach: '[0-9]*) line=${line#*attach: } && functions=$((functions + ${line%% *})) ;;
		'rtrace-bpf: process '*) ready=${EPOCHREALTIME/./} && break ;;
		esac
	done
	kill -INT "$tracer"
	record sample startup "$(quotient $((ready - begin)) 1000)"
	record sample attach "$(quotient $((ready - loaded)) 1000)"
	record sample functions "$functions"
	while read -r -u "$log" line; do
		case $line in
		*' detached in '*) line=${line#* in } && record sample detach "${line% ms}" ;;
		esac
	done
	exec {log}<&-
}

# ---- the empty BPF program ----

start_floor() { # PID
	exec {floor_input}> >(exec "$O/bench/floor" "$mode" "$1" >"$work/floor.out")
	floor=$!
	wait_for_line "$work/floor.out" '^attached' "$floor"
}

stop_floor() {
	exec {floor_input}>&-
	wait_for_line "$work/floor.out" '^detached' "$floor"
}

# ---- bpftrace ----

bpftrace_script() {
	cat <<-END
		uprobe:$O/bench/libamdhip64.so.98:hipBench* { @begin[tid] = nsecs; }
		uretprobe:$O/bench/libamdhip64.so.98:hipBench* /@begin[tid]/ {
			@ns = hist(nsecs - @begin[tid]); delete(@begin[tid]); }
	END
}

start_bpftrace() {
	local function

	bpftrace -B line -p "$calls_pid" -e "$(bpftrace_script)" >"$work/bpftrace.out" 2>&1 &
	bpftrace=$!
	for function in push nop5 sub; do
		wait_for_probe $function
	done
	calls_made=0
}

stop_bpftrace() {
	local seen

	kill -INT "$bpftrace"
	wait "$bpftrace"
	seen=$(awk -F '|' '/^\[/ { n = split($1, f, " "); sum += f[n] } END { print sum + 0 }' \
		"$work/bpftrace.out")
	[ "$seen" -ge "$calls_made" ] ||
		record note "bpftrace counted $seen of $calls_made calls in one round"
}

# ---- calls of HIP, HSA and roctx ----

# A process that makes them, with NAME=VALUE...; its pid is $captured.
start_captured() {
	rm -f "$work/asked"
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

# Starts one that waits for go_launch, with NAME=VALUE...; its pid is $launcher.
start_launch() {
	rm -f "$work/go"
	mkfifo "$work/go"
	"${simulated_gpu[@]}" "$@" "$O/bench/launches" "$O/workloads/kernels.hsaco" "$launches" wait \
		<"$work/go" >"$work/launches.out" 2>"$work/launches.log" &
	launcher=$!
	exec {go}>"$work/go"
	wait_for_line "$work/launches.out" '^ready' "$launcher"
}

go_launch() { # KEY
	local ns _

	echo >&"$go"
	exec {go}>&-
	wait "$launcher"
	read -r ns _ < <(tail -n 1 "$work/launches.out")
	record sample "$1" "$ns"
}

# The same in a process without the agent that is attached to, with these options.
launch_attached() { # KEY OPTION...
	local key=$1

	shift
	start_launch
	start_tracer -p "$launcher" -S -o /dev/null "$@"
	go_launch "$key"
	wait "$tracer"
	[ "$*" = "" ] || grep -q "^rtrace-bpf: $launches dispatches at their doorbells" "$work/tracer.log" ||
		record note "$key: $(sed -n 's/^rtrace-bpf: \(.*doorbells\).*/\1/p' "$work/tracer.log") of $launches launches"
}

# In a process whose agent has been active for a tracer that is gone.
launch_after() { # KEY
	start_launch HSA_TOOLS_LIB="$agent"
	"$O/rtrace-bpf" -p "$launcher" --duration 0.1 -S -o /dev/null 2>"$work/tracer.log"
	go_launch "$1"
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
