/* SPDX-License-Identifier: MIT */
/*
 * ACTIVITY_DOMAIN_HSA_EVT: what becomes of memory and code.
 */
#ifndef ROCTRACER_HSA_EVENTS_H
#define ROCTRACER_HSA_EVENTS_H

#include "hsa_tables.h"
#include "roctracer/enabled_operations.h"

extern struct table hsa_events;

/*
 * Puts wrappers of the functions in question into the runtime's tables, which call what was there
 * before. For OnLoad, before other code wraps them, so that the calls of that code are reported.
 */
void hsa_events__wrap(HsaApiTable *table);

#endif
