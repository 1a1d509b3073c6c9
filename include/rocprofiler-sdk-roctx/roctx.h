/* SPDX-License-Identifier: MIT */
/*
 * ROC-TX of rocprofiler-sdk: names for moments and stretches of an application's work, for its
 * threads and devices, and requests to the tool that watches it.
 *
 * This is the interface of librocprofiler-sdk-roctx.so.1 as ROCm ships it: a program that was built
 * against either library runs on the other unchanged. Link with -lrocprofiler-sdk-roctx.
 *
 * For all functions:
 *
 * Threads	They may be called from any thread at any time, also before main() and from
 *		library constructors. The first call of the process asks librocprofiler-register,
 *		or else a librocprofiler-sdk that is in the process, if there is one, whether a tool
 *		wants reports; another thread does not wait for that.
 * Strings	are NUL-terminated, normally UTF-8. They are read during the call only.
 * Times	The functions take and return none. A tool takes the time of the call itself.
 * Errors	errno is left alone. Functions that return int return what a tool makes of them;
 *		without one 0, but for what is said below.
 */
#ifndef ROCPROFILER_SDK_ROCTX_H
#define ROCPROFILER_SDK_ROCTX_H

#include "rocprofiler-sdk-roctx/types.h"
#include "rocprofiler-sdk-roctx/version.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hsa_agent_s;
struct ihipStream_t;

/* Marks this moment on the calling thread. */
void roctxMarkA(const char *message);

/*
 * Opens a range on the calling thread, inside those that are open on it already. Returns its level:
 * 0 when no other is open, 1 inside one other, and so on.
 */
int roctxRangePushA(const char *message);

/*
 * Closes the range that the calling thread pushed last. Returns its level, or -1 when the thread
 * has none open; nothing changes then.
 */
int roctxRangePop(void);

/* Starts a range of the process, which any thread may stop. */
roctx_range_id_t roctxRangeStartA(const char *message);
void roctxRangeStop(roctx_range_id_t id);

/*
 * Asks the tool that watches the process to stop recording, and to go on, for that thread; 0: for
 * all.
 */
int roctxProfilerPause(roctx_thread_id_t tid);
int roctxProfilerResume(roctx_thread_id_t tid);

/* What the tool is to call the calling thread. Its name in the system stays. */
int roctxNameOsThread(const char *name);

/* What it is to call a GPU, or a stream. */
int roctxNameHsaAgent(const char *name, const struct hsa_agent_s *agent);
int roctxNameHipDevice(const char *name, int device_id);
int roctxNameHipStream(const char *name, const struct ihipStream_t *stream);

/* The calling thread's identifier, for the two above. EINVAL if `tid` is NULL. */
int roctxGetThreadId(roctx_thread_id_t *tid);

#ifdef __cplusplus
}
#endif

/* The names without a suffix: messages are strings of char. */
#define roctxMark(message)	 roctxMarkA(message)
#define roctxRangePush(message)	 roctxRangePushA(message)
#define roctxRangeStart(message) roctxRangeStartA(message)

#endif
