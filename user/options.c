// SPDX-License-Identifier: MIT
/*
 * Parses the command line with argp.
 */
#include "user/options.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "user/capture.h"
#include "user/log.h"

const char *argp_program_version = "rtrace-bpf " RTRACE_VERSION;

static const char doc[] =
	"Trace the HIP, HSA and roctx calls of running processes, and what the GPU runs for them.\v"
	"Examples:\n"
	"  rtrace-bpf -p 1234                     a running job, one line an event\n"
	"  rtrace-bpf -p 1234 -S --duration 10    what it did in ten seconds, as tables\n"
	"  rtrace-bpf -a -f pftrace -o node.pftrace   every process of the node, for Perfetto\n"
	"  rtrace-bpf -f json -o app.json -- ./app --size 1000\n"
	"\n"
	"Tracing ends with Ctrl-C, after --duration, or when the command or the last traced "
	"process "
	"ends. GPU times come from librtrace-agent.so inside the process: a launched command gets "
	"it, "
	"a running one has it if it was started with HSA_TOOLS_LIB naming it.\n"
	"\n"
	"Exit status: 0, 1 on failure, 2 for a wrong command line, and that of the command if one "
	"was "
	"launched (128 + N if signal N ended it).";

enum { OPT_DURATION = 0x100, OPT_ATTACH, OPT_BUFFER, OPT_ALL_FUNCTIONS };

static const struct argp_option argp_options[] = {
	{NULL, 0, NULL, 0, "What to trace:", 1},
	{"pid", 'p', "PID", 0, "A running process, all its threads (repeatable)", 0},
	{"all", 'a', NULL, 0, "Every process on the node, and those to come", 0},
	{"all-functions", OPT_ALL_FUNCTIONS, NULL, 0,
	 "Also the functions left out by default: hsa_signal_load/store..., "
	 "hsa_queue_load/store...",
	 0},
	{NULL, 0, NULL, 0, "Output:", 2},
	{"format", 'f', "FORMAT", 0,
	 "text (default; live), json (Chrome trace), pftrace (Perfetto); repeatable", 0},
	{"summary", 'S', NULL, 0, "Tables of calls, kernels and copies at the end, on stdout", 0},
	{"output", 'o', "FILE", 0,
	 "Write there; %pid% and %hostname% are replaced. Default: stdout for text, "
	 "rtrace-%pid%.FORMAT "
	 "for the others. With several formats, .FORMAT is appended",
	 0},
	{NULL, 0, NULL, 0, "How:", 3},
	{"duration", OPT_DURATION, "SEC", 0, "Stop after that many seconds", 0},
	{"buffer", OPT_BUFFER, "MiB", 0, "Ring buffer of each CPU, a power of two (default 1 to 8)",
	 0},
	{"attach", OPT_ATTACH, "MODE", 0,
	 "session (Linux 6.13), multi (6.6) or tracefs (5.15); default: the best the kernel has",
	 0},
	{"verbose", 'v', NULL, 0, "Say what is done; -vv: details", 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

static long parse_long(struct argp_state *state, const char *what, const char *arg, long min,
		       long max)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(arg, &end, 10);
	if (errno || end == arg || *end || v < min || v > max)
		argp_error(state, "%s: '%s' is not a number from %ld to %ld", what, arg, min, max);
	return v;
}

static void add_pid(struct options *o, pid_t pid, struct argp_state *state)
{
	for (size_t i = 0; i < o->pid_count; i++)
		if (o->pids[i] == pid)
			return;
	o->pids = reallocarray(o->pids, o->pid_count + 1, sizeof(*o->pids));
	if (!o->pids)
		argp_failure(state, 1, ENOMEM, "options");
	o->pids[o->pid_count++] = pid;
}

static void add_format(struct options *o, const char *name, struct argp_state *state)
{
	const struct sink_ops *ops = sink_find(name);

	if (!ops)
		argp_error(state, "unknown format '%s' (text, json, pftrace)", name);
	for (size_t i = 0; i < o->format_count; i++)
		if (o->formats[i] == ops)
			return;
	if (o->format_count < OPTION_FORMATS_MAX)
		o->formats[o->format_count++] = ops;
}

static double parse_seconds(struct argp_state *state, const char *arg)
{
	char *end;
	double v;

	v = strtod(arg, &end);
	if (end == arg || *end || !isfinite(v) || v <= 0 || v > 1e9)
		argp_error(state, "--duration: '%s' is not a number of seconds", arg);
	return v;
}

static int parse_mode(struct argp_state *state, const char *arg)
{
	for (int i = 0; i < CAPTURE_MODES; i++)
		if (!strcmp(arg, capture_mode_names[i]))
			return i;
	argp_error(state, "--attach: unknown mode '%s' (session, multi, tracefs)", arg);
	return -1;
}

static size_t parse_buffer(struct argp_state *state, const char *arg)
{
	long mib = parse_long(state, "--buffer", arg, 1, 1024);

	if (mib & (mib - 1))
		argp_error(state, "--buffer: '%s' is not a power of two", arg);
	return (size_t)mib << 20;
}

/* One purpose at a time: a process is traced by -p, -a or by being launched. */
static void check(const struct options *o, struct argp_state *state)
{
	int ways = !!o->pid_count + o->all + !!o->command;

	if (!ways)
		argp_error(state, "nothing to trace: give -p PID, -a or -- COMMAND");
	if (ways > 1)
		argp_error(state, "-p, -a and a command exclude each other");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'p':
		add_pid(o, parse_long(state, "-p", arg, 1, INT_MAX), state);
		break;
	case 'a':
		o->all = true;
		break;
	case 'f':
		add_format(o, arg, state);
		break;
	case 'S':
		o->summary = true;
		break;
	case 'o':
		o->output = arg;
		break;
	case 'v':
		log_level++;
		break;
	case OPT_DURATION:
		o->duration = parse_seconds(state, arg);
		break;
	case OPT_ATTACH:
		o->attach_mode = parse_mode(state, arg);
		break;
	case OPT_BUFFER:
		o->ring_bytes = parse_buffer(state, arg);
		break;
	case OPT_ALL_FUNCTIONS:
		o->all_functions = true;
		break;
	case ARGP_KEY_ARGS:
		o->command = state->argv + state->next;
		break;
	case ARGP_KEY_END:
		check(o, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

void options__parse(struct options *o, int argc, char **argv)
{
	static const struct argp argp = {argp_options, parse, "[-- COMMAND [ARG...]]", doc, NULL,
					 NULL,	       NULL};

	*o = (struct options){.attach_mode = -1};
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, o);
	if (!o->format_count && !o->summary)
		o->formats[o->format_count++] = sink_find("text");
}

void options__free(struct options *o)
{
	free(o->pids);
}
