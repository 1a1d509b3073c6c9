#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The database of -f rocpd: SQLite finds nothing wrong with it, it has the tables and views of rocprofv3's schema 3,
# these answer, and what they hold is what JSON holds of the same trace, and what the simulator says.

load ../common
load ../gpu
load ../formats
load ../sums

# The tables of the schema, and the columns of the views that are documented.
TABLES="metadata string info_node info_process info_thread info_agent info_queue info_stream info_pmc info_code_object info_kernel_symbol track event arg pmc_event region sample kernel_dispatch memory_copy memory_allocate"
VIEWS="
code_objects: id guid nid pid agent_abs_index uri load_base load_size load_delta storage_type_str code_object_size storage_type memory_base memory_size
kernel_symbols: id guid nid pid code_object_id kernel_name display_name kernel_object kernarg_segment_size kernarg_segment_alignment group_segment_size private_segment_size sgpr_count arch_vgpr_count accum_vgpr_count kernel_symbol_size kernel_id kernel_code_entry_byte_offset formatted_kernel_name demangled_kernel_name truncated_kernel_name kernel_address
processes: nid machine_id system_name hostname system_release system_version guid ppid pid init start end fini command
threads: nid machine_id system_name hostname system_release system_version guid ppid pid tid start end name
regions: id guid category name nid pid tid start end duration event_id stack_id parent_stack_id corr_id extdata call_stack line_info
region_args: id guid nid pid type name value
samples: id guid category name nid pid tid timestamp event_id stack_id parent_stack_id corr_id extdata call_stack line_info
sample_regions: id guid category name nid pid tid start end duration event_id stack_id parent_stack_id corr_id extdata call_stack line_info
regions_and_samples: id guid category name nid pid tid start end duration event_id stack_id parent_stack_id corr_id extdata call_stack line_info
kernels: id guid tid category region name nid pid agent_abs_index agent_log_index agent_type_index agent_type code_object_id kernel_id dispatch_id stream_id queue_id queue stream start end duration grid_x grid_y grid_z workgroup_x workgroup_y workgroup_z lds_size scratch_size vgpr_count accum_vgpr_count sgpr_count static_lds_size static_scratch_size stack_id parent_stack_id corr_id
pmc_info: id guid nid pid agent_abs_index is_constant is_derived name description block expression
pmc_events: id guid pmc_id event_id category name nid pid dispatch_id start end duration counter_name counter_value
events_args: event_id category stack_id parent_stack_id correlation_id arg_position arg_type arg_name arg_value call_stack line_info extdata
stream_args: argument_id event_id arg_position arg_type arg_value stream_id nid pid stream_name extdata
memory_copies: id guid category nid pid tid start end duration name region_name stream_id queue_id stream_name queue_name size dst_device dst_agent_abs_index dst_agent_log_index dst_agent_type_index dst_agent_type dst_address src_device src_agent_abs_index src_agent_log_index src_agent_type_index src_agent_type src_address stack_id parent_stack_id corr_id
memory_allocations: id guid category nid pid tid start end duration type level agent_name agent_abs_index agent_log_index agent_type_index agent_type address size queue_id queue_name stream_id stream_name stack_id parent_stack_id corr_id
scratch_memory: id guid nid pid operation agent_name agent_abs_index agent_log_index agent_type_index agent_type queue_id tid alloc_flags start end duration size address correlation_id stack_id parent_stack_id corr_id category event_extdata
top_kernels: name total_calls total_duration average percentage
busy: agent_id type GpuTime WallTime Busy
top: name total_calls total_duration average percentage
"

db() {
	sqlite3 -bail "$T/t.db" "$@"
}

# What SQLite itself can say, the names of tables and views, and that every row of a table is in its view.
check_database() {
	local suffix name columns

	[ "$(db 'PRAGMA integrity_check')" = ok ]
	[ -z "$(db 'PRAGMA foreign_key_check')" ]
	[ "$(db "SELECT value FROM rocpd_metadata WHERE tag = 'schema_version'")" = 3 ]
	suffix=$(db "SELECT value FROM rocpd_metadata WHERE tag = 'uuid'")
	[[ $suffix =~ ^_[0-9a-f]{8}(_[0-9a-f]{4}){3}_[0-9a-f]{12}$ ]]
	[ "$(db "SELECT '_' || replace(value, '-', '_') FROM rocpd_metadata WHERE tag = 'guid'")" = "$suffix" ]
	for name in $TABLES; do
		[ "$(db "SELECT type FROM sqlite_master WHERE name = 'rocpd_$name$suffix'")" = table ]
		[ "$(db "SELECT COUNT(*) FROM rocpd_$name")" = "$(db "SELECT COUNT(*) FROM rocpd_$name$suffix")" ]
	done
	[ "$(db "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table'")" = 20 ]
	while IFS=': ' read -r name columns; do
		[ "$(db "SELECT group_concat(name, ' ') FROM pragma_table_info('$name')")" = "$columns" ]
		db "SELECT * FROM $name" >/dev/null
	done < <(grep . <<<"$VIEWS")
	[ "$(db 'SELECT COUNT(*) FROM kernels')" = "$(db 'SELECT COUNT(*) FROM rocpd_kernel_dispatch')" ]
	[ "$(db 'SELECT COUNT(*) FROM memory_copies')" = "$(db 'SELECT COUNT(*) FROM rocpd_memory_copy')" ]
	[ "$(db 'SELECT COUNT(*) FROM memory_allocations')" = "$(db 'SELECT COUNT(*) FROM rocpd_memory_allocate')" ]
	[ "$(db 'SELECT COUNT(*) FROM regions')" = "$(db 'SELECT COUNT(*) FROM rocpd_region')" ]
	[ "$(db 'SELECT COUNT(*) FROM samples')" = "$(db 'SELECT COUNT(*) FROM rocpd_sample')" ]
	[ "$(db "SELECT COUNT(*) FROM rocpd_event WHERE NOT json_valid(extdata) OR NOT json_valid(call_stack)")" = 0 ]
	[ "$(find "$T" -name 't.db-*')" = "" ]
}

@test "tables and views, and what JSON tells of the same trace" {
	for w in vectoradd ranges copies "streams -g 2 -t 2 -s 2 -n 20" resources; do
		echo "$w"
		record_formats rocpd "$w"
		grep -qF "wrote $T/t.db (rocpd)" "$T/err"
		check_database
		sums_json "$T/t.json" >"$T/sums.json"
		sums_rocpd "$T/t.db" >"$T/sums.rocpd"
		same_sums "$T/sums.json" "$T/sums.rocpd"
		# All calls, of whatever library, and their arguments.
		[ "$(db "SELECT COUNT(*) FROM regions WHERE name NOT LIKE 'roctx%RangeA' OR category <> 'MARKER_CORE_RANGE_API'")" = \
			"$(jq '.otherData.spans' "$T/t.json")" ]
		[ "$(db "SELECT value FROM rocpd_metadata WHERE tag = 'rtrace.spans'")" = "$(jq '.otherData.spans' "$T/t.json")" ]
		diff <(jq -r '.traceEvents[] | select(.args.call and .ph == "X") | .args.call | to_entries[] | "\(.key) \(.value)"' \
			"$T/t.json" | sort) <(db -separator ' ' 'SELECT arg_name, arg_value FROM events_args' | sort) >"$T/args.diff"
	done
}

@test "the views are right about what was run" {
	record_formats rocpd "streams -g 2 -t 2 -s 2 -n 20"
	true_ops "$T/truth" | awk -F '\t' '$1 == "dispatch" { print $2 "|" $3 }' | sort >"$T/ran"
	db "SELECT agent_type_index, replace(name, ' ', '_') FROM kernels" | sort >"$T/told"
	diff "$T/ran" "$T/told"
	[ "$(wc -l <"$T/told")" -gt 20 ]
	# A kernel hangs below the call that launched it, on its stream.
	[ "$(db "SELECT COUNT(*) FROM kernels K LEFT JOIN regions R ON R.stack_id = K.stack_id WHERE R.tid <> K.tid OR R.start > K.start OR R.id IS NULL")" = 0 ]
	jq -r '.traceEvents[] | select(.cat == "gpu" and .args.grid) | "\(.args.op)|\(.args.stream)|\(.args.queue)|\(.args.corr)|\(.args.grid[0])"' \
		"$T/t.json" | sort >"$T/want"
	db 'SELECT dispatch_id, stream_id, queue_id, stack_id, grid_x FROM kernels' | sort >"$T/got"
	diff "$T/want" "$T/got"
	[ "$(db "SELECT COUNT(*) FROM stream_args WHERE arg_value <> 'NULL'")" -gt 20 ]
	# Shares add up; busy is what the GPUs were.
	[ "$(db 'SELECT round(SUM(percentage)) FROM top')" = 100.0 ]
	[ "$(db 'SELECT SUM(total_calls) FROM top_kernels')" = "$(wc -l <"$T/ran")" ]
	[ "$(db "SELECT SUM(GpuTime) FROM busy")" = \
		"$(db 'SELECT (SELECT SUM(duration) FROM kernels) + (SELECT SUM(duration) FROM memory_copies)')" ]
	# Processes, threads, devices by name.
	db 'SELECT pid, command FROM processes' | grep -q '/streams -g 2 -t 2 -s 2 -n 20$'
	[ "$(db 'SELECT COUNT(DISTINCT tid) FROM regions')" -le "$(db "SELECT COUNT(*) FROM threads WHERE name IS NOT NULL")" ]
	[ "$(db "SELECT type, absolute_index, type_index FROM rocpd_info_agent ORDER BY id" | tr '\n' ' ')" = "CPU|0|0 GPU|1|0 GPU|2|1 " ]
}

@test "several processes: each has its own queues, streams and devices" {
	record_formats rocpd forker
	check_database
	sums_json "$T/t.json" >"$T/sums.json"
	sums_rocpd "$T/t.db" >"$T/sums.rocpd"
	same_sums "$T/sums.json" "$T/sums.rocpd"
	diff <(jq -r '.traceEvents[] | select(.cat == "hip") | .pid' "$T/t.json" | sort | uniq -c) \
		<(db "SELECT pid FROM regions WHERE category LIKE 'HIP%'" | sort | uniq -c)
	[ "$(db 'SELECT COUNT(*) FROM processes')" -gt 1 ]
	[ "$(db 'SELECT COUNT(*) FROM rocpd_kernel_dispatch K JOIN rocpd_info_queue Q ON Q.id = K.queue_id WHERE Q.pid <> K.pid')" = 0 ]
}

@test "exported is what was written at once; stacks; a recording's database stands beside it" {
	sim "$RTRACE" -f rocpd -f rtrace --stacks -o "$T/t" -- "$O/workloads/vectoradd" >"$T/out" 2>"$T/err"
	mkdir "$T/x"
	cp "$T/t.rtrace" "$T/x/job.rtrace"
	"$RTRACE" export -f rocpd "$T/x/job.rtrace" 2>"$T/err"
	grep -qF "wrote $T/x/job.db (rocpd)" "$T/err"
	# But for the text of tables: what is in them.
	diff <(db .dump) <(sqlite3 "$T/x/job.db" .dump)
	[ "$(files_in "$T/x" | tr '\n' ' ')" = "job.db job.rtrace " ]
	[ "$(stat -c %a "$T/x/job.db")" = 600 ]
	[ "$(db "SELECT json_type(call_stack) FROM regions WHERE name = 'hipLaunchKernel' LIMIT 1")" = array ]
	# One that is there is replaced, with what lay beside it, also through a folder's other name.
	echo garbage | tee "$T/x/job.db" "$T/x/job.db-journal" >"$T/x/job.db-wal"
	ln -s x "$T/y"
	"$RTRACE" export -f rocpd -o "$T/y/job.db" "$T/t.rtrace" 2>"$T/err"
	diff <(db .dump) <(sqlite3 "$T/x/job.db" .dump)
	[ "$(files_in "$T/x" | tr '\n' ' ')" = "job.db job.rtrace " ]
}

@test "what files are called if nobody says" {
	RTRACE=$(realpath "$RTRACE")
	cd "$T"
	mkdir x
	cd x
	sim "$RTRACE" -f csv -f rocpd -- "$O/workloads/vectoradd" >../out 2>../err
	pid=$(sqlite3 rtrace-*.db 'SELECT pid FROM processes')
	[ -e "rtrace-${pid}_hip_api_trace.csv" ]
	[ -e "rtrace-$pid.db" ]
	[ "$(files_in . | grep -cvE '^rtrace-[0-9]+(_[a-z_]+\.csv|\.db)$')" = 0 ]
}

@test "hostile names are values" {
	cat >"$T/marks.py" <<-EOT
		import ctypes
		roctx = ctypes.CDLL("$O/libroctx64.so.4")
		for name in (b"'); DROP TABLE rocpd_string; --", b'a "quoted" \\\\ name', b'two\nlines', b'\x1b[31m\xff', b'{}', b''):
		    roctx.roctxMarkA(name)
		    roctx.roctxRangePushA(name)
		    roctx.roctxRangePop()
	EOT
	"$RTRACE" -f rocpd -o "$T/t.db" -- python3 "$T/marks.py" 2>"$T/err"
	check_database
	python3 -c '
import json, sqlite3, sys
db = sqlite3.connect(sys.argv[1])
want = ["\x27); DROP TABLE rocpd_string; --", "a \"quoted\" \\ name", "two\nlines", "\x1b[31m\ufffd", "{}", ""]
for view in "samples", "regions":
    got = [json.loads(e)["message"] for e, in db.execute("SELECT extdata FROM %s WHERE category = \"MARKER_CORE_RANGE_API\" ORDER BY id" % view)]
    assert got == want, got' "$T/t.db"
}

@test "a tracer that is killed leaves what was committed" {
	sim_exec "$O/workloads/job" -d 1000 >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q '^ready' "$T/out"
	"$RTRACE" -p "$job" -f rocpd -o "$T/t.db" 2>/dev/null &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	# The header of the journal has how many pages the file had when the transaction began.
	wait_for eval '[ "$(od -An -j 16 -N 4 -t u4 --endian=big "$T/t.db-journal")" -ge 250 ]'
	kill -KILL "$tracer"
	wait "$tracer" || true
	[ "$(db 'PRAGMA integrity_check')" = ok ]
	[ -z "$(db 'PRAGMA foreign_key_check')" ]
	[ "$(db 'SELECT COUNT(*) FROM regions')" -gt 100 ]
}

@test "not to stdout, not through a symbolic link, not into a folder that is not there; a full disk" {
	record_formats rocpd vectoradd
	fails 2 '-o -: rocpd writes files, not to stdout' "$RTRACE" export -f rocpd -o - "$T/t.rtrace"
	fails 2 '-o -: rocpd writes files, not to stdout' "$RTRACE" -f rocpd -f json -o - -- true
	fails 1 'output: /nonexistent/x.db: No such file' "$RTRACE" export -f rocpd -o /nonexistent/x.db "$T/t.rtrace"
	fails 1 'output: /: ' "$RTRACE" export -f rocpd -o / "$T/t.rtrace"
	mkdir "$T/x"
	echo precious >"$T/target"
	ln -s "$T/target" "$T/x/l.db"
	fails 1 'output: .*/l\.db: a symbolic link, which is not followed' \
		"$RTRACE" export -f rocpd -o "$T/x/l.db" "$T/t.rtrace"
	[ "$(cat "$T/target")" = precious ]
	[ "$(files_in "$T/x")" = l.db ]
	(
		trap '' XFSZ
		ulimit -f 200
		fails 1 'output: write .*/f\.db: ' "$RTRACE" export -f rocpd -o "$T/x/f.db" "$T/t.rtrace"
		ulimit -f 8
		fails 1 'output: .*/g\.db: ' "$RTRACE" export -f rocpd -o "$T/x/g.db" "$T/t.rtrace"
	)
	[ ! -e "$T/x/g.db" ]
}

@test "nothing recorded: nothing left; files are the user's who called sudo" {
	mkdir "$T/x"
	ln -s nowhere "$T/x/t.json"
	fails 1 'output: .*/t\.json: a symbolic link' "$RTRACE" -f rocpd -f json -o "$T/x/t" -- true
	[ "$(files_in "$T/x")" = t.json ]
	rm "$T/x/t.json"
	record_formats rocpd vectoradd
	SUDO_UID=1234 SUDO_GID=2345 "$RTRACE" export -f rocpd -o "$T/x/t.db" "$T/t.rtrace" 2>"$T/err"
	[ "$(stat -c '%u %g %a' "$T/x"/* | sort -u)" = "1234 2345 600" ]
}

teardown() {
	end_jobs
}
