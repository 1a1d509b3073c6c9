/* SPDX-License-Identifier: MIT */
/*
 * rtrace-bpf doctor: reports whether this machine can be traced, and how each function is probed.
 */
#ifndef RTRACE_CMD_DOCTOR_COMMAND_H
#define RTRACE_CMD_DOCTOR_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "user/probe/installed_libraries.h"

/* The subcommand; argv[0] is "doctor". Returns the exit status. */
int doctor_command__main(int argc, char **argv);

/*
 * Checks the machine and writes what was found: a table, or JSON. Returns 0, or 1 if tracing is
 * impossible.
 */
int doctor_command__check(FILE *out, bool json);

/*
 * Writes how the functions of the libraries are probed. Returns 0, or 1 if one could not be read,
 * which is logged.
 */
int doctor_command__probes(FILE *out, struct installed *libraries, bool json);

#endif
