// SPDX-License-Identifier: MIT
/*
 * Perfetto trace packets: building, interning, writing.
 */
#define HASH_NONFATAL_OOM 1
#include "user/formats/perfetto/perfetto_packets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/api/call_arguments.h"
#include "common/hash.h"
#include "user/formats/perfetto/protobuf_writer.h"

#define SEQUENCE     1	   /* all packets form one sequence */
#define INTERNED_MAX 65536 /* bounds the memory; later words are written out each time */
#define TEXT_MAX     64	   /* bytes of a value that is worth interning */

/*
 * Keyed by the name's address, not by its text: names live until the sinks close, and one name at
 * two addresses costs only a second number.
 */
struct interned {
	const char *name;
	uint64_t iid;
	UT_hash_handle hh;
};

struct pf_word {
	uint64_t iid;
	UT_hash_handle hh;
	char text[];
};

static const char *const note_names[NOTE_STATS] = {
	[NOTE_CORR] = "corr",	    [NOTE_PARENT] = "parent",
	[NOTE_ROOT] = "root",	    [NOTE_RANGE] = "range",
	[NOTE_ARGS] = "args",	    [NOTE_RET] = "ret",
	[NOTE_DEVICE] = "device",   [NOTE_QUEUE] = "queue",
	[NOTE_OP] = "op",	    [NOTE_SUBMIT] = "submit",
	[NOTE_GRID] = "grid",	    [NOTE_BLOCK] = "block",
	[NOTE_LDS] = "lds",	    [NOTE_SCRATCH] = "scratch",
	[NOTE_BYTES] = "bytes",	    [NOTE_FLAGS] = "flags",
	[NOTE_KERNEL] = "kernel",   [NOTE_EXTERNAL] = "external",
	[NOTE_VGPRS] = "vgprs",	    [NOTE_ACCUM_VGPRS] = "accum_vgprs",
	[NOTE_SGPRS] = "sgprs",	    [NOTE_CODE] = "code",
	[NOTE_ENGINE] = "engine",   [NOTE_BEGIN] = "begin",
	[NOTE_ADDRESS] = "address", [NOTE_IN_USE] = "in_use",
	[NOTE_COUNT] = "count",	    [NOTE_TEXT] = "text",
	[NOTE_STREAM] = "stream",   [NOTE_ORDINAL] = "ordinal",
};

/* ---- packets ---- */

/* A trace of one packet is a piece of a longer trace: messages of one type can be joined end to
 * end. */
void pf__packet_begin(struct pftrace *p)
{
	p->packet.len = 0;
	p->packet_begun = protobuf_writer__begin(&p->packet, PF_TRACE_PACKET);
	protobuf_writer__number(&p->packet, PF_SEQUENCE_ID, SEQUENCE);
}

static void fail_memory(struct pftrace *p)
{
	sink__fail(&p->sink, -ENOMEM);
	p->packet.failed = p->event.failed = p->interned.failed = false;
}

static void write_packet(struct pftrace *p, enum pf_sequence_flag flags)
{
	struct bytes *b = &p->packet;

	protobuf_writer__number(b, PF_SEQUENCE_FLAGS, flags);
	if (p->interned.len)
		protobuf_writer__bytes(b, PF_INTERNED_DATA, p->interned.data, p->interned.len);
	p->interned.len = 0;
	protobuf_writer__end(b, p->packet_begun);
	if (b->failed || p->event.failed || p->interned.failed) {
		fail_memory(p);
		return;
	}
	fwrite(b->data, 1, b->len, p->sink.out);
	sink__check(&p->sink);
}

void pf__packet_end(struct pftrace *p)
{
	write_packet(p, PF_NEEDS_STATE);
}

const char *pf__clean(struct pftrace *p, const char *text)
{
	const char *utf8 = utf8__clean(&p->utf8, text);

	if (!utf8)
		sink__fail(&p->sink, -ENOMEM);
	return utf8 ? utf8 : "?";
}

/* ---- words ---- */

static void tell_word(struct pftrace *p, enum pf_interned_field kind, uint64_t iid,
		      const char *text)
{
	size_t word = protobuf_writer__begin(&p->interned, kind);

	protobuf_writer__number(&p->interned, PF_IID, iid);
	protobuf_writer__text(&p->interned, PF_IID_NAME, pf__clean(p, text));
	protobuf_writer__end(&p->interned, word);
}

uint64_t pf__intern_name(struct pftrace *p, const char *name)
{
	struct interned *in;

	HASH_FIND_PTR(p->names, &name, in);
	if (in)
		return in->iid;
	if (HASH_COUNT(p->names) >= INTERNED_MAX)
		return 0;
	in = calloc(1, sizeof(*in));
	if (!in)
		return 0;
	in->name = name;
	in->iid = HASH_COUNT(p->names) + 1;
	HASH_ADD_PTR(p->names, name, in);
	if (!in->hh.tbl) {
		free(in);
		return 0;
	}
	tell_word(p, PF_INTERNED_EVENT, in->iid, name);
	return in->iid;
}

static struct pf_word *add_word(struct pftrace *p, struct pf_words *words,
				enum pf_interned_field kind, const char *text, size_t len)
{
	struct pf_word *w;

	if (HASH_COUNT(words->all) >= INTERNED_MAX)
		return NULL;
	w = malloc(sizeof(*w) + len + 1);
	if (!w)
		return NULL;
	memcpy(w->text, text, len + 1);
	w->iid = words->last + 1;
	HASH_ADD_KEYPTR(hh, words->all, w->text, len, w);
	if (!w->hh.tbl) {
		free(w);
		return NULL;
	}
	words->last++;
	tell_word(p, kind, w->iid, text);
	return w;
}

/* The same for a text that is freed soon. */
static uint64_t intern_word(struct pftrace *p, struct pf_words *words, enum pf_interned_field kind,
			    const char *text)
{
	struct pf_word **recent = &words->recent[(uintptr_t)text / 8 % PF_RECENT], *w = *recent;
	size_t len;

	if (w && !strcmp(w->text, text))
		return w->iid;
	len = strlen(text);
	HASH_FIND(hh, words->all, text, len, w);
	if (!w)
		w = add_word(p, words, kind, text, len);
	if (w)
		*recent = w;
	return w ? w->iid : 0;
}

static void forget_words(struct pf_words *words)
{
	struct pf_word *w, *next;

	HASH_ITER (hh, words->all, w, next) {
		HASH_DEL(words->all, w);
		free(w);
	}
}

/* Categories and annotations that are known from the start. */
static void intern_fixed(struct pftrace *p)
{
	static const struct trace_stats none;
	const char *name;
	uint64_t value;

	for (int i = 0; i < DOMAIN_COUNT; i++)
		tell_word(p, PF_INTERNED_CATEGORY, i + 1, event__domain_name((enum ev_domain)i));
	for (int i = 1; i < NOTE_STATS; i++)
		tell_word(p, PF_INTERNED_NOTE, i, note_names[i]);
	p->notes.last = NOTE_STATS - 1;
	for (unsigned int i = 0; (name = trace_stats__field(&none, i, &value)); i++)
		tell_word(p, PF_INTERNED_NOTE, ++p->notes.last, name);
}

/* ---- what comes first ---- */

void pf__begin(struct pftrace *p)
{
	size_t defaults;

	pf__packet_begin(p);
	intern_fixed(p);
	protobuf_writer__number(&p->packet, PF_FIRST_ON_SEQUENCE, true);
	defaults = protobuf_writer__begin(&p->packet, PF_DEFAULTS);
	protobuf_writer__number(&p->packet, PF_DEFAULTS_CLOCK, PF_CLOCK_BOOTTIME);
	protobuf_writer__end(&p->packet, defaults);
	write_packet(p, PF_STATE_CLEARED | PF_NEEDS_STATE);
}

static void put_clock(struct bytes *b, enum pf_clock_id id, uint64_t ns)
{
	size_t clock = protobuf_writer__begin(b, PF_SNAPSHOT_CLOCKS);

	protobuf_writer__number(b, PF_CLOCK_ID, id);
	protobuf_writer__number(b, PF_CLOCK_TIMESTAMP, ns);
	protobuf_writer__end(b, clock);
}

void pf__clocks(struct pftrace *p, const struct trace_clocks *at)
{
	size_t snapshot;

	pf__packet_begin(p);
	snapshot = protobuf_writer__begin(&p->packet, PF_CLOCK_SNAPSHOT);
	put_clock(&p->packet, PF_CLOCK_BOOTTIME, at->boot_ns);
	put_clock(&p->packet, PF_CLOCK_MONOTONIC, at->mono_ns);
	put_clock(&p->packet, PF_CLOCK_REALTIME, at->real_ns);
	protobuf_writer__number(&p->packet, PF_SNAPSHOT_PRIMARY, PF_CLOCK_BOOTTIME);
	protobuf_writer__end(&p->packet, snapshot);
	pf__packet_end(p);
}

/* ---- tracks ---- */

size_t pf__track_begin(struct pftrace *p, uint64_t uuid, uint64_t parent, const char *name,
		       const char *description)
{
	size_t begun;

	pf__packet_begin(p);
	begun = protobuf_writer__begin(&p->packet, PF_TRACK_DESCRIPTOR);
	protobuf_writer__number(&p->packet, PF_TRACK_UUID, uuid);
	if (parent)
		protobuf_writer__number(&p->packet, PF_TRACK_PARENT, parent);
	if (name)
		protobuf_writer__text(&p->packet, PF_TRACK_NAME, pf__clean(p, name));
	if (description)
		protobuf_writer__text(&p->packet, PF_TRACK_DESCRIPTION, pf__clean(p, description));
	return begun;
}

void pf__track_end(struct pftrace *p, size_t begun)
{
	protobuf_writer__end(&p->packet, begun);
	pf__packet_end(p);
}

void pf__track_process(struct pftrace *p, const struct process_info *info)
{
	size_t process = protobuf_writer__begin(&p->packet, PF_TRACK_PROCESS);

	protobuf_writer__number(&p->packet, PF_PROCESS_PID, info->pid);
	if (info->cmdline && *info->cmdline)
		protobuf_writer__text(&p->packet, PF_PROCESS_CMDLINE, pf__clean(p, info->cmdline));
	if (info->comm)
		protobuf_writer__text(&p->packet, PF_PROCESS_NAME, pf__clean(p, info->comm));
	protobuf_writer__end(&p->packet, process);
}

void pf__rename_process(struct pftrace *p, const struct process_info *info)
{
	size_t tree, process;

	pf__packet_begin(p);
	tree = protobuf_writer__begin(&p->packet, PF_PROCESS_TREE);
	process = protobuf_writer__begin(&p->packet, PF_TREE_PROCESS);
	protobuf_writer__number(&p->packet, PF_TREE_PID, info->pid);
	protobuf_writer__text(&p->packet, PF_TREE_CMDLINE, pf__clean(p, info->comm));
	protobuf_writer__text(&p->packet, PF_TREE_CMDLINE, pf__clean(p, info->cmdline));
	protobuf_writer__end(&p->packet, process);
	protobuf_writer__end(&p->packet, tree);
	pf__packet_end(p);
}

void pf__track_thread(struct pftrace *p, const struct thread_info *info)
{
	size_t thread = protobuf_writer__begin(&p->packet, PF_TRACK_THREAD);

	protobuf_writer__number(&p->packet, PF_THREAD_PID, info->pid);
	protobuf_writer__number(&p->packet, PF_THREAD_TID, info->tid);
	if (info->comm)
		protobuf_writer__text(&p->packet, PF_THREAD_NAME, pf__clean(p, info->comm));
	protobuf_writer__end(&p->packet, thread);
}

void pf__track_counter(struct pftrace *p, const char *unit)
{
	size_t counter = protobuf_writer__begin(&p->packet, PF_TRACK_COUNTER);

	if (unit)
		protobuf_writer__text(&p->packet, PF_COUNTER_UNIT_NAME, unit);
	else
		protobuf_writer__number(&p->packet, PF_COUNTER_UNIT, PF_UNIT_BYTES);
	protobuf_writer__end(&p->packet, counter);
}

void pf__track(struct pftrace *p, uint64_t uuid, uint64_t parent, const char *name)
{
	pf__track_end(p, pf__track_begin(p, uuid, parent, name, NULL));
}

/* ---- events ---- */

void pf__event_begin(struct pftrace *p, enum ev_domain domain)
{
	p->event.len = 0;
	if (domain < DOMAIN_COUNT)
		protobuf_writer__number(&p->event, PF_EVENT_CATEGORY, domain + 1);
}

void pf__event_name(struct pftrace *p, const char *name, bool recurs)
{
	uint64_t iid = recurs ? pf__intern_name(p, name) : 0;

	if (iid)
		protobuf_writer__number(&p->event, PF_EVENT_NAME_IID, iid);
	else
		protobuf_writer__text(&p->event, PF_EVENT_NAME, pf__clean(p, name));
}

static size_t note_begin(struct pftrace *p, uint64_t name)
{
	size_t begun = protobuf_writer__begin(&p->event, PF_EVENT_NOTE);

	protobuf_writer__number(&p->event, PF_NOTE_NAME, name);
	return begun;
}

static void note_number(struct pftrace *p, enum note note, enum pf_note_field kind, uint64_t value)
{
	size_t begun = note_begin(p, note);

	protobuf_writer__number(&p->event, kind, value);
	protobuf_writer__end(&p->event, begun);
}

void pf__note_u64(struct pftrace *p, enum note note, uint64_t value)
{
	note_number(p, note, PF_NOTE_UINT, value);
}

void pf__note_int(struct pftrace *p, enum note note, int64_t value)
{
	note_number(p, note, PF_NOTE_INT, (uint64_t)value);
}

void pf__note_hex(struct pftrace *p, enum note note, uint64_t value)
{
	note_number(p, note, PF_NOTE_POINTER, value);
}

/* Constants and flags recur, and what is short. */
static void put_text(struct pftrace *p, const char *text, bool recurs)
{
	uint64_t iid = 0;

	if (recurs && strlen(text) <= TEXT_MAX)
		iid = intern_word(p, &p->texts, PF_INTERNED_TEXT, text);
	if (iid)
		protobuf_writer__number(&p->event, PF_NOTE_TEXT_IID, iid);
	else
		protobuf_writer__text(&p->event, PF_NOTE_TEXT, pf__clean(p, text));
}

void pf__note_text(struct pftrace *p, enum note note, const char *text)
{
	size_t begun = note_begin(p, note);

	put_text(p, text, false);
	protobuf_writer__end(&p->event, begun);
}

static void put_array_value(struct pftrace *p, enum pf_note_field kind, uint64_t value)
{
	size_t begun = protobuf_writer__begin(&p->event, PF_NOTE_ARRAY);

	protobuf_writer__number(&p->event, kind, value);
	protobuf_writer__end(&p->event, begun);
}

void pf__note_sizes(struct pftrace *p, enum note note, const uint32_t sizes[3])
{
	size_t begun = note_begin(p, note);

	for (int i = 0; i < 3; i++)
		put_array_value(p, PF_NOTE_UINT, sizes[i]);
	protobuf_writer__end(&p->event, begun);
}

static void put_arg_value(struct pftrace *p, const struct arg_value *value)
{
	switch (value->kind) {
	case ARG_UINT:
		protobuf_writer__number(&p->event, PF_NOTE_UINT, value->number);
		break;
	case ARG_INT:
		protobuf_writer__number(&p->event, PF_NOTE_INT, value->number);
		break;
	case ARG_POINTER:
		protobuf_writer__number(&p->event, PF_NOTE_POINTER, value->number);
		break;
	default:
		put_text(p, value->text, !value->is_string);
	}
}

static void put_arg(const struct arg_value *value, void *arg)
{
	struct pftrace *p = arg;
	uint64_t name = intern_word(p, &p->notes, PF_INTERNED_NOTE, value->name);
	size_t begun;

	if (!name)
		return;
	begun = protobuf_writer__begin(&p->event, PF_NOTE_DICT);
	protobuf_writer__number(&p->event, PF_NOTE_NAME, name);
	put_arg_value(p, value);
	protobuf_writer__end(&p->event, begun);
}

static void put_result(const struct arg_value *value, void *arg)
{
	struct pftrace *p = arg;
	size_t begun = note_begin(p, NOTE_RET);

	put_arg_value(p, value);
	protobuf_writer__end(&p->event, begun);
}

void pf__note_call(struct pftrace *p, const struct event *ev)
{
	size_t begun = note_begin(p, NOTE_ARGS);

	if (ev->api)
		call_arguments__each(&p->text, ev->api, ev->values, ARGS_NUMBERS, put_arg, p);
	for (int i = 0; !ev->api && i < RT_ARGS; i++)
		put_array_value(p, PF_NOTE_POINTER, ev->args[i]);
	protobuf_writer__end(&p->event, begun);
	if (ev->api)
		call_arguments__return(&p->text, ev->api, ev->values, put_result, p);
	else
		pf__note_hex(p, NOTE_RET, ev->ret);
}

void pf__flow(struct pftrace *p, uint64_t id)
{
	protobuf_writer__fixed64(&p->event, PF_EVENT_FLOW, id);
}

static void see_time(struct pftrace *p, uint64_t time)
{
	if (time > p->last)
		p->last = time;
}

/* Begins an event's packet: all but the event's contents. */
static size_t begin_event(struct pftrace *p, enum pf_event_type type, uint64_t track, uint64_t time)
{
	size_t begun;

	pf__packet_begin(p);
	protobuf_writer__number(&p->packet, PF_TIMESTAMP, time);
	begun = protobuf_writer__begin(&p->packet, PF_TRACK_EVENT);
	protobuf_writer__number(&p->packet, PF_EVENT_TYPE, type);
	protobuf_writer__number(&p->packet, PF_EVENT_TRACK, track);
	see_time(p, time);
	return begun;
}

void pf__event_write(struct pftrace *p, enum pf_event_type type, uint64_t track, uint64_t time,
		     const void *event, size_t len)
{
	size_t begun = begin_event(p, type, track, time);

	if (type != PF_SLICE_END)
		byte_buffer__add(&p->packet, event, len);
	protobuf_writer__end(&p->packet, begun);
	pf__packet_end(p);
}

void pf__count(struct pftrace *p, uint64_t track, uint64_t time, uint64_t value)
{
	size_t begun = begin_event(p, PF_COUNTER, track, time);

	protobuf_writer__number(&p->packet, PF_EVENT_COUNTER,
				value < INT64_MAX ? value : INT64_MAX);
	protobuf_writer__end(&p->packet, begun);
	pf__packet_end(p);
}

void pf__measure(struct pftrace *p, uint64_t track, uint64_t time, double value)
{
	size_t begun = begin_event(p, PF_COUNTER, track, time);
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	protobuf_writer__fixed64(&p->packet, PF_EVENT_COUNTER_DOUBLE, bits);
	protobuf_writer__end(&p->packet, begun);
	pf__packet_end(p);
}

void pf__free(struct pftrace *p)
{
	struct interned *in, *next;

	HASH_ITER (hh, p->names, in, next) {
		HASH_DEL(p->names, in);
		free(in);
	}
	forget_words(&p->notes);
	forget_words(&p->texts);
	byte_buffer__free(&p->packet);
	byte_buffer__free(&p->event);
	byte_buffer__free(&p->interned);
	text_buffer__free(&p->text);
	utf8__free(&p->utf8);
}
