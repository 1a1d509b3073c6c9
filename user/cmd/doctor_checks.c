// SPDX-License-Identifier: MIT
/*
 * Checks whether the machine can be traced.
 */
#include <errno.h>
#include <libsmartcols/libsmartcols.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <yajl/yajl_gen.h>

#include "user/probe/capture.h"
#include "user/cmd/doctor_command.h"
#include "user/elf/elf_image.h"
#include "user/elf/instruction.h"
#include "user/record/launch_command.h"
#include "user/base/log.h"
#include "user/base/procfs.h"
#include "user/probe/kept_off.h"
#include "user/probe/kernel_support.h"
#include "user/probe/nop5_test.h"
#include "user/record/privileges.h"

#define CHECKS_MAX 32

enum outcome { OUTCOME_OK, OUTCOME_WARN, OUTCOME_FAIL };

static const char *const outcome_names[] = {"ok", "warn", "fail"};

struct check {
	const char *what;
	enum outcome outcome;
	char *found;
	const char *advice; /* NULL: none needed */
};

struct checkup {
	struct check checks[CHECKS_MAX];
	size_t count;
	bool privileged;
	struct installed libraries;
};

__attribute__((format(printf, 5, 6))) static void report(struct checkup *c, const char *what,
							 enum outcome outcome, const char *advice,
							 const char *fmt, ...)
{
	struct check *check = &c->checks[c->count];
	va_list ap;

	if (c->count == CHECKS_MAX)
		return;
	va_start(ap, fmt);
	if (vasprintf(&check->found, fmt, ap) < 0)
		check->found = NULL;
	va_end(ap);
	check->what = what;
	check->outcome = outcome;
	check->advice = outcome == OUTCOME_OK ? NULL : advice;
	c->count++;
}

static void check_kernel(struct checkup *c)
{
	unsigned int kernel = nop5_test__running_kernel();
	struct utsname uts = {};

	uname(&uts);
	report(c, "kernel", kernel < KERNEL(5, 15) ? OUTCOME_FAIL : OUTCOME_OK,
	       "needs Linux 5.15 or newer", "Linux %s", uts.release);
	report(c, "machine", strcmp(uts.machine, "x86_64") ? OUTCOME_FAIL : OUTCOME_OK,
	       "only x86-64 is traced", "%s", uts.machine);
}

/* Rewritten nops kill children of other tracers' programs, too: hence the warning. */
static void check_nop5(struct checkup *c)
{
	static const struct {
		enum outcome outcome;
		const char *found, *advice;
	} answers[NOP5_ANSWERS] = {
		[NOP5_UNKNOWN] = {OUTCOME_WARN, "not known: none is probed", "ask again as root"},
		[NOP5_TRAPS] = {OUTCOME_OK, "stay traps", NULL},
		[NOP5_CALLS] = {OUTCOME_OK, "become calls: no trap", NULL},
		[NOP5_KILLS] = {OUTCOME_WARN,
				"become calls that forked children die of: none is probed",
				"update the kernel if other tracers (USDT probes) are used; "
				"see docs/reference/processes.md"},
	};
	enum nop5 answer = nop5_test__test();

	report(c, "probes on 5-byte nops", answers[answer].outcome, answers[answer].advice, "%s",
	       answers[answer].found);
}

static void check_file(struct checkup *c, const char *what, const char *path, enum outcome missing,
		       const char *advice)
{
	bool found = !access(path, R_OK);

	report(c, what, found ? OUTCOME_OK : missing, advice, "%s%s%s", path, found ? "" : ": ",
	       found ? "" : strerror(errno));
}

static void check_tracefs(struct checkup *c)
{
	static const char *const roots[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char path[128];

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		snprintf(path, sizeof(path), "%s/events", roots[i]);
		if (access(path, R_OK))
			continue;
		snprintf(path, sizeof(path), "%s/uprobe_events", roots[i]);
		report(c, "tracefs", access(path, F_OK) ? OUTCOME_FAIL : OUTCOME_OK,
		       "a kernel with CONFIG_UPROBE_EVENTS is needed", "%s", roots[i]);
		return;
	}
	report(c, "tracefs", c->privileged ? OUTCOME_WARN : OUTCOME_FAIL,
	       "mounted when tracing starts; by hand: mount -t tracefs tracefs "
	       "/sys/kernel/tracing",
	       "not mounted, or not to be read");
}

static void check_privileges(struct checkup *c)
{
	c->privileged = !privileges__check();
	report(c, "privileges", c->privileged ? OUTCOME_OK : OUTCOME_FAIL,
	       "run as root, or grant CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE, "
	       "CAP_CHECKPOINT_RESTORE, CAP_KILL, "
	       "and CAP_DAC_OVERRIDE for processes of other users",
	       c->privileged ? "sufficient" : "capabilities are missing");
}

static void check_mode(struct checkup *c)
{
	enum capture_mode mode;

	if (!c->privileged) {
		report(c, "attaching", OUTCOME_WARN, "ask again as root", "not known");
		return;
	}
	mode = capture__best_mode();
	report(c, "attaching", OUTCOME_OK, NULL, "%s", capture_mode_names[mode]);
}

/* How the tracer sees that a library is mapped: see bpf/library_mappings.h. */
static void check_mappings(struct checkup *c)
{
	bool fexit = c->privileged && kernel_support__has_fexit();

	if (!c->privileged)
		report(c, "mappings", OUTCOME_WARN, "ask again as root", "not known");
	else
		report(c, "mappings", fexit ? OUTCOME_OK : OUTCOME_WARN,
		       "while a tracer runs, system calls of all processes take longer: see "
		       "docs/reference/limits.md",
		       "seen by %s", fexit ? "fexit" : "tracepoints of system calls");
}

static void check_agent(struct checkup *c)
{
	char *path = launch_command__find_agent();

	report(c, "agent", path ? OUTCOME_OK : OUTCOME_WARN,
	       "without it there are no GPU times: install it beside rtrace-bpf", "%s",
	       path ? path : "librtrace-agent.so is not found");
	free(path);
}

/* Does the HSA runtime let tools of rocprofiler-sdk register themselves? */
static bool has_register(const struct installed_file *file)
{
	struct image image;
	bool found = false;
	GElf_Sym sym;

	if (elf_image__open(&image, file->fd))
		return false;
	for (size_t i = 0; i < image.symbol_count && !found; i++) {
		const char *name = NULL;

		if (gelf_getsym(image.symbols, i, &sym) && sym.st_shndx == SHN_UNDEF)
			name = elf_strptr(image.elf, image.strings, sym.st_name);
		found = name && !strncmp(name, "rocprofiler_register_", 21);
	}
	elf_image__close(&image);
	return found;
}

/*
 * ROCr leaves HSA_TOOLS_LIB aside where a tool of rocprofiler-sdk has registered, unless
 * HSA_TOOLS_ROCPROFILER_V1_TOOLS is set.
 */
static void check_tools_lib(struct checkup *c)
{
	const char *v1 = getenv("HSA_TOOLS_ROCPROFILER_V1_TOOLS");
	bool set = v1 && *v1 && strcmp(v1, "0");
	bool registers = false;

	for (size_t i = 0; i < c->libraries.count; i++)
		if (strstr(c->libraries.files[i].path, "/libhsa-runtime64.so"))
			registers |= has_register(&c->libraries.files[i]);
	report(c, "HSA_TOOLS_LIB", registers && !set ? OUTCOME_WARN : OUTCOME_OK,
	       "start jobs that use rocprofiler-sdk with HSA_TOOLS_ROCPROFILER_V1_TOOLS=1",
	       registers && !set ? "skipped by the HSA runtime in jobs with a rocprofiler-sdk tool"
				 : "followed by the HSA runtime");
}

static void check_libraries(struct checkup *c)
{
	installed_libraries__add_all(&c->libraries);
	for (size_t i = 0; i < c->libraries.count; i++)
		report(c, "library", OUTCOME_OK, NULL, "%s", c->libraries.files[i].path);
	if (!c->libraries.count)
		report(c, "library", OUTCOME_WARN,
		       "jobs may bring their own, in containers for instance: rtrace-bpf doctor "
		       "--probes -p PID",
		       "no ROCm library is installed where the loader looks");
}

struct found_processes {
	struct kept_off names;
	char text[256];
	int count;
};

static int find_kept_off(pid_t pid, void *arg)
{
	struct found_processes *f = arg;
	size_t len = strlen(f->text);
	char exe[64];

	if (!kept_off__has(&f->names, pid, exe, sizeof(exe)) || f->count++ > 3)
		return 0;
	snprintf(f->text + len, sizeof(f->text) - len, "%s%s", len ? ", " : "",
		 f->count > 3 ? "and others" : exe);
	len = strlen(f->text);
	if (f->count <= 3)
		snprintf(f->text + len, sizeof(f->text) - len, " (%d)", pid);
	return 0;
}

/* Programs that would die of probes in their code. */
static void check_kept_off(struct checkup *c)
{
	struct found_processes f = {};

	kept_off__init(&f.names);
	procfs__processes(find_kept_off, &f);
	report(c, "translators", f.count ? OUTCOME_WARN : OUTCOME_OK,
	       "probes keep off these processes, and their calls are not traced: see "
	       "docs/reference/limits.md",
	       "%s", f.count ? f.text : "no process that executes a translation of its code");
}

static int write_table(const struct checkup *c, FILE *out)
{
	static const char *const names[] = {"CHECK", "RESULT", "FOUND", "WHAT TO DO"};
	struct libscols_table *table = scols_new_table();
	int err = table ? 0 : -ENOMEM;

	if (table) {
		scols_table_set_stream(table, out);
		scols_table_set_termforce(table, SCOLS_TERMFORCE_NEVER);
	}
	for (int i = 0; i < 4 && !err; i++)
		err = scols_table_new_column(table, names[i], 0.1, 0) ? 0 : -ENOMEM;
	for (size_t i = 0; i < c->count && !err; i++) {
		const struct check *k = &c->checks[i];
		struct libscols_line *line = scols_table_new_line(table, NULL);

		err = line ? 0 : -ENOMEM;
		err = err ?: scols_line_set_data(line, 0, k->what);
		err = err ?: scols_line_set_data(line, 1, outcome_names[k->outcome]);
		err = err ?: scols_line_set_data(line, 2, k->found ? k->found : "");
		err = err ?: scols_line_set_data(line, 3, k->advice ? k->advice : "");
	}
	if (!err)
		err = scols_print_table(table);
	scols_unref_table(table);
	return err;
}

static void put(yajl_gen g, const char *text)
{
	if (text)
		yajl_gen_string(g, (const unsigned char *)text, strlen(text));
	else
		yajl_gen_null(g);
}

static int write_json(const struct checkup *c, FILE *out, bool possible)
{
	yajl_gen g = yajl_gen_alloc(NULL);
	const unsigned char *text;
	size_t len;

	if (!g)
		return -ENOMEM;
	yajl_gen_config(g, yajl_gen_beautify, 1);
	yajl_gen_map_open(g);
	put(g, "possible");
	yajl_gen_bool(g, possible);
	put(g, "checks");
	yajl_gen_array_open(g);
	for (size_t i = 0; i < c->count; i++) {
		yajl_gen_map_open(g);
		put(g, "check");
		put(g, c->checks[i].what);
		put(g, "result");
		put(g, outcome_names[c->checks[i].outcome]);
		put(g, "found");
		put(g, c->checks[i].found);
		put(g, "advice");
		put(g, c->checks[i].advice);
		yajl_gen_map_close(g);
	}
	yajl_gen_array_close(g);
	yajl_gen_map_close(g);
	yajl_gen_get_buf(g, &text, &len);
	fwrite(text, 1, len, out);
	yajl_gen_free(g);
	return 0;
}

int doctor_command__check(FILE *out, bool json)
{
	struct checkup c = {};
	bool possible = true;
	int err;

	check_kernel(&c);
	check_nop5(&c);
	check_privileges(&c);
	check_file(&c, "BTF", "/sys/kernel/btf/vmlinux", OUTCOME_FAIL,
		   "a kernel with CONFIG_DEBUG_INFO_BTF is needed");
	check_tracefs(&c);
	check_mode(&c);
	check_mappings(&c);
	check_agent(&c);
	check_file(&c, "GPU driver", "/dev/kfd", OUTCOME_WARN, "no AMD GPU can be used here");
	check_libraries(&c);
	check_tools_lib(&c);
	check_kept_off(&c);
	for (size_t i = 0; i < c.count; i++)
		possible &= c.checks[i].outcome != OUTCOME_FAIL;
	err = json ? write_json(&c, out, possible) : write_table(&c, out);
	if (err)
		log_err("doctor: %s", strerror(-err));
	for (size_t i = 0; i < c.count; i++)
		free(c.checks[i].found);
	installed_libraries__free(&c.libraries);
	return err || !possible;
}
