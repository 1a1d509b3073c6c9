// SPDX-License-Identifier: MIT
/*
 * rtrace-bpf export: reads a recording into the sinks that are asked for.
 */
#include "user/cmd/export_command.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/log.h"
#include "user/record/record_options.h"
#include "user/base/output_file.h"
#include "user/output/output_set.h"
#include "user/recording/recording_reader.h"
#include "user/recording/replay.h"

static const char doc[] =
	"Write a recording of rtrace-bpf (-f rtrace) in another form.\v"
	"Examples:\n"
	"  rtrace-bpf export rtrace-1234.rtrace             for Perfetto: rtrace-1234.pftrace\n"
	"  rtrace-bpf export -f json -o - job.rtrace | jq .\n"
	"  rtrace-bpf export -f text -f stats job.rtrace    job.text and job.stats\n"
	"  rtrace-bpf export job.0.rtrace job.1.rtrace job.rtrace   one recording in three files\n"
	"\n"
	"Exit status: 0, 1 if the recording cannot be read or the output not be written, 2 for a "
	"wrong "
	"command line. A recording that was cut off is exported up to there, with a warning.";

static const struct argp_option argp_options[] = {
	{"format", 'f', "FORMAT", 0,
	 "pftrace (default), json, text, html, csv, rocpd, otf2, roctracer, folded, stats, "
	 "summary; repeatable",
	 0},
	{"output", 'o', "FILE", 0,
	 "Write there; -: stdout. Default: beside the recording, with the format as suffix (rocpd: "
	 ".db). With several formats, that suffix is appended. csv: what its files' names begin "
	 "with; otf2, roctracer: their folder",
	 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

struct export
{
	const struct sink_ops *formats[OPTION_FORMATS_MAX];
	size_t format_count;
	const char *output;
	const char **paths;
	size_t path_count;
};

static void add_format(struct export *x, const char *name, struct argp_state *state)
{
	const struct sink_ops *ops = sink__find(name);

	if (!ops || ops == &sink_rtrace)
		argp_error(state,
			   "unknown format '%s' (pftrace, json, text, html, csv, rocpd, otf2, "
			   "roctracer, folded, stats, summary)",
			   name);
	for (size_t i = 0; i < x->format_count; i++)
		if (x->formats[i] == ops)
			return;
	if (x->format_count < OPTION_FORMATS_MAX)
		x->formats[x->format_count++] = ops;
}

static void check_stdout(const struct export *x, struct argp_state *state)
{
	for (size_t i = 0; i < x->format_count; i++)
		if (x->formats[i]->own_files && x->output && !strcmp(x->output, "-"))
			argp_error(state, "-o -: %s writes files, not to stdout",
				   x->formats[i]->name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct export *x = state->input;

	switch (key) {
	case 'f':
		add_format(x, arg, state);
		return 0;
	case 'o':
		x->output = arg;
		return 0;
	case ARGP_KEY_ARG:
		x->paths[x->path_count++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!x->path_count)
			argp_error(state, "which recording?");
		check_stdout(x, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Where a format goes; to be freed. */
static char *place(const struct export *x, const struct sink_ops *ops)
{
	const char *base = x->output ? x->output : x->paths[x->path_count - 1],
		   *dot = strrchr(base, '.');
	size_t len = strlen(base);

	if (x->output && (x->format_count == 1 || !strcmp(x->output, "-")))
		return strdup(x->output);
	if (!x->output && dot && !strcmp(dot, ".rtrace"))
		len = dot - base;
	return sink__path(ops, base, len);
}

static int check_place(const struct export *x, const char *path)
{
	for (size_t i = 0; i < x->path_count; i++)
		if (output_file__is_same(path, x->paths[i])) {
			log_err("output: %s: this is the recording", path);
			return -EINVAL;
		}
	return 0;
}

static int add_sinks(const struct export *x, struct output *out)
{
	int err = 0;

	for (size_t i = 0; i < x->format_count && !err; i++) {
		char *path = place(x, x->formats[i]);

		err = path ? check_place(x, path) : -ENOMEM;
		if (!err)
			err = output_set__add(out, x->formats[i], path, NULL);
		free(path);
	}
	return err;
}

static int export(const struct export *x)
{
	struct recording *r = recording_reader__open_files(x->paths, x->path_count);
	struct strings *strings = string_pool__new();
	struct output *out = r ? output_set__new(NULL, recording_reader__origin(r)) : NULL;
	const struct decoder_to to = replay__into(out);
	int err = r ? -ENOMEM : -EINVAL; /* which was logged */

	if (strings && out)
		err = add_sinks(x, out);
	if (err) {
		output_set__discard(out);
	} else {
		err = recording_reader__read(r, strings, &to);
		if (output_set__close(out, recording_reader__stats(r)) && !err)
			err = -EIO;
	}
	recording_reader__close(r);
	string_pool__free(strings);
	return err;
}

int export_command__main(int argc, char **argv)
{
	static const struct argp argp = {argp_options, parse, "RECORDING...", doc, NULL,
					 NULL,	       NULL};
	struct export x = {.paths = calloc(argc, sizeof(*x.paths))};
	int err;

	if (!x.paths)
		return 1;
	argp_err_exit_status = EXIT_USAGE;
	argv[0] = "rtrace-bpf export";
	err = argp_parse(&argp, argc, argv, 0, NULL, &x);
	if (!x.format_count)
		x.formats[x.format_count++] = &sink_pftrace;
	if (!err)
		err = export(&x);
	free(x.paths);
	return err ? 1 : 0;
}
