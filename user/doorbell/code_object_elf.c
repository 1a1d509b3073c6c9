// SPDX-License-Identifier: MIT
/*
 * Reads the list of a process's code objects and the kernels of one, from bytes that the process
 * chooses.
 */
#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "user/doorbell/code_objects.h"

#define OBJECTS_MAX  4096 /* of a process */
#define SECTIONS_MAX 4096
#define SYMBOLS_MAX  (16u << 20) /* bytes of the symbols, and of their names */
#define SCANNED_MAX  (64u << 20) /* bytes of names, which may overlap */
#define NAME_MAX_LEN 65536

/* ---- where a code object is ---- */

static int hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

/* Takes "%20" for a blank, up to `end`. false: too long. */
static bool decode_path(char *to, size_t size, const char *from, const char *end)
{
	size_t len = 0;

	for (; from < end; from++) {
		char c = *from;

		if (c == '%' && end - from > 2 && isxdigit((unsigned char)from[1]) &&
		    isxdigit((unsigned char)from[2])) {
			c = (char)(hex_digit(from[1]) << 4 | hex_digit(from[2]));
			from += 2;
		}
		if (!c || len + 1 >= size)
			return false;
		to[len++] = c;
	}
	to[len] = '\0';
	return len;
}

/* The number that follows "NAME=" in "offset=N&size=N". false: there is none. */
static bool number_of(const char *list, const char *name, uint64_t *number)
{
	const char *at = strstr(list, name);
	char *end;

	if (!at || (at > list && at[-1] != '&'))
		return false;
	at += strlen(name);
	if (!isdigit((unsigned char)*at))
		return false;
	errno = 0;
	*number = strtoull(at, &end, 0);
	return !errno && (!*end || *end == '&');
}

bool code_place__parse(struct code_place *place, const char *uri)
{
	static const char file[] = "file://", memory[] = "memory://";
	const char *list = strchr(uri, '#');

	memset(place, 0, sizeof(*place));
	if (list && (!number_of(list + 1, "offset=", &place->offset) ||
		     !number_of(list + 1, "size=", &place->size) || !place->size))
		return false;
	if (!strncmp(uri, memory, strlen(memory))) {
		place->in_memory = true;
		return list && place->offset + place->size > place->offset;
	}
	if (strncmp(uri, file, strlen(file)))
		return false;
	uri += strlen(file);
	return *uri == '/' &&
	       decode_path(place->path, sizeof(place->path), uri, list ? list : uri + strlen(uri));
}

/* ---- the list ---- */

/* The same as in the C library's <link.h>, but for pointers of another process. */
struct remote_debug {
	int32_t version, pad;
	uint64_t map;
	uint64_t brk;
	int32_t state, pad2; /* 0: the list is whole */
};

struct remote_map {
	uint64_t base;
	uint64_t name;
	uint64_t dynamic;
	uint64_t next, prev;
};

static bool read_all(code_read *read, void *arg, uint64_t offset, void *buf, size_t size)
{
	return read(arg, offset, buf, size) == (ssize_t)size;
}

/* A string may end right before memory that is not there. */
static bool read_string(code_read *read, void *arg, uint64_t at, char *buf, size_t size)
{
	ssize_t n = at ? read(arg, at, buf, size - 1) : -1;

	if (n <= 0)
		return false;
	buf[n] = '\0';
	return strlen(buf) < (size_t)n;
}

int code_list__walk(code_read *read, void *read_arg, uint64_t r_debug,
		    void (*fn)(const struct code_entry *e, void *arg), void *arg)
{
	struct remote_debug debug;
	struct remote_map map;
	struct code_entry *e;
	int left = OBJECTS_MAX;

	if (!read_all(read, read_arg, r_debug, &debug, sizeof(debug)))
		return -EFAULT;
	if (debug.state)
		return -EAGAIN;
	e = malloc(sizeof(*e));
	if (!e)
		return -ENOMEM;
	for (uint64_t at = debug.map; at && left--; at = map.next) {
		if (!read_all(read, read_arg, at, &map, sizeof(map)))
			break; /* it is being changed, or is none */
		e->base = map.base;
		if (read_string(read, read_arg, map.name, e->uri, sizeof(e->uri)))
			fn(e, arg);
	}
	free(e);
	return 0;
}

/* ---- its kernels ---- */

struct elf {
	code_read *read;
	void *arg;
	uint64_t size;
	Elf64_Ehdr header;
	Elf64_Shdr *sections;
	size_t section_count;
};

static bool lies_inside(const struct elf *e, uint64_t offset, uint64_t size)
{
	return offset <= e->size && size <= e->size - offset;
}

/* NULL: the piece is outside the file, is too large, or cannot be read. */
static void *read_piece(const struct elf *e, uint64_t offset, uint64_t size, uint64_t max)
{
	char *piece;

	if (!size || size > max || !lies_inside(e, offset, size))
		return NULL;
	piece = malloc(size + 1);
	if (!piece)
		return NULL;
	piece[size] = '\0';
	if (read_all(e->read, e->arg, offset, piece, size))
		return piece;
	free(piece);
	return NULL;
}

static int open_elf(struct elf *e)
{
	const Elf64_Ehdr *h = &e->header;

	if (!lies_inside(e, 0, sizeof(*h)) || !read_all(e->read, e->arg, 0, &e->header, sizeof(*h)))
		return -EFAULT;
	if (memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != EM_AMDGPU ||
	    h->e_shentsize != sizeof(Elf64_Shdr) || !h->e_shnum || h->e_shnum > SECTIONS_MAX)
		return -ENOEXEC;
	e->section_count = h->e_shnum;
	e->sections = read_piece(e, h->e_shoff, e->section_count * sizeof(*e->sections),
				 SECTIONS_MAX * sizeof(*e->sections));
	return e->sections ? 0 : -ENOEXEC;
}

static const Elf64_Shdr *find_section(const struct elf *e, uint32_t type)
{
	for (size_t i = 0; i < e->section_count; i++)
		if (e->sections[i].sh_type == type &&
		    e->sections[i].sh_entsize == sizeof(Elf64_Sym) &&
		    e->sections[i].sh_link < e->section_count)
			return &e->sections[i];
	return NULL;
}

/* The length of NAME if the symbol is called NAME.kd; 0: it is not. */
static size_t kernel_name(const char *name, size_t len)
{
	static const char suffix[] = ".kd";
	size_t tail = strlen(suffix);

	if (len <= tail || len == NAME_MAX_LEN || strcmp(name + len - tail, suffix))
		return 0;
	return len - tail;
}

int code_elf__kernels(code_read *read, void *read_arg, uint64_t size,
		      void (*fn)(uint64_t address, const char *name, size_t len, void *arg),
		      void *arg)
{
	struct elf e = {.read = read, .arg = read_arg, .size = size};
	const Elf64_Shdr *table, *names;
	Elf64_Sym *symbols = NULL;
	char *strings = NULL;
	size_t scanned = 0;
	int err = open_elf(&e);

	if (err)
		return err;
	table = find_section(&e, SHT_SYMTAB);
	if (!table)
		table = find_section(&e, SHT_DYNSYM);
	names = table ? &e.sections[table->sh_link] : NULL;
	if (names) {
		symbols = read_piece(&e, table->sh_offset, table->sh_size, SYMBOLS_MAX);
		strings = read_piece(&e, names->sh_offset, names->sh_size, SYMBOLS_MAX);
	}
	if (!symbols || !strings)
		err = -ENOEXEC;
	for (size_t i = 0; !err && i < table->sh_size / sizeof(*symbols); i++) {
		const Elf64_Sym *s = &symbols[i];
		size_t len;

		if (s->st_shndx == SHN_UNDEF || s->st_name >= names->sh_size)
			continue;
		len = strnlen(strings + s->st_name, NAME_MAX_LEN);
		scanned += len;
		if (scanned > SCANNED_MAX)
			err = -EFBIG;
		else if ((len = kernel_name(strings + s->st_name, len)))
			fn(s->st_value, strings + s->st_name, len, arg);
	}
	free(symbols);
	free(strings);
	free(e.sections);
	return err;
}
