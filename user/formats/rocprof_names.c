// SPDX-License-Identifier: MIT
/*
 * The names that rocprofv3 has for calls, operations and devices.
 */
#include "user/formats/rocprof_names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* ---- calls and ranges ---- */

static const char *hsa_kind(const char *name)
{
	if (begins(name, "hsa_amd_"))
		return "HSA_AMD_EXT_API";
	if (begins(name, "hsa_ext_image_") || begins(name, "hsa_ext_sampler_"))
		return "HSA_IMAGE_EXT_API";
	if (begins(name, "hsa_ext_program_"))
		return "HSA_FINALIZE_EXT_API";
	return "HSA_CORE_API";
}

/* NULL: the call makes ranges or marks, and is reported as those. */
static const char *roctx_kind(const char *name)
{
	if (begins(name, "roctxProfiler"))
		return "MARKER_CONTROL_API";
	if (begins(name, "roctxName"))
		return "MARKER_NAME_API";
	return strcmp(name, "roctxGetThreadId") ? NULL : ROCPROF_RANGE_KIND;
}

const char *rocprof__call_kind(const struct event *ev)
{
	const char *name = event__name(ev);

	switch (ev->domain) {
	case DOMAIN_HIP:
		return begins(name, "__hip") ? "HIP_COMPILER_API_EXT" : "HIP_RUNTIME_API_EXT";
	case DOMAIN_HSA:
		return hsa_kind(name);
	case DOMAIN_ROCTX:
		return roctx_kind(name);
	default:
		return NULL;
	}
}

const char *rocprof__range_operation(const struct event *ev)
{
	if (ev->kind == EV_MARK)
		return "roctxMarkA";
	return ev->flags & EV_F_PROCESS ? "roctxProcessRangeA" : "roctxThreadRangeA";
}

/* ---- operations ---- */

const char *rocprof__copy_operation(enum copy_dir dir)
{
	switch (dir) {
	case COPY_H2D:
		return "MEMORY_COPY_HOST_TO_DEVICE";
	case COPY_D2H:
		return "MEMORY_COPY_DEVICE_TO_HOST";
	case COPY_D2D:
		return "MEMORY_COPY_DEVICE_TO_DEVICE";
	case COPY_H2H:
		return "MEMORY_COPY_HOST_TO_HOST";
	default:
		return "MEMORY_COPY_NONE";
	}
}

const char *rocprof__resource_operation(enum resource_what what)
{
	switch (what) {
	case RESOURCE_ALLOC:
		return "MEMORY_ALLOCATION_ALLOCATE";
	case RESOURCE_FREE:
		return "MEMORY_ALLOCATION_FREE";
	case RESOURCE_VMEM_CREATE:
		return "MEMORY_ALLOCATION_VMEM_ALLOCATE";
	case RESOURCE_VMEM_RELEASE:
		return "MEMORY_ALLOCATION_VMEM_FREE";
	case RESOURCE_SCRATCH_ALLOC:
		return "SCRATCH_MEMORY_ALLOC";
	case RESOURCE_SCRATCH_FREE:
		return "SCRATCH_MEMORY_FREE";
	case RESOURCE_SCRATCH_RECLAIM:
		return "SCRATCH_MEMORY_ASYNC_RECLAIM";
	default:
		return NULL;
	}
}

/* ---- devices ---- */

uint32_t rocprof__node(int32_t device)
{
	return device < 0 ? 0 : (uint32_t)device + 1;
}

/* "gfx90a": 9, 0 and a; all but the last two digits are the major version. */
static uint32_t gfx_version(const char *name)
{
	const char *digits = name + 3;
	size_t len = strspn(digits, "0123456789abcdef");
	char minor[2] = {}, step[2] = {}, major[4] = {};

	if (!begins(name, "gfx") || len < 3 || len > 5)
		return 0;
	memcpy(major, digits, len - 2);
	minor[0] = digits[len - 2];
	step[0] = digits[len - 1];
	return strtoul(major, NULL, 10) * 10000 + strtoul(minor, NULL, 16) * 100 +
	       strtoul(step, NULL, 16);
}

/* "gfx906 AMD Instinct MI50" */
static void read_name(struct rocprof_agent *a, const char *text)
{
	size_t len = strcspn(text, " ");

	snprintf(a->name, sizeof(a->name), "%.*s", (int)len, text);
	snprintf(a->product, sizeof(a->product), "%s", text + len + (text[len] == ' '));
	a->gfx_version = gfx_version(a->name);
}

/* One of "60 CUs", "PCI 0000:03:00.0", "node 1", "gpu_id 5", and others. */
static void read_detail(struct rocprof_agent *a, const char *text)
{
	unsigned int domain, bus, device, function, value;

	if (sscanf(text, "PCI %x:%x:%x.%x", &domain, &bus, &device, &function) == 4) {
		a->domain = domain;
		a->location = (bus & 0xff) << 8 | (device & 0x1f) << 3 | (function & 7);
	} else if (sscanf(text, "node %u", &value) == 1) {
		a->node = value;
	} else if (sscanf(text, "gpu_id %u", &value) == 1) {
		a->gpu_id = value;
	} else if (isdigit((unsigned char)*text) && sscanf(text, "%u CUs", &value) == 1) {
		a->cu_count = value;
	}
}

void rocprof__read_agent(struct rocprof_agent *a, const struct device_info *info)
{
	const char *at = info->details;

	*a = (struct rocprof_agent){.node = rocprof__node(info->device)};
	if (!at)
		return;
	read_name(a, info->name ? info->name : "");
	while (*at) {
		read_detail(a, at);
		at += strcspn(at, ",");
		at += strspn(at, ", ");
	}
}
