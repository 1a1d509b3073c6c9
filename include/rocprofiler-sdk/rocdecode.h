/* SPDX-License-Identifier: MIT */
/* All that there is on calls of rocDecode: operations, tables, arguments. */
#ifndef ROCPROFILER_SDK_ROCDECODE_H
#define ROCPROFILER_SDK_ROCDECODE_H

#include <rocprofiler-sdk/rocdecode/api_args.h>
#include <rocprofiler-sdk/rocdecode/api_id.h>
#include <rocprofiler-sdk/rocdecode/table_id.h>

#endif
