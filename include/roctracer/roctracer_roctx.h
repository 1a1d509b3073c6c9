/* SPDX-License-Identifier: MIT */
/*
 * What callbacks of ACTIVITY_DOMAIN_ROCTX receive: one call for each mark and range, before the
 * level of a push or pop changes. Layout and numbers are those of ROCm's header of this name.
 */
#ifndef ROCTRACER_ROCTX_H_
#define ROCTRACER_ROCTX_H_

#include "roctx.h"

enum roctx_api_id_t {
	ROCTX_API_ID_roctxMarkA = 0,
	ROCTX_API_ID_roctxRangePushA = 1,
	ROCTX_API_ID_roctxRangePop = 2,
	ROCTX_API_ID_roctxRangeStartA = 3,
	ROCTX_API_ID_roctxRangeStop = 4,
	ROCTX_API_ID_NUMBER,
};

typedef struct roctx_api_data_s {
	union {
		struct {
			const char *message; /* NULL: roctxRangePop, roctxRangeStop */
			roctx_range_id_t id; /* 0: not of a start/stop range */
		};
		struct {
			const char *message;
		} roctxMarkA;
		struct {
			const char *message;
		} roctxRangePushA;
		struct {
			const char *message;
		} roctxRangePop;
		struct {
			const char *message;
			roctx_range_id_t id;
		} roctxRangeStartA;
		struct {
			const char *message;
			roctx_range_id_t id;
		} roctxRangeStop;
	} args;
} roctx_api_data_t;

#endif
