// SPDX-License-Identifier: MIT
/*
 * Reads an ELF file's code and dynamic symbols.
 */
#include "user/elf/elf_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CODE_MAX    (256u << 20) /* bytes of all executable segments */
#define TABLE_MAX   (64u << 20)	 /* bytes of a program's symbols, and of their names */
#define DYNAMIC_MAX (16u << 20)	 /* the same of a library: of its dynamic symbols */
#define SYMBOL_MAX  1024	 /* bytes of a symbol's name: no API function has more */

static bool is_ours(Elf *elf)
{
	GElf_Ehdr header;

	return elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
	       header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
	       header.e_machine == EM_X86_64 &&
	       (header.e_type == ET_DYN || header.e_type == ET_EXEC);
}

/* Reads up to `size` bytes; the file may have become shorter. */
static size_t read_at(int fd, uint8_t *buf, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = pread(fd, buf + done, size - done, offset + done);

		if (n <= 0)
			break;
		done += n;
	}
	return done;
}

static int read_segment(struct image *image, int fd, const GElf_Phdr *ph, uint64_t file_size,
			size_t *budget)
{
	struct segment *seg = &image->segments[image->segment_count];
	uint64_t size = ph->p_filesz;
	uint8_t *bytes;

	if (ph->p_offset >= file_size || ph->p_vaddr > UINT64_MAX - size)
		return 0;
	if (size > file_size - ph->p_offset)
		size = file_size - ph->p_offset;
	if (!size)
		return 0;
	if (size > *budget || image->segment_count == IMAGE_SEGMENTS)
		return -EFBIG;
	*budget -= size;
	bytes = malloc(size);
	if (!bytes)
		return -ENOMEM;
	seg->code.bytes = bytes;
	seg->code.size = read_at(fd, bytes, size, ph->p_offset);
	seg->code.address = ph->p_vaddr;
	seg->offset = ph->p_offset;
	image->segment_count++;
	return 0;
}

int elf_image__read_code(struct image *image, int fd)
{
	size_t n, budget = CODE_MAX;
	struct stat st;
	GElf_Phdr ph;
	int err = 0;

	if (fstat(fd, &st))
		return -errno;
	if (elf_getphdrnum(image->elf, &n))
		return -ENOEXEC;
	if (n > IMAGE_HEADERS_MAX)
		return -EFBIG;
	for (size_t i = 0; i < n && !err; i++)
		if (gelf_getphdr(image->elf, i, &ph) && ph.p_type == PT_LOAD && ph.p_flags & PF_X)
			err = read_segment(image, fd, &ph, st.st_size, &budget);
	return err;
}

static Elf_Scn *find_section(Elf *elf, uint32_t type, GElf_Shdr *sh)
{
	size_t left = IMAGE_HEADERS_MAX;
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)) && left--)
		if (gelf_getshdr(scn, sh) && sh->sh_type == type)
			return scn;
	return NULL;
}

static int read_symbols(struct image *image, uint32_t table)
{
	const size_t max = table == SHT_DYNSYM ? DYNAMIC_MAX : TABLE_MAX;
	GElf_Shdr sh, str;
	Elf_Scn *scn = find_section(image->elf, table, &sh), *names;

	if (!scn || sh.sh_entsize != sizeof(Elf64_Sym))
		return -ENOEXEC;
	names = elf_getscn(image->elf, sh.sh_link);
	if (!names || !gelf_getshdr(names, &str) || str.sh_type != SHT_STRTAB)
		return -ENOEXEC;
	if (sh.sh_size > max || str.sh_size > max)
		return -EFBIG;
	image->symbols = elf_getdata(scn, NULL);
	if (!image->symbols)
		return -ENOEXEC;
	image->symbol_count = image->symbols->d_size / sizeof(Elf64_Sym);
	image->strings = sh.sh_link;
	return 0;
}

static int open_elf(struct image *image, int fd)
{
	memset(image, 0, sizeof(*image));
	elf_version(EV_CURRENT);
	image->elf = elf_begin(fd, ELF_C_READ, NULL);
	return image->elf && is_ours(image->elf) ? 0 : -ENOEXEC;
}

int elf_image__open(struct image *image, int fd)
{
	int err = open_elf(image, fd);

	if (!err)
		err = read_symbols(image, SHT_DYNSYM);
	if (!err)
		err = elf_image__read_code(image, fd);
	if (err)
		elf_image__close(image);
	return err;
}

int elf_image__open_program(struct image *image, int fd)
{
	int err = open_elf(image, fd);

	if (!err && read_symbols(image, SHT_SYMTAB))
		err = read_symbols(image, SHT_DYNSYM);
	if (err)
		elf_image__close(image);
	return err;
}

int elf_image__base(int fd, uint64_t start, uint64_t offset, uint64_t *base)
{
	const uint64_t in_page = sysconf(_SC_PAGESIZE) - 1;
	struct image image;
	int err = open_elf(&image, fd);
	GElf_Phdr ph;
	size_t n = 0;

	if (!err && elf_getphdrnum(image.elf, &n))
		err = -ENOEXEC;
	if (!err)
		err = -ENOENT;
	for (size_t i = 0; i < n && err == -ENOENT; i++) {
		if (!gelf_getphdr(image.elf, i, &ph) || ph.p_type != PT_LOAD ||
		    !(ph.p_flags & PF_X) || (ph.p_offset & ~in_page) != offset)
			continue;
		*base = start - (ph.p_vaddr & ~in_page);
		err = 0;
	}
	elf_image__close(&image);
	return err;
}

void elf_image__close(struct image *image)
{
	for (size_t i = 0; i < image->segment_count; i++)
		free((void *)image->segments[i].code.bytes);
	elf_end(image->elf);
	memset(image, 0, sizeof(*image));
}

bool elf_image__function(const struct image *image, size_t i, GElf_Sym *sym, const char **name)
{
	if (i >= image->symbol_count || !gelf_getsym(image->symbols, i, sym))
		return false;
	if (sym->st_shndx == SHN_UNDEF ||
	    (GELF_ST_TYPE(sym->st_info) != STT_FUNC && GELF_ST_TYPE(sym->st_info) != STT_GNU_IFUNC))
		return false;
	*name = elf_strptr(image->elf, image->strings, sym->st_name);
	return *name && strnlen(*name, SYMBOL_MAX) < SYMBOL_MAX;
}

bool elf_image__variable(const struct image *image, const char *name, uint64_t *address)
{
	GElf_Sym sym;

	for (size_t i = 0; i < image->symbol_count; i++) {
		const char *own;

		if (!gelf_getsym(image->symbols, i, &sym) || sym.st_shndx == SHN_UNDEF ||
		    GELF_ST_TYPE(sym.st_info) != STT_OBJECT)
			continue;
		own = elf_strptr(image->elf, image->strings, sym.st_name);
		if (!own || strcmp(own, name))
			continue;
		*address = sym.st_value;
		return true;
	}
	return false;
}

bool elf_image__code(const struct image *image, uint64_t address, struct code *code,
		     uint64_t *offset)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *seg = &image->segments[i];
		uint64_t at = address - seg->code.address;

		if (address < seg->code.address || at >= seg->code.size)
			continue;
		code->bytes = seg->code.bytes + at;
		code->size = seg->code.size - at;
		code->address = address;
		*offset = seg->offset + at;
		return true;
	}
	return false;
}

bool elf_image__code_at(const struct image *image, uint64_t offset, struct code *code)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct segment *seg = &image->segments[i];

		if (offset >= seg->offset && offset - seg->offset < seg->code.size)
			return elf_image__code(image, seg->code.address + (offset - seg->offset),
					       code, &offset);
	}
	return false;
}
