/* SPDX-License-Identifier: MIT */
/*
 * Functions of programs that stand for kernels: what is launched by hipLaunchKernel(). Constructors
 * that the compiler makes register them with HIP, by __hipRegisterFunction().
 */
#ifndef RTRACE_ROCPROFILER_HOST_FUNCTIONS_H
#define RTRACE_ROCPROFILER_HOST_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <rocprofiler-sdk/callback_tracing.h>
#include <rocprofiler-sdk/hip/compiler_api_id.h>

typedef rocprofiler_callback_tracing_code_object_host_kernel_symbol_register_data_t
	host_function_data;

/*
 * The function that is registered for a kernel, whose symbol is given ("name.kd"), and whose code
 * was loaded from memory at `code`, 0 if it was not; kernel and code object are not filled in.
 * False: there is none. Of several of one name it is the one whose fat binary has the code; where
 * none has it, the first, as with librocprofiler-sdk 1.0.
 */
bool host_functions__find(const char *symbol, uint64_t code, host_function_data *data);

/* ---- for hip_tables.c ---- */

/* What calls that one of hip_tables__original() and hears of functions by it; NULL: it need not. */
void *host_functions__around(uint32_t instance, rocprofiler_hip_compiler_api_id_t function);

#endif
