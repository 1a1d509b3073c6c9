// SPDX-License-Identifier: MIT
/*
 * Guarded copies of the application's memory.
 *
 * What each way costs, on a virtual machine of 2 CPUs with Linux 6.18 where gettid() takes 106 ns:
 *
 *   directly                                        4 to 10 ns
 *   process_vm_readv() of 4 to 2048 bytes           815 to 835 ns; of three pieces at once 1790
 *   pread() of /proc/self/mem                       755 ns, and 3.6 us with open() and close()
 *   write() to a pipe and read()                    475 ns, and 4.9 us with pipe2() and close()
 *   prctl(PR_GET_SECCOMP)                           150 ns
 *   whether it is there: rt_sigprocmask()           117 ns
 *
 * No descriptor is kept open: an application that closes all of its descriptors would give ours to
 * a file of its own, to which we would then write. Several pieces at once are not cheaper.
 */
#include "inprocess/peek.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "inprocess/mappings.h"
#include "inprocess/page.h"
#include "inprocess/raw_syscall.h"

#define STACK_PAGES 256		/* as deep as a thread's stack is looked at */
#define SEGMENTS    8		/* of the main program */
#define TEXT_MAX    (1UL << 20) /* bytes of a string that is copied whole */
#define NO_TRACE    __attribute__((no_sanitize("address"), no_sanitize("thread")))

extern void *__libc_stack_end; /* the dynamic loader's: where the first thread's stack began */

/* Addresses from `begin` on and below `end`. */
struct range {
	uintptr_t begin, end;
};

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* How many bytes from there on are in the same page. */
static size_t left_in_page(uintptr_t address)
{
	return PAGE - address % PAGE;
}

/* ---- by the kernel ---- */

static bool refused; /* process_vm_readv() was, by a filter that returns an error */

/* EINVAL: the kernel has no filters. */
static bool is_filtered(void)
{
	long mode = raw_syscall(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0, 0);

	return mode && mode != -EINVAL;
}

/* The thread's own id: that of the process is no use once its first thread has ended. */
static size_t read_by_readv(void *to, uintptr_t from, size_t size)
{
	struct iovec local = {to, size}, remote = {(void *)from, size};
	long tid = raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
	long n = raw_syscall(SYS_process_vm_readv, tid, (long)&local, 1, (long)&remote, 1, 0);

	if (n < 0 && n != -EFAULT && n != -ENOMEM)
		__atomic_store_n(&refused, true, __ATOMIC_RELAXED);
	return n > 0 ? n : 0;
}

/* A page at a time: a pipe takes of a write that faults what came before that page, or nothing. */
static size_t read_by_pipe(void *to, uintptr_t from, size_t size)
{
	size_t done = 0, part = 0;
	int ends[2];
	long n;

	if (raw_syscall(SYS_pipe2, (long)ends, O_CLOEXEC | O_NONBLOCK, 0, 0, 0, 0))
		return 0;
	do {
		part = least(left_in_page(from + done), size - done);
		n = raw_syscall(SYS_write, ends[1], (long)(from + done), part, 0, 0, 0);
		if (n > 0)
			n = raw_syscall(SYS_read, ends[0], (long)to + done, n, 0, 0, 0);
		done += n > 0 ? n : 0;
	} while (n == (long)part && done < size);
	raw_syscall(SYS_close, ends[0], 0, 0, 0, 0, 0);
	raw_syscall(SYS_close, ends[1], 0, 0, 0, 0, 0);
	return done;
}

static bool is_refused(void)
{
	return __atomic_load_n(&refused, __ATOMIC_RELAXED);
}

static size_t read_by_kernel(void *to, uintptr_t from, size_t size)
{
	size_t n = 0;

	if (!is_refused() && !is_filtered())
		n = read_by_readv(to, from, size);
	else
		return read_by_pipe(to, from, size);
	if (!n && is_refused())
		return read_by_pipe(to, from, size);
	return n;
}

/* ---- what can be read directly ---- */

/*
 * The thread's stack, from where it has been found to be readable up to its end. A thread that is
 * not the first has the C library's data at the end of its stack, to which its thread pointer
 * leads.
 */
struct stack {
	struct range known;
	uintptr_t
		refused; /* a page that does not lead there: a coroutine's, an alternate stack's */
	bool is_set_up;
};

static __thread struct stack own __attribute__((tls_model("initial-exec")));

static uintptr_t thread_pointer(void)
{
	uintptr_t pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer)); /* it begins with its own address */
	return pointer;
}

static void set_up(struct stack *s)
{
	bool is_first = raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0) ==
			raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);

	s->known.begin = s->known.end = is_first ? (uintptr_t)__libc_stack_end : thread_pointer();
	s->is_set_up = true;
}

/*
 * Does the page belong to the same stack? If all pages between can be read: a stack has one below
 * it that cannot.
 */
static bool extends_to(const struct stack *s, uintptr_t page)
{
	char byte;

	for (uintptr_t p = page; p < s->known.begin; p += PAGE)
		if (!read_by_kernel(&byte, p, 1))
			return false;
	return true;
}

static bool extend(struct stack *s, uintptr_t here)
{
	uintptr_t page = page__of(here);

	if (!s->is_set_up)
		set_up(s);
	if (page == s->refused || here >= s->known.end ||
	    s->known.begin - page > STACK_PAGES * PAGE)
		return false;
	if (extends_to(s, page))
		s->known.begin = page;
	else
		s->refused = page;
	return page != s->refused;
}

/* Bytes from there on that are on the thread's stack above `here`. */
static inline size_t on_stack(uintptr_t from, uintptr_t here)
{
	struct stack *s = &own;

	if (from < here || (s->is_set_up && from >= s->known.end))
		return 0;
	if ((here < s->known.begin || here >= s->known.end) && !extend(s, here))
		return 0;
	return from < s->known.end ? s->known.end - from : 0;
}

/* Code and constants: a program may unmap or protect what it can write to. */
static struct range segments[SEGMENTS];

static int add_segments(struct dl_phdr_info *info, size_t size, void *arg)
{
	size_t count = 0;

	for (int i = 0; i < info->dlpi_phnum && count < SEGMENTS; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t begin = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && (p->p_flags & (PF_R | PF_W)) == PF_R)
			segments[count++] = (struct range){begin, begin + p->p_memsz};
	}
	return 1; /* the first is the main program */
}

__attribute__((constructor)) static void find_segments(void)
{
	dl_iterate_phdr(add_segments, NULL);
}

static inline size_t in_program(uintptr_t from)
{
	for (int i = 0; i < SEGMENTS && segments[i].end; i++)
		if (from - segments[i].begin < segments[i].end - segments[i].begin)
			return segments[i].end - from;
	return 0;
}

/* Bytes from there on that no thread unmaps. */
static inline size_t readable(const void *from, const void *here)
{
	size_t n = on_stack((uintptr_t)from, (uintptr_t)here);

	return n ? n : in_program((uintptr_t)from);
}

/* A word of memory of any type, at any address. */
typedef uint64_t word __attribute__((aligned(1), may_alias));

/* Not memcpy(), which a sanitizer of the application replaces: it would complain of our reading. */
NO_TRACE static void copy(void *to, const void *from, size_t size)
{
	size_t i = 0;

	for (; i + sizeof(word) <= size; i += sizeof(word))
		*(word *)((char *)to + i) = *(const volatile word *)((const char *)from + i);
	for (; i < size; i++)
		((char *)to)[i] = ((const volatile char *)from)[i];
}

/* ---- copies ---- */

#define HERE __builtin_frame_address(0)

size_t peek__some(void *to, const void *from, size_t size)
{
	size_t n = size ? least(readable(from, HERE), size) : 0;

	copy(to, from, n);
	if (n < size)
		n += read_by_kernel((char *)to + n, (uintptr_t)from + n, size - n);
	return n;
}

bool peek__all(void *to, const void *from, size_t size)
{
	return peek__some(to, from, size) == size;
}

/* Of a change that does not exist, the kernel reads the new mask before it refuses. */
bool peek__is_there(const void *address)
{
	const int no_change = 77;

	return raw_syscall(SYS_rt_sigprocmask, no_change, (long)address, 0, sizeof(uint64_t), 0,
			   0) == -EINVAL;
}

/* process_vm_readv() goes by the protection, a pipe by what the processor can do. */
bool peek__is_write_only(const void *page)
{
	char byte, protection[4];

	if (!is_refused() && !is_filtered() && read_by_readv(&byte, (uintptr_t)page, 1))
		return false;
	return mappings__protection(page, protection) && protection[0] == '-' &&
	       protection[1] == 'w';
}

void *peek__pointer(void *const *from, void *otherwise)
{
	void *value;

	return peek__all(&value, from, sizeof(value)) ? value : otherwise;
}

/* The bytes before the NUL; `size` if there is none. */
NO_TRACE static size_t copy_string(char *to, const char *from, size_t size)
{
	const volatile char *bytes = from;
	size_t n = 0;

	for (; n < size; n++) {
		to[n] = bytes[n];
		if (!to[n])
			break;
	}
	return n;
}

/* The length of a portion; *end: the string, or what can be read of it, ends there. -1: nothing
 * can. */
static long read_portion(char *to, const char *from, size_t max, bool *end)
{
	size_t n = least(readable(from, HERE), max), length, want = n;

	if (n) {
		length = copy_string(to, from, n);
	} else {
		want = least(left_in_page((uintptr_t)from), max);
		n = read_by_kernel(to, (uintptr_t)from, want);
		length = strnlen(to, n);
	}
	*end = length < want;
	return n ? (long)length : -1;
}

static bool is_nul(const char *from)
{
	char byte;

	return !peek__all(&byte, from, 1) || !byte;
}

long peek__string(char *to, const char *from, size_t max)
{
	bool end = false;
	size_t n = 0;
	long part;

	if (!max && !peek__all(to, from, 1))
		return -1;
	while (n < max && !end) {
		part = read_portion(to + n, from + n, max - n, &end);
		if (part < 0 && !n)
			return -1;
		n += part > 0 ? part : 0;
	}
	to[n] = '\0';
	return end || is_nul(from + n) ? (long)n : (long)max + 1;
}

char *peek__strdup(const char *from)
{
	for (size_t room = 256;; room *= 4) {
		char *text = malloc(room + 1);
		long n = text ? peek__string(text, from, room) : -1;

		if (n >= 0 && ((size_t)n <= room || room >= TEXT_MAX))
			return text;
		free(text);
		if (n < 0)
			return NULL;
	}
}
