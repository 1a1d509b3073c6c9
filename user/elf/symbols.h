/* SPDX-License-Identifier: MIT */
/*
 * The symbol at an address of a process: of the files that it maps, with the symbol table (.symtab)
 * where they have one, else the dynamic one.
 */
#ifndef RTRACE_ELF_SYMBOLS_H
#define RTRACE_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "common/string_pool.h"

struct symbols;

struct symbols *symbols__new(struct strings *strings);
void symbols__free(struct symbols *s);

/* The process has ended or runs another program. */
void symbols__forget(struct symbols *s, pid_t pid);

/* The symbol that begins at that very address. false: none, or the process has ended. */
bool symbols__find(struct symbols *s, pid_t pid, uint64_t address, char *name, size_t size);

/* The symbol at the address, "vadd(int)+0x12 (app)", or the address itself. Demangled. */
void symbols__describe(struct symbols *s, pid_t pid, uint64_t address, char *text, size_t size);

#endif
