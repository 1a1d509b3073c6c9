// SPDX-License-Identifier: MIT
/*
 * Maps and reads an agent's shared memory, without trusting it.
 */
#include "user/agent/agent_memory_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/agent_layout.h"
#include "user/clock/clock_map.h"
#include "user/base/log.h"
#include "user/base/procfs.h"

/* Slots of a dead process that were claimed and not filled, of which that many are looked at. */
#define UNFINISHED_MAX 65536

/* The longest time that an agent may have run when its memory is found. */
#define OPENED_LATE_NS 1000000000ULL

static struct rt_agent_control *control(const struct agent_view *v)
{
	return (void *)(v->base + RT_AGENT_CONTROL);
}

static struct rt_agent_state *state(const struct agent_view *v)
{
	return (void *)(v->base + RT_AGENT_STATE);
}

/*
 * The process may write anything into its memory, and losses are summed up over all agents. No
 * agent can lose more than a record a nanosecond, or fewer than before: such a count is one bad
 * record.
 */
static uint64_t believed(uint64_t now, uint64_t before, uint64_t most, uint64_t *unlikely)
{
	if (now - before <= most)
		return now - before;
	++*unlikely;
	return 0;
}

static void take_figures(const struct agent_view *v, struct agent_figures *f)
{
	const struct rt_agent_state *s = state(v);
	uint64_t most = clock__boot_ns() - v->opened + OPENED_LATE_NS;

	*f = (struct agent_figures){
		.clock_error = v->last.clock_error,
		.skipped = s->skipped,
		.others = s->others,
		.failed = s->failed,
	};
	f->lost_names = believed(s->meta_lost, 0, most, &f->unlikely);
	for (int i = 0; i < RT_AGENT_KINDS; i++)
		f->lost[i] = believed(s->lost[i], v->lost_before[i], most, &f->unlikely);
	if (v->spans) {
		f->lost_calls = believed(agent_calls__lost(v->spans), 0,
					 most * RT_SPANS_THREADS_MAX, &f->unlikely);
		f->bad_calls = agent_calls__bad(v->spans);
	}
}

/* From now on, what is lost counts. */
static void forget_losses(struct agent_view *v)
{
	const struct rt_agent_state *s = state(v);

	for (int i = 0; i < RT_AGENT_KINDS; i++)
		v->lost_before[i] = s->lost[i];
}

static struct agent_figures figures(const struct agent_view *v)
{
	struct agent_figures f = v->last;

	if (v->base)
		take_figures(v, &f);
	return f;
}

/* ---- finding and checking ---- */

static bool spans_fit(const struct rt_agent_header *h, uint64_t ring_end, size_t size)
{
	return !h->spans_off || (h->spans_off % 4096 == 0 && h->spans_off >= ring_end &&
				 h->spans_off <= size && size - h->spans_off >= RT_SPANS_SIZE);
}

static bool header_fits(const struct rt_agent_header *h, size_t size)
{
	uint64_t ring_bytes = (uint64_t)h->ring_slots * sizeof(struct rt_agent_rec);

	return h->slot_size == sizeof(struct rt_agent_rec) && h->ring_slots &&
	       h->ring_slots <= RT_AGENT_SLOTS_MAX && !(h->ring_slots & (h->ring_slots - 1)) &&
	       h->meta_off == RT_AGENT_META && h->meta_size <= AGENT_META_MAX &&
	       h->meta_off + h->meta_size <= size &&
	       h->ring_off % sizeof(struct rt_agent_rec) == 0 && h->ring_off <= size &&
	       h->ring_off >= h->meta_off + h->meta_size && ring_bytes <= size - h->ring_off &&
	       spans_fit(h, h->ring_off + ring_bytes, size);
}

/* Only then the rest means what it does here. */
static bool is_of_this_build(const struct rt_agent_header *h)
{
	return h->magic == RT_AGENT_MAGIC && h->version == RT_AGENT_VERSION &&
	       h->layout == agent_layout__number();
}

#define MEMORY_NAME "/memfd:" RT_AGENT_MEMFD

/* A descriptor's number may be another file's by now, of which some would never be ready. */
static bool is_agent_memory(int fd)
{
	char path[64], name[sizeof(MEMORY_NAME)] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, name, sizeof(name) - 1) > 0 && !strcmp(name, MEMORY_NAME);
}

/*
 * Only a sealed file keeps its size: another could be cut under our eyes, which is a SIGBUS. So is
 * a hole in memory of huge pages where none of these are left.
 */
static int check_file(struct agent_view *v, int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);
	struct statfs fs;
	struct stat st;

	if (!is_agent_memory(fd) || seals < 0 || fstat(fd, &st) || fstatfs(fd, &fs) ||
	    fs.f_type != TMPFS_MAGIC)
		return -EPROTO;
	if (!(seals & F_SEAL_SHRINK))
		return -EAGAIN;
	if (st.st_size < RT_AGENT_META)
		return -EPROTO;
	v->size = st.st_size;
	v->inode = st.st_ino;
	return 0;
}

/*
 * For reading alone, as long as it is not claimed. A child that the tracer forks does not get the
 * mapping: the claim would last as long as it.
 */
static int map_memory(struct agent_view *v, int fd)
{
	struct rt_agent_header *h;
	int err;

	err = check_file(v, fd);
	if (err)
		return err;
	v->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	v->base = v->fd < 0 ? MAP_FAILED : mmap(NULL, v->size, PROT_READ, MAP_SHARED, v->fd, 0);
	if (v->base == MAP_FAILED) {
		v->base = NULL;
		return -errno;
	}
	madvise(v->base, v->size, MADV_DONTFORK);
	h = (void *)v->base;
	if (!__atomic_load_n(&h->magic, __ATOMIC_ACQUIRE))
		return -EAGAIN;
	v->header = *h;
	if (!is_of_this_build(&v->header))
		return -EPROTO;
	return header_fits(&v->header, v->size) ? 0 : -EPROTO;
}

static struct agent_view *new_view(pid_t pid, struct strings *strings)
{
	struct agent_view *v = calloc(1, sizeof(*v));

	if (!v)
		return NULL;
	v->pid = pid;
	v->fd = -1;
	v->strings = strings;
	v->first_op = UINT64_MAX;
	v->opened = clock__boot_ns();
	return v;
}

struct agent_view *agent_memory__from_fd(pid_t pid, int fd, struct strings *strings)
{
	struct agent_view *v = new_view(pid, strings);
	int err;

	if (!v)
		return NULL;
	err = map_memory(v, fd);
	if (err) {
		agent_memory__free(v);
		errno = -err;
		return NULL;
	}
	return v;
}

int agent_memory__claim(struct agent_view *v, enum claim_rank rank)
{
	int err = agent_claim__take(v->fd, rank);

	if (err)
		return err;
	if (mprotect(v->base, v->size, PROT_READ | PROT_WRITE))
		return -errno;
	v->claimed = true;
	control(v)->tracer = getpid();
	v->tail = __atomic_load_n(&control(v)->tail, __ATOMIC_ACQUIRE);
	if (v->tail)
		forget_losses(v);
	return 0;
}

void agent_memory__close_fd(struct agent_view *v)
{
	if (v->fd >= 0)
		close(v->fd);
	v->fd = -1;
}

bool agent_memory__is_claimed(const struct agent_view *v)
{
	return v->claimed;
}

bool agent_memory__is_asked_for(const struct agent_view *v)
{
	return v->base && agent_claim__is_asked_for(v->fd);
}

bool agent_memory__is_free(const struct agent_view *v, enum claim_rank rank)
{
	return agent_claim__is_free(v->fd, rank);
}

pid_t agent_memory__awaited_by(const struct agent_view *v)
{
	return v->header.awaited;
}

struct search {
	pid_t pid;
	int flags; /* to open it with */
	int fd;
};

static int open_agent_mapping(const struct mapping *m, void *arg)
{
	struct search *s = arg;

	if (strncmp(m->path, MEMORY_NAME, strlen(MEMORY_NAME)))
		return 0;
	s->fd = procfs__open_mapping(s->pid, m, s->flags);
	return 1;
}

/* The descriptor of the memory that the process has mapped, or -errno: -ENOENT if it has none. */
static int open_memory(pid_t pid, int flags)
{
	struct search s = {.pid = pid, .flags = flags, .fd = -ENOENT};
	int err = procfs__mappings(pid, open_agent_mapping, &s);

	return err < 0 ? err : s.fd;
}

struct agent_view *agent_memory__find(pid_t pid, struct strings *strings)
{
	int fd = open_memory(pid, O_RDWR), err;
	struct agent_view *v;

	if (fd < 0) {
		errno = -fd;
		return NULL;
	}
	v = agent_memory__from_fd(pid, fd, strings);
	err = errno;
	close(fd);
	errno = err;
	return v;
}

struct agent_view *agent_memory__find_probed(pid_t pid)
{
	struct agent_view *v = new_view(pid, NULL);
	int fd = v ? open_memory(pid, O_RDWR) : -ENOMEM;

	if (fd < 0) {
		free(v);
		return NULL;
	}
	if (map_memory(v, fd) ||
	    mprotect(v->base + RT_AGENT_CONTROL, 4096, PROT_READ | PROT_WRITE)) {
		agent_memory__free(v);
		v = NULL;
	}
	close(fd);
	return v;
}

static enum agent_presence presence_of(int fd, pid_t *tracer)
{
	struct agent_view v = {};
	struct rt_agent_header h;
	struct rt_agent_control c;
	struct rt_agent_state s;

	if (check_file(&v, fd) || pread(fd, &h, sizeof(h), 0) != sizeof(h) ||
	    pread(fd, &c, sizeof(c), RT_AGENT_CONTROL) != sizeof(c) ||
	    pread(fd, &s, sizeof(s), RT_AGENT_STATE) != sizeof(s) || !is_of_this_build(&h) ||
	    !header_fits(&h, v.size))
		return AGENT_OTHER;
	*tracer = agent_claim__is_held(fd) ? (pid_t)c.tracer : 0;
	if (s.failed)
		return AGENT_OFF;
	return s.active ? AGENT_RECORDING : AGENT_DORMANT;
}

enum agent_presence agent_memory__peek(pid_t pid, pid_t *tracer)
{
	struct search s = {.pid = pid, .fd = -ENOENT, .flags = O_RDONLY};
	enum agent_presence presence;

	*tracer = 0;
	if (procfs__mappings(pid, open_agent_mapping, &s) <= 0)
		return AGENT_ABSENT;
	if (s.fd < 0)
		return AGENT_OTHER;
	presence = presence_of(s.fd, tracer);
	close(s.fd);
	return presence;
}

void agent_memory__skip_recorded(struct agent_view *v)
{
	v->tail = __atomic_load_n(&state(v)->head, __ATOMIC_ACQUIRE);
}

void agent_memory__forget_losses(struct agent_view *v)
{
	if (v->base)
		forget_losses(v);
}

void agent_memory__close(struct agent_view *v)
{
	struct agent_figures last = figures(v);

	last.clock_error = agent_memory__clock_error(v);
	agent_meta_log__free(v);
	v->last = last;
	agent_calls__free(v->spans);
	v->spans = NULL;
	if (v->base)
		munmap(v->base, v->size);
	v->base = NULL;
	agent_memory__close_fd(v); /* with the last of both the claim ends */
	v->claimed = false;
}

void agent_memory__free(struct agent_view *v)
{
	if (v)
		agent_memory__close(v);
	free(v);
}

pid_t agent_memory__pid(const struct agent_view *v)
{
	return v->pid;
}

uint64_t agent_memory__address(const struct agent_view *v)
{
	return v->header.address;
}

bool agent_memory__share_memory(const struct agent_view *a, const struct agent_view *b)
{
	return a->base && b->base && a->inode == b->inode;
}

struct agent_spans *agent_memory__open_spans(struct agent_view *v, uint64_t first_corr)
{
	if (v->header.spans_off)
		v->spans = agent_calls__new(v->base + v->header.spans_off, first_corr);
	return v->spans;
}

struct agent_spans *agent_memory__spans(const struct agent_view *v)
{
	return v->spans;
}

static void wake_up(struct rt_agent_control *c)
{
	__atomic_fetch_add(&c->news, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, &c->news, FUTEX_WAKE, 1);
}

void agent_memory__activate(struct agent_view *v)
{
	struct rt_agent_control *c = control(v);

	/* The heartbeat last: an agent that sees it takes the rest for what this tracer wants. */
	__atomic_store_n(&c->active, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&c->heartbeat, clock__boot_ns(), __ATOMIC_RELEASE);
	if (!agent_memory__recording(v))
		wake_up(c);
}

void agent_memory__keep_probes(struct agent_view *v)
{
	__atomic_store_n(&control(v)->probing, clock__boot_ns(), __ATOMIC_RELEASE);
}

void agent_memory__captured(const struct agent_view *v, uint64_t *since, uint64_t *until)
{
	const struct rt_spans_state *s =
		(const void *)(v->base + v->header.spans_off + RT_SPANS_STATE);

	*since = *until = 0;
	if (!v->header.spans_off)
		return;
	*until = __atomic_load_n(&s->until, __ATOMIC_ACQUIRE);
	*since = __atomic_load_n(&s->since, __ATOMIC_ACQUIRE);
}

void agent_memory__want(struct agent_view *v, uint32_t wants)
{
	__atomic_store_n(&control(v)->wants, wants, __ATOMIC_RELEASE);
}

void agent_memory__deactivate(struct agent_view *v)
{
	__atomic_store_n(&control(v)->active, 0, __ATOMIC_RELEASE);
}

bool agent_memory__recording(const struct agent_view *v)
{
	return __atomic_load_n(&state(v)->active, __ATOMIC_ACQUIRE);
}

bool agent_memory__is_running(const struct agent_view *v)
{
	return __atomic_load_n(&state(v)->oldest, __ATOMIC_RELAXED) <=
	       __atomic_load_n(&state(v)->ops, __ATOMIC_RELAXED);
}

/* ---- ring ---- */

static void on_clock(struct agent_view *v, const struct rt_agent_rec *rec)
{
	struct clock_pair pair = {rec->time, rec->clock.ticks, rec->clock.error};

	if (!agent_meta_log__clock(v, rec->clock.agent, &pair))
		v->bad++;
}

/* How far the ring is filled; for a dead process the first value that was read counts. */
static uint64_t ring_head(struct agent_view *v, bool dead)
{
	uint64_t head = __atomic_load_n(&state(v)->head, __ATOMIC_ACQUIRE);

	if (v->dead)
		return v->last_head;
	if (head - v->tail > v->header.ring_slots) { /* never in a sane ring */
		if (head > v->tail)
			v->bad++;
		head = v->tail + (head > v->tail ? v->header.ring_slots : 0);
	}
	v->dead = dead;
	v->last_head = head;
	return head;
}

/* Where this drain ends: the next drains read the records after that. */
static uint64_t drain_end(const struct agent_view *v, uint64_t head)
{
	uint64_t most = AGENT_DRAIN_MAX;

	if (most > AGENT_WAITING_MAX - v->waiting)
		most = AGENT_WAITING_MAX - v->waiting;
	return head - v->tail > most ? v->tail + most : head;
}

/*
 * Is something lost with a record that was being written when the process ended? An operation had
 * not been given to the GPU by then, and the kernel also reports the ends of operations
 * (bpf/exit_snapshot.h).
 */
static bool is_lost_unfinished(uint32_t kind)
{
	switch (kind) {
	case RT_AGENT_NONE:
	case RT_AGENT_DISPATCH:
	case RT_AGENT_COPY:
	case RT_AGENT_BARRIER:
	case RT_AGENT_DONE:
	case RT_AGENT_CLOCK:
		return false;
	default:
		return true;
	}
}

/* Each thread leaves one such slot at most: a ring full of them is none. */
static void step_over(struct agent_view *v, const struct rt_agent_rec *slot, uint64_t head)
{
	if (++v->unfinished > UNFINISHED_MAX) {
		v->bad += head - v->tail;
		v->tail = head;
	} else {
		v->bad += is_lost_unfinished(slot->kind);
		v->tail++;
	}
}

bool agent_memory__drain(struct agent_view *v, bool dead,
			 void (*fn)(struct agent_view *v, const struct rt_agent_rec *rec,
				    void *arg),
			 void *arg)
{
	const char *ring = v->base + v->header.ring_off;
	uint64_t head = ring_head(v, dead), end = drain_end(v, head);
	uint32_t mask = v->header.ring_slots - 1;
	const struct rt_agent_rec *slot;
	struct rt_agent_rec rec;

	agent_meta_log__read(v);
	while (v->tail < end) {
		slot = (const void *)(ring + (size_t)(v->tail & mask) * sizeof(*slot));
		if (__atomic_load_n(&slot->seq, __ATOMIC_ACQUIRE) != v->tail + 1) {
			if (!dead)
				break;
			step_over(v, slot, head);
			continue;
		}
		memcpy(&rec, slot, sizeof(rec));
		v->tail++;
		if (rec.kind != RT_AGENT_DONE && rec.op && rec.op < v->first_op)
			v->first_op = rec.op;
		if (rec.kind == RT_AGENT_CLOCK) {
			on_clock(v, &rec);
		} else {
			v->waiting++;
			fn(v, &rec, arg);
		}
	}
	__atomic_store_n(&control(v)->tail, v->tail, __ATOMIC_RELEASE);
	return v->tail == head;
}

void agent_memory__hand_out_end(struct agent_view *v, const struct rt_rec_ended *ended,
				void (*fn)(struct agent_view *v, const struct rt_agent_rec *rec,
					   void *arg),
				void *arg)
{
	const struct rt_agent_rec rec = {
		.kind = RT_AGENT_DONE,
		.flags = RT_AGENT_F_TICKS | RT_AGENT_F_AGAIN,
		.time = ended->h.ts,
		.op = ended->op,
		.done.gpu_begin = ended->begin_ticks,
		.done.gpu_end = ended->end_ticks,
		.done.status = ended->value < 0 ? (uint64_t)ended->value : 0,
		.done.agent = ended->agent,
	};

	v->waiting++;
	fn(v, &rec, arg);
}

void agent_memory__done_with(struct agent_view *v)
{
	v->waiting--;
}

void agent_memory__give_up(struct agent_view *v)
{
	v->bad += ring_head(v, true) - v->tail;
	v->tail = v->last_head;
}

uint64_t agent_memory__lost(const struct agent_view *v)
{
	const struct agent_figures f = figures(v);
	uint64_t lost = 0;

	for (unsigned int i = 0; i < RT_AGENT_KINDS; i++)
		lost += f.lost[i];
	return lost;
}

uint64_t agent_memory__lost_of(const struct agent_view *v, unsigned int kind)
{
	return kind < RT_AGENT_KINDS ? figures(v).lost[kind] : 0;
}

uint64_t agent_memory__lost_names(const struct agent_view *v)
{
	return figures(v).lost_names + v->names_dropped;
}

uint64_t agent_memory__bad(const struct agent_view *v)
{
	const struct agent_figures f = figures(v);

	return v->bad + f.bad_calls + f.unlikely;
}

uint64_t agent_memory__lost_calls(const struct agent_view *v)
{
	return figures(v).lost_calls;
}

uint64_t agent_memory__unwatched_queues(const struct agent_view *v)
{
	return figures(v).skipped;
}

uint64_t agent_memory__other_runtimes(const struct agent_view *v)
{
	return figures(v).others;
}

bool agent_memory__failed(const struct agent_view *v)
{
	return figures(v).failed;
}

bool agent_memory__is_flawless(const struct agent_view *v)
{
	return !agent_memory__lost(v) && !agent_memory__lost_names(v) &&
	       !agent_memory__lost_calls(v) && !agent_memory__bad(v) &&
	       !agent_memory__unwatched_queues(v) && !agent_memory__other_runtimes(v) &&
	       !agent_memory__failed(v);
}

bool agent_memory__saw_submit(const struct agent_view *v, uint64_t op)
{
	return op >= v->first_op;
}
