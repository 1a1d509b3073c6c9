// SPDX-License-Identifier: MIT
/*
 * Makes and fills the database with SQLite.
 *
 * The lock is kept from the begin to the end. So another user that can write to the folder cannot
 * plant a journal that the tracer would roll back. Because of the lock, the database can be read
 * when it is closed. A tracer that is killed leaves a journal beside it, by which a reader of the
 * database gets the last commit.
 */
#include "user/formats/rocpd/rocpd_db.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/format.h"
#include "user/base/output_file.h"
#include "user/base/output_parent.h"
#include "common/text_buffer.h"

#define GUID_SIZE 37

static const char schema[] =
#include "user/formats/rocpd/schema.h"
	;

/* Columns as in enum rocpd_row. */
static const char *const statements[ROWS] = {
	[ROW_METADATA] = "INSERT INTO rocpd_metadata{u} (tag, value) VALUES (?, ?)",
	[ROW_NODE] = "INSERT INTO rocpd_info_node{u} (id, hash, machine_id, system_name, hostname, "
		     "release, hardware_name, version, domain_name) "
		     "VALUES (?, ?, ?, ?, ?, ?, ?, '', '')",
	[ROW_PROCESS] = "INSERT INTO rocpd_info_process{u} (id, nid, pid, command, extdata) "
			"VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
			"command = excluded.command, extdata = excluded.extdata",
	[ROW_THREAD] = "INSERT INTO rocpd_info_thread{u} (id, nid, pid, tid, name) "
		       "VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name",
	[ROW_AGENT] = "INSERT INTO rocpd_info_agent{u} (id, nid, pid, type, absolute_index, "
		      "logical_index, type_index, name, vendor_name, product_name, user_name, "
		      "extdata, model_name) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '') "
		      "ON CONFLICT (id) DO UPDATE SET absolute_index = excluded.absolute_index, "
		      "logical_index = excluded.logical_index, name = excluded.name, "
		      "vendor_name = excluded.vendor_name, product_name = excluded.product_name, "
		      "user_name = excluded.user_name, extdata = excluded.extdata",
	[ROW_CODE] = "INSERT INTO rocpd_info_code_object{u} (id, nid, pid, agent_id, uri, "
		     "load_base, load_size, storage_type) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
		     "ON CONFLICT (id) DO UPDATE SET agent_id = excluded.agent_id, "
		     "uri = excluded.uri, load_base = excluded.load_base, "
		     "load_size = excluded.load_size, storage_type = excluded.storage_type",
	[ROW_USER_NAME] = "UPDATE rocpd_info_agent{u} SET user_name = ?2 WHERE id = ?1",
	[ROW_SOME_PROCESS] =
		"INSERT OR IGNORE INTO rocpd_info_process{u} (id, nid, pid) VALUES (?, ?, ?)",
	[ROW_SOME_THREAD] = "INSERT OR IGNORE INTO rocpd_info_thread{u} (id, nid, pid, tid) VALUES "
			    "(?, ?, ?, ?)",
	[ROW_SOME_AGENT] =
		"INSERT OR IGNORE INTO rocpd_info_agent{u} (id, nid, pid, type, absolute_index, "
		"logical_index, type_index, name) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
	[ROW_SOME_CODE] =
		"INSERT OR IGNORE INTO rocpd_info_code_object{u} (id, nid, pid, agent_id) "
		"VALUES (?, ?, ?, ?)",
	[ROW_QUEUE] = "INSERT OR IGNORE INTO rocpd_info_queue{u} (id, nid, pid, name) VALUES (?, "
		      "?, ?, ?)",
	[ROW_STREAM] = "INSERT OR IGNORE INTO rocpd_info_stream{u} (id, nid, pid, name) VALUES (?, "
		       "?, ?, ?)",
	[ROW_TRACK] = "INSERT OR IGNORE INTO rocpd_track{u} (id, nid, pid, tid, name_id) "
		      "VALUES (?, ?, ?, ?, ?)",
	[ROW_STRING] = "INSERT INTO rocpd_string{u} (string) VALUES (?)",
	[ROW_KERNEL] = "INSERT INTO rocpd_info_kernel_symbol{u} (nid, pid, code_object_id, "
		       "kernel_name, display_name, sgpr_count, arch_vgpr_count, accum_vgpr_count, "
		       "extdata) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[ROW_EVENT] = "INSERT INTO rocpd_event{u} (category_id, stack_id, parent_stack_id, "
		      "correlation_id, call_stack, extdata) VALUES (?, ?, ?, ?, ?, ?)",
	[ROW_ARG] = "INSERT INTO rocpd_arg{u} (event_id, position, type, name, value, extdata) "
		    "VALUES (?, ?, ?, ?, ?, ?)",
	[ROW_REGION] = "INSERT INTO rocpd_region{u} (nid, pid, tid, start, \"end\", name_id, "
		       "event_id) VALUES (?, ?, ?, ?, ?, ?, ?)",
	[ROW_SAMPLE] = "INSERT INTO rocpd_sample{u} (track_id, timestamp, event_id) "
		       "VALUES (?, ?, ?)",
	[ROW_DISPATCH] =
		"INSERT INTO rocpd_kernel_dispatch{u} (nid, pid, tid, agent_id, kernel_id, "
		"dispatch_id, queue_id, stream_id, start, \"end\", private_segment_size, "
		"group_segment_size, workgroup_size_x, workgroup_size_y, workgroup_size_z, "
		"grid_size_x, grid_size_y, grid_size_z, region_name_id, event_id) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[ROW_COPY] = "INSERT INTO rocpd_memory_copy{u} (nid, pid, tid, start, \"end\", name_id, "
		     "dst_agent_id, src_agent_id, size, stream_id, event_id) "
		     "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
	[ROW_MEMORY] =
		"INSERT INTO rocpd_memory_allocate{u} (nid, pid, tid, agent_id, type, level, "
		"start, \"end\", address, size, queue_id, event_id, extdata) "
		"VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
};

struct rocpd_db {
	sqlite3 *handle;
	sqlite3_stmt *rows[ROWS];
	char *path;
	char guid[GUID_SIZE], suffix[GUID_SIZE + 1]; /* "_" and the guid, with "_" for "-" */
	struct utf8_buf utf8;
	int error;
	bool dirty; /* something is not committed */
};

/* ---- errors ---- */

/* SQLite's error, as -errno. */
static int error_of(struct rocpd_db *db, int code)
{
	int system = db->handle ? sqlite3_system_errno(db->handle) : 0;

	switch (code & 0xff) {
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return system ? -system : -EIO;
	default:
		return -EIO;
	}
}

/* Notes an error unless there is one already. */
static bool check(struct rocpd_db *db, int code)
{
	bool fine = code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW;

	if (!fine && !db->error)
		db->error = error_of(db, code);
	return fine;
}

/* ---- SQL ---- */

/* {u} and {g} are the names of this trace. */
static void expand(const struct rocpd_db *db, struct textbuf *t, const char *sql)
{
	size_t n;

	for (; *sql; sql += n) {
		n = 3;
		if (!strncmp(sql, "{u}", n)) {
			text_buffer__str(t, db->suffix);
		} else if (!strncmp(sql, "{g}", n)) {
			text_buffer__str(t, db->guid);
		} else {
			n = 1 + strcspn(sql + 1, "{");
			text_buffer__mem(t, sql, n);
		}
	}
}

static void run(struct rocpd_db *db, const char *sql)
{
	struct textbuf t = {};

	if (db->error)
		return;
	expand(db, &t, sql);
	check(db, t.failed ? SQLITE_NOMEM
			   : sqlite3_exec(db->handle, text_buffer__string(&t), NULL, NULL, NULL));
	text_buffer__free(&t);
}

static sqlite3_stmt *prepare(struct rocpd_db *db, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	struct textbuf t = {};

	if (db->error)
		return NULL;
	expand(db, &t, sql);
	check(db, t.failed ? SQLITE_NOMEM
			   : sqlite3_prepare_v3(db->handle, text_buffer__string(&t), -1,
						SQLITE_PREPARE_PERSISTENT, &statement, NULL));
	text_buffer__free(&t);
	return statement;
}

static void bind_text(struct rocpd_db *db, sqlite3_stmt *s, int i, const char *text)
{
	const char *clean = utf8__clean(&db->utf8, text);

	if (clean)
		check(db, sqlite3_bind_text(s, i, clean, -1,
					    clean == text ? SQLITE_STATIC : SQLITE_TRANSIENT));
	else
		check(db, SQLITE_NOMEM);
}

static void bind(struct rocpd_db *db, sqlite3_stmt *s, int i, const struct rocpd_value *v)
{
	if (v->kind == ROCPD_NUMBER)
		check(db, sqlite3_bind_int64(s, i, v->number > INT64_MAX ? INT64_MAX : v->number));
	else if (v->kind == ROCPD_TEXT && v->text)
		bind_text(db, s, i, v->text);
	else
		check(db, sqlite3_bind_null(s, i));
}

int64_t rocpd_db__insert(struct rocpd_db *db, enum rocpd_row row, const struct rocpd_value *values)
{
	sqlite3_stmt *s = db->rows[row];
	int count;

	if (db->error)
		return 0;
	count = sqlite3_bind_parameter_count(s);
	for (int i = 0; i < count; i++)
		bind(db, s, i + 1, &values[i]);
	if (!db->error)
		check(db, sqlite3_step(s));
	sqlite3_reset(s);
	db->dirty = true;
	return sqlite3_last_insert_rowid(db->handle);
}

void rocpd_db__commit(struct rocpd_db *db)
{
	if (!db->dirty)
		return;
	db->dirty = false;
	run(db, "COMMIT; BEGIN");
}

/* ---- open and close ---- */

static void name_trace(struct rocpd_db *db, const uint8_t uuid[16])
{
	size_t at = 0;

	for (int i = 0; i < 16; i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			db->guid[at++] = '-';
		at += snprintf(db->guid + at, sizeof(db->guid) - at, "%02x", uuid[i]);
	}
	snprintf(db->suffix, sizeof(db->suffix), "_%s", db->guid);
	for (char *c = db->suffix; *c; c++)
		if (*c == '-')
			*c = '_';
}

/* The path without symbolic links among its folders: SQLite is to follow none. */
static char *plain_path(const char *path)
{
	const char *name;
	char *folder, *real, *plain = NULL;
	int parent = output_parent__open(path, &name);

	if (parent < 0) {
		errno = -parent;
		return NULL;
	}
	close(parent);
	if (asprintf(&folder, "%.*s.", (int)(name - path), path) < 0)
		return NULL;
	real = realpath(folder, NULL);
	free(folder);
	if (real && asprintf(&plain, "%s/%s", real, name) < 0)
		plain = NULL;
	free(real);
	return plain;
}

static void remove_files(const char *path)
{
	static const char *const suffixes[] = {"", "-journal", "-wal", "-shm"};
	char *file;

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (asprintf(&file, "%s%s", path, suffixes[i]) < 0)
			return;
		output_file__remove(file);
		free(file);
	}
}

static int create_file(const char *path)
{
	int fd;

	remove_files(path);
	fd = output_file__create(path);
	return fd < 0 ? fd : close(fd);
}

static void make_tables(struct rocpd_db *db)
{
	run(db, "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; "
		"PRAGMA synchronous = OFF; PRAGMA cache_size = -16384; BEGIN EXCLUSIVE");
	run(db, schema);
	for (int i = 0; i < ROWS; i++)
		db->rows[i] = prepare(db, statements[i]);
	if (db->error)
		return;
	ROCPD_INSERT(db, ROW_METADATA, TEXT("schema_version"), TEXT("3"));
	ROCPD_INSERT(db, ROW_METADATA, TEXT("uuid"), TEXT(db->suffix));
	ROCPD_INSERT(db, ROW_METADATA, TEXT("guid"), TEXT(db->guid));
	rocpd_db__commit(db);
}

static void open_database(struct rocpd_db *db)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX;

	db->error = create_file(db->path);
	if (!db->error)
		check(db, sqlite3_open_v2(db->path, &db->handle, flags, NULL));
}

struct rocpd_db *rocpd_db__create(const char *path, const struct trace_origin *origin)
{
	struct rocpd_db *db = calloc(1, sizeof(*db));
	int err;

	if (!db)
		return NULL;
	name_trace(db, origin->uuid);
	errno = ENOMEM;
	db->path = plain_path(path);
	if (!db->path) {
		free(db);
		return NULL;
	}
	open_database(db);
	make_tables(db);
	err = db->error;
	if (!err)
		return db;
	if (db->handle)
		rocpd_db__discard(db);
	else
		rocpd_db__close(db);
	errno = -err;
	return NULL;
}

int rocpd_db__close(struct rocpd_db *db)
{
	int err;

	/* A lock that is let go takes the journal with it, with a read. */
	run(db, "COMMIT; PRAGMA locking_mode = NORMAL; SELECT COUNT(*) FROM rocpd_metadata{u}");
	for (int i = 0; i < ROWS; i++)
		sqlite3_finalize(db->rows[i]);
	if (db->handle && !check(db, sqlite3_close(db->handle)))
		sqlite3_close_v2(db->handle);
	err = db->error;
	utf8__free(&db->utf8);
	free(db->path);
	free(db);
	return err;
}

void rocpd_db__discard(struct rocpd_db *db)
{
	char *path = strdup(db->path);

	rocpd_db__close(db);
	if (path)
		remove_files(path);
	free(path);
}
