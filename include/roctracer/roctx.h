/* SPDX-License-Identifier: MIT */
/*
 * ROC-TX: names that an application gives to moments and stretches of its own work.
 *
 * A mark names one moment. A range names a stretch, and there are two kinds: push/pop ranges nest
 * within one thread, like brackets; start/stop ranges have an identifier, may overlap, and may be
 * stopped by another thread than the one that started them. A tool that watches the process shows
 * the names next to the API calls and GPU work that they surround. Without a tool a call costs a
 * few nanoseconds and does nothing else.
 *
 * This is the interface of libroctx64.so.4 as ROCm ships it: a program that was built against
 * either library runs on the other unchanged. Link with -lroctx64.
 *
 * For all functions:
 *
 * Threads	They may be called from any thread at any time, also before main() and from
 *		library constructors. They never block and take no lock.
 * Strings	`message` is a NUL-terminated string in the application's encoding, normally UTF-8.
 *		It is read during the call only: the caller keeps it and may change or free it as
 *		soon as the call returns. NULL is allowed and means a range without a name.
 * Times	The functions take and return none. A tool takes the time of the call itself.
 * Errors	errno is left alone. The only error there is, is that of roctxRangePop().
 */
#ifndef ROCTX_H
#define ROCTX_H

#include <stdint.h>

/* The version of the interface that this header describes. */
#define ROCTX_VERSION_MAJOR 4
#define ROCTX_VERSION_MINOR 1

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The version of the library that the program runs with. A library of the same major version and
 * of an equal or higher minor version than the header's serves the program.
 */
uint32_t roctx_version_major(void);
uint32_t roctx_version_minor(void);

/* Marks this moment on the calling thread. */
void roctxMarkA(const char *message);

/*
 * Opens a range on the calling thread, inside those that are open on it already.
 * Returns the level of the new range: 0 when no other is open, 1 inside one other, and so on.
 */
int roctxRangePushA(const char *message);

/*
 * Closes the range that the calling thread pushed last.
 * Returns the level of that range, or -1 when the thread has none open; nothing changes then.
 * Ranges that are still open when their thread ends are closed by its end.
 */
int roctxRangePop(void);

/*
 * Identifies a range from roctxRangeStartA(). Identifiers start at 1, are never used twice in one
 * process, and 0 is never one.
 */
typedef uint64_t roctx_range_id_t;

/* Starts a range and returns its identifier, for roctxRangeStop(). */
roctx_range_id_t roctxRangeStartA(const char *message);

/*
 * Stops the range `id`; any thread may do it. An identifier that was never given out or that is
 * stopped already is no error here: it is reported to the tool as it is.
 */
void roctxRangeStop(roctx_range_id_t id);

#ifdef __cplusplus
}
#endif

/* The names without a suffix: messages are strings of char. */
#define roctxMark(message)	 roctxMarkA(message)
#define roctxRangePush(message)	 roctxRangePushA(message)
#define roctxRangeStart(message) roctxRangeStartA(message)

#endif
