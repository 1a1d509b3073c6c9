/* SPDX-License-Identifier: MIT */
/*
 * How another library of the process learns which operations GPUs are given and when they ran.
 * libroctracer64 uses this, and finds the two functions below in librtrace-agent.so by their names.
 *
 * There is one agent in a process, so that a queue's packets are looked at once, whether a tracer
 * or a library of the process wants to know, or both. One library can be served.
 */
#ifndef RTRACE_ABI_AGENT_CLIENT_H
#define RTRACE_ABI_AGENT_CLIENT_H

#include <hsa/hsa.h>

#include <stdbool.h>
#include <stdint.h>

/* Both sides must have been built for the same one. */
#define RTRACE_CLIENT_VERSION 4

/* What the library wants reported. */
#define RTRACE_WANT_KERNELS  0x1 /* operations: kernels, ... */
#define RTRACE_WANT_COPIES   0x2 /* ... copies, ... */
#define RTRACE_WANT_BARRIERS 0x4 /* ... barrier packets */
#define RTRACE_WANT_PACKETS  0x8 /* all packets that are written to queues */

/* The call in which a thread is; 0: in none. */
struct rtrace_caller {
	uint64_t id;				     /* as the client knows calls */
	uint64_t subscriber_id, subscriber_ancestor; /* as the client's subscriber knows calls */
	uint64_t graph; /* that it launches, as the client numbers launches; 0: none */
};

struct rtrace_operation {
	uint32_t wanted_as;	     /* RTRACE_WANT_KERNELS, _COPIES or _BARRIERS */
	uint32_t queue;		     /* from 1, as queues were created; 0: a copy */
	uint32_t node;		     /* the driver's, of the GPU, of a copy: that does it */
	uint32_t tid;		     /* the thread that has submitted it */
	bool passed_on;		     /* another thread or a later call made the doorbell store */
	struct rtrace_caller caller; /* see below */
	const char *kernel;	     /* its name, there for good; NULL: none, or not known */
	/* of a kernel, there until the function returns; else NULL */
	const hsa_kernel_dispatch_packet_t *packet;
	hsa_queue_t *hsa_queue; /* NULL: a copy */
	/* of a copy */
	uint64_t bytes;
	uint32_t src_node, dst_node; /* the driver's */
	const void *src, *dst;
};

struct rtrace_packet {
	const void *packet; /* 64 bytes, there until the function returns */
	hsa_queue_t *queue;
	uint32_t node;
	const char *kernel;
};

/*
 * The functions are called as long as the client wants something that they report, and for a moment
 * after that: they and what they use must stay.
 */
struct rtrace_client {
	/* RTRACE_WANT_*. From any thread, at any time. */
	uint32_t (*wants)(void);
	/*
	 * The call in which the thread is. An operation is reported with the value that this
	 * returned on the submitting thread, in the call that submits: the call that stores to the
	 * queue's doorbell. If another thread's doorbell store covered the packet first, or the
	 * thread's own store has to wait: the call that reserved the packet's place.
	 */
	struct rtrace_caller (*caller)(void);
	/*
	 * Of a subscriber_id that a place is reserved with: it is in use until it is released,
	 * which it is when the packet has been looked at, or the place or the queue is used no
	 * more. False: it needs not be released.
	 */
	bool (*hold)(uint64_t subscriber_id);
	void (*release)(uint64_t subscriber_id);
	/*
	 * Before a GPU is given the operation, with its queue locked. It may call the runtime, but
	 * neither wait for a GPU or for a thread that stores to a doorbell, nor create or destroy a
	 * queue. The returned value, unless it is NULL, is passed to `ended` when the operation
	 * ends.
	 */
	void *(*submitted)(const struct rtrace_operation *op);
	/*
	 * Once for each, from any thread, with locks taken: the runtime must not be called. HSA
	 * timestamps, of a blocking copy those of its call. Both 0: it never ran, or the times
	 * could not be had; `failed` distinguishes the former from the latter.
	 */
	void (*ended)(void *operation, uint64_t begin, uint64_t end, bool failed);
	/*
	 * As `submitted`, of all packets, mostly on the thread that submits them.
	 */
	void (*packet)(const struct rtrace_packet *packet);
};

/*
 * When this returns 0, the client receives from now on what it wants, and nothing else. The client
 * calls this whenever its wishes have changed, with no lock that its functions take. -EAGAIN:
 * reports start when the agent is there. That is when the runtime has been initialised, unless the
 * agent is to stay off or has failed. -EPROTO: another version. -EBUSY: there is another client.
 */
typedef int rtrace_agent_tell_fn(uint32_t version, const struct rtrace_client *client);
/* Returns when all operations that have ended before have been reported to the client. */
typedef void rtrace_agent_collect_fn(void);

/*
 * Under the name rtrace_agent_behind: if the code at `function` is the agent's capture of another
 * function, returns that function; returns any other address unchanged.
 */
typedef void *rtrace_agent_behind_fn(void *function);

#endif
