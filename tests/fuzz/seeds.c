// SPDX-License-Identifier: MIT
/*
 * Gives a fuzz target the inputs of its folder in tests/fuzz/corpus, each by itself: a test that
 * needs no libFuzzer. SEEDS is the folder's name. Which input it was stands before what a sanitizer
 * says of it.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
/* cmocka's header wants those above. */
#include <cmocka.h>

/* As libFuzzer wants them; not every target has the first. */
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void give(const char *path)
{
	FILE *file = fopen(path, "re");
	struct stat st;
	uint8_t *data;

	printf("# %s\n", path);
	fflush(stdout);
	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &st), 0);
	/* Of the input's size: so that a sanitizer sees what is read beyond it. */
	data = malloc(st.st_size);
	assert_int_equal(fread(data, 1, st.st_size, file), st.st_size);
	fclose(file);
	assert_int_equal(LLVMFuzzerTestOneInput(data, st.st_size), 0);
	free(data);
}

static void seeds(void **state)
{
	struct dirent **entries;
	int n = scandir("tests/fuzz/corpus/" SEEDS, &entries, NULL, alphasort), given = 0, i;
	char path[512];

	for (i = 0; i < n; i++) {
		if (entries[i]->d_name[0] != '.') {
			snprintf(path, sizeof(path), "tests/fuzz/corpus/%s/%s", SEEDS,
				 entries[i]->d_name);
			give(path);
			given++;
		}
		free(entries[i]);
	}
	free(entries);
	assert_true(given > 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seeds),
	};

	if (LLVMFuzzerInitialize)
		LLVMFuzzerInitialize(&argc, &argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
