/* SPDX-License-Identifier: MIT */
/*
 * ACTIVITY_DOMAIN_ROCTX: what libroctx64, ours or ROCm's, tells of marks and ranges.
 */
#ifndef ROCTRACER_ROCTX_DOMAIN_H
#define ROCTRACER_ROCTX_DOMAIN_H

#include "roctracer/table.h"

extern struct table roctx_calls;

/* Tells libroctx64, if it is in the process, what is wanted now. */
void roctx_domain__engage(void);

#endif
