/* SPDX-License-Identifier: MIT */
/*
 * uthash with a keyed hash: many keys are for traced processes to choose (names, addresses,
 * numbers), and none can be chosen so that they meet in one bucket. Include it instead of uthash.h.
 */
#ifndef RTRACE_HASH_H
#define RTRACE_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * A hash of the bytes by a secret that is drawn when the program starts. Who cannot see hashes
 * cannot find keys that share one; for more than that it is no good.
 */
uint32_t hash__bytes(const void *bytes, size_t size);

#define HASH_FUNCTION(keyptr, keylen, hashv) ((hashv) = hash__bytes(keyptr, keylen))

#include <uthash.h>

#endif
