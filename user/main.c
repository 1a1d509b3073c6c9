// SPDX-License-Identifier: MIT
/*
 * rtrace-bpf: the entry point.
 */
#include <locale.h>
#include <string.h>

#include "user/doctor.h"
#include "user/options.h"
#include "user/record.h"

int main(int argc, char **argv)
{
	struct options o;
	int status;

	setlocale(LC_CTYPE, ""); /* names may be UTF-8; numbers stay as in C */
	if (argc > 1 && !strcmp(argv[1], "doctor"))
		return doctor__main(argc - 1, argv + 1);
	options__parse(&o, argc, argv);
	status = record__run(&o);
	options__free(&o);
	return status;
}
