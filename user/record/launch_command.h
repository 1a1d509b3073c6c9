/* SPDX-License-Identifier: MIT */
/*
 * Starts the command of `rtrace-bpf -- CMD ARGS`, held back until the tracer is ready.
 */
#ifndef RTRACE_RECORD_LAUNCH_COMMAND_H
#define RTRACE_RECORD_LAUNCH_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "user/record/inherited_state.h"

struct launch {
	pid_t pid;
	struct inherited inherited; /* to be saved before launch_command__prepare */
	int go;			    /* closing it lets the command run */
	int failed;		    /* the child writes errno here if exec fails */
	int status;		    /* as of waitpid(2), when it has ended */
	bool ended;
};

/* The agent of the command. */
struct launch_agent {
	char *path;	   /* for HSA_TOOLS_LIB; NULL: none */
	size_t ring_bytes; /* 0: as many as it likes */
	uint32_t wants;	   /* RT_AGENT_WANT_*: it records so before the tracer reaches it */
};

/* Forks the child, which waits. 0 or -errno. */
int launch_command__prepare(struct launch *l, char *const argv[], const struct launch_agent *agent);

/* Lets it run. 0, or the -errno with which the command could not be executed. */
int launch_command__go(struct launch *l);

/* Has it ended? Does not wait. */
bool launch_command__has_ended(struct launch *l);

/*
 * The trace has ended. Waits for the command as far as it is to end as well: for ever if the
 * terminal's signal ended the trace, which the command has, too; a second if another signal did.
 * Logs that it goes on. `command`: NULL if there is none.
 */
void launch_command__see_off(struct launch *l, char *const command[]);

/* The command's, as a shell has it; 0: it has not ended. */
int launch_command__exit_status(const struct launch *l);

/* Ends a child that was prepared and never let go. */
void launch_command__cancel(struct launch *l);

/* The file that a command is, found as execvp(3) finds it; NULL: none. Freed by the caller. */
char *launch_command__find_program(const char *command);

/* The path of librtrace-agent.so that belongs to this program; NULL with errno if there is none. */
char *launch_command__find_agent(void);

#endif
