/* SPDX-License-Identifier: MIT */
/*
 * The short name of a kernel in roctracer's files.
 */
#ifndef RTRACE_COMMON_KERNEL_SHORT_NAME_H
#define RTRACE_COMMON_KERNEL_SHORT_NAME_H

#include "common/text_buffer.h"

/* The last part of a demangled name, without types: "name" of "int (*)[4] space::name<int>(int)" */
void kernel_short_name__put_last(struct textbuf *t, const char *name);

#endif
