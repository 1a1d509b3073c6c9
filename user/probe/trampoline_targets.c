// SPDX-License-Identifier: MIT
/*
 * Places probes in the targets of trampolines.
 */
#include "user/probe/trampoline_targets.h"

#include <errno.h>
#include <stdlib.h>

#include "user/elf/branch_targets.h"
#include "user/elf/eh_frame.h"
#include "user/probe/nop5_test.h"

struct search {
	struct image image;
	struct frames frames;
	unsigned int kernel;
	struct implementation *found;
	size_t count;
};

static int by_offset(const void *a, const void *b)
{
	const struct implementation *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* How many bytes of its segment are before and after the probe. */
static void measure(const struct search *s, uint64_t address, struct implementation *new)
{
	for (size_t i = 0; i < s->image.segment_count; i++) {
		const struct code *code = &s->image.segments[i].code;

		if (address < code->address || address - code->address >= code->size)
			continue;
		new->before = address - code->address;
		new->after = code->size - new->before;
	}
}

/* Chooses the place in the function that starts exactly here; no other branch may lead into it. */
static bool choose(struct search *s, uint64_t address, struct implementation *new)
{
	struct place *place = &new->place;
	uint64_t *offset = &new->offset;
	struct code code;
	struct span span;
	size_t size;

	if (!eh_frame__begins(&s->frames, address, &size) ||
	    !elf_image__code(&s->image, address, &code, offset))
		return false;
	if (code.size > size)
		code.size = size;
	*place = probe_place__choose(&code, SIZE_MAX, s->kernel);
	if (place->reach > 1) {
		span = (struct span){address, place->reach, code.size, UINT64_MAX};
		for (size_t i = 0; i < s->image.segment_count; i++)
			branch_targets__find(&s->image.segments[i].code, &span, 1);
		if (span.hit != UINT64_MAX)
			*place = probe_place__choose(&code, span.hit - address, s->kernel);
	}
	*offset += place->shift;
	measure(s, address + place->shift, new);
	return place->kind < PLACE_SINGLE_STEPPED;
}

/* Functions that share an implementation are left alone: a call could be of any of them. */
static void drop_shared(struct search *s)
{
	size_t kept = 0;

	if (s->count)
		qsort(s->found, s->count, sizeof(*s->found), by_offset);
	for (size_t i = 0, same; i < s->count; i += same) {
		for (same = 1;
		     i + same < s->count && s->found[i + same].offset == s->found[i].offset;)
			same++;
		if (same == 1)
			s->found[kept++] = s->found[i];
	}
	s->count = kept;
}

int trampoline_targets__find(const struct library *lib, uint64_t base, trampoline_read *read,
			     void *arg, struct implementation **found)
{
	struct search s = {.kernel = nop5_test__running_kernel()};
	int err;

	*found = NULL;
	if (lib->program)
		return 0; /* not read here: it has its symbols elsewhere */
	err = elf_image__open(&s.image, lib->fd);
	if (err)
		return err;
	s.found = calloc(lib->probe_count + 1, sizeof(*s.found));
	err = s.found ? eh_frame__open(&s.frames, &s.image, lib->fd) : -ENOMEM;
	for (size_t i = 0; i < lib->probe_count && !err; i++) {
		const struct probe *p = &lib->probes[i];
		struct implementation new = {.trampoline = p};
		struct trampoline t;
		struct code code;
		uint64_t address;

		if (p->place.kind == PLACE_SINGLE_STEPPED &&
		    elf_image__code_at(&s.image, p->offset - p->place.shift, &code) &&
		    trampoline__decode(&s.image, &code, &t) &&
		    !trampoline__read(&t, base, read, arg, &address) &&
		    choose(&s, address - base, &new))
			s.found[s.count++] = new;
	}
	drop_shared(&s);
	eh_frame__close(&s.frames);
	elf_image__close(&s.image);
	if (err)
		free(s.found);
	else
		*found = s.found;
	return err ? err : (int)s.count;
}
