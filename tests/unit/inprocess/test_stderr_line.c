// SPDX-License-Identifier: MIT
/*
 * Tests lines on stderr (inprocess/stderr_line.c): what comes out, and that nothing happens to the
 * thread that writes where nobody reads, where there is no room, where a file may grow no more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inprocess/held_signals.h"
#include "inprocess/stderr_line.h"

__attribute__((format(printf, 1, 2))) static void line(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	stderr_line__write("name", fmt, args);
	va_end(args);
}

/* In a child that has the descriptor as its stderr: its status. */
static int in_child(int fd, void (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		if (fd < 0)
			close(STDERR_FILENO);
		else
			dup2(fd, STDERR_FILENO);
		alarm(250);
		fn();
		_exit(7);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return status;
}

static void write_line(void)
{
	sigset_t before, after;

	pthread_sigmask(SIG_SETMASK, NULL, &before);
	errno = 77;
	line("%d and %s", 5, "six");
	if (errno != 77)
		_exit(1);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	if (memcmp(&before, &after, 8))
		_exit(2);
	sigpending(&after);
	if (sigismember(&after, SIGPIPE) || sigismember(&after, SIGXFSZ))
		_exit(3);
}

static void lines_in_a_pipe(void **state)
{
	char text[100] = "";
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(in_child(ends[1], write_line), 7 << 8);
	assert_int_equal(read(ends[0], text, sizeof(text) - 1), 16);
	assert_string_equal(text, "name: 5 and six\n");
	close(ends[0]);
	close(ends[1]);
}

static void write_long(void)
{
	line("%0600d", 1);
}

static void long_lines(void **state)
{
	char text[1000];
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(in_child(ends[1], write_long), 7 << 8);
	assert_in_range(read(ends[0], text, sizeof(text)), 400, 512);
	assert_memory_equal(text, "name: 000", 9);
	close(ends[0]);
	close(ends[1]);
}

static void lines_in_a_file(void **state)
{
	FILE *f = tmpfile();
	char text[100] = "";

	assert_int_equal(in_child(fileno(f), write_line), 7 << 8);
	assert_int_equal(in_child(fileno(f), write_line), 7 << 8);
	assert_int_equal(pread(fileno(f), text, sizeof(text) - 1, 0), 32);
	assert_string_equal(text, "name: 5 and six\nname: 5 and six\n");
	fclose(f);
}

static void no_reader(void **state)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_int_equal(in_child(ends[1], write_line), 7 << 8);
	close(ends[1]);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	close(ends[0]);
	assert_int_equal(in_child(ends[1], write_line), 7 << 8);
	close(ends[1]);
	assert_int_equal(in_child(-1, write_line), 7 << 8);
}

static void no_room(void **state)
{
	char filler[4096] = "";
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	fcntl(ends[1], F_SETFL, O_NONBLOCK);
	while (write(ends[1], filler, sizeof(filler)) > 0)
		;
	fcntl(ends[1], F_SETFL, 0);
	assert_int_equal(in_child(ends[1], write_line), 7 << 8);
	close(ends[0]);
	close(ends[1]);
}

static void write_too_much(void)
{
	const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_FSIZE, &none);
	write_line();
}

static void file_that_may_not_grow(void **state)
{
	FILE *f = tmpfile();

	assert_int_equal(in_child(fileno(f), write_too_much), 7 << 8);
	assert_int_equal(lseek(fileno(f), 0, SEEK_END), 0);
	fclose(f);
}

static void own_pipe_is_deadly(void)
{
	if (write(STDERR_FILENO, "x", 1) < 0)
		_exit(1);
}

static void write_line_and_own(void)
{
	write_line();
	own_pipe_is_deadly();
}

/* The application's own write is what it was. */
static void signals_of_the_application(void **state)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_int_equal(in_child(ends[1], write_line_and_own), SIGPIPE);
	close(ends[1]);
}

static void with_pending(void)
{
	struct held_signals held;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_kill(pthread_self(), SIGPIPE);
	held_signals__begin(&held);
	if (write(STDERR_FILENO, "x", 1) >= 0 || errno != EPIPE)
		_exit(1);
	held_signals__end(&held);
	sigpending(&set);
	if (!sigismember(&set, SIGPIPE))
		_exit(2);
}

static void held(void)
{
	struct held_signals held;

	held_signals__begin(&held);
	if (write(STDERR_FILENO, "x", 1) >= 0 || errno != EPIPE)
		_exit(1);
	held_signals__end(&held);
}

static void pending_signals_stay(void **state)
{
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_int_equal(in_child(ends[1], held), 7 << 8);
	assert_int_equal(in_child(ends[1], with_pending), 7 << 8);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_in_a_pipe),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(lines_in_a_file),
		cmocka_unit_test(no_reader),
		cmocka_unit_test(no_room),
		cmocka_unit_test(file_that_may_not_grow),
		cmocka_unit_test(signals_of_the_application),
		cmocka_unit_test(pending_signals_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
