// SPDX-License-Identifier: MIT
/*
 * Reads pairs of a GPU's clock and the system's from the driver.
 */
#include "user/clock/gpu_clock_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/kfd_clock.h"
#include "user/clock/clock_map.h"
#include "user/base/log.h"

#define NODES	  "/sys/class/kfd/kfd/topology/nodes"
#define NODES_MAX 256
#define PAIR_NS	  10000000 /* readings are at least that far apart */

struct gpu {
	uint32_t id;
	char name[64];
	struct clock_map map;
	uint64_t last_read;
	uint64_t pairs, error; /* readings; the widest window */
	bool failed;
};

struct gpuclocks {
	int kfd; /* -1: not open yet, -2: cannot be opened */
	struct gpu *gpus;
	size_t count;
};

static bool read_line(int node, const char *file, char *buf, int size)
{
	char path[128];
	bool read;
	FILE *f;

	snprintf(path, sizeof(path), NODES "/%d/%s", node, file);
	f = fopen(path, "re");
	if (!f)
		return false;
	read = fgets(buf, size, f);
	fclose(f);
	buf[read ? strcspn(buf, "\n") : 0] = '\0';
	return read;
}

static void read_gpus(struct gpuclocks *c)
{
	char line[64];

	for (int node = 0; node < NODES_MAX && read_line(node, "gpu_id", line, sizeof(line));
	     node++) {
		uint32_t id = strtoul(line, NULL, 10);
		struct gpu *grown;

		if (!id) /* a CPU */
			continue;
		grown = realloc(c->gpus, (c->count + 1) * sizeof(*grown));
		if (!grown)
			return;
		c->gpus = grown;
		grown = &c->gpus[c->count++];
		*grown = (struct gpu){.id = id};
		read_line(node, "name", grown->name, sizeof(grown->name));
	}
}

struct gpuclocks *gpu_clock_reader__new(void)
{
	struct gpuclocks *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->kfd = -1;
	read_gpus(c);
	return c;
}

void gpu_clock_reader__free(struct gpuclocks *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->count; i++)
		clock_map__free(&c->gpus[i].map);
	if (c->kfd >= 0)
		close(c->kfd);
	free(c->gpus);
	free(c);
}

static struct gpu *find_gpu(const struct gpuclocks *c, uint32_t id)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->gpus[i].id == id)
			return &c->gpus[i];
	return NULL;
}

bool gpu_clock_reader__gpu(struct gpuclocks *c, uint32_t gpu_id, int32_t *index, const char **name)
{
	const struct gpu *g = find_gpu(c, gpu_id);

	if (!g)
		return false;
	*index = g - c->gpus;
	*name = g->name[0] ? g->name : "GPU";
	return true;
}

uint32_t gpu_clock_reader__only(struct gpuclocks *c)
{
	return c->count == 1 ? c->gpus[0].id : 0;
}

static int open_kfd(struct gpuclocks *c)
{
	if (c->kfd != -1)
		return c->kfd;
	c->kfd = open("/dev/kfd", O_RDWR | O_CLOEXEC);
	if (c->kfd < 0) {
		log_warn("/dev/kfd: %s: no GPU times from signals", strerror(errno));
		c->kfd = -2;
	}
	return c->kfd;
}

static void add_pair(struct gpuclocks *c, struct gpu *g)
{
	int kfd = open_kfd(c);
	struct clock_pair pair;

	if (kfd < 0 || g->failed)
		return;
	if (!kfd_clock_read(kfd, g->id, clock__boot_ns, &pair)) {
		log_warn("GPU %zd: read its clock: %s: no GPU times from its signals", g - c->gpus,
			 strerror(errno));
		g->failed = true;
		return;
	}
	g->last_read = pair.boot;
	g->pairs++;
	if (pair.error > g->error)
		g->error = pair.error;
	clock_map__add(&g->map, &pair); /* without memory it stays coarser */
}

void gpu_clock_reader__begin(struct gpuclocks *c, uint32_t gpu_id)
{
	struct gpu *g = find_gpu(c, gpu_id);

	if (g && !g->map.count)
		add_pair(c, g);
}

int gpu_clock_reader__to_boot(struct gpuclocks *c, uint32_t gpu_id, uint64_t ticks, bool now,
			      uint64_t *boot)
{
	struct gpu *g = find_gpu(c, gpu_id);

	if (!g)
		return -ENODEV;
	if (!clock_map__covers(&g->map, ticks) &&
	    (now || clock__boot_ns() - g->last_read >= PAIR_NS))
		add_pair(c, g);
	if (g->failed || c->kfd < 0)
		return -ENODEV;
	if (!clock_map__covers(&g->map, ticks))
		return -EAGAIN;
	*boot = clock_map__to_boot(&g->map, (struct clock_span){ticks, ticks}, 0).begin;
	return 0;
}

uint64_t gpu_clock_reader__error(const struct gpuclocks *c, uint32_t gpu_id)
{
	const struct gpu *g = find_gpu(c, gpu_id);

	return g ? g->error : 0;
}

void gpu_clock_reader__report(const struct gpuclocks *c)
{
	for (size_t i = 0; i < c->count; i++)
		if (c->gpus[i].pairs)
			log_info("GPU clock: device %zu: error +-%" PRIu64 " ns (worst) of %" PRIu64
				 " readings",
				 i, c->gpus[i].error, c->gpus[i].pairs);
}
