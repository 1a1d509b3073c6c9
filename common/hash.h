/* SPDX-License-Identifier: MIT */
/*
 * uthash with a keyed hash: many keys are for traced processes to choose (names, addresses,
 * numbers), and none can be chosen so that they meet in one bucket. Include it instead of uthash.h.
 */
#ifndef RTRACE_COMMON_HASH_H
#define RTRACE_COMMON_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * A hash of the bytes by a secret that is drawn when the program starts. An attacker that cannot
 * see hashes cannot find keys that share one; the hash protects against nothing more.
 */
uint32_t hash__bytes(const void *bytes, size_t size);

extern uint64_t hash__secret[2];

static inline uint64_t hash__fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint32_t hash__last(uint64_t hash, const void *bytes, size_t size)
{
	uint64_t word = 0;

	memcpy(&word, bytes, size);
	hash = hash__fold(hash ^ word, hash__secret[1]);
	return hash ^ hash >> 32;
}

/* The same hash either way: where the compiler knows that a key is short, it needs no loop. */
#define HASH_FUNCTION(keyptr, keylen, hashv)                                         \
	((hashv) = __builtin_constant_p(keylen) && (keylen) <= sizeof(uint64_t)      \
			   ? hash__last(hash__secret[0], keyptr,                     \
					(keylen) <= sizeof(uint64_t) ? (keylen) : 0) \
			   : hash__bytes(keyptr, keylen))

#include <uthash.h>

/*
 * The item of that key, in its member `field`; if there is none, a new one, that and else zeroed.
 * NULL: no memory. For files with HASH_NONFATAL_OOM.
 */
#define HASH_FIND_OR_ADD(head, field, value, item)                          \
	do {                                                                \
		HASH_FIND(hh, head, &(value), sizeof((item)->field), item); \
		if (item)                                                   \
			break;                                              \
		(item) = calloc(1, sizeof(*(item)));                        \
		if (!(item))                                                \
			break;                                              \
		(item)->field = (value);                                    \
		HASH_ADD(hh, head, field, sizeof((item)->field), item);     \
		if (!(item)->hh.tbl) {                                      \
			free(item);                                         \
			(item) = NULL;                                      \
		}                                                           \
	} while (0)

#endif
