// SPDX-License-Identifier: MIT
/*
 * Reads /proc: mappings, names, process lists.
 */
#include "user/base/procfs.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "user/base/control_group.h"

/* Of /proc/PID/stat: its size; the 22nd field, from the third on. */
#define STAT_MAX 512
#define START_TIME                                                 \
	"%*c" /* 4 to 21 */ " %*s %*s %*s %*s %*s %*s %*s %*s %*s" \
	" %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu64

#define READ_MAX	       (1u << 20) /* bytes of a file */
#define INITIAL_TIME_NAMESPACE 0xEFFFFFFA /* PROC_TIME_INIT_INO of the kernel */

bool procfs__parse_mapping(char *line, struct mapping *m)
{
	char perms[5] = "";
	int path_at = 0;
	char *newline;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*x:%*x %*u %n", &m->start,
		   &m->end, perms, &m->offset, &path_at) != 4 ||
	    m->end <= m->start)
		return false;
	newline = strchr(line, '\n');
	if (newline)
		*newline = '\0';
	m->exec = perms[2] == 'x';
	m->path = path_at ? line + path_at : "";
	return true;
}

/* ---- which thread is asked ---- */

static ssize_t read_file(const char *path, char *buf, size_t size)
{
	ssize_t n;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return -errno;
	buf[n] = '\0';
	return n;
}

/*
 * What /proc/TID/stat has from the state on, in `text`; "": there is no such thread. The name in
 * parentheses before it may hold anything.
 */
static const char *read_stat(pid_t tid, char text[STAT_MAX])
{
	char path[PROCFS_PATH];
	const char *name_end;

	snprintf(path, sizeof(path), "/proc/%d/stat", tid);
	if (read_file(path, text, STAT_MAX) <= 0)
		return "";
	name_end = strrchr(text, ')');
	return name_end && name_end[1] == ' ' ? name_end + 2 : "";
}

/* 0: there is none. */
static char thread_state(pid_t tid)
{
	char text[STAT_MAX];

	return *read_stat(tid, text);
}

uint64_t procfs__started_ns(pid_t pid)
{
	char text[STAT_MAX];
	const char *stat = read_stat(pid, text);
	uint64_t ticks;

	if (sscanf(stat, START_TIME, &ticks) != 1)
		return 0;
	return ticks * (1000000000ULL / sysconf(_SC_CLK_TCK));
}

static bool thread_lives(pid_t tid)
{
	char state = thread_state(tid);

	return state && !strchr("ZXx", state);
}

bool procfs__is_stopped(pid_t pid)
{
	char path[PROCFS_PATH];
	struct dirent *entry;
	bool stopped = true;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	while (dir && stopped && (entry = readdir(dir)))
		stopped = !strchr("RS", thread_state(atoi(entry->d_name)) ?: 'X');
	if (dir)
		closedir(dir);
	return stopped;
}

bool procfs__is_suspended(pid_t pid)
{
	return strchr("Tt", thread_state(procfs__living(pid)) ?: 'X');
}

pid_t procfs__living(pid_t pid)
{
	struct dirent *entry;
	pid_t living = pid;
	char path[PROCFS_PATH];
	DIR *dir;

	if (thread_lives(pid))
		return pid;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return pid;
	while (living == pid && (entry = readdir(dir))) {
		int tid = atoi(entry->d_name);

		if (tid > 0 && tid != pid && thread_lives(tid))
			living = tid;
	}
	closedir(dir);
	return living;
}

pid_t procfs__process_of(pid_t tid)
{
	static const char key[] = "\nTgid:";
	char path[PROCFS_PATH], text[4096];
	const char *line;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	line = read_file(path, text, sizeof(text)) > 0 ? strstr(text, key) : NULL;
	return line ? atoi(line + strlen(key)) : 0;
}

void procfs__path(char path[PROCFS_PATH], pid_t pid, const char *name)
{
	snprintf(path, PROCFS_PATH, "/proc/%d/%s", procfs__living(pid), name);
}

size_t procfs__read_all(pid_t pid, const char *name, char **text)
{
	char path[PROCFS_PATH];
	size_t len = 0;
	FILE *f;

	procfs__path(path, pid, name);
	*text = malloc(READ_MAX + 1);
	f = *text ? fopen(path, "re") : NULL;
	if (f) {
		len = fread(*text, 1, READ_MAX, f);
		fclose(f);
	}
	if (*text)
		(*text)[len] = '\0';
	return len;
}

/* ---- what it has mapped and opened ---- */

int procfs__mappings(pid_t pid, int (*fn)(const struct mapping *, void *arg), void *arg)
{
	char path[PROCFS_PATH], *line = NULL;
	struct mapping m;
	size_t size = 0;
	int err = 0;
	FILE *f;

	procfs__path(path, pid, "maps");
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (!err && getline(&line, &size, f) > 0)
		if (procfs__parse_mapping(line, &m))
			err = fn(&m, arg);
	free(line);
	fclose(f);
	return err;
}

int procfs__open_mapping(pid_t pid, const struct mapping *m, int flags)
{
	char path[PROCFS_PATH], name[64];
	int fd;

	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, m->start, m->end);
	procfs__path(path, pid, name);
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int open_regular(const char *name, int flags)
{
	int at = open(name, O_PATH | O_CLOEXEC), fd; /* never blocks, whatever it is */
	char path[64];
	struct stat st;

	if (at < 0)
		return -errno;
	if (fstat(at, &st) || !S_ISREG(st.st_mode)) {
		close(at);
		return -EINVAL;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", at);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	close(at);
	return fd;
}

int procfs__open_regular(const char *path)
{
	return open_regular(path, O_RDONLY);
}

int procfs__open_fd(pid_t pid, int fd, int flags)
{
	char path[PROCFS_PATH], name[32];

	snprintf(name, sizeof(name), "fd/%d", fd);
	procfs__path(path, pid, name);
	fd = open_regular(path, flags);
	return fd == -ENOENT || fd == -ESRCH ? -EBADF : fd;
}

int procfs__processes(int (*fn)(pid_t pid, void *arg), void *arg)
{
	struct dirent *entry;
	int err = 0;
	DIR *dir;

	dir = opendir("/proc");
	if (!dir)
		return -errno;
	while (!err && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			err = fn(atoi(entry->d_name), arg);
	closedir(dir);
	return err;
}

static void read_comm(const char *path, char *buf, size_t size)
{
	if (read_file(path, buf, size) <= 0)
		snprintf(buf, size, "?");
	buf[strcspn(buf, "\n")] = '\0';
}

void procfs__comm(pid_t pid, char *buf, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	read_comm(path, buf, size);
}

void procfs__thread_comm(pid_t pid, pid_t tid, char *buf, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	read_comm(path, buf, size);
}

void procfs__cmdline(pid_t pid, char *buf, size_t size)
{
	char path[PROCFS_PATH];
	ssize_t n;

	procfs__path(path, pid, "cmdline");
	n = read_file(path, buf, size);
	if (n > 0 && (size_t)n == size - 1)
		procfs__mark_cut(buf, n);
	procfs__join_arguments(buf, n > 0 ? n : 0);
}

void procfs__mark_cut(char *args, size_t size)
{
	static const char mark[] = "...";
	size_t len = strlen(mark);

	if (size > len && args[size - 1])
		memcpy(args + size - len, mark, len);
}

void procfs__join_arguments(char *args, size_t size)
{
	while (size && !args[size - 1])
		size--;
	args[size] = '\0';
	for (size_t i = 0; i < size; i++)
		if (!args[i])
			args[i] = ' ';
}

static void read_groups(const char *process, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/cgroup", process);
	if (read_file(path, text, size) <= 0)
		*text = '\0';
}

void procfs__cgroup(pid_t pid, char *buf, size_t size)
{
	char groups[8192], own[8192], process[16];

	snprintf(process, sizeof(process), "%d", pid);
	read_groups(process, groups, sizeof(groups));
	read_groups("self", own, sizeof(own));
	control_group__choose(groups, own, buf, size);
}

/* The last of the ids in a status file, if there are several: that in the innermost namespace. */
static pid_t innermost_id(const char *path)
{
	char text[8192], *line, *save, *word;
	int ids = 0, last = 0;

	if (read_file(path, text, sizeof(text)) <= 0)
		return 0;
	line = strstr(text, "\nNSpid:");
	if (!line)
		return 0;
	line += strlen("\nNSpid:");
	line[strcspn(line, "\n")] = '\0';
	for (word = strtok_r(line, "\t ", &save); word; word = strtok_r(NULL, "\t ", &save)) {
		last = atoi(word);
		ids++;
	}
	return ids > 1 ? last : 0;
}

pid_t procfs__ns_pid(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	return innermost_id(path);
}

pid_t procfs__tid_by_ns_tid(pid_t pid, pid_t ns_tid)
{
	struct dirent *entry;
	char path[64];
	pid_t tid = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (!dir)
		return 0;
	while (!tid && (entry = readdir(dir))) {
		int id = atoi(entry->d_name);

		snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, id);
		if (id > 0 && innermost_id(path) == ns_tid)
			tid = id;
	}
	closedir(dir);
	return tid;
}

/* Lines like "boottime  3600  0": seconds and nanoseconds. */
static bool has_offset(const char *offsets, const char *clock)
{
	const char *line = strstr(offsets, clock);
	long s = 0, ns = 0;

	return line && sscanf(line + strlen(clock), "%ld %ld", &s, &ns) == 2 && (s || ns);
}

bool procfs__has_own_clock(pid_t pid)
{
	char path[PROCFS_PATH], offsets[256];
	struct stat st;

	procfs__path(path, pid, "ns/time");
	if (stat(path, &st) || st.st_ino == INITIAL_TIME_NAMESPACE)
		return false;
	procfs__path(path, pid, "timens_offsets");
	return read_file(path, offsets, sizeof(offsets)) > 0 &&
	       (has_offset(offsets, "monotonic") || has_offset(offsets, "boottime"));
}

ssize_t procfs__read_memory(pid_t pid, uint64_t address, void *buf, size_t size)
{
	size_t to_page_end = 4096 - (address & 4095), done = 0;
	ssize_t n;

	/* Page by page: a read that crosses into an unmapped page fails as a whole. */
	while (done < size) {
		size_t chunk = size - done < to_page_end ? size - done : to_page_end;
		struct iovec local = {(char *)buf + done, chunk};
		struct iovec remote = {(void *)(uintptr_t)(address + done), chunk};

		n = process_vm_readv(pid, &local, 1, &remote, 1, 0);
		if (n < 0 && errno == ESRCH) { /* its first thread has ended, perhaps */
			pid = procfs__living(pid);
			n = process_vm_readv(pid, &local, 1, &remote, 1, 0);
		}
		if (n <= 0)
			return done ? (ssize_t)done : -errno;
		done += n;
		to_page_end = 4096;
	}
	return done;
}

/* ---- how it was started ---- */

const char *procfs__find_variable(const char *env, size_t len, const char *name, size_t name_len)
{
	for (const char *p = env; p < env + len; p += strlen(p) + 1)
		if (!strncmp(p, name, name_len) && p[name_len] == '=')
			return p + name_len + 1;
	return NULL;
}

int procfs__variable(pid_t pid, const char *name, char *buf, size_t size)
{
	const char *value;
	char *env;
	size_t len = procfs__read_all(pid, "environ", &env);

	/* The environment may be empty, and the process may have ended. */
	if (!env || (!len && !thread_lives(procfs__living(pid)))) {
		free(env);
		return -1;
	}
	value = procfs__find_variable(env, len, name, strlen(name));
	if (value)
		snprintf(buf, size, "%s", value);
	free(env);
	return value ? 1 : 0;
}

bool procfs__is_secure(pid_t pid)
{
	char *text;
	size_t len = procfs__read_all(pid, "auxv", &text);
	bool secure = false;

	for (size_t i = 0; i + sizeof(Elf64_auxv_t) <= len; i += sizeof(Elf64_auxv_t)) {
		Elf64_auxv_t entry;

		memcpy(&entry, text + i, sizeof(entry));
		if (entry.a_type == AT_SECURE)
			secure = entry.a_un.a_val;
	}
	free(text);
	return secure;
}

/* The folders that lead there are not looked at. */
bool procfs__has_file(pid_t pid, const char *file)
{
	char path[PATH_MAX];
	struct stat own, st;

	if (snprintf(path, sizeof(path), "/proc/%d/root%s", procfs__living(pid), file) >=
		    (int)sizeof(path) ||
	    stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (stat(path, &own) || !own.st_uid)
		return true;
	return st.st_mode & (st.st_uid == own.st_uid ? S_IRUSR : S_IRGRP | S_IROTH);
}

void procfs__basename(const char *path, char *buf, size_t size)
{
	static const char deleted[] = " (deleted)";
	const char *slash = strrchr(path, '/');
	size_t len;

	snprintf(buf, size, "%s", slash ? slash + 1 : path);
	len = strlen(buf);
	if (len >= sizeof(deleted) - 1 && !strcmp(buf + len - (sizeof(deleted) - 1), deleted))
		buf[len - (sizeof(deleted) - 1)] = '\0';
}
