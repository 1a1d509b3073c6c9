#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Arguments: every function that the headers know is called, in a library of stubs, with values that
# are distinguished; the program prints each call as the compiler sees it.

load ../common

teardown() {
	end_jobs
}

# What the tracer says of each call, without times.
traced_calls() {
	grep -vE '^---|gap: calls may be missing: no GPU operations|^ +-?[0-9.]+ +[0-9]+ +(range|mark) ' "$T/t.txt" |
		sed -E 's/^ +-?[0-9.]+ +[0-9]+ +//; s/ <[^<>]*>( \([^()]*\))?$//'
}

# Variants count as the function that they are of. The returns of iterations are not probed.
expected_calls() {
	sed -E 's/^(hip[^ (]*)_spt\(/\1(/
		s/^(hip[^ (]*)R[0-9]{4}\(/\1(/
		s/^(hsa_(signal|queue)_[^ (]*)_acq_rel\(/\1_scacq_screl(/
		s/^(hsa_(signal|queue)_[^ (]*)_acquire\(/\1_scacquire(/
		s/^(hsa_(signal|queue)_[^ (]*)_release\(/\1_screlease(/
		s/^(hsa_[^ (]*iterate_[^ (]*\(.*\)) = .*/\1 = ?/; /^hsa_.*iterate_/s/ \[\*profile=.*\], callback=/, callback=/' "$T/out"
}

every_value() {
	"$RTRACE" --attach "$1" --all-functions -o "$T/t.txt" -- \
		"$O/api/calls" -x hip __hip hsa_ hsaKmt roctxR roctxM >"$T/out" 2>"$T/err"
	nothing_lost "$T/err"
	[ "$(wc -l <"$T/out")" -gt 700 ]
	diff <(expected_calls) <(traced_calls)
}

@test "every value of every argument of every function comes back" {
	in_every_mode every_value
}

# What roctracer's documentation prints of its MatrixTranspose sample: dst, src, size and kind of copies,
# ptr, size and *ptr of allocations, ptr of what is freed, kernel and stream of launches.
@test "an unmodified program, attached to: its calls with all that there is to say of them" {
	sim_exec HSA_TOOLS_LIB="$O/librtrace-agent.so" "$O/workloads/matrixtranspose" 1000 >"$T/out" &
	job=$!
	JOBS_STARTED+=("$job")
	wait_for grep -q librtrace-agent "/proc/$job/maps"
	"$RTRACE" -p "$job" -t hip,gpu -o "$T/t.txt" &
	tracer=$!
	JOBS_STARTED+=("$tracer")
	three_rounds() { [ "$(grep -c ' hipFree(' "$T/t.txt")" -ge 6 ]; }
	wait_for three_rounds
	kill -INT "$tracer"
	wait "$tracer"
	kill "$job"
	sed -E 's/^ +-?[0-9.]+ +[0-9]+ +//; s/ <[^<>]*>( \([^()]*\))?$//' "$T/t.txt" >"$T/calls"
	awk '
		function fail(why) { print why ": " $0; bad = 1 }
		/^hipMalloc\(/ {
			if (!match($0, /^hipMalloc\(ptr=0x[0-9a-f]+ \[\*ptr=0x[0-9a-f]+\], size=4194304\) = hipSuccess$/)) fail("allocation")
			p = $0; sub(/.*\[\*ptr=/, "", p); sub(/\].*/, "", p); mine[p] = 1; allocated++
		}
		/^hipMemcpy\(/ {
			if (!match($0, /^hipMemcpy\(dst=0x[0-9a-f]+, src=0x[0-9a-f]+, sizeBytes=4194304, kind=hipMemcpy(HostToDevice|DeviceToHost)\) = hipSuccess$/)) fail("copy")
			p = $0; if (/HostToDevice/) { sub(/.*dst=/, "", p); to++ } else { sub(/.*src=/, "", p); from++ }
			sub(/,.*/, "", p); if (allocated > 2 && !(p in mine)) fail("not what was allocated")
		}
		/^hipFree\(/ {
			if (!match($0, /^hipFree\(ptr=0x[0-9a-f]+\) = hipSuccess$/)) fail("free")
			p = $0; sub(/.*ptr=/, "", p); sub(/\).*/, "", p)
			if (allocated > 2 && !(p in mine)) fail("not what was allocated"); freed++
		}
		/^hipLaunchKernel\(/ {
			if (!match($0, /<matrixTranspose\(float\*, float\*, int\)>, numBlocks=\{x=256, y=256, z=1\}, dimBlocks=\{x=4, y=4, z=1\}, .*stream=NULL\) = hipSuccess$/)) fail("launch")
			launched++
		}
		/^gpu [0-9]+ queue .* matrixTranspose\(float\*, float\*, int\) grid 1024x1024x1 block 4x4x1/ { ran++ }
		END {
			print allocated, to, from, freed, launched, ran
			exit bad || !(allocated > 2 && to && from && freed && launched && ran)
		}' "$T/calls"
}
