// SPDX-License-Identifier: MIT
/*
 * Tests the agent's hash map: growth, removal, and readers while it grows.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "inprocess/pointer_map.h"

#define KEYS	100000u
#define READERS 3

/* Like addresses of kernel objects: multiples of 256. */
static uint64_t key_of(uint64_t i)
{
	return 0x7f0000000000 + i * 256;
}

static void test_put_get_remove(void **state)
{
	static struct map map = MAP_INIT;

	assert_int_equal(pointer_map__get(&map, 1), 0);
	for (uint64_t i = 1; i <= KEYS; i++)
		assert_int_equal(pointer_map__put(&map, key_of(i), i), 0);
	for (uint64_t i = 1; i <= KEYS; i++)
		assert_int_equal(pointer_map__get(&map, key_of(i)), i);
	assert_int_equal(pointer_map__get(&map, key_of(KEYS + 1)), 0);

	pointer_map__remove(&map, key_of(5));
	pointer_map__remove(&map, key_of(KEYS + 1));
	assert_int_equal(pointer_map__get(&map, key_of(5)), 0);
	assert_int_equal(pointer_map__get(&map, key_of(6)), 6);
	pointer_map__put(&map, key_of(5), 77);
	assert_int_equal(pointer_map__get(&map, key_of(5)), 77);
}

static struct map shared = MAP_INIT;
static uint64_t present; /* keys 1..present are in the map */
static bool wrong;

static void *read_all(void *arg)
{
	uint64_t n = 0;

	while (n < KEYS) {
		n = __atomic_load_n(&present, __ATOMIC_ACQUIRE);
		for (uint64_t i = n > 2000 ? n - 2000 : 1; i <= n; i++)
			if (pointer_map__get(&shared, key_of(i)) != i)
				wrong = true;
		for (uint64_t i = KEYS + 1; i < KEYS + 100; i++)
			if (pointer_map__get(&shared, key_of(i)))
				wrong = true;
	}
	return NULL;
}

static void test_readers(void **state)
{
	pthread_t readers[READERS];

	for (int i = 0; i < READERS; i++)
		pthread_create(&readers[i], NULL, read_all, NULL);
	for (uint64_t i = 1; i <= KEYS; i++) {
		pointer_map__put(&shared, key_of(i), i);
		__atomic_store_n(&present, i, __ATOMIC_RELEASE);
	}
	for (int i = 0; i < READERS; i++)
		pthread_join(readers[i], NULL);
	assert_false(wrong);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put_get_remove),
		cmocka_unit_test(test_readers),
	};

	return cmocka_run_group_tests_name("agent_map", tests, NULL, NULL);
}
