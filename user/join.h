/* SPDX-License-Identifier: MIT */
/*
 * rtrace-bpf merge: the recordings of many nodes, or of the tracers of one, as one recording.
 *
 * What can mean another thing elsewhere is told apart: process and thread numbers by node,
 * correlation IDs and those of ranges by recording (join.c). All times are those of one node's
 * CLOCK_BOOTTIME: of the one that has been up the longest, so that no time is before zero.
 */
#ifndef RTRACE_JOIN_H
#define RTRACE_JOIN_H

int join__main(int argc, char **argv);

#endif
