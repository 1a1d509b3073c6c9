// SPDX-License-Identifier: MIT
/*
 * What the fuzzing of agents happens in: made-up time, processes that do nothing while their
 * agents' memory is written here, and calls of theirs as if from the kernel.
 */
#include "tests/fuzz/world.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/agent_layout.h"
#include "user/record/intake.h"
#include "user/agent/entry_code.h"

/* ---- time ---- */

uint64_t world_now;

uint64_t __wrap_clock__boot_ns(void);
int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout);
int __real_poll(struct pollfd *fds, nfds_t count, int timeout);

uint64_t __wrap_clock__boot_ns(void)
{
	return world_now += 50;
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int timeout)
{
	if (timeout <= 0)
		return __real_poll(fds, count, timeout);
	world_now += timeout * MS;
	return 0;
}

/* ---- processes, and their agents' memory ---- */

void subject__make(struct subject *s)
{
	s->fd = memfd_create(RT_AGENT_MEMFD, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (s->fd < 0 || ftruncate(s->fd, SIZE) ||
	    fcntl(s->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW))
		abort();
	s->base = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (s->base == MAP_FAILED)
		abort();
	s->control = (void *)(s->base + RT_AGENT_CONTROL);
	s->state = (void *)(s->base + RT_AGENT_STATE);
	s->ring = (void *)(s->base + RING_OFF);
	s->spans = s->base + SPANS_OFF;
}

void subject__start(struct subject *s)
{
	s->pid = fork();
	if (s->pid < 0)
		abort();
	if (s->pid)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

void subject__put(struct subject *s, const struct rt_agent_rec *rec)
{
	uint64_t pos = s->state->head++;

	s->ring[pos % SLOTS] = *rec;
	s->ring[pos % SLOTS].seq = pos + 1;
}

static struct rt_span_chunk *next_chunk(struct subject *s, struct rt_span_thread *t, uint32_t size)
{
	struct rt_span_chunk *chunks = (void *)(s->spans + RT_SPANS_CHUNKS), *c = &chunks[s->chunk];

	if (t->listed && c->used <= sizeof(c->data) && size <= sizeof(c->data) - c->used)
		return c;
	if (t->listed && s->chunk + 1 == CHUNKS)
		return NULL;
	c->closed = 1;
	s->chunk += t->listed != 0;
	chunks[s->chunk].closed = chunks[s->chunk].used = 0;
	t->list[t->listed % RT_SPANS_LIST] = s->chunk;
	t->listed++;
	return &chunks[s->chunk];
}

bool subject__put_span(struct subject *s, const struct rt_span_rec *rec, const void *args,
		       uint32_t size)
{
	struct rt_spans_state *state = (void *)(s->spans + RT_SPANS_STATE);
	struct rt_span_thread *t = (void *)(s->spans + RT_SPANS_THREADS);
	struct rt_span_chunk *c = next_chunk(s, t, sizeof(*rec) + size);

	if (!c)
		return false;
	state->threads = 1;
	t->state = RT_SPAN_THREAD_TAKEN;
	t->tid = s->pid;
	memcpy(c->data + c->used, rec, sizeof(*rec));
	memcpy(c->data + c->used + sizeof(*rec), args, size);
	c->used += sizeof(*rec) + size;
	return true;
}

/* A GPU's clock of 100 MHz. */
uint64_t world__ticks_at(uint64_t boot)
{
	return (boot - START_NS / 2) / 10;
}

void subject__put_clock(struct subject *s)
{
	struct rt_agent_rec rec = {.kind = RT_AGENT_CLOCK, .time = world_now - world_now % 10};

	rec.clock.agent = GPU;
	rec.clock.ticks = world__ticks_at(rec.time);
	rec.clock.error = 100;
	subject__put(s, &rec);
	world_now += 10;
}

void subject__put_meta(struct subject *s, const void *rec, uint32_t size)
{
	uint64_t at = s->state->meta_tail;

	if (at > META_SIZE || size > META_SIZE - at)
		return;
	memcpy(s->base + RT_AGENT_META + at, rec, size);
	s->state->meta_tail = at + size;
}

static void put_names(struct subject *s)
{
	struct rt_meta_agent gpu = {.h = {RT_META_AGENT, sizeof(gpu)}, .id = GPU, .is_gpu = 1};
	struct rt_meta_runtime runtime = {.h = {RT_META_RUNTIME, sizeof(runtime)}, .major = 1};
	struct rt_meta_kernel kernel = {.id = KERNEL_ID, .name_len = sizeof(KERNEL_NAME) - 1};
	char named[sizeof(kernel) + 16] = {};

	kernel.h = (struct rt_meta_hdr){RT_META_KERNEL, sizeof(named)};
	memcpy(named, &kernel, sizeof(kernel));
	memcpy(named + sizeof(kernel), KERNEL_NAME, sizeof(KERNEL_NAME));
	strcpy(gpu.name, "gfx906");
	subject__put_meta(s, &gpu, sizeof(gpu));
	subject__put_meta(s, &runtime, sizeof(runtime));
	subject__put_meta(s, named, sizeof(named));
}

void subject__fill(struct subject *s)
{
	memset(s->base, 0, RT_AGENT_FLIGHTS);
	memset(s->base + RT_AGENT_META, 0, SPANS_OFF - RT_AGENT_META);
	memset(s->spans, 0, RT_SPANS_THREADS + CHUNKS * sizeof(struct rt_span_thread));
	memset(s->spans + RT_SPANS_CHUNKS, 0, CHUNKS * RT_SPANS_CHUNK_SIZE);
	s->chunk = 0;
	*(struct rt_agent_header *)s->base = (struct rt_agent_header){
		.magic = RT_AGENT_MAGIC,
		.version = RT_AGENT_VERSION,
		.layout = agent_layout__number(),
		.pid = s->pid,
		.meta_off = RT_AGENT_META,
		.meta_size = META_SIZE,
		.ring_off = RING_OFF,
		.ring_slots = SLOTS,
		.slot_size = sizeof(struct rt_agent_rec),
		.spans_off = SPANS_OFF,
	};
	s->state->active = 1;
	s->ops = 0;
	put_names(s);
	subject__put_clock(s);
	world_now += 100 * MS;
	subject__put_clock(s);
}

/* ---- what comes from the kernel ---- */

static struct rt_rec_span spans[4 * CALLS_MAX];
static size_t span_count, spans_drained;
static struct rt_rec_ended ends[CALLS_MAX];
static size_t end_count, ends_drained;
static uint64_t corrs;
static struct rt_rec_task first_calls[2];
static bool first_calls_told;

static void put_first_call(const struct subject *s, struct rt_rec_task *task)
{
	*task = (struct rt_rec_task){
		.h = {.kind = RT_REC_TASK, .size = sizeof(*task), .ts = world_now, .pid = s->pid},
		.ns_tid = s->pid,
	};
	task->h.tid = s->pid;
}

int capture__add_request(struct capture *c, uint8_t nr, const struct function *fn)
{
	return 0;
}

int capture__watch_agent(struct capture *c, pid_t pid, uint64_t address)
{
	return 0;
}

int capture__add_function(struct capture *c, const struct function *fn)
{
	return 0;
}

bool capture__takes(struct capture *c, pid_t pid)
{
	return false;
}

bool capture__has_missed(struct capture *c)
{
	return false;
}

bool capture__drain(struct capture *c, void (*fn)(const void *rec, size_t size, void *arg),
		    void *arg)
{
	for (int i = 0; i < 2 && !first_calls_told; i++)
		fn(&first_calls[i], sizeof(first_calls[i]), arg);
	first_calls_told = true;
	for (; spans_drained < span_count; spans_drained++)
		fn(&spans[spans_drained], sizeof(spans[0]), arg);
	for (; ends_drained < end_count; ends_drained++)
		fn(&ends[ends_drained], sizeof(ends[0]), arg);
	return true;
}

void world__put_end(const struct subject *s, const struct rt_rec_ended *end)
{
	struct rt_rec_ended *rec;

	if (end_count == CALLS_MAX)
		return;
	rec = &ends[end_count++];
	*rec = *end;
	rec->h = (struct rt_rec){
		.kind = RT_REC_ENDED, .size = sizeof(*rec), .ts = world_now, .pid = s->pid};
	rec->h.tid = s->pid;
}

uint64_t world__next_call(unsigned int after)
{
	return corrs + 1 + after;
}

bool world__has_room(void)
{
	return span_count + 2 + CALLS_MAX < sizeof(spans) / sizeof(spans[0]);
}

struct rt_rec_span *world__put_call(const struct subject *s, uint64_t begin, uint64_t root,
				    uint64_t function)
{
	uint64_t corr = world__next_call(0);
	struct rt_rec_span *span;

	if (span_count == sizeof(spans) / sizeof(spans[0]))
		abort();
	span = &spans[span_count++];
	corrs = corr;
	*span = (struct rt_rec_span){
		.h = {.kind = RT_REC_SPAN, .size = sizeof(*span), .ts = world_now, .pid = s->pid},
		.begin = begin,
		.corr = corr,
		.parent = root,
		.root = root ? root : corr,
		.func = function,
		.depth = root ? 1 : 0,
	};
	span->h.tid = s->pid;
	return span;
}

void world__begin(const struct subject *a, const struct subject *b)
{
	world_now = START_NS;
	span_count = spans_drained = end_count = ends_drained = corrs = 0;
	first_calls_told = false;
	put_first_call(a, &first_calls[0]);
	put_first_call(b, &first_calls[1]);
}

/* ---- the stages that there are no stand-ins for ---- */

int capture__watch_calls(struct capture *c, pid_t pid, const struct rt_agent_calls *calls)
{
	return 0;
}

const struct function *world_function;

void targets__each_library(struct targets *t, pid_t pid,
			   void (*fn)(const struct library *lib, uint64_t base, void *arg),
			   void *arg)
{
	fn(NULL, 0, arg);
}

int entry_code__each(const struct library *lib, uint64_t base,
		     void (*fn)(const struct function *function, const struct agent_span_way *way,
				void *arg),
		     void *arg)
{
	const struct agent_span_way way = {RT_SPAN_WAY_JUMP, 0, 1, 1, 0};

	fn(world_function, &way, arg);
	return 0;
}

void targets__mapped(struct targets *t, pid_t pid, const struct rt_rec_mapped *rec)
{
}

void targets__exec(struct targets *t, pid_t pid, bool by_thread, uint64_t at)
{
}

void targets__first_thread_ended(struct targets *t, pid_t pid, uint64_t at)
{
}

void targets__look(struct targets *t, pid_t pid, uint64_t since)
{
}

void targets__called(struct targets *t, pid_t pid, uint64_t ts)
{
}

void targets__drained(struct targets *t, uint64_t until)
{
}

void targets__forked(struct targets *t, pid_t child, uint64_t since)
{
}

void targets__exit(struct targets *t, pid_t pid)
{
}

void targets__keep_off(struct targets *t, pid_t pid)
{
}

bool holds__has_kept_off(struct holds *h)
{
	return false;
}

void holds__each_kept_off(struct holds *h, void (*fn)(pid_t pid, void *arg), void *arg)
{
}

void holds__begin_release(struct holds *h, pid_t pid, bool kept_off)
{
}

bool holds__end_release(struct holds *h, pid_t pid)
{
	return true;
}

void doorbell_dispatches__drained(struct dispatches *d, const struct rt_rec_dispatch *rec,
				  struct dispatch_item *item)
{
}

void doorbell_dispatches__executes(struct dispatches *d, pid_t pid)
{
}

void doorbell_dispatches__submitted(struct dispatches *d, const struct dispatch_item *item)
{
}

void doorbell_dispatches__signal(struct dispatches *d, const struct rt_rec_signal *rec)
{
}

void doorbell_dispatches__process_gone(struct dispatches *d, pid_t pid)
{
}

void doorbell_dispatches__round(struct dispatches *d, uint64_t until)
{
}

void doorbell_dispatches__finish(struct dispatches *d)
{
}
