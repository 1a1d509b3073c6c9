// SPDX-License-Identifier: MIT
/*
 * Libraries named like roctracer's and rocprofiler's, with the functions by which a program says
 * what is to be traced of it. They do what the originals document as far as a caller can see it:
 * nothing but external IDs that are kept and given back. Which library it is, the build says.
 */
#include "tests/capture/fakeroctracer.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DEPTH 64

struct id_stack {
	uint64_t ids[DEPTH];
	size_t count;
};

static inline int push(struct id_stack *s, uint64_t id)
{
	if (s->count == DEPTH)
		return 1;
	s->ids[s->count++] = id;
	return 0;
}

static inline int pop(struct id_stack *s, uint64_t *id)
{
	if (!s->count)
		return 1;
	s->count--;
	if (id)
		*id = s->ids[s->count];
	return 0;
}

#ifdef FAKE_ROCTRACER
static __thread struct id_stack mine;

void roctracer_start(void)
{
}

void roctracer_stop(void)
{
}

int roctracer_activity_push_external_correlation_id(uint64_t id)
{
	return push(&mine, id);
}

int roctracer_activity_pop_external_correlation_id(uint64_t *id)
{
	return pop(&mine, id);
}
#endif

#ifdef FAKE_ROCTX
int roctxProfilerPause(uint64_t thread)
{
	return 0;
}

int roctxProfilerResume(uint64_t thread)
{
	return 0;
}

int roctxGetThreadId(uint64_t *thread)
{
	*thread = syscall(SYS_gettid);
	return 0;
}

int roctxNameOsThread(const char *name)
{
	return 0;
}

int roctxNameHipDevice(const char *name, int device)
{
	return 0;
}

int roctxNameHipStream(const char *name, const void *stream)
{
	return 0;
}
#endif

#ifdef FAKE_ROCPROFILER
/* By thread id; the test's threads do not share a place. */
static struct id_stack threads[1024];

int rocprofiler_push_external_correlation_id(struct rocprofiler_context context, uint64_t thread,
					     union rocprofiler_user_data id)
{
	return push(&threads[thread % 1024], id.value);
}

int rocprofiler_pop_external_correlation_id(struct rocprofiler_context context, uint64_t thread,
					    union rocprofiler_user_data *id)
{
	return pop(&threads[thread % 1024], &id->value);
}
#endif
