/* SPDX-License-Identifier: MIT */
/*
 * What rocprofv3 calls the things that are in a trace, for the formats that are its own (CSV,
 * rocpd). NULL: it does not know them.
 */
#ifndef RTRACE_FORMATS_ROCPROF_NAMES_H
#define RTRACE_FORMATS_ROCPROF_NAMES_H

#include "user/output/sink.h"

/* Of a call: "HIP_RUNTIME_API_EXT", "HSA_CORE_API", "MARKER_CONTROL_API". */
const char *rocprof__call_kind(const struct event *ev);

/* Of ranges and marks: the kind, and the operation ("roctxThreadRangeA"). */
#define ROCPROF_RANGE_KIND "MARKER_CORE_RANGE_API"
const char *rocprof__range_operation(const struct event *ev);

/* "MEMORY_COPY_HOST_TO_DEVICE" */
const char *rocprof__copy_operation(enum copy_dir dir);

/* "MEMORY_ALLOCATION_ALLOCATE", "SCRATCH_MEMORY_FREE" */
const char *rocprof__resource_operation(enum resource_what what);

/* What is known of a device. */
struct rocprof_agent {
	uint32_t node, gpu_id; /* the driver's numbers of it */
	uint32_t cu_count;
	uint32_t domain, location; /* PCI; bus, device and function are in one number */
	uint32_t gfx_version;	   /* 90006 */
	char name[64];		   /* "gfx906" */
	char product[96];	   /* "AMD Instinct MI50" */
};

/* From the texts that describe it. Fields missing there: 0, "", the node by its index. */
void rocprof__read_agent(struct rocprof_agent *a, const struct device_info *info);

/* The node of an unknown device: nodes of GPUs are taken to follow the node of one CPU. */
uint32_t rocprof__node(int32_t device);

#endif
