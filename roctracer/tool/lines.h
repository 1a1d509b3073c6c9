/* SPDX-License-Identifier: MIT */
/*
 * The lines of all files, on their way there.
 *
 * A thread collects the lines of its calls by itself, so that threads do not wait for each other.
 * Lines of several threads that must be in one order are collected in one place.
 */
#ifndef TOOL_LINES_H
#define TOOL_LINES_H

#include <stdbool.h>

#include "roctracer/tool/output_files.h"
#include "common/text_buffer.h"

struct lines;

/* Stays for ever. NULL: no memory. */
struct lines *lines__new(void);

/* Of all threads. */
struct lines *lines__shared(void);

/* A line is put into the text between the two, with its newline. */
struct textbuf *lines__begin(struct lines *l, enum file file);
void lines__end(struct lines *l, enum file file);

/* Writes all lines that were collected. */
void lines__flush(void);

/* In a child that was forked: drops the parent's lines. `mine` is the thread's, or NULL. */
void lines__forked(struct lines *mine);

#endif
