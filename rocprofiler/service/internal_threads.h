/* SPDX-License-Identifier: MIT */
/*
 * The library's threads, which pass on buffers, and the callbacks for when a thread is made.
 */
#ifndef RTRACE_ROCPROFILER_SERVICE_INTERNAL_THREADS_H
#define RTRACE_ROCPROFILER_SERVICE_INTERNAL_THREADS_H

#include <stdbool.h>

#include <rocprofiler-sdk/internal_threading.h>

struct buffer;
struct callback_thread;

/* A library is about to make a thread, or has made one. */
void threads__tell_before(rocprofiler_runtime_library_t library);
void threads__tell_after(rocprofiler_runtime_library_t library);

/* The thread of buffers that are given none, made at the first call. NULL: it cannot be made. */
struct callback_thread *threads__default(void);

/* All end, once they have done what they were asked for. */
void threads__end(void);

/* ---- for buffers ---- */

/* For the fields of buffers that are marked as under the lock. */
void threads__lock(void);
void threads__unlock(void);

/* Has the buffer passed on soon. */
void threads__request(struct buffer *b);

/* As rocprofiler_flush_buffer(). */
rocprofiler_status_t threads__flush(struct buffer *b);

/* Under the lock: is there a thread for it? */
bool threads__can_pass_on(const struct buffer *b);

/*
 * Under the lock: has the buffer passed on, if that was not requested yet, and waits until
 * something has changed.
 */
void threads__wait(struct buffer *b);

/* On the buffer's thread, without the lock: there is room in it. */
void threads__room(const struct buffer *b);

#endif
