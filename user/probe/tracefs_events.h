/* SPDX-License-Identifier: MIT */
/*
 * Events of tracefs: each has a name of ours, and any number of probes of one kind.
 *
 * Which function a probe is of is found by its file and offset (struct rt_probe), as the event's
 * definition names them: an event carries one cookie.
 */
#ifndef RTRACE_PROBE_TRACEFS_EVENTS_H
#define RTRACE_PROBE_TRACEFS_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/bpf_records.h"
#include "user/probe/library_probes.h"

/* As definitions have it. */
enum tracefs_probe_kind {
	TRACEFS_ENTRY = 'p',
	TRACEFS_RETURN = 'r',
};

struct tracefs_event {
	char name[64]; /* GROUP/NAME */
	enum tracefs_probe_kind kind;
	size_t probes; /* 0: it is not there */
};

/* Does the kernel have such events, and may we define some? Else errno says why not. */
bool tracefs_events__can_be_defined(void);

/* Removes those of tracers that are gone. */
void tracefs_events__remove_stale(void);

/* An event of a new name, without probes. */
void tracefs_events__begin(struct tracefs_event *ev, enum tracefs_probe_kind kind);

/*
 * Adds probes of the library, which must stay open: the kernel takes none into an event that is
 * open. Returns are not added of functions that are recorded at their entry. What the kernel
 * refuses is logged and left out. 0, or -errno: all were refused.
 */
int tracefs_events__add(struct tracefs_event *ev, const struct library *lib,
			const struct probe *probes, size_t n);
void tracefs_events__add_spills(struct tracefs_event *ev, const struct library *lib);

/* The probe by which the BPF programs know a place in the library. */
struct rt_probe tracefs_events__probe(const struct library *lib, uint64_t offset);

/* What perf_event_open(2) knows it by; or -errno. */
int tracefs_events__id(const struct tracefs_event *ev);

/* When nothing has it open any more. */
void tracefs_events__remove(const struct tracefs_event *ev);

#endif
