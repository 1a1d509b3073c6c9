/* SPDX-License-Identifier: MIT */
/*
 * Calls of ROC-TX, and the ranges that they make.
 */
#ifndef RTRACE_ROCPROFILER_SOURCES_MARKERS_H
#define RTRACE_ROCPROFILER_SOURCES_MARKERS_H

#define MARKER_TABLES 3

/*
 * The tables of functions that ROC-TX registers as "roctx": core, control, names. What is in them
 * is kept, and functions put there that trace it. Entries that a table is too small for, or has
 * not, stay as they are; of another such library the functions of the first one are called.
 */
void markers__set_tables(void **tables);

/* A context was started or stopped, or all tools are initialised: other operations may be wanted.
 */
void markers__services_changed(void);

#endif
