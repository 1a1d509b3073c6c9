// SPDX-License-Identifier: MIT
/*
 * Slices in the order of their ends come out as begins and ends in the order of time, whatever they
 * look like: nested at random, at equal times, deep, on many tracks, with outer ones that are not
 * there.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "user/formats/otf2/slice_store.h"

#define SLICES 20000

static char folder[] = "/tmp/test_slices.XXXXXX";
static int folder_fd;

static int make_folder(void **state)
{
	folder_fd = mkdtemp(folder) ? open(folder, O_RDONLY | O_DIRECTORY) : -1;
	return folder_fd < 0 ? -1 : 0;
}

static int remove_folder(void **state)
{
	close(folder_fd);
	return rmdir(folder); /* nothing is in it */
}

/* ---- at random ---- */

/* The edges of one track, as they happen. */
struct script {
	struct slices *slices;
	uint32_t track;
	struct slice_edge edges[2 * SLICES];
	size_t edge_count, next;
	uint64_t now, ids;
};

/* A slice with some inside of it. Time may stand still. */
static void play(struct script *s, uint64_t parent, unsigned int depth)
{
	struct slice slice = {.id = ++s->ids, .parent = parent, .kind = rand()};

	if (s->ids > SLICES)
		return;
	slice.value = slice.id;
	slice.begin = s->now += rand() % 3;
	s->edges[s->edge_count++] = (struct slice_edge){s->now, slice.value, slice.kind, 1};
	while (depth < 40 && rand() % 5 < 2)
		play(s, slice.id, depth + 1);
	slice.end = s->now += rand() % 3;
	s->edges[s->edge_count++] = (struct slice_edge){s->now, slice.value, slice.kind, 0};
	assert_int_equal(slice_store__add(s->slices, s->track, &slice), 0);
}

static int compare(void *arg, const struct slice_edge *edge)
{
	struct script *s = arg;

	assert_true(s->next < s->edge_count);
	assert_memory_equal(edge, &s->edges[s->next], sizeof(*edge));
	s->next++;
	return 0;
}

static void test_random(void **state)
{
	static struct script scripts[3];
	struct slices *slices = slice_store__new(folder_fd);

	assert_non_null(slices);
	srand(1);
	for (int i = 0; i < 3; i++)
		scripts[i] = (struct script){.slices = slices, .track = 7 * i};
	for (int round = 0; round < 5000; round++)
		for (int i = 0; i < 3; i++)
			if (scripts[i].ids < SLICES - 1000)
				play(&scripts[i], 0, 0);
	for (int i = 0; i < 3; i++) {
		assert_true(scripts[i].edge_count > 10000);
		assert_int_equal(slice_store__read(slices, 7 * i, compare, &scripts[i]), 0);
		assert_int_equal(scripts[i].next, scripts[i].edge_count);
	}
	slice_store__free(slices);
}

/* ---- others ---- */

struct tally {
	uint64_t last, begins, ends;
	int stop;
};

static int count(void *arg, const struct slice_edge *edge)
{
	struct tally *t = arg;

	assert_true(edge->time >= t->last);
	t->last = edge->time;
	if (edge->begins)
		t->begins++;
	else
		t->ends++;
	assert_true(t->ends <= t->begins);
	return t->stop && t->begins == 10 ? t->stop : 0;
}

static void test_deep(void **state)
{
	struct slices *slices = slice_store__new(folder_fd);
	struct tally tally = {};

	for (uint64_t i = 100000; i > 0; i--) {
		const struct slice slice = {.begin = 1000, .end = 2000, .id = i, .parent = i - 1};

		assert_int_equal(slice_store__add(slices, 1, &slice), 0);
	}
	assert_int_equal(slice_store__read(slices, 1, count, &tally), 0);
	assert_int_equal(tally.begins, 100000);
	assert_int_equal(tally.ends, 100000);
	tally = (struct tally){.stop = -EIO};
	assert_int_equal(slice_store__read(slices, 1, count, &tally), -EIO);
	slice_store__free(slices);
}

/* Recordings may contain slices that overlap, end before they begin, or are their own parent. */
static void test_nonsense(void **state)
{
	struct slices *slices = slice_store__new(folder_fd);
	struct tally tally = {};

	srand(2);
	for (int i = 0; i < 50000; i++) {
		const struct slice slice = {.begin = rand() % 1000,
					    .end = rand() % 1000,
					    .id = rand() % 100,
					    .parent = rand() % 100};

		assert_int_equal(slice_store__add(slices, 0, &slice), 0);
	}
	assert_int_equal(slice_store__read(slices, 0, count, &tally), 0);
	assert_int_equal(tally.begins, 50000);
	assert_int_equal(tally.ends, 50000);
	slice_store__free(slices);
}

static void test_none(void **state)
{
	struct slices *slices = slice_store__new(folder_fd);

	assert_int_equal(slice_store__read(slices, 0, count, NULL), 0);
	assert_int_equal(slice_store__read(slices, 99, count, NULL), 0);
	slice_store__free(slices);
	assert_null(slice_store__new(-1));
	assert_int_equal(errno, EBADF);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
