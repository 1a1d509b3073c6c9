// SPDX-License-Identifier: MIT
/*
 * rtrace-bpf: the entry point.
 */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "user/cmd/doctor_command.h"
#include "user/cmd/export_command.h"
#include "user/record/inherited_state.h"
#include "user/cmd/merge_command.h"
#include "user/cmd/top_command.h"
#include "user/record/record_options.h"
#include "user/cmd/ps_command.h"
#include "user/record/recorder.h"
#include "user/cmd/report_command.h"

int main(int argc, char **argv)
{
	struct options o;
	int status;

	inherited_state__reserve_standard_files();
	/* Names may be UTF-8, whatever the locale says; numbers stay as in C. */
	if (!setlocale(LC_CTYPE, "") || MB_CUR_MAX == 1)
		setlocale(LC_CTYPE, "C.UTF-8");
	if (argc > 1 && !strcmp(argv[1], "doctor"))
		return doctor_command__main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "export"))
		return export_command__main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "merge"))
		return merge_command__main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "report"))
		return report_command__main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "ps"))
		return ps_command__main(argc - 1, argv + 1);
	if (argc > 1 && !strcmp(argv[1], "top"))
		return top_command__main(argc - 1, argv + 1);
	record_options__parse(&o, argc, argv);
	status = recorder__run(&o);
	record_options__free(&o);
	return status;
}
