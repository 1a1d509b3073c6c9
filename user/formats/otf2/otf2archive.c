// SPDX-License-Identifier: MIT
/*
 * The calls into the OTF2 library.
 */
#include "user/formats/otf2/otf2archive.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "user/formats/otf2/otf2files.h"

/* ---- errors ---- */

static int errno_of(OTF2_ErrorCode code)
{
	static const struct {
		OTF2_ErrorCode code;
		int error;
	} errors[] = {
		{OTF2_ERROR_ENOSPC, ENOSPC}, {OTF2_ERROR_EFBIG, EFBIG},
		{OTF2_ERROR_EDQUOT, EDQUOT}, {OTF2_ERROR_ENOMEM, ENOMEM},
		{OTF2_ERROR_EACCES, EACCES}, {OTF2_ERROR_EROFS, EROFS},
		{OTF2_ERROR_EMFILE, EMFILE}, {OTF2_ERROR_MEM_ALLOC_FAILED, ENOMEM},
	};

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].code == code)
			return errors[i].error;
	return EIO;
}

static int check(struct otf2archive *a, OTF2_ErrorCode code)
{
	if (code != OTF2_SUCCESS && !a->error)
		a->error = -errno_of(code);
	return a->error;
}

/* The library's own words go nowhere: there is one line of ours at the end. */
static OTF2_ErrorCode on_error(void *arg, const char *file, uint64_t line, const char *function,
			       OTF2_ErrorCode code, const char *format, va_list args)
{
	if (code > OTF2_SUCCESS) /* those below are warnings */
		check(arg, code);
	return code;
}

/* ---- memory ---- */

/* One chunk for each buffer: when it is full, it is written. */
static void *allocate(void *arg, OTF2_FileType type, OTF2_LocationRef location, void **buffer,
		      uint64_t size)
{
	if (*buffer)
		return NULL;
	*buffer = malloc(size);
	return *buffer;
}

static void free_all(void *arg, OTF2_FileType type, OTF2_LocationRef location, void **buffer,
		     bool final)
{
	free(*buffer);
	*buffer = NULL;
}

static OTF2_FlushType before_flush(void *arg, OTF2_FileType type, OTF2_LocationRef location,
				   void *caller, bool final)
{
	return OTF2_FLUSH;
}

/* ---- the archive ---- */

static int set_up(struct otf2archive *a)
{
	static const OTF2_MemoryCallbacks memory = {allocate, free_all};
	static const OTF2_FlushCallbacks flush = {before_flush, NULL};

	check(a, OTF2_Archive_SetMemoryCallbacks(a->archive, &memory, NULL));
	check(a, OTF2_Archive_SetFlushCallbacks(a->archive, &flush, NULL));
	check(a, OTF2_Archive_SetSerialCollectiveCallbacks(a->archive));
	check(a, OTF2_Archive_SetCreator(a->archive, "rtrace " RTRACE_VERSION));
	return check(a, OTF2_Archive_OpenEvtFiles(a->archive));
}

int otf2archive__open(struct otf2archive *a, int folder)
{
	char path[64];

	*a = (struct otf2archive){.attributes = OTF2_AttributeList_New()};
	a->mask = umask(077);
	if (!a->attributes)
		return check(a, OTF2_ERROR_ENOMEM);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", folder);
	OTF2_Error_RegisterCallback(on_error, a);
	a->archive = OTF2_Archive_Open(path, OTF2FILES_NAME, OTF2_FILEMODE_WRITE,
				       OTF2_CHUNK_SIZE_MIN, OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT,
				       OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	return a->archive ? set_up(a) : check(a, OTF2_ERROR_EIO);
}

int otf2archive__begin_location(struct otf2archive *a, uint64_t location)
{
	a->events = OTF2_Archive_GetEvtWriter(a->archive, location);
	return a->events ? a->error : check(a, OTF2_ERROR_EIO);
}

int otf2archive__enter(struct otf2archive *a, uint64_t time, uint32_t region, uint32_t category,
		       uint64_t corr)
{
	OTF2_AttributeList_RemoveAllAttributes(a->attributes);
	check(a, OTF2_AttributeList_AddStringRef(a->attributes, OTF2_ATTRIBUTE_CATEGORY, category));
	if (corr)
		check(a, OTF2_AttributeList_AddUint64(a->attributes, OTF2_ATTRIBUTE_CORR, corr));
	return check(a, OTF2_EvtWriter_Enter(a->events, a->attributes, time, region));
}

int otf2archive__leave(struct otf2archive *a, uint64_t time, uint32_t region)
{
	return check(a, OTF2_EvtWriter_Leave(a->events, NULL, time, region));
}

int otf2archive__end_location(struct otf2archive *a)
{
	OTF2_EvtWriter *events = a->events;

	a->events = NULL;
	return check(a, OTF2_Archive_CloseEvtWriter(a->archive, events));
}

/* Locations have no definitions of their own: empty files, which readers look for. */
static void write_local(struct otf2archive *a, uint64_t location)
{
	OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(a->archive, location);

	if (writer)
		check(a, OTF2_Archive_CloseDefWriter(a->archive, writer));
	else
		check(a, OTF2_ERROR_EIO);
}

int otf2archive__begin_definitions(struct otf2archive *a, const uint64_t *locations, size_t count)
{
	check(a, OTF2_Archive_CloseEvtFiles(a->archive));
	check(a, OTF2_Archive_OpenDefFiles(a->archive));
	for (size_t i = 0; i < count && !a->error; i++)
		write_local(a, locations[i]);
	check(a, OTF2_Archive_CloseDefFiles(a->archive));
	if (!a->error)
		a->definitions = OTF2_Archive_GetGlobalDefWriter(a->archive);
	return a->definitions ? a->error : check(a, OTF2_ERROR_EIO);
}

uint32_t otf2archive__string(struct otf2archive *a, const char *text)
{
	check(a, OTF2_GlobalDefWriter_WriteString(a->definitions, a->strings, text));
	return a->strings++;
}

int otf2archive__close(struct otf2archive *a)
{
	if (a->archive)
		check(a, OTF2_Archive_Close(a->archive));
	OTF2_AttributeList_Delete(a->attributes);
	OTF2_Error_RegisterCallback(NULL, NULL);
	umask(a->mask);
	a->archive = NULL;
	return a->error;
}
