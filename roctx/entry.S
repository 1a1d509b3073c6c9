/* SPDX-License-Identifier: MIT */
/* The public entry points of libroctx64. */
#include "roctx/entry.inc"

	entry	roctx_version_major, roctx__version_major
	entry	roctx_version_minor, roctx__version_minor
	entry	roctxMarkA, roctx__mark
	entry	roctxRangePushA, roctx__range_push
	entry	roctxRangePop, roctx__range_pop
	entry	roctxRangeStartA, roctx__range_start
	entry	roctxRangeStop, roctx__range_stop
	entry	roctxRegisterTracerCallback, roctx__register_tracer_callback
