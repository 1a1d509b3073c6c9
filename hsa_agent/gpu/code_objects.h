/* SPDX-License-Identifier: MIT */
/*
 * Code objects, for kernel_hooks.c: see code_objects.c.
 */
#ifndef RTRACE_HSA_AGENT_GPU_CODE_OBJECTS_H
#define RTRACE_HSA_AGENT_GPU_CODE_OBJECTS_H

#include "hsa_agent/core/agent_internal.h"
#include "inprocess/kernel_descriptor.h"

struct code;

/* Looks for the runtime's loader; without it no code object is known. */
void code_objects__init(void);
void code_objects__forked(void);

/* The executable has been frozen: writes its code objects to the meta log. */
void code_objects__loaded(hsa_executable_t executable);

/* Records that; its kernels are known now. `begin`: when the freezing began. */
void code_objects__tell_loaded(hsa_executable_t executable, uint64_t begin);

/* The code object that a kernel is in, which counts it; 0 unknown. */
uint32_t code_objects__of_kernel(uint64_t kernel_object);

/* Copies the kernel's descriptor, DESCRIPTOR_SIZE bytes. False: it cannot be read. */
bool code_objects__descriptor(uint64_t kernel_object, void *descriptor);

/*
 * Takes an executable's code objects off the list before it is destroyed, as the next one may get
 * its handle. They are to be given to one of the functions that follow; NULL is fine.
 */
struct code *code_objects__take(hsa_executable_t executable);
struct code *code_objects__take_all(void);
void code_objects__unloaded(struct code *taken, uint64_t begin);
void code_objects__put_back(struct code *taken);

#endif
