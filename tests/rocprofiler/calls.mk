# SPDX-License-Identifier: MIT
# What the end-to-end tests of calls need: a tool, and a program that calls.

$(O)/pic/tests/rocprofiler/call_tool.o: SHLIB_CFLAGS += -fvisibility=default $(ROCPROFILER_TEST_CFLAGS)
$(O)/pic/tests/rocprofiler/call_tool.o: | $(ROCPROFILER_GEN)

# Two files of it are two tools.
$(O)/tests/libcalltool.so $(O)/tests/libcalltool2.so: $(O)/pic/tests/rocprofiler/call_tool.o $(O)/librocprofiler-sdk.so.1
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) $^ -Wl,-rpath,'$$ORIGIN/..' -o $@

CFLAGS_tests/rocprofiler/callers = -D__HIP_PLATFORM_AMD__ -Iinclude
$(O)/tests/sdk_callers: $(O)/obj/tests/rocprofiler/callers.o $(O)/librocprofiler-sdk-roctx.so.1
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -Wl,-rpath,'$$ORIGIN/..' -lamdhip64 -lhsa-runtime64 -lpthread -o $@

tests: $(O)/tests/libcalltool.so $(O)/tests/libcalltool2.so $(O)/tests/sdk_callers
