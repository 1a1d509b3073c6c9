// SPDX-License-Identifier: MIT
/*
 * Looks up what keys stand for, when they are met.
 */
#include "user/output/file_name_keys.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "user/base/output_file.h"
#include "user/base/procfs.h"

#define VALUE_SIZE 4096

struct expansion {
	FILE *out;
	const struct output_keys *keys;
	char *env; /* NAME=VALUE, each with its NUL; NULL: not read yet */
	size_t env_len;
	char *args; /* program and arguments, likewise */
	size_t args_len;
};

/* ---- what is read of the process ---- */

/* NULL: it is not set. */
static const char *variable(struct expansion *x, const char *name, size_t len)
{
	if (!x->env)
		x->env_len = procfs__read_all(x->keys->pid, "environ", &x->env);
	return x->env ? procfs__find_variable(x->env, x->env_len, name, len) : NULL;
}

/* A name that the process has chosen stays a name. */
static void put_name(struct expansion *x, const char *text)
{
	while (*text == '.' || *text == '/')
		text++;
	for (; *text; text++)
		fputc(*text == '/' || iscntrl((unsigned char)*text) ? '_' : *text, x->out);
}

static void put_first_set(struct expansion *x, const char *const names[], const char *otherwise)
{
	const char *value = NULL;

	for (size_t i = 0; names[i] && !value; i++)
		value = variable(x, names[i], strlen(names[i]));
	put_name(x, value ? value : otherwise);
}

/* A number of /proc/PID/stat, from 1. */
static long stat_number(const struct expansion *x, int n)
{
	long value = 0;
	char *text, *p;

	procfs__read_all(x->keys->pid, "stat", &text);
	p = text ? strrchr(text, ')') : NULL; /* its name may have anything in it */
	for (int i = 2; p && i < n; i++)
		p = strchr(p + 1, ' ');
	if (p)
		value = strtol(p + 1, NULL, 10);
	free(text);
	return value;
}

/* The arguments of a command that is yet to be started. */
static void join_command(struct expansion *x)
{
	FILE *f = open_memstream(&x->args, &x->args_len);

	if (!f)
		return;
	for (const char *const *arg = x->keys->command; *arg; arg++)
		fwrite(*arg, 1, strlen(*arg) + 1, f);
	if (fclose(f))
		x->args_len = 0;
}

/* The argument after `previous` (NULL: the program's name) of the process; NULL: there is none. */
static const char *next_argument(struct expansion *x, const char *previous)
{
	const char *next;

	if (!x->args && x->keys->command)
		join_command(x);
	else if (!x->args)
		x->args_len = procfs__read_all(x->keys->pid, "cmdline", &x->args);
	next = previous ? previous + strlen(previous) + 1 : x->args;
	return next && next < x->args + x->args_len ? next : NULL;
}

/* ---- keys ---- */

static void put_hostname(struct expansion *x)
{
	char host[256] = "localhost";

	gethostname(host, sizeof(host) - 1);
	fputs(host, x->out);
}

static void put_pid(struct expansion *x)
{
	fprintf(x->out, "%d", x->keys->pid);
}

static void put_ppid(struct expansion *x)
{
	fprintf(x->out, "%ld", stat_number(x, 4));
}

static void put_pgid(struct expansion *x)
{
	fprintf(x->out, "%ld", stat_number(x, 5));
}

static void put_psid(struct expansion *x)
{
	fprintf(x->out, "%ld", stat_number(x, 6));
}

static const char *const rank_names[] = {
	"SLURM_PROCID",	       "OMPI_COMM_WORLD_RANK", "PMIX_RANK",   "PMI_RANK", "MPI_RANKID",
	"MV2_COMM_WORLD_RANK", "FLUX_TASK_RANK",       "PALS_RANKID", NULL,
};

static void put_rank(struct expansion *x)
{
	put_first_set(x, rank_names, "0");
}

static void put_size(struct expansion *x)
{
	static const char *const names[] = {
		"SLURM_NTASKS",	       "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_NRANKS",
		"MV2_COMM_WORLD_SIZE", "FLUX_JOB_SIZE",	       NULL,
	};

	put_first_set(x, names, "1");
}

static void put_job(struct expansion *x)
{
	static const char *const names[] = {"SLURM_JOB_ID", "FLUX_JOB_ID", "PBS_JOBID", "LSB_JOBID",
					    NULL};

	put_first_set(x, names, "0");
}

/* The rank where there is one. */
static void put_nid(struct expansion *x)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", x->keys->pid);
	put_first_set(x, rank_names, pid);
}

static void put_cwd(struct expansion *x)
{
	char path[PROCFS_PATH], folder[PATH_MAX];
	ssize_t len;

	procfs__path(path, x->keys->pid, "cwd");
	len = readlink(path, folder, sizeof(folder));
	if (len > 0 && len < (ssize_t)sizeof(folder))
		fwrite(folder, 1, len, x->out);
	else
		fputc('.', x->out);
}

static void put_time(struct expansion *x, const char *format)
{
	time_t now = time(NULL);
	char text[64];
	struct tm tm;

	if (localtime_r(&now, &tm) && strftime(text, sizeof(text), format, &tm))
		fputs(text, x->out);
}

static void put_launch_time(struct expansion *x)
{
	put_time(x, "%F_%H.%M");
}

static void put_launch_date(struct expansion *x)
{
	put_time(x, "%F");
}

static void put_tag(struct expansion *x)
{
	const char *program = next_argument(x, NULL);
	const char *slash = program ? strrchr(program, '/') : NULL;

	if (program)
		put_name(x, slash ? slash + 1 : program);
}

static void put_args(struct expansion *x)
{
	const char *program = next_argument(x, NULL), *arg = program;

	while (arg && (arg = next_argument(x, arg))) {
		put_name(x, arg);
		if (next_argument(x, arg))
			fputc('_', x->out);
	}
}

static void put_argt(struct expansion *x)
{
	put_tag(x);
	put_args(x);
}

static const struct key {
	const char *name;
	void (*put)(struct expansion *x);
	char letter; /* %p is the same */
} all_keys[] = {
	{"hostname", put_hostname, 'h'},
	{"pid", put_pid, 'p'},
	{"ppid", put_ppid, 0},
	{"pgid", put_pgid, 0},
	{"psid", put_psid, 0},
	{"rank", put_rank, 'r'},
	{"size", put_size, 's'},
	{"job", put_job, 'j'},
	{"nid", put_nid, 0},
	{"cwd", put_cwd, 0},
	{"tag", put_tag, 0},
	{"launch_time", put_launch_time, 0},
	{"args", put_args, 0},
	{"launch_date", put_launch_date, 0},
	{"argt", put_argt, 0},
};

/* "%env{NAME}%" and "$env{NAME}"; its length, 0: it is neither. */
static size_t put_variable(struct expansion *x, const char *p)
{
	static const char begin[] = "env{";
	const size_t skip = 1 + sizeof(begin) - 1;
	const char *end, *value;

	if ((*p != '%' && *p != '$') || strncmp(p + 1, begin, sizeof(begin) - 1))
		return 0;
	end = strchr(p + skip, '}');
	if (!end || (*p == '%' && end[1] != '%'))
		return 0;
	value = variable(x, p + skip, end - p - skip);
	if (value)
		put_name(x, value);
	return end - p + 1 + (*p == '%');
}

/* Its length, 0: there is no key here. */
static size_t put_key(struct expansion *x, const char *p)
{
	const char close = *p == '{' ? '}' : '%';

	if (*p != '%' && *p != '{')
		return put_variable(x, p);
	for (size_t i = 0; i < sizeof(all_keys) / sizeof(all_keys[0]); i++) {
		const struct key *k = &all_keys[i];
		size_t len = strlen(k->name);

		if (strncmp(p + 1, k->name, len) || p[1 + len] != close)
			continue;
		k->put(x);
		return len + 2;
	}
	return put_variable(x, p);
}

/* rocprofv3's short forms, where what follows cannot be a longer name. */
static size_t put_letter(struct expansion *x, const char *p)
{
	if (*p != '%' || !p[1] || isalnum((unsigned char)p[2]) || p[2] == '%' || p[2] == '_')
		return 0;
	for (size_t i = 0; i < sizeof(all_keys) / sizeof(all_keys[0]); i++)
		if (all_keys[i].letter == p[1]) {
			all_keys[i].put(x);
			return 2;
		}
	return 0;
}

char *file_name_keys__expand(const char *pattern, const struct output_keys *keys)
{
	struct expansion x = {.keys = keys};
	char *text = NULL;
	size_t size, n;

	x.out = open_memstream(&text, &size);
	if (!x.out)
		return NULL;
	for (const char *p = pattern; *p; p += n) {
		n = put_key(&x, p);
		if (!n)
			n = put_letter(&x, p);
		if (!n) {
			fputc(*p, x.out);
			n = 1;
		}
	}
	free(x.env);
	free(x.args);
	if (fclose(x.out)) {
		free(text);
		return NULL;
	}
	return text;
}

int file_name_keys__make_folder(const char *path)
{
	char part[PATH_MAX];
	struct stat st;
	size_t len = strlen(path);
	int err;

	if (len >= sizeof(part))
		return -ENAMETOOLONG;
	for (size_t i = 1; i <= len; i++) {
		if (path[i] != '/' && path[i])
			continue;
		memcpy(part, path, i);
		part[i] = '\0';
		err = output_file__make_folder(part);
		if (err && err != -EEXIST)
			return err;
	}
	if (stat(path, &st))
		return -errno;
	return S_ISDIR(st.st_mode) ? 0 : -ENOTDIR;
}
