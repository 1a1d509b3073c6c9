/* SPDX-License-Identifier: MIT */
/*
 * The one event type: what leaves the merge (ingest, clock, correlate) and all that sinks see.
 *
 * An event is complete when a sink gets it: times are CLOCK_BOOTTIME ns, GPU operations carry the
 * correlation ID of the call that caused them (or EV_F_UNCORRELATED), ranges carry their message.
 * Events come in the order of their ends, not of their begins: a parent follows its children.
 */
#ifndef RTRACE_EVENT_EVENT_H
#define RTRACE_EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/format.h"
#include "user/event/trace_origin.h"

enum ev_domain {
	DOMAIN_HIP,
	DOMAIN_HSA,
	DOMAIN_KFD,	  /* the thunk, hsaKmt*, and the system calls of one that is linked in */
	DOMAIN_ROCTX,	  /* calls of the roctx API, and the ranges and marks they make */
	DOMAIN_ROCTRACER, /* calls of roctracer and rocprofiler that control tracing */
	DOMAIN_GPU,	  /* what the GPU ran */
	DOMAIN_COUNT,
};

/* "hip", "hsa", "kfd", "roctx", "roctracer", "gpu" */
const char *event__domain_name(enum ev_domain domain);

enum ev_kind {
	EV_SPAN,     /* a call of an API function on a thread */
	EV_RANGE,    /* a roctx range: push..pop on one thread, or start..stop */
	EV_MARK,     /* a roctx mark: begin == end */
	EV_DISPATCH, /* a kernel */
	EV_COPY,     /* an asynchronous copy */
	EV_GAP,	     /* a time in which calls of a process may have been missed; name: why */
	EV_BARRIER,  /* a barrier packet: an operation of a queue as a dispatch is */
	/* What happened at `end`, in a call that began at `begin`; see struct resource_info. */
	EV_MEMORY,
	EV_SCRATCH,
	EV_QUEUE,
	EV_CODE,
	EV_RUNTIME,
};

/* Did the GPU run it? */
static inline bool ev_is_operation(enum ev_kind kind)
{
	return kind == EV_DISPATCH || kind == EV_COPY || kind == EV_BARRIER;
}

static inline bool ev_is_resource(enum ev_kind kind)
{
	return kind >= EV_MEMORY;
}

/* ev.flags */
#define EV_F_UNFINISHED	  0x01	/* span, range: still open when the task or the trace ended */
#define EV_F_UNWOUND	  0x02	/* span: left by longjmp or an exception; end = when it was seen */
#define EV_F_UNCORRELATED 0x04	/* GPU: no call was found that caused it; corr = 0 */
#define EV_F_NO_TIMES	  0x08	/* GPU: submitted, never seen to end; end = begin = submit */
#define EV_F_PROCESS	  0x10	/* range: start/stop, of the process, not nested on the thread */
#define EV_F_LAUNCHED	  0x20	/* span: GPU operations carry its corr */
#define EV_F_CUT	  0x40	/* the name (message) was longer than what was captured */
#define EV_F_EXTERNAL	  0x80	/* `external` is set */
#define EV_F_DOORBELL	  0x200 /* GPU: read at its doorbell; times only if a signal had them */
#define EV_F_ENTRY	  0x100 /* span: only its begin is known; end == begin */
#define EV_F_CALL_TIMES	  0x400 /* GPU: its times are those of the call that waited for it */

/* Why a dispatch that was read at its doorbell has no times. */
enum ev_why {
	WHY_NOT_SAID,
	WHY_QUEUE,	   /* its queue takes no times */
	WHY_NO_SIGNAL,	   /* it completes no signal, or one that could not be read */
	WHY_TAKEN,	   /* the GPU had taken it before it was read */
	WHY_SIGNAL_REUSED, /* its signal may have been of the next packet when that was read */
	WHY_SIGNAL_SHARED, /* packets that were in flight at one time had its signal */
	WHY_SIGNAL_GONE,   /* signal or process ended before the GPU had written times */
	WHY_TRACE_END,	   /* tracing ended before that */
	WHY_CLOCK,	   /* the GPU's clock is not known */
	WHY_ODD_TIMES,	   /* the times in its signal cannot be its own */
	WHY_NO_ROOM,	   /* too many signals or times were waited for */
};

/* In ev.flags, beside EV_F_NO_TIMES. */
#define EV_WHY_SHIFT 16
#define EV_WHY(why)  ((uint32_t)(why) << EV_WHY_SHIFT)

#define STREAM_NONE UINT32_MAX

enum copy_dir {
	COPY_UNKNOWN,
	COPY_H2D,
	COPY_D2H,
	COPY_D2D, /* between two GPUs or inside one */
	COPY_H2H,
	COPY_FILL, /* of a GPU's memory or by a GPU */
	COPY_DIRS,
};

/* "HtoD", "DtoH", "DtoD", "HtoH", "fill", "copy" */
const char *event__copy_name(enum copy_dir dir);
/* What it is called beside kernels: "copy HtoD" and so on, "fill", "copy". */
const char *event__copy_title(enum copy_dir dir);

/* The flags by name, with commas between: "unfinished,cut"; "" for none. Returns `buf`. */
char *event__flags_text(char buf[FORMAT_LEN], uint32_t flags);

struct api_function;
struct call_values;

enum resource_what {
	RESOURCE_ALLOC,
	RESOURCE_FREE,
	RESOURCE_VMEM_RESERVE, /* addresses without memory, and back */
	RESOURCE_VMEM_UNRESERVE,
	RESOURCE_VMEM_CREATE, /* memory without addresses, and back; address: its handle */
	RESOURCE_VMEM_RELEASE,
	RESOURCE_VMEM_MAP,
	RESOURCE_VMEM_UNMAP,
	RESOURCE_SCRATCH_ALLOC,
	RESOURCE_SCRATCH_FREE,
	RESOURCE_SCRATCH_RECLAIM,
	RESOURCE_QUEUE_CREATE,
	RESOURCE_QUEUE_DESTROY,
	RESOURCE_CODE_LOAD,
	RESOURCE_CODE_UNLOAD,
	RESOURCE_RUNTIME_INIT,
	RESOURCE_RUNTIME_END,
	RESOURCE_COUNT,
};

/* "alloc", "create queue", "load code object", ... */
const char *event__resource_name(enum resource_what what);

/* What resource_info.count counts: "packets", "kernels" or "waves". */
const char *event__count_name(enum ev_kind kind);

struct resource_info {
	enum resource_what what;
	bool bytes_known;  /* not for what is freed and was not seen to be allocated */
	bool in_use_known; /* `in_use` is set: what is in use of the device has changed */
	uint32_t id;	   /* of the queue or code object, 0 none */
	uint32_t count;	   /* queue: packets; code object: kernels; scratch: waves */
	uint64_t address;  /* 0 none */
	uint64_t bytes;
	uint64_t in_use;  /* bytes, of the allocations that were seen */
	const char *text; /* code object: where it is from; runtime: its versions; NULL none */
};

#define DEVICE_CPU     -1
#define DEVICE_UNKNOWN -2 /* only of resources */

/*
 * A description of a GPU may end in this text and the process's own number of the GPU. The text
 * before it is the same in all processes.
 */
#define DEVICE_OWN ", device "

/* The length of that. */
size_t event__device_place_len(const char *details);

struct gpu_info {
	int32_t device;	 /* 0-based GPU index in the machine, or DEVICE_* */
	uint32_t queue;	 /* queue id in its process, 0: none (copies) */
	uint64_t submit; /* when it was submitted, on thread `tid` */
	uint64_t op;	 /* number of the operation in its process */
	uint32_t stream; /* HIP stream: 0 the default one, others as met; STREAM_NONE: none known */
	uint32_t ordinal; /* among the operations of the same outermost call, from 0 */
	union {
		struct {
			uint32_t grid[3];
			uint32_t workgroup[3];
			uint32_t lds, scratch; /* bytes */
			uint32_t kernel;       /* kernel id in its process */
			uint32_t code;	       /* id of its code object, 0 unknown */
			/* What a wave occupies; all 0: not known. */
			uint32_t vgprs, accum_vgprs, sgprs;
		};
		struct {
			uint64_t bytes;
			enum copy_dir dir;
			int32_t src_device, dst_device; /* as `device` */
			uint32_t engine;		/* from 1; 0: the runtime chose */
		};
		struct resource_info resource;
	};
};

struct event {
	enum ev_kind kind;
	enum ev_domain domain;
	uint32_t flags;
	uint32_t pid, tid;   /* as the root pid namespace sees them */
	uint64_t begin, end; /* begin <= end */
	uint64_t corr;	     /* correlation ID; GPU: of the innermost call that submitted it */
	uint64_t parent;   /* span: the enclosing span's; range: the enclosing range's id; 0 none */
	uint64_t root;	   /* GPU: correlation ID of the outermost call; span: its own outermost */
	uint64_t in_range; /* span, GPU: id of the innermost roctx range open on the thread, 0 none
			    */
	uint64_t external; /* span, GPU: the external correlation ID, with EV_F_EXTERNAL */
	/*
	 * Function, message or (demangled) kernel. Messages, of ranges and marks, live while a sink
	 * has the event, as the text of a resource does; other names until the sinks close.
	 */
	const char *name;
	union {
		struct {
			uint64_t args[6];
			uint64_t ret;
			uint32_t depth;	 /* 0: called by the application itself */
			uint32_t stream; /* HIP stream worked on, as gpu_info.stream */
			const struct api_function *api; /* what its arguments are, NULL: unknown */
			/* What was captured of it, never NULL; lives while a sink has the event. */
			const struct call_values *values;
			const char *kernel;	  /* that it launches, NULL: none or unknown */
			const char *const *stack; /* its callers, innermost first */
			uint32_t stack_depth;
		};
		struct {
			uint64_t id; /* range: unique in the trace; mark: 0 */
		} range;
		struct gpu_info gpu;
	};
};

/* What to call the event: its name, for copies the direction; never NULL. */
const char *event__name(const struct event *ev);

/* What was not recorded, for sinks that have a place for it and for the closing lines. */
struct trace_stats {
	uint64_t spans, ranges, marks, dispatches, copies;
	uint64_t barriers;
	uint64_t allocations, frees;
	uint64_t virtual_memory;			  /* reserved, created, mapped, and back */
	uint64_t scratch, queues, code_objects, runtimes; /* what happened to them */
	uint64_t uncorrelated; /* GPU operations without a correlation ID */
	uint64_t unfinished;   /* calls cut off by the end of a task or of the trace */
	uint64_t early;	     /* GPU operations that seem to have begun before they were submitted */
	uint64_t no_times;   /* GPU operations that were never seen to end */
	uint64_t lost_spans; /* dropped in the kernel: ring full */
	uint64_t lost_depth; /* calls nested deeper than the capture's stack */
	uint64_t lost_tasks; /* calls of threads that the capture found no memory for */
	uint64_t lost_gpu;   /* dropped by agents: ring full; the sum of these: */
	uint64_t lost_dispatches, lost_copies, lost_ends, lost_clocks, lost_barriers;
	uint64_t lost_memory, lost_scratch, lost_queues, lost_code_objects, lost_runtimes;
	uint64_t lost_names;  /* of devices, queues, code and kernels: agents' log of them full */
	uint64_t unreadable;  /* messages of ranges and marks that could not be read */
	uint64_t lost_other;  /* records that made no sense and were skipped */
	uint64_t clock_error; /* ns within which the pairs of a GPU's clock were read, at worst */
	uint64_t gaps;	      /* times in which calls may have been missed */
	uint64_t doorbells;   /* dispatches that were read at their doorbells, ... */
	uint64_t unmeasured;  /* ... of these: those without times */
	uint64_t nameless;    /* ... of these: those without their kernel's name */
	uint64_t unseen;      /* packets that were submitted and could not be read */
	struct trace_clocks ended; /* when the trace was closed, or the numbers were these; 0: not
				      known */
};

/* Counts the event as what it is. */
void trace_stats__count(struct trace_stats *stats, const struct event *ev);

/* Calls that were lost, for whatever reason. */
uint64_t trace_stats__lost_calls(const struct trace_stats *stats);

/* Events that were lost, of all kinds. */
uint64_t trace_stats__lost(const struct trace_stats *stats);

/* Those numbers that come of counting events are taken from `counted`. */
void trace_stats__recount(struct trace_stats *stats, const struct trace_stats *counted);

/* Name and value of the n-th number in stats; NULL after the last. */
const char *trace_stats__field(const struct trace_stats *stats, unsigned int n, uint64_t *value);
void trace_stats__set(struct trace_stats *stats, unsigned int n, uint64_t value);

#endif
