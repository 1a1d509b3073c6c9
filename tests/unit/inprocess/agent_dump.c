/* SPDX-License-Identifier: MIT */
/*
 * Prints what a process's agent has in its shared memory, as lines of text.
 *
 *   agent_dump PID                           the present contents, without taking part
 *   agent_dump PID --activate --seconds N    as a tracer: recording on, N seconds, then off
 *
 * With --activate the ring is consumed, and the last records are waited for after recording has
 * been switched off, or the process has ended. The tool reads its own tests' processes, so it
 * checks less than a tracer has to.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "abi/agent_ring.h"

#define FIND_SECONDS 10
#define STALLED_MS   1000
#define HEARTBEAT_MS 100
#define SETTLE_MS    100

struct memory {
	struct rt_agent_header *header;
	struct rt_agent_control *control;
	struct rt_agent_state *state;
	char *base;
	uint64_t meta_seen;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000000000u + t.tv_nsec;
}

static void sleep_ms(unsigned int ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000L};

	nanosleep(&t, NULL);
}

/* Opens the memfd of the process by its mapping. The descriptor or -1. */
static int open_mapping(int pid)
{
	char path[64], line[512], range[64];
	int fd = -1;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	if (!maps)
		return -1;
	while (fd < 0 && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "/memfd:" RT_AGENT_MEMFD) || sscanf(line, "%63s", range) != 1)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/map_files/%.40s", pid, range);
		fd = open(path, O_RDWR | O_CLOEXEC);
	}
	fclose(maps);
	return fd;
}

static int map_memory(int pid, struct memory *m)
{
	struct stat st;
	int fd = -1;

	for (int i = 0; i < FIND_SECONDS * 100 && fd < 0; i++) {
		fd = open_mapping(pid);
		if (fd < 0 && kill(pid, 0))
			break;
		if (fd < 0)
			sleep_ms(10);
	}
	if (fd < 0 || fstat(fd, &st))
		return -ENOENT;
	m->base = mmap(NULL, st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (m->base == MAP_FAILED)
		return -errno;
	m->header = (void *)m->base;
	m->control = (void *)(m->base + RT_AGENT_CONTROL);
	m->state = (void *)(m->base + RT_AGENT_STATE);
	for (int i = 0; i < 100; i++) {
		if (__atomic_load_n(&m->header->magic, __ATOMIC_ACQUIRE) == RT_AGENT_MAGIC)
			return m->header->version == RT_AGENT_VERSION ? 0 : -EPROTO;
		sleep_ms(10);
	}
	return -EPROTO;
}

static void print_meta(const struct rt_meta_hdr *h)
{
	const struct rt_meta_agent *a = (const void *)h;
	const struct rt_meta_queue *q = (const void *)h;
	const struct rt_meta_kernel *k = (const void *)h;
	const struct rt_meta_clock *c = (const void *)h;
	const struct rt_meta_queue_end *e = (const void *)h;
	const struct rt_meta_code *o = (const void *)h;
	const struct rt_meta_code_end *oe = (const void *)h;
	const struct rt_meta_runtime *r = (const void *)h;

	switch (h->kind) {
	case RT_META_AGENT:
		printf("agent id=%u node=%u gpu=%u index=%u hip=%d cus=%u bdf=%#x domain=%#x "
		       "kfd_node=%u gpu_id=%u chip=%#x uuid=%s name=%s product=%s\n",
		       a->id, a->node, a->is_gpu, a->gpu_index, (int)a->hip_index, a->cu_count,
		       a->bdf, a->domain, a->kfd_node, a->gpu_id, a->chip_id, a->uuid, a->name,
		       a->product);
		break;
	case RT_META_QUEUE:
		printf("queue id=%u agent=%u size=%u type=%u unwatched=%u\n", q->id, q->agent,
		       q->size, q->type, q->unwatched);
		break;
	case RT_META_KERNEL:
		printf("kernel id=%u agent=%u object=%#" PRIx64 " kernarg=%u group=%u private=%u "
		       "code=%u vgprs=%u accum=%u sgprs=%u name=%.*s\n",
		       k->id, k->agent, (uint64_t)k->object, k->kernarg_size, k->group_size,
		       k->private_size, k->code, k->vgprs, k->accum_vgprs, k->sgprs,
		       (int)k->name_len, k->name);
		break;
	case RT_META_CLOCK:
		printf("metaclock boottime=%" PRIu64 " hsa=%" PRIu64 " error=%" PRIu64 "\n",
		       (uint64_t)c->boottime, (uint64_t)c->hsa, (uint64_t)c->error);
		break;
	case RT_META_QUEUE_END:
		printf("queueend id=%u\n", e->id);
		break;
	case RT_META_CODE:
		printf("code id=%u agent=%u base=%#" PRIx64 " size=%" PRIu64 " uri=%.*s\n", o->id,
		       o->agent, (uint64_t)o->base, (uint64_t)o->size, (int)o->uri_len, o->uri);
		break;
	case RT_META_CODE_END:
		printf("codeend id=%u\n", oe->id);
		break;
	case RT_META_RUNTIME:
		printf("runtime version=%u.%u interface=%u build=%s\n", r->major, r->minor,
		       r->interface_size, r->build);
		break;
	case RT_META_RUNTIME_END:
		printf("runtimeend\n");
		break;
	default:
		printf("meta kind=%u size=%u\n", h->kind, h->size);
	}
}

static void print_new_meta(struct memory *m)
{
	uint64_t end = __atomic_load_n(&m->state->meta_tail, __ATOMIC_ACQUIRE);

	while (m->meta_seen + sizeof(struct rt_meta_hdr) <= end) {
		const struct rt_meta_hdr *h =
			(const void *)(m->base + m->header->meta_off + m->meta_seen);

		if (h->size < sizeof(*h) || h->size > end - m->meta_seen)
			break;
		print_meta(h);
		m->meta_seen += h->size;
	}
}

static void print_rec(const struct rt_agent_rec *r)
{
	switch (r->kind) {
	case RT_AGENT_DISPATCH:
		printf("dispatch op=%" PRIu64 " tid=%u time=%" PRIu64
		       " agent=%u queue=%u kernel=%u "
		       "grid=%u,%u,%u wg=%u,%u,%u lds=%u scratch=%u barrier=%u object=%#" PRIx64
		       "\n",
		       (uint64_t)r->op, r->tid, (uint64_t)r->time, r->dispatch.agent,
		       r->dispatch.queue, r->dispatch.kernel, r->dispatch.grid[0],
		       r->dispatch.grid[1], r->dispatch.grid[2], r->dispatch.workgroup[0],
		       r->dispatch.workgroup[1], r->dispatch.workgroup[2], r->dispatch.lds,
		       r->dispatch.scratch, r->flags & RT_AGENT_F_BARRIER,
		       (uint64_t)r->dispatch.kernel_object);
		break;
	case RT_AGENT_COPY:
		printf("copy op=%" PRIu64 " tid=%u time=%" PRIu64
		       " agent=%u src=%u dst=%u bytes=%" PRIu64 " engine=%u flags=%#x\n",
		       (uint64_t)r->op, r->tid, (uint64_t)r->time, r->copy.agent, r->copy.src_agent,
		       r->copy.dst_agent, (uint64_t)r->copy.bytes, r->copy.engine, r->flags);
		break;
	case RT_AGENT_BARRIER:
		printf("barrier op=%" PRIu64 " tid=%u time=%" PRIu64 " agent=%u queue=%u\n",
		       (uint64_t)r->op, r->tid, (uint64_t)r->time, r->dispatch.agent,
		       r->dispatch.queue);
		break;
	case RT_AGENT_MEMORY:
	case RT_AGENT_SCRATCH:
	case RT_AGENT_QUEUE:
	case RT_AGENT_CODE:
	case RT_AGENT_RUNTIME:
		printf("resource what=%u op=%" PRIu64 " tid=%u time=%" PRIu64 " begin=%" PRIu64
		       " agent=%u id=%u type=%u address=%#" PRIx64 " bytes=%" PRIu64
		       " other=%" PRIu64 "\n",
		       r->resource.what, (uint64_t)r->op, r->tid, (uint64_t)r->time,
		       (uint64_t)r->resource.begin, r->resource.agent, r->resource.id,
		       r->resource.type, (uint64_t)r->resource.address, (uint64_t)r->resource.bytes,
		       (uint64_t)r->resource.other);
		break;
	case RT_AGENT_DONE:
		printf("done op=%" PRIu64 " begin=%" PRIu64 " end=%" PRIu64 " status=%" PRId64
		       " time=%" PRIu64 "\n",
		       (uint64_t)r->op, (uint64_t)r->done.gpu_begin, (uint64_t)r->done.gpu_end,
		       (int64_t)r->done.status, (uint64_t)r->time);
		break;
	case RT_AGENT_CLOCK:
		printf("clock boottime=%" PRIu64 " hsa=%" PRIu64 " error=%" PRIu64 "\n",
		       (uint64_t)r->time, (uint64_t)r->clock.ticks, (uint64_t)r->clock.error);
		break;
	default:
		printf("record kind=%u\n", r->kind);
	}
}

/* Prints the records from *tail on; steps over a slot that has been claimed for too long. */
static void print_ring(struct memory *m, uint64_t *tail, unsigned int *stalled_ms, bool final)
{
	const struct rt_agent_rec *ring = (const void *)(m->base + m->header->ring_off);
	uint64_t head = __atomic_load_n(&m->state->head, __ATOMIC_ACQUIRE);

	while (*tail != head) {
		const struct rt_agent_rec *slot = &ring[*tail % m->header->ring_slots];

		if (__atomic_load_n(&slot->seq, __ATOMIC_ACQUIRE) == *tail + 1) {
			struct rt_agent_rec copy = *slot;

			print_rec(&copy);
		} else if (!final && (*stalled_ms)++ < STALLED_MS) {
			return;
		} else {
			printf("unfinished slot=%" PRIu64 "\n", *tail);
		}
		*stalled_ms = 0;
		++*tail;
	}
}

static void follow(struct memory *m, int pid, double seconds)
{
	uint64_t stop = now_ns() + (uint64_t)(seconds * 1e9);
	uint64_t tail = m->control->tail, next_beat = 0;
	unsigned int stalled = 0, settle = 0;
	bool alive = true;

	m->control->tracer = getpid();
	__atomic_store_n(&m->control->active, 1, __ATOMIC_RELEASE);
	while (settle < SETTLE_MS) {
		uint64_t now = now_ns();

		if (now >= next_beat) {
			__atomic_store_n(&m->control->heartbeat, now, __ATOMIC_RELEASE);
			next_beat = now + HEARTBEAT_MS * 1000000ULL;
		}
		alive = alive && !kill(pid, 0);
		if (now >= stop || !alive) {
			__atomic_store_n(&m->control->active, 0, __ATOMIC_RELEASE);
			settle++;
		}
		print_new_meta(m);
		print_ring(m, &tail, &stalled, false);
		__atomic_store_n(&m->control->tail, tail, __ATOMIC_RELEASE);
		sleep_ms(1);
	}
	print_new_meta(m);
	print_ring(m, &tail, &stalled, true);
}

static void print_state(const struct memory *m)
{
	const struct rt_agent_state *s = m->state;

	printf("state head=%" PRIu64 " active=%u failed=%u skipped=%" PRIu64 " meta_lost=%" PRIu64
	       " lost_dispatch=%" PRIu64 " lost_copy=%" PRIu64 " lost_done=%" PRIu64
	       " lost_clock=%" PRIu64 "\n",
	       (uint64_t)s->head, s->active, s->failed, (uint64_t)s->skipped,
	       (uint64_t)s->meta_lost, (uint64_t)s->lost[RT_AGENT_DISPATCH],
	       (uint64_t)s->lost[RT_AGENT_COPY], (uint64_t)s->lost[RT_AGENT_DONE],
	       (uint64_t)s->lost[RT_AGENT_CLOCK]);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{"activate", no_argument, NULL, 'a'},
		{"seconds", required_argument, NULL, 's'},
		{0},
	};
	struct memory m = {0};
	double seconds = 1e9;
	bool activate = false;
	int opt, err;

	while ((opt = getopt_long(argc, argv, "as:", options, NULL)) != -1) {
		if (opt == 'a')
			activate = true;
		else if (opt == 's')
			seconds = atof(optarg);
		else
			return 2;
	}
	if (optind != argc - 1) {
		fprintf(stderr, "usage: agent_dump PID [--activate] [--seconds N]\n");
		return 2;
	}
	err = map_memory(atoi(argv[optind]), &m);
	if (err) {
		fprintf(stderr, "agent_dump: process, %s: %s\n", argv[optind], strerror(-err));
		return 1;
	}
	setvbuf(stdout, NULL, _IOFBF, 1 << 20);
	printf("header version=%u pid=%u slots=%u hsa=%u\n", m.header->version, m.header->pid,
	       m.header->ring_slots, m.header->hsa_major);
	if (activate) {
		follow(&m, atoi(argv[optind]), seconds);
	} else {
		uint64_t head = m.state->head, tail = m.control->tail;
		unsigned int stalled = 0;

		if (head - tail > m.header->ring_slots)
			tail = head - m.header->ring_slots;
		print_new_meta(&m);
		print_ring(&m, &tail, &stalled, true);
	}
	print_state(&m);
	return 0;
}
