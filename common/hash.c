// SPDX-License-Identifier: MIT
/*
 * A keyed hash of short keys.
 */
#include "common/hash.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

uint64_t hash__secret[2];

__attribute__((constructor)) static void draw_secret(void)
{
	struct timespec now;

	if (getrandom(hash__secret, sizeof(hash__secret), GRND_NONBLOCK) == sizeof(hash__secret))
		return;
	clock_gettime(CLOCK_REALTIME, &now); /* just after boot: better than nothing */
	hash__secret[0] = (uint64_t)now.tv_nsec << 32 ^ now.tv_sec;
	hash__secret[1] = (uintptr_t)&now;
}

uint32_t hash__bytes(const void *bytes, size_t size)
{
	uint64_t hash = hash__secret[0], word;
	const char *at = bytes;

	for (; size > sizeof(word); size -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = hash__fold(hash ^ word, hash__secret[1]);
	}
	return hash__last(hash, at, size);
}
