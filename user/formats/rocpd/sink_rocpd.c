// SPDX-License-Identifier: MIT
/*
 * The rocpd sink: a SQLite database with the tables and views of rocprofv3's, written as events
 * come; see rocpd.md.
 *
 * Ids are those of rocprofv3 for the first process of the trace, and for others have the process
 * before them. Memory is bounded by how many functions and kernels there are: what else is referred
 * to is put into the database when it is met, again and again, and left alone there.
 */
#define HASH_NONFATAL_OOM 1
#include "user/output/sink.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "user/api/call_arguments.h"
#include "common/format.h"
#include "common/hash.h"
#include "user/base/json_text.h"
#include "user/formats/rocpd/rocpd_db.h"
#include "user/formats/rocprof_names.h"

#define LATELY 1024 /* ids that are remembered to be there, a power of two */

struct name {
	UT_hash_handle hh;
	int64_t id;
	char text[];
};

struct kernel_key {
	uint32_t pid, kernel, code, vgprs, accum_vgprs, sgprs;
	char name[];
};

struct kernel {
	UT_hash_handle hh;
	int64_t id;
	struct kernel_key key; /* followed by the name */
};

enum place { PROCESSES, THREADS, AGENTS, QUEUES, STREAMS, CODE, TRACKS };

struct rocpd {
	struct sink sink;
	struct rocpd_db *db;
	struct name *names;
	struct kernel *kernels;
	uint32_t first_pid;
	uint64_t node;
	struct {
		enum place place;
		uint64_t id;
		bool used;
	} lately[LATELY];
	struct json_text json, details; /* of an event; of something else meanwhile */
	struct textbuf text;		/* arguments */
	struct utf8_buf utf8;
};

/* ---- ids ---- */

/* Of something that has that number in its process. */
static uint64_t id_in(struct rocpd *r, uint32_t pid, uint32_t number)
{
	if (!r->first_pid)
		r->first_pid = pid;
	return (pid == r->first_pid ? 0 : (uint64_t)pid << 32) | number;
}

/* Is it known to be in the database? It will be. */
static bool is_there(struct rocpd *r, enum place place, uint64_t id)
{
	size_t i = (id * 31 + (id >> 32) * 7 + place) & (LATELY - 1);
	bool there = r->lately[i].used && r->lately[i].place == place && r->lately[i].id == id;

	r->lately[i].place = place;
	r->lately[i].id = id;
	r->lately[i].used = true;
	return there;
}

static uint64_t process_id(struct rocpd *r, uint32_t pid)
{
	if (!is_there(r, PROCESSES, pid))
		ROCPD_INSERT(r->db, ROW_SOME_PROCESS, NUMBER(pid), NUMBER(r->node), NUMBER(pid));
	return pid;
}

static uint64_t thread_id(struct rocpd *r, uint32_t pid, uint32_t tid)
{
	uint64_t id = id_in(r, pid, tid);

	if (!is_there(r, THREADS, id))
		ROCPD_INSERT(r->db, ROW_SOME_THREAD, NUMBER(id), NUMBER(r->node),
			     NUMBER(process_id(r, pid)), NUMBER(tid));
	return id;
}

static uint64_t agent_id(struct rocpd *r, uint32_t pid, int32_t device)
{
	const char *type = device < 0 ? "CPU" : "GPU";
	uint64_t id = id_in(r, pid, rocprof__node(device));

	if (!is_there(r, AGENTS, id))
		ROCPD_INSERT(r->db, ROW_SOME_AGENT, NUMBER(id), NUMBER(r->node),
			     NUMBER(process_id(r, pid)), TEXT(type), NUMBER(rocprof__node(device)),
			     NUMBER(rocprof__node(device)), NUMBER(device < 0 ? 0 : device),
			     TEXT(type));
	return id;
}

static uint64_t queue_id(struct rocpd *r, uint32_t pid, uint32_t queue)
{
	uint64_t id = id_in(r, pid, queue);
	char name[FORMAT_LEN];

	snprintf(name, sizeof(name), "Queue %" PRIu32, queue);
	if (!is_there(r, QUEUES, id))
		ROCPD_INSERT(r->db, ROW_QUEUE, NUMBER(id), NUMBER(r->node),
			     NUMBER(process_id(r, pid)), TEXT(name));
	return id;
}

static uint64_t stream_id(struct rocpd *r, uint32_t pid, uint32_t stream)
{
	uint32_t number = stream == STREAM_NONE ? 0 : stream;
	uint64_t id = id_in(r, pid, number);
	char name[FORMAT_LEN];

	snprintf(name, sizeof(name), number ? "Stream %" PRIu32 : "Default Stream", number);
	if (!is_there(r, STREAMS, id))
		ROCPD_INSERT(r->db, ROW_STREAM, NUMBER(id), NUMBER(r->node),
			     NUMBER(process_id(r, pid)), TEXT(name));
	return id;
}

static uint64_t code_id(struct rocpd *r, const struct event *ev)
{
	uint64_t id = id_in(r, ev->pid, ev->gpu.code);

	if (!is_there(r, CODE, id))
		ROCPD_INSERT(r->db, ROW_SOME_CODE, NUMBER(id), NUMBER(r->node),
			     NUMBER(process_id(r, ev->pid)),
			     NUMBER(agent_id(r, ev->pid, ev->gpu.device)));
	return id;
}

/* ---- names and kernels ---- */

static int64_t add_name(struct rocpd *r, const char *text)
{
	size_t len = strlen(text);
	struct name *name = malloc(sizeof(*name) + len + 1);

	if (!name)
		return -1;
	memcpy(name->text, text, len + 1);
	HASH_ADD_KEYPTR(hh, r->names, name->text, len, name);
	if (!name->hh.tbl) {
		free(name);
		return -1;
	}
	name->id = ROCPD_INSERT(r->db, ROW_STRING, TEXT(text));
	return name->id;
}

/* Of a string, which is there once. */
static uint64_t name_id(struct rocpd *r, const char *text)
{
	const char *clean = utf8__clean(&r->utf8, text);
	struct name *name = NULL;
	int64_t id;

	if (clean)
		HASH_FIND_STR(r->names, clean, name);
	id = name ? name->id : clean ? add_name(r, clean) : -1;
	if (id < 0)
		sink__fail(&r->sink, -ENOMEM);
	return id < 0 ? 0 : id;
}

static int64_t insert_kernel(struct rocpd *r, const struct event *ev)
{
	const struct gpu_info *gpu = &ev->gpu;
	const char *name = event__name(ev);

	json_text__open(&r->details, '{');
	json_text__uint(&r->details, "kernel_id", gpu->kernel);
	json_text__string(&r->details, "formatted_kernel_name", name);
	return ROCPD_INSERT(r->db, ROW_KERNEL, NUMBER(r->node), NUMBER(process_id(r, ev->pid)),
			    NUMBER(code_id(r, ev)), TEXT(name), TEXT(name), NUMBER(gpu->sgprs),
			    NUMBER(gpu->vgprs), NUMBER(gpu->accum_vgprs),
			    TEXT(json_text__close(&r->details)));
}

static uint64_t kernel_id(struct rocpd *r, const struct event *ev)
{
	const struct gpu_info *gpu = &ev->gpu;
	size_t len = strlen(event__name(ev)) + 1;
	struct kernel *k = calloc(1, sizeof(*k) + len), *known;

	if (!k) {
		sink__fail(&r->sink, -ENOMEM);
		return 0;
	}
	k->key = (struct kernel_key){ev->pid,	 gpu->kernel,	   gpu->code,
				     gpu->vgprs, gpu->accum_vgprs, gpu->sgprs};
	memcpy(k->key.name, event__name(ev), len);
	HASH_FIND(hh, r->kernels, &k->key, sizeof(k->key) + len, known);
	if (known) {
		free(k);
		return known->id;
	}
	HASH_ADD_KEYPTR(hh, r->kernels, &k->key, sizeof(k->key) + len, k);
	if (!k->hh.tbl) {
		sink__fail(&r->sink, -ENOMEM);
		free(k);
		return 0;
	}
	k->id = insert_kernel(r, ev);
	return k->id;
}

/* ---- processes, threads, devices ---- */

static void put_string(struct json_text *j, const char *key, const char *value)
{
	if (value && *value)
		json_text__string(j, key, value);
}

static void rocpd_process(struct sink *sink, const struct process_info *info)
{
	struct rocpd *r = (struct rocpd *)sink;

	json_text__open(&r->json, '{');
	put_string(&r->json, "comm", info->comm);
	put_string(&r->json, "cgroup", info->cgroup);
	put_string(&r->json, "libraries", info->libraries);
	if (info->ns_pid)
		json_text__uint(&r->json, "ns_pid", info->ns_pid);
	ROCPD_INSERT(r->db, ROW_PROCESS, NUMBER(info->pid), NUMBER(r->node), NUMBER(info->pid),
		     TEXT(*info->cmdline ? info->cmdline : info->comm),
		     TEXT(json_text__close(&r->json)));
	is_there(r, PROCESSES, info->pid);
}

static void rocpd_thread(struct sink *sink, const struct thread_info *info)
{
	struct rocpd *r = (struct rocpd *)sink;
	uint64_t id = id_in(r, info->pid, info->tid);

	ROCPD_INSERT(r->db, ROW_THREAD, NUMBER(id), NUMBER(r->node),
		     NUMBER(process_id(r, info->pid)), NUMBER(info->tid), TEXT(info->comm));
	is_there(r, THREADS, id);
}

static void rocpd_device(struct sink *sink, const struct device_info *info)
{
	struct rocpd *r = (struct rocpd *)sink;
	struct rocprof_agent a;
	uint64_t id;

	if (!info->details) {
		id = agent_id(r, info->pid, info->device);
		ROCPD_INSERT(r->db, ROW_USER_NAME, NUMBER(id), TEXT(info->name));
		return;
	}
	rocprof__read_agent(&a, info);
	id = id_in(r, info->pid, rocprof__node(info->device));
	json_text__open(&r->json, '{');
	put_string(&r->json, "details", info->details);
	ROCPD_INSERT(r->db, ROW_AGENT, NUMBER(id), NUMBER(r->node),
		     NUMBER(process_id(r, info->pid)), TEXT("GPU"), NUMBER(a.node), NUMBER(a.node),
		     NUMBER(info->device), TEXT(a.name), TEXT("AMD"), TEXT(a.product),
		     TEXT(a.product), TEXT(json_text__close(&r->json)));
	is_there(r, AGENTS, id);
}

/* ---- events ---- */

/* What there is no column for. */
static const char *extra(struct rocpd *r, const struct event *ev)
{
	char flags[FORMAT_LEN];

	put_string(&r->json, "flags", event__flags_text(flags, ev->flags));
	return json_text__close(&r->json);
}

static uint64_t put_event(struct rocpd *r, const struct event *ev, const char *category,
			  uint64_t stack, uint64_t parent, const char *callers)
{
	uint64_t external = ev->flags & EV_F_EXTERNAL ? ev->external : 0;

	return ROCPD_INSERT(r->db, ROW_EVENT, NUMBER(name_id(r, category)), NUMBER(stack),
			    NUMBER(parent), NUMBER(external), TEXT(callers), TEXT(extra(r, ev)));
}

static void put_region(struct rocpd *r, const struct event *ev, const char *name, uint64_t event)
{
	ROCPD_INSERT(r->db, ROW_REGION, NUMBER(r->node), NUMBER(process_id(r, ev->pid)),
		     NUMBER(thread_id(r, ev->pid, ev->tid)), NUMBER(ev->begin), NUMBER(ev->end),
		     NUMBER(name_id(r, name)), NUMBER(event));
}

/* ---- calls ---- */

/* The arguments of a call, one after the other. */
struct arguments {
	struct rocpd *r;
	const struct event *ev;
	uint64_t event;
	unsigned int count;
	const struct api_param *param;
};

static const char *type_name(const struct api_type *type)
{
	static const char *const names[] = {
		[API_INT] = "int",	 [API_UINT] = "unsigned",   [API_HEX] = "unsigned",
		[API_BOOL] = "bool",	 [API_FLOAT] = "float",	    [API_ENUM] = "enum",
		[API_FLAGS] = "flags",	 [API_POINTER] = "pointer", [API_STRING] = "string",
		[API_STRUCT] = "struct", [API_ARRAY] = "array",	    [API_CHARS] = "string",
		[API_BYTES] = "bytes",
	};
	const char *name = type->kind < sizeof(names) / sizeof(names[0]) ? names[type->kind] : NULL;

	return name ? name : "void";
}

/* After an argument that is a pointer comes the value that it points to, "*ptr". */
static void put_argument(const struct arg_value *value, void *arg)
{
	struct arguments *a = arg;
	struct rocpd *r = a->r;
	const struct api_function *api = a->ev->api;
	const struct api_type *type;

	if (*value->name != '*' && a->count < api->param_count)
		a->param = &api->params[a->count++];
	if (!a->param)
		return;
	type = a->param->type;
	if (*value->name == '*' && type->kind == API_POINTER)
		type = type->target;
	json_text__open(&r->details, '{');
	if (a->param->flags & API_STREAM && a->ev->stream != STREAM_NONE)
		json_text__uint(&r->details, "stream_id", stream_id(r, a->ev->pid, a->ev->stream));
	ROCPD_INSERT(r->db, ROW_ARG, NUMBER(a->event), NUMBER(a->count - 1),
		     TEXT(type ? type_name(type) : "void"), TEXT(value->name), TEXT(value->text),
		     TEXT(json_text__close(&r->details)));
}

static void put_result(const struct arg_value *value, void *arg)
{
	json_text__string(arg, value->name, value->text);
}

static const char *call_kind(const struct event *ev)
{
	const char *kind = rocprof__call_kind(ev);

	if (kind)
		return kind;
	if (ev->domain == DOMAIN_ROCTX)
		return "MARKER_CORE_API";
	return ev->domain == DOMAIN_KFD ? "KFD_API" : "ROCTRACER_API";
}

static const char *callers(struct rocpd *r, const struct event *ev)
{
	if (!ev->stack_depth)
		return "{}";
	json_text__open(&r->details, '[');
	for (uint32_t i = 0; i < ev->stack_depth; i++)
		json_text__string(&r->details, NULL, ev->stack[i]);
	return json_text__close(&r->details);
}

static void put_call(struct rocpd *r, const struct event *ev)
{
	struct arguments a = {.r = r, .ev = ev};

	json_text__open(&r->json, '{');
	put_string(&r->json, "kernel", ev->kernel);
	if (ev->api)
		call_arguments__return(&r->text, ev->api, ev->values, put_result, &r->json);
	a.event = put_event(r, ev, call_kind(ev), ev->corr, ev->parent, callers(r, ev));
	if (ev->api)
		call_arguments__each(&r->text, ev->api, ev->values, ARGS_TEXTS, put_argument, &a);
	put_region(r, ev, event__name(ev), a.event);
}

/* ---- ranges and marks ---- */

static uint64_t track_id(struct rocpd *r, const struct event *ev)
{
	uint64_t id = thread_id(r, ev->pid, ev->tid);

	if (!is_there(r, TRACKS, id))
		ROCPD_INSERT(r->db, ROW_TRACK, NUMBER(id), NUMBER(r->node),
			     NUMBER(process_id(r, ev->pid)), NUMBER(id),
			     NUMBER(name_id(r, ROCPROF_RANGE_KIND)));
	return id;
}

static void put_range(struct rocpd *r, const struct event *ev)
{
	bool mark = ev->kind == EV_MARK;
	uint64_t event;

	json_text__open(&r->json, '{');
	json_text__string(&r->json, "message", event__name(ev));
	event = put_event(r, ev, ROCPROF_RANGE_KIND, mark ? ev->corr : ev->range.id, ev->parent,
			  "{}");
	if (mark)
		ROCPD_INSERT(r->db, ROW_SAMPLE, NUMBER(track_id(r, ev)), NUMBER(ev->begin),
			     NUMBER(event));
	else
		put_region(r, ev, rocprof__range_operation(ev), event);
}

/* ---- what the GPU ran, and resources ---- */

static uint64_t put_operation(struct rocpd *r, const struct event *ev, const char *category)
{
	json_text__open(&r->json, '{');
	return put_event(r, ev, category, ev->corr, ev->corr, "{}");
}

static void put_dispatch(struct rocpd *r, const struct event *ev)
{
	const struct gpu_info *gpu = &ev->gpu;
	uint64_t event = put_operation(r, ev, "KERNEL_DISPATCH");

	ROCPD_INSERT(
		r->db, ROW_DISPATCH, NUMBER(r->node), NUMBER(process_id(r, ev->pid)),
		NUMBER(thread_id(r, ev->pid, ev->tid)), NUMBER(agent_id(r, ev->pid, gpu->device)),
		NUMBER(kernel_id(r, ev)), NUMBER(gpu->op), NUMBER(queue_id(r, ev->pid, gpu->queue)),
		NUMBER(stream_id(r, ev->pid, gpu->stream)), NUMBER(ev->begin), NUMBER(ev->end),
		NUMBER(gpu->scratch), NUMBER(gpu->lds), NUMBER(gpu->workgroup[0]),
		NUMBER(gpu->workgroup[1]), NUMBER(gpu->workgroup[2]), NUMBER(gpu->grid[0]),
		NUMBER(gpu->grid[1]), NUMBER(gpu->grid[2]), NUMBER(name_id(r, "")), NUMBER(event));
}

static void put_copy(struct rocpd *r, const struct event *ev)
{
	const struct gpu_info *gpu = &ev->gpu;
	uint64_t event = put_operation(r, ev, "MEMORY_COPY");

	ROCPD_INSERT(r->db, ROW_COPY, NUMBER(r->node), NUMBER(process_id(r, ev->pid)),
		     NUMBER(thread_id(r, ev->pid, ev->tid)), NUMBER(ev->begin), NUMBER(ev->end),
		     NUMBER(name_id(r, rocprof__copy_operation(gpu->dir))),
		     NUMBER(agent_id(r, ev->pid, gpu->dst_device)),
		     NUMBER(agent_id(r, ev->pid, gpu->src_device)), NUMBER(gpu->bytes),
		     NUMBER(stream_id(r, ev->pid, gpu->stream)), NUMBER(event));
}

/* How the table calls what was done to memory. */
static const char *memory_type(enum resource_what what)
{
	if (what == RESOURCE_SCRATCH_RECLAIM)
		return "RECLAIM";
	if (what == RESOURCE_FREE || what == RESOURCE_VMEM_RELEASE || what == RESOURCE_SCRATCH_FREE)
		return "FREE";
	return "ALLOC";
}

static const char *memory_level(const struct event *ev)
{
	enum resource_what what = ev->gpu.resource.what;

	if (ev->kind == EV_SCRATCH)
		return "SCRATCH";
	return what == RESOURCE_ALLOC || what == RESOURCE_FREE ? "REAL" : "VIRTUAL";
}

/* rocprofv3 reports sizes when memory is allocated, not when it is freed. */
static void put_memory(struct rocpd *r, const struct event *ev)
{
	const struct resource_info *res = &ev->gpu.resource;
	bool scratch = ev->kind == EV_SCRATCH, given, known;
	struct rocpd_value agent = NONE, queue = NONE;
	uint64_t event;

	if (!rocprof__resource_operation(res->what))
		return;
	event = put_operation(r, ev, scratch ? "SCRATCH_MEMORY" : "MEMORY_ALLOCATION");
	given = !strcmp(memory_type(res->what), "ALLOC");
	known = (given || scratch) && ev->gpu.device != DEVICE_UNKNOWN;
	if (known)
		agent = (struct rocpd_value)NUMBER(agent_id(r, ev->pid, ev->gpu.device));
	if (scratch)
		queue = (struct rocpd_value)NUMBER(queue_id(r, ev->pid, res->id));
	ROCPD_INSERT(r->db, ROW_MEMORY, NUMBER(r->node), NUMBER(process_id(r, ev->pid)),
		     NUMBER(thread_id(r, ev->pid, ev->tid)), agent, TEXT(memory_type(res->what)),
		     TEXT(memory_level(ev)), NUMBER(ev->begin), NUMBER(ev->end),
		     NUMBER(res->address), NUMBER(given && res->bytes_known ? res->bytes : 0),
		     queue, NUMBER(event), TEXT(scratch ? "{\"flags\":0}" : "{}"));
}

static const char *storage_of(const char *uri)
{
	if (uri && !strncmp(uri, "file:", 5))
		return "FILE";
	return uri && !strncmp(uri, "memory:", 7) ? "MEMORY" : NULL;
}

static void put_code(struct rocpd *r, const struct event *ev)
{
	const struct resource_info *res = &ev->gpu.resource;
	uint64_t id = id_in(r, ev->pid, res->id);
	struct rocpd_value agent = NONE;

	if (res->what != RESOURCE_CODE_LOAD)
		return;
	if (ev->gpu.device != DEVICE_UNKNOWN)
		agent = (struct rocpd_value)NUMBER(agent_id(r, ev->pid, ev->gpu.device));
	ROCPD_INSERT(r->db, ROW_CODE, NUMBER(id), NUMBER(r->node), NUMBER(process_id(r, ev->pid)),
		     agent, TEXT(res->text), NUMBER(res->address),
		     NUMBER(res->bytes_known ? res->bytes : 0), TEXT(storage_of(res->text)));
	is_there(r, CODE, id);
}

static void rocpd_event(struct sink *sink, const struct event *ev)
{
	struct rocpd *r = (struct rocpd *)sink;

	if (ev->kind == EV_SPAN)
		put_call(r, ev);
	else if (ev->kind == EV_RANGE || ev->kind == EV_MARK)
		put_range(r, ev);
	else if (ev->kind == EV_DISPATCH)
		put_dispatch(r, ev);
	else if (ev->kind == EV_COPY)
		put_copy(r, ev);
	else if (ev->kind == EV_MEMORY || ev->kind == EV_SCRATCH)
		put_memory(r, ev);
	else if (ev->kind == EV_CODE)
		put_code(r, ev);
	else if (ev->kind == EV_QUEUE)
		queue_id(r, ev->pid, ev->gpu.resource.id);
}

static void rocpd_flush(struct sink *sink, const struct trace_stats *stats)
{
	rocpd_db__commit(((struct rocpd *)sink)->db);
}

/* ---- open and close ---- */

static void put_figure(struct rocpd *r, const char *name, uint64_t value)
{
	char tag[FORMAT_LEN], number[FORMAT_LEN];

	snprintf(tag, sizeof(tag), "rtrace.%s", name);
	snprintf(number, sizeof(number), "%" PRIu64, value);
	ROCPD_INSERT(r->db, ROW_METADATA, TEXT(tag), TEXT(number));
}

/* The machine's own id is not known of a recording: its name has to do. */
static void put_node(struct rocpd *r, const struct trace_origin *origin)
{
	const char *host = *origin->hostname ? origin->hostname : "localhost";

	r->node = crc32(0, (const void *)host, strlen(host));
	ROCPD_INSERT(r->db, ROW_NODE, NUMBER(r->node), NUMBER(r->node), TEXT(host), TEXT("Linux"),
		     TEXT(host), TEXT(origin->kernel), TEXT("x86_64"));
	ROCPD_INSERT(r->db, ROW_METADATA, TEXT("rtrace.version"), TEXT(RTRACE_VERSION));
	put_figure(r, "boot_ns", origin->clocks.boot_ns);
	put_figure(r, "real_ns", origin->clocks.real_ns);
}

static struct sink *rocpd_open(const struct sink_target *to, const struct trace_origin *origin)
{
	struct rocpd *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->sink.ops = &sink_rocpd;
	r->db = rocpd_db__create(to->path, origin);
	if (!r->db) {
		free(r);
		return NULL;
	}
	put_node(r, origin);
	return &r->sink;
}

static void free_rocpd(struct rocpd *r)
{
	struct name *name, *next_name;
	struct kernel *k, *next;

	HASH_ITER (hh, r->names, name, next_name) {
		HASH_DEL(r->names, name);
		free(name);
	}
	HASH_ITER (hh, r->kernels, k, next) {
		HASH_DEL(r->kernels, k);
		free(k);
	}
	json_text__free(&r->json);
	json_text__free(&r->details);
	text_buffer__free(&r->text);
	utf8__free(&r->utf8);
	free(r);
}

static int rocpd_close(struct sink *sink, const struct trace_stats *stats)
{
	struct rocpd *r = (struct rocpd *)sink;
	const char *name;
	uint64_t value;
	int err;

	for (unsigned int i = 0; (name = trace_stats__field(stats, i, &value)); i++)
		put_figure(r, name, value);
	err = rocpd_db__close(r->db);
	err = err ? err : sink->error;
	free_rocpd(r);
	return err;
}

static void rocpd_discard(struct sink *sink)
{
	struct rocpd *r = (struct rocpd *)sink;

	rocpd_db__discard(r->db);
	free_rocpd(r);
}

const struct sink_ops sink_rocpd = {
	.name = "rocpd",
	.help = "rocprofv3's database (SQLite), for SQL and its tools",
	.suffix = ".db",
	.own_files = "",
	.open = rocpd_open,
	.process = rocpd_process,
	.thread = rocpd_thread,
	.device = rocpd_device,
	.event = rocpd_event,
	.flush = rocpd_flush,
	.close = rocpd_close,
	.discard = rocpd_discard,
};
