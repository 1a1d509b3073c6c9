// SPDX-License-Identifier: MIT
/*
 * The table of handles.
 */
#include "user/merge/kernel_handles.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/hash.h"
#include "user/elf/symbols.h"

#define HANDLES_MAX 65536 /* of a process: what a hostile one can make us keep */

struct handle {
	uint64_t value;
	const char *name; /* NULL: looked for and not found */
	UT_hash_handle hh;
};

struct owner {
	pid_t pid;
	struct handle *handles;
	UT_hash_handle hh;
};

struct handles {
	struct strings *strings;
	struct symbols *symbols;
	struct owner *owners;
};

struct handles *kernel_handles__new(struct strings *strings, struct symbols *symbols)
{
	struct handles *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->strings = strings;
	h->symbols = symbols;
	return h;
}

static struct owner *find_owner(const struct handles *k, pid_t pid)
{
	struct owner *o;

	HASH_FIND(hh, k->owners, &pid, sizeof(pid), o);
	return o;
}

static struct owner *get_owner(struct handles *k, pid_t pid)
{
	struct owner *o = find_owner(k, pid);

	if (o)
		return o;
	o = calloc(1, sizeof(*o));
	if (!o)
		return NULL;
	o->pid = pid;
	HASH_ADD(hh, k->owners, pid, sizeof(o->pid), o);
	return o;
}

static void remove_owner(struct handles *k, struct owner *o)
{
	struct handle *h, *next;

	HASH_ITER (hh, o->handles, h, next) {
		HASH_DEL(o->handles, h);
		free(h);
	}
	HASH_DEL(k->owners, o);
	free(o);
}

void kernel_handles__free(struct handles *k)
{
	struct owner *o, *next;

	if (!k)
		return;
	HASH_ITER (hh, k->owners, o, next) {
		remove_owner(k, o);
	}
	free(k);
}

static struct handle *find_handle(const struct handles *k, pid_t pid, uint64_t value)
{
	struct owner *o = find_owner(k, pid);
	struct handle *h;

	if (!o)
		return NULL;
	HASH_FIND(hh, o->handles, &value, sizeof(value), h);
	return h;
}

void kernel_handles__learn(struct handles *k, pid_t pid, uint64_t value, const char *name)
{
	struct handle *h = find_handle(k, pid, value);
	struct owner *o;

	if (h) {
		h->name = name; /* handles are addresses: another kernel may be there now */
		return;
	}
	o = get_owner(k, pid);
	if (!o || HASH_COUNT(o->handles) >= HANDLES_MAX)
		return;
	h = calloc(1, sizeof(*h));
	if (!h)
		return;
	h->value = value;
	h->name = name;
	HASH_ADD(hh, o->handles, value, sizeof(h->value), h);
}

const char *kernel_handles__find(struct handles *k, pid_t pid, uint64_t value)
{
	struct handle *h = find_handle(k, pid, value);

	return h ? h->name : NULL;
}

static const char stub_prefix[] = "__device_stub__";

/*
 * Where the length of the name at `at` begins, in a mangled symbol; `at` if nowhere. Another number
 * may stand right before it.
 */
static const char *length_before(const char *symbol, const char *at)
{
	const char *digits = at;

	while (digits > symbol && isdigit((unsigned char)digits[-1]))
		digits--;
	while (digits < at && (*digits == '0' || strtoul(digits, NULL, 10) > strlen(at)))
		digits++;
	return digits;
}

/*
 * The compiler puts a kernel's name on the handle itself, or on the function that launches it with
 * the prefix before the name.
 */
static const char *without_stub(const char *symbol, char *buf, size_t size)
{
	const char *at = strstr(symbol, stub_prefix), *name, *length;
	const size_t prefix = strlen(stub_prefix);
	unsigned long len;

	if (!at)
		return symbol;
	name = at + prefix;
	length = length_before(symbol, at);
	if (length == at)
		return at == symbol ? name : symbol;
	len = strtoul(length, NULL, 10);
	if (len <= prefix)
		return symbol;
	snprintf(buf, size, "%.*s%lu%s", (int)(length - symbol), symbol, len - prefix, name);
	return buf;
}

void kernel_handles__look_up(struct handles *k, pid_t pid, uint64_t address)
{
	char symbol[1024], plain[1024];
	const char *name = NULL;

	if (find_handle(k, pid, address))
		return;
	if (symbols__find(k->symbols, pid, address, symbol, sizeof(symbol))) {
		name = without_stub(symbol, plain, sizeof(plain));
		name = string_pool__keep_kernel(k->strings, name, strlen(name));
	}
	kernel_handles__learn(k, pid, address, name);
}

void kernel_handles__fork(struct handles *k, pid_t parent, pid_t child)
{
	struct owner *o = find_owner(k, parent);
	struct handle *h, *next;

	if (!o)
		return;
	HASH_ITER (hh, o->handles, h, next) {
		kernel_handles__learn(k, child, h->value, h->name);
	}
}

void kernel_handles__forget(struct handles *k, pid_t pid)
{
	struct owner *o = find_owner(k, pid);

	if (o)
		remove_owner(k, o);
}
