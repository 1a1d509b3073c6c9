/* SPDX-License-Identifier: MIT */
/*
 * The kinds that can be traced, their operations by number, and of calls of HIP, HSA and ROC-TX the
 * arguments, so that nothing else needs to know a function. Numbers, names and the names of types
 * are those of librocprofiler-sdk 1.0. All of it is constant and lives as long as the library.
 */
#ifndef RTRACE_ROCPROFILER_SUPPORT_TABLES_H
#define RTRACE_ROCPROFILER_SUPPORT_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rocprofiler-sdk/fwd.h>

/* How librocprofiler-sdk 1.0 writes a value. */
enum sdk_value {
	SDK_SIGNED,   /* a number of `size` bytes; of none: 0 */
	SDK_UNSIGNED, /* the same */
	SDK_BOOL,     /* true or false */
	SDK_FLOAT,    /* the shortest number that is read as the same, of `size` bytes; in a struct
			 six digits of it */
	SDK_ENUM,     /* one of `constants`, or `unknown` and the number */
	SDK_ADDRESS,  /* in hexadecimal with 0x; NULL is 0. Of a function, or what is unknown */
	SDK_POINTER,  /* `target`, as long as pointers may be followed, else the address; NULL is
			 (null) */
	SDK_STRING,   /* what it points to; NULL is (null). In a struct it is in quotes */
	SDK_CHARS,    /* of a struct: an array of char that holds a string, in quotes */
	SDK_STRUCT,   /* {NAME=VALUE, ...} with `fields` in this order; without braces if `bare` */
};

struct sdk_constant {
	const char *name;
	int32_t value;
};

struct sdk_type {
	uint8_t kind; /* enum sdk_value */
	bool bare;
	uint16_t count;	     /* of constants or fields */
	uint32_t size;	     /* bytes */
	const char *unknown; /* "hipMemcpy_UNKNOWN="; NULL: the first constant's name, no number;
				of an address what NULL is, if not 0 */
	union {
		const struct sdk_constant *constants; /* ascending */
		const struct sdk_field *fields;
		const struct sdk_type *target; /* NULL: not to be followed */
	};
};

struct sdk_field {
	const char *name;
	const struct sdk_type *type;
	uint32_t offset; /* bytes */
};

struct sdk_argument {
	const char *name;
	const char *type_name; /* as typeid() of C++ has it: P12ihipStream_t */
	const struct sdk_type *type;
	uint16_t offset;      /* bytes, in the union of arguments of the kind */
	uint16_t size;	      /* bytes */
	uint8_t indirections; /* how many pointers its type is */
};

struct sdk_operation {
	const char *name;
	const struct sdk_argument *arguments; /* NULL: none, or not described */
	uint8_t argument_count;
	uint8_t result_size; /* bytes in the union of results; 0: void, or not described */
};

struct sdk_kind {
	const char *name;			/* "HIP_RUNTIME_API" */
	const struct sdk_operation *operations; /* by number; NULL: it has none */
	uint32_t count;
};

/* NULL: there is no such kind. NONE is one. */
const struct sdk_kind *tables__callback_kind(rocprofiler_callback_tracing_kind_t kind);
const struct sdk_kind *tables__buffer_kind(rocprofiler_buffer_tracing_kind_t kind);

/* NULL: the kind, which may be NULL, has none of that number. */
const struct sdk_operation *tables__operation(const struct sdk_kind *kind,
					      rocprofiler_tracing_operation_t operation);

/* The name of one kind of requests, of one table; NULL: there is none. */
const char *tables__request_name(int kind);
const char *tables__intercept_name(int table);

/* The code's name in rocprofiler_status_t, and what it means; NULL: there is none. */
const char *tables__status_name(int status);
const char *tables__status_string(int status);

#endif
