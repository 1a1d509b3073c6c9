/* SPDX-License-Identifier: MIT */
/*
 * The BPF side, loaded: programs, rings, counters. What it hands out are raw records
 * (abi/bpf_records.h).
 */
#ifndef RTRACE_PROBE_CAPTURE_H
#define RTRACE_PROBE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/bpf_records.h"

struct capture;
struct function;
struct holds;
struct kept_off;
struct library;

/* Calls that are recorded: of each kind that has values, one must fit. */
struct capture_filter {
	uint32_t uids[RT_FILTERS];
	size_t uid_count;
	const char *comms[RT_FILTERS]; /* names of processes, at most 15 bytes */
	size_t comm_count;
	const char *cgroups[RT_FILTERS]; /* paths, below /sys/fs/cgroup or absolute */
	size_t cgroup_count;
	uint64_t min_duration; /* ns */
	bool errors_only;
};

struct capture_config {
	bool only_listed;  /* capture the processes given by capture__list_pid alone */
	bool follow_forks; /* and their children */
	bool hold_unknown; /* stop a process that maps an unknown library until it is probed */
	bool by_process;   /* a known one is probed in the processes of capture__cover alone */
	bool node_wide;	   /* files are probed in all processes, captured or not */
	bool tell_exec;	   /* RT_REC_EXEC of every process */
	bool all_new;	   /* no captured process has run anything before the capture is open */
	bool kfd;	   /* system calls to the GPU driver */
	bool doorbells;	   /* dispatches from doorbells: RT_REC_DISPATCH and those with it */
	bool start_off;	   /* as if every process had begun with roctracer_stop() */
	bool start_paused; /* ... with roctxProfilerPause(0) */
	const struct kept_off *kept_off;
	const struct capture_filter *filter;
	size_t ring_bytes; /* a CPU; 0: chosen by the number of CPUs */
};

/* enum bpf_attach_type of newer kernels; the header that this is built with may be older. */
#define ATTACH_UPROBE_MULTI   48 /* Linux 6.6 */
#define ATTACH_UPROBE_SESSION 57 /* Linux 6.13 */

/* How functions are probed: what is needed of the kernel, best first. */
enum capture_mode {
	CAPTURE_SESSION, /* Linux 6.13: one link, entry and return in one program */
	CAPTURE_MULTI,	 /* Linux 6.6: one link for all entries, one for all returns */
	CAPTURE_TRACEFS, /* Linux 5.15: tracefs events with many probes each */
	CAPTURE_MODES,
};

/* "session", "multi", "tracefs" */
extern const char *const capture_mode_names[CAPTURE_MODES];

/* The best mode that this kernel has. */
enum capture_mode capture__best_mode(void);

/*
 * Programs to attach to functions: the first in CAPTURE_SESSION, the next two else; the rest, in
 * every mode, to the functions of enum door.
 */
enum capture_prog {
	CAPTURE_PROG_SESSION,
	CAPTURE_PROG_ENTRY,
	CAPTURE_PROG_RETURN,
	CAPTURE_PROG_DOORBELL,
	CAPTURE_PROG_SIGNAL_END,
	CAPTURE_PROG_COPY,
	CAPTURE_PROG_COPY_RECT,
	CAPTURE_PROG_CODE_UNLOAD,
	CAPTURE_PROGS,
};

/*
 * Loads and starts all but the function probes. NULL with errno set on failure, which is logged.
 */
struct capture *capture__open(const struct capture_config *config, enum capture_mode mode);
void capture__close(struct capture *c);

struct bpf_program;
struct bpf_program *capture__prog(struct capture *c, enum capture_prog prog);

/* What it holds; valid until the capture is closed. */
void capture__holds(struct capture *c, struct holds *holds);

/*
 * A link for bpf_iter_create(2): what is read there are the ids of processes, 4 bytes each, some
 * more than once, that are in a traced call for 0.4 s and have made another inside of it in the
 * last 0.2 s. The caller closes it. Or -errno.
 */
int capture__long_calls(struct capture *c);

/* Sets what the programs take of the function's calls. Before it is probed. 0 or -errno. */
int capture__add_function(struct capture *c, const struct function *fn);

/* Where probes have no cookies of their own (CAPTURE_TRACEFS): that of this one. 0 or -errno. */
int capture__add_probe(struct capture *c, const struct rt_probe *probe, uint64_t cookie);

/*
 * Stores how many bytes of a library's code are before and after a probe in a trampoline's target.
 * Returns the number for the probe's cookie; 0 if there is no room.
 */
uint32_t capture__add_behind(struct capture *c, uint64_t before, uint64_t after);

/* The same for a probe where a function has put its floating-point arguments. */
uint32_t capture__add_spills(struct capture *c, const struct rt_spills *spills);

/* The function by which requests of that number to /dev/kfd are recorded. 0 or -errno. */
int capture__add_request(struct capture *c, uint8_t nr, const struct function *fn);

/*
 * A process that maps that file need not be held: it is probed in all, or in the processes that are
 * covered by that group of files. 0 or -errno.
 */
int capture__add_known(struct capture *c, const struct library *lib, uint32_t group);

/*
 * The files of that group are probed in the process, and in all that it starts from now on, until
 * one executes a program that takes its probes away. Of a group beyond the last (RT_FILE_GROUPS)
 * nothing is remembered.
 */
int capture__cover(struct capture *c, pid_t pid, uint32_t group);
bool capture__covers(struct capture *c, pid_t pid, uint32_t group);

/*
 * Ends of GPU operations that the agent of a process has not recorded are to be sent if that is
 * killed (RT_REC_ENDED). `address`: of the agent's memory there; 0: not any more. 0 or -errno.
 */
int capture__watch_agent(struct capture *c, pid_t pid, uint64_t address);

/*
 * Calls of the process are captured by its agent, see bpf/agent_calls.h; NULL: not any more. 0 or
 * -errno.
 */
int capture__watch_calls(struct capture *c, pid_t pid, const struct rt_agent_calls *calls);

/* Switches tracing off for all processes, or on again. */
void capture__set_off(struct capture *c, bool off);

/* 0 or -errno. */
int capture__list_pid(struct capture *c, pid_t pid);

/* How many processes live that capture__list_pid has listed, or that these have started. */
size_t capture__living(struct capture *c);

/*
 * When the process last began to unload code, CLOCK_BOOTTIME ns (0: it has not), and whether that
 * may go on. Where the functions of enum door are probed. False if it has ended.
 */
bool capture__unloads(struct capture *c, pid_t pid, uint64_t *began, bool *may_go_on);

/* Are the process's calls captured, as far as they pass the filters? */
bool capture__takes(struct capture *c, pid_t pid);

/*
 * Whether the kernel has left out, since it was asked last, a program that reports libraries and
 * agents (see bpf/library_mappings.h): any process may have one that nobody knows of.
 */
bool capture__has_missed(struct capture *c);

/* How often it has left out programs that see requests to /dev/kfd, and those to other devices. */
uint64_t capture__missed_requests(struct capture *c);

/*
 * Passes every complete record to `fn`, in the order of each CPU; what comes meanwhile is left for
 * the next time. Returns true if all that was in the rings when it was called has been read. False:
 * a record is still being written, by a thread that was preempted there, and delays those after it.
 */
bool capture__drain(struct capture *c, void (*fn)(const void *rec, size_t size, void *arg),
		    void *arg);

/* Ends the watching of processes. Drain once more: some may have been stopped just before. */
void capture__unwatch(struct capture *c);

/* Sends open calls as unfinished. Call it after the function probes are removed. 0 or -errno. */
int capture__flush_open_calls(struct capture *c);

uint64_t capture__count(struct capture *c, enum rt_count which);

/* Calls `fn` for each process that has lost calls, with how many so far. */
void capture__each_lost(struct capture *c, void (*fn)(uint32_t pid, uint64_t lost, void *arg),
			void *arg);

#endif
