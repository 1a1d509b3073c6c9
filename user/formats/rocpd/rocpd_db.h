/* SPDX-License-Identifier: MIT */
/*
 * The database of a rocpd trace: its file, its tables (schema.sql), and inserting into them.
 *
 * After the first error nothing more is written; rocpd_db__close returns that error.
 */
#ifndef RTRACE_FORMATS_ROCPD_ROCPD_DB_H
#define RTRACE_FORMATS_ROCPD_ROCPD_DB_H

#include <stddef.h>
#include <stdint.h>

#include "user/event/trace_origin.h"

/* What is inserted: rows by their columns, in this order. */
enum rocpd_row {
	ROW_METADATA,  /* tag, value */
	ROW_NODE,      /* id, hash, machine_id, system_name, hostname, release, hardware_name */
	ROW_PROCESS,   /* id, nid, pid, command, extdata; these are replaced if it is known */
	ROW_THREAD,    /* id, nid, pid, tid, name; likewise */
	ROW_AGENT,     /* id, nid, pid, type, absolute_index, logical_index, type_index, name,
			  vendor_name, product_name, user_name, extdata; likewise */
	ROW_CODE,      /* id, nid, pid, agent_id, uri, load_base, load_size, storage_type;
			  likewise */
	ROW_USER_NAME, /* id of an agent, user_name: given to it */
	/* What is left alone if it is known. */
	ROW_SOME_PROCESS, /* id, nid, pid */
	ROW_SOME_THREAD,  /* id, nid, pid, tid */
	ROW_SOME_AGENT,	  /* id, nid, pid, type, absolute_index, logical_index, type_index, name */
	ROW_SOME_CODE,	  /* id, nid, pid, agent_id */
	ROW_QUEUE,	  /* id, nid, pid, name */
	ROW_STREAM,	  /* id, nid, pid, name */
	ROW_TRACK,	  /* id, nid, pid, tid, name_id */
	/* What is always new. */
	ROW_STRING,   /* string */
	ROW_KERNEL,   /* nid, pid, code_object_id, kernel_name, display_name, sgpr_count,
			 arch_vgpr_count, accum_vgpr_count, extdata */
	ROW_EVENT,    /* category_id, stack_id, parent_stack_id, correlation_id, call_stack,
			 extdata */
	ROW_ARG,      /* event_id, position, type, name, value, extdata */
	ROW_REGION,   /* nid, pid, tid, start, end, name_id, event_id */
	ROW_SAMPLE,   /* track_id, timestamp, event_id */
	ROW_DISPATCH, /* nid, pid, tid, agent_id, kernel_id, dispatch_id, queue_id, stream_id,
			 start, end, private_segment_size, group_segment_size, workgroup_size_x to
			 z, grid_size_x to z, region_name_id, event_id */
	ROW_COPY,     /* nid, pid, tid, start, end, name_id, dst_agent_id, src_agent_id, size,
			 stream_id, event_id */
	ROW_MEMORY,   /* nid, pid, tid, agent_id, type, level, start, end, address, size, queue_id,
			 event_id, extdata */
	ROWS,
};

/* A column's value. Numbers beyond int64_t become its greatest. */
struct rocpd_value {
	enum { ROCPD_NULL, ROCPD_NUMBER, ROCPD_TEXT } kind;
	uint64_t number;
	const char *text; /* any bytes */
};
#define NONE                       \
	{                          \
		.kind = ROCPD_NULL \
	}
#define NUMBER(v)                                   \
	{                                           \
		.kind = ROCPD_NUMBER, .number = (v) \
	}
#define TEXT(v)                                 \
	{                                       \
		.kind = ROCPD_TEXT, .text = (v) \
	} /* NULL: NULL */

struct rocpd_db;

/*
 * Makes the file, which takes the place of one that is there, and all tables. NULL with errno, and
 * nothing is left.
 */
struct rocpd_db *rocpd_db__create(const char *path, const struct trace_origin *origin);

/* The id of the row; with ids that are given, that is no use. */
int64_t rocpd_db__insert(struct rocpd_db *db, enum rocpd_row row, const struct rocpd_value *values);
#define ROCPD_INSERT(db, row, ...) \
	rocpd_db__insert(db, row, (const struct rocpd_value[]){__VA_ARGS__})

/* What was inserted so far is to be in the file. */
void rocpd_db__commit(struct rocpd_db *db);

/* 0 or the first -errno. Frees. */
int rocpd_db__close(struct rocpd_db *db);

/* The same, and nothing is left. */
void rocpd_db__discard(struct rocpd_db *db);

#endif
