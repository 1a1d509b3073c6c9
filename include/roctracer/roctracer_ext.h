/* SPDX-License-Identifier: MIT */
/*
 * What an application reports to roctracer about itself: when to trace, ids of its own, marks.
 *
 * All functions may be called from any thread at any time.
 */
#ifndef ROCTRACER_EXT_H_
#define ROCTRACER_EXT_H_

#include "roctracer.h"

/* Operations of ACTIVITY_DOMAIN_EXT_API. */
typedef enum { ACTIVITY_EXT_OP_MARK = 0, ACTIVITY_EXT_OP_EXTERN_ID = 1 } activity_ext_op_t;

typedef void (*roctracer_start_cb_t)(void);
typedef void (*roctracer_stop_cb_t)(void);

/* For roctracer_set_properties(ACTIVITY_DOMAIN_EXT_API): a tool's functions; NULL: none. */
typedef struct {
	roctracer_start_cb_t start_cb;
	roctracer_stop_cb_t stop_cb;
} roctracer_ext_properties_t;

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Tracing is on at first. While it is stopped, callbacks and records of all domains but ROCTX are
 * left out; what a GPU did counts to the call that asked for it, if that is recorded or called
 * back. What changes the state calls the tool's start_cb or stop_cb, on this thread.
 */
ROCTRACER_API void roctracer_start(void) ROCTRACER_VERSION_4_1;
ROCTRACER_API void roctracer_stop(void) ROCTRACER_VERSION_4_1;

/*
 * Until the matching pop the calling thread works for what the application knows as `id`: each
 * record of a call is preceded in its pool by one of domain EXT_API and operation EXTERN_ID with
 * the call's correlation id and this external id. Ids nest; the innermost one counts.
 */
ROCTRACER_API roctracer_status_t
roctracer_activity_push_external_correlation_id(activity_correlation_id_t id) ROCTRACER_VERSION_4_1;

/*
 * Takes the innermost id off and returns it in `last_id`, which may be NULL.
 * -> ROCTRACER_STATUS_ERROR_MISMATCHED_EXTERNAL_CORRELATION_ID: there is none; *last_id is 0.
 */
ROCTRACER_API roctracer_status_t roctracer_activity_pop_external_correlation_id(
	activity_correlation_id_t *last_id) ROCTRACER_VERSION_4_1;

/*
 * Puts a mark in the default pool, if there is one and EXT_API activity is enabled: a record of
 * operation MARK with the text, which is copied.
 */
ROCTRACER_API void roctracer_mark(const char *message);

#ifdef __cplusplus
}
#endif

#endif
