// SPDX-License-Identifier: MIT
/*
 * Parses the command line with argp.
 */
#include "user/record/record_options.h"

#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "user/probe/capture.h"
#include "user/live/metrics_server.h"
#include "user/base/log.h"
#include "user/base/procfs.h"

#define SIZE_MIN     65536 /* of a recording's files */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *argp_program_version = "rtrace-bpf " RTRACE_VERSION;

static const char doc[] =
	"Trace the HIP, HSA and roctx calls of running processes, and what the GPU runs for them.\v"
	"Other commands, each with a --help of its own:\n"
	"  rtrace-bpf export      a recording (-f rtrace) in another form\n"
	"  rtrace-bpf report      what a recording says of the time\n"
	"  rtrace-bpf merge       recordings of several nodes as one\n"
	"  rtrace-bpf top         what goes on, drawn anew every second\n"
	"  rtrace-bpf ps          which processes use ROCm, and have the agent\n"
	"  rtrace-bpf doctor      what can be traced on this machine, and how\n"
	"\n"
	"Examples:\n"
	"  rtrace-bpf -p 1234                     a running job, one line an event\n"
	"  rtrace-bpf -p 1234 -S --duration 10    what it did in ten seconds, as tables\n"
	"  rtrace-bpf -a -f pftrace -o node.pftrace   every process of the node, for Perfetto\n"
	"  rtrace-bpf -f json -o app.json -- ./app --size 1000\n"
	"\n"
	"  rtrace-bpf -p 1234 -t hip -e 'hipMemcpy*' --min-duration 1ms\n"
	"  rtrace-bpf -p 1234 --errors-only --stacks\n"
	"\n"
	"SIGUSR1 switches tracing off, and on again; SIGUSR2 writes what --keep holds. Tracing "
	"ends with Ctrl-C, after --duration, "
	"or when the command or the last traced "
	"process "
	"ends. GPU times come from librtrace-agent.so inside the process: a launched command gets "
	"it, "
	"a running one has it if it was started with HSA_TOOLS_LIB naming it.\n"
	"\n"
	"Exit status: 0, 1 on failure, 2 for a wrong command line, and that of the command if one "
	"was "
	"launched (128 + N if signal N ended it).";

enum {
	OPT_DURATION = 0x100,
	OPT_ATTACH,
	OPT_BUFFER,
	OPT_GPU_BUFFER,
	OPT_ALL_FUNCTIONS,
	OPT_DISPATCH_FROM_BPF,
	OPT_STOP_WITH_COMMAND,
	OPT_CGROUP,
	OPT_UID,
	OPT_COMM,
	OPT_KEEP_OFF,
	OPT_MIN_DURATION,
	OPT_ERRORS_ONLY,
	OPT_STACKS,
	OPT_TRACE_START,
	OPT_PERIOD_UNIT,
	OPT_SELECTED_REGIONS,
	OPT_HIP_TRACE,
	OPT_HSA_TRACE,
	OPT_KFD_TRACE,
	OPT_MARKER_TRACE,
	OPT_KERNEL_TRACE,
	OPT_COPY_TRACE,
	OPT_MEMORY_TRACE,
	OPT_SCRATCH_TRACE,
	OPT_BARRIERS,
	OPT_MAX_SIZE,
	OPT_ROTATE,
	OPT_KEEP,
	OPT_DUMP_ON_ERROR,
	OPT_PER_PROCESS,
	OPT_METRICS,
	OPT_SUMMARY_JSON,
	OPT_CAPTURE,
};

static const struct argp_option argp_options[] = {
	{NULL, 0, NULL, 0, "What to trace:", 1},
	{"pid", 'p', "PID", 0, "A running process, all its threads (repeatable)", 0},
	{"all", 'a', NULL, 0, "Every process on the node, and those to come", 0},
	{"cgroup", OPT_CGROUP, "PATH", 0,
	 "Only processes in that control group or below it (repeatable)", 0},
	{"uid", OPT_UID, "USER", 0, "Only calls made by that user, name or number (repeatable)", 0},
	{"comm", OPT_COMM, "NAME", 0,
	 "Only processes of that name, as in /proc/PID/comm (repeatable)", 0},
	{"keep-off", OPT_KEEP_OFF, "NAME", 0,
	 "Put no probe into the code of processes whose executable has that name, as is done with "
	 "valgrind and its like (repeatable)",
	 0},
	{NULL, 0, NULL, 0, "Which events:", 2},
	{"trace", 't', "LIST", 0,
	 "hip, hsa, kfd, roctx (marker), roctracer, kernel, memory-copy, memory (allocations), "
	 "scratch, setup (queues, code objects, the runtime), gpu (these five), runtime (hip, "
	 "roctx, gpu), all; with commas between. Default: all",
	 0},
	{"expr", 'e', "GLOB", 0,
	 "Only functions that match; with ! in front, all but those that match (repeatable)", 0},
	{"all-functions", OPT_ALL_FUNCTIONS, NULL, 0,
	 "Also the functions left out by default: hsa_signal_load/store..., "
	 "hsa_queue_load/store...",
	 0},
	{"min-duration", OPT_MIN_DURATION, "TIME", 0,
	 "Only calls that take that long: 500ns, 10us, 1.5ms, 2s", 0},
	{"errors-only", OPT_ERRORS_ONLY, NULL, 0, "Only calls that return an error", 0},
	{"hip-trace", OPT_HIP_TRACE, NULL, 0, "As rocprofv3: -t hip", 0},
	{"hip-runtime-trace", OPT_HIP_TRACE, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
	{"hsa-trace", OPT_HSA_TRACE, NULL, 0, "-t hsa", 0},
	{"hsa-core-trace", OPT_HSA_TRACE, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
	{"hsa-amd-trace", OPT_HSA_TRACE, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
	{"kfd-trace", OPT_KFD_TRACE, NULL, 0, "-t kfd", 0},
	{"marker-trace", OPT_MARKER_TRACE, NULL, 0, "-t roctx", 0},
	{"roctx-trace", OPT_MARKER_TRACE, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
	{"kernel-trace", OPT_KERNEL_TRACE, NULL, 0, "-t kernel", 0},
	{"memory-copy-trace", OPT_COPY_TRACE, NULL, 0, "-t memory-copy", 0},
	{"memory-allocation-trace", OPT_MEMORY_TRACE, NULL, 0, "-t memory", 0},
	{"scratch-memory-trace", OPT_SCRATCH_TRACE, NULL, 0, "-t scratch", 0},
	{"barriers", OPT_BARRIERS, NULL, 0,
	 "Also barrier packets, by which the work of a queue waits", 0},
	{"runtime-trace", 'r', NULL, 0, "-t runtime", 0},
	{"sys-trace", 's', NULL, 0, "-t all", 0},
	{NULL, 0, NULL, 0, "When:", 3},
	{"duration", OPT_DURATION, "SEC", 0, "Stop after that many seconds", 0},
	{"stop-with-command", OPT_STOP_WITH_COMMAND, NULL, 0,
	 "Stop when the command has ended, whatever it leaves running; else all that it has "
	 "started is traced to its end",
	 0},
	{"trace-start", OPT_TRACE_START, "on|off", 0,
	 "off: a process is traced from its first roctracer_start() on", 0},
	{"selected-regions", OPT_SELECTED_REGIONS, NULL, 0,
	 "A process is traced between roctxProfilerResume(0) and roctxProfilerPause(0)", 0},
	{"collection-period", 'P', "DELAY:LENGTH:REPEAT", 0,
	 "Off for DELAY, on for LENGTH, REPEAT times (0: for ever; default 1); several follow each "
	 "other",
	 0},
	{"collection-period-unit", OPT_PERIOD_UNIT, "UNIT", 0,
	 "hour, min, sec (default), msec, usec or nsec", 0},
	{NULL, 0, NULL, 0, "Output:", 4},
	{"format", 'f', "FORMAT", 0,
	 "text (default; live), rtrace (a recording, for rtrace-bpf export and report), json "
	 "(Chrome trace), pftrace (Perfetto), html (a page with a timeline and tables), csv "
	 "(rocprofv3's files), rocpd (its database), otf2 (OTF2 archive), roctracer (rocprof's "
	 "text files), folded (stacks, for flame graphs), stats (CSV of calls by function); "
	 "repeatable",
	 0},
	{"summary", 'S', NULL, 0, "Tables of calls, kernels and copies at the end, on stdout", 0},
	{"summary-json", OPT_SUMMARY_JSON, "FILE", 0,
	 "What was recorded and lost, as JSON: the numbers of the closing lines, for programs", 0},
	{"output", 'o', "FILE", 0,
	 "Write there; keys are replaced: %pid%, %hostname%, %rank%, %job%, %tag%, %env{NAME}%, "
	 "... "
	 "(see rtrace-bpf(1)). Default: stdout for text, rtrace-%pid%.FORMAT "
	 "for the others (rocpd: .db). With several formats, that suffix is appended. csv: what "
	 "its files' names begin with; otf2, roctracer: their folder",
	 0},
	{"output-directory", 'd', "DIR", 0,
	 "In that folder, which is made if it is not there; keys are replaced in it too", 0},
	{"per-process", OPT_PER_PROCESS, NULL, 0,
	 "A file for each process: job.PID.json for -o job.json", 0},
	{"rotate", OPT_ROTATE, "SIZE|TIME", 0,
	 "Begin another file of the recording after so much (100M, 2G) or so long (10min, 1h): "
	 "job.rtrace becomes job.0.rtrace, job.1.rtrace, ...",
	 0},
	{"max-size", OPT_MAX_SIZE, "SIZE", 0,
	 "Of the recording: with --rotate or --keep the oldest files are removed, else tracing "
	 "ends",
	 0},
	{"keep", OPT_KEEP, "TIME", 0,
	 "A flight recorder: hold only the newest so long (30s) of the recording, and write it on "
	 "SIGUSR2, when a process is killed, and at the end",
	 0},
	{"dump-on-error", OPT_DUMP_ON_ERROR, NULL, 0,
	 "With --keep: also when a call of the application fails, once in that time at most", 0},
	{"metrics", OPT_METRICS, "[ADDR:]PORT", 0,
	 "Serve counters for Prometheus over HTTP, at /metrics; without an address on 127.0.0.1. "
	 "Nothing else is written then, unless -f or -S is given",
	 0},
	{"mangled-kernels", 'M', NULL, 0, "Names of kernels as the compiler made them", 0},
	{"truncate-kernels", 'T', NULL, 0, "Names of kernels without types: vadd", 0},
	{"stacks", OPT_STACKS, "GLOB", OPTION_ARG_OPTIONAL,
	 "Who made the calls: user stacks, of the functions that match (repeatable)", 0},
	{NULL, 0, NULL, 0, "How:", 5},
	{"buffer", OPT_BUFFER, "MiB", 0, "Ring buffer of each CPU, a power of two (default 1 to 8)",
	 0},
	{"gpu-buffer", OPT_GPU_BUFFER, "MiB", 0,
	 "Ring buffer for GPU operations in each process of the command, a power of two (default "
	 "16)",
	 0},
	{"attach", OPT_ATTACH, "MODE", 0,
	 "session (Linux 6.13), multi (6.6) or tracefs (5.15); default: the best the kernel has, "
	 "for a command tracefs where that probes no other process (6.12)",
	 0},
	{"capture", OPT_CAPTURE, "auto|uprobe|agent", 0,
	 "By whom calls are captured: auto (default), by the agent in processes that carry it, in "
	 "tens of nanoseconds a call, and by uprobes elsewhere; uprobe, by uprobes everywhere; "
	 "agent, by agents alone",
	 0},
	{"dispatch-from-bpf", OPT_DISPATCH_FROM_BPF, NULL, 0,
	 "Tell the kernels that processes without the agent submit to their queues, read at the "
	 "doorbell; a command is started without the agent",
	 0},
	{"verbose", 'v', NULL, 0, "Say what is done; -vv: details", 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

static long parse_long(struct argp_state *state, const char *what, const char *arg, long min,
		       long max)
{
	char *end;
	long v;

	errno = 0;
	v = strtol(arg, &end, 10);
	if (errno || end == arg || *end || v < min || v > max)
		argp_error(state, "%s: '%s' is not a number from %ld to %ld", what, arg, min, max);
	return v;
}

static void add_pid(struct options *o, pid_t pid, struct argp_state *state)
{
	pid_t process = procfs__process_of(pid);

	if (process && process != pid) {
		log_say("%d is a thread of process %d: all threads of the process are traced", pid,
			process);
		pid = process;
	}
	for (size_t i = 0; i < o->pid_count; i++)
		if (o->pids[i] == pid)
			return;
	o->pids = reallocarray(o->pids, o->pid_count + 1, sizeof(*o->pids));
	if (!o->pids)
		argp_failure(state, 1, ENOMEM, "options");
	o->pids[o->pid_count++] = pid;
}

static void add_format(struct options *o, const char *name, struct argp_state *state)
{
	const struct sink_ops *ops = sink__find(name);

	if (!ops)
		argp_error(state,
			   "unknown format '%s' (text, rtrace, json, pftrace, html, csv, rocpd, "
			   "otf2, roctracer, folded, "
			   "stats)",
			   name);
	for (size_t i = 0; i < o->format_count; i++)
		if (o->formats[i] == ops)
			return;
	if (o->format_count < OPTION_FORMATS_MAX)
		o->formats[o->format_count++] = ops;
}

static void add_domains(struct options *o, char *list, struct argp_state *state)
{
	char *save, *word;

	if (!o->selected)
		selection__none(&o->selection);
	o->selected = true;
	for (word = strtok_r(list, ",", &save); word; word = strtok_r(NULL, ",", &save))
		if (!selection__add_domain(&o->selection, word))
			argp_error(state, "-t: unknown '%s' (%s)", word, selection__domain_words());
	if (!o->selection.domains)
		argp_error(state, "-t: nothing to trace (%s)", selection__domain_words());
}

static void add_domain(struct options *o, const char *word, struct argp_state *state)
{
	char list[32];

	snprintf(list, sizeof(list), "%s", word);
	add_domains(o, list, state);
}

static void add_uid(struct capture_filter *f, const char *arg, struct argp_state *state)
{
	const struct passwd *user = getpwnam(arg);

	if (f->uid_count == RT_FILTERS)
		argp_error(state, "--uid: at most %d", RT_FILTERS);
	else if (user)
		f->uids[f->uid_count++] = user->pw_uid;
	else if (isdigit((unsigned char)arg[0]))
		f->uids[f->uid_count++] = parse_long(state, "--uid", arg, 0, UINT32_MAX);
	else
		argp_error(state, "--uid: no user '%s'", arg);
}

static void add_comm(struct capture_filter *f, const char *arg, struct argp_state *state)
{
	if (!arg[0] || strlen(arg) >= RT_COMM_LEN)
		argp_error(state, "--comm: '%s': names have 1 to %d bytes", arg, RT_COMM_LEN - 1);
	else if (f->comm_count == RT_FILTERS)
		argp_error(state, "--comm: at most %d", RT_FILTERS);
	else
		f->comms[f->comm_count++] = arg;
}

static void add_kept_off(struct kept_off *k, const char *arg, struct argp_state *state)
{
	int err = kept_off__add(k, arg);

	if (err == -E2BIG)
		argp_error(state, "--keep-off: too many");
	else if (err)
		argp_error(state, "--keep-off: '%s': names have 1 to %d bytes, and no folder", arg,
			   RT_EXE_NAME - 1);
}

static void add_cgroup(struct capture_filter *f, const char *arg, struct argp_state *state)
{
	if (f->cgroup_count == RT_FILTERS)
		argp_error(state, "--cgroup: at most %d", RT_FILTERS);
	else
		f->cgroups[f->cgroup_count++] = arg;
}

/* "10us": a number and its unit. */
static uint64_t parse_time(struct argp_state *state, const char *what, const char *arg)
{
	static const struct {
		const char *suffix;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}};
	size_t digits = strspn(arg, "0123456789.");
	char *end;
	double v = strtod(arg, &end); /* which takes more than digits */

	for (size_t i = 0; digits && end == arg + digits && i < COUNT(units); i++)
		if (!strcmp(end, units[i].suffix) && v * units[i].ns < 1e18)
			return v * units[i].ns;
	argp_error(state, "%s: '%s' is not a time like 500ns, 10us, 1.5ms, 2s", what, arg);
	return 0;
}

/* "100M": a number of bytes; 0: it is none. */
static uint64_t size_of(const char *arg)
{
	static const struct {
		const char *suffix;
		double bytes;
	} units[] = {{"", 1},	       {"K", 1 << 10},	  {"KiB", 1 << 10},
		     {"M", 1 << 20},   {"MiB", 1 << 20},  {"G", 1 << 30},
		     {"GiB", 1 << 30}, {"T", 1ULL << 40}, {"TiB", 1ULL << 40}};
	size_t digits = strspn(arg, "0123456789.");
	char *end;
	double v = strtod(arg, &end);

	for (size_t i = 0; digits && end == arg + digits && i < COUNT(units); i++)
		if (!strcmp(end, units[i].suffix) && v * units[i].bytes < 1e18)
			return v * units[i].bytes;
	return 0;
}

static uint64_t parse_size(struct argp_state *state, const char *what, const char *arg)
{
	uint64_t size = size_of(arg);

	if (size < SIZE_MIN)
		argp_error(state, "%s: '%s' is not a size like 500K, 100M, 2G (at least %uK)", what,
			   arg, SIZE_MIN >> 10);
	return size;
}

static void parse_rotate(struct options *o, struct argp_state *state, const char *arg)
{
	size_t len = strlen(arg);

	if (len && strchr("snh", arg[len - 1]))
		o->settings.limits.rotate_ns = parse_time(state, "--rotate", arg);
	else
		o->settings.limits.rotate_bytes = parse_size(state, "--rotate", arg);
	if (o->settings.limits.rotate_ns && o->settings.limits.rotate_ns < 1000000000)
		argp_error(state, "--rotate: '%s' is less than a second", arg);
}

static bool parse_on_off(struct argp_state *state, const char *what, const char *arg)
{
	if (strcmp(arg, "on") && strcmp(arg, "off"))
		argp_error(state, "%s: '%s' is neither on nor off", what, arg);
	return !strcmp(arg, "on");
}

/* The unit may come after the periods. */
static void parse_periods(struct options *o, struct argp_state *state)
{
	uint64_t unit = collection_periods__unit(o->period_unit ? o->period_unit : "sec");

	if (!unit)
		argp_error(state,
			   "--collection-period-unit: unknown '%s' (hour, min, sec, msec, "
			   "usec, nsec)",
			   o->period_unit);
	for (size_t i = 0; i < o->period_args.count; i++)
		if (!collection_periods__add(&o->periods, o->period_args.pattern[i], unit))
			argp_error(state, "-P: '%s' is not DELAY:LENGTH:REPEAT",
				   o->period_args.pattern[i]);
}

static double parse_seconds(struct argp_state *state, const char *arg)
{
	char *end;
	double v;

	v = strtod(arg, &end);
	if (end == arg || *end || !isfinite(v) || v <= 0 || v > 1e9)
		argp_error(state, "--duration: '%s' is not a number of seconds", arg);
	return v;
}

static int parse_mode(struct argp_state *state, const char *arg)
{
	for (int i = 0; i < CAPTURE_MODES; i++)
		if (!strcmp(arg, capture_mode_names[i]))
			return i;
	argp_error(state, "--attach: unknown mode '%s' (session, multi, tracefs)", arg);
	return -1;
}

static enum capture_by parse_capture(struct argp_state *state, const char *arg)
{
	static const char *const words[] = {
		[CAPTURE_BY_AUTO] = "auto",
		[CAPTURE_BY_UPROBE] = "uprobe",
		[CAPTURE_BY_AGENT] = "agent",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(arg, words[i]))
			return i;
	argp_error(state, "--capture: unknown word '%s' (auto, uprobe, agent)", arg);
	return CAPTURE_BY_AUTO;
}

static size_t parse_buffer(struct argp_state *state, const char *option, const char *arg)
{
	long mib = parse_long(state, option, arg, 1, 1024);

	if (mib & (mib - 1))
		argp_error(state, "%s: '%s' is not a power of two", option, arg);
	return (size_t)mib << 20;
}

static void check_address(const char *arg, struct argp_state *state)
{
	struct sockaddr_storage address;
	socklen_t len;

	if (!metrics__parse_address(arg, &address, &len))
		argp_error(state, "--metrics: '%s' is not a port, or an address and a port", arg);
}

static void check_limits(const struct options *o, struct argp_state *state)
{
	const struct rec_limits *l = &o->settings.limits;
	bool records = false, several = l->rotate_bytes || l->rotate_ns || l->keep_ns;

	for (size_t i = 0; i < o->format_count; i++)
		records |= !strcmp(o->formats[i]->name, "rtrace");
	if (!records && (several || l->max_bytes))
		argp_error(state, "--rotate, --max-size and --keep are for recordings: -f rtrace");
	if (l->keep_ns && (l->rotate_bytes || l->rotate_ns))
		argp_error(state, "--keep and --rotate exclude each other");
	if (l->dump_on_error && !l->keep_ns)
		argp_error(state, "--dump-on-error: only with --keep");
	if (o->per_process && o->output && !strcmp(o->output, "-"))
		argp_error(state, "-o -: --per-process writes files, not to stdout");
	if (o->per_process && !o->format_count)
		argp_error(state, "--per-process: of which format? (-f)");
	if (several && o->output && !strcmp(o->output, "-"))
		argp_error(state, "-o -: --rotate and --keep write files, not to stdout");
}

/* The filters apply to calls that BPF programs see, and such calls select a filter's processes. */
static void check_capture(const struct options *o, struct argp_state *state)
{
	if (o->capture_by != CAPTURE_BY_AGENT)
		return;
	if (o->filter.uid_count || o->filter.comm_count || o->filter.cgroup_count)
		argp_error(state, "--capture agent: not with --uid, --comm or --cgroup");
	if (o->dispatch_from_bpf)
		argp_error(state, "--capture agent and --dispatch-from-bpf exclude each other");
}

/* One purpose at a time: a process is traced by -p, -a or by being launched. */
static void check(const struct options *o, struct argp_state *state)
{
	int ways = !!o->pid_count + o->all + !!o->command;

	if (!ways)
		argp_error(state, "nothing to trace: give -p PID, -a or -- COMMAND");
	if (ways > 1)
		argp_error(state, "-p, -a and a command exclude each other");
	for (size_t i = 0; i < o->format_count; i++)
		if (o->formats[i]->own_files && o->output && !strcmp(o->output, "-"))
			argp_error(state, "-o -: %s writes files, not to stdout",
				   o->formats[i]->name);
	check_limits(o, state);
	check_capture(o, state);
	if (o->stop_with_command && !o->command)
		argp_error(state, "--stop-with-command: only for a command");
	if (o->agent_ring_bytes && !o->command)
		argp_error(state, "--gpu-buffer: only for a command (a running process has what "
				  "RTRACE_AGENT_RING said when it started)");
}

static error_t parse_domain(int key, char *arg, struct options *o, struct argp_state *state)
{
	static const struct {
		int key;
		const char *word;
	} aliases[] = {
		{OPT_HIP_TRACE, "hip"},		 {OPT_HSA_TRACE, "hsa"},
		{OPT_KFD_TRACE, "kfd"},		 {OPT_MARKER_TRACE, "roctx"},
		{OPT_KERNEL_TRACE, "kernel"},	 {'r', "runtime"},
		{OPT_COPY_TRACE, "memory-copy"}, {'s', "all"},
		{OPT_MEMORY_TRACE, "memory"},	 {OPT_SCRATCH_TRACE, "scratch"},
	};

	if (key == 't') {
		add_domains(o, arg, state);
		return 0;
	}
	for (size_t i = 0; i < COUNT(aliases); i++) {
		if (aliases[i].key != key)
			continue;
		add_domain(o, aliases[i].word, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *o = state->input;

	switch (key) {
	case 'p':
		add_pid(o, parse_long(state, "-p", arg, 1, INT_MAX), state);
		break;
	case 'a':
		o->all = true;
		break;
	case 'f':
		add_format(o, arg, state);
		break;
	case 'S':
		o->summary = true;
		break;
	case 'o':
		o->output = arg;
		break;
	case 'd':
		o->folder = arg;
		break;
	case 'v':
		log_level++;
		break;
	case OPT_DURATION:
		o->duration = parse_seconds(state, arg);
		break;
	case OPT_STOP_WITH_COMMAND:
		o->stop_with_command = true;
		break;
	case OPT_ATTACH:
		o->attach_mode = parse_mode(state, arg);
		break;
	case OPT_CAPTURE:
		o->capture_by = parse_capture(state, arg);
		break;
	case OPT_BUFFER:
		o->ring_bytes = parse_buffer(state, "--buffer", arg);
		break;
	case OPT_GPU_BUFFER:
		o->agent_ring_bytes = parse_buffer(state, "--gpu-buffer", arg);
		break;
	case OPT_ALL_FUNCTIONS:
		o->selection.hot = true;
		break;
	case OPT_DISPATCH_FROM_BPF:
		o->dispatch_from_bpf = true;
		break;
	case 'e':
		if (!selection__add_function(&o->selection, arg))
			argp_error(state, "-e: at most %d", SELECT_GLOBS);
		break;
	case OPT_STACKS:
		if (!globs__add(&o->selection.stacks, arg ? arg : "*"))
			argp_error(state, "--stacks: at most %d", SELECT_GLOBS);
		break;
	case 'P':
		if (!globs__add(&o->period_args, arg))
			argp_error(state, "-P: too many");
		break;
	case OPT_PERIOD_UNIT:
		o->period_unit = arg;
		break;
	case OPT_CGROUP:
		add_cgroup(&o->filter, arg, state);
		break;
	case OPT_UID:
		add_uid(&o->filter, arg, state);
		break;
	case OPT_COMM:
		add_comm(&o->filter, arg, state);
		break;
	case OPT_KEEP_OFF:
		add_kept_off(&o->kept_off, arg, state);
		break;
	case OPT_MIN_DURATION:
		o->filter.min_duration = parse_time(state, "--min-duration", arg);
		break;
	case OPT_BARRIERS:
		o->selection.barriers = true;
		break;
	case OPT_ERRORS_ONLY:
		o->filter.errors_only = true;
		break;
	case OPT_TRACE_START:
		o->start_off = !parse_on_off(state, "--trace-start", arg);
		break;
	case OPT_SELECTED_REGIONS:
		o->selected_regions = true;
		break;
	case OPT_MAX_SIZE:
		o->settings.limits.max_bytes = parse_size(state, "--max-size", arg);
		break;
	case OPT_ROTATE:
		parse_rotate(o, state, arg);
		break;
	case OPT_KEEP:
		o->settings.limits.keep_ns = parse_time(state, "--keep", arg);
		break;
	case OPT_PER_PROCESS:
		o->per_process = true;
		break;
	case OPT_DUMP_ON_ERROR:
		o->settings.limits.dump_on_error = true;
		break;
	case OPT_SUMMARY_JSON:
		o->summary_json = arg;
		break;
	case OPT_METRICS:
		o->settings.metrics = arg;
		check_address(arg, state);
		break;
	case 'M':
		o->kernel_names = KERNEL_NAMES_MANGLED;
		break;
	case 'T':
		o->kernel_names = KERNEL_NAMES_TRUNCATED;
		break;
	case ARGP_KEY_ARGS:
		o->command = state->argv + state->next;
		break;
	case ARGP_KEY_END:
		if (o->selection.barriers)
			o->selection.domains |= 1u << DOMAIN_GPU;
		o->all |= o->all_by_default && !o->pid_count && !o->command;
		check(o, state);
		parse_periods(o, state);
		o->selection.doorbells = o->dispatch_from_bpf && o->selection.kernels;
		break;
	default:
		return parse_domain(key, arg, o, state);
	}
	return 0;
}

const struct argp options_argp = {argp_options, parse, NULL, NULL, NULL, NULL, NULL};

void record_options__init(struct options *o)
{
	*o = (struct options){.attach_mode = -1};
	selection__all(&o->selection);
	kept_off__init(&o->kept_off);
}

void record_options__parse(struct options *o, int argc, char **argv)
{
	static const struct argp argp = {argp_options, parse, "[-- COMMAND [ARG...]]", doc, NULL,
					 NULL,	       NULL};

	record_options__init(o);
	argp_err_exit_status = EXIT_USAGE;
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, o);
	if (!o->format_count && !o->summary && !o->settings.metrics)
		o->formats[o->format_count++] = sink__find("text");
}

void record_options__free(struct options *o)
{
	free(o->pids);
}
