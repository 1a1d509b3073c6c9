// SPDX-License-Identifier: MIT
/*
 * A program with another tool in it that wraps a function of HIP's: it has made the page writable
 * where the program has the function's address, which the loader had made read-only, and writes its
 * wrapper there when it is switched on, and the function when it is switched off. So do libraries
 * that wrap MPI and input and output.
 *
 *   wrapped [--go FILE]
 *
 * Prints `ready` when HIP has been initialised, and waits for the file. Prints how many calls it
 * made, and `result PASSED`.
 */
#include <dlfcn.h>
#include <hip/hip_runtime_api.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SWITCHES 40
#define CALLS	 50 /* between two of them */

typedef hipError_t get_device_fn(int *device);

static get_device_fn *function, **place;
static unsigned long calls, wrapped;

static hipError_t wrapper(int *device)
{
	wrapped++;
	return function(device);
}

/* Where the program has the function's address; before anybody else has put something there. */
static int find_place(struct dl_phdr_info *info, size_t size, void *arg)
{
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		get_device_fn **at = (void *)(info->dlpi_addr + p->p_vaddr);

		if (p->p_type == PT_GNU_RELRO)
			for (size_t n = 0; n < p->p_memsz / sizeof(*at); n++)
				if (at[n] == function)
					place = &at[n];
	}
	return 1; /* the first is the program */
}

static bool unlock(void)
{
	uintptr_t page = (uintptr_t)place & -(uintptr_t)sysconf(_SC_PAGESIZE);

	return !mprotect((void *)page, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE);
}

static void wait_for(const char *file)
{
	while (access(file, F_OK))
		usleep(1000);
}

int main(int argc, char **argv)
{
	int device;

	if (argc != 1 && (argc != 3 || strcmp(argv[1], "--go")))
		return 2;
	function = (get_device_fn *)dlsym(RTLD_DEFAULT, "hipGetDevice");
	dl_iterate_phdr(find_place, NULL);
	if (!place || !unlock()) {
		puts("result FAILED: the program's imports are not as expected");
		return 1;
	}
	hipFree(NULL);
	puts("ready");
	fflush(stdout);
	if (argc == 3)
		wait_for(argv[2]);
	for (int i = 0; i < SWITCHES; i++) {
		__atomic_store_n(place, i % 2 ? function : wrapper, __ATOMIC_RELAXED);
		for (int n = 0; n < CALLS; n++, calls++) {
			hipGetDevice(&device);
			usleep(200);
		}
	}
	printf("calls hipGetDevice %lu\n", calls);
	puts(wrapped ? "result PASSED" : "result FAILED: no call was wrapped");
	return 0;
}
