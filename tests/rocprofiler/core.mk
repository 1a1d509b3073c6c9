# SPDX-License-Identifier: MIT
# Tests of the library itself. Those with operations of their own have the library's objects in them.

SDK_TEST_CFLAGS = -fexceptions $(ROCPROFILER_TEST_CFLAGS)
SDK_TEST_OBJS = $(patsubst %,$(O)/obj/tests/rocprofiler/%.o,fakeops $(addprefix test_sdk_,buffers contexts external tables_hip tables_host tables_hsa))
$(SDK_TEST_OBJS): ALL_CFLAGS += $(SDK_TEST_CFLAGS)
$(SDK_TEST_OBJS): | $(ROCPROFILER_GEN) $(O)/gen/tests/rocprofiler/exports.inc

SDK_OPERATION_TESTS = $(patsubst %,$(O)/tests/test_sdk_%,buffers contexts external tables_hip tables_host tables_hsa)
$(SDK_OPERATION_TESTS): $(O)/tests/%: $(O)/obj/tests/rocprofiler/%.o $(O)/obj/tests/rocprofiler/fakeops.o \
	$(O)/obj/tests/rocprofiler/thrower.o $(ROCPROFILER_LIBRARY_OBJS) $(ROCPROFILER_SHARED_OBJS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ -lcmocka -lstdc++ -lpthread -ldl

UNIT_TESTS += $(SDK_OPERATION_TESTS)
PLAIN_TESTS += $(SDK_OPERATION_TESTS)
tests: $(SDK_OPERATION_TESTS)

# ---- with the library itself, and tools of which one is linked, the others loaded ----

SDK_TOOLS = linked a b
SDK_TOOL_OBJS = $(SDK_TOOLS:%=$(O)/pic/tests/rocprofiler/sdk_tool_%.o)
$(SDK_TOOL_OBJS): SHLIB_CFLAGS += $(ROCPROFILER_TEST_CFLAGS) -DTOOL=$* -fvisibility=default
$(SDK_TOOL_OBJS): $(O)/pic/tests/rocprofiler/sdk_tool_%.o: tests/rocprofiler/sdk_tool.c | $(ROCPROFILER_GEN)
	$(compile)

# With nothing in it: libsdktool_none.so.
$(SDK_TOOLS:%=$(O)/tests/libsdktool_%.so): $(O)/tests/libsdktool_%.so: $(O)/pic/tests/rocprofiler/sdk_tool_%.o
$(patsubst %,$(O)/tests/libsdktool_%.so,$(SDK_TOOLS) none):
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) $^ -o $@ -ldl

SDK_LIBRARY_TEST_OBJS = $(patsubst %,$(O)/obj/tests/rocprofiler/%.o,test_sdk_registration test_sdk_agents)
$(SDK_LIBRARY_TEST_OBJS): ALL_CFLAGS += $(SDK_TEST_CFLAGS)
$(SDK_LIBRARY_TEST_OBJS): | $(ROCPROFILER_GEN)

$(O)/tests/test_sdk_registration: $(O)/obj/tests/rocprofiler/test_sdk_registration.o $(O)/librocprofiler-sdk.so.1 \
	$(O)/tests/libsdktool_linked.so | $(addprefix $(O)/tests/libsdktool_,a.so b.so none.so)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -rdynamic -Wl,--no-as-needed $^ -Wl,-rpath,'$$ORIGIN:$$ORIGIN/..' -o $@ -lcmocka -lpthread -ldl

UNIT_TESTS += $(O)/tests/test_sdk_registration
PLAIN_TESTS += $(O)/tests/test_sdk_registration
tests: $(O)/tests/test_sdk_registration

# To be run with the simulated GPU in LD_PRELOAD, and SIMKFD_GPUS=2.
$(O)/tests/test_sdk_agents: $(O)/obj/tests/rocprofiler/test_sdk_agents.o $(O)/librocprofiler-sdk.so.1
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -Wl,-rpath,'$$ORIGIN/..' -o $@ -lcmocka

tests: $(O)/tests/test_sdk_agents

TSAN_PROGRAMS += librocprofiler-sdk.so.1 $(SDK_OPERATION_TESTS:$(O)/%=%)

# A HIP program that is its own tool.
$(O)/obj/tests/rocprofiler/sdk_phases.o: ALL_CFLAGS += $(SDK_TEST_CFLAGS)
$(O)/obj/tests/rocprofiler/sdk_phases.o: | $(ROCPROFILER_GEN)

$(O)/tests/sdk_phases: $(O)/obj/tests/rocprofiler/sdk_phases.o $(O)/obj/tests/rocprofiler/thrower.o $(O)/librocprofiler-sdk.so.1
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -rdynamic $^ -Wl,-rpath,'$$ORIGIN/..' -o $@ -lamdhip64 -lstdc++ -lpthread

tests: $(O)/tests/sdk_phases
