// SPDX-License-Identifier: MIT
/*
 * rtrace-bpf: the entry point.
 */
#include "user/options.h"
#include "user/record.h"

int main(int argc, char **argv)
{
	struct options o;
	int status;

	options__parse(&o, argc, argv);
	status = record__run(&o);
	options__free(&o);
	return status;
}
