// SPDX-License-Identifier: MIT
/*
 * Agents as /sys/class/kfd has them: lines of a name and a number.
 */
#include "rocprofiler/agents/agent_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NODES	  "/sys/class/kfd/kfd/topology/nodes"
#define PATH_SIZE 160
#define FILE_SIZE 8192
#define WORKGROUP 1024 /* HSA's limits: work-items a workgroup, and below a grid */
#define MASK_FW	  0x3ff

struct property {
	const char *name;
	uint16_t offset, size; /* of the member; all are unsigned */
};

#define OF(type, name)                                                    \
	{                                                                 \
#name, offsetof(type, name), sizeof(((type *)NULL)->name) \
	}
#define AS(type, name, member)                                                \
	{                                                                     \
#name, offsetof(type, member), sizeof(((type *)NULL)->member) \
	}
#define AGENT(name) OF(rocprofiler_agent_t, name)
#define BANK(name)  OF(rocprofiler_agent_mem_bank_t, name)
#define CACHE(name) OF(rocprofiler_agent_cache_t, name)
#define LINK(name)  OF(rocprofiler_agent_io_link_t, name)
#define END                \
	{                  \
		NULL, 0, 0 \
	}

static const struct property agent_properties[] = {
	AGENT(cpu_cores_count),
	AGENT(simd_count),
	AGENT(mem_banks_count),
	AGENT(caches_count),
	AGENT(io_links_count),
	AGENT(cpu_core_id_base),
	AGENT(simd_id_base),
	AGENT(max_waves_per_simd),
	AGENT(lds_size_in_kb),
	AGENT(gds_size_in_kb),
	AGENT(num_gws),
	AGENT(wave_front_size),
	AGENT(num_xcc),
	AGENT(array_count),
	AGENT(simd_arrays_per_engine),
	AGENT(cu_per_simd_array),
	AGENT(simd_per_cu),
	AGENT(max_slots_scratch_cu),
	AGENT(gfx_target_version),
	AGENT(vendor_id),
	AGENT(device_id),
	AGENT(location_id),
	AGENT(domain),
	AGENT(drm_render_minor),
	AGENT(hive_id),
	AGENT(num_sdma_engines),
	AGENT(num_sdma_xgmi_engines),
	AGENT(num_sdma_queues_per_engine),
	AGENT(num_cp_queues),
	AGENT(max_engine_clk_ccompute),
	AGENT(max_engine_clk_fcompute),
	AGENT(local_mem_size),
	AS(rocprofiler_agent_t, fw_version, fw_version.Value),
	AS(rocprofiler_agent_t, capability, capability.Value),
	AS(rocprofiler_agent_t, sdma_fw_version, sdma_fw_version.Value),
	{"unique_id", offsetof(rocprofiler_agent_t, uuid), sizeof(uint64_t)},
	END,
};

static const struct property bank_properties[] = {
	BANK(heap_type),
	BANK(size_in_bytes),
	AS(rocprofiler_agent_mem_bank_t, flags, flags.MemoryProperty),
	BANK(width),
	BANK(mem_clk_max),
	END,
};

static const struct property cache_properties[] = {
	CACHE(processor_id_low),
	CACHE(level),
	CACHE(size),
	CACHE(cache_line_size),
	CACHE(cache_lines_per_tag),
	CACHE(association),
	CACHE(latency),
	AS(rocprofiler_agent_cache_t, type, type.Value),
	END,
};

static const struct property link_properties[] = {
	LINK(type),
	LINK(version_major),
	LINK(version_minor),
	LINK(node_from),
	LINK(node_to),
	LINK(weight),
	LINK(min_latency),
	LINK(max_latency),
	LINK(min_bandwidth),
	LINK(max_bandwidth),
	LINK(recommended_transfer_size),
	AS(rocprofiler_agent_io_link_t, flags, flags.LinkProperty),
	END,
};

/* ---- files ---- */

/* False: it cannot be read. */
static bool read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n, length = 0;

	if (fd < 0)
		return false;
	while ((n = read(fd, text + length, size - 1 - length)) > 0)
		length += n;
	close(fd);
	text[length] = '\0';
	return n >= 0;
}

/* A number that the member cannot hold is left out. */
static void set(void *object, const struct property *p, uint64_t value)
{
	if (p->size < sizeof(value) && value >> p->size * 8)
		return;
	memcpy((char *)object + p->offset, &value, p->size);
}

static void set_line(void *object, const struct property *properties, const char *line)
{
	uint64_t value;
	char name[64];

	if (sscanf(line, "%63s %" SCNu64, name, &value) != 2)
		return;
	for (const struct property *p = properties; p->name; p++)
		if (!strcmp(p->name, name))
			set(object, p, value);
}

/* False: there is nothing in it. */
static bool read_properties(const char *path, const struct property *properties, void *object)
{
	char text[FILE_SIZE], *rest = text, *line;

	if (!read_file(path, text, sizeof(text)) || !text[0])
		return false;
	while ((line = strsep(&rest, "\n")))
		set_line(object, properties, line);
	return true;
}

/* `count` objects of a node's part; NULL: none. They are kept. */
static void *read_parts(uint32_t node, const char *part, const struct property *properties,
			uint32_t count, size_t size)
{
	char *objects = count ? calloc(count, size) : NULL;
	char path[PATH_SIZE];

	for (uint32_t i = 0; objects && i < count; i++) {
		snprintf(path, sizeof(path), NODES "/%u/%s/%u/properties", node, part, i);
		read_properties(path, properties, objects + i * size);
	}
	return objects;
}

/* The text in a node's file, without what is empty around it. It is kept. */
static const char *read_text(uint32_t node, const char *name)
{
	char path[PATH_SIZE], text[256], *begin = text;
	const char *copy;
	size_t length;

	snprintf(path, sizeof(path), NODES "/%u/%s", node, name);
	if (!read_file(path, text, sizeof(text)))
		return "";
	begin += strspn(begin, " \t\n");
	for (length = strlen(begin); length && strchr(" \t\n", begin[length - 1]);)
		length--;
	copy = length ? strndup(begin, length) : NULL;
	return copy ? copy : "";
}

/* ---- CPUs ---- */

struct cpu {
	long apicid, family;
	char model[128];
};

static void set_cpu_line(struct cpu *cpu, char *line)
{
	char *value = strstr(line, ": ");

	if (!value)
		return;
	value += 2;
	value[strcspn(value, "\n")] = '\0';
	if (!strncmp(line, "apicid", 6))
		cpu->apicid = atol(value);
	else if (!strncmp(line, "cpu family", 10))
		cpu->family = atol(value);
	else if (!strncmp(line, "model name", 10))
		snprintf(cpu->model, sizeof(cpu->model), "%s", value);
}

/* The processor that is the agent's first. */
static bool find_cpu(uint32_t apicid, struct cpu *cpu)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[4096];
	bool found = false;

	if (!f)
		return false;
	*cpu = (struct cpu){.apicid = -1};
	while (!found && fgets(line, sizeof(line), f)) {
		if (line[0] != '\n') {
			set_cpu_line(cpu, line);
			continue;
		}
		found = cpu->apicid == apicid;
		if (!found)
			*cpu = (struct cpu){.apicid = -1};
	}
	fclose(f);
	return found;
}

static void complete_cpu(rocprofiler_agent_t *a)
{
	const char *name = NULL;
	struct cpu cpu;

	a->type = ROCPROFILER_AGENT_TYPE_CPU;
	a->cu_count = a->cpu_cores_count;
	a->vendor_name = "CPU";
	if (!find_cpu(a->cpu_core_id_base, &cpu))
		return;
	name = strdup(cpu.model);
	if (name)
		a->name = a->product_name = name;
	a->family_id = cpu.family;
}

/* ---- GPUs ---- */

static const char *make_name(uint32_t version)
{
	char name[32];
	const char *copy;

	snprintf(name, sizeof(name), "gfx%u%u%x", version / 10000 % 100, version / 100 % 100,
		 version % 100);
	copy = strdup(name);
	return copy ? copy : "";
}

static void complete_gpu(rocprofiler_agent_t *a)
{
	a->type = ROCPROFILER_AGENT_TYPE_GPU;
	a->name = make_name(a->gfx_target_version);
	a->vendor_name = "AMD";
	a->fw_version.Value &= MASK_FW;
	a->sdma_fw_version.Value &= MASK_FW;
	a->workgroup_max_size = WORKGROUP;
	a->workgroup_max_dim = (rocprofiler_dim3_t){WORKGROUP, WORKGROUP, WORKGROUP};
	a->grid_max_size = UINT32_MAX;
	a->grid_max_dim = (rocprofiler_dim3_t){INT32_MAX, UINT16_MAX, UINT16_MAX};
	if (a->simd_per_cu)
		a->cu_count = a->simd_count / a->simd_per_cu;
	agent_drm__read(a);
}

/* ---- both ---- */

static void compute(rocprofiler_agent_t *a)
{
	if (!a->num_xcc)
		a->num_xcc = 1;
	a->max_waves_per_cu = a->simd_per_cu * a->max_waves_per_simd;
	if (a->simd_arrays_per_engine)
		a->num_shader_banks = a->array_count / a->simd_arrays_per_engine;
	if (a->num_shader_banks && a->simd_per_cu)
		a->cu_per_engine = a->simd_count / a->simd_per_cu / a->num_shader_banks;
}

static void read_all_parts(uint32_t node, rocprofiler_agent_t *a)
{
	a->mem_banks = read_parts(node, "mem_banks", bank_properties, a->mem_banks_count,
				  sizeof(*a->mem_banks));
	a->caches =
		read_parts(node, "caches", cache_properties, a->caches_count, sizeof(*a->caches));
	a->io_links = read_parts(node, "io_links", link_properties, a->io_links_count,
				 sizeof(*a->io_links));
}

/* A part that there is no memory for is not there. */
static void count_parts(rocprofiler_agent_t *a)
{
	a->mem_banks_count = a->mem_banks ? a->mem_banks_count : 0;
	a->caches_count = a->caches ? a->caches_count : 0;
	a->io_links_count = a->io_links ? a->io_links_count : 0;
}

int agent_files__read(uint32_t node, rocprofiler_agent_t *a)
{
	char path[PATH_SIZE];
	DIR *dir;

	snprintf(path, sizeof(path), NODES "/%u", node);
	dir = opendir(path);
	if (!dir)
		return errno == EACCES ? EACCES : AGENT_NO_NODE;
	closedir(dir);
	*a = (rocprofiler_agent_t){
		.size = sizeof(*a),
		.node_id = node,
		.name = "",
		.vendor_name = "",
		.product_name = "",
	};
	snprintf(path, sizeof(path), NODES "/%u/properties", node);
	if (!read_properties(path, agent_properties, a))
		return ENOENT;
	a->model_name = read_text(node, "name");
	a->gpu_id = strtoull(read_text(node, "gpu_id"), NULL, 10);
	if (a->cpu_cores_count)
		complete_cpu(a);
	else if (a->simd_count)
		complete_gpu(a);
	compute(a);
	read_all_parts(node, a);
	count_parts(a);
	return 0;
}
