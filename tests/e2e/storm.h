/* SPDX-License-Identifier: MIT */
/* What the simulator's truth log and a JSON trace of one process say, in the same terms. */
#ifndef E2E_STORM_H
#define E2E_STORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shape {
	uint32_t grid[3], block[3]; /* both in work-items */
};

/* An operation, in the truth log or in the trace. */
struct op {
	bool is_copy, dropped;
	bool untimed; /* of the trace: it has no times */
	int gpu;
	unsigned int name;
	struct shape shape;
	uint64_t bytes;
	uint64_t begin, end; /* ns */
	unsigned int queue;
	uint64_t corr, root, submit;
};

/* What a call asks the GPU to do: a copy, or a dispatch if `bytes` is 0. */
struct ask {
	uint64_t bytes;
	struct shape shape;
	bool done;
};

struct call {
	uint64_t corr, parent, begin, end;
	uint32_t tid;
	unsigned int name;
	size_t asks, ask_count; /* in `asks` */
};

struct array {
	char *data;
	size_t count, room;
};

#define AT(array, type, i) ((type *)(array).data + (i))

struct storm {
	struct array truth, traced; /* struct op */
	struct array calls;	    /* struct call */
	struct array asks;	    /* struct ask */
};

/* Add what is in the file; end the program if it cannot be read. */
void storm__read_truth(struct storm *s, const char *path);
void storm__read_trace(struct storm *s, const char *path);

/* The texts of `name`, from 0 to storm__names() - 1. */
const char *storm__name(unsigned int name);
unsigned int storm__names(void);

/* One line about something that is wrong; after the first ones, only counts. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

/* Says what could not be done, with the error in errno, and ends the program. */
__attribute__((noreturn)) void die(const char *what);

#endif
