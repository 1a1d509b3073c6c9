/* SPDX-License-Identifier: MIT */
/*
 * What objects in the process have bound to functions of libraries, and putting something else
 * there.
 */
#ifndef RTRACE_INPROCESS_GOT_PATCH_H
#define RTRACE_INPROCESS_GOT_PATCH_H

#include <stdbool.h>
#include <stdint.h>

struct imports {
	const char *const *libraries; /* how their files' names begin; NULL ends the list */
	/*
	 * Leave what an object has for a function's address, though it may call by that, too: it
	 * may compare it with another's.
	 */
	bool calls_only;
	/* Is a function of that name worth a look? */
	bool (*wants)(const char *name);
	/* NULL, or: the function that is meant by what is bound, which another may have replaced.
	 */
	void *(*behind)(void *bound);
	/* What is to be in the place of the function's address; NULL: that stays. */
	void *(*instead)(const char *name, void *function);
	/*
	 * Leave what the loader has not bound yet: with LD_AUDIT it may never do so, to tell a
	 * library of each call.
	 */
	bool bound_only;
};

/*
 * In all objects that are linked against one of the libraries, what is bound to a function, or will
 * be at the first call, is bound to something else: at once and for ever, while other threads may
 * call. What is put there must stay for as long as the process runs.
 *
 * Calls from inside of a library and by addresses that were taken before or asked for with dlsym()
 * go on as they did. So do those of objects that are loaded later, until it is called again.
 *
 * Takes the loader's lock, so it waits while another thread loads a library; and a millisecond for
 * each object in which it had to unlock a page (see poke.h). Returns how many places it has written
 * to.
 */
uint32_t imports__replace(const struct imports *im);

/*
 * No object is held any more by imports__replace, which writes to no further place: the process
 * ends. While it runs the destructors of its libraries, glibc would run the constructors of one
 * that is opened once more, in the thread that opens it.
 */
void imports__stop(void);

/*
 * Does the loader tell a library of what is bound, and perhaps of each call? Asks the environment,
 * which a thread of the application may be changing: to be called on the application's thread.
 */
bool imports__audited(void);

/* How many objects the process has loaded up to now. */
uint64_t imports__loaded(void);

/* Has it one of those libraries? The list is as above. */
bool imports__has_one(const char *const *libraries);

#endif
