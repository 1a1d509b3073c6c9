/* SPDX-License-Identifier: MIT */
/*
 * rtrace-bpf top: shows what processes and GPUs do, updated every second.
 */
#ifndef RTRACE_CMD_TOP_COMMAND_H
#define RTRACE_CMD_TOP_COMMAND_H

/* The subcommand; argv[0] is "top". Returns the exit status. */
int top_command__main(int argc, char **argv);

#endif
