/* SPDX-License-Identifier: MIT */
/*
 * rocJPEG's header, where a program defines ROCPROFILER_SDK_USE_SYSTEM_ROCJPEG to 1, or else the
 * types that rocjpeg/api_args.h needs: enums have their names and sizes, but only one of their
 * values.
 */
#ifndef ROCPROFILER_SDK_ROCJPEG_TYPES_H
#define ROCPROFILER_SDK_ROCJPEG_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifndef ROCPROFILER_SDK_USE_SYSTEM_ROCJPEG
#define ROCPROFILER_SDK_USE_SYSTEM_ROCJPEG 0
#endif

#if ROCPROFILER_SDK_USE_SYSTEM_ROCJPEG > 0
#include <rocjpeg/rocjpeg.h>
#else
typedef void *RocJpegStreamHandle;
typedef void *RocJpegHandle;
typedef enum { ROCJPEG_STATUS_SUCCESS = 0 } RocJpegStatus;
typedef enum { ROCJPEG_BACKEND_HARDWARE = 0 } RocJpegBackend;
typedef enum { ROCJPEG_CSS_444 = 0 } RocJpegChromaSubsampling;
typedef struct RocJpegDecodeParams RocJpegDecodeParams;
typedef struct RocJpegImage RocJpegImage;
#endif

#endif
