// SPDX-License-Identifier: MIT
/*
 * The command line of rtrace-bpf top: its own options, and those of a recording, which it is.
 */
#include "user/cmd/top_command.h"

#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/record/record_options.h"
#include "user/record/recorder.h"
#include "user/live/top_settings.h"

static const char doc[] =
	"Show what processes, containers or GPUs are doing, anew every second: calls, launches, "
	"how busy the GPUs were, copied bytes, errors, losses. Without -p or a command: of the "
	"whole node. Where stdout is no terminal, or stdin, a table for every interval.\v"
	"Keys: p processes, c containers, g GPUs, s sort by the next column, / filter (Enter takes "
	"it, Esc does not; an empty one shows all), SPACE pause, q quit.\n"
	"\n"
	"What a GPU ran counts when it has ended: a kernel of ten seconds is in one interval, as "
	"1000%. GPU BUSY of a process is the sum over its GPUs. -t hip,gpu costs a process less "
	"than "
	"all that is traced otherwise. With -f and -o the trace is written too.\n"
	"\n"
	"Exit status: 0, 1 on failure, 2 for a wrong command line.";

enum { OPT_BY = 0x1000, OPT_SORT, OPT_FILTER };

static const struct argp_option argp_options[] = {
	{NULL, 0, NULL, 0, "What to show:", 0},
	{"by", OPT_BY, "WHAT", 0, "process (default), container or gpu", 0},
	{"sort", OPT_SORT, "COLUMN", 0,
	 "pid, procs, calls, launches, busy (default), copied, errors, lost or name", 0},
	{"filter", OPT_FILTER, "TEXT", 0, "Only lines that have it in a name or number", 0},
	{"interval", 'i', "SEC", 0, "How often (default 1)", 0},
	{"iterations", 'n', "COUNT", 0, "End after so many", 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

struct top_options {
	struct options record;
	struct top_settings settings;
};

static uint64_t parse_interval(struct argp_state *state, const char *arg)
{
	char *end;
	double v = strtod(arg, &end);

	if (end == arg || *end || !isfinite(v) || v < 0.1 || v > 1e6)
		argp_error(state, "-i: '%s' is not a number of seconds from 0.1 on", arg);
	return (uint64_t)(v * 1e9);
}

static unsigned long parse_count(struct argp_state *state, const char *arg)
{
	char *end;
	unsigned long v = strtoul(arg, &end, 10);

	if (end == arg || *end || *arg == '-' || !v || v > 1000000000)
		argp_error(state, "-n: '%s' is not a number from 1 to 1000000000", arg);
	return v;
}

static void parse_filter(struct view *v, struct argp_state *state, const char *arg)
{
	if (strlen(arg) >= sizeof(v->filter))
		argp_error(state, "--filter: at most %zu bytes", sizeof(v->filter) - 1);
	else
		strcpy(v->filter, arg);
}

static void check_formats(const struct options *o, struct argp_state *state)
{
	for (size_t i = 0; i < o->format_count; i++)
		if (o->formats[i]->live && !o->formats[i]->always_stdout && !o->output &&
		    !o->folder)
			argp_error(state, "-f %s: not to the same terminal: give -o",
				   o->formats[i]->name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct top_options *o = state->input;
	struct view *v = &o->settings.view;
	int word;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->record;
		break;
	case OPT_BY:
		word = table_view__kind(arg);
		if (word < 0)
			argp_error(state, "--by: unknown '%s' (process, container, gpu)", arg);
		v->by = (enum live_kind)word;
		break;
	case OPT_SORT:
		word = table_view__column(arg);
		if (word < 0)
			argp_error(state,
				   "--sort: unknown '%s' (pid, procs, calls, launches, busy, "
				   "copied, errors, lost, name)",
				   arg);
		v->sort = (enum view_column)word;
		break;
	case OPT_FILTER:
		parse_filter(v, state, arg);
		break;
	case 'i':
		o->settings.interval = parse_interval(state, arg);
		break;
	case 'n':
		o->settings.frames = parse_count(state, arg);
		break;
	case ARGP_KEY_END:
		check_formats(&o->record, state);
		if (!table_view__column_name(v->by, v->sort))
			argp_error(state, "--sort: there is no such column with this --by");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

int top_command__main(int argc, char **argv)
{
	static const struct argp_child children[] = {{&options_argp, 0, "", 7}, {}};
	static const struct argp argp = {
		argp_options, parse, "[-- COMMAND [ARG...]]", doc, children, NULL, NULL};
	struct top_options o = {
		.settings = {.view = {.by = LIVE_PROCESS, .sort = COL_BUSY},
			     .interval = 1000000000},
	};
	int status;

	record_options__init(&o.record);
	o.record.all_by_default = true;
	o.record.formats[o.record.format_count++] = &sink_top;
	o.record.settings.top = &o.settings;
	argp_err_exit_status = EXIT_USAGE;
	argv[0] = "rtrace-bpf top";
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &o);
	status = recorder__run(&o.record);
	record_options__free(&o.record);
	return status;
}
