/* SPDX-License-Identifier: MIT */
/*
 * The names of the outputs that are being written, for a signal handler that ends the tracer.
 */
#ifndef RTRACE_BASE_UNFINISHED_OUTPUTS_H
#define RTRACE_BASE_UNFINISHED_OUTPUTS_H

#include <stddef.h>

/*
 * An output has been opened. `place` is copied, and cut if it is long. Returns a number for
 * unfinished_outputs__remove, which may be -1: there are too many. To be called by one thread.
 */
int unfinished_outputs__add(const char *place);
void unfinished_outputs__remove(int number);

/*
 * Writes the names with ", " between them, without NUL. Returns how many bytes of `buf` it took, 0:
 * all outputs are complete. May be called by a signal handler.
 */
size_t unfinished_outputs__list(char *buf, size_t size);

#endif
