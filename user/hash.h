/* SPDX-License-Identifier: MIT */
/*
 * uthash with a keyed hash: many keys are for traced processes to choose (names, addresses,
 * numbers), and none can be chosen so that they meet in one bucket. Include it instead of uthash.h.
 */
#ifndef RTRACE_HASH_H
#define RTRACE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/*
 * A hash of the bytes by a secret that is drawn when the program starts. Who cannot see hashes
 * cannot find keys that share one; for more than that it is no good.
 */
uint32_t hash__bytes(const void *bytes, size_t size);

#define HASH_FUNCTION(keyptr, keylen, hashv) ((hashv) = hash__bytes(keyptr, keylen))

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
