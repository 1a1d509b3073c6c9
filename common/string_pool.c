// SPDX-License-Identifier: MIT
/*
 * Interned strings, and demangling (libiberty knows _Float16 and bf16, which __cxa_demangle of
 * GCC 12 gets wrong).
 */
#include "common/string_pool.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/hash.h"

#define PLAIN_MAX 65536 /* bytes of a demangled name */

struct kept {
	UT_hash_handle hh;
	char text[];
};

struct strings {
	struct kept *all;
	enum kernel_names kernel_names;
};

struct strings *string_pool__new(void)
{
	return calloc(1, sizeof(struct strings));
}

void string_pool__free(struct strings *s)
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

const char *string_pool__keep(struct strings *s, const char *text, size_t len)
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
	char text[PLAIN_MAX + 1];
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

const char *string_pool__keep_demangled(struct strings *s, const char *name, size_t len)
{
	const char *kept = string_pool__keep(s, name, len);
	struct plain_name *p = malloc(sizeof(*p));

	if (p && demangle(kept, DMGL_PARAMS | DMGL_ANSI, p))
		kept = string_pool__keep(s, p->text, p->len);
	free(p);
	return kept;
}

void string_pool__set_kernel_names(struct strings *s, enum kernel_names how)
{
	s->kernel_names = how;
}

/* The length of the operator's symbol, where that has brackets. */
static size_t operator_length(const char *text)
{
	static const char *const symbols[] = {"<=>", "->*", "<<=", ">>=", "()", "[]", "<<",
					      ">>",  "<=",  ">=",  "->",  "<",	">"};

	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		if (!strncmp(text, symbols[i], strlen(symbols[i])))
			return strlen(symbols[i]);
	return 0;
}

static bool is_operator(const char *text)
{
	return !strncmp(text, "operator", 8) && !isalnum((unsigned char)text[8]) && text[8] != '_';
}

struct part {
	const char *begin, *end;
};

/* The last part between "::" outside of all brackets, without its template arguments. */
static struct part last_part(const char *text)
{
	struct part p = {text, NULL};
	int depth = 0;

	for (const char *at = text; *at; at++) {
		if (!depth && at == p.begin && is_operator(at))
			at += 8 + operator_length(at + 8);
		if (!depth && !p.end &&
		    (*at == '<' || !strncmp(at, " <", 2) || !strncmp(at, " [", 2)))
			p.end = at;
		if (!depth && !strncmp(at, "::", 2)) {
			p = (struct part){at + 2, NULL};
			at++;
		} else if (*at && strchr("<([{", *at)) {
			depth++;
		} else if (*at && strchr(">)]}", *at)) {
			depth -= depth && at[-1] != '-';
		}
		if (!*at)
			break;
	}
	if (!p.end)
		p.end = p.begin + strlen(p.begin);
	return p;
}

/* Without namespaces, template arguments and parameters. */
static const char *keep_truncated(struct strings *s, const char *kept)
{
	struct plain_name *p = malloc(sizeof(*p));
	struct part part;

	if (p && demangle(kept, DMGL_NO_OPTS, p)) {
		p->text[p->len] = '\0';
		part = last_part(p->text);
		kept = string_pool__keep(s, part.begin, part.end - part.begin);
	}
	free(p);
	return kept;
}

const char *string_pool__keep_kernel(struct strings *s, const char *name, size_t len)
{
	if (s->kernel_names == KERNEL_NAMES_MANGLED)
		return string_pool__keep(s, name, len);
	if (s->kernel_names == KERNEL_NAMES_TRUNCATED)
		return keep_truncated(s, string_pool__keep(s, name, len));
	return string_pool__keep_demangled(s, name, len);
}
