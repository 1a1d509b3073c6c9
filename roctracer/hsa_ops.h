/* SPDX-License-Identifier: MIT */
/*
 * ACTIVITY_DOMAIN_HSA_OPS, and the packets of ACTIVITY_DOMAIN_HSA_EVT.
 */
#ifndef ROCTRACER_HSA_OPS_H
#define ROCTRACER_HSA_OPS_H

#include "hsa_tables.h"
#include "roctracer/enabled_operations.h"

extern struct table hsa_ops;

/* Is librtrace-agent.so in the process, or a file that can be loaded? */
bool hsa_ops__can_be(void);
/*
 * For OnLoad and OnUnload, with the arguments of the former. Loads the agent if it is not there:
 * its wrappers are called by those that are put into the tables after this.
 */
void hsa_ops__load(HsaApiTable *table, uint64_t version, uint64_t failed_count,
		   const char *const *failed_names);
void hsa_ops__unload(void);

/*
 * What is enabled has changed. With no lock, as the agent's are taken; from inside of a callback,
 * too.
 */
void hsa_ops__settle(void);
/*
 * Has what has ended recorded, if it is enabled, and forgotten: before that changes, as the agent
 * looks at signals only now and then.
 */
void hsa_ops__collect(void);

#endif
