/* SPDX-License-Identifier: MIT */
/*
 * What a chunk's events refer to, defined in it before the first use: see recording.md.
 *
 * A definition belongs to its chunk: everything known has the number of the chunk that defined it
 * last, so a new chunk forgets all of them at once. Of encode.c alone.
 */
#ifndef RTRACE_RECORDING_ENCODE_DEFINITIONS_H
#define RTRACE_RECORDING_ENCODE_DEFINITIONS_H

#include "user/api/call_arguments.h"
#include "user/recording/encode.h"
#include "common/hash.h"

struct definition {
	uint64_t chunk; /* that it was defined in last */
	uint32_t id;	/* there */
};

/* A name, by its address: it lives for as long as the trace. */
struct known_string {
	const char *text;
	struct definition def;
	struct gpu_info shape; /* of the last dispatch of that kernel in this chunk */
	UT_hash_handle hh;
};

/* A text that does not live as long, by its contents; forgotten with its chunk. */
struct known_text {
	uint32_t id;
	UT_hash_handle hh;
	char text[];
};

struct known_type {
	const struct api_type *type;
	struct definition def;
	UT_hash_handle hh;
};

struct function_key {
	const char *name;
	const struct api_function *api;
	uint64_t domain;
};

struct known_function {
	struct function_key key;
	struct definition def;
	uint32_t registers;	/* those that parameters are in, a bit each */
	uint64_t args[RT_ARGS]; /* of its last call in this chunk */
	UT_hash_handle hh;
};

struct known_process {
	uint32_t pid;
	struct process_info info; /* its strings are ours */
	struct definition def;
	uint64_t ended; /* in which chunk, 0: it has not */
	UT_hash_handle hh;
};

struct thread_key {
	uint32_t pid, tid;
};

struct known_thread {
	struct thread_key key;
	char *comm;
	struct definition def;
	/* of its last event in this chunk */
	uint64_t corr, in_range, op;
	UT_hash_handle hh;
};

struct device_key {
	uint32_t pid;
	int32_t device;
};

struct known_device {
	struct device_key key;
	char *name, *details;
	struct definition def;
	UT_hash_handle hh;
};

struct encoder {
	struct encoded chunk;
	uint64_t number; /* of the chunk, from 1 */
	uint64_t last_end;
	uint32_t string_ids, type_ids, function_ids, thread_ids;
	struct known_string *strings;
	struct known_text *texts;
	struct known_type *types;
	struct known_function *functions;
	struct known_process *processes;
	struct known_thread *threads;
	struct known_device *devices;
	uint32_t ended; /* processes */
	bool failed;
};

/* What is not defined in this chunk is defined now. NULL: there is none, or no memory. */
struct known_string *encode_definitions__string(struct encoder *e, const char *text);
struct known_function *encode_definitions__function(struct encoder *e, const struct event *ev);
struct known_thread *encode_definitions__thread(struct encoder *e, uint32_t pid, uint32_t tid);
void encode_definitions__device(struct encoder *e, uint32_t pid, int32_t device);

/* The string's number, 0 for NULL. A text may be freed together with its event. */
uint32_t encode_definitions__string_id(struct encoder *e, const char *name);
uint32_t encode_definitions__text_id(struct encoder *e, const char *text);

/* At the end of a chunk. */
void encode_definitions__forget_texts(struct encoder *e);

/*
 * To bound memory, where strings are many, or functions (of recordings that are merged each chunk
 * brings its own); and at the end.
 */
void encode_definitions__forget_strings(struct encoder *e);
void encode_definitions__forget_functions(struct encoder *e);

/* Processes that ended some chunks ago, with their threads and devices. */
void encode_definitions__forget_ended(struct encoder *e);
void encode_definitions__free(struct encoder *e);

#endif
