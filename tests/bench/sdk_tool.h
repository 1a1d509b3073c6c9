/* SPDX-License-Identifier: MIT */
/* A tool of librocprofiler-sdk that does nothing with what it receives. */
#ifndef BENCH_SDK_TOOL_H
#define BENCH_SDK_TOOL_H

/* What it receives from now on; each is a context of its own. */
enum sdk_tool_wish {
	SDK_TOOL_CALLBACKS = 1 << 0, /* calls of HIP's runtime */
	SDK_TOOL_RECORDS = 1 << 1,
	SDK_TOOL_KERNEL_CALLBACKS = 1 << 2, /* kernels and copies */
	SDK_TOOL_KERNEL_RECORDS = 1 << 3,
};

/* The first call has librocprofiler-sdk configured, if it is not yet. */
void sdk_tool__want(unsigned int wishes);

#endif
