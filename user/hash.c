// SPDX-License-Identifier: MIT
/*
 * A keyed hash of short keys.
 */
#include "user/hash.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

static uint64_t secret[3];

__attribute__((constructor)) static void draw_secret(void)
{
	struct timespec now;

	if (getrandom(secret, sizeof(secret), GRND_NONBLOCK) == sizeof(secret))
		return;
	clock_gettime(CLOCK_REALTIME, &now); /* just after boot: better than nothing */
	secret[0] = (uint64_t)now.tv_nsec << 32 ^ now.tv_sec;
	secret[1] = secret[2] = (uintptr_t)&now;
}

static uint64_t fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint32_t hash__bytes(const void *bytes, size_t size)
{
	uint64_t hash = secret[0] + size, word;
	const char *at = bytes;

	for (; size >= sizeof(word); size -= sizeof(word), at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		hash = fold(hash ^ word, secret[1]);
	}
	word = 0;
	memcpy(&word, at, size);
	hash = fold(hash ^ word, secret[2]);
	return hash ^ hash >> 32;
}
