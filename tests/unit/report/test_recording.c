// SPDX-License-Identifier: MIT
/*
 * Recordings: what is written comes back; what is cut, broken or missing is left out and nothing
 * else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "tests/unit/formats/sink_feed.h"
#include "user/api/call_arguments.h"
#include "user/recording/chunk_format.h"
#include "user/recording/decode.h"
#include "user/recording/encode.h"
#include "user/base/log.h"
#include "user/recording/recording_reader.h"

/* ---- any event ---- */

#define EVENTS 5000

static uint64_t random_state;

/* Numbers of all lengths, small ones often. */
static uint64_t any(void)
{
	random_state = random_state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (random_state >> 13) >> (random_state % 64);
}

static const char *const texts[] = {"a", "hipMemcpy", "void vadd<float>(float const*)", NASTY,
				    "\xff"};

static const char *any_text(void)
{
	return texts[any() % 5];
}

/* A call that some header describes. */
static const struct api_function *any_function(void)
{
	return any() % 4 ? &api_functions[any() % api_function_count] : NULL;
}

struct made {
	struct event ev;
	struct call_values values;
	uint64_t words[2][16];
	unsigned char reads[RT_READS][64];
	const char *stack[RT_STACK_DEPTH];
};

static void make_call(struct made *m)
{
	struct event *ev = &m->ev;
	struct call_values *v = &m->values;
	uint32_t registers;

	ev->api = any_function();
	registers = api__registers(ev->api);
	for (int i = 0; i < RT_ARGS; i++)
		v->regs[i] = ev->args[i] = registers & 1u << i ? any() : 0;
	v->ret = ev->ret = any();
	ev->depth = (uint32_t)any();
	ev->stream = any() % 3 ? (uint32_t)any() : STREAM_NONE;
	v->kernel = ev->kernel = any() % 2 ? any_text() : NULL;
	ev->stack_depth = any() % 3 ? 0 : any() % RT_STACK_DEPTH;
	for (uint32_t i = 0; i < ev->stack_depth; i++)
		m->stack[i] = any_text();
	ev->stack = m->stack;
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < 16; i++)
			m->words[k][i] = any();
	v->stack = (void *)m->words[0];
	v->stack_words = any() % 17;
	v->sse = (void *)m->words[1];
	v->sse_words = any() % 9;
	for (int i = 0; i < RT_READS; i++) {
		if (any() % 3)
			continue;
		memset(m->reads[i], any(), sizeof(m->reads[i]));
		v->read[i] = (struct call_read){m->reads[i], any() % 65, any() % 2};
	}
	v->returned = !(ev->flags & (EV_F_UNFINISHED | EV_F_UNWOUND | EV_F_ENTRY));
	ev->values = v;
}

static int32_t any_device(void)
{
	return (int32_t)(any() % 10) - 2;
}

static void make_operation(struct event *ev)
{
	struct gpu_info *g = &ev->gpu;

	g->device = any_device();
	g->queue = (uint32_t)any();
	g->submit = any();
	g->op = any();
	g->stream = any() % 3 ? (uint32_t)any() % 100 : STREAM_NONE;
	g->ordinal = (uint32_t)any();
	if (ev->kind == EV_DISPATCH) {
		for (int i = 0; i < 3; i++) {
			g->grid[i] = any() % 3;
			g->workgroup[i] = any() % 2;
		}
		g->lds = any() % 2;
		g->scratch = any() % 2;
		g->kernel = any() % 3;
		g->code = any() % 2;
		g->vgprs = any() % 2;
		g->accum_vgprs = (uint32_t)any();
		g->sgprs = any() % 2;
	} else if (ev->kind == EV_COPY) {
		g->bytes = any();
		g->dir = any() % COPY_DIRS;
		g->src_device = any_device();
		g->dst_device = any_device();
		g->engine = (uint32_t)any();
	} else if (ev_is_resource(ev->kind)) {
		g->resource = (struct resource_info){
			.what = any() % RESOURCE_COUNT,
			.bytes_known = any() % 2,
			.in_use_known = any() % 2,
			.id = (uint32_t)any(),
			.count = (uint32_t)any(),
			.address = any(),
			.bytes = any(),
			.in_use = any(),
			.text = any() % 2 ? any_text() : NULL,
		};
	}
}

static void make_event(struct made *m)
{
	struct event *ev = &m->ev;

	memset(m, 0, sizeof(*m));
	ev->kind = any() % (EV_RUNTIME + 1);
	ev->domain = any() % DOMAIN_COUNT;
	ev->flags = any() % 0x400;
	ev->pid = any() % 3;
	ev->tid = any() % 4;
	ev->begin = any();
	ev->end = ev->begin + any() % 1000000;
	ev->corr = any();
	ev->parent = any() % 2 ? any() : 0;
	ev->root = any() % 2 ? any() : ev->corr;
	ev->in_range = any() % 3;
	ev->external = ev->flags & EV_F_EXTERNAL ? any() : 0;
	ev->name = any() % 5 || ev->kind == EV_SPAN ? any_text() : NULL;
	if (ev->kind == EV_SPAN)
		make_call(m);
	else if (ev->kind == EV_RANGE || ev->kind == EV_MARK)
		ev->range.id = any();
	else if (ev->kind != EV_GAP)
		make_operation(ev);
}

/* ---- that comes back ---- */

struct expected {
	struct made *made;
	size_t next;
};

static void assert_same_text(const char *a, const char *b)
{
	if (!a || !b)
		assert_ptr_equal(a, b);
	else
		assert_string_equal(a, b);
}

/* What the function is described as: its text of the same values. */
static void assert_same_description(const struct event *a, const struct event *b)
{
	struct textbuf x = {}, y = {};

	call_arguments__put(&x, a->api, a->values);
	call_arguments__put(&y, b->api, b->values);
	call_arguments__put_return(&x, a->api, a->values);
	call_arguments__put_return(&y, b->api, b->values);
	assert_string_equal(text_buffer__string(&x), text_buffer__string(&y));
	assert_int_equal(call_arguments__failed(a->api, a->values),
			 call_arguments__failed(b->api, b->values));
	text_buffer__free(&x);
	text_buffer__free(&y);
}

static void assert_same_call(const struct event *a, const struct event *b)
{
	const struct call_values *v = a->values, *w = b->values;

	assert_memory_equal(a->args, b->args, sizeof(a->args));
	assert_int_equal(a->ret, b->ret);
	assert_int_equal(a->depth, b->depth);
	assert_int_equal(a->stream, b->stream);
	assert_same_text(a->kernel, b->kernel);
	assert_int_equal(a->stack_depth, b->stack_depth);
	for (uint32_t i = 0; i < a->stack_depth; i++)
		assert_same_text(a->stack[i], b->stack[i]);
	assert_memory_equal(v->regs, w->regs, sizeof(v->regs));
	assert_int_equal(v->ret, w->ret);
	assert_int_equal(v->returned, w->returned);
	assert_int_equal(v->stack_words, w->stack_words);
	assert_int_equal(v->sse_words, w->sse_words);
	if (v->stack_words)
		assert_memory_equal(v->stack, w->stack, 8 * v->stack_words);
	if (v->sse_words)
		assert_memory_equal(v->sse, w->sse, 8 * v->sse_words);
	for (int i = 0; i < RT_READS; i++) {
		assert_int_equal(!v->read[i].data, !w->read[i].data);
		assert_int_equal(v->read[i].len, w->read[i].len);
		assert_int_equal(v->read[i].cut, w->read[i].cut);
		if (v->read[i].len)
			assert_memory_equal(v->read[i].data, w->read[i].data, v->read[i].len);
	}
	assert_int_equal(!a->api, !b->api);
	assert_same_description(a, b);
}

static void assert_same_gpu(const struct event *a, const struct event *b)
{
	struct gpu_info g = a->gpu, h = b->gpu;

	if (ev_is_resource(a->kind)) {
		assert_same_text(g.resource.text, h.resource.text);
		g.resource.text = h.resource.text = NULL;
	}
	assert_memory_equal(&g, &h, sizeof(g));
}

static void compare(const struct event *b, void *arg)
{
	struct expected *x = arg;
	const struct event *a = &x->made[x->next++].ev;

	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->domain, b->domain);
	assert_int_equal(a->flags, b->flags);
	assert_int_equal(a->pid, b->pid);
	assert_int_equal(a->tid, b->tid);
	assert_int_equal(a->begin, b->begin);
	assert_int_equal(a->end, b->end);
	assert_int_equal(a->corr, b->corr);
	assert_int_equal(a->parent, b->parent);
	assert_int_equal(a->root, b->root);
	assert_int_equal(a->in_range, b->in_range);
	assert_int_equal(a->external, b->external);
	assert_same_text(a->name, b->name);
	if (a->kind == EV_SPAN)
		assert_same_call(a, b);
	else if (a->kind == EV_RANGE || a->kind == EV_MARK)
		assert_int_equal(a->range.id, b->range.id);
	else if (a->kind != EV_GAP)
		assert_same_gpu(a, b);
}

static void no_process(const struct process_info *info, void *arg)
{
	fail();
}

/* No thread was recorded. */
static void no_thread(const struct thread_info *info, void *arg)
{
	fail();
}

static void no_device(const struct device_info *info, void *arg)
{
}

static void every_field_of_every_event_comes_back(void **state)
{
	struct strings *strings = string_pool__new();
	struct expected x = {calloc(EVENTS, sizeof(struct made)), 0};
	const struct decoder_to to = {no_process, no_thread, no_device, compare, NULL, &x};
	struct decoder *d = decoder__new(strings, &to);
	struct encoder *e = encoder__new();
	struct encoded chunk = {};

	random_state = 1;
	for (size_t i = 0; i < EVENTS; i++)
		make_event(&x.made[i]);
	for (size_t i = 0; i < EVENTS; i++) {
		encoder__event(e, &x.made[i].ev);
		if (i % 100 != 99)
			continue;
		assert_int_equal(encoder__take(e, &chunk), 0);
		assert_int_equal(chunk.events, 100);
		assert_int_equal(decoder__chunk(d, chunk.bytes.data, chunk.bytes.len), 0);
		assert_int_equal(x.next, i + 1);
	}
	byte_buffer__free(&chunk.bytes);
	encoder__free(e);
	decoder__free(d);
	string_pool__free(strings);
	free(x.made);
}

struct told_of {
	uint32_t pid;
	int times;
};

static void count_process(const struct process_info *info, void *arg)
{
	struct told_of *t = arg;

	t->times += info->pid == t->pid;
}

static void ignore_thread(const struct thread_info *info, void *arg)
{
}

static void ignore_event(const struct event *ev, void *arg)
{
}

/*
 * Encodes `chunks` chunks with an event of the process. Returns how many of them name the process.
 */
static int chunks_that_know(struct encoder *e, uint32_t pid, int chunks)
{
	const struct event ev = {.kind = EV_GAP, .pid = pid, .tid = pid, .name = "a"};
	struct strings *strings = string_pool__new();
	struct told_of told = {pid, 0};
	const struct decoder_to to = {count_process, ignore_thread, no_device,
				      ignore_event,  NULL,	    &told};
	struct decoder *d = decoder__new(strings, &to);
	struct encoded chunk = {};

	for (int i = 0; i < chunks; i++) {
		encoder__event(e, &ev);
		assert_int_equal(encoder__take(e, &chunk), 0);
		assert_int_equal(decoder__chunk(d, chunk.bytes.data, chunk.bytes.len), 0);
	}
	byte_buffer__free(&chunk.bytes);
	decoder__free(d);
	string_pool__free(strings);
	return told.times;
}

static void who_has_ended_is_forgotten_after_some_chunks(void **state)
{
	struct encoder *e = encoder__new();

	for (uint32_t pid = 7; pid < 9; pid++) {
		encoder__process(e, &(struct process_info){.pid = pid,
							   .comm = "job",
							   .cmdline = "",
							   .cgroup = "",
							   .libraries = ""});
		encoder__thread(e, &(struct thread_info){.pid = pid, .tid = pid, .comm = "job"});
	}
	encoder__ended(e, 7);
	encoder__ended(e, 9);
	assert_int_equal(chunks_that_know(e, 7, 10), 3);
	assert_int_equal(chunks_that_know(e, 8, 10), 10);
	/* The number is another one's. */
	encoder__process(
		e, &(struct process_info){
			   .pid = 7, .comm = "next", .cmdline = "", .cgroup = "", .libraries = ""});
	assert_int_equal(chunks_that_know(e, 7, 10), 10);
	encoder__free(e);
}

/* ---- files ---- */

static void to_process(const struct process_info *info, void *arg)
{
	struct sink *sink = arg;

	sink->ops->process(sink, info);
}

static void to_thread(const struct thread_info *info, void *arg)
{
	struct sink *sink = arg;

	sink->ops->thread(sink, info);
}

static void to_device(const struct device_info *info, void *arg)
{
	struct sink *sink = arg;

	sink->ops->device(sink, info);
}

static void to_event(const struct event *ev, void *arg)
{
	struct sink *sink = arg;

	sink->ops->event(sink, ev);
}

/* What the sink of that name makes of the recording of the awkward events; to be freed. */
static char *exported(const char *format)
{
	const struct sink_ops *ops = sink__find(format);
	struct strings *strings = string_pool__new();
	struct decoder_to to = {to_process, to_thread, to_device, to_event, NULL, NULL};
	struct recording *r;
	struct sink *sink;
	size_t size;
	char *text;
	FILE *out;

	write_trace("rtrace", feed);
	r = recording_reader__open(trace_path());
	assert_non_null(r);
	out = open_memstream(&text, &size);
	to.arg = sink = ops->open(&(struct sink_target){.out = out}, recording_reader__origin(r));
	assert_int_equal(recording_reader__read(r, strings, &to), 0);
	assert_int_equal(ops->close(sink, recording_reader__stats(r)), 0);
	fclose(out);
	recording_reader__close(r);
	string_pool__free(strings);
	return text;
}

/* Many chunks: one an event. */
#define CHUNKS 8

static void feed_chunks(struct sink *sink)
{
	const struct process_info process = {1, "app", "./app", "", 0, "", false};
	const struct thread_info thread = {1, 2, "main", false};
	struct event ev = {.kind = EV_MARK, .domain = DOMAIN_ROCTX, .pid = 1, .tid = 2};

	sink->ops->process(sink, &process);
	sink->ops->thread(sink, &thread);
	for (uint64_t i = 0; i < CHUNKS; i++) {
		ev.begin = ev.end = i * 2000000000ULL;
		ev.name = texts[i % 5];
		sink->ops->event(sink, &ev);
		sink->ops->flush(sink, &(struct trace_stats){});
	}
}

struct seen {
	size_t events, processes, threads;
};

static void see_process(const struct process_info *info, void *arg)
{
	((struct seen *)arg)->processes++;
}

static void see_thread(const struct thread_info *info, void *arg)
{
	((struct seen *)arg)->threads++;
}

static void see_event(const struct event *ev, void *arg)
{
	struct seen *s = arg;

	assert_int_equal(ev->begin % 2000000000ULL, 0);
	assert_same_text(ev->name, texts[ev->begin / 2000000000ULL % 5]);
	s->events++;
}

/* Reads these bytes as a file. -errno if they are no recording. */
static int read_bytes(const char *data, size_t size, struct seen *seen, struct trace_stats *told)
{
	const struct decoder_to to = {see_process, see_thread, no_device, see_event, NULL, seen};
	struct strings *strings = string_pool__new();
	char name[] = "/tmp/test_recording.XXXXXX";
	struct recording *r;
	int fd = mkstemp(name), err;

	memset(seen, 0, sizeof(*seen));
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	close(fd);
	r = recording_reader__open(name);
	unlink(name);
	err = r ? recording_reader__read(r, strings, &to) : -1;
	if (r && told)
		*told = *recording_reader__stats(r);
	recording_reader__close(r);
	string_pool__free(strings);
	return err;
}

/* Finds the chunks: `ends[i]` is the end of the i-th. Returns their number. */
static size_t find_chunks(const char *data, size_t size, size_t *ends)
{
	size_t at = sizeof(struct rec_header), n = 0;
	struct chunk_header h;

	while (at < size) {
		memcpy(&h, data + at, sizeof(h));
		assert_true(chunk_header__is_sane(&h));
		at += sizeof(h) + h.stored;
		ends[n++] = at;
	}
	assert_int_equal(at, size);
	return n;
}

static void the_awkward_come_back(void **state)
{
	static const char *const formats[] = {"json", "text", "stats"};
	char *direct, *again;
	size_t size;

	for (int i = 0; i < 3; i++) {
		write_trace(formats[i], feed);
		direct = read_file(&size);
		again = exported(formats[i]);
		assert_string_equal(direct, again);
		free(direct);
		free(again);
	}
}

static void a_recording_says_who_and_what_was_lost(void **state)
{
	struct trace_stats told;
	struct seen seen;
	size_t size;
	char *data;

	write_trace("rtrace", feed_chunks);
	data = read_file(&size);
	assert_int_equal(read_bytes(data, size, &seen, &told), 0);
	assert_int_equal(seen.events, CHUNKS);
	assert_int_equal(seen.processes, 1); /* though each chunk says it */
	assert_int_equal(seen.threads, 1);
	assert_int_equal(told.lost_spans, stats.lost_spans);
	assert_true(told.lost_other == stats.lost_other);
	free(data);
}

static void a_recording_that_is_cut_is_read_up_to_there(void **state)
{
	size_t ends[2 * CHUNKS + 8], size, chunks, whole = 0;
	struct trace_stats told;
	struct seen seen;
	char *data;

	write_trace("rtrace", feed_chunks);
	data = read_file(&size);
	chunks = find_chunks(data, size, ends);
	assert_int_equal(chunks, 2 * CHUNKS + 2); /* info, events and numbers in turn, end */
	for (size_t len = 0; len < size; len++) {
		int err = read_bytes(data, len, &seen, &told);

		if (len < sizeof(struct rec_header)) {
			assert_int_not_equal(err, 0);
			continue;
		}
		while (whole < chunks && ends[whole] <= len)
			whole++;
		assert_int_equal(err, 0);
		assert_int_equal(seen.events, whole == chunks ? CHUNKS : whole / 2);
		assert_int_equal(told.marks, seen.events);
	}
	free(data);
}

/* One chunk at most is lost with a byte. */
static void a_byte_that_is_wrong_spoils_one_chunk(void **state)
{
	struct seen seen;
	size_t size;
	char *data;

	write_trace("rtrace", feed_chunks);
	data = read_file(&size);
	for (size_t at = sizeof(struct rec_header); at < size; at++) {
		data[at] ^= 1 << at % 8;
		assert_int_equal(read_bytes(data, size, &seen, NULL), 0);
		assert_in_range(seen.events, CHUNKS - 1, CHUNKS);
		data[at] ^= 1 << at % 8;
	}
	free(data);
}

/* As after a disk that was full for a while. */
static void a_chunk_that_is_missing_costs_its_events(void **state)
{
	size_t ends[2 * CHUNKS + 8], size, gone;
	struct seen seen;
	char *data;

	write_trace("rtrace", feed_chunks);
	data = read_file(&size);
	find_chunks(data, size, ends);
	gone = ends[5] - ends[4];
	memmove(data + ends[4], data + ends[5], size - ends[5]);
	assert_int_equal(read_bytes(data, size - gone, &seen, NULL), 0);
	assert_int_equal(seen.events, CHUNKS - 1);
	free(data);
}

static void what_is_no_recording_is_refused(void **state)
{
	struct rec_header h;
	struct seen seen;
	size_t size;
	char *data;

	assert_int_not_equal(read_bytes("", 0, &seen, NULL), 0);
	assert_int_not_equal(read_bytes("{\"traceEvents\":[]}", 18, &seen, NULL), 0);
	write_trace("rtrace", NULL);
	data = read_file(&size);
	memcpy(&h, data, sizeof(h));
	h.version++;
	memcpy(data, &h, sizeof(h));
	assert_int_not_equal(read_bytes(data, size, &seen, NULL), 0);
	free(data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_field_of_every_event_comes_back),
		cmocka_unit_test(the_awkward_come_back),
		cmocka_unit_test(who_has_ended_is_forgotten_after_some_chunks),
		cmocka_unit_test(a_recording_says_who_and_what_was_lost),
		cmocka_unit_test(a_recording_that_is_cut_is_read_up_to_there),
		cmocka_unit_test(a_byte_that_is_wrong_spoils_one_chunk),
		cmocka_unit_test(a_chunk_that_is_missing_costs_its_events),
		cmocka_unit_test(what_is_no_recording_is_refused),
	};

	log_level = -1;
	return cmocka_run_group_tests(tests, make_file, remove_file);
}
