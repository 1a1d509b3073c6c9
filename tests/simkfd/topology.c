/* SPDX-License-Identifier: MIT */
/*
 * The sysfs files that describe the machine: node 0 is the CPU, node N is GPU N-1.
 *
 * One folder for each configuration, under $TMPDIR, made when first needed, complete before it gets
 * its name and shared by all processes: so there is nothing to clean up after a crash.
 *
 * The values are those that the runtime checks or computes with; the others are left out.
 *
 * The CPU's caches are played, too: the thunk takes no CPU without caches in sysfs, as in some
 * virtual machines.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "tests/simkfd/simkfd.h"

#define FORMAT	    6 /* counts up when the files change */
#define CPU_NODE    "/sys/devices/system/node/node0"
#define FOLDER_MAX  256
#define VENDOR_AMD  4098
#define SIMD_PER_CU 4

/* Bits of `capability`. */
#define CAP_WATCHPOINTS	   (1u << 7 | 2u << 8) /* four of them */
#define CAP_DOORBELL_SOC15 (2u << 12)
#define CAP_SVM		   (1u << 27)

#define LINK_PCIE	     2
#define LINK_WEIGHT_HOST     20
#define LINK_WEIGHT_PEER     40
#define HEAP_SYSTEM	     0
#define HEAP_VRAM_PUBLIC     1 /* the CPU can address it: large BAR */
#define HEAP_VRAM_PRIVATE    2
#define SIMD_ID_BASE	     0x80001000u
#define PCI_LOCATION(gpu)    (0x300u + (gpu)*0x100u)
#define CACHE_PROCESSOR(gpu) (SIMD_ID_BASE + (gpu)*0x100u)

static char folder[FOLDER_MAX]; /* empty until it exists */

/* Creates the folders above the last component of `path`. */
static void make_parents(char *path)
{
	char *slash;

	for (slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0755);
		*slash = '/';
	}
}

static FILE *create(const char *base, const char *name)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", base, name);
	make_parents(path);
	f = fopen(path, "w");
	if (!f)
		sim__log(0, "topology, %s: %s", path, strerror(errno));
	return f;
}

__attribute__((format(printf, 3, 4))) static void put(const char *base, const char *name,
						      const char *format, ...)
{
	FILE *f = create(base, name);
	va_list args;

	if (!f)
		return;
	va_start(args, format);
	vfprintf(f, format, args);
	va_end(args);
	fclose(f);
}

/* An empty folder `name` in a node. */
static void put_folder(const char *base, int node, const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/nodes/%d/%s/", base, node, name);
	make_parents(path);
}

static FILE *create_in_node(const char *base, int node, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "nodes/%d/%s", node, name);
	return create(base, path);
}

static void put_link(const char *base, const char *kind, int index, int from, int to, int weight)
{
	char name[64];
	FILE *f;

	snprintf(name, sizeof(name), "%s/%d/properties", kind, index);
	f = create_in_node(base, from, name);
	if (!f)
		return;
	/* flags 1: enabled; without the NoAtomics bits, so copy engines decrement signals */
	fprintf(f,
		"type %d\nversion_major 0\nversion_minor 0\nnode_from %d\nnode_to %d\nweight %d\n"
		"min_latency 0\nmax_latency 0\nmin_bandwidth 312\nmax_bandwidth 31504\n"
		"recommended_transfer_size 0\nrecommended_sdma_engine_id_mask 0\nflags 1\n",
		LINK_PCIE, from, to, weight);
	fclose(f);
}

static void put_bank(const char *base, int node, int heap, uint64_t size, int width, int clock)
{
	FILE *f = create_in_node(base, node, "mem_banks/0/properties");

	if (!f)
		return;
	fprintf(f, "heap_type %d\nsize_in_bytes %llu\nflags 0\nwidth %d\nmem_clk_max %d\n", heap,
		(unsigned long long)size, width, clock);
	fclose(f);
}

static void put_cache(const char *base, int gpu, int level, int size_kb, int line, int ways)
{
	char name[64];
	FILE *f;

	snprintf(name, sizeof(name), "caches/%d/properties", level - 1);
	f = create_in_node(base, gpu + 1, name);
	if (!f)
		return;
	fprintf(f,
		"processor_id_low %u\nlevel %d\nsize %d\ncache_line_size %d\n"
		"cache_lines_per_tag 1\nassociation %d\nlatency 1\ntype 9\nsibling_map 1,1,1,1\n",
		CACHE_PROCESSOR(gpu), level, size_kb, line, ways);
	fclose(f);
}

static void put_cpu_properties(FILE *f)
{
	fprintf(f,
		"cpu_cores_count %d\nsimd_count 0\nmem_banks_count 1\ncaches_count 0\n"
		"io_links_count %d\np2p_links_count 0\ncpu_core_id_base 0\nsimd_id_base 0\n"
		"max_waves_per_simd 0\nlds_size_in_kb 0\ngds_size_in_kb 0\nnum_gws 0\n"
		"wave_front_size 0\narray_count 0\nsimd_arrays_per_engine 0\ncu_per_simd_array 0\n"
		"simd_per_cu 0\nmax_slots_scratch_cu 0\ngfx_target_version 0\nvendor_id 0\n"
		"device_id 0\nlocation_id 0\ndomain 0\ndrm_render_minor 0\nhive_id 0\n"
		"num_sdma_engines 0\nnum_sdma_xgmi_engines 0\nnum_sdma_queues_per_engine 0\n"
		"num_cp_queues 0\nmax_engine_clk_ccompute 2000\n",
		get_nprocs(), config.large_bar ? config.gpus : 0);
}

/* As in CPU_NODE. */
static void put_cpu_cache(const char *base, int cpu, int index, int level, int size_kb)
{
	const struct {
		const char *name;
		int value;
	} numbers[] = {
		{"level", level},
		{"coherency_line_size", 64},
		{"ways_of_associativity", 8},
		{"physical_line_partition", 1},
		{"shared_cpu_list", cpu},
	};
	char name[96];
	size_t i;

	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		snprintf(name, sizeof(name), "node0/cpu%d/cache/index%d/%s", cpu, index,
			 numbers[i].name);
		put(base, name, "%d\n", numbers[i].value);
	}
	snprintf(name, sizeof(name), "node0/cpu%d/cache/index%d/type", cpu, index);
	put(base, name, level == 1 ? "Data\n" : "Unified\n");
	snprintf(name, sizeof(name), "node0/cpu%d/cache/index%d/size", cpu, index);
	put(base, name, "%dK\n", size_kb);
	snprintf(name, sizeof(name), "node0/cpu%d/cache/index%d/shared_cpu_map", cpu, index);
	put(base, name, "%x\n", cpu < 32 ? 1u << cpu : 0);
}

/*
 * From a link from the CPU to a GPU the runtime concludes that the CPU can address VRAM. With a
 * small BAR there must be none, or HIP copies straight into memory that is not mapped.
 */
static void put_cpu(const char *base)
{
	struct sysinfo si;
	int gpu, cpu;
	FILE *f;

	put(base, "nodes/0/gpu_id", "0\n");
	put(base, "nodes/0/name", "\n");
	f = create_in_node(base, 0, "properties");
	if (f) {
		put_cpu_properties(f);
		fclose(f);
	}
	sysinfo(&si);
	put_bank(base, 0, HEAP_SYSTEM, (uint64_t)si.totalram * si.mem_unit, 64, 2400);
	put_folder(base, 0, "caches");
	put_folder(base, 0, "io_links");
	put_folder(base, 0, "p2p_links");
	for (cpu = 0; cpu < get_nprocs(); cpu++) {
		put_cpu_cache(base, cpu, 0, 1, 32);
		put_cpu_cache(base, cpu, 1, 2, 512);
	}
	for (gpu = 0; config.large_bar && gpu < config.gpus; gpu++)
		put_link(base, "io_links", gpu, 0, gpu + 1, LINK_WEIGHT_HOST);
}

static void put_gpu_properties(FILE *f, int gpu)
{
	const struct gpu_model *m = config.model;
	uint32_t capability = CAP_WATCHPOINTS | CAP_DOORBELL_SOC15 | (config.svm ? CAP_SVM : 0);

	fprintf(f,
		"cpu_cores_count 0\nsimd_count %u\nmem_banks_count 1\ncaches_count 2\n"
		"io_links_count 1\np2p_links_count %d\ncpu_core_id_base 0\nsimd_id_base %u\n"
		"max_waves_per_simd %u\nlds_size_in_kb 64\ngds_size_in_kb 0\nnum_gws 64\n"
		"wave_front_size 64\narray_count %u\nsimd_arrays_per_engine 1\n"
		"cu_per_simd_array %u\nsimd_per_cu %d\nmax_slots_scratch_cu 32\n",
		m->compute_units * SIMD_PER_CU, config.gpus - 1, CACHE_PROCESSOR(gpu),
		m->waves_per_simd, m->arrays, (m->compute_units + m->arrays - 1) / m->arrays,
		SIMD_PER_CU);
	fprintf(f,
		"gfx_target_version %u\nvendor_id %d\ndevice_id %u\nlocation_id %u\ndomain 0\n"
		"drm_render_minor %d\nhive_id 0\nnum_sdma_engines 2\nnum_sdma_xgmi_engines 0\n"
		"num_sdma_queues_per_engine 8\nnum_cp_queues 24\nmax_engine_clk_fcompute 1725\n"
		"local_mem_size 0\nfw_version 472\ncapability %u\ndebug_prop 1495\n"
		"sdma_fw_version 432\nunique_id %llu\nnum_xcc 1\nmax_engine_clk_ccompute 2000\n",
		m->version, VENDOR_AMD, m->device_id, PCI_LOCATION(gpu), RENDER_MINOR + gpu,
		capability, 0x51517bd700000000ULL + gpu);
}

static void put_gpu(const char *base, int gpu)
{
	int node = gpu + 1, peer, index = 0;
	char name[64];
	FILE *f;

	snprintf(name, sizeof(name), "nodes/%d/gpu_id", node);
	put(base, name, "%u\n", GPU_ID + gpu);
	snprintf(name, sizeof(name), "nodes/%d/name", node);
	put(base, name, "%s\n", config.model->codename);
	f = create_in_node(base, node, "properties");
	if (f) {
		put_gpu_properties(f, gpu);
		fclose(f);
	}
	put_bank(base, node, config.large_bar ? HEAP_VRAM_PUBLIC : HEAP_VRAM_PRIVATE, config.vram,
		 4096, 1000);
	put_cache(base, gpu, 1, 16, 64, 1);
	put_cache(base, gpu, 2, 4096, 128, 16);
	put_link(base, "io_links", 0, node, 0, LINK_WEIGHT_HOST);
	put_folder(base, node, "p2p_links");
	for (peer = 0; peer < config.gpus; peer++)
		if (peer != gpu)
			put_link(base, "p2p_links", index++, node, peer + 1, LINK_WEIGHT_PEER);
}

static void put_all(const char *base)
{
	int gpu;

	put(base, "generation_id", "2\n");
	put(base, "system_properties",
	    "platform_oem 73981198453057\nplatform_id 2147483648\nplatform_rev 2\n");
	put(base, "module/initstate", "live\n"); /* rocminfo asks whether the driver is there */
	put_cpu(base);
	for (gpu = 0; gpu < config.gpus; gpu++)
		put_gpu(base, gpu);
}

static void remove_tree(const char *path)
{
	DIR *dir = opendir(path);
	char inner[PATH_MAX];
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		snprintf(inner, sizeof(inner), "%s/%s", path, e->d_name);
		if (unlink(inner))
			remove_tree(inner);
	}
	if (dir)
		closedir(dir);
	rmdir(path);
}

static uint32_t configuration_hash(void)
{
	const uint64_t values[] = {
		config.gpus, config.model->version, config.vram, config.large_bar,
		config.svm,  get_nprocs(),	    FORMAT,
	};
	uint32_t hash = 2166136261u;
	size_t i;

	for (i = 0; i < sizeof(values); i++)
		hash = (hash ^ ((const uint8_t *)values)[i]) * 16777619u;
	return hash;
}

/*
 * Another process may make it too: the process that renames second finds the folder full and
 * yields.
 */
static void make_folder(void)
{
	const char *tmp = getenv("TMPDIR");
	char work[FOLDER_MAX];
	struct stat st;

	if (!tmp || !*tmp)
		tmp = "/tmp";
	snprintf(folder, sizeof(folder), "%s/simkfd-topology.%u.%08x", tmp, (unsigned int)getuid(),
		 configuration_hash());
	if (!stat(folder, &st))
		return;
	snprintf(work, sizeof(work), "%s/simkfd-topology.XXXXXX", tmp);
	if (!mkdtemp(work)) {
		sim__log(0, "topology, %s: %s", work, strerror(errno));
		return;
	}
	chmod(work, 0755);
	put_all(work);
	if (rename(work, folder))
		remove_tree(work);
}

/* Of the CPUs' node, the CPUs and what is below them are played; the rest is libnuma's. */
static bool is_elsewhere(const char *path)
{
	size_t len = strlen(CPU_NODE);

	return !strncmp(path, CPU_NODE, len) && path[len] &&
	       (strncmp(path + len, "/cpu", 4) || !isdigit((unsigned char)path[len + 4]));
}

const char *topology__redirect(const char *path, char *buffer, size_t size)
{
	static const struct {
		const char *path, *in_folder;
	} places[] = {
		{"/sys/devices/virtual/kfd/kfd/topology", ""},
		{"/sys/class/kfd/kfd/topology", ""},
		{"/sys/module/amdgpu", "/module"},
		{CPU_NODE, "/node0"},
	};
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	size_t i, len;

	if (!path || strncmp(path, "/sys/", 5) || is_elsewhere(path))
		return NULL;
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		len = strlen(places[i].path);
		if (strncmp(path, places[i].path, len))
			continue;
		process__start();
		pthread_once(&once, make_folder);
		snprintf(buffer, size, "%s%s%s", folder, places[i].in_folder, path + len);
		return buffer;
	}
	return NULL;
}
