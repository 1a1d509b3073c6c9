// SPDX-License-Identifier: MIT
/*
 * The command line of rtrace-bpf doctor.
 */
#include "user/cmd/doctor_command.h"

#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/log.h"
#include "user/record/record_options.h"

static const char doc[] =
	"Say whether this machine can be traced, and what to do if not; with --probes, how each "
	"function of its ROCm libraries is probed.\v"
	"Examples:\n"
	"  rtrace-bpf doctor                       what works here\n"
	"  rtrace-bpf doctor --probes              the libraries that are installed\n"
	"  rtrace-bpf doctor --probes -p 1234      those of a running process\n"
	"  rtrace-bpf doctor --probes ./libamdhip64.so.6\n"
	"  rtrace-bpf doctor --probes --json | jq '.libraries[].counts'\n"
	"\n"
	"How a function is probed: nop5 (a call, no trap; only where forked children survive it), "
	"emulated (a trap), single-stepped (two traps: some ten times as dear), skipped (not "
	"traced). PLACE is where in the function the probe sits.\n"
	"\n"
	"Exit status: 0, 1 if tracing is impossible or a library cannot be read, 2 for a wrong "
	"command line.";

enum { OPT_PROBES = 0x100, OPT_JSON };

static const struct argp_option argp_options[] = {
	{"probes", OPT_PROBES, NULL, 0, "How functions are probed", 0},
	{"pid", 'p', "PID", 0, "With --probes: the libraries of that process (repeatable)", 0},
	{"json", OPT_JSON, NULL, 0, "Write JSON", 0},
	{"verbose", 'v', NULL, 0, "Say what is done; -vv: details", 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

struct doctor {
	bool probes, json, named;
	struct installed libraries;
};

static void add_process(struct doctor *d, const char *arg, struct argp_state *state)
{
	char *end;
	long pid;
	int n;

	errno = 0;
	pid = strtol(arg, &end, 10);
	if (errno || end == arg || *end || pid < 1 || pid > INT_MAX)
		argp_error(state, "--pid: '%s' is not a process id", arg);
	n = installed_libraries__add_process(&d->libraries, pid);
	if (n < 0)
		argp_failure(state, 1, -n, "process %ld", pid);
	if (!n)
		argp_failure(state, 1, 0, "process %ld: maps no ROCm library", pid);
	d->named = true;
}

static void add_file(struct doctor *d, const char *path, struct argp_state *state)
{
	int err = installed_libraries__add_file(&d->libraries, path);

	if (err)
		argp_failure(state, 1, -err, "%s", path);
	d->named = true;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct doctor *d = state->input;

	switch (key) {
	case OPT_PROBES:
		d->probes = true;
		return 0;
	case OPT_JSON:
		d->json = true;
		return 0;
	case 'p':
		add_process(d, arg, state);
		return 0;
	case 'v':
		log_level++;
		return 0;
	case ARGP_KEY_ARG:
		add_file(d, arg, state);
		return 0;
	case ARGP_KEY_END:
		if (d->named && !d->probes)
			argp_error(state, "-p and files go with --probes");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int doctor_command__main(int argc, char **argv)
{
	static const struct argp argp = {argp_options, parse, "[FILE...]", doc, NULL, NULL, NULL};
	struct doctor d = {};
	int status = 1;

	argp_err_exit_status = EXIT_USAGE;
	argv[0] = "rtrace-bpf doctor";
	if (argp_parse(&argp, argc, argv, 0, NULL, &d))
		return 1;
	if (!d.probes) {
		status = doctor_command__check(stdout, d.json);
	} else if (!d.named && installed_libraries__add_all(&d.libraries)) {
		log_err("doctor: %s", strerror(ENOMEM));
	} else if (!d.libraries.count) {
		log_err("doctor: no ROCm library is installed where the loader looks; name a file");
	} else {
		status = doctor_command__probes(stdout, &d.libraries, d.json);
	}
	installed_libraries__free(&d.libraries);
	if (fflush(stdout) || ferror(stdout)) {
		log_err("doctor: write: %s", strerror(errno));
		status = 1;
	}
	return status;
}
