/* SPDX-License-Identifier: MIT */
/*
 * Operations of the HSA domains, and what callbacks of HSA_EVT receive; what those of HSA_API
 * receive, hsa_api_data_t, is in hsa_prof_str.h. Layouts and numbers are those of ROCm's header of
 * this name.
 *
 * The tables of HSA's functions differ from one major version of them to the next (in ROCm 5, from
 * each release to the next): of an HSA with other tables than those of the headers that the library
 * was built with, nothing is reported in these domains. The others serve HIP 5.2 to 6.4 alike.
 */
#ifndef ROCTRACER_HSA_H_
#define ROCTRACER_HSA_H_

#include "roctracer.h"

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include "hsa_prof_str.h"

/*
 * ACTIVITY_DOMAIN_HSA_OPS: what GPUs did, as HSA knows it. That is all that they did: the
 * operations of HIP_OPS are reported here, too. (ROCm's library reports copies alone, and of these
 * neither bytes nor device.) correlation_id is that of the innermost call that was enabled and open
 * on the submitting thread, at that thread's store to the queue's doorbell. If another thread's
 * doorbell store submitted the packet first, it is that of the call open when the thread reserved
 * the packet's place. device_id is the driver's node, of a copy the source if that is a GPU;
 * queue_id counts queues from 1, 0: a copy. Times of 0: they are not known.
 *
 * librtrace-agent.so sees them. Of an HSA runtime up to 5.2 HSA_TOOLS_LIB must name this library or
 * that.
 */
enum hsa_op_id_t {
	HSA_OP_ID_DISPATCH = 0, /* with kernel_name */
	HSA_OP_ID_COPY = 1,	/* asynchronous; with bytes */
	HSA_OP_ID_BARRIER = 2,	/* packets */
	HSA_OP_ID_RESERVED1 = 3,
	HSA_OP_ID_NUMBER
};

/* ACTIVITY_DOMAIN_HSA_EVT */
enum hsa_evt_id_t {
	HSA_EVT_ID_ALLOCATE = 0,
	HSA_EVT_ID_DEVICE = 1,
	HSA_EVT_ID_MEMCOPY = 2,
	HSA_EVT_ID_SUBMIT = 3,
	HSA_EVT_ID_KSYMBOL = 4,
	HSA_EVT_ID_CODEOBJ = 5,
	HSA_EVT_ID_NUMBER
};

struct hsa_ops_properties_t {
	void *reserved1[4];
};

typedef struct {
	union {
		struct {
			const void *ptr;
			size_t size; /* bytes; 0: it is being freed */
			hsa_amd_segment_t segment;
			hsa_amd_memory_pool_global_flag_t global_flag;
			int is_code; /* 1: for code */
		} allocate;

		/* The device may use the memory at ptr. */
		struct {
			hsa_device_type_t type;
			uint32_t id; /* GPUs: the driver's node; others: counted from 0 */
			hsa_agent_t agent;
			const void *ptr;
		} device;

		struct {
			const void *dst;
			const void *src;
			size_t size; /* bytes */
		} memcopy;

		/*
		 * A packet was written to a queue, and is about to be given to the GPU. The queue
		 * is locked: the callback may neither wait for a GPU nor create or destroy a queue.
		 */
		struct {
			const void *packet;	 /* 64 bytes, until the callback returns */
			const char *kernel_name; /* NULL: it is not a kernel's */
			hsa_queue_t *queue;
			uint32_t device_type;
			uint32_t device_id;
		} submit;

		struct {
			uint64_t object;
			const char *name;
			uint32_t name_length;
			int unload; /* 1: it goes away */
		} ksymbol;

		struct {
			uint32_t storage_type; /* hsa_ven_amd_loader_code_object_storage_type_t */
			int storage_file;      /* file descriptor, -1: from memory */
			uint64_t memory_base;
			uint64_t memory_size;
			uint64_t load_base;
			uint64_t load_size;
			uint64_t load_delta;
			uint32_t uri_length; /* without the NUL */
			const char *uri;
			int unload;
		} codeobj;
	};
} hsa_evt_data_t;

#endif
