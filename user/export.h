/* SPDX-License-Identifier: MIT */
/*
 * rtrace-bpf export: a recording in another form.
 */
#ifndef RTRACE_EXPORT_H
#define RTRACE_EXPORT_H

/* The subcommand; argv[0] is "export". Returns the exit status. */
int export__main(int argc, char **argv);

#endif
