// SPDX-License-Identifier: MIT
/*
 * Moves probes from trampolines to their targets.
 */
#include "user/probe/process_probes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/probe/agent_uses.h"
#include "user/probe/trampoline_targets.h"
#include "user/base/procfs.h"

static const char agent_name[] = "librtrace-agent.so";

/* What the process has mapped of the library, and of others that matter. */
struct seen {
	const struct library *lib;
	pid_t pid;
	bool mapped, has_agent;
	struct mapping code;
};

static bool is_library(struct seen *s, const struct mapping *m)
{
	int fd = procfs__open_mapping(s->pid, m, O_RDONLY);
	struct stat st;
	bool same;

	if (fd < 0)
		return false;
	same = !fstat(fd, &st) && st.st_dev == s->lib->dev && st.st_ino == s->lib->ino;
	close(fd);
	return same;
}

static int see(const struct mapping *m, void *arg)
{
	struct seen *s = arg;
	char name[256];

	if (!m->exec || m->path[0] != '/')
		return 0;
	procfs__basename(m->path, name, sizeof(name));
	if (!strcmp(name, agent_name))
		s->has_agent = true;
	else if (!s->mapped && library_probes__is_rocm(name) && is_library(s, m)) {
		s->mapped = true;
		s->code = *m;
		s->code.path = NULL;
	}
	return 0;
}

static bool is_used_by_agent(const char *symbol)
{
	for (size_t i = 0; i < sizeof(agent_uses) / sizeof(agent_uses[0]); i++)
		if (!strcmp(agent_uses[i], symbol))
			return true;
	return false;
}

static ssize_t read_process(void *arg, uint64_t address, void *buf, size_t size)
{
	return procfs__read_memory(*(pid_t *)arg, address, buf, size);
}

static int by_offset(const void *a, const void *b)
{
	const struct probe *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Two probes at one place would be one call for the kernel. */
static bool is_taken(const struct library *lib, const struct implementation *impl)
{
	return library_probes__at(lib, impl->offset);
}

static int move(const struct seen *s, const struct implementation *found, int n,
		struct probe *probes)
{
	int moved = 0;

	for (int i = 0; i < n; i++) {
		struct probe *p = &probes[found[i].trampoline - s->lib->probes];

		if ((s->has_agent && is_used_by_agent(p->symbol)) || is_taken(s->lib, &found[i]))
			continue;
		p->offset = found[i].offset;
		p->place = found[i].place;
		p->before = found[i].before;
		p->after = found[i].after;
		moved++;
	}
	return moved;
}

/* process_probes__probes(); `s` gets what the process has mapped. */
static int find_probes(struct seen *s, bool agents_capture, struct probe **probes)
{
	const struct library *lib = s->lib;
	struct implementation *found;
	uint64_t base;
	int n;

	*probes = calloc(lib->probe_count, sizeof(**probes));
	if (!*probes)
		return -ENOMEM;
	memcpy(*probes, lib->probes, lib->probe_count * sizeof(**probes));
	procfs__mappings(s->pid, see, s);
	if (!s->mapped || (s->has_agent && agents_capture) ||
	    elf_image__base(lib->fd, s->code.start, s->code.offset, &base))
		return 0;
	n = trampoline_targets__find(lib, base, read_process, &s->pid, &found);
	if (n < 0)
		return 0; /* the trampolines serve as well, if slower */
	n = move(s, found, n, *probes);
	free(found);
	qsort(*probes, lib->probe_count, sizeof(**probes), by_offset);
	return n;
}

int process_probes__probes(const struct library *lib, pid_t pid, bool agents_capture,
			   struct probe **probes)
{
	struct seen s = {.lib = lib, .pid = pid};

	return find_probes(&s, agents_capture, probes);
}

/* Is there in the process what the file has at that offset? */
static bool is_untouched(const struct seen *s, uint64_t offset)
{
	uint8_t in_memory, in_file;

	return offset - s->code.offset < s->code.end - s->code.start &&
	       pread(s->lib->fd, &in_file, 1, offset) == 1 &&
	       procfs__read_memory(s->pid, s->code.start + (offset - s->code.offset), &in_memory,
				   1) == 1 &&
	       in_memory == in_file;
}

size_t process_probes__missing(const struct library *lib, pid_t pid, bool agents_capture)
{
	struct seen s = {.lib = lib, .pid = pid};
	struct probe *probes;
	size_t missing = 0;

	if (find_probes(&s, agents_capture, &probes) < 0)
		return 0;
	for (size_t i = 0; s.mapped && i < lib->probe_count; i++)
		missing += is_untouched(&s, probes[i].offset);
	free(probes);
	return missing;
}
