/* SPDX-License-Identifier: MIT */
/*
 * What scripts/gen-wild-calls writes of each function of HIP and HSA.
 */
#ifndef TESTS_WILD_H
#define TESTS_WILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A parameter; all but VALUE and FUNCTION are pointers that may lead anywhere. */
enum wild_kind {
	WILD_VALUE,    /* a number, a structure, a handle of HSA */
	WILD_FUNCTION, /* a pointer to a function */
	WILD_STRING,
	WILD_MEMORY,  /* void * */
	WILD_HANDLE,  /* of HIP: an object of its own */
	WILD_POINTER, /* to a value that the application has */
};

struct wild_param {
	enum wild_kind kind;
	uint8_t first, words; /* in which it is passed: 0 to 5 registers, 6 and on the stack */
	uint16_t size;	      /* bytes that it points to */
	const char *type;     /* which object fits */
};

struct wild_function {
	const char *name;
	const struct wild_param *params;
	uint8_t count;
	bool hidden_result; /* its place is passed as word 0 */
};

extern const struct wild_function wild_functions[];
extern const size_t wild_function_count;

#define WILD_WORDS 22 /* 6 registers, and the stack */

/* Takes arguments of all sorts: floating-point ones are 0. */
typedef uint64_t wild_fn(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, double, double,
			 double, double, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			 uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			 uint64_t, uint64_t, uint64_t);

/* By the program's own reference. */
void wild_call(size_t function, const uint64_t *words);

#endif
