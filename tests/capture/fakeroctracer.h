/* SPDX-License-Identifier: MIT */
/*
 * Functions of roctracer, rocprofiler and its roctx that control tracing, as their headers declare
 * them. They return 0 on success.
 */
#ifndef FAKEROCTRACER_H
#define FAKEROCTRACER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* libroctracer64 */
void roctracer_start(void);
void roctracer_stop(void);
int roctracer_activity_push_external_correlation_id(uint64_t id);
int roctracer_activity_pop_external_correlation_id(uint64_t *id);

/* librocprofiler-sdk-roctx; thread 0: all of the process */
int roctxProfilerPause(uint64_t thread);
int roctxProfilerResume(uint64_t thread);
int roctxGetThreadId(uint64_t *thread);
int roctxNameOsThread(const char *name);
int roctxNameHipDevice(const char *name, int device);
int roctxNameHipStream(const char *name, const void *stream);

/* librocprofiler-sdk */
struct rocprofiler_context {
	uint64_t handle;
};

union rocprofiler_user_data {
	uint64_t value;
	void *ptr;
};

int rocprofiler_push_external_correlation_id(struct rocprofiler_context context, uint64_t thread,
					     union rocprofiler_user_data id);
int rocprofiler_pop_external_correlation_id(struct rocprofiler_context context, uint64_t thread,
					    union rocprofiler_user_data *id);

#ifdef __cplusplus
}
#endif

#endif
