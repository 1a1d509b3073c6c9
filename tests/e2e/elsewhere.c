/* SPDX-License-Identifier: MIT */
/*
 * To preload into a tracer: to the tracer, it is on another node then. Its wall clock may jump,
 * also that of any other program, of which all clocks may be ahead, as with libraries that move the
 * time for a test.
 *
 *   ELSEWHERE_NAME       what uname calls the node; its boot has an ID of its own for that name
 *   ELSEWHERE_AHEAD_NS   how far its wall clock is ahead of this machine's
 *   ELSEWHERE_ALL_CLOCKS are its other clocks, too? (but for those of CPU times)
 *   ELSEWHERE_WHILE      only while there is a file of this name: by that the clock jumps
 *   ELSEWHERE_ERROR_US   how far NTP has it that it may be off; not set: nobody keeps it
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define SECOND	 1000000000LL
#define EXPORTED __attribute__((visibility("default")))

static const char *ahead_by(void)
{
	const char *only = getenv("ELSEWHERE_WHILE");

	return only && access(only, F_OK) ? NULL : getenv("ELSEWHERE_AHEAD_NS");
}

static bool is_moved(clockid_t clock)
{
	if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
		return false;
	return clock == CLOCK_REALTIME || getenv("ELSEWHERE_ALL_CLOCKS");
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec *t)
{
	const char *ahead = is_moved(clock) ? ahead_by() : NULL;
	long status = syscall(SYS_clock_gettime, clock, t);
	long long ns;

	if (ahead && !status) {
		ns = t->tv_sec * SECOND + t->tv_nsec + strtoll(ahead, NULL, 10);
		t->tv_sec = ns / SECOND;
		t->tv_nsec = ns % SECOND;
	}
	return (int)status;
}

EXPORTED int adjtimex(struct timex *t)
{
	const char *error = getenv("ELSEWHERE_ERROR_US");

	memset(t, 0, sizeof(*t));
	if (!error)
		return TIME_ERROR;
	t->maxerror = strtol(error, NULL, 10);
	return TIME_OK;
}

EXPORTED int uname(struct utsname *name)
{
	const char *there = getenv("ELSEWHERE_NAME");
	long status = syscall(SYS_uname, name);

	if (there)
		snprintf(name->nodename, sizeof(name->nodename), "%s", there);
	return (int)status;
}

EXPORTED FILE *fopen(const char *path, const char *mode)
{
	static char id[64];
	const char *there = getenv("ELSEWHERE_NAME");
	FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, "fopen");

	if (!there || strcmp(path, "/proc/sys/kernel/random/boot_id"))
		return real(path, mode);
	snprintf(id, sizeof(id), "0000-%.30s\n", there);
	return fmemopen(id, strlen(id), "r");
}
