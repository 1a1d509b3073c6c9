/* SPDX-License-Identifier: MIT */
/*
 * Values as text, by the types of common/api_tables.h: structs as {x=1, y=1}, constants by their
 * names, addresses in hex, 0 as NULL. Of what `len` bytes do not reach, "..." or "?" is written.
 */
#ifndef RTRACE_COMMON_API_VALUE_H
#define RTRACE_COMMON_API_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/api_tables.h"
#include "common/text_buffer.h"

void api_value__put(struct textbuf *t, const struct api_type *type, const void *data, size_t len);

/* The same, a struct without its outer brackets. */
void api_value__put_bare(struct textbuf *t, const struct api_type *type, const void *data,
			 size_t len);

void api_value__put_address(struct textbuf *t, uint64_t address);

/* In quotes, escaped; `cut`: it goes on. */
void api_value__put_string(struct textbuf *t, const unsigned char *data, size_t len, bool cut);

/* A number of that size; of those with a sign, the sign is to be extended. */
uint64_t api_value__load(const unsigned char *data, uint32_t size);
int64_t api_value__signed(uint64_t value, uint32_t size);

#endif
