/* SPDX-License-Identifier: MIT */
/*
 * Lines of CSV (RFC 4180, lines end with a newline): texts in quotes, numbers without. A row is
 * built up in a textbuf and written when it is whole.
 */
#ifndef RTRACE_BASE_CSV_WRITER_H
#define RTRACE_BASE_CSV_WRITER_H

#include <stdio.h>

#include "common/text_buffer.h"

/*
 * A field of text. Line ends and tabs stay what they are, inside the quotes; other bytes that could
 * harm a terminal are "?", those that are no UTF-8 U+FFFD.
 */
void csv_writer__text(struct textbuf *row, const char *text);

void csv_writer__uint(struct textbuf *row, uint64_t value);

/* As it is. */
void csv_writer__raw(struct textbuf *row, const char *digits);

/* Writes the row, and empties it for the next. -ENOMEM: it was not whole, and is left out. */
int csv_writer__end(struct textbuf *row, FILE *out);

/* A row of names, which are given with blanks between. */
int csv_writer__header(struct textbuf *row, FILE *out, const char *names);

#endif
