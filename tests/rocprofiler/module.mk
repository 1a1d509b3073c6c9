# SPDX-License-Identifier: MIT
# Tests of librocprofiler-sdk: its public headers and its tables, without the library.

$(O)/gen/tests/rocprofiler/layouts.inc: tests/rocprofiler/layouts.awk tests/rocprofiler/layouts.txt
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f $^ >$@

ROCPROFILER_TEST_CFLAGS = -D__HIP_PLATFORM_AMD__ -Iinclude $(ROCPROFILER_SYSTEM)
ROCPROFILER_TEST_OBJS = $(patsubst %,$(O)/obj/tests/rocprofiler/test_%.o,arguments headers marker_ranges markers tables values)
$(ROCPROFILER_TEST_OBJS): ALL_CFLAGS += $(ROCPROFILER_TEST_CFLAGS)
$(ROCPROFILER_TEST_OBJS) $(O)/obj/tests/rocprofiler/test_headers_cxx.o: | $(ROCPROFILER_GEN) $(O)/gen/tests/rocprofiler/layouts.inc

$(O)/tests/test_sdk_headers: $(O)/obj/tests/rocprofiler/test_headers.o
$(O)/tests/test_sdk_tables: $(O)/obj/tests/rocprofiler/test_tables.o $(O)/obj/rocprofiler/support/tables.o

ROCPROFILER_ARGUMENTS_OBJS = $(patsubst %,$(O)/obj/%.o,rocprofiler/support/arguments rocprofiler/support/values inprocess/peek inprocess/mappings)
$(ROCPROFILER_ARGUMENTS_OBJS): ALL_CFLAGS += $(ROCPROFILER_TEST_CFLAGS)
$(ROCPROFILER_ARGUMENTS_OBJS): | $(ROCPROFILER_GEN)
$(O)/tests/test_sdk_arguments $(O)/tests/test_sdk_values: $(O)/tests/test_sdk_%: $(O)/obj/tests/rocprofiler/test_%.o \
	$(ROCPROFILER_ARGUMENTS_OBJS) $(O)/obj/rocprofiler/support/tables.o

$(patsubst %,$(O)/tests/test_sdk_%,arguments headers tables values):
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ -lcmocka

# With the library itself.
$(O)/obj/tests/rocprofiler/test_cxx.o: | $(ROCPROFILER_GEN)
$(O)/tests/test_sdk_cxx: $(O)/obj/tests/rocprofiler/test_cxx.o $(O)/librocprofiler-sdk.so.1
$(O)/tests/test_sdk_headers_cxx: $(O)/obj/tests/rocprofiler/test_headers_cxx.o
$(O)/tests/test_sdk_cxx $(O)/tests/test_sdk_headers_cxx:
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX) $(CFLAGS) $(SANFLAGS) $^ -Wl,-rpath,'$$ORIGIN/..' -o $@ -lcmocka

$(O)/tests/test_sdk_markers $(O)/tests/test_sdk_marker_ranges: $(O)/tests/test_sdk_%: $(O)/obj/tests/rocprofiler/test_%.o \
	$(O)/librocprofiler-sdk.so.1
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -Wl,-rpath,'$$ORIGIN/..' -o $@ -lcmocka -lpthread

ROCPROFILER_TESTS = $(patsubst %,$(O)/tests/test_sdk_%,arguments cxx headers headers_cxx marker_ranges markers tables values)
UNIT_TESTS += $(ROCPROFILER_TESTS)
PLAIN_TESTS += $(patsubst %,$(O)/tests/test_sdk_%,cxx headers headers_cxx marker_ranges markers)
tests: $(ROCPROFILER_TESTS)

include tests/rocprofiler/core.mk

# ---- with the library ----

$(O)/pic/tests/rocprofiler/gpu_tool.o: SHLIB_CFLAGS += -fvisibility=default $(ROCPROFILER_TEST_CFLAGS)
$(O)/pic/tests/rocprofiler/gpu_tool.o: | $(ROCPROFILER_GEN)

$(O)/tests/libgputool.so: $(O)/pic/tests/rocprofiler/gpu_tool.o $(O)/librocprofiler-sdk.so.1
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) $^ -Wl,-rpath,'$$ORIGIN/..' -o $@

tests: $(O)/tests/libgputool.so

include $(addprefix tests/rocprofiler/,calls.mk examples.mk status.mk)

# ---- runtimes that hand in their tables ----

$(O)/gen/tests/rocprofiler/exports.inc: tests/rocprofiler/exports.awk $(addprefix rocprofiler/prototypes/,hip_runtime.txt hip_compiler.txt)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f $^ >$@

$(O)/pic/tests/rocprofiler/register.o: | $(O)/gen/tests/rocprofiler/exports.inc

$(O)/tests/libregister.so: $(O)/pic/tests/rocprofiler/register.o $(O)/librocprofiler-sdk.so.1
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) $^ -Wl,-rpath,'$$ORIGIN/..' -o $@ -ldl

tests: $(O)/tests/libregister.so
