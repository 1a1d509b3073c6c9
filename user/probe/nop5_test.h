/* SPDX-License-Identifier: MIT */
/*
 * Whether the running kernel lets forked children of a process with a probed 5-byte nop live.
 *
 * From Linux 6.18 on the kernel rewrites such a nop to a call of a page, [uprobes-trampoline], when
 * its probe is hit for the first time. A fork copies the call, but in kernels with the fault not
 * the page: the child dies of SIGSEGV when it makes the call. No release number shows whether a
 * kernel has the fault, as distributions take over changes, so it is tried.
 */
#ifndef RTRACE_PROBE_NOP5_TEST_H
#define RTRACE_PROBE_NOP5_TEST_H

enum nop5 {
	NOP5_UNKNOWN, /* the test could not be made: no rights, for instance */
	NOP5_TRAPS,   /* the nop stays a trap */
	NOP5_CALLS,   /* it becomes a call, and children can make it */
	NOP5_KILLS,   /* it becomes a call that children die of */
	NOP5_ANSWERS,
};

/*
 * Tests the kernel with a probed nop of our own in a process made for that, which takes some 15 ms,
 * ten seconds at most. Only the first call does; later ones return its result. The first call is
 * made before other threads are started. Nothing is printed.
 */
enum nop5 nop5_test__test(void);

/* The release that runs, as KERNEL() of user/elf/instruction.h, with the bits that the test gives.
 */
unsigned int nop5_test__running_kernel(void);

#endif
