// SPDX-License-Identifier: MIT
/*
 * Tests guarded copies (inprocess/peek.c): memory that is there, that ends, that is not there, that
 * another thread takes away; with filters of system calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "inprocess/peek.h"

#define PAGE	4096
#define NOWHERE ((const char *)16)

static const char constant[] = "of the program";
static char zeroed[3 * PAGE];

/* Two mapped pages, followed by an unmapped one. */
static char *two_pages(void)
{
	char *p = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_ptr_not_equal(p, MAP_FAILED);
	assert_int_equal(munmap(p + 2 * PAGE, PAGE), 0);
	for (int i = 0; i < 2 * PAGE; i++)
		p[i] = 1 + i % 200;
	return p;
}

static void free_pages(char *p)
{
	munmap(p, 2 * PAGE);
}

/* ---- mapped memory ---- */

static void expect_copy(const void *from, size_t size)
{
	char to[2 * PAGE + 1];

	memset(to, '!', sizeof(to));
	assert_int_equal(peek__some(to, from, size), size);
	assert_memory_equal(to, from, size);
	assert_int_equal(to[size], '!');
	assert_true(peek__all(to, from, size));
}

static void what_is_there_is_copied(void **state)
{
	char local[PAGE], *heap = malloc(PAGE), *pages = two_pages();

	for (int i = 0; i < PAGE; i++)
		local[i] = heap[i] = 7 * i;
	for (size_t size = 0; size < 40; size++) {
		expect_copy(local + 5, size);
		expect_copy(heap + 5, size);
		expect_copy(pages + PAGE - 11, size);
	}
	expect_copy(local, sizeof(local));
	expect_copy(heap, PAGE);
	expect_copy(pages, 2 * PAGE);
	expect_copy(constant, sizeof(constant));
	expect_copy(zeroed, sizeof(zeroed) / 2);
	expect_copy((const void *)what_is_there_is_copied, 16);
	free(heap);
	free_pages(pages);
}

static void what_is_not_there_is_not(void **state)
{
	char *pages = two_pages(), to[2 * PAGE];

	assert_int_equal(peek__some(to, NOWHERE, 4), 0);
	assert_int_equal(peek__some(to, NULL, 8), 0);
	assert_int_equal(peek__some(to, (void *)-PAGE, 8), 0);
	assert_int_equal(peek__some(to, (void *)0x8000000000000000, 8), 0);
	assert_int_equal(peek__some(to, pages + 2 * PAGE - 3, 4), 3);
	assert_memory_equal(to, pages + 2 * PAGE - 3, 3);
	assert_false(peek__all(to, pages + 2 * PAGE - 3, 4));
	assert_true(peek__all(to, pages + 2 * PAGE - 4, 4));
	assert_int_equal(peek__some(to, pages + 1, 2 * PAGE), 2 * PAGE - 1);
	assert_true(peek__all(to, NOWHERE, 0));
	free_pages(pages);
}

static void memory_without_read_permission_is_not_there(void **state)
{
	char *pages = two_pages(), to[8];

	mprotect(pages + PAGE, PAGE, PROT_NONE);
	assert_int_equal(peek__some(to, pages + PAGE, 8), 0);
	assert_int_equal(peek__some(to, pages + PAGE - 3, 8), 3);
	free_pages(pages);
}

static void pointers(void **state)
{
	void *target = (void *)0x1234, **heap = malloc(sizeof(*heap));

	*heap = target;
	assert_ptr_equal(peek__pointer(&target, NULL), target);
	assert_ptr_equal(peek__pointer(heap, NULL), target);
	assert_ptr_equal(peek__pointer((void *)NOWHERE, heap), heap);
	free(heap);
}

/* ---- strings ---- */

static void expect_text(const char *from, size_t max, long result, const char *text)
{
	char to[2 * PAGE + 2];

	memset(to, '!', sizeof(to));
	assert_int_equal(peek__string(to, from, max), result);
	if (text)
		assert_string_equal(to, text);
	assert_int_equal(to[max + 1], '!');
}

static void strings(void **state)
{
	char *pages = two_pages(), local[] = "local", *end = pages + 2 * PAGE;
	char *across = pages + PAGE - 3;

	expect_text(constant, 100, strlen(constant), constant);
	expect_text(local, 5, 5, "local");
	expect_text(local, 4, 5, "loca");
	expect_text(local, 0, 1, "");
	memcpy(end - 4, "abc", 4);
	expect_text(end - 4, 100, 3, "abc");
	expect_text(end - 4, 3, 3, "abc");
	expect_text(end - 4, 2, 3, "ab");
	expect_text(end - 1, 100, 0, "");
	memcpy(end - 3, "xyz", 3);
	expect_text(end - 3, 100, 3, "xyz");
	expect_text(end - 3, 3, 3, "xyz");
	memcpy(across, "across", 7);
	expect_text(across, 100, 6, "across");
	expect_text(across, 3, 4, "acr");
	expect_text(end, 100, -1, NULL);
	expect_text(NOWHERE, 100, -1, NULL);
	expect_text(NOWHERE, 0, -1, NULL);
	free_pages(pages);
}

static void whole_strings(void **state)
{
	size_t lengths[] = {0, 1, 255, 256, 257, 1024, 1025, 300000};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		char *text = malloc(lengths[i] + 1), *copy;

		memset(text, 'x', lengths[i]);
		text[lengths[i]] = '\0';
		copy = peek__strdup(text);
		assert_string_equal(copy, text);
		free(copy);
		free(text);
	}
	assert_null(peek__strdup(NOWHERE));
}

/* ---- stacks ---- */

/* Small frames and large ones: there are untouched pages of the stack between them. */
static int sum_below(int depth, const int *above)
{
	volatile int here = depth, copy = 0;
	volatile char large[3 * PAGE];

	large[0] = 1;
	assert_true(peek__all((void *)&copy, (const void *)&here, sizeof(copy)));
	assert_int_equal(copy, depth);
	assert_true(peek__all((void *)&copy, above, sizeof(copy)));
	assert_int_equal(copy, depth + 1);
	return depth ? sum_below(depth - 1, (const int *)&here) + large[0] : 0;
}

static void *use_stack(void *arg)
{
	int top = 101;

	assert_int_equal(sum_below(100, &top), 100);
	assert_int_equal(sum_below(100, &top), 100);
	return NULL;
}

static void stacks_of_threads(void **state)
{
	pthread_t thread;

	use_stack(NULL);
	for (int i = 0; i < 20; i++) {
		assert_int_equal(pthread_create(&thread, NULL, use_stack, NULL), 0);
		assert_int_equal(pthread_join(thread, NULL), 0);
	}
}

/* Memory between a coroutine's stack and its thread's is no stack. */
static char *gone;
static size_t read_of_gone = 1;
static ucontext_t outside, inside;

static void in_coroutine(void)
{
	char to[8];

	assert_int_equal(peek__some(to, gone, 1), 1);
	munmap(gone, PAGE);
	read_of_gone = peek__some(to, gone, 1);
}

static void *use_coroutine(void *arg)
{
	char *stack =
		mmap(NULL, 32 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	gone = stack + 31 * PAGE;
	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = 31 * PAGE;
	inside.uc_link = &outside;
	makecontext(&inside, in_coroutine, 0);
	swapcontext(&outside, &inside);
	munmap(stack, 31 * PAGE);
	return NULL;
}

static void stacks_of_coroutines(void **state)
{
	pthread_t thread;

	use_coroutine(NULL);
	assert_int_equal(read_of_gone, 0);
	read_of_gone = 1;
	assert_int_equal(pthread_create(&thread, NULL, use_coroutine, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(read_of_gone, 0);
}

/* ---- another thread ---- */

static bool stop;

static void *unmap_and_map(void *arg)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		munmap(arg, PAGE);
		mmap(arg, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	}
	return NULL;
}

static void memory_that_comes_and_goes(void **state)
{
	char *pages = two_pages(), to[64];
	pthread_t thread;

	pages[PAGE] = 0; /* as it is when it comes back */
	stop = false;
	assert_int_equal(pthread_create(&thread, NULL, unmap_and_map, pages + PAGE), 0);
	for (int i = 0; i < 20000; i++) {
		size_t n = peek__some(to, pages + PAGE - 8, sizeof(to));

		assert_true(n == 8 || n == sizeof(to));
		assert_in_range(peek__string(to, pages + PAGE - 8, 40), 8, 8);
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	free_pages(pages);
}

/* ---- errno, the first thread, filters ---- */

static void errno_stays(void **state)
{
	char to[8], *heap = malloc(8);

	errno = 77;
	peek__some(to, NOWHERE, 4);
	peek__some(to, heap, 4);
	peek__string(to, NOWHERE, 4);
	peek__string(to, constant, 4);
	assert_int_equal(errno, 77);
	free(heap);
}

/* In a child: its status. */
static int in_child(void (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		fn();
		_exit(7);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void read_all_sorts(void)
{
	char *pages = two_pages(), to[2 * PAGE];
	char *heap = malloc(16);
	int descriptor = dup(2), another;

	memcpy(heap, "on the heap", 12);
	if (peek__string(to, heap, 100) != 11 || strcmp(to, heap))
		_exit(1);
	if (peek__some(to, NOWHERE, 4) || peek__string(to, NOWHERE, 4) != -1)
		_exit(2);
	if (peek__some(to, pages + 1, 2 * PAGE) != 2 * PAGE - 1 ||
	    memcmp(to, pages + 1, 2 * PAGE - 1))
		_exit(3);
	if (!peek__all(to, &heap, sizeof(heap)) || memcmp(to, &heap, sizeof(heap)))
		_exit(4);
	another = dup(2);
	if (another > descriptor + 1) /* none is left open */
		_exit(5);
	close(another);
	close(descriptor);
	free(heap);
	free_pages(pages);
}

static void *after_the_first(void *first)
{
	pthread_join(*(pthread_t *)first, NULL);
	read_all_sorts();
	_exit(7);
}

static void without_first_thread(void)
{
	static pthread_t first, other;

	first = pthread_self();
	pthread_create(&other, NULL, after_the_first, &first);
	pthread_exit(NULL);
}

static void the_first_thread_has_ended(void **state)
{
	assert_int_equal(in_child(without_first_thread), 7 << 8);
}

/* process_vm_readv() ends with that. */
static void filter(uint32_t action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(99);
}

static void filtered_by_error(void)
{
	filter(SECCOMP_RET_ERRNO | EPERM);
	read_all_sorts();
}

static void filtered_by_death(void)
{
	filter(SECCOMP_RET_KILL_PROCESS);
	read_all_sorts();
}

static void filtered_later(void)
{
	read_all_sorts();
	filter(SECCOMP_RET_KILL_PROCESS);
	read_all_sorts();
}

/* The call that asks for filters is refused as well. */
static void filtered_twice(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	filter(SECCOMP_RET_KILL_PROCESS);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(99);
	read_all_sorts();
}

/* Any of those that peek makes. */
static void filter_all(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 3, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pipe2, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(99);
}

static void *read_without_kernel(void *arg)
{
	char to[100], local[] = "on the stack", *heap = malloc(8);

	if (!peek__all(to, local, sizeof(local)))
		_exit(1);
	filter_all();
	if (!peek__all(to, local, sizeof(local)) || memcmp(to, local, sizeof(local)))
		_exit(2);
	if (peek__string(to, constant, 99) != strlen(constant) || strcmp(to, constant))
		_exit(3);
	if (arg)
		peek__all(to, arg == &stop ? heap : arg, 8); /* needs the kernel */
	_exit(7);
}

static void directly(void)
{
	read_without_kernel(NULL);
}

static void directly_in_a_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, read_without_kernel, NULL);
	pthread_join(thread, NULL);
}

static void not_directly(void)
{
	read_without_kernel(&stop);
}

static void not_what_the_program_can_write(void)
{
	read_without_kernel(zeroed);
}

static void what_needs_no_system_call(void **state)
{
	assert_int_equal(in_child(directly), 7 << 8);
	assert_int_equal(in_child(directly_in_a_thread), 7 << 8);
	assert_int_equal(in_child(not_directly) & 0x7f, SIGSYS);
	assert_int_equal(in_child(not_what_the_program_can_write) & 0x7f, SIGSYS);
}

static void filters_of_system_calls(void **state)
{
	assert_int_equal(in_child(filtered_by_error), 7 << 8);
	assert_int_equal(in_child(filtered_by_death), 7 << 8);
	assert_int_equal(in_child(filtered_later), 7 << 8);
	assert_int_equal(in_child(filtered_twice), 7 << 8);
}

static void forked_children(void **state)
{
	read_all_sorts();
	assert_int_equal(in_child(read_all_sorts), 7 << 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_there_is_copied),
		cmocka_unit_test(what_is_not_there_is_not),
		cmocka_unit_test(memory_without_read_permission_is_not_there),
		cmocka_unit_test(pointers),
		cmocka_unit_test(strings),
		cmocka_unit_test(whole_strings),
		cmocka_unit_test(stacks_of_threads),
		cmocka_unit_test(stacks_of_coroutines),
		cmocka_unit_test(memory_that_comes_and_goes),
		cmocka_unit_test(errno_stays),
		cmocka_unit_test(the_first_thread_has_ended),
		cmocka_unit_test(filters_of_system_calls),
		cmocka_unit_test(what_needs_no_system_call),
		cmocka_unit_test(forked_children),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
