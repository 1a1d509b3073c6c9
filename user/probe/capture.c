// SPDX-License-Identifier: MIT
/*
 * Loads the BPF object and drains its rings.
 */
#include "user/probe/capture.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "abi/executable_name.h"
#include "bpf/api.skel.h"
#include "user/api/functions.h"
#include "user/base/log.h"
#include "user/base/parallel.h"
#include "user/probe/holds.h"
#include "user/probe/kept_off.h"
#include "user/probe/kernel_support.h"
#include "user/probe/library_probes.h"
#include "user/probe/tracefs.h"

#define CGROUP_ROOT "/sys/fs/cgroup"

#define RING_BYTES_MAX	 (8u << 20)
#define RING_BYTES_MIN	 (1u << 20)
#define RING_BYTES_TOTAL (256u << 20)

struct ring {
	struct capture *capture;
	struct ring_buffer *reader;
	int fd;
	const volatile unsigned long *consumer, *producer;
	unsigned long goal; /* the producer's position when the drain began */
};

struct capture {
	struct api_bpf *skel;
	struct ring *rings; /* one a CPU */
	uint32_t initially_off;
	uint32_t behinds, spills; /* entries in the maps of these names */
	uint64_t missed;	  /* see capture__has_missed */
	int cpus;
	void (*fn)(const void *rec, size_t size, void *arg);
	void *arg;
};

const char *const capture_mode_names[CAPTURE_MODES] = {"session", "multi", "tracefs"};

enum capture_mode capture__best_mode(void)
{
	if (kernel_support__has_links(ATTACH_UPROBE_SESSION))
		return CAPTURE_SESSION;
	return kernel_support__has_links(ATTACH_UPROBE_MULTI) ? CAPTURE_MULTI : CAPTURE_TRACEFS;
}

/* A message can be the verifier's log, of many lines. */
static int print_libbpf(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char *text, *save, *line;

	if (log_level < 2 || vasprintf(&text, fmt, ap) < 0)
		return 0;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		log_debug("%s", line);
	free(text);
	return 0;
}

/*
 * Before Linux 5.11 BPF memory counts as locked memory. May be refused: then it is not needed. A
 * process with an agent takes two descriptors.
 */
static void raise_limits(void)
{
	struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY}, files;

	setrlimit(RLIMIT_MEMLOCK, &all);
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

static size_t ring_bytes(const struct capture_config *config, int cpus)
{
	size_t bytes = RING_BYTES_MAX;

	if (config->ring_bytes)
		return config->ring_bytes;
	while (bytes > RING_BYTES_MIN && bytes * cpus > RING_BYTES_TOTAL)
		bytes /= 2;
	return bytes;
}

static struct bpf_program *program_of(struct api_bpf *skel, enum capture_prog prog)
{
	struct bpf_program *const programs[CAPTURE_PROGS] = {
		[CAPTURE_PROG_SESSION] = skel->progs.api_session,
		[CAPTURE_PROG_ENTRY] = skel->progs.api_entry,
		[CAPTURE_PROG_RETURN] = skel->progs.api_return,
		[CAPTURE_PROG_DOORBELL] = skel->progs.doorbell,
		[CAPTURE_PROG_SIGNAL_END] = skel->progs.signal_end,
		[CAPTURE_PROG_COPY] = skel->progs.copy_start,
		[CAPTURE_PROG_COPY_RECT] = skel->progs.copy_rect_start,
		[CAPTURE_PROG_CODE_UNLOAD] = skel->progs.code_unload,
	};

	return programs[prog];
}

static void choose_door(struct bpf_program *prog, bool wanted, enum capture_mode mode)
{
	bpf_program__set_autoload(prog, wanted);
	bpf_program__set_autoattach(prog, false);
	if (mode != CAPTURE_TRACEFS)
		bpf_program__set_expected_attach_type(prog, ATTACH_UPROBE_MULTI);
}

static void choose_either(struct bpf_program *fexit, struct bpf_program *tracepoint, bool has_fexit,
			  bool wanted)
{
	bpf_program__set_autoload(fexit, wanted && has_fexit);
	bpf_program__set_autoload(tracepoint, wanted && !has_fexit);
}

/* Tracepoints of system calls are for kernels without fexit, see bpf/library_mappings.h. */
static void choose_ways(struct api_bpf *skel, bool kfd)
{
	bool fexit = kernel_support__has_fexit();

	choose_either(skel->progs.mapped, skel->progs.mmap_exit, fexit, true);
	choose_either(skel->progs.memfd_created, skel->progs.memfd_exit, fexit, true);
	choose_either(skel->progs.ioctl_entered, skel->progs.ioctl_enter, fexit, kfd);
	choose_either(skel->progs.ioctl_left, skel->progs.ioctl_exit, fexit, kfd);
	log_info("mappings are seen by %s", fexit ? "fexit" : "tracepoints of system calls");
}

static void choose_programs(struct api_bpf *skel, const struct capture_config *config,
			    enum capture_mode mode)
{
	bool session = mode == CAPTURE_SESSION;

	bpf_program__set_autoload(skel->progs.api_session, session);
	bpf_program__set_autoload(skel->progs.api_entry, !session);
	bpf_program__set_autoload(skel->progs.api_return, !session);
	bpf_program__set_autoload(skel->progs.exit_group_enter, config->doorbells);
	choose_ways(skel, config->kfd);

	/* Not by api_bpf__attach: to functions they go library by library, the iterator at the end.
	 */
	bpf_program__set_autoattach(skel->progs.api_session, false);
	bpf_program__set_autoattach(skel->progs.api_entry, false);
	bpf_program__set_autoattach(skel->progs.api_return, false);
	bpf_program__set_autoattach(skel->progs.flush_open_calls, false);
	bpf_program__set_autoattach(skel->progs.tell_open_calls, false);
	bpf_program__set_autoattach(skel->progs.tell_long_calls, false);

	bpf_program__set_expected_attach_type(skel->progs.api_session, ATTACH_UPROBE_SESSION);
	if (mode == CAPTURE_MULTI) {
		bpf_program__set_expected_attach_type(skel->progs.api_entry, ATTACH_UPROBE_MULTI);
		bpf_program__set_expected_attach_type(skel->progs.api_return, ATTACH_UPROBE_MULTI);
	}
	for (enum capture_prog p = CAPTURE_PROG_DOORBELL; p < CAPTURE_PROGS; p++)
		choose_door(program_of(skel, p), config->doorbells, mode);
}

static void configure_filter(struct api_bpf__rodata *rodata, const struct capture_filter *f)
{
	rodata->uid_count = f->uid_count;
	memcpy((void *)rodata->uids, f->uids, sizeof(f->uids));
	rodata->comm_count = f->comm_count;
	for (size_t i = 0; i < f->comm_count; i++)
		strncpy((char *)rodata->comms[i], f->comms[i], RT_COMM_LEN - 1);
	rodata->cgroup_count = f->cgroup_count;
	rodata->min_duration = f->min_duration;
	rodata->errors_only = f->errors_only;
}

static void configure_kept_off(struct api_bpf__rodata *rodata, const struct kept_off *k)
{
	rodata->kept_off_count = k->count;
	memcpy((void *)rodata->kept_off, k->names, sizeof(k->names));
}

static uint64_t monotonic_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static void configure(struct capture *c, const struct capture_config *config,
		      enum capture_mode mode)
{
	struct api_bpf__rodata *rodata = c->skel->rodata;

	rodata->nr_cpus = c->cpus;
	rodata->only_listed = config->only_listed;
	rodata->follow_forks = config->follow_forks;
	rodata->hold_unknown = config->hold_unknown;
	rodata->by_process = config->by_process;
	rodata->node_wide = config->node_wide;
	rodata->tell_exec = config->tell_exec;
	rodata->tracer_pid = getpid();
	rodata->use_probes = mode == CAPTURE_TRACEFS;
	rodata->initially_off = c->initially_off;
	rodata->traced_since = config->all_new ? 0 : monotonic_ns();
	configure_filter(rodata, config->filter);
	configure_kept_off(rodata, config->kept_off);
	bpf_map__set_max_entries(c->skel->maps.rings, c->cpus);
}

/* How much of a ring a record takes. */
static unsigned long size_in_ring(size_t size)
{
	return (size + BPF_RINGBUF_HDR_SZ + 7) & ~7UL;
}

/* What has come since the drain began is for the next one: there might be more for ever. */
static int on_record(void *ctx, void *data, size_t size)
{
	const struct ring *r = ctx;
	unsigned long next = *r->consumer + size_in_ring(size);

	r->capture->fn(data, size, r->capture->arg);
	return (long)(next - r->goal) < 0 ? 0 : -EAGAIN;
}

/* Positions of a ring: its first page is the consumer's, the second the producer's. */
static int map_positions(struct ring *r)
{
	size_t page = sysconf(_SC_PAGESIZE);

	r->consumer = mmap(NULL, page, PROT_READ, MAP_SHARED, r->fd, 0);
	r->producer = mmap(NULL, page, PROT_READ, MAP_SHARED, r->fd, page);
	return r->consumer == MAP_FAILED || r->producer == MAP_FAILED ? -errno : 0;
}

static int add_ring(struct capture *c, int cpu, size_t bytes)
{
	struct ring *r = &c->rings[cpu];
	int err;

	r->capture = c;
	r->fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "rtrace_ring", 0, 0, bytes, NULL);
	if (r->fd < 0)
		return -errno;
	err = map_positions(r);
	if (err)
		return err;
	r->reader = ring_buffer__new(r->fd, on_record, r, NULL);
	return r->reader ? 0 : -errno;
}

/*
 * Gives the programs their rings, all at once: with each update of such a map the kernel waits for
 * an RCU grace period, some 20 ms where there are many CPUs. Before Linux 5.18 it takes one only.
 */
static int hand_over_rings(struct capture *c)
{
	int map = bpf_map__fd(c->skel->maps.rings);
	int *keys = calloc(c->cpus, sizeof(*keys)), *fds = calloc(c->cpus, sizeof(*fds));
	__u32 count = c->cpus;
	int err = keys && fds ? 0 : -ENOMEM;

	for (int cpu = 0; cpu < c->cpus && !err; cpu++) {
		keys[cpu] = cpu;
		fds[cpu] = c->rings[cpu].fd;
	}
	if (!err && bpf_map_update_batch(map, keys, fds, &count, NULL))
		for (int cpu = 0; cpu < c->cpus && !err; cpu++)
			err = bpf_map_update_elem(map, &keys[cpu], &fds[cpu], BPF_ANY);
	free(keys);
	free(fds);
	return err;
}

static int open_rings(struct capture *c, const struct capture_config *config)
{
	size_t bytes = ring_bytes(config, c->cpus);
	int err = 0;

	c->rings = calloc(c->cpus, sizeof(*c->rings));
	if (!c->rings)
		return -ENOMEM;
	for (int cpu = 0; cpu < c->cpus; cpu++)
		c->rings[cpu].fd = -1;
	for (int cpu = 0; cpu < c->cpus && !err; cpu++)
		err = add_ring(c, cpu, bytes);
	if (!err)
		err = hand_over_rings(c);
	if (!err)
		log_info("rings: %d of %zu KiB", c->cpus, bytes >> 10);
	return err;
}

static void close_ring(struct ring *r)
{
	size_t page = sysconf(_SC_PAGESIZE);

	ring_buffer__free(r->reader);
	if (r->consumer && r->consumer != MAP_FAILED)
		munmap((void *)r->consumer, page);
	if (r->producer && r->producer != MAP_FAILED)
		munmap((void *)r->producer, page);
	if (r->fd >= 0)
		close(r->fd);
}

static int open_cgroup(const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s%s", name[0] == '/' ? "" : CGROUP_ROOT "/", name);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int open_cgroups(struct capture *c, const struct capture_filter *f)
{
	for (__u32 i = 0; i < f->cgroup_count; i++) {
		int fd = open_cgroup(f->cgroups[i]), err = 0;

		if (fd < 0 || bpf_map_update_elem(bpf_map__fd(c->skel->maps.cgroups), &i, &fd, 0))
			err = -errno;
		if (fd >= 0)
			close(fd);
		if (err) {
			log_err("cgroup %s: %s", f->cgroups[i],
				err == -EBADF ? "not a control group of version 2"
					      : strerror(-err));
			return err;
		}
	}
	return 0;
}

/* At "integrity" BPF programs may still read. */
static bool is_locked_down(void)
{
	char line[128] = "";
	FILE *f = fopen("/sys/kernel/security/lockdown", "re");

	if (f && !fgets(line, sizeof(line), f))
		line[0] = '\0';
	if (f)
		fclose(f);
	return strstr(line, "[confidentiality]");
}

static int load(struct capture *c, const struct capture_config *config, enum capture_mode mode)
{
	int err;

	choose_programs(c->skel, config, mode);
	c->initially_off = (config->start_off ? RT_OFF_STOPPED : 0) |
			   (config->start_paused ? RT_OFF_PAUSED : 0);
	configure(c, config, mode);
	err = api_bpf__load(c->skel);
	if (err) {
		log_err("bpf: load programs: %s (%s)", strerror(-err),
			is_locked_down() ? "the kernel is locked down: no program may read memory"
					 : "details with -vv");
		return err;
	}
	err = open_cgroups(c, config->filter);
	if (err)
		return err;
	err = open_rings(c, config);
	if (err) {
		log_err("bpf: create rings: %s", strerror(-err));
		return err;
	}
	err = api_bpf__attach(c->skel);
	if (err)
		log_err("bpf: attach to the kernel: %s (%s)", strerror(-err),
			err == -E2BIG ? "too many tracers run: the kernel takes 38 programs on one "
					"of its functions"
				      : "details with -vv");
	return err;
}

struct capture *capture__open(const struct capture_config *config, enum capture_mode mode)
{
	struct capture *c;
	int err;

	if (!tracefs__root()) /* libbpf looks tracepoints up there */
		return NULL;
	libbpf_set_print(print_libbpf);
	libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
	raise_limits();
	c = calloc(1, sizeof(*c));
	if (!c) {
		errno = ENOMEM;
		return NULL;
	}
	c->cpus = libbpf_num_possible_cpus();
	c->skel = c->cpus > 0 ? api_bpf__open() : NULL;
	err = c->skel ? load(c, config, mode) : -errno;
	if (err) {
		capture__close(c);
		errno = -err;
		return NULL;
	}
	return c;
}

void capture__close(struct capture *c)
{
	if (!c)
		return;
	for (int i = 0; c->rings && i < c->cpus; i++)
		close_ring(&c->rings[i]);
	free(c->rings);
	api_bpf__destroy(c->skel);
	free(c);
}

struct bpf_program *capture__prog(struct capture *c, enum capture_prog prog)
{
	return program_of(c->skel, prog);
}

static int update(const struct bpf_map *map, const void *key, const void *value)
{
	return bpf_map_update_elem(bpf_map__fd(map), key, value, BPF_ANY) ? -errno : 0;
}

void capture__holds(struct capture *c, struct holds *holds)
{
	*holds = (struct holds){
		.held = bpf_map__fd(c->skel->maps.held),
		.letting_go = bpf_map__fd(c->skel->maps.letting_go),
		.count = &c->skel->bss->held_off,
	};
}

int capture__list_pid(struct capture *c, pid_t pid)
{
	struct rt_process_state state = {.off = c->initially_off};

	return update(c->skel->maps.pids, &(__u32){pid}, &state);
}

/* One that ends while they are counted may have others counted twice: there is an end to that. */
size_t capture__living(struct capture *c)
{
	int fd = bpf_map__fd(c->skel->maps.pids);
	__u32 max = bpf_map__max_entries(c->skel->maps.pids), pid, *last = NULL;
	size_t count = 0;

	for (__u32 i = 0; i < max && !bpf_map_get_next_key(fd, last, &pid); i++) {
		last = &pid;
		count += !kill(pid, 0) || errno == EPERM;
	}
	return count;
}

int capture__add_function(struct capture *c, const struct function *fn)
{
	return update(c->skel->maps.plans, &fn->id, &fn->plan);
}

int capture__add_probe(struct capture *c, const struct rt_probe *probe, uint64_t cookie)
{
	return update(c->skel->maps.probes, probe, &cookie);
}

int capture__add_known(struct capture *c, const struct library *lib, uint32_t group)
{
	const struct rt_file file = {
		.ino = lib->ino,
		.dev = major(lib->dev) << 20 | minor(lib->dev),
	};

	c->skel->bss->programs_probed |= lib->program;
	if (group >= RT_FILE_GROUPS)
		return 0;
	return update(c->skel->maps.known_files, &file, &(__u8){group});
}

static uint64_t groups_of(struct capture *c, pid_t pid)
{
	uint64_t groups = 0;

	bpf_map_lookup_elem(bpf_map__fd(c->skel->maps.covered), &pid, &groups);
	return groups;
}

bool capture__covers(struct capture *c, pid_t pid, uint32_t group)
{
	return group < RT_FILE_GROUPS && groups_of(c, pid) & 1ULL << group;
}

int capture__cover(struct capture *c, pid_t pid, uint32_t group)
{
	const uint64_t groups = groups_of(c, pid) | 1ULL << group % RT_FILE_GROUPS;

	return group < RT_FILE_GROUPS ? update(c->skel->maps.covered, &(__u32){pid}, &groups) : 0;
}

uint32_t capture__add_behind(struct capture *c, uint64_t before, uint64_t after)
{
	const struct rt_behind behind = {before, after};
	uint32_t number = c->behinds + 1;

	if (c->behinds >= RT_BEHINDS || update(c->skel->maps.behinds, &number, &behind))
		return 0;
	return c->behinds = number;
}

uint32_t capture__add_spills(struct capture *c, const struct rt_spills *spills)
{
	uint32_t number = c->spills + 1;

	return update(c->skel->maps.spills, &number, spills) ? 0 : (c->spills = number);
}

int capture__add_request(struct capture *c, uint8_t nr, const struct function *fn)
{
	return update(c->skel->maps.kfd_functions, &(__u32){nr}, &(__u32){fn->id + 1});
}

int capture__watch_agent(struct capture *c, pid_t pid, uint64_t address)
{
	const struct bpf_map *agents = c->skel->maps.agents;

	if (address)
		return update(agents, &(__u32){pid}, &address);
	return bpf_map_delete_elem(bpf_map__fd(agents), &(__u32){pid}) ? -errno : 0;
}

void capture__set_off(struct capture *c, bool off)
{
	c->skel->bss->all_off = off;
}

bool capture__drain(struct capture *c, void (*fn)(const void *rec, size_t size, void *arg),
		    void *arg)
{
	bool complete = true;

	c->fn = fn;
	c->arg = arg;
	for (int i = 0; i < c->cpus; i++)
		c->rings[i].goal = *c->rings[i].producer;
	for (int i = 0; i < c->cpus; i++) {
		struct ring *r = &c->rings[i];

		if (*r->consumer != r->goal)
			ring_buffer__consume(r->reader);
		if ((long)(*r->consumer - r->goal) < 0)
			complete = false;
	}
	return complete;
}

static void destroy_skeleton_link(size_t i, void *arg)
{
	struct bpf_prog_skeleton *prog = &((struct bpf_object_skeleton *)arg)->progs[i];

	bpf_link__destroy(*prog->link);
	*prog->link = NULL;
}

void capture__unwatch(struct capture *c)
{
	parallel__run(c->skel->skeleton->prog_cnt, destroy_skeleton_link, c->skel->skeleton);
}

static int link_iterator(const struct bpf_program *prog)
{
	int link = bpf_link_create(bpf_program__fd(prog), 0, BPF_TRACE_ITER, NULL);

	return link < 0 ? -errno : link;
}

int capture__long_calls(struct capture *c)
{
	return link_iterator(c->skel->progs.tell_long_calls);
}

/* Runs the program for every thread. */
static int each_task(const struct bpf_program *prog)
{
	char buf[256];
	int link = link_iterator(prog), iter;

	if (link < 0)
		return link;
	iter = bpf_iter_create(link);
	if (iter < 0) {
		iter = -errno;
		close(link);
		return iter;
	}
	while (read(iter, buf, sizeof(buf)) > 0)
		;
	close(iter);
	close(link);
	return 0;
}

int capture__flush_open_calls(struct capture *c)
{
	return each_task(c->skel->progs.flush_open_calls);
}

static int tell_open_calls(struct capture *c, pid_t pid)
{
	c->skel->bss->open_calls_of = pid;
	return each_task(c->skel->progs.tell_open_calls);
}

/* From now on each entered call is reported; then the calls that are open already. */
int capture__watch_calls(struct capture *c, pid_t pid, const struct rt_agent_calls *calls)
{
	const struct bpf_map *map = c->skel->maps.agent_calls;
	int err;

	c->skel->bss->agents_capture = true;
	if (!calls)
		return bpf_map_delete_elem(bpf_map__fd(map), &(__u32){pid}) ? -errno : 0;
	err = update(map, &(__u32){pid}, calls);
	return err ? err : tell_open_calls(c, pid);
}

static uint64_t missed_by(const struct bpf_program *prog)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	return bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &size) ? 0
									   : info.recursion_misses;
}

bool capture__has_missed(struct capture *c)
{
	uint64_t missed =
		missed_by(c->skel->progs.mapped) + missed_by(c->skel->progs.memfd_created);
	bool more = missed > c->missed;

	c->missed = missed;
	return more;
}

uint64_t capture__missed_requests(struct capture *c)
{
	return missed_by(c->skel->progs.ioctl_entered) + missed_by(c->skel->progs.ioctl_left);
}

bool capture__unloads(struct capture *c, pid_t pid, uint64_t *began, bool *may_go_on)
{
	struct rt_program_state state = {0};
	int fd = syscall(SYS_pidfd_open, pid, 0), err;

	if (fd < 0)
		return false;
	err = bpf_map_lookup_elem(bpf_map__fd(c->skel->maps.programs), &fd, &state);
	close(fd);
	*began = state.unloaded;
	*may_go_on = state.unloader;
	return !err || err == -ENOENT;
}

bool capture__takes(struct capture *c, pid_t pid)
{
	struct rt_process_state state;

	return pid != getpid() &&
	       (!c->skel->rodata->only_listed ||
		!bpf_map_lookup_elem(bpf_map__fd(c->skel->maps.pids), &pid, &state));
}

uint64_t capture__count(struct capture *c, enum rt_count which)
{
	uint64_t values[c->cpus], sum = 0;
	__u32 key = which;

	if (bpf_map_lookup_elem(bpf_map__fd(c->skel->maps.counts), &key, values))
		return 0;
	for (int i = 0; i < c->cpus; i++)
		sum += values[i];
	return sum;
}

void capture__each_lost(struct capture *c, void (*fn)(uint32_t pid, uint64_t lost, void *arg),
			void *arg)
{
	int fd = bpf_map__fd(c->skel->maps.lost_of);
	__u32 pid, *last = NULL;
	__u64 lost;

	while (!bpf_map_get_next_key(fd, last, &pid)) {
		last = &pid;
		if (!bpf_map_lookup_elem(fd, &pid, &lost))
			fn(pid, lost, arg);
	}
}
