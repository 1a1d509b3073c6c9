/* SPDX-License-Identifier: MIT */
/*
 * For fuzz targets: whatever came in, what sinks write is JSON, or text that a terminal can bear.
 */
#ifndef RTRACE_FUZZ_WRITTEN_H
#define RTRACE_FUZZ_WRITTEN_H

#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>
#include <yajl/yajl_parse.h>

/* No control bytes, those of C1 included. */
static inline void written__is_text(const unsigned char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((text[i] < ' ' && text[i] != '\n') || text[i] == 0x7f ||
		    (text[i] == 0xc2 && i + 1 < size && text[i + 1] < 0xa0))
			abort();
}

static inline void written__is_json(const unsigned char *text, size_t size)
{
	yajl_handle parser = yajl_alloc(NULL, NULL, NULL);

	if (yajl_parse(parser, text, size) != yajl_status_ok ||
	    yajl_complete_parse(parser) != yajl_status_ok)
		abort();
	yajl_free(parser);
}

/* All that is in the file. */
static inline void written__check(int fd, void (*check)(const unsigned char *text, size_t size))
{
	off_t size = lseek(fd, 0, SEEK_END);
	unsigned char *text = malloc(size + 1);

	if (!text || pread(fd, text, size, 0) != size)
		abort();
	check(text, size);
	free(text);
}

#endif
