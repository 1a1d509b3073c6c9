/* SPDX-License-Identifier: MIT */
/*
 * rtrace-bpf ps: which processes use ROCm, which releases of it, and whether they have the agent.
 */
#ifndef RTRACE_CMD_PS_COMMAND_H
#define RTRACE_CMD_PS_COMMAND_H

/* The subcommand; argv[0] is "ps". Returns the exit status. */
int ps_command__main(int argc, char **argv);

#endif
