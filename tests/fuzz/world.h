/* SPDX-License-Identifier: MIT */
/*
 * Made-up time and processes, for the fuzzing of what agents say.
 */
#ifndef RTRACE_FUZZ_WORLD_H
#define RTRACE_FUZZ_WORLD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "abi/bpf_records.h"
#include "abi/agent_ring.h"

#define SLOTS	  128
#define META_SIZE 16384
#define RING_OFF  (RT_AGENT_META + META_SIZE)
#define SPANS_OFF ((RING_OFF + SLOTS * sizeof(struct rt_agent_rec) + 4095) & ~4095UL)
#define SIZE	  (SPANS_OFF + RT_SPANS_SIZE)
#define CHUNKS	  4 /* of spans, that are written to */

#define CALLS_MAX 512 /* of the honest process in one input, a fourth of all */
#define START_NS  1000000000000000ULL
#define US	  1000ULL
#define MS	  1000000ULL

#define GPU	    1 /* its id in a process */
#define QUEUE	    1
#define KERNEL_ID   1
#define KERNEL_NAME "honest_kernel"

/* CLOCK_BOOTTIME; it goes on by itself a little each time that the tracer looks at it. */
extern uint64_t world_now;

/* A process with an agent; the memory is as in agent_ring.h. */
struct subject {
	pid_t pid;
	int fd;
	char *base;
	struct rt_agent_control *control;
	struct rt_agent_state *state;
	struct rt_agent_rec *ring;
	char *spans;
	uint32_t chunk; /* that the next span goes to */
	bool running;	/* the honest one's: its last operation, until it reports the end */
	uint64_t ops;
};

/* Makes the memory, which is sealed. Failure is the end. */
void subject__make(struct subject *s);

/* Starts the process, which has all memory mapped that there is. */
void subject__start(struct subject *s);

/* Makes the memory that of an agent which has just begun: with a GPU, a kernel and its clock. */
void subject__fill(struct subject *s);

void subject__put(struct subject *s, const struct rt_agent_rec *rec);
void subject__put_meta(struct subject *s, const void *rec, uint32_t size);
void subject__put_clock(struct subject *s); /* a pair of now */

/* A call that its first thread has made; false: there is no room. `size`: without what it reads. */
bool subject__put_span(struct subject *s, const struct rt_span_rec *rec, const void *args,
		       uint32_t size);

/* The function that all libraries have. */
struct function;
extern const struct function *world_function;

/* The GPU's clock, of 100 MHz. */
uint64_t world__ticks_at(uint64_t boot);

/* A new trace begins, in which these two have just made their first calls. */
void world__begin(const struct subject *a, const struct subject *b);

/*
 * A call of the function has just ended, inside the call `root` that is open, or with 0 in none.
 * The record may be changed until it is drained.
 */
struct rt_rec_span *world__put_call(const struct subject *s, uint64_t begin, uint64_t root,
				    uint64_t function);

/* The kernel has seen that an operation of the process has ended, as it died. */
void world__put_end(const struct subject *s, const struct rt_rec_ended *end);

/* The number of the call that comes `after` calls after the next one. */
uint64_t world__next_call(unsigned int after);

/* For more calls than those that the honest process may make? */
bool world__has_room(void);

#endif
