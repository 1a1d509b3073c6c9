/* SPDX-License-Identifier: MIT */
/*
 * The truth log: what the simulated GPUs really executed, one line a packet. See truth.h.
 *
 * A line costs the engine about as much as the packet itself, so it is put together by hand.
 */
#include "tests/simkfd/truth.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tests/simkfd/queue.h"
#include "tests/simkfd/simkfd.h"

#define NAME_MAX_LEN 8192 /* longer kernel names are cut */
#define REST_MAX_LEN 512  /* everything but the kernel's name */

static int fd = -1;
static bool failed;
static pid_t pid;

struct line {
	char text[NAME_MAX_LEN + REST_MAX_LEN];
	size_t len;
};

static void put_text(struct line *l, const char *text, size_t max)
{
	size_t len = strnlen(text, max);

	memcpy(l->text + l->len, text, len);
	l->len += len;
}

static void put_decimal(struct line *l, uint64_t value)
{
	char digits[20];
	size_t i = sizeof(digits);

	do {
		digits[--i] = '0' + value % 10;
		value /= 10;
	} while (value);
	memcpy(l->text + l->len, digits + i, sizeof(digits) - i);
	l->len += sizeof(digits) - i;
}

/* `key` with the separator before it and the equals sign after it. */
static void put_number(struct line *l, const char *key, uint64_t value)
{
	put_text(l, key, REST_MAX_LEN);
	put_decimal(l, value);
}

static void put_triple(struct line *l, const char *key, uint32_t x, uint32_t y, uint32_t z)
{
	put_number(l, key, x);
	put_number(l, ",", y);
	put_number(l, ",", z);
}

static void format(struct line *l, const struct queue *q, const struct truth *t)
{
	put_number(l, "pid=", pid);
	put_number(l, " gpu=", q->gpu);
	put_number(l, " queue=", q->number);
	put_number(l, " n=", t->n);
	put_number(l, " op=", t->op);
	put_text(l, " kind=", REST_MAX_LEN);
	put_text(l, t->kind, REST_MAX_LEN);
	put_text(l, " kernel=", REST_MAX_LEN);
	put_text(l, t->kernel ? t->kernel : "-", NAME_MAX_LEN);
	put_number(l, " bytes=", t->bytes);
	put_triple(l, " grid=", t->grid[0], t->grid[1], t->grid[2]);
	put_triple(l, " wg=", t->workgroup[0], t->workgroup[1], t->workgroup[2]);
	put_number(l, " barrier=", t->barrier);
	put_number(l, " begin=", t->begin);
	put_number(l, " end=", t->end);
	put_text(l, "\n", 1);
}

static void fail(void)
{
	sim__log(0, "truth log, %s: %s", config.truth, strerror(errno));
	failed = true;
}

static bool ready(void)
{
	if (!config.truth || failed)
		return false;
	if (!pid)
		pid = getpid();
	if (fd >= 0)
		return true;
	fd = open(config.truth, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	if (fd < 0)
		fail();
	return fd >= 0;
}

void truth__write(const struct queue *queue, const struct truth *truth)
{
	struct line line;

	if (!ready())
		return;
	line.len = 0;
	format(&line, queue, truth);
	if (write(fd, line.text, line.len) != (ssize_t)line.len)
		fail();
}

void truth__forget(void)
{
	pid = 0;
}
