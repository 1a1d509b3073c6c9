/* SPDX-License-Identifier: MIT */
/*
 * What the user wants to see: domains and functions.
 *
 * Functions that are not wanted are not probed at all, unless other events cannot be understood
 * without them: those are captured and not shown.
 */
#ifndef RTRACE_API_SELECTION_H
#define RTRACE_API_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "user/event/event.h"

#define SELECT_GLOBS 64

struct globs {
	const char *pattern[SELECT_GLOBS]; /* fnmatch(3) */
	size_t count;
};

struct selection {
	unsigned int domains; /* bits of enum ev_domain; DOMAIN_GPU: one of these at least */
	bool kernels, copies;
	bool memory, scratch; /* allocations; the runtime's for kernels that spill */
	bool setup;	      /* queues, code objects, the runtime's begin and end */
	bool barriers;	      /* barrier packets: of no word, as they cost */
	bool doorbells;	   /* dispatches of processes without the agent: see doorbell_functions.h */
	bool hot;	   /* also what is left out by default */
	struct globs only; /* functions; none: all of the domains */
	struct globs except; /* functions left out */
	struct globs stacks; /* functions to record the user stack of */
};

enum selected {
	SELECT_NO,
	SELECT_QUIET, /* captured, not shown */
	SELECT_SHOW,
};

/* Everything: the default until the user selects otherwise. */
void selection__all(struct selection *s);

/* No domain; the patterns of functions stay. */
void selection__none(struct selection *s);

/*
 * Adds what a word of -t selects ("hip", "marker", "kernel", "all", ...). false: no such word,
 * and the selection is unchanged.
 */
bool selection__add_domain(struct selection *s, const char *word);

/* The words of -t, with commas between: for help and messages. */
const char *selection__domain_words(void);

/* Adds a GLOB or !GLOB of -e. false: too many. */
bool selection__add_function(struct selection *s, const char *glob);

/* false: too many. */
bool globs__add(struct globs *g, const char *pattern);
bool globs__match(const struct globs *g, const char *name);

/* What is to be done with the function of that name. */
enum selected selection__of(const struct selection *s, const char *name);

/* Are calls captured that may cause GPU operations? */
bool selection__has_causes(const struct selection *s);

/* Are all of them? */
bool selection__has_all_causes(const struct selection *s);

#endif
