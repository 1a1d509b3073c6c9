// SPDX-License-Identifier: MIT
/*
 * Writes how the functions of libraries are probed, as a table or as JSON.
 */
#include <errno.h>
#include <inttypes.h>
#include <libsmartcols/libsmartcols.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yajl/yajl_gen.h>

#include "user/cmd/doctor_command.h"
#include "common/format.h"
#include "user/probe/library_probes.h"
#include "user/base/log.h"

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void count_kinds(const struct library *lib, size_t counts[PLACE_KINDS])
{
	memset(counts, 0, PLACE_KINDS * sizeof(*counts));
	for (size_t i = 0; i < lib->probe_count; i++)
		counts[lib->probes[i].place.kind]++;
	counts[PLACE_SKIPPED] += lib->unprobed_count;
}

/* --- the table --- */

enum { COL_LIBRARY, COL_FUNCTION, COL_OFFSET, COL_PLACE, COL_HOW, COL_WHY, COL_COUNT };

static const struct {
	const char *name;
	int flags;
} columns[COL_COUNT] = {
	{"LIBRARY", 0},
	{"FUNCTION", SCOLS_FL_TRUNC},
	{"OFFSET", SCOLS_FL_RIGHT},
	{"PLACE", SCOLS_FL_RIGHT},
	{"HOW", 0},
	{"WHY", 0},
};

static struct libscols_table *new_table(FILE *out)
{
	struct libscols_table *table = scols_new_table();

	if (!table)
		return NULL;
	scols_table_set_stream(table, out);
	/* The library escapes names. Only a terminal's width makes it cut them. */
	scols_table_set_termforce(table, isatty(fileno(out)) ? SCOLS_TERMFORCE_ALWAYS
							     : SCOLS_TERMFORCE_NEVER);
	for (int i = 0; i < COL_COUNT; i++)
		if (!scols_table_new_column(table, columns[i].name, 0.1, columns[i].flags)) {
			scols_unref_table(table);
			return NULL;
		}
	return table;
}

static int add_line(struct libscols_table *table, const struct library *lib, const char *symbol,
		    uint64_t offset, const struct place *place)
{
	struct libscols_line *line = scols_table_new_line(table, NULL);
	char at[32] = "-", shift[16] = "-";
	int err;

	if (!line)
		return -ENOMEM;
	if (place->kind != PLACE_SKIPPED) {
		snprintf(at, sizeof(at), "0x%" PRIx64, offset);
		snprintf(shift, sizeof(shift), "+%" PRIu32, place->shift);
	}
	err = scols_line_set_data(line, COL_LIBRARY, base_name(lib->name));
	err = err ?: scols_line_set_data(line, COL_FUNCTION, symbol);
	err = err ?: scols_line_set_data(line, COL_OFFSET, at);
	err = err ?: scols_line_set_data(line, COL_PLACE, shift);
	err = err ?: scols_line_set_data(line, COL_HOW, place_kind_names[place->kind]);
	return err ?: scols_line_set_data(line, COL_WHY, place->why ? place->why : "");
}

static int add_library(struct libscols_table *table, const struct library *lib)
{
	int err = 0;

	for (size_t i = 0; i < lib->probe_count && !err; i++) {
		const struct probe *p = &lib->probes[i];

		err = add_line(table, lib, p->symbol, p->offset, &p->place);
	}
	for (size_t i = 0; i < lib->unprobed_count && !err; i++) {
		const struct unprobed *u = &lib->unprobed[i];
		struct place place = {.kind = PLACE_SKIPPED, .why = u->why};

		err = add_line(table, lib, u->symbol, 0, &place);
	}
	return err;
}

static void print_summary(FILE *out, const struct library *lib)
{
	size_t counts[PLACE_KINDS], all = 0;

	count_kinds(lib, counts);
	for (int i = 0; i < PLACE_KINDS; i++)
		all += counts[i];
	text__escape(out, lib->name);
	fprintf(out, ": %zu functions:", all);
	for (int i = 0; i < PLACE_KINDS; i++)
		fprintf(out, "%s %zu %s", i ? "," : "", counts[i], place_kind_names[i]);
	fputc('\n', out);
}

static int write_table(FILE *out, struct library **libs, size_t n)
{
	struct libscols_table *table = new_table(out);
	int err = table ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !err; i++)
		err = add_library(table, libs[i]);
	if (!err)
		err = scols_print_table(table);
	scols_unref_table(table);
	if (err)
		return err;
	fputc('\n', out);
	for (size_t i = 0; i < n; i++)
		print_summary(out, libs[i]);
	return 0;
}

/* --- JSON --- */

static void put(yajl_gen g, const char *text)
{
	struct utf8_buf buf = {};
	const char *clean = utf8__clean(&buf, text);

	if (clean)
		yajl_gen_string(g, (const unsigned char *)clean, strlen(clean));
	else
		yajl_gen_null(g);
	utf8__free(&buf);
}

static void put_function(yajl_gen g, const char *symbol, const struct place *place)
{
	put(g, "name");
	put(g, symbol);
	put(g, "how");
	put(g, place_kind_names[place->kind]);
	put(g, "why");
	if (place->why)
		put(g, place->why);
	else
		yajl_gen_null(g);
}

static void put_functions(yajl_gen g, const struct library *lib)
{
	put(g, "functions");
	yajl_gen_array_open(g);
	for (size_t i = 0; i < lib->probe_count; i++) {
		const struct probe *p = &lib->probes[i];

		yajl_gen_map_open(g);
		put_function(g, p->symbol, &p->place);
		put(g, "offset"); /* in the file, of the instruction that is probed */
		yajl_gen_integer(g, p->offset);
		put(g, "place");
		yajl_gen_integer(g, p->place.shift);
		yajl_gen_map_close(g);
	}
	for (size_t i = 0; i < lib->unprobed_count; i++) {
		struct place place = {.kind = PLACE_SKIPPED, .why = lib->unprobed[i].why};

		yajl_gen_map_open(g);
		put_function(g, lib->unprobed[i].symbol, &place);
		yajl_gen_map_close(g);
	}
	yajl_gen_array_close(g);
}

static void put_library(yajl_gen g, const struct library *lib)
{
	size_t counts[PLACE_KINDS];

	count_kinds(lib, counts);
	yajl_gen_map_open(g);
	put(g, "path");
	put(g, lib->name);
	put(g, "counts");
	yajl_gen_map_open(g);
	for (int i = 0; i < PLACE_KINDS; i++) {
		put(g, place_kind_names[i]);
		yajl_gen_integer(g, counts[i]);
	}
	yajl_gen_map_close(g);
	put_functions(g, lib);
	yajl_gen_map_close(g);
}

static int write_json(FILE *out, struct library **libs, size_t n)
{
	yajl_gen g = yajl_gen_alloc(NULL);
	const unsigned char *text;
	size_t len;

	if (!g)
		return -ENOMEM;
	yajl_gen_config(g, yajl_gen_beautify, 1);
	yajl_gen_map_open(g);
	put(g, "libraries");
	yajl_gen_array_open(g);
	for (size_t i = 0; i < n; i++)
		put_library(g, libs[i]);
	yajl_gen_array_close(g);
	yajl_gen_map_close(g);
	yajl_gen_get_buf(g, &text, &len);
	fwrite(text, 1, len, out);
	yajl_gen_free(g);
	return 0;
}

/* Opens what can be opened; each library takes over its descriptor. */
static size_t open_all(struct installed *in, struct functions *fns, struct library **libs)
{
	size_t n = 0;

	for (size_t i = 0; i < in->count; i++) {
		libs[n] = library_probes__open(in->files[i].fd, in->files[i].path, fns);
		in->files[i].fd = -1;
		if (libs[n])
			n++;
		else
			log_err("%s: %s", in->files[i].path,
				errno == ENOEXEC ? "not a library for x86-64" : strerror(errno));
	}
	return n;
}

int doctor_command__probes(FILE *out, struct installed *in, bool json)
{
	struct library **libs = calloc(in->count, sizeof(*libs));
	struct selection all;
	struct functions *fns;
	size_t n = 0;
	int err;

	selection__all(&all);
	all.hot = true;
	fns = functions__new(&all);
	err = libs && fns ? 0 : -ENOMEM;
	if (!err) {
		n = open_all(in, fns, libs);
		err = json ? write_json(out, libs, n) : n ? write_table(out, libs, n) : 0;
	}
	if (err)
		log_err("doctor: %s", strerror(-err));
	for (size_t i = 0; i < n; i++)
		library_probes__close(libs[i]);
	free(libs);
	functions__free(fns);
	return err || n < in->count;
}
