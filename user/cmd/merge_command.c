// SPDX-License-Identifier: MIT
/*
 * Reads recordings side by side, a chunk at a time from the one that has been read least far in
 * time, and writes their events as one recording.
 */
#include "user/cmd/merge_command.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/log.h"
#include "user/record/record_options.h"
#include "user/base/output_file.h"
#include "user/output/output_set.h"
#include "user/recording/recording_reader.h"

/*
 * A process of node n has n in the bits above those that Linux has process numbers in, below 2^31
 * as Perfetto wants it. An ID of recording r has r above 42 bits, below 2^53: readers of JSON have
 * that exactly.
 */
#define PID_BITS 22
#define ID_BITS	 42
#define MOST	 512 /* nodes, and recordings: each is an open file */

/* Clocks that are further apart than that were set in between: they are read one after the other.
 */
#define CLOCK_SET_NS 1000000

static const char doc[] =
	"Join recordings of rtrace-bpf (-f rtrace), of several nodes or of one, into one "
	"recording.\v"
	"The nodes' clocks are matched by the wall clock that each recording holds, which is as "
	"right as NTP kept it; with --align by a roctx mark that each node made at the same "
	"moment, as behind a barrier.\n"
	"\n"
	"Examples:\n"
	"  rtrace-bpf merge node*.rtrace                 merged.rtrace\n"
	"  rtrace-bpf merge -o job.rtrace rank-*.rtrace\n"
	"  rtrace-bpf merge --align 'step 0' -o job.rtrace node*.rtrace\n"
	"\n"
	"Exit status: 0, 1 if a recording cannot be read or the output not be written, 2 for a "
	"wrong command line. A recording that was cut off is joined up to there, with a warning.";

enum { OPT_ALIGN = 0x100 };

static const struct argp_option argp_options[] = {
	{"output", 'o', "FILE", 0, "Write there. Default: merged.rtrace", 0},
	{"align", OPT_ALIGN, "MARK", 0,
	 "The first roctx mark of that message is the same moment on every node", 0},
	{NULL, 0, NULL, 0, NULL, 0},
};

struct node {
	const char *boot_id, *hostname; /* of its first recording */
	uint32_t number;
	uint64_t latest;   /* when `key` was read, on its clock */
	int64_t key;	   /* from its clock to the one that all have: up to a constant */
	uint64_t error_ns; /* of the wall clock, 0: not known */
	uint64_t marked;   /* when --align's mark was, 0: it was not */
};

struct part {
	const char **paths; /* its files */
	size_t path_count;
	uint8_t uuid[16];
	struct recording *recording;
	struct node *node;
	uint64_t id; /* in the bits above ID_BITS */
	bool done;
	struct join *join;
};

struct join {
	const char **paths, *output, *align;
	size_t path_count;
	struct part *parts;
	size_t part_count;
	struct node *nodes;
	size_t node_count;
	const struct node *first; /* its clock is that of all */
	struct strings *strings;
	struct output *out;
	int error; /* the first that an event met */
};

/* ---- which file is of which recording, which recording of which node ---- */

static struct part *part_of(struct join *j, const uint8_t *uuid)
{
	struct part *p = j->parts;

	while (p < j->parts + j->part_count && memcmp(p->uuid, uuid, sizeof(p->uuid)))
		p++;
	return p;
}

/* 0 or -errno, which is logged. */
static int sort_file(struct join *j, const char *path)
{
	struct recording *r = recording_reader__open(path);
	const struct trace_origin *origin = r ? recording_reader__origin(r) : NULL;
	struct part *p;
	int err = 0;

	if (!r)
		return -EINVAL;
	p = part_of(j, origin->uuid);
	if (origin->nodes) {
		log_err("%s: is merged already: give the recordings that it was made of", path);
		err = -EINVAL;
	} else if (p == j->parts + j->part_count) {
		p->paths = calloc(j->path_count, sizeof(*p->paths));
		err = p->paths ? 0 : -ENOMEM;
		memcpy(p->uuid, origin->uuid, sizeof(p->uuid));
		p->join = j;
		p->id = j->part_count++;
	}
	if (!err)
		p->paths[p->path_count++] = path;
	recording_reader__close(r);
	return err;
}

static struct node *node_of(struct join *j, const struct trace_origin *o)
{
	struct node *n = j->nodes;

	while (n < j->nodes + j->node_count && (!*o->boot_id || strcmp(n->boot_id, o->boot_id)))
		n++;
	if (n == j->nodes + j->node_count) {
		j->node_count++;
		*n = (struct node){.boot_id = o->boot_id, .hostname = o->hostname};
	}
	return n;
}

static int64_t wall_offset(const struct trace_clocks *c)
{
	return (int64_t)(c->real_ns - c->boot_ns);
}

/*
 * CLOCK_BOOTTIME goes as fast as the wall clock, which NTP steers, but is never set. So the
 * difference is the same all the time, or the later one is right.
 */
static void read_clocks(struct part *p)
{
	const struct trace_origin *o = recording_reader__origin(p->recording);
	const struct trace_clocks begin = o->clocks,
				  end = recording_reader__end_clocks(p->recording);
	const struct trace_clocks *latest = end.boot_ns ? &end : &begin;
	int64_t change = wall_offset(latest) - wall_offset(&begin);
	struct node *n = p->node;

	if (change > CLOCK_SET_NS || change < -CLOCK_SET_NS)
		log_warn("%s: the wall clock was set by %+.6f s during the recording: its last "
			 "times are taken as right",
			 p->paths[0], (double)change / 1e9);
	if (latest->boot_ns < n->latest)
		return;
	n->latest = latest->boot_ns;
	n->key = wall_offset(latest);
	n->error_ns = o->real_error_ns;
}

static int open_part(struct join *j, struct part *p)
{
	p->recording = recording_reader__open_files(p->paths, p->path_count);
	if (!p->recording)
		return -EINVAL;
	p->node = node_of(j, recording_reader__origin(p->recording));
	read_clocks(p);
	return 0;
}

static int open_parts(struct join *j)
{
	int err = 0;

	j->parts = calloc(j->path_count, sizeof(*j->parts));
	j->nodes = calloc(j->path_count, sizeof(*j->nodes));
	j->strings = string_pool__new();
	if (!j->parts || !j->nodes || !j->strings)
		return -ENOMEM;
	for (size_t i = 0; i < j->path_count && !err; i++)
		err = sort_file(j, j->paths[i]);
	if (!err && j->part_count > MOST) {
		log_err("merge: %zu recordings; %d at most", j->part_count, MOST);
		err = -E2BIG;
	}
	for (size_t i = 0; i < j->part_count && !err; i++)
		err = open_part(j, &j->parts[i]);
	return err;
}

/* ---- --align ---- */

static void ignore_process(const struct process_info *info, void *arg)
{
	(void)info, (void)arg;
}

static void ignore_thread(const struct thread_info *info, void *arg)
{
	(void)info, (void)arg;
}

static void ignore_device(const struct device_info *info, void *arg)
{
	(void)info, (void)arg;
}

static void look_for_mark(const struct event *ev, void *arg)
{
	struct part *p = arg;
	struct node *n = p->node;

	if (ev->kind == EV_MARK && !strcmp(ev->name, p->join->align) &&
	    (!n->marked || ev->begin < n->marked))
		n->marked = ev->begin;
}

/* The recording is opened once more; it is read up to the chunk that has the mark. */
static int find_mark(struct join *j, struct part *p)
{
	const struct decoder_to to = {ignore_process, ignore_thread, ignore_device,
				      look_for_mark,  NULL,	     p};
	const uint64_t before = p->node->marked;
	struct recording *r = recording_reader__open_files(p->paths, p->path_count);
	int err = r ? recording_reader__begin(r, j->strings, &to) : -EINVAL;

	while (!err && p->node->marked == before && (err = recording_reader__next(r)) > 0)
		err = 0;
	recording_reader__close(r);
	return err;
}

static int find_marks(struct join *j)
{
	int err = 0;

	for (size_t i = 0; i < j->part_count && !err; i++)
		err = find_mark(j, &j->parts[i]);
	for (struct node *n = j->nodes; n < j->nodes + j->node_count && !err; n++) {
		if (!n->marked) {
			log_err("merge: %s made no mark '%s'", n->hostname, j->align);
			err = -ENOENT;
		}
		n->key = -(int64_t)n->marked;
	}
	return err;
}

/* ---- the clock and the numbers ---- */

static int64_t shift_of(const struct join *j, const struct node *n)
{
	return n->key - j->first->key;
}

static void say_clock(const struct join *j, const struct node *n)
{
	double shift = (double)shift_of(j, n) / 1e9, error = (double)n->error_ns / 1e6;

	if (j->align)
		log_say("%s: its clock %+.6f s, by the mark", n->hostname, shift);
	else if (n->error_ns)
		log_say("%s: its clock %+.6f s, right to %.3f ms by NTP's account", n->hostname,
			shift, error);
	else
		log_say("%s: its clock %+.6f s; nobody kept its wall clock (no NTP)", n->hostname,
			shift);
}

static void settle_nodes(struct join *j)
{
	uint32_t number = 1;

	j->first = j->nodes;
	for (struct node *n = j->nodes; n < j->nodes + j->node_count; n++)
		if (n->key < j->first->key)
			j->first = n;
	for (struct node *n = j->nodes; n < j->nodes + j->node_count; n++) {
		if (n != j->first)
			n->number = number++;
		if (j->node_count > 1)
			say_clock(j, n);
	}
}

static uint32_t number_in(struct part *p, uint32_t number)
{
	if (number >> PID_BITS && !p->join->error) {
		log_err("%s: a process of number %" PRIu32 ", which Linux does not have",
			p->paths[0], number);
		p->join->error = -ERANGE;
	}
	return p->node->number << PID_BITS | number;
}

static uint64_t id_in(struct part *p, uint64_t id)
{
	if (id >> ID_BITS && !p->join->error) {
		log_err("%s: a correlation ID of %" PRIu64 ", too large to be merged", p->paths[0],
			id);
		p->join->error = -ERANGE;
	}
	return id ? p->id << ID_BITS | id : 0;
}

static uint64_t time_in(const struct part *p, uint64_t time)
{
	int64_t shift = shift_of(p->join, p->node);

	return shift < 0 && time < -(uint64_t)shift ? 0 : time + (uint64_t)shift;
}

/* ---- what the readers pass on ---- */

static void tell_process(const struct process_info *info, void *arg)
{
	struct part *p = arg;
	struct process_info there = *info;
	char comm[256];

	there.pid = number_in(p, info->pid);
	if (p->join->node_count > 1) {
		snprintf(comm, sizeof(comm), "%s/%s", p->node->hostname, info->comm);
		there.comm = comm;
	}
	output_set__process(p->join->out, &there);
}

static void tell_thread(const struct thread_info *info, void *arg)
{
	struct part *p = arg;
	struct thread_info there = *info;

	there.pid = number_in(p, info->pid);
	there.tid = number_in(p, info->tid);
	output_set__thread(p->join->out, &there);
}

/* Readers compare devices of two processes by their place: on another node it is another place. */
static void tell_device(const struct device_info *info, void *arg)
{
	struct part *p = arg;
	struct device_info there = *info;
	char details[1024];

	there.pid = number_in(p, info->pid);
	if (p->join->node_count > 1 && info->details) {
		snprintf(details, sizeof(details), "%s%sin %s", info->details,
			 *info->details ? ", " : "", p->node->hostname);
		there.details = details;
	}
	output_set__device(p->join->out, &there);
}

static void tell_event(const struct event *ev, void *arg)
{
	struct part *p = arg;
	struct event there = *ev;

	there.pid = number_in(p, ev->pid);
	there.tid = number_in(p, ev->tid);
	there.begin = time_in(p, ev->begin);
	there.end = time_in(p, ev->end);
	there.corr = id_in(p, ev->corr);
	there.parent = id_in(p, ev->parent);
	there.root = id_in(p, ev->root);
	there.in_range = id_in(p, ev->in_range);
	if (ev->kind == EV_RANGE || ev->kind == EV_MARK)
		there.range.id = id_in(p, ev->range.id);
	if (ev_is_operation(ev->kind) || ev_is_resource(ev->kind))
		there.gpu.submit = time_in(p, ev->gpu.submit);
	output_set__event(p->join->out, &there);
}

/* ---- reading and writing ---- */

/* The part that has been read least far in time; NULL: all are done. */
static struct part *next_part(const struct join *j)
{
	struct part *least = NULL;
	uint64_t at, least_at = 0;

	for (struct part *p = j->parts; p < j->parts + j->part_count; p++) {
		if (p->done)
			continue;
		at = recording_reader__reached(p->recording);
		at = time_in(p, at ? at : recording_reader__origin(p->recording)->clocks.boot_ns);
		if (!least || at < least_at) {
			least = p;
			least_at = at;
		}
	}
	return least;
}

static uint64_t max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The sum of the numbers of all recordings so far, and the time of the latest ones. */
static struct trace_stats sum(const struct join *j, const struct trace_clocks *begin)
{
	struct trace_stats sum = {};
	uint64_t value, more, ended;

	for (const struct part *p = j->parts; p < j->parts + j->part_count; p++) {
		const struct trace_stats *s = recording_reader__stats(p->recording);

		for (unsigned int i = 0; trace_stats__field(&sum, i, &value); i++) {
			trace_stats__field(s, i, &more);
			trace_stats__set(&sum, i, value + more);
		}
		sum.clock_error -= s->clock_error;
		sum.clock_error = max(sum.clock_error, s->clock_error);
		ended = s->ended.boot_ns ? time_in(p, s->ended.boot_ns) : 0;
		sum.ended.boot_ns = max(sum.ended.boot_ns, ended);
	}
	if (sum.ended.boot_ns) {
		sum.ended.mono_ns = begin->mono_ns + (sum.ended.boot_ns - begin->boot_ns);
		sum.ended.real_ns = begin->real_ns + (sum.ended.boot_ns - begin->boot_ns);
	}
	return sum;
}

/*
 * The data that a chunk's events point to is freed with the chunk. So the events are written before
 * the next chunk is read: the flush makes the sink forget all that it remembers by address.
 */
static int join_chunks(struct join *j, const struct trace_clocks *begin)
{
	struct trace_stats so_far;
	struct part *p;
	int err = 0;

	for (size_t i = 0; i < j->part_count && !err; i++) {
		const struct decoder_to to = {tell_process, tell_thread, tell_device,
					      tell_event,   NULL,	 &j->parts[i]};

		err = recording_reader__begin(j->parts[i].recording, j->strings, &to);
	}
	while (!err && (p = next_part(j))) {
		err = recording_reader__next(p->recording);
		so_far = sum(j, begin);
		output_set__flush(j->out, 0, &so_far);
		p->done = err <= 0;
		if (err > 0)
			err = 0;
		if (!err)
			err = j->error;
	}
	return err;
}

/* Of the first recording of the node that has the clock. */
static struct trace_origin origin_of(const struct join *j)
{
	const struct part *p = j->parts;
	struct trace_origin o;

	while (p->node != j->first)
		p++;
	o = *recording_reader__origin(p->recording);
	o.nodes = j->node_count;
	trace_origin__new_uuid(&o);
	return o;
}

static int write_joined(struct join *j)
{
	const struct trace_origin origin = origin_of(j);
	struct trace_stats stats;
	int err;

	j->out = output_set__new(NULL, &origin);
	err = j->out ? output_set__add(j->out, &sink_rtrace, j->output, NULL) : -ENOMEM;
	if (!err)
		err = join_chunks(j, &origin.clocks);
	if (err) {
		output_set__discard(j->out);
		return err;
	}
	stats = sum(j, &origin.clocks);
	return output_set__close(j->out, &stats);
}

static int check_output(const struct join *j)
{
	for (size_t i = 0; i < j->path_count; i++)
		if (output_file__is_same(j->output, j->paths[i])) {
			log_err("output: %s: this is one of the recordings", j->output);
			return -EINVAL;
		}
	return 0;
}

static int join(struct join *j)
{
	int err = check_output(j);

	if (!err)
		err = open_parts(j);
	if (!err && j->align)
		err = find_marks(j);
	if (err)
		return err;
	settle_nodes(j);
	return write_joined(j);
}

static void free_join(struct join *j)
{
	for (size_t i = 0; i < j->part_count; i++) {
		recording_reader__close(j->parts[i].recording);
		free(j->parts[i].paths);
	}
	free(j->parts);
	free(j->nodes);
	string_pool__free(j->strings);
	free(j->paths);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct join *j = state->input;

	switch (key) {
	case 'o':
		j->output = arg;
		return 0;
	case OPT_ALIGN:
		j->align = arg;
		return 0;
	case ARGP_KEY_ARG:
		j->paths[j->path_count++] = arg;
		return 0;
	case ARGP_KEY_END:
		if (!j->path_count)
			argp_error(state, "which recordings?");
		if (!strcmp(j->output, "-"))
			argp_error(state, "-o -: a recording is a file");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int merge_command__main(int argc, char **argv)
{
	static const struct argp argp = {argp_options, parse, "RECORDING...", doc, NULL,
					 NULL,	       NULL};
	struct join j = {.paths = calloc(argc, sizeof(*j.paths)), .output = "merged.rtrace"};
	int err;

	if (!j.paths)
		return 1;
	argp_err_exit_status = EXIT_USAGE;
	argv[0] = "rtrace-bpf merge";
	err = argp_parse(&argp, argc, argv, 0, NULL, &j);
	if (!err)
		err = join(&j);
	free_join(&j);
	return err ? 1 : 0;
}
