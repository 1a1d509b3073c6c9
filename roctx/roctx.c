// SPDX-License-Identifier: MIT
/*
 * What the ROC-TX functions do: count levels, give out identifiers, report to a tool that asked.
 *
 * The functions here are hidden. The public names are in entry.S, which gives each one an entry
 * that is cheap to probe and then jumps here.
 */
#include "roctx/levels.h"
#include "roctx/resident.h"
#include "roctracer/roctx.h"
#include "roctx/roctx_tracer.h"

#include <stddef.h>

/* The targets of entry.S. */
uint32_t roctx__version_major(void);
uint32_t roctx__version_minor(void);
void roctx__mark(const char *message);
int roctx__range_push(const char *message);
int roctx__range_pop(void);
roctx_range_id_t roctx__range_start(const char *message);
void roctx__range_stop(roctx_range_id_t id);
void roctx__register_tracer_callback(roctx_tracer_t function);

/* Those of them that are handed a message, as code. */
extern const volatile unsigned char roctx__mark_entry[], roctx__range_push_entry[],
	roctx__range_start_entry[];

static roctx_tracer_t tracer;

__attribute__((constructor)) static void init(void)
{
	resident__init();
}

static void report(enum roctx_operation operation, const char *message, roctx_range_id_t id)
{
	roctx_tracer_t function = __atomic_load_n(&tracer, __ATOMIC_ACQUIRE);
	struct roctx_tracer_data data = {.message = message, .id = id};

	if (function)
		function(ROCTX_TRACER_DOMAIN, operation, &data);
}

uint32_t roctx__version_major(void)
{
	return ROCTX_VERSION_MAJOR;
}

uint32_t roctx__version_minor(void)
{
	return ROCTX_VERSION_MINOR;
}

void roctx__mark(const char *message)
{
	resident__make(message, roctx__mark_entry);
	report(ROCTX_OPERATION_MARK, message, 0);
}

int roctx__range_push(const char *message)
{
	resident__make(message, roctx__range_push_entry);
	report(ROCTX_OPERATION_RANGE_PUSH, message, 0);
	return levels__push();
}

int roctx__range_pop(void)
{
	report(ROCTX_OPERATION_RANGE_POP, NULL, 0);
	return levels__pop();
}

roctx_range_id_t roctx__range_start(const char *message)
{
	roctx_range_id_t id = levels__new_id();

	resident__make(message, roctx__range_start_entry);
	report(ROCTX_OPERATION_RANGE_START, message, id);
	return id;
}

void roctx__range_stop(roctx_range_id_t id)
{
	report(ROCTX_OPERATION_RANGE_STOP, NULL, id);
}

void roctx__register_tracer_callback(roctx_tracer_t function)
{
	__atomic_store_n(&tracer, function, __ATOMIC_RELEASE);
}
