/* SPDX-License-Identifier: MIT */
/*
 * The API functions of a trace: one id a name, whichever library file it was found in.
 */
#ifndef RTRACE_FUNCTION_H
#define RTRACE_FUNCTION_H

#include <stdbool.h>
#include <stdint.h>

#include "user/event.h"

struct function {
	uint32_t id;
	char *name;
	enum ev_domain domain;
	bool has_message; /* the first argument is a string that belongs into the trace */
};

struct functions;

struct functions *functions__new(void);
void functions__free(struct functions *fns);

/* Is a symbol of that name an API function, and of which domain? */
bool function__is_api(const char *name, enum ev_domain *domain);

/* Left out unless asked for: called at very high rates, and telling nothing. */
bool function__is_hot(const char *name);

/* The function of that name, made if new. NULL: out of memory. Pointers stay valid. */
struct function *functions__get(struct functions *fns, const char *name);

/* NULL if there is none. */
struct function *functions__by_id(struct functions *fns, uint64_t id);

#endif
