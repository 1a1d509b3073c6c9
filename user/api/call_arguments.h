/* SPDX-License-Identifier: MIT */
/*
 * Decodes what was captured of a call: arguments, what they pointed to at the return, the result.
 *
 * In text a call reads like strace's:
 *
 *   hipMemcpy(dst=0x7f5c00000000, src=0x55d0c0de, sizeBytes=4194304, kind=hipMemcpyHostToDevice) =
 * hipSuccess hipMalloc(ptr=0x7ffd1234 [*ptr=0x7f5c00000000], size=4194304) = hipSuccess
 *   hipModuleGetFunction(function=0x7ffd1234 [*function=0x5581], module=0x5580, kname="vadd") =
 * hipSuccess hipLaunchKernel(function_address=0x55d0 <vadd>, numBlocks={x=1024, y=1, z=1}, ...) =
 * hipSuccess
 *
 * A pointer is its address, and in brackets the value that it pointed to when the call returned. A
 * `char *` is the string itself, followed by "..." if the string was cut, or the address if it
 * could not be read. Outputs of a failed call are not shown, except structs, which may hold input.
 * A value that was not captured is "?". Nothing here trusts a value: a process can make a call look
 * strange. It cannot make the text long (some 64 bytes for each captured value) or unsafe for a
 * terminal.
 */
#ifndef RTRACE_API_CALL_ARGUMENTS_H
#define RTRACE_API_CALL_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/bpf_records.h"
#include "common/api_tables.h"
#include "common/text_buffer.h"

struct call_read {
	const unsigned char *data; /* NULL: was not read, or could not be */
	uint16_t len;
	bool cut; /* the string goes on */
};

/* The raw values of a call. Pointers are into the record that they were taken from. */
struct call_values {
	uint64_t regs[RT_ARGS];
	uint64_t ret;
	bool returned; /* else it was cut off: no result, no values that pointers point to */
	const char
		*kernel; /* name of the kernel that the call names by address or handle; or NULL */
	const unsigned char *stack; /* words, not aligned */
	const unsigned char *sse;
	uint16_t stack_words, sse_words;
	struct call_read read[RT_READS];
};

/*
 * Takes the values from a struct rt_rec_span and the items that follow it, `size` bytes in all.
 * -EBADMSG: it is no span or cut off in its fixed part. Reading stops at the first invalid item.
 */
int call_values__from_record(struct call_values *v, const void *record, size_t size);

/* The items alone, for a caller that keeps them apart. Adds to `v`, which has the rest already. */
void call_values__add_items(struct call_values *v, const void *items, size_t size);

/*
 * Appends "name=value, name=value". Without a description (fn is NULL) the six argument registers
 * in hex.
 */
void call_arguments__put(struct textbuf *t, const struct api_function *fn,
			 const struct call_values *v);

/* Appends " = result", " = ?" if it did not return, nothing for a function without a result. */
void call_arguments__put_return(struct textbuf *t, const struct api_function *fn,
				const struct call_values *v);

enum arg_kind {
	ARG_TEXT,
	ARG_UINT,
	ARG_INT, /* two's complement */
	ARG_POINTER,
};

/*
 * One value: a parameter's, or what it points to ("*ptr"). `is_string`: `text` is the string as it
 * was in the process, `len` bytes, unescaped and without quotes; `cut` if it goes on. Both texts
 * are valid during the call only.
 */
struct arg_value {
	const char *name;
	enum arg_kind kind;
	uint64_t number;  /* of those that have no text */
	const char *text; /* NUL-terminated */
	size_t len;
	bool is_string, cut;
};
typedef void (*arg_value_fn)(const struct arg_value *value, void *arg);

/* In which form values are passed. */
enum arg_form {
	ARGS_TEXTS,   /* all of them as text */
	ARGS_NUMBERS, /* integers and addresses as numbers */
};

/* Calls `each` for every value. `t` is used for the texts. */
void call_arguments__each(struct textbuf *t, const struct api_function *fn,
			  const struct call_values *v, enum arg_form form, arg_value_fn each,
			  void *arg);

/* The result alone ("hipSuccess"): false if there is none. */
bool call_arguments__return(struct textbuf *t, const struct api_function *fn,
			    const struct call_values *v, arg_value_fn each, void *arg);

/* The raw value of a parameter of up to 8 bytes: false if it was not captured. */
bool call_arguments__word(const struct api_param *p, const struct call_values *v, uint64_t *value);

/* Did the call return a value that means failure? */
bool call_arguments__failed(const struct api_function *fn, const struct call_values *v);

#endif
