// SPDX-License-Identifier: MIT
/*
 * Interned strings, and demangling (libiberty knows _Float16 and bf16, which __cxa_demangle of
 * GCC 12 gets wrong).
 */
#include "user/strings.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#define PLAIN_MAX 16384 /* bytes of a demangled name */

struct kept {
	UT_hash_handle hh;
	char text[];
};

struct strings {
	struct kept *all;
	enum kernel_names kernel_names;
};

struct strings *strings__new(void)
{
	return calloc(1, sizeof(struct strings));
}

void strings__free(struct strings *s)
{
	struct kept *k, *next;

	if (!s)
		return;
	HASH_ITER (hh, s->all, k, next) {
		HASH_DEL(s->all, k);
		free(k);
	}
	free(s);
}

const char *strings__keep(struct strings *s, const char *text, size_t len)
{
	struct kept *k;

	len = strnlen(text, len);
	HASH_FIND(hh, s->all, text, len, k);
	if (k)
		return k->text;
	k = malloc(sizeof(*k) + len + 1);
	if (!k)
		return "?";
	memcpy(k->text, text, len);
	k->text[len] = '\0';
	HASH_ADD_KEYPTR(hh, s->all, k->text, len, k);
	return k->text;
}

/*
 * A short mangled name can stand for gigabytes: each level of substitutions doubles what is
 * written. So the demangler writes into a buffer of fixed size, and is left when that is full.
 */
struct plain_name {
	char text[PLAIN_MAX];
	size_t len;
	jmp_buf full;
};

static void add_text(const char *text, size_t len, void *arg)
{
	struct plain_name *p = arg;

	if (len > PLAIN_MAX - p->len)
		longjmp(p->full, 1);
	memcpy(p->text + p->len, text, len);
	p->len += len;
}

static bool demangle(const char *name, int options, struct plain_name *p)
{
	p->len = 0;
	if (setjmp(p->full))
		return false;
	return cplus_demangle_v3_callback(name, options, add_text, p);
}

const char *strings__keep_demangled(struct strings *s, const char *name, size_t len)
{
	const char *kept = strings__keep(s, name, len);
	struct plain_name *p = malloc(sizeof(*p));

	if (p && demangle(kept, DMGL_PARAMS | DMGL_ANSI, p))
		kept = strings__keep(s, p->text, p->len);
	free(p);
	return kept;
}

void strings__set_kernel_names(struct strings *s, enum kernel_names how)
{
	s->kernel_names = how;
}

/* The end of the name proper: what follows are its template arguments. */
static size_t name_end(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == '<' && i && strncmp(text + i - 1, " <", 2) &&
		    !(i >= 8 && !strncmp(text + i - 8, "operator", 8)))
			return i;
	return len;
}

/* Without return type, namespaces, template arguments and parameters. */
static const char *keep_truncated(struct strings *s, const char *kept)
{
	struct plain_name *p = malloc(sizeof(*p));
	size_t end, begin;

	if (p && demangle(kept, DMGL_NO_OPTS, p)) {
		end = name_end(p->text, p->len);
		for (begin = end; begin > 0 && !strchr(" :", p->text[begin - 1]); begin--)
			;
		kept = strings__keep(s, p->text + begin, end - begin);
	}
	free(p);
	return kept;
}

const char *strings__keep_kernel(struct strings *s, const char *name, size_t len)
{
	if (s->kernel_names == KERNEL_NAMES_MANGLED)
		return strings__keep(s, name, len);
	if (s->kernel_names == KERNEL_NAMES_TRUNCATED)
		return keep_truncated(s, strings__keep(s, name, len));
	return strings__keep_demangled(s, name, len);
}
