/* SPDX-License-Identifier: MIT */
/*
 * rocDecode's headers, or, where they are not installed, the types that rocdecode/api_args.h needs:
 * enums have their names and sizes, but only one of their values. A program may define
 * ROCPROFILER_SDK_USE_SYSTEM_ROCDECODE to 0 or 1 to decide it.
 */
#ifndef ROCPROFILER_SDK_ROCDECODE_TYPES_H
#define ROCPROFILER_SDK_ROCDECODE_TYPES_H

#include <stdint.h>

#ifndef ROCPROFILER_SDK_USE_SYSTEM_ROCDECODE
#if __has_include(<rocdecode/roc_bitstream_reader.h>)
#define ROCPROFILER_SDK_USE_SYSTEM_ROCDECODE 1
#else
#define ROCPROFILER_SDK_USE_SYSTEM_ROCDECODE 0
#endif
#endif

#if ROCPROFILER_SDK_USE_SYSTEM_ROCDECODE > 0
#include <rocdecode/roc_bitstream_reader.h>
#include <rocdecode/rocdecode.h>
#include <rocdecode/rocparser.h>
#else
typedef void *RocdecVideoParser;
typedef void *rocDecDecoderHandle;
typedef void *RocdecBitstreamReader;
typedef enum rocDecStatus_enum { ROCDEC_SUCCESS = 0 } rocDecStatus;
typedef enum rocDecVideoCodec_enum { rocDecVideoCodec_MPEG1 = 0 } rocDecVideoCodec;
typedef struct _RocdecParserParams RocdecParserParams;
typedef struct _RocdecSourceDataPacket RocdecSourceDataPacket;
typedef struct _RocDecoderCreateInfo RocDecoderCreateInfo;
typedef struct _RocdecDecodeCaps RocdecDecodeCaps;
typedef struct _RocdecPicParams RocdecPicParams;
typedef struct _RocdecDecodeStatus RocdecDecodeStatus;
typedef struct _RocdecReconfigureDecoderInfo RocdecReconfigureDecoderInfo;
typedef struct _RocdecProcParams RocdecProcParams;
#endif

#endif
