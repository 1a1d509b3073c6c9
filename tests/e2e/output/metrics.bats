#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --metrics, scraped by Prometheus, and judged by what the programs count.

load ../common
load ../gpu
load ../node

PATH=$PATH:$O/prometheus/usr/bin

teardown() {
	end_jobs
	remove_groups
}

# A port that nobody listens at.
free_port() {
	python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# fetch PATH [METHOD]: what is served there, after its status and type
fetch() {
	python3 - "http://127.0.0.1:$port$1" "${2:-GET}" <<-'END'
		import sys, urllib.error, urllib.request
		request = urllib.request.Request(sys.argv[1], method=sys.argv[2])
		try:
		    reply = urllib.request.urlopen(request, timeout=20)
		except urllib.error.HTTPError as error:
		    reply = error
		print(reply.status, reply.headers["Content-Type"])
		print(reply.read().decode(), end="")
	END
}

# start_serving ARG...: the tracer, when it answers
start_serving() {
	port=$(free_port)
	"$RTRACE" --metrics "$port" "$@" 2>"$T/err" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	wait_for grep -q 'API calls' "$T/err"
	wait_for fetch /metrics
}

start_prometheus() {
	web=$(free_port)
	cat >"$T/prometheus.yml" <<-END
		global: {scrape_interval: 500ms, scrape_timeout: 500ms}
		scrape_configs: [{job_name: rtrace, static_configs: [{targets: ["127.0.0.1:$port"]}]}]
	END
	prometheus --config.file="$T/prometheus.yml" --storage.tsdb.path="$T/tsdb" \
		--web.listen-address="127.0.0.1:$web" --log.level=error >"$T/prometheus.log" 2>&1 &
	JOBS_STARTED+=("$!")
}

# query EXPRESSION: its value as Prometheus has it
query() {
	promtool query instant -o json "http://127.0.0.1:$web" "$1" | jq -r '.[0].value[1]'
}

# is N EXPRESSION
is() {
	[ "$(query "$2")" = "$1" ]
}

# bats test_tags=slow
@test "what Prometheus scrapes is what the job did" {
	command -v prometheus promtool >/dev/null || skip "no prometheus"
	start_job HSA_TOOLS_LIB="$O/librtrace-agent.so" "$O/workloads/job" -n 50 -t 2
	# The tracer lives as long as one of those that it traces.
	"$O/capture/edges" go 0 >"$T/other" &
	other=$!
	JOBS_STARTED+=("$other")
	wait_for grep -q ready "$T/other"
	start_serving -p "$job" -p "$other" -t hip,gpu
	start_prometheus
	wait_for is 1 up
	go
	wait_for grep -q '^result PASSED$' "$T/out"
	truth_since_go "$T/truth"
	kernels=$(grep -c kind=dispatch "$T/truth.go")
	[ "$kernels" -gt 0 ]
	wait_for is "$kernels" 'sum(rtrace_launches_total)'
	wait_for is "$kernels" 'sum(rtrace_device_launches_total)'
	wait_for is "$(awk '$1 == "calls" { n += $3 } END { print n }' "$T/out")" 'sum(rtrace_calls_total{domain="hip"})'
	bytes=$(awk '$1 == "bytes" { n += $3 } END { print n }' "$T/out")
	wait_for is "$bytes" 'sum(rtrace_copied_bytes_total)'
	is 0 'sum(rtrace_lost_total)'
	busy=$(query 'sum(rtrace_device_busy_seconds_total)')
	awk -v busy="$busy" 'BEGIN { exit !(busy > 0 && busy < 100) }'
}

# bats test_tags=node
@test "the page: what it is, and what it is not" {
	"$O/capture/edges" go 7 >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q ready "$T/out"
	start_serving -a
	fetch /metrics >"$T/page"
	[ "$(head -n 1 "$T/page")" = "200 application/openmetrics-text; version=1.0.0; charset=utf-8" ]
	[ "$(tail -n 1 "$T/page")" = "# EOF" ]
	# Each family is declared once, before its numbers.
	[ -z "$(sed -n 's/^# TYPE \([^ ]*\) .*/\1/p' "$T/page" | sort | uniq -d)" ]
	fetch / | grep -q '^rtrace-bpf: see /metrics'
	fetch /else | grep -q '^404 '
	fetch /metrics POST | grep -q '^405 '
	kill -INT "$tracer"
	wait "$tracer"
	# Nothing else was written.
	[ "$(grep -c wrote "$T/err")" = 0 ]
}

# More than the server takes at a time, each of which goes on sending a little.
# bats test_tags=node
@test "the page is served while clients that never finish hold connections" {
	"$O/capture/edges" go 7 >"$T/out" &
	JOBS_STARTED+=($!)
	wait_for grep -q ready "$T/out"
	start_serving -a
	python3 - "$port" "$T/held" <<-'END' &
		import socket, sys, time
		held = []
		for i in range(200):
		    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
		    s.sendall(b"GET /metrics HTTP/1.1\r\n")
		    held.append(s)
		open(sys.argv[2], "w").write("held")
		while True:
		    for s in held:
		        try:
		            s.sendall(b"X: y\r\n")
		        except OSError:
		            pass
		    time.sleep(1)
	END
	JOBS_STARTED+=($!)
	wait_for test -s "$T/held"
	# In less than the server's time-out, as all these clients are still there.
	timeout "$(seconds 8)" bash -c "$(declare -f fetch); port=$port; fetch /metrics" >"$T/page"
	[ "$(tail -n 1 "$T/page")" = "# EOF" ]
	kill -INT "$tracer"
	wait "$tracer"
}

# lost CONTAINER: of it so far, as the page has it
lost() {
	fetch /metrics | sed -n "s|^rtrace_events_lost_total{container=\"$1\"} ||p"
}

has_lost() {
	[ "$(lost "$1")" = "$2" ]
}

# bats test_tags=node
@test "what was lost, by container" {
	local group jobs=()

	[ -n "$(cgroup_root)" ] || skip "no control groups of version 2"
	# Two in one group lose many calls, one in another none.
	for group in noisy noisy quiet; do
		[ "$group" = "${GROUP##*-}" ] || make_group "$group"
		fresh out
		(echo "$BASHPID" >"$GROUP/cgroup.procs" && on_one_cpu "$O/capture/edges" go 20000) >"$T/out" &
		jobs+=("$!")
		JOBS_STARTED+=("$!")
		wait_for grep -q ready "$T/out"
	done
	start_serving --buffer 1 -p "${jobs[0]}" -p "${jobs[1]}" -p "${jobs[2]}"
	kill -STOP "$tracer"
	kill -USR1 "${jobs[0]}" "${jobs[1]}"
	wait "${jobs[0]}" "${jobs[1]}"
	kill -CONT "$tracer"
	wait_for eval '[ "$(fetch /metrics | sed -n "s/^rtrace_lost_total{what=.calls.} //p")" -gt 0 ]'
	wait_for has_lost "/${GROUPS_MADE[0]##*/}" "$(fetch /metrics | sed -n 's/^rtrace_lost_total{what="calls"} //p')"
	not grep -q "^rtrace_events_lost_total{.*${GROUPS_MADE[1]##*/}.* [1-9]" <(fetch /metrics)
	wait_for eval 'fetch /metrics | awk -v group="${GROUPS_MADE[0]##*/}" "
		index(\$0, group) && (/^rtrace_calls_total/ || /^rtrace_events_lost_total/) { n += \$NF } END { exit n != 40000 }"'
	kill -INT "$tracer"
	wait "$tracer"
	[ "$(lost_of 'calls (ring full)' "$T/err")" -gt 0 ]
}

@test "wrong addresses, and one that is taken" {
	fails 2 "--metrics: 'x' is not a port" "$RTRACE" -a --metrics x
	fails 2 "--metrics: '1.2.3.4' is not a port" "$RTRACE" -a --metrics 1.2.3.4
	fails 2 "--metrics: 'localhost:80' is not a port" "$RTRACE" -a --metrics localhost:80
	fails 2 "--metrics: '70000' is not a port" "$RTRACE" -a --metrics 70000
	fails 2 "--metrics: '::1:80' is not a port" "$RTRACE" -a --metrics ::1:80
	python3 -c 'import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.getsockname()[1], flush=True); time.sleep(60)' >"$T/taken" &
	JOBS_STARTED+=("$!")
	wait_for test -s "$T/taken"
	fails 1 "output: start metrics: Address already in use" "$RTRACE" -a --metrics "$(cat "$T/taken")"
}
