/* SPDX-License-Identifier: MIT */
/*
 * The lines of all files, on their way there.
 *
 * A thread collects the lines of its calls by itself, so that threads do not wait for each other.
 * What several tell, and in one order, is collected in one place.
 */
#ifndef TOOL_LINES_H
#define TOOL_LINES_H

#include <stdbool.h>

#include "roctracer/tool/out.h"
#include "user/textbuf.h"

struct lines;

/* Stays for ever. NULL: no memory. */
struct lines *lines__new(void);

/* Of all threads. */
struct lines *lines__shared(void);

/* A line is put into the text between the two, with its newline. */
struct textbuf *lines__begin(struct lines *l, enum file file);
void lines__end(struct lines *l, enum file file);

/* Writes all that there is. */
void lines__flush(void);

/* In a child that was forked: what its parent has told is not its own. `mine` is the thread's, or
 * NULL. */
void lines__forked(struct lines *mine);

#endif
