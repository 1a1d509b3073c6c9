/* SPDX-License-Identifier: MIT */
/*
 * HIP's two tables of functions, HipDispatchTable and HipCompilerDispatchTable, as a HIP that was
 * built with rocprofiler-register hands them in. What is in them is replaced by wrappers, by which
 * calls become operations with arguments and results; they are the one source for these calls then.
 *
 * Of a HIP that hands in none, wrappers of what compilers have called, but for the configuration of
 * launches, are put where programs are linked against these functions (results.c).
 */
#ifndef RTRACE_ROCPROFILER_SOURCES_HIP_TABLES_H
#define RTRACE_ROCPROFILER_SOURCES_HIP_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/hip/compiler_api_id.h>

/* What wrappers may call: functions of HIP_TABLES tables of different HIPs, and those exported. */
enum {
	HIP_TABLES = 2,
	HIP_EXPORTS = HIP_TABLES,
	HIP_INSTANCES,
};

/* Its size says what is in it; entries that are NULL, or that are not known, stay as they are. */
void hip_tables__set(rocprofiler_intercept_table_t type, void *table);

/* Has the table of the functions of this kind come? */
bool hip_tables__have(rocprofiler_callback_tracing_kind_t kind);

/* Wrappers go by what services want now. */
void hip_tables__services_changed(void);

/* What is to be in the place of HIP's function in what is linked against it; NULL: itself. */
void *hip_tables__wrap_export(const char *name, void *original);

/* ---- for host_functions.c ---- */

void *hip_tables__original(uint32_t instance, rocprofiler_hip_compiler_api_id_t function);

#endif
