#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# rtrace-bpf top: what it shows, judged by what the programs say and by the simulator's truth log; and
# its screen, on a terminal of script(1).

load ../common
load ../gpu
load ../node

teardown() {
	end_jobs
	remove_groups
}

# busy_job ARG...: one that goes on for long
busy_job() {
	sim_exec SIMKFD_GPUS=1 HSA_TOOLS_LIB="$O/librtrace-agent.so" SIMKFD_TRUTH="$T/truth" "$O/workloads/job" "$@" \
		>"$T/out" 2>&1 &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/out"
}

# cell COLUMN FILE: of the lines of $job, by the head above them
cell() {
	awk -v column="$1" -v pid="$job" '
		{ line = $0; gsub(/GPU BUSY/, "BUSY", line); n = split(line, f, " ") }
		f[1] == "PID" { for (i = 1; i <= n; i++) at[f[i]] = i }
		f[1] == pid { print f[at[column]] }' "$2"
}

# In the background, what it shows in t: for start_tracing.
show_top() {
	exec "$RTRACE" top -v "$@" >"$T/t"
}

# top_until CONDITION ARG...: shows until that holds
top_until() {
	local condition=$1

	shift
	fresh t
	start_tracing show_top "$@"
	wait_for "$condition"
	kill -INT "$tracer"
	wait "$tracer"
}

# is_shown COLUMN N: are there N lines of $job with a number in it that is not 0?
is_shown() {
	[ "$(cell "$1" "$T/t" | awk '$1 + 0 > 0' | wc -l)" -ge "$2" ]
}

# adds_up COLUMN UNIT TOTAL: each cell times its interval, which the line above the table says, is TOTAL together. A cell
# is rounded to UNIT, an interval to a ms: by half of that each may be off.
adds_up() {
	awk -v column="$1" -v unit="$2" -v total="$3" -v pid="$job" '
		$2 == "in" && $4 == "s:" { s = $3 }
		{ line = $0; gsub(/GPU BUSY/, "BUSY", line); n = split(line, f, " ") }
		f[1] == "PID" { for (i = 1; i <= n; i++) at[f[i]] = i }
		f[1] == pid { v = f[at[column]] + 0; sum += v * s; off += unit / 2 * s + v * 0.0005 }
		END {
			print column ": " sum " shown, " total " wanted, rounded by " off
			exit !(sum > 0 && sum - total <= off && total - sum <= off)
		}' "$T/t"
}

@test "a process in numbers: they add up to what the GPU ran" {
	start_job SIMKFD_GPUS=1 HSA_TOOLS_LIB="$O/librtrace-agent.so" "$O/workloads/job" -d 1000
	fresh t
	start_tracing show_top -p "$job" -i 0.5
	go
	wait_for is_shown LAUNCH/S 4
	kill -TERM "$job"
	wait "$job"
	wait "$tracer"
	nothing_lost "$T/err"
	[ "$(cell COMMAND "$T/t" | sort -u)" = job ]
	truth_since_go "$T/truth"
	true_ops "$T/truth.go" >"$T/true"
	adds_up LAUNCH/S 1 "$(grep -c '^dispatch' "$T/true")"
	adds_up CALLS/S 1 "$(sed -n 's/.* recorded \([0-9]*\) calls, .*/\1/p' "$T/err")"
	# Its operations come one after the other.
	adds_up BUSY 0.1 "$(awk -F '\t' '{ ns += $6 - $5 } END { print ns / 1e7 }' "$T/true")"
}

@test "a process without the agent: its GPU columns say that nothing is known, not 0" {
	sim_exec SIMKFD_GPUS=1 "$O/workloads/job" -d 1000 >"$T/out" 2>&1 &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/out"
	two_lines() { is_shown CALLS/S 2; }
	top_until two_lines -p "$job" -i 0.5
	for column in LAUNCH/S BUSY COPIED/S; do
		[ "$(cell $column "$T/t" | sort -u)" = - ]
	done
	# With the agent they are numbers.
	kill -KILL "$job"
	fresh out
	busy_job -d 1000
	launches() { is_shown LAUNCH/S 1; }
	top_until launches -p "$job" -i 0.5
}

# The second tracer of it is one of the node.
# bats test_tags=node
@test "by GPU and by container" {
	busy_job -d 1000
	by_gpu() { grep -Eq '^ +1 +[1-9][0-9]* +[0-9.]+% .*[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] +gfx' "$T/t"; }
	top_until by_gpu -p "$job" --by gpu --sort launches -i 0.5
	make_group top
	containers_work
	(contain box / "" "$O/capture/edges" go 100000) >"$T/inside" &
	JOBS_STARTED+=("$!")
	wait_for grep -q ready "$T/inside"
	"$RTRACE" top -v --by container -i 0.5 >"$T/c" 2>"$T/cerr" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	inside=$("$RTRACE" ps --json | jq -r '.[] | select(.comm == "edges" and .ns_pid) | .pid')
	wait_for grep -q "process $inside .*API calls" "$T/cerr"
	kill -USR1 "$inside"
	wait_for grep -Eq "^ +1 +[1-9][0-9]* .*/${GROUP##*/}${GROUP:+\$}" "$T/c"
	kill -INT "$tracer"
	wait "$tracer"
}

@test "filter and order" {
	"$O/capture/edges" go 1 >"$T/one" &
	one=$!
	JOBS_STARTED+=("$one")
	busy_job -d 1000
	wait_for grep -q ready "$T/one"
	busy() { is_shown CALLS/S 1; }
	top_until busy -p "$one" -p "$job" --sort calls -i 0.5
	# The busy one first; one that made no call is not known.
	[ "$(awk '$1 ~ /^[0-9]+$/ { print $1; exit }' "$T/t")" = "$job" ]
	"$RTRACE" top -p "$job" --filter nothing-like-it -i 1 -n 2 >"$T/t" 2>"$T/err"
	[ "$(cell CALLS/S "$T/t" | wc -l)" = 0 ]
	[ "$(grep -c ' calls/s, ' "$T/t")" = 2 ] # so many tables were asked for
	grep -q 'filter: nothing-like-it' "$T/t"
}

@test "the trace is written too, and errors are counted" {
	sim "$RTRACE" top -i 100 -f rtrace -o "$T/t.rtrace" -- "$O/workloads/errors" >"$T/t" 2>"$T/err"
	"$RTRACE" export -f json -o "$T/t.json" "$T/t.rtrace" 2>/dev/null
	[ "$(calls "$T/t.json" | wc -l)" -gt 5 ]
	# One interval, shown at the end, says how long it was: its sums are the trace's.
	grep ' calls/s, ' "$T/t" | awk -v n="$(calls "$T/t.json" | wc -l)" '{
		print $5 * $3, n; d = $5 * $3 - n; if (d < 0) d = -d; exit !(d <= $3 / 2 + $5 * 0.0005) }'
	grep -Eq ', [1-9][0-9]* errors/s' "$T/t"
}

# On a terminal of 30 lines: `on_screen KEYS TEXT... -- ARG...`, the next keys when that text has been drawn ("": after
# some time); what is drawn is in `drawn`.
on_screen() {
	local keys=()

	while [ "$1" != -- ]; do
		keys+=("$1")
		shift
	done
	shift
	rm -f "$T/drawn"
	(
		wait_for grep -q LAUNCH/S "$T/drawn"
		for ((i = 0; i < ${#keys[@]}; i += 2)); do
			printf '%b' "${keys[i]}"
			if [ "${keys[i + 1]}" ]; then
				wait_for grep -q "${keys[i + 1]}" "$T/drawn"
			else
				sleep "$(seconds 1.5)"
			fi
		done
	) | TERM=xterm timeout 120 script -qefc "stty rows 30 cols 140; '$RTRACE' top $*" "$T/drawn" >/dev/null
}

@test "the screen: its keys, and the terminal as it was" {
	busy_job -d 1000
	on_screen c PROCS g MODEL s "" '/gfx\r' 'filter: gfx' p "" q "" -- -p "$job" -i 0.5
	for text in LAUNCH/S COMMAND CONTAINER PROCS MODEL 'filter: gfx'; do
		grep -q "$text" "$T/drawn" || { echo "$text was not drawn" && false; }
	done
	# The other screen was entered and left; then the tracer says what it did.
	grep -q $'\e\\[?1049h' "$T/drawn"
	sed -n '/\x1b\[?1049l/,$p' "$T/drawn" | grep -q 'recorded .* calls'
	[ "$(tail -c +0 "$T/drawn" | grep -c 'COMMAND_EXIT_CODE="0"')" = 1 ]
}

@test "wrong arguments, and a reader that goes away" {
	fails 2 "--by: unknown 'thread'" "$RTRACE" top --by thread
	fails 2 "--sort: unknown 'x'" "$RTRACE" top --sort x
	fails 2 "no such column" "$RTRACE" top --by gpu --sort calls
	fails 2 "-i: '0' is not" "$RTRACE" top -i 0
	fails 2 "-n: '-1' is not" "$RTRACE" top -n -1
	fails 2 "--filter: at most 63 bytes" "$RTRACE" top --filter "$(printf 'x%.0s' {1..64})"
	fails 2 "-f text: not to the same terminal" "$RTRACE" top -f text
	fails 2 "exclude each other" "$RTRACE" top -a -p 1
	fails 1 "no ROCm library mapped" "$RTRACE" top -p $$
	busy_job -d 1000
	status=0
	("$RTRACE" top -p "$job" -i 0.1 2>"$T/err" || echo "status $?" >>"$T/err") | head -n 1 >/dev/null
	grep -q 'write standard output: Broken pipe' "$T/err"
	grep -q '^status 1' "$T/err"
}
