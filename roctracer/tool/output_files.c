// SPDX-License-Identifier: MIT
/*
 * Appends to the files, which this makes.
 */
#include "roctracer/tool/output_files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inprocess/held_signals.h"
#include "roctracer/tool/tool_internal.h"

static const char *const names[FILES] = {
	[FILE_HIP] = "hip_api_trace.txt",   [FILE_HSA] = "hsa_api_trace.txt",
	[FILE_OPS] = "hcc_ops_trace.txt",   [FILE_COPIES] = "async_copy_trace.txt",
	[FILE_ROCTX] = "roctx_trace.txt",   [FILE_BEGIN] = "begin_ts_file.txt",
	[FILE_HANDLES] = "hsa_handles.txt",
};

static char *folder; /* absolute: the application may go elsewhere */
static bool goes_on;
static bool made[FILES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool out__goes_on(void)
{
	return __atomic_load_n(&goes_on, __ATOMIC_RELAXED);
}

void out__stop(void)
{
	__atomic_store_n(&goes_on, false, __ATOMIC_RELAXED);
}

/* A missing folder is logged once. */
bool out__open(const char *path)
{
	static bool tried;

	if (tried)
		return out__goes_on();
	tried = true;
	folder = path ? realpath(path, NULL) : NULL;
	if (!path)
		tool__warn("ROCP_OUTPUT_DIR is not set: nothing is recorded");
	else if (!folder)
		tool__warn("ROCP_OUTPUT_DIR=%s: %s: nothing is recorded", path, strerror(errno));
	__atomic_store_n(&goes_on, folder != NULL, __ATOMIC_RELAXED);
	return folder;
}

/* The contents left by an earlier process of that number are removed. */
static int open_file(enum file file, char *path, size_t size)
{
	int fd;

	snprintf(path, size, "%s/%d_%s", folder, tool__pid(), names[file]);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (made[file] ? 0 : O_TRUNC),
		  0666);
	made[file] |= fd >= 0;
	return fd;
}

static bool write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		text += n;
		len -= n;
	}
	return true;
}

static void append(enum file file, const char *text, size_t len)
{
	char path[PATH_MAX + 64];
	int fd = open_file(file, path, sizeof(path));
	struct held_signals held;
	bool done;
	int err;

	held_signals__begin(&held);
	done = fd >= 0 && write_all(fd, text, len);
	err = errno;
	held_signals__end(&held);
	if (fd >= 0)
		close(fd);
	if (done)
		return;
	out__stop();
	tool__warn("%s: %s: nothing is recorded any more", path, strerror(err));
}

/* Writing may be where a thread is cancelled; not with a lock held. */
void out__append(enum file file, const char *text, size_t len)
{
	int state;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	pthread_mutex_lock(&lock);
	if (out__goes_on())
		append(file, text, len);
	pthread_mutex_unlock(&lock);
	pthread_setcancelstate(state, NULL);
}

void out__forked(void)
{
	pthread_mutex_init(&lock, NULL);
	memset(made, 0, sizeof(made));
}
