/* SPDX-License-Identifier: MIT */
/*
 * rtrace-bpf ps: which processes use ROCm, which releases of it, and whether they have the agent.
 */
#ifndef RTRACE_PS_H
#define RTRACE_PS_H

/* The subcommand; argv[0] is "ps". Returns the exit status. */
int ps__main(int argc, char **argv);

#endif
