/* SPDX-License-Identifier: MIT */
/* Strings that are met again and again, kept once each until the trace has ended. */
#ifndef RTRACE_COMMON_STRING_POOL_H
#define RTRACE_COMMON_STRING_POOL_H

#include <stddef.h>

struct strings;

struct strings *string_pool__new(void);
void string_pool__free(struct strings *s);

/* The kept copy of the first `len` bytes of `text` (a NUL ends it earlier); "?" if out of memory.
 */
const char *string_pool__keep(struct strings *s, const char *text, size_t len);

/* The demangled form of a kernel's name, or the name itself where it is not mangled. */
const char *string_pool__keep_demangled(struct strings *s, const char *name, size_t len);

/* How string_pool__keep_kernel shows names. */
enum kernel_names {
	KERNEL_NAMES_PLAIN,	/* demangled: "void vadd<float>(float const*, int)" */
	KERNEL_NAMES_TRUNCATED, /* without types: "vadd" */
	KERNEL_NAMES_MANGLED,	/* as they are */
};

void string_pool__set_kernel_names(struct strings *s, enum kernel_names how);

/* The same, as kernels are to be named. */
const char *string_pool__keep_kernel(struct strings *s, const char *name, size_t len);

#endif
