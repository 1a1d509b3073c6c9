// SPDX-License-Identifier: MIT
/*
 * Fuzzes the command line, of rtrace-bpf and of its top: an argument a line. Whatever they are,
 * they are refused, in one line and argp's hint, or taken without a word, and then what is to be
 * done makes sense.
 *
 * argp ends the process on a mistake. Here it returns instead. The caller of argp_error() does not
 * expect that, so a long jump leaves it. A long jump also leaves the caller of argp_parse() when it
 * has refused.
 */
#include <argp.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "user/api/kfd_ioctls.h"
#include "user/live/metrics_server.h"
#include "user/cmd/top_command.h"
#include "user/base/log.h"
#include "user/record/record_options.h"
#include "user/record/recorder.h"
#include "user/live/top_settings.h"

#define LONGEST 1000000000000000000 /* ns */
#define MIB	((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
error_t __real_argp_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
			  int *end, void *input);
error_t __wrap_argp_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
			  int *end, void *input);
void __wrap_argp_error(const struct argp_state *state, const char *format, ...);

/* As they are in capture.c, which needs the BPF programs. */
const char *const capture_mode_names[CAPTURE_MODES] = {"session", "multi", "tracefs"};

/* Which functions there are is not asked for here. */
const struct api_function *kfd_ioctls__find(const char *name)
{
	return NULL;
}

/* As in sink_top.c, which needs a screen. */
const struct sink_ops sink_top = {.name = "top", .always_stdout = true, .live = true};

static struct {
	int count;
	char **words; /* ends with NULL */
	char *text;   /* what they are made of */
} args;

/* ---- argp, which would exit ---- */

static jmp_buf mistake; /* to the caller of a parser that has found one */
static jmp_buf refused; /* to the caller of argp_parse() */
static struct options *parsed;
static argp_parser_t own_parser, child_parser;

static error_t guard_own(int key, char *arg, struct argp_state *state)
{
	return setjmp(mistake) ? EINVAL : own_parser(key, arg, state);
}

static error_t guard_child(int key, char *arg, struct argp_state *state)
{
	parsed = state->input;
	return setjmp(mistake) ? EINVAL : child_parser(key, arg, state);
}

void __wrap_argp_error(const struct argp_state *state, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	fprintf(stderr, "%s: ", state->name);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	longjmp(mistake, 1);
}

/* Without argp's own options: its hidden --HANG sleeps for an hour. */
error_t __wrap_argp_parse(const struct argp *argp, int argc, char **argv, unsigned int flags,
			  int *end, void *input)
{
	struct argp_child children[2] = {};
	struct argp guarded = *argp, child;
	error_t err;

	parsed = argp->children ? NULL : input;
	own_parser = argp->parser;
	guarded.parser = guard_own;
	if (argp->children) {
		child = *argp->children[0].argp;
		child_parser = child.parser;
		child.parser = guard_child;
		children[0] = argp->children[0];
		children[0].argp = &child;
		guarded.children = children;
	}
	err = __real_argp_parse(&guarded, argc, argv, flags | ARGP_NO_EXIT | ARGP_NO_HELP, end,
				input);
	if (!err)
		return 0;
	record_options__free(parsed);
	longjmp(refused, 1);
}

/* ---- what is taken makes sense ---- */

static void must(bool condition)
{
	if (!condition)
		abort();
}

static bool is_stdout(const char *output)
{
	return output && !strcmp(output, "-");
}

static bool is_ring(size_t bytes)
{
	return !bytes || (bytes >= MIB && bytes <= 1024 * MIB && !(bytes & (bytes - 1)));
}

static void check_whom(const struct options *o)
{
	must(!!o->pid_count + o->all + !!o->command == 1);
	for (size_t i = 0; i < o->pid_count; i++) {
		must(o->pids[i] > 0);
		for (size_t k = 0; k < i; k++)
			must(o->pids[k] != o->pids[i]);
	}
	if (o->command)
		must(o->command > args.words && o->command < args.words + args.count);
}

static void check_outputs(const struct options *o)
{
	const struct rec_limits *l = &o->settings.limits;
	bool records = false, own_files = o->per_process || l->rotate_bytes || l->rotate_ns;

	must(o->format_count <= OPTION_FORMATS_MAX);
	must(o->format_count || o->summary || o->settings.metrics);
	for (size_t i = 0; i < o->format_count; i++) {
		records |= o->formats[i] == &sink_rtrace;
		own_files |= !!o->formats[i]->own_files;
		for (size_t k = 0; k < i; k++)
			must(o->formats[k] != o->formats[i]);
	}
	must(!is_stdout(o->output) || (!own_files && !l->keep_ns));
	must(records || !(l->max_bytes || l->rotate_bytes || l->rotate_ns || l->keep_ns));
	must(!l->keep_ns || !(l->rotate_bytes || l->rotate_ns));
	must(!l->dump_on_error || l->keep_ns);
	must(!l->max_bytes || l->max_bytes >= 64 << 10);
	must(!l->rotate_bytes || l->rotate_bytes >= 64 << 10);
	must(!l->rotate_ns || l->rotate_ns >= 1000000000);
	must(l->rotate_ns < LONGEST && l->keep_ns < LONGEST);
}

static void check_filter(const struct options *o)
{
	const struct capture_filter *f = &o->filter;

	must(f->uid_count <= RT_FILTERS && f->comm_count <= RT_FILTERS &&
	     f->cgroup_count <= RT_FILTERS);
	for (size_t i = 0; i < f->comm_count; i++)
		must(*f->comms[i] && strlen(f->comms[i]) < RT_COMM_LEN);
	must(f->min_duration < LONGEST);
	if (o->capture_by == CAPTURE_BY_AGENT)
		must(!f->uid_count && !f->comm_count && !f->cgroup_count && !o->dispatch_from_bpf);
}

static void check_selection(const struct selection *s)
{
	enum selected malloc_is = selection__of(s, "hipMalloc");

	must(s->domains && s->domains < 1u << DOMAIN_COUNT);
	must(s->only.count <= SELECT_GLOBS && s->except.count <= SELECT_GLOBS &&
	     s->stacks.count <= SELECT_GLOBS);
	must(malloc_is == SELECT_SHOW || malloc_is == SELECT_NO);
	if (!(s->domains & 1u << DOMAIN_HIP))
		must(malloc_is == SELECT_NO);
	else if (!s->only.count && !s->except.count)
		must(malloc_is == SELECT_SHOW);
	must(selection__of(s, "printf") == SELECT_NO);
}

static void check_periods(const struct periods *p)
{
	const struct period *first = &p->period[0];

	must(p->count <= PERIODS_MAX);
	for (size_t i = 0; i < p->count; i++)
		must(p->period[i].length && p->period[i].length <= LONGEST &&
		     p->period[i].delay <= LONGEST);
	if (!p->count) {
		must(collection_periods__on(p, 0) && collection_periods__on(p, UINT64_MAX));
		return;
	}
	must(collection_periods__on(p, 0) == !first->delay);
	must(collection_periods__on(p, first->delay));
	must(collection_periods__on(p, first->delay + first->length - 1));
	if (first->delay && first->repeat != 1)
		must(!collection_periods__on(p, first->delay + first->length));
	collection_periods__on(p, UINT64_MAX);
}

static void check(const struct options *o)
{
	struct sockaddr_storage address;
	socklen_t len;

	check_whom(o);
	check_outputs(o);
	check_filter(o);
	check_selection(&o->selection);
	check_periods(&o->periods);
	must(o->attach_mode >= -1 && o->attach_mode < CAPTURE_MODES);
	must(o->duration >= 0 && o->duration <= 1e9);
	must(is_ring(o->ring_bytes) && is_ring(o->agent_ring_bytes));
	must(!o->agent_ring_bytes || o->command);
	must(!o->settings.metrics || metrics__parse_address(o->settings.metrics, &address, &len));
}

/* In place of the trace that top is. */
int recorder__run(const struct options *o)
{
	const struct top_settings *top = o->settings.top;

	check(o);
	must(top->interval >= 100000000 && top->interval <= 1000000000000000);
	must(memchr(top->view.filter, '\0', sizeof(top->view.filter)));
	must(table_view__column_name(top->view.by, top->view.sort));
	return 0;
}

/* ---- an input ---- */

static void split(const uint8_t *data, size_t size)
{
	int lines = 1;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	args.text = malloc(size + 1);
	args.words = calloc(lines + 2, sizeof(*args.words));
	if (!args.text || !args.words)
		abort();
	memcpy(args.text, data, size);
	args.text[size] = '\0';
	args.count = 0;
	args.words[args.count++] = "rtrace-bpf";
	for (char *line = args.text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		else if (!*line)
			break; /* the file ends with its last line */
		args.words[args.count++] = line;
	}
}

/* false: refused. */
static bool parse_args(void)
{
	struct options o;

	if (setjmp(refused))
		return false;
	if (args.count > 1 && !strcmp(args.words[1], "top"))
		return !top_command__main(args.count - 1, args.words + 1);
	record_options__parse(&o, args.count, args.words);
	check(&o);
	record_options__free(&o);
	return true;
}

/* One line, and perhaps where help is. */
static void check_message(char *message, bool taken)
{
	char *end = strchr(message, '\n');

	must(taken ? !*message : end && end > message);
	must(!end || !end[1] || !strncmp(end + 1, "Try ", 4));
}

pid_t __wrap_procfs__process_of(pid_t pid);

/* No number is that of a thread of this machine. */
pid_t __wrap_procfs__process_of(pid_t pid)
{
	return pid;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *real_stderr = stderr;
	char *message = NULL;
	size_t len;
	bool taken;

	if (size && memchr(data, 0xff, size))
		return 0; /* argp's own mark: as the letter of an option it makes it say two things
			   */
	split(data, size);
	stderr = open_memstream(&message, &len);
	if (!stderr)
		abort();
	taken = parse_args();
	fclose(stderr);
	stderr = real_stderr;
	check_message(message, taken);
	free(message);
	free(args.words);
	free(args.text);
	log_level = 0;
	return 0;
}
