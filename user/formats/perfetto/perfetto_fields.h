/* SPDX-License-Identifier: MIT */
/*
 * Perfetto's trace format, as far as it is written: numbers of fields and values, from its
 * protos/perfetto/trace/ (2026). tests/unit/perfetto.proto has the same as a schema, to read with.
 */
#ifndef RTRACE_FORMATS_PERFETTO_PERFETTO_FIELDS_H
#define RTRACE_FORMATS_PERFETTO_PERFETTO_FIELDS_H

#define PF_TRACE_PACKET 1

enum pf_packet_field {
	PF_PROCESS_TREE = 2,
	PF_CLOCK_SNAPSHOT = 6,
	PF_TIMESTAMP = 8,
	PF_SEQUENCE_ID = 10,
	PF_TRACK_EVENT = 11,
	PF_INTERNED_DATA = 12,
	PF_SEQUENCE_FLAGS = 13,
	PF_RENDER_STAGE = 53, /* GpuRenderStageEvent */
	PF_DEFAULTS = 59,
	PF_TRACK_DESCRIPTOR = 60,
	PF_FIRST_ON_SEQUENCE = 87,
	PF_GPU_INFO = 128,
};

enum pf_sequence_flag {
	PF_STATE_CLEARED = 1,
	PF_NEEDS_STATE = 2,
};

#define PF_DEFAULTS_CLOCK 58

enum pf_clock_id {
	PF_CLOCK_REALTIME = 1,
	PF_CLOCK_MONOTONIC = 3,
	PF_CLOCK_BOOTTIME = 6,
};

enum pf_clock_field {
	PF_SNAPSHOT_CLOCKS = 1,
	PF_SNAPSHOT_PRIMARY = 2,
	PF_CLOCK_ID = 1,
	PF_CLOCK_TIMESTAMP = 2,
};

enum pf_track_field {
	PF_TRACK_UUID = 1,
	PF_TRACK_NAME = 2,
	PF_TRACK_PROCESS = 3,
	PF_TRACK_THREAD = 4,
	PF_TRACK_PARENT = 5,
	PF_TRACK_COUNTER = 8,
	PF_TRACK_DESCRIPTION = 14,
};

enum pf_task_field {
	PF_PROCESS_PID = 1,
	PF_PROCESS_CMDLINE = 2,
	PF_PROCESS_NAME = 6,
	PF_THREAD_PID = 1,
	PF_THREAD_TID = 2,
	PF_THREAD_NAME = 5,
};

#define PF_TREE_PROCESS 1

enum pf_tree_process_field {
	PF_TREE_PID = 1,
	PF_TREE_CMDLINE = 3,
};

enum pf_counter_field {
	PF_COUNTER_UNIT = 3,
	PF_COUNTER_UNIT_NAME = 6,
};

enum pf_counter_unit {
	PF_UNIT_COUNT = 2,
	PF_UNIT_BYTES = 3,
};

enum pf_event_field {
	PF_EVENT_CATEGORY = 3,
	PF_EVENT_NOTE = 4, /* DebugAnnotation */
	PF_EVENT_TYPE = 9,
	PF_EVENT_NAME_IID = 10,
	PF_EVENT_TRACK = 11,
	PF_EVENT_NAME = 23,
	PF_EVENT_COUNTER = 30,
	PF_EVENT_COUNTER_DOUBLE = 44,
	PF_EVENT_FLOW = 47,
};

enum pf_event_type {
	PF_SLICE_BEGIN = 1,
	PF_SLICE_END = 2,
	PF_INSTANT = 3,
	PF_COUNTER = 4,
};

enum pf_note_field {
	PF_NOTE_NAME = 1,
	PF_NOTE_UINT = 3,
	PF_NOTE_INT = 4,
	PF_NOTE_TEXT = 6,
	PF_NOTE_POINTER = 7,
	PF_NOTE_DICT = 11,
	PF_NOTE_ARRAY = 12,
	PF_NOTE_TEXT_IID = 17,
};

enum pf_interned_field {
	PF_INTERNED_CATEGORY = 1,
	PF_INTERNED_EVENT = 2,
	PF_INTERNED_NOTE = 3,
	PF_INTERNED_CONTEXT = 23,
	PF_INTERNED_STAGE = 24,
	PF_INTERNED_TEXT = 29,
	PF_INTERNED_KERNEL = 1000,
	PF_INTERNED_ARG = 1001,
	/* of each of them */
	PF_IID = 1,
	PF_IID_NAME = 2,
	/* of some */
	PF_CONTEXT_PID = 2,
	PF_CONTEXT_API = 3,
	PF_STAGE_CATEGORY = 4,
	PF_KERNEL_DEMANGLED = 3,
	PF_KERNEL_ARGS = 5,
};

#define PF_API_HIP	 5
#define PF_STAGE_OTHER	 0
#define PF_STAGE_COMPUTE 2

enum pf_stage_field {
	PF_STAGE_EVENT_ID = 1,
	PF_STAGE_DURATION = 2,
	PF_STAGE_CONTEXT = 5,
	PF_STAGE_SUBMISSION = 10,
	PF_STAGE_GPU = 11,
	PF_STAGE_QUEUE_IID = 13,
	PF_STAGE_IID = 14,
	PF_STAGE_KERNEL_IID = 19,
	PF_STAGE_NAME_IID = 20,
	PF_STAGE_LAUNCH = 21,
};

enum pf_launch_field {
	PF_LAUNCH_GRID = 1,
	PF_LAUNCH_WORKGROUP = 2,
	PF_LAUNCH_ARG = 3,
	PF_ARG_NAME_IID = 1,
	PF_ARG_UINT = 4,
};

enum pf_gpu_field {
	PF_GPUS = 1,
	PF_GPU_NAME = 1,
	PF_GPU_VENDOR = 2,
	PF_GPU_ARCHITECTURE = 4,
	PF_GPU_BDF = 7,
};

#endif
