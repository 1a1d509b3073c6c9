// SPDX-License-Identifier: MIT
/*
 * Fuzzes the reading of a recording's chunks: whatever the bytes, what sinks make of them is JSON,
 * or text without control bytes.
 */
#include <ftw.h>
#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/fuzz/written.h"
#include "user/base/log.h"
#include "user/recording/replay.h"

#define FILES_EVERY 16 /* one input of this many is written into files too, which is slow */

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int texts[2];   /* what the text and JSON sinks write */
static char files[64]; /* what the names of others' files and folders begin with */

static void check_event(const struct event *ev, void *arg)
{
	if (ev->begin > ev->end)
		abort();
	output_set__event(arg, ev);
}

static void add_sinks(struct output *out)
{
	const struct output_keys keys = {};
	char path[2][64];

	for (int i = 0; i < 2; i++)
		snprintf(path[i], sizeof(path[i]), "/proc/self/fd/%d", texts[i]);
	if (output_set__add(out, &sink_text, path[0], &keys) ||
	    output_set__add(out, &sink_json, path[1], &keys) ||
	    output_set__add(out, &sink_pftrace, "/dev/null", &keys) ||
	    output_set__add(out, &sink_rtrace, "/dev/null", &keys) ||
	    output_set__add(out, &sink_html, "/dev/null", &keys) ||
	    output_set__add(out, &sink_summary, "/dev/null", &keys) ||
	    output_set__add(out, &sink_folded, "/dev/null", &keys) ||
	    output_set__add(out, &sink_stats, "/dev/null", &keys))
		abort();
}

/* Those that make files. */
static void add_files(struct output *out)
{
	const struct output_keys keys = {};
	char folders[2][80];

	snprintf(folders[0], sizeof(folders[0]), "%s-roctracer", files);
	snprintf(folders[1], sizeof(folders[1]), "%s-otf2", files);
	if (output_set__add(out, &sink_csv, files, &keys) ||
	    output_set__add(out, &sink_rocpd, files, &keys) ||
	    output_set__add(out, &sink_roctracer, folders[0], &keys) ||
	    output_set__add(out, &sink_otf2, folders[1], &keys))
		abort();
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *place)
{
	return remove(path);
}

static void remove_files(void)
{
	char pattern[80];
	glob_t found;

	snprintf(pattern, sizeof(pattern), "%s*", files);
	if (glob(pattern, 0, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		nftw(found.gl_pathv[i], remove_one, 8, FTW_DEPTH | FTW_PHYS);
	globfree(&found);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	log_level = -1;
	for (int i = 0; i < 2; i++)
		texts[i] = memfd_create("text", 0);
	snprintf(files, sizeof(files), "/dev/shm/rtrace-fuzz-%d", getpid());
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct strings *strings = string_pool__new();
	struct output *out = output_set__new(NULL, NULL);
	struct decoder_to to = replay__into(out);
	struct decoder *d;
	const struct trace_stats stats = {};
	bool with_files = size % FILES_EVERY == 0;

	to.event = check_event;
	d = decoder__new(strings, &to);
	if (!strings || !out || !d)
		abort();
	add_sinks(out);
	if (with_files)
		add_files(out);
	decoder__chunk(d, data, size);
	decoder__free(d);
	output_set__close(out, &stats);
	if (with_files)
		remove_files();
	string_pool__free(strings);
	written__check(texts[0], written__is_text);
	written__check(texts[1], written__is_json);
	return 0;
}
