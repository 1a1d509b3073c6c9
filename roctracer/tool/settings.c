// SPDX-License-Identifier: MIT
/*
 * Reads the environment, which belongs to the application as well: nothing in it is changed.
 */
#include "roctracer/tool/settings.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "roctracer/tool/tool_internal.h"

#define BUFFER_SIZE 0x100000

static struct settings settings = {.buffer_size = BUFFER_SIZE};

/* ---- ROCTRACER_DOMAIN ---- */

static void add_domain(const char *word, size_t len)
{
	struct wanted *w = &settings.wanted;

	if (len == 5 && !strncmp(word, "roctx", len)) {
		w->roctx = true;
	} else if (len == 3 && !strncmp(word, "hip", len)) {
		w->hip = true;
	} else if (len == 3 && !strncmp(word, "hsa", len)) {
		w->hsa = w->hsa_ops = true;
	} else if (len == 3 && !strncmp(word, "sys", len)) {
		w->hsa = w->hip = true;
	} else {
		tool__warn("ROCTRACER_DOMAIN: \"%.*s\" cannot be traced: only roctx, hsa, hip, sys",
			   (int)len, word);
	}
}

static void add_domains(const char *text)
{
	size_t len;

	while (*text) {
		for (len = 0; isalnum((unsigned char)text[len]); len++)
			;
		if (len)
			add_domain(text, len);
		text += len ? len : 1;
	}
}

/* ---- times ---- */

/* "-1:0:0": the application starts it. */
static void read_periods(const char *text)
{
	struct settings *s = &settings;
	int end = 0;

	if (sscanf(text, "%u:%u:%u%n", &s->delay_us, &s->length_us, &s->rate_us, &end) != 3 ||
	    text[end] || s->length_us > s->rate_us)
		tool__warn("ROCP_CTRL_RATE=%s: not DELAY:LENGTH:RATE, in us: all is traced", text);
	else if (s->delay_us == UINT32_MAX)
		s->stopped = true;
	else if (!s->length_us)
		tool__warn("ROCP_CTRL_RATE=%s: a length of 0: all is traced", text);
	else
		s->periods = true;
}

/* A positive number; `otherwise` if it is none. */
static size_t read_number(const char *name, size_t otherwise)
{
	const char *text = getenv(name);
	unsigned long long value;
	char *end;

	if (!text)
		return otherwise;
	value = strtoull(text, &end, 10);
	if (value && !*end && *text != '-' && value <= UINT32_MAX)
		return value;
	tool__warn("%s=%s: not a number from 1 to %u", name, text, UINT32_MAX);
	return otherwise;
}

/* ---- */

static void refuse_plugin(void)
{
	const char *plugin = getenv("ROCTRACER_PLUGIN_LIB");

	if (plugin && strcmp(plugin, "libfile_plugin.so"))
		tool__warn("ROCTRACER_PLUGIN_LIB=%s: there are no plugins: files are written",
			   plugin);
}

static void read_all(void)
{
	const char *domains = getenv("ROCTRACER_DOMAIN"), *input = getenv("ROCP_INPUT");
	const char *periods = getenv("ROCP_CTRL_RATE"), *truncate = getenv("ROCP_TRUNCATE_NAMES");

	settings.folder = getenv("ROCP_OUTPUT_DIR");
	if (domains)
		add_domains(domains);
	if (input)
		input__read(input, &settings.wanted);
	if (periods)
		read_periods(periods);
	settings.flush_us = read_number("ROCP_FLUSH_RATE", 0);
	settings.buffer_size = read_number("ROCTRACER_BUFFER_SIZE", BUFFER_SIZE);
	settings.truncate_names = truncate && atoi(truncate);
	refuse_plugin();
}

const struct settings *settings__get(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_all);
	return &settings;
}
