#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The requests of the runtime to the kernel's GPU driver. The simulated GPU makes the real system call
# beside playing the driver; its log and the kernel's header are the judges.

load ../common

HEADER=/usr/include/linux/kfd_ioctl.h

trace_requests() {
	rm -f "$T/log"
	sim SIMKFD_SYSCALLS=1 SIMKFD_LOG=3 SIMKFD_LOGFILE="$T/log" SIMKFD_GPUS=1 "$RTRACE" \
		-f text -f json -o "$T/t" "$@" -- "$O/workloads/vectoradd" >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	nothing_lost "$T/err"
}

# NAME NUMBER of each request that the header knows.
requests() {
	sed -nE 's/^#define (AMDKFD_IOC_[A-Z0-9_]+)[ \t\\]*$/\1/p; s/^[ \t]*AMDKFD_IO[RW]*\((0x[0-9A-Fa-f]+),.*/\1/p
		s/^#define (AMDKFD_IOC_[A-Z0-9_]+)[ \t]+AMDKFD_IO[RW]*\((0x[0-9A-Fa-f]+),.*/\1\n\2/p' "$HEADER" |
		paste - - | awk '{print $1, tolower($2)}'
}

# How often each was made, by the simulator's log. A wait may be in progress when the process ends.
made() {
	sed -nE 's/.*: ioctl (0x[0-9a-f]+)$/\1/p' "$T/log" | sort | uniq -c | awk '
		NR == FNR { sub(/^0x0?/, "0x", $2); name[$2] = $1; next }
		{ n = $2; print (n in name ? name[n] : "AMDKFD_IOC_" n), $1 }' <(requests) - |
		grep -v WAIT_EVENTS | sort
}

@test "requests are recorded, by name, as often as they were made" {
	[ "$(requests | wc -l)" -gt 20 ]
	trace_requests -t kfd -e 'AMDKFD_*'
	[ "$(made | wc -l)" -gt 8 ]
	diff <(made) <(calls "$T/t.json" | cut -f1 | sort | uniq -c | awk '{print $2, $1}' | grep -v WAIT_EVENTS | sort)
}

@test "what requests hold is decoded: queues as the simulator has made them" {
	trace_requests -t kfd -e AMDKFD_IOC_CREATE_QUEUE
	sed -nE 's/.*: queue [0-9]+: gpu [0-9]+ type ([0-9]+) ring (0x[0-9a-f]+) size ([0-9]+)$/\1 \2 \3/p' \
		"$T/log" | sort >"$T/queues"
	[ -s "$T/queues" ]
	diff "$T/queues" <(sed -nE 's/.*CREATE_QUEUE\(.*ring_base_address=(0x[0-9a-f]+).*ring_size=([0-9]+).*queue_type=([0-9]+).*/\3 \1 \2/p' \
		"$T/t.text" | sort)
}

@test "requests of a thunk that is traced itself tell nothing new" {
	ldconfig -p | grep -q libhsakmt || skip "the thunk is part of the HSA runtime here"
	trace_requests -t kfd
	[ "$(count "$T/t.json" hsaKmtOpenKFD)" -ge 1 ]
	# Those are left that were not made by a call of it.
	calls "$T/t.json" | awk -F '\t' '
		{ name[$2] = $1 }
		$1 ~ /^AMDKFD/ { parent[$2] = $3 }
		END { for (c in parent) if (name[parent[c]] ~ /^hsaKmt/) { print "inside " name[parent[c]]; exit 1 } }'
	[ "$(calls "$T/t.json" | grep -c ^AMDKFD)" -lt "$(made | awk '{n += $2} END {print int(n / 10)}')" ]
}

@test "requests that fail are errors" {
	trace_requests -t kfd -e AMDKFD_IOC_GET_VERSION --errors-only
	grep -Eq 'AMDKFD_IOC_GET_VERSION\(.*major_version=1, .*\) = -25 ' "$T/t.text" # ENOTTY
}
