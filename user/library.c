// SPDX-License-Identifier: MIT
/*
 * Reads the API functions of a library file from its dynamic symbol table.
 */
#include "user/library.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "user/log.h"

static const char *const rocm_libraries[] = {
	"libamdhip64.so",
	"libhsa-runtime64.so",
	"libhsakmt.so",
	"libroctx64.so",
};

bool library__is_rocm(const char *basename)
{
	for (size_t i = 0; i < sizeof(rocm_libraries) / sizeof(rocm_libraries[0]); i++)
		if (!strncmp(basename, rocm_libraries[i], strlen(rocm_libraries[i])))
			return true;
	return false;
}

static bool is_push(const uint8_t *code, size_t len)
{
	if (len >= 1 && (code[0] & 0xf8) == 0x50)
		return true;
	return len >= 2 && code[0] == 0x41 && (code[1] & 0xf8) == 0x50; /* push %r8..%r15 */
}

static bool is_nop(const uint8_t *code, size_t len)
{
	static const uint8_t nop5[] = {0x0f, 0x1f, 0x44, 0x00, 0x00};

	return (len >= 1 && code[0] == 0x90) ||
	       (len >= sizeof(nop5) && !memcmp(code, nop5, sizeof(nop5)));
}

size_t library__probe_shift(const uint8_t *code, size_t len)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	const size_t n = sizeof(endbr64);

	if (len > n && !memcmp(code, endbr64, n) &&
	    (is_push(code + n, len - n) || is_nop(code + n, len - n)))
		return n;
	return 0;
}

/* File offset of a virtual address in an executable segment. */
static bool address_to_offset(Elf *elf, uint64_t addr, uint64_t *offset)
{
	GElf_Phdr ph;
	size_t n;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!gelf_getphdr(elf, i, &ph) || ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		if (addr >= ph.p_vaddr && addr - ph.p_vaddr < ph.p_filesz) {
			*offset = addr - ph.p_vaddr + ph.p_offset;
			return true;
		}
	}
	return false;
}

static Elf_Scn *find_section(Elf *elf, uint32_t type, GElf_Shdr *sh)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, sh) && sh->sh_type == type)
			return scn;
	return NULL;
}

static int add_probe(struct library *lib, uint64_t offset, struct function *fn)
{
	struct probe *grown;

	grown = realloc(lib->probes, (lib->probe_count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	lib->probes = grown;
	lib->probes[lib->probe_count++] = (struct probe){.offset = offset, .fn = fn};
	return 0;
}

static int add_symbol(struct library *lib, Elf *elf, const GElf_Sym *sym, const char *name,
		      struct functions *fns, bool hot)
{
	enum ev_domain domain;
	struct function *fn;
	uint8_t code[16];
	uint64_t offset;
	ssize_t n;

	if (GELF_ST_TYPE(sym->st_info) != STT_FUNC || sym->st_shndx == SHN_UNDEF || !name ||
	    !function__is_api(name, &domain) || (!hot && function__is_hot(name)))
		return 0;
	if (!address_to_offset(elf, sym->st_value, &offset)) {
		log_debug("%s: %s lies in no executable segment, not probed", lib->name, name);
		return 0;
	}
	n = pread(lib->fd, code, sizeof(code), offset);
	if (n <= 0)
		return 0;
	fn = functions__get(fns, name);
	if (!fn)
		return -ENOMEM;
	return add_probe(lib, offset + library__probe_shift(code, n), fn);
}

/*
 * Which of two names of one address to call the function by. HSA keeps the deprecated names of its
 * atomics (hsa_signal_wait_acquire) beside the current ones (hsa_signal_wait_scacquire).
 */
static int by_preference(const char *a, const char *b)
{
	bool sc_a = strstr(a, "_sc"), sc_b = strstr(b, "_sc");

	if (sc_a != sc_b)
		return sc_a ? -1 : 1;
	return strcmp(a, b);
}

static int by_offset(const void *a, const void *b)
{
	const struct probe *pa = a, *pb = b;

	if (pa->offset != pb->offset)
		return pa->offset < pb->offset ? -1 : 1;
	return by_preference(pa->fn->name, pb->fn->name);
}

/* Several names of one address are one function. */
static void sort_and_unite(struct library *lib)
{
	size_t kept = 0;

	if (!lib->probe_count)
		return;
	qsort(lib->probes, lib->probe_count, sizeof(*lib->probes), by_offset);
	for (size_t i = 1; i < lib->probe_count; i++)
		if (lib->probes[i].offset != lib->probes[kept].offset)
			lib->probes[++kept] = lib->probes[i];
	lib->probe_count = kept + 1;
}

static int read_symbols(struct library *lib, struct functions *fns, bool hot)
{
	Elf_Data *data;
	int err = 0;
	GElf_Shdr sh;
	GElf_Sym sym;
	Elf_Scn *scn;
	size_t n;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(lib->fd, ELF_C_READ_MMAP, NULL);
	if (!elf)
		return -ENOEXEC;
	scn = elf_kind(elf) == ELF_K_ELF ? find_section(elf, SHT_DYNSYM, &sh) : NULL;
	data = scn ? elf_getdata(scn, NULL) : NULL;
	if (!data || !sh.sh_entsize) {
		elf_end(elf);
		return -ENOEXEC;
	}
	n = data->d_size / sh.sh_entsize;
	for (size_t i = 0; i < n && !err; i++)
		if (gelf_getsym(data, i, &sym))
			err = add_symbol(lib, elf, &sym, elf_strptr(elf, sh.sh_link, sym.st_name),
					 fns, hot);
	elf_end(elf);
	if (!err)
		sort_and_unite(lib);
	return err;
}

struct library *library__open(int fd, const char *name, struct functions *fns, bool hot)
{
	struct library *lib;
	struct stat st;
	int err;

	lib = calloc(1, sizeof(*lib));
	if (!lib) {
		close(fd);
		errno = ENOMEM;
		return NULL;
	}
	lib->fd = fd;
	lib->name = strdup(name);
	err = lib->name ? 0 : -ENOMEM;
	if (!err && fstat(fd, &st))
		err = -errno;
	if (!err) {
		lib->dev = st.st_dev;
		lib->ino = st.st_ino;
		err = read_symbols(lib, fns, hot);
	}
	if (err) {
		library__close(lib);
		errno = -err;
		return NULL;
	}
	return lib;
}

void library__close(struct library *lib)
{
	if (!lib)
		return;
	close(lib->fd);
	free(lib->name);
	free(lib->probes);
	free(lib);
}

const struct function *library__at(const struct library *lib, uint64_t offset)
{
	size_t low = 0, high = lib->probe_count;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (lib->probes[mid].offset < offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low < lib->probe_count && lib->probes[low].offset == offset ? lib->probes[low].fn
									   : NULL;
}
