// SPDX-License-Identifier: MIT
/*
 * Looks at every process, without touching it: what it maps, and the state its agent reports.
 */
#include "user/cmd/ps_command.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/agent/agent_memory.h"
#include "user/api/functions.h"
#include "user/probe/installed_libraries.h"
#include "user/base/log.h"
#include "user/record/record_options.h"
#include "user/base/procfs.h"
#include "user/base/json_yajl.h"
#include "user/base/text_table.h"
#include "user/probe/targets.h"

static const char doc[] =
	"List the processes that have ROCm libraries mapped or linked in: whose they are, in which "
	"control group and pid namespace, which releases they use, and whether they have the "
	"agent, without which there are no GPU times.\v"
	"AGENT: dormant (it can be asked), recording for the tracer of that pid, off (it has "
	"switched itself off), other (of another version of rtrace), - (there is none).\n"
	"\n"
	"Exit status: 0, 1 on failure, 2 for a wrong command line.";

enum { OPT_JSON = 0x100 };

static const struct argp_option argp_options[] = {
	{"json", OPT_JSON, NULL, 0, "Write JSON", 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

struct ps {
	bool json;
	struct table *table;
	struct jsonout *out;
	struct functions *fns;
	size_t unseen; /* processes that could not be looked at */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct ps *ps = state->input;

	if (key == OPT_JSON)
		ps->json = true;
	else if (key == ARGP_KEY_ARG)
		argp_error(state, "'%s': too many arguments", arg);
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

/* ---- a process ---- */

struct found {
	pid_t pid, ns_pid;
	char user[32], comm[32], cgroup[512], cmdline[256], agent[32];
	struct installed libraries;
	bool linked_in; /* its program has them in itself */
};

static void put_user(struct found *f)
{
	const struct passwd *user;
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", f->pid);
	if (stat(path, &st))
		return;
	user = getpwuid(st.st_uid);
	if (user)
		snprintf(f->user, sizeof(f->user), "%s", user->pw_name);
	else
		snprintf(f->user, sizeof(f->user), "%u", st.st_uid);
}

static void put_agent(struct found *f)
{
	static const char *const words[] = {
		[AGENT_ABSENT] = "-", [AGENT_DORMANT] = "dormant", [AGENT_RECORDING] = "recording",
		[AGENT_OFF] = "off",  [AGENT_OTHER] = "other",
	};
	pid_t tracer;
	enum agent_presence presence = agent_memory__peek(f->pid, &tracer);

	if (presence == AGENT_RECORDING && tracer > 0)
		snprintf(f->agent, sizeof(f->agent), "recording for %d", tracer);
	else
		snprintf(f->agent, sizeof(f->agent), "%s", words[presence]);
}

static void put_line(struct ps *ps, const struct found *f)
{
	char names[512] = "", name[256];
	size_t len = 0;

	for (size_t i = 0; i < f->libraries.count && len < sizeof(names); i++) {
		procfs__basename(f->libraries.files[i].path, name, sizeof(name));
		len += snprintf(names + len, sizeof(names) - len, "%s%s", i ? " " : "", name);
	}
	if (f->linked_in)
		snprintf(names, sizeof(names), "(linked in)");
	text_table__put(ps->table, "%d", f->pid);
	if (f->ns_pid)
		text_table__put(ps->table, "%d", f->ns_pid);
	else
		text_table__put(ps->table, "-");
	text_table__put(ps->table, "%s", f->user);
	text_table__put(ps->table, "%s", f->agent);
	text_table__put(ps->table, "%s", f->comm);
	text_table__put(ps->table, "%s", names);
	text_table__put(ps->table, "%s", f->cgroup);
}

static void put_object(struct ps *ps, const struct found *f)
{
	json_yajl__open_map(ps->out, NULL);
	json_yajl__i64(ps->out, "pid", f->pid);
	if (f->ns_pid)
		json_yajl__i64(ps->out, "ns_pid", f->ns_pid);
	json_yajl__string(ps->out, "user", f->user);
	json_yajl__string(ps->out, "agent", f->agent);
	json_yajl__string(ps->out, "comm", f->comm);
	json_yajl__string(ps->out, "cmdline", f->cmdline);
	json_yajl__string(ps->out, "cgroup", f->cgroup);
	json_yajl__open_array(ps->out, "libraries");
	for (size_t i = 0; i < f->libraries.count; i++)
		json_yajl__string(ps->out, NULL, f->libraries.files[i].path);
	json_yajl__close_array(ps->out);
	json_yajl__bool(ps->out, "linked_in", f->linked_in);
	json_yajl__close_map(ps->out);
}

static int look(pid_t pid, void *arg)
{
	struct found f = {.pid = pid};
	struct ps *ps = arg;
	int n = installed_libraries__add_process(&f.libraries, pid);

	if (n == -EACCES || n == -EPERM)
		ps->unseen++;
	f.linked_in = !n && targets__count(ps->fns, pid) > 0;
	if (n > 0 || f.linked_in) {
		put_user(&f);
		put_agent(&f);
		f.ns_pid = procfs__ns_pid(pid);
		procfs__comm(pid, f.comm, sizeof(f.comm));
		procfs__cmdline(pid, f.cmdline, sizeof(f.cmdline));
		procfs__cgroup(pid, f.cgroup, sizeof(f.cgroup));
		if (ps->json)
			put_object(ps, &f);
		else
			put_line(ps, &f);
	}
	installed_libraries__free(&f.libraries);
	return 0;
}

/* ---- all ---- */

static int list_table(struct ps *ps)
{
	static const struct table_column columns[] = {
		{"PID", 0},
		{"NS PID", 0},
		{"USER", COLUMN_WORD},
		{"AGENT", COLUMN_WORD},
		{"COMMAND", COLUMN_WORD},
		{"LIBRARIES", COLUMN_WORD},
		{"CGROUP", COLUMN_TEXT},
	};
	int err, printed;

	ps->table = text_table__new(stdout, UNIT_FITTING, columns,
				    sizeof(columns) / sizeof(columns[0]));
	err = procfs__processes(look, ps);
	printed = text_table__print(ps->table, NULL, 0);
	return err ? err : printed;
}

static int list_json(struct ps *ps)
{
	int err, written;

	ps->out = json_yajl__new(stdout, JSONOUT_LINES);
	if (!ps->out)
		return -ENOMEM;
	json_yajl__open_array(ps->out, NULL);
	err = procfs__processes(look, ps);
	json_yajl__close_array(ps->out);
	written = json_yajl__close(ps->out);
	putchar('\n');
	return err ? err : written;
}

static int list(struct ps *ps)
{
	struct selection all;
	int err;

	selection__all(&all);
	ps->fns = functions__new(&all);
	if (!ps->fns)
		return -ENOMEM;
	err = ps->json ? list_json(ps) : list_table(ps);
	functions__free(ps->fns);
	return err;
}

int ps_command__main(int argc, char **argv)
{
	static const struct argp argp = {argp_options, parse, NULL, doc, NULL, NULL, NULL};
	struct ps ps = {};
	int err;

	argp_err_exit_status = EXIT_USAGE;
	argv[0] = "rtrace-bpf ps";
	if (argp_parse(&argp, argc, argv, 0, NULL, &ps))
		return 1;
	err = list(&ps);
	if (!err && (fflush(stdout) || ferror(stdout)))
		err = -(errno ? errno : EIO);
	if (err)
		log_err("ps: %s", strerror(-err));
	if (ps.unseen)
		log_warn("processes that could not be looked at: %zu%s", ps.unseen,
			 geteuid() ? " (run it as root)" : "");
	return err ? 1 : 0;
}
