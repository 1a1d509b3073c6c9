/* SPDX-License-Identifier: MIT */
/*
 * rtrace-bpf report: where the time of a recording was spent, as tables or JSON. report.md explains
 * the numbers.
 */
#ifndef RTRACE_CMD_REPORT_COMMAND_H
#define RTRACE_CMD_REPORT_COMMAND_H

/* The subcommand; argv[0] is "report". Returns the exit status. */
int report_command__main(int argc, char **argv);

#endif
