/* SPDX-License-Identifier: MIT */
/*
 * Copies from memory that the application points to, which need not be there.
 *
 * A call that has succeeded need not have used its pointers: of an array of no elements, of a
 * structure that an older program knows in a shorter form. Another thread may unmap the memory
 * while it is read. No function here faults, blocks, installs a signal handler, changes errno or is
 * a cancellation point; each may be called from any thread and from a signal handler.
 *
 * Two sorts of memory are read directly, in some ns, since no thread unmaps them: the calling
 * thread's own stack above the caller, and the code and constants of the main program. All else is
 * copied by the kernel (about 1 us a call of peek on a virtual machine where a system call takes
 * 0.1 us): by process_vm_readv(); by a pipe where a seccomp filter is active, as a filter may end a
 * process that calls process_vm_readv(). Memory of devices counts as not there: to read it would be
 * slow, and may have effects.
 */
#ifndef RTRACE_INPROCESS_PEEK_H
#define RTRACE_INPROCESS_PEEK_H

#include <stdbool.h>
#include <stddef.h>

/* Copies up to `size` bytes. Returns how many there are before the first that cannot be read. */
size_t peek__some(void *to, const void *from, size_t size);

/* Copies `size` bytes. False: not all of them can be read; `to` is undefined then. */
bool peek__all(void *to, const void *from, size_t size);

/*
 * Can the 8 bytes there be read now? Also of a device's memory. For what the caller goes on to use
 * as the application says, like a signal: not to decide whether to read it directly.
 */
bool peek__is_there(const void *address);

/* Is the page writable, and not readable by its protection? False: no, or that is not known. */
bool peek__is_write_only(const void *page);

/* The value that `from` points to; `otherwise` if it cannot be read. */
void *peek__pointer(void *const *from, void *otherwise);

/*
 * Copies a string's bytes before its NUL, `max` at most, and adds a NUL: `to` has room for max + 1.
 * Nothing after the NUL is read, except bytes that share its page.
 *
 * Returns the length, or how much of it could be read; max + 1 if the string is longer, of which
 * `max` bytes are copied; -1 if not even the first byte can be read.
 */
long peek__string(char *to, const char *from, size_t max);

/* A copy of the whole string, to be freed; NULL: it cannot be read, or no memory. */
char *peek__strdup(const char *from);

#endif
