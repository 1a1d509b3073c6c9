/* SPDX-License-Identifier: MIT */
/*
 * The symbol at an address of a process: of the files that it maps, with the symbol table (.symtab)
 * where they have one, else the dynamic one.
 */
#ifndef RTRACE_SYMBOLS_H
#define RTRACE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct symbols;

struct symbols *symbols__new(void);
void symbols__free(struct symbols *s);

/* The symbol that begins at that very address. false: none, or the process is gone. */
bool symbols__find(struct symbols *s, pid_t pid, uint64_t address, char *name, size_t size);

#endif
