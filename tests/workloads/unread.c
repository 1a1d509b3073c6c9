// SPDX-License-Identifier: MIT
/*
 * Hands messages to roctx that nobody has read: each is on a page of a file that is mapped and not
 * used yet, in the program and in children that it forks, which end at once.
 *
 *   unread [-n CHILDREN] [-b]
 *
 * -b: then marks with pointers that lead nowhere, to the end of a mapping, and to nothing. Prints
 * the number of messages of each kind: "readable N", "bad N", and "result PASSED".
 */
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "roctracer/roctx.h"
#include "tests/workloads/workload.h"

#define PAGE	 4096
#define MESSAGES 5

static const char usage[] = "unread [-n CHILDREN] [-b]\n";

static const char *const texts[MESSAGES] = {"load", "forward", "backward", "optimizer", "save"};

/* A file with a text at the end of each page, mapped; NULL: failed. */
static const char *map_texts(void)
{
	char path[] = "/tmp/unread.XXXXXX";
	int fd = mkstemp(path);
	const char *map;

	if (fd < 0)
		return NULL;
	unlink(path);
	for (int i = 0; i < MESSAGES; i++) {
		size_t size = strlen(texts[i]) + 1;

		if (pwrite(fd, texts[i], size, (i + 1) * PAGE - size) != (ssize_t)size)
			return NULL;
	}
	map = mmap(NULL, MESSAGES * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	/* Else the kernel maps the neighbours of a page that is used, too. */
	if (map == MAP_FAILED || madvise((void *)map, MESSAGES * PAGE, MADV_RANDOM))
		return NULL;
	return map;
}

static const char *text(const char *map, int i)
{
	return map + (i + 1) * PAGE - strlen(texts[i]) - 1;
}

static void hand_in(const char *map)
{
	for (int i = 0; i < MESSAGES; i++) {
		roctxRangePushA(text(map, i));
		roctxRangePop();
		roctxMarkA(text(map, i));
	}
}

/* errno is the caller's. */
static bool hand_in_bad(void)
{
	char *page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	errno = 4711;
	roctxMarkA(page);
	roctxMarkA((const char *)16);
	roctxMarkA((const char *)-1);
	roctxMarkA(NULL);
	return errno == 4711;
}

int main(int argc, char **argv)
{
	unsigned long children = 3, ended = 0;
	bool bad = false, good = true;
	const char *map = map_texts();
	int option, status;

	while ((option = getopt(argc, argv, "n:bh")) != -1) {
		if (option == 'n')
			children = workload__number(optarg);
		else if (option == 'b')
			bad = true;
		else
			return workload__usage(option, usage);
	}
	if (!map)
		return perror("a file in /tmp"), 1;
	for (unsigned long i = 0; i < children; i++) {
		pid_t pid = fork();

		if (!pid) {
			hand_in(map);
			_exit(0);
		}
		if (pid > 0 && waitpid(pid, &status, 0) == pid && !status)
			ended++;
	}
	hand_in(map);
	if (bad)
		good = hand_in_bad();
	printf("readable %lu\nbad %d\n", (children + 1) * 2 * MESSAGES, bad ? 4 : 0);
	printf("result %s\n", good && ended == children ? "PASSED" : "FAILED");
	return 0;
}
