/* SPDX-License-Identifier: MIT */
/*
 * The tables of functions of the runtimes, for tools that put functions of their own into them.
 * Names are those of intercept_table.h of librocprofiler-sdk 1.0.
 */
#ifndef ROCPROFILER_SDK_INTERCEPT_TABLE_H
#define ROCPROFILER_SDK_INTERCEPT_TABLE_H

#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/*
 * Is given a library's tables, once when it has registered them. They are the library's and stay;
 * the tool keeps the functions that it replaces, and calls them: its own are called first, then
 * those of this library, then the runtime's. `lib_version` is 10000 major + 100 minor + patch,
 * `lib_instance` how often such a library was registered before. What a table is depends on `type`:
 * HsaApiTable, HipDispatchTable, HipCompilerDispatchTable, roctxCoreApiTable_t, ...
 */
ROCPROFILER_SDK_EXPERIMENTAL
typedef void (*rocprofiler_intercept_library_cb_t)(rocprofiler_intercept_table_t type,
						   uint64_t lib_version, uint64_t lib_instance,
						   void **tables, uint64_t num_tables,
						   void *user_data);

/* The table's name and its length, each if not NULL. The string stays. -> KIND_NOT_FOUND */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t rocprofiler_query_intercept_table_name(rocprofiler_intercept_table_t kind,
							    const char **name,
							    uint64_t *name_len) ROCPROFILER_API;

/*
 * `callback` is called for the tables in `libs`, rocprofiler_intercept_table_t or-ed, on the thread
 * that initialises the runtime; with 0, for all.
 *
 * HSA's table comes in any case. Those of HIP come of a HIP that was built with
 * rocprofiler-register; another one, as Debian has it, has no table that could be shown, though its
 * calls are traced. Where only HIP's tables are asked for and such a HIP is in the process already,
 * that is said; asked for with others they just do not come.
 * -> CONFIGURATION_LOCKED: tools have been initialised; INVALID_ARGUMENT: no such table;
 * NOT_IMPLEMENTED: only HIP's are asked for, and the HIP in the process has none.
 */
ROCPROFILER_SDK_EXPERIMENTAL
rocprofiler_status_t
rocprofiler_at_intercept_table_registration(rocprofiler_intercept_library_cb_t callback, int libs,
					    void *data) ROCPROFILER_API;

ROCPROFILER_EXTERN_C_FINI

#endif
