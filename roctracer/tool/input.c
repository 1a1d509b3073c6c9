// SPDX-License-Identifier: MIT
/*
 * Reads what rocprof writes as XML: elements, attributes, nothing between them but comments.
 */
#include "roctracer/tool/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "roctracer/tool/tool_internal.h"

#define SIZE_MAX_READ 0x100000
#define BLANK	      " \t\r\n"

struct reader {
	char *at;
	struct wanted *wanted;
	char *trace; /* the name of the one that we are in; NULL: in none */
	char *api;   /* its functions; NULL: all */
};

/* ---- words; each is ended by a NUL in the text itself ---- */

static void skip(struct reader *r)
{
	for (;;) {
		r->at += strspn(r->at, BLANK);
		if (*r->at != '#')
			return;
		r->at += strcspn(r->at, "\n");
	}
}

/* Cuts a word off, up to one of these characters. Returns that character and moves past it. */
static char cut(struct reader *r, const char *ends, char **word)
{
	size_t len = strcspn(r->at, ends);
	char end = r->at[len];

	*word = r->at;
	r->at[len] = '\0';
	r->at += len + (end != '\0');
	return end;
}

/* The value of an attribute. Returns the character after it. */
static char cut_value(struct reader *r, char **value)
{
	char end;

	if (*r->at != '"')
		return cut(r, BLANK ">", value);
	r->at++;
	if (!cut(r, "\"", value))
		return '\0';
	end = *r->at;
	r->at += end != '\0';
	return end;
}

/* ---- elements ---- */

/* The last trace of a name counts. */
static void keep(char **functions, const char *names)
{
	free(*functions);
	*functions = names ? strdup(names) : NULL;
}

static void add_trace(struct reader *r)
{
	struct wanted *w = r->wanted;

	if (!strcmp(r->trace, "rocTX")) {
		w->roctx = true;
	} else if (!strcmp(r->trace, "GPU")) {
		w->hsa_ops = true;
	} else if (!strcmp(r->trace, "HSA")) {
		w->hsa = true;
		keep(&w->hsa_functions, r->api);
	} else if (!strcmp(r->trace, "HIP")) {
		w->hip = true;
		keep(&w->hip_functions, r->api);
	} else {
		tool__warn("ROCP_INPUT: \"%s\" cannot be traced: only HIP, HSA, GPU, rocTX",
			   r->trace);
	}
}

static void end_element(struct reader *r, const char *tag)
{
	if (strcmp(tag, "trace") || !r->trace)
		return;
	add_trace(r);
	r->trace = r->api = NULL;
}

static void attribute(struct reader *r, const char *tag, const char *name, char *value)
{
	if (!strcmp(tag, "trace") && !strcmp(name, "name"))
		r->trace = value;
	else if (!strcmp(tag, "parameters") && !strcmp(name, "api") && r->trace)
		r->api = value[strspn(value, BLANK ",")] ? value : NULL;
}

/* The text between < and >. False: it does not end. */
static bool element(struct reader *r)
{
	char *tag, *name, *value, end;

	end = cut(r, BLANK ">", &tag);
	if (*tag == '/') {
		if (end == '>')
			end_element(r, tag + 1);
		return end == '>';
	}
	while (end && end != '>') {
		skip(r);
		if (*r->at == '>') {
			r->at++;
			return true;
		}
		if (!cut(r, "=", &name))
			return false;
		end = cut_value(r, &value);
		attribute(r, tag, name, value);
	}
	return end == '>';
}

static bool elements(struct reader *r)
{
	for (skip(r); *r->at; skip(r))
		if (*r->at++ != '<' || !element(r))
			return false;
	return true;
}

/* ---- the file ---- */

/* NULL: it cannot be read, which is in errno. */
static char *read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *text = fd >= 0 ? malloc(SIZE_MAX_READ) : NULL;
	ssize_t len = 0, n = 1;

	while (text && n > 0 && len < SIZE_MAX_READ - 1) {
		n = read(fd, text + len, SIZE_MAX_READ - 1 - len);
		len += n > 0 ? n : 0;
	}
	if (text && n < 0) {
		free(text);
		text = NULL;
	}
	if (text)
		text[len] = '\0';
	if (fd >= 0)
		close(fd);
	return text;
}

void input__read(const char *path, struct wanted *wanted)
{
	char *text = read_file(path);
	struct reader r = {.at = text, .wanted = wanted};

	if (!text)
		tool__warn("ROCP_INPUT=%s: %s", path, strerror(errno));
	else if (!elements(&r))
		tool__warn("ROCP_INPUT=%s: not understood from byte %td on", path, r.at - text);
	free(text);
}
