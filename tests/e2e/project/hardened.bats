#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# How the tracer is built, which runs as root and reads what others have written.

load ../common

@test "the tracer is position-independent, with relocations read-only, stack protector, fortified copies" {
	local tracer=$O/rtrace-bpf

	readelf -h "$tracer" | grep -q 'Type: *DYN'
	readelf -lW "$tracer" | grep -q GNU_RELRO
	readelf -lW "$tracer" | grep GNU_STACK | grep -vq RWE
	readelf -dW "$tracer" | grep -q BIND_NOW
	# Debian 12's own start files have no such marks, so the linker leaves the property out.
	[ "$(objdump -d --no-show-raw-insn "$tracer" | grep -c endbr64)" -gt 1000 ]
	nm -D "$tracer" | grep -q ' __stack_chk_fail'
	nm -D "$tracer" | grep -qE ' __(mem|str|s|vs)[a-z]*_chk'
}
