// SPDX-License-Identifier: MIT
/*
 * Finds symbols with libdwfl, a Dwfl a process, the last few of which are kept.
 *
 * Files are opened below /proc/PID/root, as the process in its own mount namespace sees them, and
 * read, not mapped: one that is cut meanwhile must not cost us a SIGBUS. Debug files are not looked
 * for.
 */
#include "user/elf/symbols.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/base/procfs.h"

#define KEPT 16 /* processes */

struct program {
	pid_t pid;
	Dwfl *dwfl;
	uint64_t used; /* when last, in look-ups */
};

struct symbols {
	struct strings *strings;
	struct program programs[KEPT];
	uint64_t lookups;
};

struct symbols *symbols__new(struct strings *strings)
{
	struct symbols *s = calloc(1, sizeof(*s));

	elf_version(EV_CURRENT);
	if (s)
		s->strings = strings;
	return s;
}

void symbols__free(struct symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < KEPT; i++)
		if (s->programs[i].dwfl)
			dwfl_end(s->programs[i].dwfl);
	free(s);
}

/* A callback of libdwfl. */
static int open_module(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		       char **file_name, Elf **elf)
{
	pid_t pid = (intptr_t)*userdata;
	char path[4096];
	int fd;

	if (name[0] != '/' || pid <= 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/root%s", procfs__living(pid), name);
	fd = procfs__open_regular(path);
	if (fd < 0)
		return -1;
	*elf = elf_begin(fd, ELF_C_READ, NULL);
	if (!*elf) {
		close(fd);
		return -1;
	}
	return fd;
}

static int no_debug_file(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			 const char *file, const char *link, GElf_Word crc, char **found)
{
	return -1;
}

static int note_pid(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    void *arg)
{
	*userdata = arg;
	return DWARF_CB_OK;
}

static Dwfl *open_process(pid_t pid)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = open_module,
		.find_debuginfo = no_debug_file,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (!dwfl)
		return NULL;
	if (dwfl_linux_proc_report(dwfl, procfs__living(pid)) ||
	    dwfl_report_end(dwfl, NULL, NULL)) {
		dwfl_end(dwfl);
		return NULL;
	}
	dwfl_getmodules(dwfl, note_pid, (void *)(intptr_t)pid, 0);
	return dwfl;
}

void symbols__forget(struct symbols *s, pid_t pid)
{
	for (size_t i = 0; i < KEPT; i++) {
		struct program *p = &s->programs[i];

		if (!p->dwfl || p->pid != pid)
			continue;
		dwfl_end(p->dwfl);
		p->dwfl = NULL;
	}
}

static struct program *find_program(struct symbols *s, pid_t pid)
{
	struct program *oldest = &s->programs[0];

	for (size_t i = 0; i < KEPT; i++) {
		if (s->programs[i].dwfl && s->programs[i].pid == pid)
			return &s->programs[i];
		if (s->programs[i].used < oldest->used)
			oldest = &s->programs[i];
	}
	if (oldest->dwfl)
		dwfl_end(oldest->dwfl);
	oldest->pid = pid;
	oldest->dwfl = NULL;
	return oldest;
}

/* The module at the address; mapped since the last look, perhaps. */
static Dwfl_Module *find_module(struct symbols *s, pid_t pid, uint64_t address)
{
	struct program *p = find_program(s, pid);
	Dwfl_Module *module = p->dwfl ? dwfl_addrmodule(p->dwfl, address) : NULL;

	p->used = ++s->lookups;
	if (module)
		return module;
	if (p->dwfl)
		dwfl_end(p->dwfl);
	p->dwfl = open_process(pid);
	return p->dwfl ? dwfl_addrmodule(p->dwfl, address) : NULL;
}

static const char *symbol_at(struct symbols *s, pid_t pid, uint64_t address, uint64_t *offset,
			     Dwfl_Module **module)
{
	GElf_Off behind = 0;
	const char *name;
	GElf_Sym sym;

	*module = find_module(s, pid, address);
	if (!*module)
		return NULL;
	name = dwfl_module_addrinfo(*module, address, &behind, &sym, NULL, NULL, NULL);
	*offset = behind;
	return name;
}

bool symbols__find(struct symbols *s, pid_t pid, uint64_t address, char *name, size_t size)
{
	Dwfl_Module *module;
	uint64_t offset;
	const char *found = symbol_at(s, pid, address, &offset, &module);

	if (!found || offset)
		return false;
	snprintf(name, size, "%s", found);
	return true;
}

void symbols__describe(struct symbols *s, pid_t pid, uint64_t address, char *text, size_t size)
{
	const char *file = NULL, *symbol;
	Dwfl_Module *module;
	uint64_t offset;
	char base[256];

	symbol = symbol_at(s, pid, address, &offset, &module);
	if (module)
		file = dwfl_module_info(module, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
	procfs__basename(file ? file : "?", base, sizeof(base));
	if (symbol)
		snprintf(text, size, "%s+%#" PRIx64 " (%s)",
			 string_pool__keep_demangled(s->strings, symbol, strlen(symbol)), offset,
			 base);
	else
		snprintf(text, size, "%#" PRIx64 " (%s)", address, base);
}
