# SPDX-License-Identifier: MIT
# bats file_tags=inproc,traces
# What is in the application's process does not change how the application ends: whatever its pointers lead to, and where
# nobody reads what we say.

load ../common

AGENT=$O/librtrace-agent.so

teardown() {
	end_jobs
}

# in_process CLIENT [NAME=VALUE...] COMMAND...: with a library of ours that has something to say on stderr.
in_process() {
	local who=$1

	shift
	case $who in
	agent) sim HSA_TOOLS_LIB="$AGENT" RTRACE_AGENT_LOG=1 "$@" ;;
	sdk) sim HSA_TOOLS_LIB="$O/librocprofiler-sdk.so.1" ROCP_TOOL_LIBRARIES=/nonexistent/tool.so "$@" ;;
	tool) sim HSA_TOOLS_LIB="$O/roctracer/libroctracer_tool.so" ROCP_OUTPUT_DIR=/nonexistent "$@" ;;
	esac
}

@test "lines on stderr: each library's comes out where somebody reads" {
	local who

	for who in agent sdk tool; do
		in_process "$who" "$O/workloads/vectoradd" >"$T/out" 2>"$T/err"
		grep -q '^result PASSED$' "$T/out"
		grep -qE '^(rtrace-agent|rocprofiler-sdk|libroctracer_tool): ' "$T/err"
	done
}

@test "lines on stderr: a pipe without reader, a full one, none: the application ends as without" {
	local who kind

	for who in agent sdk tool; do
		for kind in unread full none; do
			echo "$who, $kind"
			in_process "$who" python3 tests/e2e/with_stderr.py "$kind" "$O/workloads/vectoradd" >"$T/out"
			grep -q '^result PASSED$' "$T/out"
		done
	done
}

# Code in other people's processes has one way to write there.
@test "lines on stderr: no other code in the process writes there" {
	not grep -rnE '(fprintf|fputs|fputc|putc|fwrite|vfprintf)[^;]*stderr|perror\(|psignal\(|dprintf\(|STDERR_FILENO|write\(2,|std::cerr' \
		inprocess hsa_agent roctx roctracer rocprofiler --include='*.[chS]' --include='*.cpp' --include='*.inc' --exclude=stderr_line.c
	grep -q STDERR_FILENO inprocess/stderr_line.c
}

# case_number FUNCTION PARAMETER HOW NUMBER: of tests/wild/wild.c
case_number() {
	"$O/wild/wild" list | awk -v name="$*" '{ number = $1; sub(/^[0-9]+ /, ""); if ($0 == name) print number }'
}

@test "pointers that lead nowhere: the agent does not follow those of calls that succeed" {
	local name number

	while read -r name; do
		echo "$name"
		number=$(case_number $name)
		sim "$O/wild/wild" one "$number"
		sim WILD_WAIT=1 "$RTRACE" -v -f rtrace -o "$T/wild.rtrace" -- "$O/wild/wild" one "$number" 2>"$T/err"
		[ "$(sed -nE 's/^rtrace-bpf: ([0-9]+) calls were captured by agents$/\1/p' "$T/err")" -gt 0 ]
	done <<-END
		hipGraphAddEmptyNode 2 unmapped 0
		hipGraphAddHostNode 2 unmapped 0
		hsa_signal_create 2 unmapped 0
		hsa_amd_signal_create 2 unmapped 0
	END
}

@test "pointers that lead nowhere: libroctracer64 copies what a rectangle's size points to only where it is there" {
	local how number

	mkdir "$T/files"
	for how in cut1 cut4 half unmapped; do
		number=$(case_number hsa_amd_memory_async_copy_rect 4 $how 0)
		sim "$O/wild/wild" one "$number"
		sim HSA_TOOLS_LIB="$O/roctracer/libroctracer_tool.so" ROCTRACER_DOMAIN=hsa ROCP_OUTPUT_DIR="$T/files" \
			"$O/wild/wild" one "$number"
	done
}

# The whole of it is scripts/wild.
@test "pointers that lead nowhere, in every fortieth case: calls end as without whoever traces in the process" {
	scripts/wild --step 41 --with tool,sdk | tee "$T/out"
	[ "$(sed -nE 's/^wild: without: [0-9]+ cases, ([0-9]+) returned$/\1/p' "$T/out")" -gt 150 ]
	[ "$(grep -cE '^wild: (tool|sdk): .* 0 wrong$' "$T/out")" = 2 ]
}

@test "pointers that lead nowhere, in every hundredth case: calls that the agent captures end as without" {
	mkdir "$T/files"
	scripts/wild --step 101 --from 7 --with agent --dir "$T/files" | tee "$T/out"
	grep -qE '^wild: agent: .* 0 wrong$' "$T/out"
	[ "$(sed -nE 's/^rtrace-bpf: ([0-9]+) calls were captured by agents$/\1/p' "$T/files/agent.log" | tail -n 1)" -gt 1000 ]
}
