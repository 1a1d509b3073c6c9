#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Arguments: every function that the headers know is called, in a library of stubs, with values that
# are told apart; the program prints each call as the compiler sees it.

load common

# What the tracer says of each call, without times.
traced_calls() {
	grep -vE '^---|^ +-?[0-9.]+ +[0-9]+ +(range|mark) ' "$(tmp t.txt)" |
		sed -E 's/^ +-?[0-9.]+ +[0-9]+ +//; s/ <[^<>]*>( \([^()]*\))?$//'
}

# Variants count as the function that they are of. The returns of iterations are not probed.
expected_calls() {
	sed -E 's/^(hip[^ (]*)_spt\(/\1(/
		s/^(hsa_[^ (]*)_acq_rel\(/\1_scacq_screl(/
		s/^(hsa_[^ (]*)_acquire\(/\1_scacquire(/
		s/^(hsa_[^ (]*)_release\(/\1_screlease(/
		s/^(hsa_[^ (]*iterate_[^ (]*\(.*\)) = .*/\1 = ?/; /^hsa_.*iterate_/s/ \[\*profile=.*\], callback=/, callback=/' "$(tmp out)"
}

every_value() {
	"$RTRACE" --attach "$1" --all-functions -o "$(tmp t.txt)" -- \
		"$O/api/calls" -x hip __hip hsa_ hsaKmt roctxR roctxM >"$(tmp out)" 2>"$(tmp err)"
	grep -q '^rtrace-bpf: lost 0 calls (ring full), 0 (nested too deep), 0 GPU records, 0 other' "$(tmp err)"
	[ "$(wc -l <"$(tmp out)")" -gt 700 ]
	diff <(expected_calls) <(traced_calls)
}

@test "every value of every argument of every function comes back" {
	in_every_mode every_value
}
