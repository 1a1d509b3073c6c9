/* SPDX-License-Identifier: MIT */
/*
 * roctracer: reports to a tool in the same process which calls of HIP, HSA and ROC-TX the process
 * makes, and what the GPUs did for it.
 *
 * There are two ways, for each operation of each domain. A callback is called at the begin and the
 * end of every call, on the thread that makes it, with the arguments. An activity writes a record,
 * with times, into a pool; the pool's own thread passes records on in buffers. Records of calls and
 * of what a GPU did for them have the same correlation id.
 *
 * This is the interface of libroctracer64.so.4, version 4.1, as ROCm ships it: a program that was
 * built against either library runs on the other unchanged. Link with -lroctracer64.
 *
 * For all functions that return roctracer_status_t:
 *
 * Threads	They may be called from any thread at any time, from inside callbacks too.
 *		When a disable function has returned, no callback of that operation runs any more
 *		and none will, and no record of it is written; but a disable that is called from
 *		inside a callback does not wait for callbacks of other threads.
 * Errors	They return ROCTRACER_STATUS_SUCCESS or a negative number, and keep a message for
 *		roctracer_error_string(). Nothing has changed then, but in functions for a whole
 *		domain or for all, which stop at the first error.
 *		ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID: no such domain, or not for this function.
 *		ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT: no such operation, or NULL for what must
 *		be there.
 *		ROCTRACER_STATUS_ERROR_NOT_IMPLEMENTED: HSA_OPS and packets (HSA_EVT_ID_SUBMIT),
 *		where librtrace-agent.so is neither in the process nor installed with this library.
 *		Functions for all domains leave them out.
 *		Domains of a library that is not in the process (HIP, HSA, its thunk, ROC-TX) are no
 *		error: there is nothing to be traced. A library that is loaded later is found when
 *		something is enabled then.
 * Strings	in UTF-8 or what the runtime has, ended by NUL.
 */
#ifndef ROCTRACER_H_
#define ROCTRACER_H_

#include <stddef.h>
#include <stdint.h>

#include "ext/prof_protocol.h"

#ifndef ROCTRACER_API
#define ROCTRACER_API __attribute__((visibility("default")))
#endif

/* Functions that are marked so are there since version 4.1, or earlier. */
#define ROCTRACER_VERSION_4_1

/* The version of the interface that this header describes. */
#define ROCTRACER_VERSION_MAJOR 4
#define ROCTRACER_VERSION_MINOR 1

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that the program runs with. */
ROCTRACER_API uint32_t roctracer_version_major(void) ROCTRACER_VERSION_4_1;
ROCTRACER_API uint32_t roctracer_version_minor(void) ROCTRACER_VERSION_4_1;

typedef enum {
	ROCTRACER_STATUS_SUCCESS = 0,
	ROCTRACER_STATUS_ERROR = -1,
	ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID = -2,
	ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT = -3,
	ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED = -4,
	ROCTRACER_STATUS_ERROR_DEFAULT_POOL_ALREADY_DEFINED = -5,
	ROCTRACER_STATUS_ERROR_MEMORY_ALLOCATION = -6,
	ROCTRACER_STATUS_ERROR_MISMATCHED_EXTERNAL_CORRELATION_ID = -7,
	ROCTRACER_STATUS_ERROR_NOT_IMPLEMENTED = -8,
	/* Names of earlier versions; the library returns none of these numbers. */
	ROCTRACER_STATUS_UNINIT = 2,
	ROCTRACER_STATUS_BREAK = 3,
	ROCTRACER_STATUS_BAD_DOMAIN = ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID,
	ROCTRACER_STATUS_BAD_PARAMETER = ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
	ROCTRACER_STATUS_HIP_API_ERR = 6,
	ROCTRACER_STATUS_HIP_OPS_ERR = 7,
	ROCTRACER_STATUS_HCC_OPS_ERR = ROCTRACER_STATUS_HIP_OPS_ERR,
	ROCTRACER_STATUS_HSA_ERR = 7,
	ROCTRACER_STATUS_ROCTX_ERR = 8,
} roctracer_status_t;

/*
 * Of the last error on the calling thread, "" if there was none. The string is the caller's, to be
 * given to free().
 */
ROCTRACER_API const char *roctracer_error_string(void) ROCTRACER_VERSION_4_1;

/* ---- domains and operations ---- */

typedef activity_domain_t roctracer_domain_t;

/*
 * The name of an operation. For ACTIVITY_DOMAIN_HIP_OPS that is the name of the command `kind`, as
 * it is stored in records; `op` does not matter then, and for other domains `kind` does not. NULL
 * on an error, which roctracer_error_string() describes. Not to be freed.
 */
ROCTRACER_API const char *roctracer_op_string(uint32_t domain, uint32_t op,
					      uint32_t kind) ROCTRACER_VERSION_4_1;

/*
 * The operation of that name, for HIP_API, HSA_API and KFD_API; *kind, if not NULL, is 0 then.
 * -> INVALID_ARGUMENT: there is none of that name.
 */
ROCTRACER_API roctracer_status_t roctracer_op_code(uint32_t domain, const char *str, uint32_t *op,
						   uint32_t *kind) ROCTRACER_VERSION_4_1;

/* EXT_API: a roctracer_ext_properties_t. The other domains have none, which is no error. */
ROCTRACER_API roctracer_status_t roctracer_set_properties(roctracer_domain_t domain,
							  void *properties) ROCTRACER_VERSION_4_1;

/* ---- callbacks ---- */

typedef activity_rtapi_callback_t roctracer_rtapi_callback_t;

/*
 * From now on `callback` is called for the operation, for all of a domain, for all of all domains,
 * in the place of what was registered before. There are none of HSA_OPS and HIP_OPS, which is no
 * error. -> INVALID_ARGUMENT: `callback` is NULL.
 */
ROCTRACER_API roctracer_status_t roctracer_enable_op_callback(activity_domain_t domain, uint32_t op,
							      activity_rtapi_callback_t callback,
							      void *arg) ROCTRACER_VERSION_4_1;
ROCTRACER_API roctracer_status_t
roctracer_enable_domain_callback(activity_domain_t domain, activity_rtapi_callback_t callback,
				 void *arg) ROCTRACER_VERSION_4_1;
ROCTRACER_API roctracer_status_t roctracer_enable_callback(activity_rtapi_callback_t callback,
							   void *arg);

ROCTRACER_API roctracer_status_t roctracer_disable_op_callback(activity_domain_t domain,
							       uint32_t op) ROCTRACER_VERSION_4_1;
ROCTRACER_API roctracer_status_t roctracer_disable_domain_callback(activity_domain_t domain)
	ROCTRACER_VERSION_4_1;
ROCTRACER_API roctracer_status_t roctracer_disable_callback(void);

/* ---- records, and the pools that they are written to ---- */

typedef activity_record_t roctracer_record_t;

/* The record after that one, in a buffer. */
ROCTRACER_API roctracer_status_t roctracer_next_record(
	const activity_record_t *record, const activity_record_t **next) ROCTRACER_VERSION_4_1;

/*
 * Allocates `size` bytes at *ptr, resizes the memory there, or frees it if `size` is 0. *ptr is
 * NULL afterwards if it cannot.
 */
typedef void (*roctracer_allocator_t)(char **ptr, size_t size, void *arg);

/*
 * Is given the records from `begin` to `end`, on the pool's own thread, one buffer at a time. They
 * and what they point to are valid until it returns. It may call all functions but those that
 * close its pool; a flush from in here does not wait.
 */
typedef void (*roctracer_buffer_callback_t)(const char *begin, const char *end, void *arg);

typedef struct {
	uint32_t mode;	    /* has no meaning */
	size_t buffer_size; /* bytes; there are two buffers, each of two records at least */
	roctracer_allocator_t alloc_fun; /* NULL: malloc and free */
	void *alloc_arg;
	roctracer_buffer_callback_t buffer_callback_fun;
	void *buffer_callback_arg;
} roctracer_properties_t;

typedef void roctracer_pool_t;

/*
 * Makes a pool and its thread. With `pool` NULL, and by the second function, it becomes the default
 * pool: that of functions that name none.
 * -> DEFAULT_POOL_ALREADY_DEFINED, MEMORY_ALLOCATION; ERROR: no thread could be made;
 * INVALID_ARGUMENT: no properties or no callback.
 */
ROCTRACER_API roctracer_status_t roctracer_open_pool_expl(
	const roctracer_properties_t *properties, roctracer_pool_t **pool) ROCTRACER_VERSION_4_1;
ROCTRACER_API roctracer_status_t roctracer_open_pool(const roctracer_properties_t *properties)
	ROCTRACER_VERSION_4_1;

/*
 * Disables the activities that write to the pool, passes on what is in it and ends it. NULL, and
 * the second function: the default pool; no error if there is none.
 * -> ERROR: called from the pool's own callback.
 */
ROCTRACER_API roctracer_status_t roctracer_close_pool_expl(roctracer_pool_t *pool)
	ROCTRACER_VERSION_4_1;
ROCTRACER_API roctracer_status_t roctracer_close_pool(void) ROCTRACER_VERSION_4_1;

/* Returns the default pool, NULL if there is none; the first one then makes `pool` it, if not NULL.
 */
ROCTRACER_API roctracer_pool_t *
roctracer_default_pool_expl(roctracer_pool_t *pool) ROCTRACER_VERSION_4_1;
ROCTRACER_API roctracer_pool_t *roctracer_default_pool(void) ROCTRACER_VERSION_4_1;

/*
 * From now on records of the operation, of a domain, of all domains are written to the pool (NULL,
 * and those without _expl: the default pool), in the place of the one before. There are none of
 * ROCTX and HSA_EVT, which is no error.
 * -> DEFAULT_POOL_UNDEFINED: no pool is named and there is no default one.
 */
ROCTRACER_API roctracer_status_t roctracer_enable_op_activity_expl(
	activity_domain_t domain, uint32_t op, roctracer_pool_t *pool) ROCTRACER_VERSION_4_1;
ROCTRACER_API roctracer_status_t roctracer_enable_op_activity(activity_domain_t domain,
							      uint32_t op) ROCTRACER_VERSION_4_1;
ROCTRACER_API roctracer_status_t roctracer_enable_domain_activity_expl(
	activity_domain_t domain, roctracer_pool_t *pool) ROCTRACER_VERSION_4_1;
ROCTRACER_API roctracer_status_t roctracer_enable_domain_activity(activity_domain_t domain)
	ROCTRACER_VERSION_4_1;
ROCTRACER_API roctracer_status_t roctracer_enable_activity_expl(roctracer_pool_t *pool);
ROCTRACER_API roctracer_status_t roctracer_enable_activity(void);

ROCTRACER_API roctracer_status_t roctracer_disable_op_activity(activity_domain_t domain,
							       uint32_t op) ROCTRACER_VERSION_4_1;
ROCTRACER_API roctracer_status_t roctracer_disable_domain_activity(activity_domain_t domain)
	ROCTRACER_VERSION_4_1;
ROCTRACER_API roctracer_status_t roctracer_disable_activity(void);

/* Passes on what is in the pool (NULL: the default one) and waits until that is done. */
ROCTRACER_API roctracer_status_t roctracer_flush_activity_expl(roctracer_pool_t *pool)
	ROCTRACER_VERSION_4_1;
ROCTRACER_API roctracer_status_t roctracer_flush_activity(void) ROCTRACER_VERSION_4_1;

/* The time, on the clock of all records. 0 as long as HSA is not initialised. */
ROCTRACER_API roctracer_status_t roctracer_get_timestamp(roctracer_timestamp_t *timestamp)
	ROCTRACER_VERSION_4_1;

/* Of earlier versions: roctracer_load returns 1, the others do nothing. */
ROCTRACER_API int roctracer_load(void);
ROCTRACER_API void roctracer_unload(void);
ROCTRACER_API void roctracer_flush_buf(void);

#ifdef __cplusplus
}
#endif

#endif
