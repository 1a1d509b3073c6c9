/* SPDX-License-Identifier: MIT */
/*
 * Errors: what a function returns, and the message that goes with it.
 */
#ifndef ROCTRACER_STATUS_H
#define ROCTRACER_STATUS_H

#include "roctracer/roctracer.h"

/* Keeps the message for roctracer_error_string() on this thread and returns the status. */
roctracer_status_t fail(roctracer_status_t status, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
