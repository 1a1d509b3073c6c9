// SPDX-License-Identifier: MIT
/*
 * Fuzzes what is made of the names of kernels. Of any bytes comes a text that is bounded and, if
 * they are no mangled name, the bytes themselves. After a '~' each byte selects a piece of a
 * mangled name: the demangler is not built for fuzzing, and would hardly be given any otherwise.
 * After a '=' bytes are made into declarations. Both their mangled and their plain forms are
 * written here, by the Itanium C++ ABI: so the result is known.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/kernel_short_name.h"
#include "common/string_pool.h"

#define PLAIN_MAX 16384 /* of a name that was demangled */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool condition)
{
	if (!condition)
		abort();
}

/* ---- any bytes ---- */

/* Cannot be a mangled name: those of functions begin with _Z, those of constructors of files so. */
static bool is_plain(const char *name)
{
	return strncmp(name, "_Z", 2) && strncmp(name, "_GLOBAL_", 8);
}

static const char *named(struct strings *s, enum kernel_names how, const char *name, size_t len)
{
	const char *kept;

	string_pool__set_kernel_names(s, how);
	kept = string_pool__keep_kernel(s, name, len);
	must(kept == string_pool__keep_kernel(s, name, len));
	must(kept == string_pool__keep(s, kept, strlen(kept)));
	return kept;
}

/* A word for a file with fields that end with colons. */
static void check_last(const char *name)
{
	struct textbuf t = {};

	kernel_short_name__put_last(&t, name);
	must(t.len && !memchr(t.data, ':', t.len));
	for (size_t i = 0; i < t.len; i++)
		must((unsigned char)t.data[i] >= ' ' && t.data[i] != 0x7f);
	text_buffer__free(&t);
}

static void check_bytes(const char *name, size_t len)
{
	struct strings *s = string_pool__new();
	const char *mangled = named(s, KERNEL_NAMES_MANGLED, name, len);
	const char *plain = named(s, KERNEL_NAMES_PLAIN, name, len);
	const char *truncated = named(s, KERNEL_NAMES_TRUNCATED, name, len);

	must(strlen(mangled) == strnlen(name, len) && !memcmp(mangled, name, strlen(mangled)));
	must(plain == mangled || strlen(plain) <= PLAIN_MAX);
	must(truncated == mangled || strlen(truncated) <= PLAIN_MAX);
	if (is_plain(mangled))
		must(plain == mangled && truncated == mangled);
	check_last(mangled);
	check_last(plain);
	check_last(truncated);
	string_pool__free(s);
}

/* ---- pieces ---- */

static const char *const pieces[] = {
	"N",	"E",   "I",	  "J",	      "L",	    "X",     "K",      "V",	"P",
	"R",	"O",   "S_",	  "S0_",      "S1_",	    "S2_",   "SZ_",    "T_",	"T0_",
	"T1_",	"TL_", "St",	  "Sa",	      "Ss",	    "So",    "1a",     "2bc",	"3def",
	"i",	"v",   "f",	  "d",	      "c",	    "Li1E",  "Lb0E",   "LDnE",	"L_Z",
	"DpT_", "Dp",  "DT",	  "Dt",	      "Dn",	    "Da",    "Dv4_",   "DF16_", "DF16b",
	"A3_",	"A_",  "M1a",	  "F",	      "FvvE",	    "UlvE_", "UlT_E_", "Ut_",	"Z",
	"_Z",	"d_",  "s_0",	  "cl",	      "cv",	    "pl",    "mi",     "sz",	"st",
	"sp",	"sr",  "fp_",	  "fL0p_",    "nw",	    "tw",    "qu",     "C1",	"C2",
	"D0",	"B1x", "TV",	  "TI",	      "GV",	    "GR",    "Th16_",  "Y",	"lm",
	"nx",	"il",  "tl",	  "dt",	      "on",	    "gs",    "Q",      "W",	"_",
	"0",	".kd", ".isra.0", "1PIS_S_E", "1PIS0_S0_E",
};

static void check_pieces(const uint8_t *data, size_t size)
{
	FILE *out;
	char *name = NULL;
	size_t len;

	out = open_memstream(&name, &len);
	must(out);
	fputs("_Z", out);
	for (size_t i = 0; i < size; i++)
		fputs(pieces[data[i] % (sizeof(pieces) / sizeof(pieces[0]))], out);
	must(!fclose(out));
	check_bytes(name, len);
	free(name);
}

/* ---- declarations ---- */

/* What is left of the input; 0 when there is no more. */
struct choices {
	const uint8_t *at, *end;
};

static unsigned int choose(struct choices *c, unsigned int n)
{
	return c->at < c->end ? *c->at++ % n : 0;
}

static const struct {
	char code;
	const char *text;
} types[] = {
	{'v', "void"},		{'b', "bool"},		 {'c', "char"},
	{'i', "int"},		{'j', "unsigned int"},	 {'l', "long"},
	{'m', "unsigned long"}, {'f', "float"},		 {'d', "double"},
	{'s', "short"},		{'t', "unsigned short"}, {'h', "unsigned char"},
	{'x', "long long"},	{'e', "long double"},	 {'n', "__int128"},
};

/* Letters and digits, a letter first. */
static void choose_name(struct choices *c, char name[16])
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789";
	unsigned int len = 1 + choose(c, 12);

	for (unsigned int i = 0; i < len; i++)
		name[i] = letters[choose(c, i ? 62 : 52)];
	name[len] = '\0';
}

/* A type, but not void where a value is wanted. No substitution is needed: each is one letter. */
static void put_type(struct choices *c, FILE *mangled, FILE *plain)
{
	unsigned int i = 1 + choose(c, sizeof(types) / sizeof(types[0]) - 1);

	fputc(types[i].code, mangled);
	fputs(types[i].text, plain);
}

/* <int, 4, double>, or nothing. */
static bool put_template(struct choices *c, FILE *mangled, FILE *plain)
{
	unsigned int count = choose(c, 5), number;

	if (!count)
		return false;
	fputc('I', mangled);
	fputc('<', plain);
	for (unsigned int i = 0; i < count; i++) {
		if (i)
			fputs(", ", plain);
		if (choose(c, 2)) {
			put_type(c, mangled, plain);
			continue;
		}
		number = choose(c, 256);
		fprintf(mangled, "Li%uE", number);
		fprintf(plain, "%u", number);
	}
	fputc('E', mangled);
	fputc('>', plain);
	return true;
}

/* (int, float*): of a pointer that is met again there would be a substitution, so one at most. */
static void put_parameters(struct choices *c, FILE *mangled, FILE *plain)
{
	unsigned int count = choose(c, 6), pointer = choose(c, 8);

	fputc('(', plain);
	if (!count)
		fputc('v', mangled);
	for (unsigned int i = 0; i < count; i++) {
		if (i)
			fputs(", ", plain);
		if (i == pointer)
			fputc('P', mangled);
		put_type(c, mangled, plain);
		if (i == pointer)
			fputc('*', plain);
	}
	fputc(')', plain);
}

struct declaration {
	char *mangled, *plain;
	size_t mangled_len, plain_len;
	char name[16];
};

/* void scope::name<int>(float*): a template says what it returns. */
static void declare(struct choices *c, struct declaration *d)
{
	FILE *mangled = open_memstream(&d->mangled, &d->mangled_len);
	FILE *plain;
	char *rest = NULL;
	size_t rest_len;
	unsigned int scopes = choose(c, 6);

	must(mangled);
	plain = open_memstream(&rest, &rest_len);
	must(plain);
	fputs(scopes ? "_ZN" : "_Z", mangled);
	for (unsigned int i = 0; i <= scopes; i++) {
		choose_name(c, d->name);
		fprintf(mangled, "%zu%s", strlen(d->name), d->name);
		fprintf(plain, "%s%s", i ? "::" : "", d->name);
	}
	bool is_template = put_template(c, mangled, plain);

	fputs(scopes ? "E" : "", mangled);
	fputs(is_template ? "v" : "", mangled);
	put_parameters(c, mangled, plain);
	must(!fclose(mangled) && !fclose(plain));
	must(asprintf(&d->plain, "%s%s", is_template ? "void " : "", rest) >= 0);
	free(rest);
}

static void check_declaration(struct choices *c)
{
	struct strings *s = string_pool__new();
	struct textbuf last = {};
	struct declaration d;

	declare(c, &d);
	must(!strcmp(named(s, KERNEL_NAMES_PLAIN, d.mangled, d.mangled_len), d.plain));
	must(!strcmp(named(s, KERNEL_NAMES_TRUNCATED, d.mangled, d.mangled_len), d.name));
	kernel_short_name__put_last(&last, d.plain);
	must(!strcmp(text_buffer__string(&last), d.name));
	text_buffer__free(&last);
	free(d.mangled);
	free(d.plain);
	string_pool__free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct choices c = {data + 1, data + size};

	if (size && data[0] == '=')
		check_declaration(&c);
	else if (size && data[0] == '~')
		check_pieces(data + 1, size - 1);
	else
		check_bytes((const char *)data, size);
	return 0;
}
