/* SPDX-License-Identifier: MIT */
/*
 * For the tests of sinks that make files of their own: a folder for one run of a test program.
 */
#ifndef RTRACE_TESTS_SCRATCH_FOLDER_H
#define RTRACE_TESTS_SCRATCH_FOLDER_H

/* The folder's path, once it is made. */
const char *scratch_folder__path(void);

/* For cmocka: makes the folder; removes it with all that is in it; removes it if it is empty. */
int scratch_folder__make(void **state);
int scratch_folder__remove(void **state);
int scratch_folder__remove_empty(void **state);

/* Asserts that the shell command succeeds in the folder and prints `want`, of 4095 bytes at most.
 */
void scratch_folder__prints(const char *command, const char *want);

#endif
