/* SPDX-License-Identifier: MIT */
/*
 * Starts the command of `rtrace-bpf -- CMD ARGS`, held back until the tracer is ready.
 */
#ifndef RTRACE_LAUNCH_H
#define RTRACE_LAUNCH_H

#include <stddef.h>
#include <sys/types.h>

struct launch {
	pid_t pid;
	int go;	    /* closing it lets the command run */
	int failed; /* the child writes errno here if exec fails */
};

/*
 * Forks the child, which waits. `agent`: the library for HSA_TOOLS_LIB, NULL: none. `ring_bytes`:
 * of the agent's ring, 0: as many as it likes. 0 or -errno.
 */
int launch__prepare(struct launch *l, char *const argv[], const char *agent, size_t ring_bytes);

/* Lets it run. 0, or the -errno with which the command could not be executed. */
int launch__go(struct launch *l);

/* Ends a child that was prepared and never let go. */
void launch__cancel(struct launch *l);

/* The file that a command is, found as execvp(3) finds it; NULL: none. Freed by the caller. */
char *launch__find_program(const char *command);

/* The path of librtrace-agent.so that belongs to this program; NULL with errno if there is none. */
char *launch__find_agent(void);

#endif
