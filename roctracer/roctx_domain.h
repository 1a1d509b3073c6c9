/* SPDX-License-Identifier: MIT */
/*
 * ACTIVITY_DOMAIN_ROCTX: the marks and ranges that libroctx64, ours or ROCm's, reports.
 */
#ifndef ROCTRACER_ROCTX_DOMAIN_H
#define ROCTRACER_ROCTX_DOMAIN_H

#include "roctracer/enabled_operations.h"

extern struct table roctx_calls;

/* Registers with libroctx64, if it is in the process, for what is wanted now. */
void roctx_domain__engage(void);

#endif
