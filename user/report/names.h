/* SPDX-License-Identifier: MIT */
/*
 * Names by number, for what is counted by name: own copies, as those of events may be short-lived.
 */
#ifndef RTRACE_NAMES_H
#define RTRACE_NAMES_H

#include <stdint.h>

struct names;

/* Name 0: what is named when there is no room for more. */
#define NAMES_OTHERS "(others)"

struct names *names__new(void);
void names__free(struct names *n);

/* Its number, from 1; 0 if there are too many names, or their texts take too much memory. */
uint32_t names__id(struct names *n, const char *text);

/* The same for names that there may be any number of: they get half of the room at most. */
uint32_t names__message(struct names *n, const char *text);

const char *names__text(const struct names *n, uint32_t id);

/* How many numbers there are, 0 included. */
uint32_t names__count(const struct names *n);

#endif
