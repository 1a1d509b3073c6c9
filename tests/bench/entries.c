// SPDX-License-Identifier: MIT
/*
 * The functions that are traced for the measurement: empty, and different in their first
 * instruction.
 *
 * A uprobe costs what the kernel has to do for the instruction under it. `push` is how nearly all
 * functions of HIP begin, and our own libraries; it is emulated. A 5-byte nop is what some
 * compilers leave before it for tracers; Linux 6.18 replaces it by a call, and the tracer passes it
 * where forked children die of that (user/probe/nop5_test.h). `sub` represents all that must be
 * single-stepped. endbr64 must be, too, but may be passed: the tracer probes the push after it
 * (user/elf/probe_place.c).
 *
 * The tables of the tracer (common/api_tables.h) go by names, so functions that are named like
 * HIP's have as many arguments as those.
 */
#include "tests/bench/entries.h"

#define ENTRY(name, first, last)               \
	__asm__(".text\n"                      \
		".globl " #name "\n"           \
		".type " #name ", @function\n" \
		".p2align 4\n" #name ":\n"     \
		"	" first "\n"           \
		"	" last "\n"            \
		"	ret\n"                       \
		".size " #name ", . - " #name "\n")

ENTRY(hipBenchPush, "push %rbp", "pop %rbp");
ENTRY(hipBenchNop5, ".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n\tpush %rbp", "pop %rbp");
ENTRY(hipBenchSub, "sub $8, %rsp", "add $8, %rsp");
ENTRY(hipBenchPlaced, "endbr64\n\tpush %rbp", "pop %rbp");

#define HIP_ENTRY(name) ENTRY(name, "push %rbp", "xor %eax, %eax\n\tpop %rbp")

HIP_ENTRY(hipDeviceSynchronize);
HIP_ENTRY(hipSetDevice);
HIP_ENTRY(hipEventRecord);
HIP_ENTRY(hipMemset);
HIP_ENTRY(hipMemsetAsync);
HIP_ENTRY(hipMemset2D);
HIP_ENTRY(hipMemset2DAsync);
