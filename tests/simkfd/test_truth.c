/* SPDX-License-Identifier: MIT */
/* Reads the truth log of the simulated GPU. */
#include "tests/simkfd/test_truth.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FIELDS 17

static void parse(const char *text, struct truth_line *l)
{
	int end = 0, fields;

	fields = sscanf(text,
			"pid=%d gpu=%d queue=%u n=%" SCNu64 " op=%" SCNu64
			" kind=%15s kernel=%255s bytes=%" SCNu64 " grid=%" SCNu32 ",%" SCNu32
			",%" SCNu32 " wg=%" SCNu32 ",%" SCNu32 ",%" SCNu32
			" barrier=%u begin=%" SCNu64 " end=%" SCNu64 "%n",
			&l->pid, &l->gpu, &l->queue, &l->n, &l->op, l->kind, l->kernel, &l->bytes,
			&l->grid[0], &l->grid[1], &l->grid[2], &l->workgroup[0], &l->workgroup[1],
			&l->workgroup[2], &l->barrier, &l->begin, &l->end, &end);
	if (fields != FIELDS || strcmp(text + end, "\n"))
		fail_msg("truth log: '%s'", text);
	assert_true(l->begin <= l->end);
}

struct truth_log truth_log__read(const char *path, long *offset)
{
	struct truth_log log = {NULL, 0};
	FILE *f = fopen(path, "r");
	char text[1024];

	assert_non_null(f);
	assert_int_equal(fseek(f, *offset, SEEK_SET), 0);
	while (fgets(text, sizeof(text), f)) {
		log.lines = realloc(log.lines, (log.count + 1) * sizeof(log.lines[0]));
		assert_non_null(log.lines);
		parse(text, &log.lines[log.count++]);
	}
	*offset = ftell(f);
	fclose(f);
	return log;
}

void truth_log__free(struct truth_log *log)
{
	free(log->lines);
	log->lines = NULL;
	log->count = 0;
}

size_t truth_log__count(const struct truth_log *log, int pid, const char *kind, const char *kernel)
{
	const struct truth_line *l;
	size_t count = 0;

	for (l = log->lines; l < log->lines + log->count; l++)
		count += (!pid || l->pid == pid) && (!kind || !strcmp(l->kind, kind)) &&
			 (!kernel || !strcmp(l->kernel, kernel));
	return count;
}
