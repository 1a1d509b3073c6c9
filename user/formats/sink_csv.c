// SPDX-License-Identifier: MIT
/*
 * The CSV sink: the files that rocprofv3 writes, with its names and columns; see csv.md.
 *
 * Rows of the traces are written as events come; of the statistics and of the devices at the end.
 * All files are made at the begin, so that a file that cannot be made is reported then. Files that
 * got no row are removed at the end.
 */
#define HASH_NONFATAL_OOM 1
#include "user/output/sink.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "user/base/csv_writer.h"
#include "user/formats/csv_statistics.h"
#include "common/hash.h"
#include "user/base/output_file.h"
#include "user/formats/rocprof_names.h"

#define LDS_BLOCK 512 /* LDS is reported in blocks of that size */

/* What has a trace and statistics. */
enum domain { HIP, HSA, MARKER, KERNELS, COPIES, MEMORY, SCRATCH, DOMAINS };

enum { AGENT_INFO = 2 * DOMAINS, DOMAIN_STATS, FILES };

#define API_HEADER \
	"Domain Function Process_Id Thread_Id Correlation_Id Start_Timestamp End_Timestamp"

/* A domain's trace is the file of the domain's number n, its statistics the file n + DOMAINS. */
static const struct {
	const char *name, *header;
} files[FILES] = {
	[HIP] = {"hip_api_trace", API_HEADER},
	[HSA] = {"hsa_api_trace", API_HEADER},
	[MARKER] = {"marker_api_trace", API_HEADER},
	[KERNELS] = {"kernel_trace",
		     "Kind Agent_Id Queue_Id Stream_Id Thread_Id Dispatch_Id Kernel_Id Kernel_Name "
		     "Correlation_Id Start_Timestamp End_Timestamp LDS_Block_Size Scratch_Size "
		     "VGPR_Count Accum_VGPR_Count SGPR_Count Workgroup_Size_X Workgroup_Size_Y "
		     "Workgroup_Size_Z Grid_Size_X Grid_Size_Y Grid_Size_Z"},
	[COPIES] = {"memory_copy_trace",
		    "Kind Direction Stream_Id Source_Agent_Id Destination_Agent_Id Correlation_Id "
		    "Start_Timestamp End_Timestamp"},
	[MEMORY] = {"memory_allocation_trace",
		    "Kind Operation Agent_Id Allocation_Size Address Correlation_Id "
		    "Start_Timestamp End_Timestamp"},
	[SCRATCH] = {"scratch_memory_trace",
		     "Kind Operation Agent_Id Queue_Id Thread_Id Alloc_Flags Start_Timestamp "
		     "End_Timestamp Allocation_Size"},
	[DOMAINS + HIP] = {"hip_api_stats", CSV_STATS_HEADER},
	[DOMAINS + HSA] = {"hsa_api_stats", CSV_STATS_HEADER},
	[DOMAINS + MARKER] = {"marker_api_stats", CSV_STATS_HEADER},
	[DOMAINS + KERNELS] = {"kernel_stats", CSV_STATS_HEADER},
	[DOMAINS + COPIES] = {"memory_copy_stats", CSV_STATS_HEADER},
	[DOMAINS + MEMORY] = {"memory_allocation_stats", CSV_STATS_HEADER},
	[DOMAINS + SCRATCH] = {"scratch_memory_stats", CSV_STATS_HEADER},
	[AGENT_INFO] = {"agent_info",
			"Node_Id Logical_Node_Id Agent_Type Cpu_Cores_Count Simd_Count "
			"Cpu_Core_Id_Base Simd_Id_Base Max_Waves_Per_Simd Lds_Size_In_Kb "
			"Gds_Size_In_Kb Num_Gws Wave_Front_Size Num_Xcc Cu_Count Array_Count "
			"Num_Shader_Banks Simd_Arrays_Per_Engine Cu_Per_Simd_Array Simd_Per_Cu "
			"Max_Slots_Scratch_Cu Gfx_Target_Version Vendor_Id Device_Id Location_Id "
			"Domain Drm_Render_Minor Num_Sdma_Engines Num_Sdma_Xgmi_Engines "
			"Num_Sdma_Queues_Per_Engine Num_Cp_Queues Max_Engine_Clk_Ccompute "
			"Max_Engine_Clk_Fcompute Sdma_Fw_Version Fw_Version Capability "
			"Cu_Per_Engine Max_Waves_Per_Cu Family_Id Workgroup_Max_Size Grid_Max_Size "
			"Local_Mem_Size Hive_Id Gpu_Id Workgroup_Max_Dim_X Workgroup_Max_Dim_Y "
			"Workgroup_Max_Dim_Z Grid_Max_Dim_X Grid_Max_Dim_Y Grid_Max_Dim_Z Name "
			"Vendor_Name Product_Name Model_Name"},
	[DOMAIN_STATS] = {"domain_stats", CSV_STATS_HEADER},
};

/* In the domain statistics. */
static const char *const domain_names[DOMAINS] = {
	[HIP] = "HIP_API",
	[HSA] = "HSA_API",
	[MARKER] = "MARKER_API",
	[KERNELS] = "KERNEL_DISPATCH",
	[COPIES] = "MEMORY_COPY",
	[MEMORY] = "MEMORY_ALLOCATION",
	[SCRATCH] = "SCRATCH_MEMORY",
};

struct file {
	char *path;
	FILE *out;
	bool begun; /* its header is written */
};

/* A device of a process. */
struct device {
	struct device_key {
		uint32_t pid;
		int32_t device;
	} key;
	struct rocprof_agent agent;
	UT_hash_handle hh;
};

struct csv {
	struct sink sink;
	struct file files[FILES];
	struct csv_stats stats[DOMAINS];
	struct device *devices;
	struct textbuf row;
};

/* ---- files ---- */

static void check(struct csv *c, int err)
{
	if (err)
		sink__fail(&c->sink, err);
}

static FILE *to_file(struct csv *c, int which)
{
	struct file *f = &c->files[which];

	if (!f->begun)
		check(c, csv_writer__header(&c->row, f->out, files[which].header));
	f->begun = true;
	return f->out;
}

static void end_row(struct csv *c, FILE *out)
{
	check(c, csv_writer__end(&c->row, out));
}

static int open_file(struct file *f, const char *base, const char *name)
{
	if (asprintf(&f->path, "%s_%s.csv", base, name) < 0) {
		f->path = NULL;
		return -ENOMEM;
	}
	f->out = output_file__open(f->path);
	return f->out ? 0 : -errno;
}

static int close_file(struct file *f, bool keep)
{
	bool failed = f->out && ferror(f->out);
	int err = 0;

	errno = 0;
	if (f->out && fclose(f->out))
		failed = true;
	if (failed)
		err = errno ? -errno : -EIO;
	if (f->out && !(keep && f->begun))
		output_file__remove(f->path);
	free(f->path);
	return err;
}

/* ---- devices ---- */

static uint32_t node_of(const struct csv *c, uint32_t pid, int32_t device)
{
	struct device_key key = {pid, device};
	struct device *d;

	HASH_FIND(hh, c->devices, &key, sizeof(key), d);
	return d ? d->agent.node : rocprof__node(device);
}

static void put_agent(struct csv *c, uint32_t pid, int32_t device)
{
	char text[32];

	snprintf(text, sizeof(text), "Agent %" PRIu32, node_of(c, pid, device));
	csv_writer__text(&c->row, device == DEVICE_UNKNOWN ? "" : text);
}

static struct device *add_device(struct csv *c, const struct device_info *info)
{
	struct device_key key = {info->pid, info->device};
	struct device *d;

	HASH_FIND_OR_ADD(c->devices, key, key, d);
	return d;
}

static void csv_device(struct sink *sink, const struct device_info *info)
{
	struct csv *c = (struct csv *)sink;
	struct device *d;

	if (!info->details) /* a name that the user has given: there is no column for it */
		return;
	d = add_device(c, info);
	if (d)
		rocprof__read_agent(&d->agent, info);
	else
		check(c, -ENOMEM);
}

/* Numbers that only the driver's topology knows. */
static void put_unknown(struct csv *c, int columns)
{
	while (columns--)
		csv_writer__uint(&c->row, 0);
}

static void put_device(struct csv *c, const struct rocprof_agent *a)
{
	FILE *out = to_file(c, AGENT_INFO);

	csv_writer__uint(&c->row, a->node);
	csv_writer__uint(&c->row, a->node);
	csv_writer__text(&c->row, "GPU");
	put_unknown(c, 10);
	csv_writer__uint(&c->row, a->cu_count);
	put_unknown(c, 6);
	csv_writer__uint(&c->row, a->gfx_version);
	put_unknown(c, 2);
	csv_writer__uint(&c->row, a->location);
	csv_writer__uint(&c->row, a->domain);
	put_unknown(c, 17);
	csv_writer__uint(&c->row, a->gpu_id);
	put_unknown(c, 6);
	csv_writer__text(&c->row, a->name);
	csv_writer__text(&c->row, "AMD");
	csv_writer__text(&c->row, a->product);
	csv_writer__text(&c->row, "");
	end_row(c, out);
}

static int by_node(struct device *a, struct device *b)
{
	if (a->agent.node != b->agent.node)
		return a->agent.node < b->agent.node ? -1 : 1;
	return memcmp(&a->agent, &b->agent, sizeof(a->agent));
}

/* Processes that see the same device describe it in the same way: one row. */
static void put_devices(struct csv *c)
{
	const struct device *last = NULL;
	struct device *d, *next;

	HASH_SORT(c->devices, by_node);
	HASH_ITER (hh, c->devices, d, next) {
		if (!last || memcmp(&last->agent, &d->agent, sizeof(d->agent)))
			put_device(c, &d->agent);
		last = d;
	}
}

/* ---- events ---- */

static void count(struct csv *c, enum domain domain, const char *name, const struct event *ev)
{
	check(c, csv_statistics__add(&c->stats[domain], name, ev->end - ev->begin));
}

static void put_times(struct csv *c, const struct event *ev)
{
	csv_writer__uint(&c->row, ev->begin);
	csv_writer__uint(&c->row, ev->end);
}

static void put_api(struct csv *c, enum domain domain, const char *kind, uint64_t corr,
		    const struct event *ev)
{
	FILE *out = to_file(c, domain);

	csv_writer__text(&c->row, kind);
	csv_writer__text(&c->row, event__name(ev));
	csv_writer__uint(&c->row, ev->pid);
	csv_writer__uint(&c->row, ev->tid);
	csv_writer__uint(&c->row, corr);
	put_times(c, ev);
	end_row(c, out);
	count(c, domain, event__name(ev), ev);
}

static void put_call(struct csv *c, const struct event *ev)
{
	const char *kind = rocprof__call_kind(ev);

	if (!kind)
		return;
	put_api(c,
		ev->domain == DOMAIN_HIP   ? HIP
		: ev->domain == DOMAIN_HSA ? HSA
					   : MARKER,
		kind, ev->corr, ev);
}

static uint32_t stream_of(const struct gpu_info *gpu)
{
	return gpu->stream == STREAM_NONE ? 0 : gpu->stream;
}

static void put_kernel(struct csv *c, const struct event *ev)
{
	const struct gpu_info *gpu = &ev->gpu;
	FILE *out = to_file(c, KERNELS);

	csv_writer__text(&c->row, "KERNEL_DISPATCH");
	put_agent(c, ev->pid, gpu->device);
	csv_writer__uint(&c->row, gpu->queue);
	csv_writer__uint(&c->row, stream_of(gpu));
	csv_writer__uint(&c->row, ev->tid);
	csv_writer__uint(&c->row, gpu->op);
	csv_writer__uint(&c->row, gpu->kernel);
	csv_writer__text(&c->row, event__name(ev));
	csv_writer__uint(&c->row, ev->corr);
	put_times(c, ev);
	csv_writer__uint(&c->row, ((uint64_t)gpu->lds + LDS_BLOCK - 1) / LDS_BLOCK * LDS_BLOCK);
	csv_writer__uint(&c->row, gpu->scratch);
	csv_writer__uint(&c->row, gpu->vgprs);
	csv_writer__uint(&c->row, gpu->accum_vgprs);
	csv_writer__uint(&c->row, gpu->sgprs);
	for (int i = 0; i < 3; i++)
		csv_writer__uint(&c->row, gpu->workgroup[i]);
	for (int i = 0; i < 3; i++)
		csv_writer__uint(&c->row, gpu->grid[i]);
	end_row(c, out);
	count(c, KERNELS, event__name(ev), ev);
}

static void put_copy(struct csv *c, const struct event *ev)
{
	const char *operation = rocprof__copy_operation(ev->gpu.dir);
	FILE *out = to_file(c, COPIES);

	csv_writer__text(&c->row, "MEMORY_COPY");
	csv_writer__text(&c->row, operation);
	csv_writer__uint(&c->row, stream_of(&ev->gpu));
	put_agent(c, ev->pid, ev->gpu.src_device);
	put_agent(c, ev->pid, ev->gpu.dst_device);
	csv_writer__uint(&c->row, ev->corr);
	put_times(c, ev);
	end_row(c, out);
	count(c, COPIES, operation, ev);
}

static bool gives_memory(enum resource_what what)
{
	return what == RESOURCE_ALLOC || what == RESOURCE_VMEM_CREATE ||
	       what == RESOURCE_SCRATCH_ALLOC;
}

/* rocprofv3 reports sizes, and the device of memory, when it is allocated, not when it is freed. */
static uint64_t size_of(const struct resource_info *r)
{
	return gives_memory(r->what) && r->bytes_known ? r->bytes : 0;
}

static void put_memory(struct csv *c, const struct event *ev)
{
	const struct resource_info *r = &ev->gpu.resource;
	const char *operation = rocprof__resource_operation(r->what);
	char address[32];
	FILE *out;

	if (!operation)
		return;
	out = to_file(c, MEMORY);
	snprintf(address, sizeof(address), "0x%016" PRIx64, r->address);
	csv_writer__text(&c->row, "MEMORY_ALLOCATION");
	csv_writer__text(&c->row, operation);
	put_agent(c, ev->pid, gives_memory(r->what) ? ev->gpu.device : DEVICE_UNKNOWN);
	csv_writer__uint(&c->row, size_of(r));
	csv_writer__text(&c->row, address);
	csv_writer__uint(&c->row, ev->corr);
	put_times(c, ev);
	end_row(c, out);
	count(c, MEMORY, operation, ev);
}

static void put_scratch(struct csv *c, const struct event *ev)
{
	const struct resource_info *r = &ev->gpu.resource;
	const char *operation = rocprof__resource_operation(r->what);
	FILE *out;

	if (!operation)
		return;
	out = to_file(c, SCRATCH);
	csv_writer__text(&c->row, "SCRATCH_MEMORY");
	csv_writer__text(&c->row, operation);
	put_agent(c, ev->pid, ev->gpu.device);
	csv_writer__uint(&c->row, r->id);
	csv_writer__uint(&c->row, ev->tid);
	csv_writer__uint(&c->row, 0); /* flags */
	put_times(c, ev);
	csv_writer__uint(&c->row, size_of(r));
	end_row(c, out);
	count(c, SCRATCH, operation, ev);
}

static void csv_event(struct sink *sink, const struct event *ev)
{
	struct csv *c = (struct csv *)sink;

	if (ev->kind == EV_SPAN)
		put_call(c, ev);
	else if (ev->kind == EV_RANGE || ev->kind == EV_MARK)
		put_api(c, MARKER, ROCPROF_RANGE_KIND, ev->range.id ? ev->range.id : ev->corr, ev);
	else if (ev->kind == EV_DISPATCH)
		put_kernel(c, ev);
	else if (ev->kind == EV_COPY)
		put_copy(c, ev);
	else if (ev->kind == EV_MEMORY)
		put_memory(c, ev);
	else if (ev->kind == EV_SCRATCH)
		put_scratch(c, ev);
}

static void csv_flush(struct sink *sink, const struct trace_stats *stats)
{
	struct csv *c = (struct csv *)sink;

	for (int i = 0; i < FILES; i++)
		if (fflush(c->files[i].out))
			check(c, -errno);
}

/* ---- open and close ---- */

static void free_csv(struct csv *c)
{
	struct device *d, *next;

	for (int i = 0; i < DOMAINS; i++)
		csv_statistics__free(&c->stats[i]);
	HASH_ITER (hh, c->devices, d, next) {
		HASH_DEL(c->devices, d);
		free(d);
	}
	text_buffer__free(&c->row);
	free(c);
}

static int close_files(struct csv *c, bool keep)
{
	int err = 0, e;

	for (int i = 0; i < FILES; i++) {
		e = close_file(&c->files[i], keep);
		err = err ? err : e;
	}
	return err;
}

static struct sink *csv_open(const struct sink_target *to, const struct trace_origin *origin)
{
	struct csv *c = calloc(1, sizeof(*c));
	int err = 0;

	if (!c)
		return NULL;
	c->sink.ops = &sink_csv;
	for (int i = 0; i < FILES && !err; i++)
		err = open_file(&c->files[i], to->path, files[i].name);
	if (!err)
		return &c->sink;
	close_files(c, false);
	free_csv(c);
	errno = -err;
	return NULL;
}

static void put_stats(struct csv *c)
{
	for (int i = 0; i < DOMAINS; i++)
		if (c->stats[i].all.calls)
			check(c, csv_statistics__write(&c->stats[i], &c->row,
						       to_file(c, DOMAINS + i)));
}

/* The domain that took longest first. */
static void put_domains(struct csv *c)
{
	bool done[DOMAINS] = {};
	uint64_t total = 0;

	for (int i = 0; i < DOMAINS; i++)
		if (__builtin_add_overflow(total, c->stats[i].all.total, &total))
			total = UINT64_MAX;
	for (int n = 0; n < DOMAINS; n++) {
		const struct csv_times *t;
		int most = -1;

		for (int i = 0; i < DOMAINS; i++)
			if (!done[i] &&
			    (most < 0 || c->stats[i].all.total > c->stats[most].all.total))
				most = i;
		done[most] = true;
		t = &c->stats[most].all;
		if (t->calls)
			check(c, csv_statistics__put(&c->row, to_file(c, DOMAIN_STATS),
						     domain_names[most], t, total));
	}
}

static int csv_close(struct sink *sink, const struct trace_stats *stats)
{
	struct csv *c = (struct csv *)sink;
	int err;

	put_devices(c);
	put_stats(c);
	put_domains(c);
	check(c, close_files(c, true));
	err = sink->error;
	free_csv(c);
	return err;
}

static void csv_discard(struct sink *sink)
{
	struct csv *c = (struct csv *)sink;

	close_files(c, false);
	free_csv(c);
}

const struct sink_ops sink_csv = {
	.name = "csv",
	.help = "rocprofv3's CSV files: calls, markers, kernels, copies, memory, statistics",
	.suffix = "",
	.own_files = "_*.csv",
	.open = csv_open,
	.process = sink__ignore_process,
	.thread = sink__ignore_thread,
	.device = csv_device,
	.event = csv_event,
	.flush = csv_flush,
	.close = csv_close,
	.discard = csv_discard,
};
