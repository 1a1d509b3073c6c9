/* SPDX-License-Identifier: MIT */
/*
 * rtrace-bpf export: a recording in another form.
 */
#ifndef RTRACE_CMD_EXPORT_COMMAND_H
#define RTRACE_CMD_EXPORT_COMMAND_H

/* The subcommand; argv[0] is "export". Returns the exit status. */
int export_command__main(int argc, char **argv);

#endif
