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
#ifndef RTRACE_FORMATS_PERFETTO_PERFETTO_PACKETS_H
#define RTRACE_FORMATS_PERFETTO_PERFETTO_PACKETS_H

#include "user/base/byte_buffer.h"
#include "common/format.h"
#include "user/formats/perfetto/perfetto_fields.h"
#include "user/output/sink.h"
#include "common/text_buffer.h"

#define PF_RECENT 256

/* Words of one kind, by their text. */
struct pf_words {
	struct pf_word *all;
	uint64_t last;			   /* the highest number so far */
	struct pf_word *recent[PF_RECENT]; /* by the text's address; the text may have changed */
};

struct pftrace {
	struct sink sink;
	struct interned *names;
	struct pf_words notes, texts;
	uint64_t uuid_base; /* keeps tracks apart from those of another trace joined to this one */
	uint64_t last;	    /* latest time seen */
	struct bytes packet, event;
	size_t packet_begun;
	struct bytes interned; /* emitted with the next packet */
	struct textbuf text;
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
	NOTE_STATS, /* the first of those of trace_stats__field() */
};

/* Writes what a trace begins with. */
void pf__begin(struct pftrace *p);

/* A pair of clocks: readers compute wall-clock time from it. */
void pf__clocks(struct pftrace *p, const struct trace_clocks *at);

/* ---- tracks ---- */

/*
 * Describes a track; parent 0: none. Between begin and end, the functions below may add to the
 * description. `name` and `description`: NULL for none.
 */
size_t pf__track_begin(struct pftrace *p, uint64_t uuid, uint64_t parent, const char *name,
		       const char *description);
void pf__track_end(struct pftrace *p, size_t begun);

void pf__track_process(struct pftrace *p, const struct process_info *info);
/*
 * Perfetto goes by the first name that the descriptor of a process gives, and by the last of its
 * process tree. A packet of its own.
 */
void pf__rename_process(struct pftrace *p, const struct process_info *info);
void pf__track_thread(struct pftrace *p, const struct thread_info *info);
void pf__track_counter(struct pftrace *p, const char *unit); /* NULL: bytes */

/* A track that has nothing but a name. */
void pf__track(struct pftrace *p, uint64_t uuid, uint64_t parent, const char *name);

void pf__count(struct pftrace *p, uint64_t track, uint64_t time, uint64_t value);
void pf__measure(struct pftrace *p, uint64_t track, uint64_t time, double value);

/* ---- events ---- */

/* Begins an event of the domain, in p->event; DOMAIN_COUNT: of none. */
void pf__event_begin(struct pftrace *p, enum ev_domain domain);

/* `recurs`: the name is worth interning, and lives as long as the trace. */
void pf__event_name(struct pftrace *p, const char *name, bool recurs);
void pf__note_u64(struct pftrace *p, enum note note, uint64_t value);
void pf__note_int(struct pftrace *p, enum note note, int64_t value);
void pf__note_hex(struct pftrace *p, enum note note, uint64_t value);
void pf__note_text(struct pftrace *p, enum note note, const char *text);
void pf__note_sizes(struct pftrace *p, enum note note, const uint32_t sizes[3]);
/* The arguments of a call by their names, and its result; registers, if those are unknown. */
void pf__note_call(struct pftrace *p, const struct event *ev);
/* Joins all events with this ID, in the order of their times. */
void pf__flow(struct pftrace *p, uint64_t id);

/* Writes an event that has been made, which may have been kept; nothing of it for PF_SLICE_END. */
void pf__event_write(struct pftrace *p, enum pf_event_type type, uint64_t track, uint64_t time,
		     const void *event, size_t len);

/* ---- for render_stages.c ---- */

void pf__packet_begin(struct pftrace *p); /* in p->packet */
void pf__packet_end(struct pftrace *p);

/* The number of a name that lives as long as the trace; 0: there are too many. */
uint64_t pf__intern_name(struct pftrace *p, const char *name);

/* A text as valid UTF-8, until the next such call. */
const char *pf__clean(struct pftrace *p, const char *text);

void pf__free(struct pftrace *p);

#endif
