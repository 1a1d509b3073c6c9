/* SPDX-License-Identifier: MIT */
/*
 * The tables of API functions: parameters, their types and where the SysV ABI puts them.
 *
 * Made at build time by scripts/gen-api-tables from the headers that are installed; a traced
 * process may use another release of ROCm, so nothing here is more than a good description. All of
 * it is constant and lives as long as the program.
 */
#ifndef RTRACE_COMMON_API_TABLES_H
#define RTRACE_COMMON_API_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/bpf_records.h"

enum api_kind {
	API_VOID,
	API_INT,     /* signed, `size` bytes */
	API_UINT,    /* to be written as a decimal number */
	API_HEX,     /* unsigned: an address, bits, a handle */
	API_BOOL,    /* 1 byte */
	API_FLOAT,   /* 4 or 8 bytes */
	API_ENUM,    /* one of `constants` */
	API_FLAGS,   /* any of `constants`, which are bits */
	API_POINTER, /* to `target`; NULL: to what is not read */
	API_STRING,  /* pointer to a C string */
	API_STRUCT,  /* `fields` */
	API_ARRAY,   /* `count` times `target` */
	API_CHARS,   /* array of char, holding a string */
	API_BYTES,   /* something else, `size` bytes */
};

struct api_field;

struct api_constant {
	const char *name;
	uint64_t value; /* not sign-extended beyond the type's size */
};

struct api_type {
	uint8_t kind; /* enum api_kind */
	uint16_t
		count; /* of constants (ascending, each value once), fields (by offset), elements */
	uint32_t size; /* bytes */
	union {
		const struct api_constant *constants;
		const struct api_field *fields;
		const struct api_type *target;
	};
};

struct api_field {
	const char *name;
	const struct api_type *type;
	uint32_t offset; /* bytes */
};

/* A place: of an argument's eightbyte at the function's entry. */
#define API_NOWHERE    0xff
#define API_XMM(n)     (0x80 | (n)) /* %xmm<n>; any other value is a word as in struct rt_read */
#define API_IS_XMM(p)  (((p)&0x80) && (p) != API_NOWHERE)
#define API_XMM_NUM(p) ((p)&0x7f)

#define API_UNREAD 0xff /* no read of the plan */

/* api_param.flags */
#define API_OUT 0x1 /* points to what the function may write */
#define API_KERNEL                                                                                \
	0x2	       /* says which kernel: a hipFunction_t, or the address of its host function \
			*/
#define API_STREAM 0x4 /* the HIP stream that is worked on */

struct api_param {
	const char *name;
	const struct api_type *type;
	/*
	 * Of its first and second eightbyte. A value of more than two is on the stack, in words
	 * that follow each other; there the second place is API_NOWHERE.
	 */
	uint8_t place[2];
	uint8_t read; /* which of the plan's reads holds what it points to, or API_UNREAD */
	uint8_t flags;
};

struct api_function {
	const char *name;
	const struct api_type *ret;
	const struct api_param *params;
	const struct rt_read *reads;
	uint8_t param_count;
	uint8_t read_count;
	uint8_t ret_read; /* of the string or large struct that is returned, or API_UNREAD */
	uint8_t stack_words;
	uint8_t failure; /* enum rt_failure */
	uint8_t control; /* enum rt_control */
	uint32_t benign; /* a return value that is not 0 and no failure */
};

/* An ioctl of /dev/kfd. */
struct api_ioctl {
	const char *name; /* AMDKFD_IOC_... */
	uint8_t number;	  /* _IOC_NR of the request */
	const struct api_type *type;
};

/*
 * The function that a library exports as `symbol`. One that is unknown is described as the variant
 * of it that the headers know: hipMemcpy_spt as hipMemcpy, hipGetDevicePropertiesR0600 as
 * hipGetDeviceProperties. A C++ function is found by its mangled name. NULL: no header knows it.
 */
const struct api_function *api__find(const char *symbol);

/* Is it, letter by letter, a name of a header? */
bool api__knows(const char *symbol);

/* The n-th function, in the order of names; NULL past the last. */
const struct api_function *api__function(size_t n);

/*
 * The name to count a symbol's calls under: variants that do the same (per-thread default streams,
 * versions of a struct, deprecated spellings) share one. `name` holds `size` bytes; a longer name
 * is cut.
 */
void api__canonical(const char *symbol, char *name, size_t size);

/* The argument registers that its parameters are in, a bit each; NULL: all. */
uint32_t api__registers(const struct api_function *fn);

/* What to take of its calls; NULL: nothing but registers and the return value. */
void api__plan(const struct api_function *fn, struct rt_plan *plan);

/* The parameter that says which kernel is launched or looked up; NULL if there is none. */
const struct api_param *api__kernel_param(const struct api_function *fn);

/* The parameter that says on which HIP stream; NULL if there is none. */
const struct api_param *api__stream_param(const struct api_function *fn);

/* The ioctl of /dev/kfd with that _IOC_NR; NULL: unknown. */
const struct api_ioctl *api__ioctl(unsigned int number);

/* The tables themselves, from the generated file. Functions by name, ioctls by number. */
extern const struct api_function api_functions[];
extern const size_t api_function_count;
extern const struct api_ioctl api_ioctls[];
extern const size_t api_ioctl_count;

#endif
