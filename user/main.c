// SPDX-License-Identifier: MIT
/*
 * rtrace-bpf: the entry point.
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "user/doctor.h"
#include "user/export.h"
#include "user/join.h"
#include "user/live/top.h"
#include "user/options.h"
#include "user/ps.h"
#include "user/record.h"
#include "user/report/report.h"

int main(int argc, char **argv)
{
	struct options o;
	int status;

	/* Names may be UTF-8, whatever the locale says; numbers stay as in C. */
	if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1)
		setlocale(LC_CTYPE, "C.UTF-8");
	if (argc > 1 && !strcmp(argv[1], "doctor"))
		return doctor__main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "export"))
		return export__main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "merge"))
		return join__main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "report"))
		return report__main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "ps"))
		return ps__main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "top"))
		return top__main(argc - 1, argv + 1);
	options__parse(&o, argc, argv);
	status = record__run(&o);
	options__free(&o);
	return status;
}
