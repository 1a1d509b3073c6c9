// SPDX-License-Identifier: MIT
/*
 * The names of programs that probes keep off. The BPF programs compare with the same table, see
 * has_name() in bpf/library_mappings.h.
 */
#include "user/probe/kept_off.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "user/base/procfs.h"

enum part { WHOLE, BEGIN, END };

static int add(struct kept_off *k, enum part part, const char *text)
{
	struct rt_exe_name *n = &k->names[k->count];
	size_t len = strlen(text);

	if (!len || len >= RT_EXE_NAME || strchr(text, '/'))
		return -EINVAL;
	if (k->count == RT_EXE_NAMES)
		return -E2BIG;
	*n = (struct rt_exe_name){.at_end = part == END ? len : 0};
	memcpy(n->text, text, len);
	memset(n->mask, 0xff, part == BEGIN ? len : RT_EXE_NAME);
	k->count++;
	return 0;
}

void kept_off__init(struct kept_off *k)
{
	*k = (struct kept_off){};
	add(k, END, "-amd64-linux"); /* valgrind's tools: memcheck-amd64-linux and others */
	add(k, WHOLE, "libdynamorio.so");
	add(k, WHOLE, "pinbin"); /* Pin, and what is made with it: SDE, Inspector */
	add(k, BEGIN, "qemu-x86_64");
}

int kept_off__add(struct kept_off *k, const char *name)
{
	return add(k, WHOLE, name);
}

static bool fits(const struct rt_exe_name *n, const char *name)
{
	uint64_t got[RT_EXE_NAME / 8] = {};
	size_t len = strlen(name), from = n->at_end ? len - n->at_end : 0;

	if (n->at_end > len)
		return false;
	memcpy(got, name + from, strnlen(name + from, RT_EXE_NAME - 1));
	for (size_t i = 0; i < RT_EXE_NAME / 8; i++)
		if ((got[i] & n->mask[i]) != n->text[i])
			return false;
	return true;
}

bool kept_off__has_name(const struct kept_off *k, const char *name)
{
	for (size_t i = 0; i < k->count; i++)
		if (fits(&k->names[i], name))
			return true;
	return false;
}

/* This is asked of each process on the node: a thread that lives is looked for if it must be. */
static ssize_t read_exe(pid_t pid, char *file, size_t size)
{
	char path[PROCFS_PATH];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	n = readlink(path, file, size);
	if (n >= 0 || procfs__living(pid) == pid)
		return n;
	procfs__path(path, pid, "exe");
	return readlink(path, file, size);
}

bool kept_off__has(const struct kept_off *k, pid_t pid, char *name, size_t size)
{
	char file[PATH_MAX], base[NAME_MAX + 1];
	ssize_t n = read_exe(pid, file, sizeof(file) - 1);

	if (n <= 0)
		return false;
	file[n] = '\0';
	procfs__basename(file, base, sizeof(base));
	snprintf(name, size, "%s", base);
	return kept_off__has_name(k, base);
}
