// SPDX-License-Identifier: MIT
/*
 * From the options to the sinks, each with its file.
 */
#include "user/record/open_outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/log.h"

#define DEFAULT_BASE "rtrace-%pid%" /* of the names of files */

static bool is_stdout(const char *path)
{
	return !strcmp(path, "-");
}

/* What the names of files begin with; to be freed. */
static char *base_of(const struct options *o)
{
	const char *usual = o->per_process ? "rtrace" : DEFAULT_BASE;
	const char *name = o->output ? o->output : usual;
	char *base;

	if (!o->folder || *name == '/' || is_stdout(name))
		return strdup(name);
	return asprintf(&base, "%s/%s", o->folder, name) < 0 ? NULL : base;
}

static size_t file_count(const struct options *o)
{
	size_t count = 0;

	for (size_t i = 0; i < o->format_count; i++)
		count += !o->formats[i]->always_stdout;
	return count;
}

/* The file of one sink; NULL: stdout. Freed by the caller. */
static char *place(const struct options *o, const struct sink_ops *ops)
{
	char *base, *path;

	if (ops->always_stdout || (ops->live && !o->output && !o->folder && !o->per_process))
		return NULL;
	base = base_of(o);
	if (!base || (o->output && (file_count(o) <= 1 || is_stdout(base))))
		return base;
	path = sink__path(ops, base, strlen(base));
	free(base);
	return path;
}

static int make_folder(const struct options *o, const struct output_keys *keys)
{
	char *folder = o->folder ? file_name_keys__expand(o->folder, keys) : NULL;
	int err = folder ? file_name_keys__make_folder(folder) : 0;

	if (err)
		log_err("-d: %s: %s", folder, strerror(-err));
	free(folder);
	return err;
}

static int add_format(struct output *out, const struct options *o, const struct sink_ops *ops,
		      const struct output_keys *keys, bool *to_stdout)
{
	struct sink_settings settings = o->settings;
	bool split = o->per_process && !ops->always_stdout;
	char *path = place(o, ops);
	int err;

	*to_stdout |= !path || is_stdout(path);
	settings.each = split ? ops : NULL;
	output_set__set(out, &settings);
	err = output_set__add(out, split ? &sink_split : ops, path, keys);
	free(path);
	return err;
}

int open_outputs__all(struct output *out, const struct options *o, const struct output_keys *keys,
		      bool *to_stdout)
{
	int err = make_folder(o, keys);

	for (size_t i = 0; i < o->format_count && !err; i++)
		err = add_format(out, o, o->formats[i], keys, to_stdout);
	output_set__set(out, &o->settings);
	if (!err && o->settings.metrics) {
		err = output_set__add(out, &sink_metrics, NULL, keys);
		if (!err)
			log_say("metrics are at %s, /metrics", o->settings.metrics);
	}
	if (!err && o->summary) /* only tables: they may go to the file */
		err = output_set__add(out, &sink_summary, o->format_count ? NULL : o->output, keys);
	if (!err && o->summary_json)
		err = output_set__add(out, &sink_totals, o->summary_json, keys);
	return err;
}
