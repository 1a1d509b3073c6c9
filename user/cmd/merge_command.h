/* SPDX-License-Identifier: MIT */
/*
 * rtrace-bpf merge: the recordings of many nodes, or of the tracers of one, as one recording.
 *
 * Numbers that several recordings may use are kept distinct: process and thread numbers by node,
 * correlation IDs and those of ranges by recording (merge_command.c). All times are those of one
 * node's CLOCK_BOOTTIME: of the one that has been up the longest, so that no time is before zero.
 */
#ifndef RTRACE_CMD_MERGE_COMMAND_H
#define RTRACE_CMD_MERGE_COMMAND_H

int merge_command__main(int argc, char **argv);

#endif
