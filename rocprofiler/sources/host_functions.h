/* SPDX-License-Identifier: MIT */
/*
 * Functions of programs that stand for kernels: what is launched by hipLaunchKernel(). Constructors
 * that the compiler makes register them with HIP, by __hipRegisterFunction().
 */
#ifndef RTRACE_ROCPROFILER_SOURCES_HOST_FUNCTIONS_H
#define RTRACE_ROCPROFILER_SOURCES_HOST_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <rocprofiler-sdk/callback_tracing.h>
#include <rocprofiler-sdk/hip/compiler_api_id.h>

typedef rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t
	host_function_data;

/*
 * The function that is registered for the kernel with this symbol ("name.kd"). The kernel's code
 * was loaded from memory at `code`; 0 if it was not. Kernel and code object are not filled in.
 * False: there is none. Of several functions with one name it is that of the fat binary with the
 * code. If no fat binary has the code, it is the first, as with librocprofiler-sdk 1.0.
 */
bool host_functions__find(const char *symbol, uint64_t code, host_function_data *data);

/* ---- for hip_tables.c ---- */

/* A wrapper that calls hip_tables__original()'s and records functions; NULL: none is needed. */
void *host_functions__around(uint32_t instance, rocprofiler_hip_compiler_api_id_t function);

#endif
