// SPDX-License-Identifier: MIT
/*
 * Prints what a program inherits from its parent, one fact a line: to be compared with what the
 * same program says that is started in another way.
 *
 *   state FILE
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/mempolicy.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

extern char **environ;

static FILE *out;

/* Of its own life, not from its parent. */
static const char *const own[] = {
	"Name:",   "State:",	 "Tgid:",  "Ngid:", "Pid:",	  "PPid:",
	"NStgid:", "NSpid:",	 "Vm",	   "Rss",   "Threads:",	  "SigQ:",
	"Huge",	   "voluntary_", "nonvol", "THP_",  "x86_Thread", "FDSize:",
};

static int is_own(const char *line)
{
	for (size_t i = 0; i < COUNT(own); i++)
		if (!strncmp(line, own[i], strlen(own[i])))
			return 1;
	return 0;
}

static void put_file(const char *path)
{
	char line[65536];
	FILE *f = fopen(path, "re");

	while (f && fgets(line, sizeof(line), f))
		if (!is_own(line))
			fprintf(out, "%s %s", path, line);
	if (f)
		fclose(f);
	fprintf(out, "\n");
}

static void put_link(const char *path)
{
	char target[4096];
	ssize_t n = readlink(path, target, sizeof(target));

	fprintf(out, "%s -> %.*s\n", path, n < 0 ? 0 : (int)n, target);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return atoi((*a)->d_name) - atoi((*b)->d_name);
}

static void put_links(const char *folder)
{
	struct dirent **entries;
	char path[4096];
	int n = scandir(folder, &entries, NULL, by_name);

	for (int i = 0; i < n; i++) {
		int fd = atoi(entries[i]->d_name);

		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		/* Neither the file that is written here nor the folder that was read. */
		if (!strcmp(folder, "/proc/self/fd") &&
		    (fd == fileno(out) || fcntl(fd, F_GETFD) < 0))
			continue;
		if (entries[i]->d_name[0] != '.')
			put_link(path);
		if (!strcmp(folder, "/proc/self/fd") && entries[i]->d_name[0] != '.')
			fprintf(out, "fd %d: flags %x %x\n", fd, fcntl(fd, F_GETFD),
				fcntl(fd, F_GETFL));
	}
}

/* Group, session, terminal and its group; niceness and policy. */
static void put_stat(void)
{
	static const int fields[] = {5, 6, 7, 8, 18, 19, 40, 41};
	char text[4096] = "", *word;
	FILE *f = fopen("/proc/self/stat", "re");
	size_t n = fread(text, 1, sizeof(text) - 1, f);

	fclose(f);
	text[n] = '\0';
	word = strtok(strrchr(text, ')') + 2, " ");
	for (int field = 3; word; field++, word = strtok(NULL, " "))
		for (size_t i = 0; i < COUNT(fields); i++)
			if (fields[i] == field)
				fprintf(out, "stat %d %s\n", field, word);
}

static void put_prctl(const char *name, int option)
{
	int value = 0;

	prctl(option, &value);
	fprintf(out, "%s %d\n", name, value);
}

static void put_timers(void)
{
	static const int timers[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
	struct itimerval t;

	for (size_t i = 0; i < COUNT(timers); i++) {
		getitimer(timers[i], &t);
		fprintf(out, "timer %zu %s, every %ld s\n", i,
			timerisset(&t.it_value) ? "on" : "off", (long)t.it_interval.tv_sec);
	}
}

static void put_scheduling(void)
{
	uint64_t attr[16] = {}, nodes[16] = {};
	int policy = -1;

	syscall(SYS_sched_getattr, 0, attr, sizeof(attr), 0);
	for (size_t i = 0; i < 7; i++)
		fprintf(out, "sched_attr %zu %llx\n", i, (unsigned long long)attr[i]);
	fprintf(out, "ioprio %ld\n", syscall(SYS_ioprio_get, 1, 0));
	syscall(SYS_get_mempolicy, &policy, nodes, 64 * COUNT(nodes), NULL, 0);
	fprintf(out, "mempolicy %d %llx\n", policy, (unsigned long long)nodes[0]);
}

int main(int argc, char **argv)
{
	static const char *const files[] = {
		"status",      "limits",	 "oom_score_adj", "coredump_filter",
		"personality", "timerslack_ns",	 "cgroup",	  "loginuid",
		"sessionid",   "timens_offsets", "uid_map",	  "gid_map",
	};
	char path[64];

	out = argc == 2 ? fopen(argv[1], "we") : NULL;
	if (!out)
		return 2;
	for (size_t i = 0; i < COUNT(files); i++) {
		snprintf(path, sizeof(path), "/proc/self/%s", files[i]);
		put_file(path);
	}
	put_links("/proc/self/fd");
	put_links("/proc/self/ns");
	put_link("/proc/self/cwd");
	put_link("/proc/self/root");
	put_stat();
	put_scheduling();
	put_timers();
	put_prctl("PDEATHSIG", PR_GET_PDEATHSIG);
	put_prctl("CHILD_SUBREAPER", PR_GET_CHILD_SUBREAPER);
	fprintf(out, "SECUREBITS %d\n", prctl(PR_GET_SECUREBITS));
	fprintf(out, "THP_DISABLE %d\n", prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0));
	fprintf(out, "IO_FLUSHER %d\n", prctl(PR_GET_IO_FLUSHER, 0, 0, 0, 0));
	fprintf(out, "MCE_KILL %d\n", prctl(PR_MCE_KILL_GET, 0, 0, 0, 0));
	for (char **e = environ; *e; e++)
		fprintf(out, "env %s\n", *e);
	return fclose(out) ? 2 : 0;
}
