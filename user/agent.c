// SPDX-License-Identifier: MIT
/*
 * Maps and reads an agent's shared memory, without trusting it.
 */
#include "user/agent.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>

#include "user/log.h"
#include "user/procfs.h"

#define META_SIZE_MAX (1ull << 30)

struct device_entry {
	uint32_t id;
	struct clock_map clock;
	struct agent_device device;
	UT_hash_handle hh;
};

struct kernel_entry {
	uint32_t id;
	struct agent_kernel kernel;
	UT_hash_handle hh;
};

struct code_entry {
	uint32_t id;
	struct agent_code code;
	UT_hash_handle hh;
};

/* What an agent says of itself at the end. */
struct figures {
	uint64_t lost[RT_AGENT_KINDS]; /* records dropped */
	uint64_t lost_names;
	uint64_t skipped; /* queues that it could not watch */
	bool failed;
	uint64_t clock_error;
};

struct agent_view {
	pid_t pid;
	char *base;
	size_t size;
	struct rt_agent_header header; /* checked copy */
	uint64_t tail;		       /* next slot */
	uint64_t meta_read;
	bool meta_broken;
	uint64_t bad;
	uint64_t lost_before[RT_AGENT_KINDS]; /* records dropped before this tracer came */
	uint64_t first_op; /* lowest number of an operation whose submission was seen */
	struct strings *strings;
	struct clock_map clock; /* the runtime's */
	struct device_entry *devices;
	struct kernel_entry *kernels;
	struct code_entry *code;
	const char *runtime;
	struct figures last; /* when it was closed */
};

static struct rt_agent_control *control(const struct agent_view *v)
{
	return (void *)(v->base + RT_AGENT_CONTROL);
}

static struct rt_agent_state *state(const struct agent_view *v)
{
	return (void *)(v->base + RT_AGENT_STATE);
}

static void take_figures(const struct agent_view *v, struct figures *f)
{
	const struct rt_agent_state *s = state(v);

	*f = (struct figures){
		.clock_error = v->last.clock_error,
		.skipped = s->skipped,
		.failed = s->failed,
		.lost_names = s->meta_lost,
	};
	for (int i = 0; i < RT_AGENT_KINDS; i++)
		f->lost[i] = s->lost[i];
}

static struct figures figures(const struct agent_view *v)
{
	struct figures f = v->last;

	if (v->base)
		take_figures(v, &f);
	return f;
}

/* ---- finding and checking ---- */

static bool header_fits(const struct rt_agent_header *h, size_t size)
{
	uint64_t ring_bytes = (uint64_t)h->ring_slots * sizeof(struct rt_agent_rec);

	return h->version == RT_AGENT_VERSION && h->slot_size == sizeof(struct rt_agent_rec) &&
	       h->ring_slots && h->ring_slots <= RT_AGENT_SLOTS_MAX &&
	       !(h->ring_slots & (h->ring_slots - 1)) && h->meta_off == RT_AGENT_META &&
	       h->meta_size <= META_SIZE_MAX && h->meta_off + h->meta_size <= size &&
	       h->ring_off % sizeof(struct rt_agent_rec) == 0 && h->ring_off <= size &&
	       h->ring_off >= h->meta_off + h->meta_size && ring_bytes <= size - h->ring_off;
}

#define MEMORY_NAME "/memfd:" RT_AGENT_MEMFD

/* A descriptor's number may be another file's by now, of which some would never be ready. */
static bool is_agent_memory(int fd)
{
	char path[64], name[sizeof(MEMORY_NAME)] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, name, sizeof(name) - 1) > 0 && !strcmp(name, MEMORY_NAME);
}

/* Only a sealed file keeps its size: another could be cut under our eyes, which is a SIGBUS. */
static int check_file(int fd, size_t *size)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct stat st;

	if (!is_agent_memory(fd) || seals < 0 || fstat(fd, &st))
		return -EPROTO;
	if (!(seals & F_SEAL_SHRINK))
		return -EAGAIN;
	if (st.st_size < RT_AGENT_META)
		return -EPROTO;
	*size = st.st_size;
	return 0;
}

/* An agent has one ring, hence one reader: the tracer that gave the last sign of life. */
static bool served_by_another(const struct agent_view *v)
{
	const struct rt_agent_control *c = control(v);
	uint64_t heartbeat = __atomic_load_n(&c->heartbeat, __ATOMIC_ACQUIRE);
	pid_t tracer = c->tracer;

	if (!c->active || tracer <= 0 || tracer == getpid() ||
	    (kill(tracer, 0) && errno == ESRCH) ||
	    clock__boot_ns() - heartbeat > RT_AGENT_HEARTBEAT_TIMEOUT_NS)
		return false;
	log_warn("agent: process %d: its GPU times go to another tracer, process %d", v->pid,
		 tracer);
	return true;
}

static int map_view(struct agent_view *v, int fd)
{
	struct rt_agent_header *h;
	int err;

	err = check_file(fd, &v->size);
	if (err)
		return err;
	v->base = mmap(NULL, v->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (v->base == MAP_FAILED) {
		v->base = NULL;
		return -errno;
	}
	h = (void *)v->base;
	if (!__atomic_load_n(&h->magic, __ATOMIC_ACQUIRE))
		return -EAGAIN;
	v->header = *h;
	if (v->header.magic != RT_AGENT_MAGIC || !header_fits(&v->header, v->size)) {
		log_warn("agent: process %d: shared memory of another version, or damaged", v->pid);
		return -EPROTO;
	}
	if (served_by_another(v))
		return -EBUSY;
	v->tail = __atomic_load_n(&control(v)->tail, __ATOMIC_ACQUIRE);
	if (v->tail) {
		const struct figures f = figures(v);

		memcpy(v->lost_before, f.lost, sizeof(v->lost_before));
	}
	return 0;
}

struct agent_view *agent__from_fd(pid_t pid, int fd, struct strings *strings)
{
	struct agent_view *v = calloc(1, sizeof(*v));
	int err;

	if (!v)
		return NULL;
	v->pid = pid;
	v->strings = strings;
	v->first_op = UINT64_MAX;
	err = map_view(v, fd);
	if (err) {
		agent__free(v);
		errno = -err;
		return NULL;
	}
	return v;
}

struct search {
	pid_t pid;
	int fd;
};

static int open_agent_mapping(const struct mapping *m, void *arg)
{
	struct search *s = arg;

	if (strncmp(m->path, MEMORY_NAME, strlen(MEMORY_NAME)))
		return 0;
	s->fd = procfs__open_mapping(s->pid, m, O_RDWR);
	return 1;
}

struct agent_view *agent__find(pid_t pid, struct strings *strings)
{
	struct search s = {.pid = pid, .fd = -ENOENT};
	struct agent_view *v;
	int err;

	err = procfs__mappings(pid, open_agent_mapping, &s);
	if (err < 0 || s.fd < 0) {
		errno = err < 0 ? -err : -s.fd;
		return NULL;
	}
	v = agent__from_fd(pid, s.fd, strings);
	err = errno;
	close(s.fd);
	errno = err;
	return v;
}

void agent__skip_recorded(struct agent_view *v)
{
	v->tail = __atomic_load_n(&state(v)->head, __ATOMIC_ACQUIRE);
}

void agent__forget_losses(struct agent_view *v)
{
	const struct figures f = figures(v);

	memcpy(v->lost_before, f.lost, sizeof(v->lost_before));
}

void agent__close(struct agent_view *v)
{
	struct device_entry *d, *next_d;
	struct kernel_entry *k, *next_k;
	struct code_entry *c, *next_c;
	struct figures last = figures(v);

	last.clock_error = agent__clock_error(v);
	HASH_ITER (hh, v->devices, d, next_d) {
		HASH_DEL(v->devices, d);
		clock_map__free(&d->clock);
		free(d);
	}
	HASH_ITER (hh, v->kernels, k, next_k) {
		HASH_DEL(v->kernels, k);
		free(k);
	}
	HASH_ITER (hh, v->code, c, next_c) {
		HASH_DEL(v->code, c);
		free(c);
	}
	clock_map__free(&v->clock);
	v->last = last;
	if (v->base)
		munmap(v->base, v->size);
	v->base = NULL;
}

void agent__free(struct agent_view *v)
{
	if (v)
		agent__close(v);
	free(v);
}

pid_t agent__pid(const struct agent_view *v)
{
	return v->pid;
}

void agent__activate(struct agent_view *v)
{
	struct rt_agent_control *c = control(v);

	/* The heartbeat last: an agent that sees it takes the rest for what this tracer wants. */
	c->tracer = getpid();
	__atomic_store_n(&c->active, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&c->heartbeat, clock__boot_ns(), __ATOMIC_RELEASE);
}

void agent__want(struct agent_view *v, uint32_t wants)
{
	__atomic_store_n(&control(v)->wants, wants, __ATOMIC_RELEASE);
}

void agent__deactivate(struct agent_view *v)
{
	__atomic_store_n(&control(v)->active, 0, __ATOMIC_RELEASE);
}

bool agent__recording(const struct agent_view *v)
{
	return __atomic_load_n(&state(v)->active, __ATOMIC_ACQUIRE);
}

/* ---- meta log ---- */

/* What to know of a GPU beyond its name. PCI: bus, device and function are in one number. */
static void put_details(struct agent_device *d, const struct rt_meta_agent *m)
{
	snprintf(d->details, sizeof(d->details),
		 "%u CUs, PCI %04x:%02x:%02x.%x, %.24s, node %u, gpu_id %u", m->cu_count, m->domain,
		 m->bdf >> 8 & 0xff, m->bdf >> 3 & 0x1f, m->bdf & 7, m->uuid, m->kfd_node,
		 m->gpu_id);
}

static void add_device(struct agent_view *v, const struct rt_meta_agent *m)
{
	struct device_entry *d;

	HASH_FIND(hh, v->devices, &m->id, sizeof(m->id), d);
	if (d)
		return;
	d = calloc(1, sizeof(*d));
	if (!d)
		return;
	d->id = m->id;
	d->device.gpu = m->is_gpu ? (int32_t)(m->gpu_index & 0xffff) : -1;
	snprintf(d->device.name, sizeof(d->device.name), "%.64s %.64s", m->name, m->product);
	put_details(&d->device, m);
	HASH_ADD(hh, v->devices, id, sizeof(d->id), d);
}

static void add_code(struct agent_view *v, const struct rt_meta_code *m, size_t uri_len)
{
	struct code_entry *c;

	HASH_FIND(hh, v->code, &m->id, sizeof(m->id), c);
	if (c)
		return;
	c = calloc(1, sizeof(*c));
	if (!c)
		return;
	c->id = m->id;
	c->code.uri = strings__keep(v->strings, m->uri, uri_len);
	HASH_ADD(hh, v->code, id, sizeof(c->id), c);
}

/* The build is what the runtime says, which may stand in quotes. */
static void add_runtime(struct agent_view *v, const struct rt_meta_runtime *m)
{
	char text[160];
	int n;

	n = snprintf(text, sizeof(text), "HSA %u.%u, build %.64s", m->major, m->minor, m->build);
	v->runtime = strings__keep(v->strings, text, n);
}

static void add_kernel(struct agent_view *v, const struct rt_meta_kernel *m, size_t name_len)
{
	struct kernel_entry *k;

	HASH_FIND(hh, v->kernels, &m->id, sizeof(m->id), k);
	if (k)
		return;
	k = calloc(1, sizeof(*k));
	if (!k)
		return;
	k->id = m->id;
	k->kernel.name = strings__keep_kernel(v->strings, m->name, name_len);
	k->kernel.code = m->code;
	k->kernel.vgprs = m->vgprs;
	k->kernel.accum_vgprs = m->accum_vgprs;
	k->kernel.sgprs = m->sgprs;
	HASH_ADD(hh, v->kernels, id, sizeof(k->id), k);
}

static void read_meta_record(struct agent_view *v, const struct rt_meta_hdr *h)
{
	const struct rt_meta_kernel *kernel = (const void *)h;
	const struct rt_meta_clock *clock = (const void *)h;
	const struct rt_meta_code *code = (const void *)h;
	struct clock_pair pair;

	switch (h->kind) {
	case RT_META_AGENT:
		if (h->size >= sizeof(struct rt_meta_agent))
			add_device(v, (const void *)h);
		break;
	case RT_META_KERNEL:
		if (h->size >= sizeof(*kernel) && kernel->name_len <= h->size - sizeof(*kernel))
			add_kernel(v, kernel, kernel->name_len);
		break;
	case RT_META_CLOCK:
		if (h->size < sizeof(*clock))
			break;
		pair = (struct clock_pair){clock->boottime, clock->hsa, clock->error};
		clock_map__add(&v->clock, &pair);
		break;
	case RT_META_CODE:
		if (h->size >= sizeof(*code) && code->uri_len <= h->size - sizeof(*code))
			add_code(v, code, code->uri_len);
		break;
	case RT_META_RUNTIME:
		if (h->size >= sizeof(struct rt_meta_runtime))
			add_runtime(v, (const void *)h);
		break;
	default: /* queues, whose creation the ring tells, and what later versions add */
		break;
	}
}

#define META_RECORD_MAX (sizeof(struct rt_meta_kernel) + RT_META_NAME_MAX + 8)

static void read_meta(struct agent_view *v)
{
	union {
		struct rt_meta_hdr h;
		char bytes[META_RECORD_MAX];
	} copy;
	const char *log = v->base + v->header.meta_off;
	uint64_t tail = __atomic_load_n(&state(v)->meta_tail, __ATOMIC_ACQUIRE);
	struct rt_meta_hdr h;

	if (tail > v->header.meta_size)
		tail = v->header.meta_size;
	while (!v->meta_broken && v->meta_read + sizeof(h) <= tail) {
		memcpy(&h, log + v->meta_read, sizeof(h));
		if (h.size < sizeof(h) || h.size % 8 || h.size > META_RECORD_MAX ||
		    h.size > tail - v->meta_read) {
			log_warn(
				"agent: process %d: damaged list of names; kernels may be nameless",
				v->pid);
			v->meta_broken = true;
			v->bad++;
			return;
		}
		memcpy(copy.bytes, log + v->meta_read, h.size);
		copy.h = h;
		read_meta_record(v, &copy.h);
		v->meta_read += h.size;
	}
}

/* ---- ring ---- */

static void on_clock(struct agent_view *v, const struct rt_agent_rec *rec)
{
	struct clock_pair pair = {rec->time, rec->clock.ticks, rec->clock.error};
	uint32_t id = rec->clock.agent;
	struct device_entry *d;

	HASH_FIND(hh, v->devices, &id, sizeof(id), d);
	if (!id || d)
		clock_map__add(id ? &d->clock : &v->clock, &pair);
	else
		v->bad++;
}

bool agent__drain(struct agent_view *v, bool dead,
		  void (*fn)(struct agent_view *v, const struct rt_agent_rec *rec, void *arg),
		  void *arg)
{
	const char *ring = v->base + v->header.ring_off;
	uint64_t head = __atomic_load_n(&state(v)->head, __ATOMIC_ACQUIRE);
	uint32_t mask = v->header.ring_slots - 1;
	const struct rt_agent_rec *slot;
	struct rt_agent_rec rec;

	read_meta(v);
	if (head - v->tail > v->header.ring_slots) { /* never in a sane ring */
		if (head > v->tail)
			v->bad++;
		head = v->tail + (head > v->tail ? v->header.ring_slots : 0);
	}
	for (; v->tail != head; v->tail++) {
		slot = (const void *)(ring + (size_t)(v->tail & mask) * sizeof(*slot));
		if (__atomic_load_n(&slot->seq, __ATOMIC_ACQUIRE) != v->tail + 1) {
			if (!dead)
				break;
			v->bad++;
			continue;
		}
		memcpy(&rec, slot, sizeof(rec));
		if (rec.kind != RT_AGENT_DONE && rec.op && rec.op < v->first_op)
			v->first_op = rec.op;
		if (rec.kind == RT_AGENT_CLOCK)
			on_clock(v, &rec);
		else
			fn(v, &rec, arg);
	}
	__atomic_store_n(&control(v)->tail, v->tail, __ATOMIC_RELEASE);
	return v->tail == head;
}

const struct agent_device *agent__device(const struct agent_view *v, uint32_t id)
{
	struct device_entry *d;

	HASH_FIND(hh, v->devices, &id, sizeof(id), d);
	return d ? &d->device : NULL;
}

const struct agent_kernel *agent__kernel(const struct agent_view *v, uint32_t id)
{
	struct kernel_entry *k;

	HASH_FIND(hh, v->kernels, &id, sizeof(id), k);
	return k ? &k->kernel : NULL;
}

const struct agent_code *agent__code(const struct agent_view *v, uint32_t id)
{
	struct code_entry *c;

	HASH_FIND(hh, v->code, &id, sizeof(id), c);
	return c ? &c->code : NULL;
}

const char *agent__runtime(const struct agent_view *v)
{
	return v->runtime;
}

const struct clock_map *agent__clock(const struct agent_view *v, uint32_t device)
{
	struct device_entry *d;

	if (!device)
		return &v->clock;
	HASH_FIND(hh, v->devices, &device, sizeof(device), d);
	return d ? &d->clock : NULL;
}

uint64_t agent__clock_error(const struct agent_view *v)
{
	uint64_t error = v->last.clock_error;
	struct device_entry *d, *next;

	HASH_ITER (hh, v->devices, d, next)
		if (d->clock.error > error)
			error = d->clock.error;
	return error;
}

void agent__each_device(const struct agent_view *v,
			void (*fn)(const struct agent_device *, void *arg), void *arg)
{
	struct device_entry *d, *next;

	HASH_ITER (hh, v->devices, d, next) {
		fn(&d->device, arg);
	}
}

uint64_t agent__lost(const struct agent_view *v)
{
	uint64_t lost = 0;

	for (unsigned int i = 0; i < RT_AGENT_KINDS; i++)
		lost += agent__lost_of(v, i);
	return lost;
}

uint64_t agent__lost_of(const struct agent_view *v, unsigned int kind)
{
	return kind < RT_AGENT_KINDS ? figures(v).lost[kind] - v->lost_before[kind] : 0;
}

uint64_t agent__lost_names(const struct agent_view *v)
{
	return figures(v).lost_names;
}

uint64_t agent__bad(const struct agent_view *v)
{
	return v->bad;
}

uint64_t agent__unwatched_queues(const struct agent_view *v)
{
	return figures(v).skipped;
}

bool agent__failed(const struct agent_view *v)
{
	return figures(v).failed;
}

bool agent__saw_submit(const struct agent_view *v, uint64_t op)
{
	return op >= v->first_op;
}
