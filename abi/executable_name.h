/* SPDX-License-Identifier: MIT */
/*
 * Names of executables that the tracer passes to the BPF programs.
 */
#ifndef RTRACE_ABI_EXECUTABLE_NAME_H
#define RTRACE_ABI_EXECUTABLE_NAME_H

#include <linux/types.h>

/*
 * A name that an executable may have, or the begin or the end of it: as many bytes of it as text
 * can have, filled up with zeros, and'ed with mask, equal text.
 */
#define RT_EXE_NAME  32
#define RT_EXE_NAMES 32
struct rt_exe_name {
	__u64 text[RT_EXE_NAME / 8], mask[RT_EXE_NAME / 8];
	__u32 at_end; /* number of last bytes of the name that count; 0: the first */
	__u32 _pad;
};

#endif
