// SPDX-License-Identifier: MIT
/*
 * Interned strings, and demangling (libiberty knows _Float16 and bf16, which __cxa_demangle of
 * GCC 12 gets wrong).
 */
#include "user/strings.h"

#include <libiberty/demangle.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct kept {
	UT_hash_handle hh;
	char text[];
};

struct strings {
	struct kept *all;
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

const char *strings__keep_demangled(struct strings *s, const char *name, size_t len)
{
	const char *kept = strings__keep(s, name, len);
	char *plain;

	plain = cplus_demangle_v3(kept, DMGL_PARAMS | DMGL_ANSI);
	if (!plain)
		return kept;
	kept = strings__keep(s, plain, strlen(plain));
	free(plain);
	return kept;
}
