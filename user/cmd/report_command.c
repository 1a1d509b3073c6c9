// SPDX-License-Identifier: MIT
/*
 * rtrace-bpf report: the command line, and where the report goes.
 */
#include "user/cmd/report_command.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/log.h"
#include "user/record/record_options.h"
#include "user/base/output_file.h"
#include "user/report/report_options.h"

#define ROWS_USUAL 20
#define ROWS_MAX   1000000000

static const char doc[] =
	"Say what a recording of rtrace-bpf (-f rtrace) tells of the time: top kernels, API calls "
	"and copies, how busy each GPU was and why it was idle, launch latencies, calls that "
	"waited or failed, memory that was not freed.\v"
	"Examples:\n"
	"  rtrace-bpf report job.rtrace\n"
	"  rtrace-bpf report -n 5 -u usec job.rtrace\n"
	"  rtrace-bpf report --group-by roctx --kernel-rename job.rtrace\n"
	"  rtrace-bpf report --summary-groups 'KERNEL_DISPATCH|MEMORY_COPY' job.rtrace\n"
	"  rtrace-bpf report --json job.rtrace | jq '.gpus[] | .kernels_ns / .observed_ns'\n"
	"  rtrace-bpf report --diff before.rtrace after.rtrace\n"
	"\n"
	"Domains: HIP_API, HSA_API, KFD_API, ROCTX_API, ROCTRACER_API, KERNEL_DISPATCH, "
	"MEMORY_COPY, MEMORY_ALLOCATION, SCRATCH_MEMORY, MARKER_API (roctx ranges).\n"
	"\n"
	"Exit status: 0, 1 if a recording cannot be read or the report not be written, 2 for a "
	"wrong command line.";

enum {
	OPT_JSON = 0x100,
	OPT_DIFF,
	OPT_GROUP_BY,
	OPT_KERNEL_RENAME,
	OPT_SUMMARY_GROUPS,
};

static const struct argp_option argp_options[] = {
	{"rows", 'n', "N", 0, "Lines of each table; 0: all. Default: 20, with --json all", 0},
	{"summary-units", 'u', "UNIT", 0,
	 "Times in sec, msec, usec or nsec. Default: what fits each", 0},
	{"summary-per-domain", 'D', NULL, 0, "Also a summary of each domain", 0},
	{"summary-groups", OPT_SUMMARY_GROUPS, "REGEX", 0,
	 "Also a summary of all domains whose names match (repeatable)", 0},
	{"group-by", OPT_GROUP_BY, "roctx", 0, "Also what lies in the roctx ranges of each message",
	 0},
	{"kernel-rename", OPT_KERNEL_RENAME, NULL, 0,
	 "Name kernels by the innermost roctx range around their launch", 0},
	{"diff", OPT_DIFF, NULL, 0, "Compare two recordings", 0},
	{"json", OPT_JSON, NULL, 0, "For programs; times in ns", 0},
	{"output", 'o', "FILE", 0, "Write there; -: stdout (default)", 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

struct report {
	struct report_options options;
	bool rows_given, diff, kernel_rename;
	const char *output;
	const char **paths;
	size_t path_count;
};

/* ---- the command line ---- */

static enum table_unit parse_unit(const char *text, struct argp_state *state)
{
	enum table_unit unit = UNIT_NSEC;

	while (unit < UNIT_COUNT && strcmp(table_units[unit], text))
		unit++;
	if (unit == UNIT_COUNT)
		argp_error(state, "-u: unknown unit '%s' (sec, msec, usec, nsec)", text);
	return unit;
}

static size_t parse_rows(const char *text, struct argp_state *state)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	if (errno || end == text || *end || n < 0 || n > ROWS_MAX)
		argp_error(state, "-n: '%s' is not a number from 0 to %d", text, ROWS_MAX);
	return n;
}

/* As in rocprofv3 all of the domain's name is to match. */
static void add_group(struct report_options *o, const char *text, struct argp_state *state)
{
	regex_t *regex = &o->groups[o->group_count];
	char *whole;
	int err;

	if (o->group_count == REPORT_GROUPS_MAX)
		argp_error(state, "--summary-groups: %d at most", REPORT_GROUPS_MAX);
	if (asprintf(&whole, "^(%s)$", text) < 0)
		argp_failure(state, 1, ENOMEM, "--summary-groups");
	err = regcomp(regex, whole, REG_EXTENDED | REG_NOSUB);
	free(whole);
	if (err)
		argp_error(state, "--summary-groups: '%s' is no regular expression", text);
	if (!report_options__group_domains(regex))
		argp_error(state, "--summary-groups: '%s' matches no domain", text);
	o->group_count++;
}

static void check(const struct report *r, struct argp_state *state)
{
	const struct report_options *o = &r->options;

	if (!r->path_count)
		argp_error(state, r->diff ? "--diff: which recordings?" : "which recording?");
	if (r->diff && r->path_count != 2)
		argp_error(state, "--diff: two recordings");
	if (r->diff && (o->by_roctx || o->per_domain || o->group_count))
		argp_error(state, "--diff has no summaries and no phases");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report *r = state->input;

	switch (key) {
	case 'n':
		r->options.rows = parse_rows(arg, state);
		r->rows_given = true;
		return 0;
	case 'u':
		r->options.unit = parse_unit(arg, state);
		return 0;
	case 'D':
		r->options.per_domain = true;
		return 0;
	case 'o':
		r->output = arg;
		return 0;
	case OPT_SUMMARY_GROUPS:
		add_group(&r->options, arg, state);
		return 0;
	case OPT_GROUP_BY:
		if (strcmp(arg, "roctx"))
			argp_error(state, "--group-by: unknown '%s' (roctx)", arg);
		r->options.by_roctx = true;
		return 0;
	case OPT_KERNEL_RENAME:
		r->kernel_rename = true;
		return 0;
	case OPT_DIFF:
		r->diff = true;
		return 0;
	case OPT_JSON:
		r->options.json = true;
		return 0;
	case ARGP_KEY_ARG:
		r->paths[r->path_count++] = arg;
		return 0;
	case ARGP_KEY_END:
		check(r, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- reading and writing ---- */

/* NULL: it failed, which is logged. */
static struct analysis *analyse(const struct report *r, const char *const *paths, size_t count)
{
	struct recording *recording = recording_reader__open_files(paths, count);
	struct analysis *a = recording ? analysis__new(paths[count - 1], r->kernel_rename) : NULL;
	int err = 0;

	if (recording && !a)
		log_err("%s: %s", paths[0], strerror(ENOMEM));
	if (a)
		err = analysis__read(a, recording);
	recording_reader__close(recording);
	if (!err)
		return a;
	analysis__free(a);
	return NULL;
}

static int write_report(const struct report *r, FILE *out, struct analysis *const a[2])
{
	const struct report_options *o = &r->options;
	int err;

	if (r->diff && o->json)
		err = report_diff__write_json(out, a[0], a[1], o);
	else if (r->diff)
		err = report_diff__write(out, a[0], a[1], o);
	else if (o->json)
		err = report_json__write(out, a[0], o);
	else
		err = report_text__write(out, a[0], o);
	if (!err && (fflush(out) || ferror(out)))
		err = errno ? -errno : -EIO;
	return err;
}

static int write_out(const struct report *r, struct analysis *const a[2])
{
	bool to_stdout = !r->output || !strcmp(r->output, "-");
	FILE *out = to_stdout ? stdout : output_file__open(r->output);
	int err = out ? write_report(r, out, a) : -errno;

	if (out && !to_stdout && fclose(out) && !err)
		err = -errno;
	if (err)
		log_err("output: %s: %s", to_stdout ? "standard output" : r->output,
			strerror(-err));
	return err;
}

static int run(const struct report *r)
{
	const size_t count = r->diff ? 1 : r->path_count; /* files of a recording */
	struct analysis *a[2] = {};
	int err = 0;

	for (size_t i = 0; i < r->path_count && !err; i++)
		if (r->output && output_file__is_same(r->output, r->paths[i])) {
			log_err("output: %s: this is the recording", r->output);
			err = -EINVAL;
		}
	for (size_t i = 0; i * count < r->path_count && !err; i++) {
		a[i] = analyse(r, r->paths + i * count, count);
		err = a[i] ? 0 : -EINVAL; /* which was logged */
	}
	if (!err)
		err = write_out(r, a);
	analysis__free(a[0]);
	analysis__free(a[1]);
	return err;
}

int report_command__main(int argc, char **argv)
{
	static const struct argp argp = {
		argp_options, parse, "RECORDING...\n--diff RECORDING RECORDING", doc, NULL,
		NULL,	      NULL};
	struct report r = {.paths = calloc(argc, sizeof(*r.paths))};
	int err;

	if (!r.paths)
		return 1;
	argp_err_exit_status = EXIT_USAGE;
	argv[0] = "rtrace-bpf report";
	if (argp_parse(&argp, argc, argv, 0, NULL, &r))
		return 1;
	if (!r.rows_given && !r.options.json)
		r.options.rows = ROWS_USUAL;
	err = run(&r);
	for (size_t i = 0; i < r.options.group_count; i++)
		regfree(&r.options.groups[i]);
	free(r.paths);
	return err ? 1 : 0;
}
