/* SPDX-License-Identifier: MIT */
/*
 * Strings that tools are given and that stay for good: names of kernels, and where code is from.
 */
#ifndef RTRACE_ROCPROFILER_SUPPORT_STRINGS_H
#define RTRACE_ROCPROFILER_SUPPORT_STRINGS_H

/* One that is the same, which is kept once. "": no memory. */
const char *strings__keep(const char *string);

#endif
