# SPDX-License-Identifier: MIT
# Turns the API tables of hsa_api_trace.h, which only C++ can read, into C.
#
# The layout of the tables differs between releases of ROCm, so it is always taken from the header
# that the agent is built with: the declarations "intended for use only by tools" and the tables are
# passed through, their names declared as types and decltype spelled __typeof__. For every table
# entry RT_HSA_HAS_<function> is defined, so that #if can tell what the release has.

BEGIN {
	print "/* Made by hsa_agent/tables.awk from hsa_api_trace.h. */"
	print "#ifndef RTRACE_HSA_TABLES_H"
	print "#define RTRACE_HSA_TABLES_H"
	print "#include <hsa/hsa.h>"
	print "#include <hsa/hsa_ext_amd.h>"
	print "#include <hsa/hsa_ext_image.h>"
	split("ApiTableVersion CoreApiTable AmdExtTable HsaApiTable FinalizerExtTable " \
	      "ImageExtTable ToolsApiTable PcSamplingExtTable", names)
	for (i in names)
		print "typedef struct " names[i] " " names[i] ";"
}

/^#define HSA_.*API_TABLE_MAJOR_VERSION/ { print }
/^#include "hsa_amd_tool.h"/ {
	print "#include <hsa/hsa_amd_tool.h>"
	print "#define RT_HSA_HAS_tools 1"
}
/^typedef void \(\*hsa_amd_queue_intercept_packet_writer\)/ { tools = 1 }
/^struct ApiTableVersion/ { tools = 0 }
/^struct (ApiTableVersion|CoreApiTable|AmdExtTable|ImageExtTable|ToolsApiTable|HsaApiTable) / { table = 1 }

tools && !/^\/\// { print }

table {
	line = $0
	if (match(line, /decltype\([a-z_0-9]+\)/))
		print "#define RT_HSA_HAS_" substr(line, RSTART + 9, RLENGTH - 10) " 1"
	gsub(/decltype/, "__typeof__", line)
	print line
}

table && /^};/ { table = 0 }

END { print "#endif" }
