/* SPDX-License-Identifier: MIT */
/*
 * Writes Perfetto trace packets.
 *
 * A trace is a sequence of packets. A track is described once, by a packet with its UUID; each
 * event then names its track. Words that recur (event names, categories, names of annotations) are
 * sent once with a number ("interned"), and by number from then on. Packets need not be in the
 * order of time: readers sort them, keeping the order of the file for equal times.
 *
 * All functions note errors in the sink and go on.
 */
#ifndef RTRACE_PFTRACE_H
#define RTRACE_PFTRACE_H

#include "user/format.h"
#include "user/sink.h"
#include "user/perfetto.pb-c.h"

struct pftrace {
	struct sink sink;
	struct interned *names;
	uint64_t uuid_base; /* keeps tracks apart from those of another trace joined to this one */
	uint64_t last;	    /* latest time seen */
	uint8_t *packed;
	size_t packed_size;
	struct utf8_buf utf8;
};

/* Names of annotations; all are interned by the first packet. */
enum note {
	NOTE_CORR = 1,
	NOTE_PARENT,
	NOTE_ROOT,
	NOTE_RANGE,
	NOTE_ARGS,
	NOTE_RET,
	NOTE_DEVICE,
	NOTE_QUEUE,
	NOTE_OP,
	NOTE_SUBMIT,
	NOTE_GRID,
	NOTE_BLOCK,
	NOTE_LDS,
	NOTE_SCRATCH,
	NOTE_BYTES,
	NOTE_FLAGS,
	NOTE_KERNEL,
	NOTE_EXTERNAL,
	NOTE_STREAM,
	NOTE_ORDINAL,
	NOTE_VGPRS,
	NOTE_ACCUM_VGPRS,
	NOTE_SGPRS,
	NOTE_CODE,
	NOTE_ENGINE,
	NOTE_BEGIN,
	NOTE_ADDRESS,
	NOTE_IN_USE,
	NOTE_COUNT,
	NOTE_TEXT,
	NOTE_STATS, /* the first of those of trace_stats_field() */
};

#define NOTES_MAX  64 /* in an event; that of the trace's numbers has the most */
#define VALUES_MAX 16 /* in all arrays of an event */

/*
 * An event in the making. It points into itself and must not be copied; nor does it copy strings:
 * they must last until it is written.
 */
struct pf_event {
	Pf__TrackEvent msg;
	Pf__DebugAnnotation notes[NOTES_MAX], values[VALUES_MAX];
	Pf__DebugAnnotation *note_list[NOTES_MAX], *value_list[VALUES_MAX];
	size_t value_count;
	uint64_t category, flow;
};

/* Writes what a trace begins with. */
void pf_begin(struct pftrace *p);

/* A pair of clocks: readers tell wall-clock time by it. */
void pf_clocks(struct pftrace *p);

/* Describes a track; parent 0: none. The process or thread is optional; `name` is not needed then.
 */
void pf_track(struct pftrace *p, uint64_t uuid, uint64_t parent, const char *name,
	      Pf__ProcessDescriptor *process, Pf__ThreadDescriptor *thread);

/* The same with a description, "" for none. */
void pf_track_described(struct pftrace *p, uint64_t uuid, uint64_t parent, const char *name,
			const char *description);

/* A track of numbers of bytes. */
void pf_track_bytes(struct pftrace *p, uint64_t uuid, uint64_t parent, const char *name);
void pf_bytes(struct pftrace *p, uint64_t track, uint64_t time, uint64_t bytes);

/* Starts an event of the domain on the track. */
void pf_event_init(struct pf_event *e, Pf__TrackEvent__Type type, uint64_t track,
		   enum ev_domain domain);
void pf_note_u64(struct pf_event *e, enum note note, uint64_t value);
void pf_note_int(struct pf_event *e, enum note note, int64_t value);
void pf_note_hex(struct pf_event *e, enum note note, uint64_t value);
void pf_note_text(struct pf_event *e, enum note note, const char *text);
void pf_note_sizes(struct pf_event *e, enum note note, const uint32_t sizes[3]);
void pf_note_registers(struct pf_event *e, enum note note, const uint64_t *values, size_t count);
/* Joins all events with this ID, in the order of their times. */
void pf_flow(struct pf_event *e, uint64_t id);

/*
 * Writes the event. `name`: any text, NULL for the end of a slice. `recurs`: the name is worth
 * interning, and lives as long as the trace.
 */
void pf_event_write(struct pftrace *p, struct pf_event *e, uint64_t time, const char *name,
		    bool recurs);

void pf_free(struct pftrace *p);

#endif
