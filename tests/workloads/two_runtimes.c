// SPDX-License-Identifier: MIT
/*
 * Two HIP runtimes in one process, each on an HSA runtime of its own, as where a library brings
 * copies of both.
 *
 *   two_runtimes namespace LIBRARY   the second in another namespace of the loader, by dlmopen()
 *   two_runtimes copy LIBRARY        the second is a copy under another name
 *
 * LIBRARY has, or needs, the second HIP. Both fill and copy memory, in turn,
 * by HIP's functions and by HSA's that return when it is done.
 */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BYTES (1 << 20)

enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2 };

struct hip {
	int (*malloc)(void **ptr, size_t size);
	int (*memcpy)(void *dst, const void *src, size_t size, int kind);
	int (*memset)(void *dst, int value, size_t size);
	int (*synchronize)(void);
	int (*hsa_copy)(void *dst, const void *src, size_t size);
	int (*hsa_fill)(void *ptr, uint32_t value, size_t count);
	void *memory;
};

static unsigned char host[BYTES];

static bool find(struct hip *hip, void *library)
{
	hip->malloc = dlsym(library, "hipMalloc");
	hip->memcpy = dlsym(library, "hipMemcpy");
	hip->memset = dlsym(library, "hipMemset");
	hip->synchronize = dlsym(library, "hipDeviceSynchronize");
	hip->hsa_copy = dlsym(library, "hsa_memory_copy");
	hip->hsa_fill = dlsym(library, "hsa_amd_memory_fill");
	return hip->malloc && hip->memcpy && hip->memset && hip->synchronize && hip->hsa_copy &&
	       hip->hsa_fill;
}

static bool use(struct hip *hip, int rounds)
{
	bool done = hip->memory || !hip->malloc(&hip->memory, BYTES);

	for (int i = 1; done && i <= rounds; i++) {
		done = !hip->memset(hip->memory, i, BYTES) && !hip->synchronize() &&
		       !hip->memcpy(host, hip->memory, BYTES, DEVICE_TO_HOST) && host[7] == i &&
		       !hip->memcpy(hip->memory, host, BYTES, HOST_TO_DEVICE) &&
		       !hip->hsa_fill(hip->memory, 0x04040404, BYTES / sizeof(uint32_t)) &&
		       !hip->hsa_copy(host, hip->memory, BYTES) && host[7] == 4;
	}
	return done;
}

int main(int argc, char **argv)
{
	void *library = dlopen("libamdhip64.so.5", RTLD_NOW | RTLD_LOCAL);
	struct hip first = {0}, second = {0};
	bool passed;

	if (argc != 3)
		return 2;
	passed = library && find(&first, library) && use(&first, 3);
	library = strcmp(argv[1], "copy") ? dlmopen(LM_ID_NEWLM, argv[2], RTLD_NOW)
					  : dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		fprintf(stderr, "%s\n", dlerror());
	passed = passed && library && find(&second, library) && use(&second, 4) && use(&first, 2) &&
		 use(&second, 1);
	printf("result %s\n", passed ? "PASSED" : "FAILED");
	return !passed;
}
