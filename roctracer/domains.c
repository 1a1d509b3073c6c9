// SPDX-License-Identifier: MIT
/*
 * The domains and the names of their operations.
 */
#include "roctracer/domains.h"

#include <pthread.h>
#include <string.h>

#include "roctracer/hip.h"
#include "roctracer/hsa.h"
#include "roctracer/hsa_api.h"
#include "roctracer/hsa_events.h"
#include "roctracer/hsa_ops.h"
#include "roctracer/kfd/kfd.h"
#include "roctracer/kfd/kfd_api.h"
#include "roctracer/roctracer_ext.h"
#include "roctracer/roctx_domain.h"
#include "roctracer/status.h"

TABLE(ext_marks, ACTIVITY_DOMAIN_EXT_API, ACTIVITY_EXT_OP_EXTERN_ID + 1);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void domains__lock(void)
{
	pthread_mutex_lock(&lock);
}

void domains__unlock(void)
{
	pthread_mutex_unlock(&lock);
}

bool domain__get(uint32_t domain, struct domain *d)
{
	switch (domain) {
	case ACTIVITY_DOMAIN_HSA_API:
		*d = (struct domain){&hsa_calls, 0, hsa_calls.count, true, true, hsa__engage, NULL};
		return true;
	case ACTIVITY_DOMAIN_HSA_EVT:
		*d = (struct domain){&hsa_events, 0,	hsa_events.count, true,
				     false,	  NULL, hsa_ops__settle};
		return true;
	case ACTIVITY_DOMAIN_HSA_OPS:
		*d = (struct domain){&hsa_ops, 0,    hsa_ops.count,  false,
				     true,     NULL, hsa_ops__settle};
		return true;
	case ACTIVITY_DOMAIN_HIP_API:
		hip__find();
		*d = (struct domain){&hip_api, 1, hip_api.count, true, true, hip__engage, NULL};
		return true;
	case ACTIVITY_DOMAIN_HIP_OPS:
		*d = (struct domain){&hip_ops, 0,	    hip_ops.count,  false,
				     true,     hip__engage, hsa_ops__settle};
		return true;
	case ACTIVITY_DOMAIN_KFD_API:
		*d = (struct domain){&kfd_calls, 0, kfd_calls.count, true, true, kfd__engage, NULL};
		return true;
	case ACTIVITY_DOMAIN_ROCTX:
		*d = (struct domain){&roctx_calls,	   0,	roctx_calls.count, true, false,
				     roctx_domain__engage, NULL};
		return true;
	case ACTIVITY_DOMAIN_EXT_API:
		*d = (struct domain){&ext_marks, 0, 0, false, true, NULL, NULL};
		return true;
	default:
		return false;
	}
}

void domains__each(void (*fn)(struct domain *d, void *arg), void *arg)
{
	struct domain d;

	for (uint32_t i = 0; i < ACTIVITY_DOMAIN_NUMBER; i++)
		if (domain__get(i, &d))
			fn(&d, arg);
}

/* ---- names ---- */

static const char *hip_name(uint32_t domain, uint32_t op, uint32_t kind)
{
	const struct hip_library *hip = hip__find();

	if (hip && domain == ACTIVITY_DOMAIN_HIP_API && hip->api_name)
		return hip->api_name(op);
	if (hip && domain == ACTIVITY_DOMAIN_HIP_OPS && hip->command_name)
		return hip->command_name(kind);
	fail(ROCTRACER_STATUS_ERROR, "roctracer_op_string: HIP is not in the process");
	return NULL;
}

static const char *const op_names[] = {"DISPATCH", "COPY", "BARRIER", "PCSAMPLE"};
static const char *const event_names[] = {"ALLOCATE", "DEVICE",	 "MEMCOPY",
					  "SUBMIT",   "KSYMBOL", "CODEOBJ"};

static const char *number_name(const char *const *names, uint32_t count, uint32_t domain,
			       uint32_t op)
{
	if (op < count)
		return names[op];
	fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
	     "roctracer_op_string: domain %u has no operation %u", domain, op);
	return NULL;
}

const char *roctracer_op_string(uint32_t domain, uint32_t op, uint32_t kind)
{
	switch (domain) {
	case ACTIVITY_DOMAIN_HSA_API:
		return hsa_api__name(op);
	case ACTIVITY_DOMAIN_KFD_API:
		return kfd_api__name(op);
	case ACTIVITY_DOMAIN_HSA_OPS:
		return number_name(op_names, sizeof(op_names) / sizeof(*op_names), domain, op);
	case ACTIVITY_DOMAIN_HSA_EVT:
		return number_name(event_names, sizeof(event_names) / sizeof(*event_names), domain,
				   op);
	case ACTIVITY_DOMAIN_HIP_API:
	case ACTIVITY_DOMAIN_HIP_OPS:
		return hip_name(domain, op, kind);
	case ACTIVITY_DOMAIN_EXT_API:
		return "EXT_API";
	default:
		fail(ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID,
		     "roctracer_op_string: operations of domain %u have no names", domain);
		return NULL;
	}
}

static bool hip_code(const char *name, uint32_t *op)
{
	const struct hip_library *hip = hip__find();

	for (uint32_t i = 1; hip && hip->api_name && i < hip_api.count; i++)
		if (!strcmp(hip->api_name(i), name)) {
			*op = i;
			return true;
		}
	return false;
}

static bool find_code(uint32_t domain, const char *name, uint32_t *op)
{
	switch (domain) {
	case ACTIVITY_DOMAIN_HSA_API:
		*op = hsa_api__code(name);
		return *op < HSA_API_ID_NUMBER;
	case ACTIVITY_DOMAIN_KFD_API:
		*op = kfd_api__code(name);
		return *op < KFD_API_ID_NUMBER;
	default:
		return hip_code(name, op);
	}
}

roctracer_status_t roctracer_op_code(uint32_t domain, const char *str, uint32_t *op, uint32_t *kind)
{
	if (domain != ACTIVITY_DOMAIN_HIP_API && domain != ACTIVITY_DOMAIN_HSA_API &&
	    domain != ACTIVITY_DOMAIN_KFD_API)
		return fail(ROCTRACER_STATUS_ERROR_INVALID_DOMAIN_ID,
			    "roctracer_op_code: operations of domain %u are not found by name",
			    domain);
	if (!str || !op)
		return fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
			    "roctracer_op_code: NULL where a name or place must be");
	if (!find_code(domain, str, op))
		return fail(ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT,
			    "roctracer_op_code: domain %u has no operation \"%s\"", domain, str);
	if (kind)
		*kind = 0;
	return ROCTRACER_STATUS_SUCCESS;
}
