// SPDX-License-Identifier: MIT
/*
 * Ends come from the same ticks of a GPU. The runtime may have converted them again in between,
 * which makes some ns of difference. HIP has a copy begin when the work before it has ended, and
 * its devices have numbers of their own.
 */
#include "roctracer/graph_work.h"

#include <pthread.h>
#include <stdlib.h>

#include "roctracer/hsa_ops.h"

#define GRAPHS	 256  /* lists */
#define OUTDATED 4096 /* launches ago: what is left of it are kernels of HIP's own */
#define APART_NS 10000

struct work {
	struct work *next;
	uint64_t graph;
	activity_record_t record;
};

static struct work *lists[GRAPHS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t launches;
static bool kernels_wanted;

bool graph_work__wants(uint32_t op)
{
	return __atomic_load_n(&launches, __ATOMIC_RELAXED) &&
	       (op != 0 /* a dispatch */ || __atomic_load_n(&kernels_wanted, __ATOMIC_RELAXED));
}

uint64_t graph_work__launch(bool with_kernels)
{
	uint64_t number;

	if (with_kernels)
		__atomic_store_n(&kernels_wanted, true, __ATOMIC_RELAXED);
	number = __atomic_add_fetch(&launches, 1, __ATOMIC_RELAXED);
	if (number == 1)
		hsa_ops__settle();
	return number;
}

static void forget_outdated(struct work **link, uint64_t graph)
{
	struct work *w;

	while ((w = *link)) {
		if (w->graph + OUTDATED > graph) {
			link = &w->next;
			continue;
		}
		*link = w->next;
		free(w);
	}
}

void graph_work__put(uint64_t graph, const activity_record_t *record)
{
	struct work *w = malloc(sizeof(*w));

	if (!w)
		return;
	pthread_mutex_lock(&lock);
	forget_outdated(&lists[graph % GRAPHS], graph);
	*w = (struct work){lists[graph % GRAPHS], graph, *record};
	lists[graph % GRAPHS] = w;
	pthread_mutex_unlock(&lock);
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* UINT64_MAX: it is another one. */
static uint64_t distance(const struct work *w, uint64_t graph, const activity_record_t *r)
{
	uint64_t ns = apart(w->record.end_ns, r->end_ns);

	return w->graph == graph && w->record.op == r->op && ns < APART_NS ? ns : UINT64_MAX;
}

void graph_work__take(uint64_t graph, const activity_record_t *record, struct hip_work *work)
{
	struct work **nearest = NULL, *found;
	uint64_t least = UINT64_MAX;

	hsa_ops__collect();
	pthread_mutex_lock(&lock);
	for (struct work **link = &lists[graph % GRAPHS]; *link; link = &(*link)->next) {
		uint64_t ns = distance(*link, graph, record);

		if (ns < least) {
			least = ns;
			nearest = link;
		}
	}
	found = nearest ? *nearest : NULL;
	if (found)
		*nearest = found->next;
	pthread_mutex_unlock(&lock);
	if (!found)
		return;
	if (found->record.op == 0) /* a dispatch */
		work->kernel_name = found->record.kernel_name;
	else
		work->bytes = found->record.bytes;
	free(found);
}
