# SPDX-License-Identifier: MIT
# A program that calls every function of HIP and HSA with pointers that lead nowhere, and a tool of librocprofiler-sdk
# that asks for all arguments: scripts/wild, tests/e2e/inprocess/harmless.bats.

WILD_GEN = $(O)/gen/tests/wild

$(WILD_GEN)/calls.c: scripts/gen-wild-calls $(API_SOURCES)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)scripts/gen-wild-calls $(API_INCLUDES) >$@

$(WILD_GEN)/calls.o: $(WILD_GEN)/calls.c tests/wild/wild.h
	$(call say,CC,$@)
	$(Q)$(CC) $(ALL_CFLAGS) -fPIE -c $< -o $@

$(O)/obj/tests/wild/wild.o: ALL_CFLAGS += -D__HIP_PLATFORM_AMD__ $(ROCPROFILER_SYSTEM)

$(O)/wild/wild: $(O)/obj/tests/wild/wild.o $(WILD_GEN)/calls.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $^ -o $@ -Wl,-z,now -Wl,--no-as-needed -lamdhip64 -lhsa-runtime64 -lpthread

tests: $(O)/wild/wild

$(O)/pic/tests/wild/args_tool.o: SHLIB_CFLAGS += $(ROCPROFILER_LIBRARY_CFLAGS) -fvisibility=default

$(O)/wild/libargs_tool.so: $(O)/pic/tests/wild/args_tool.o $(O)/librocprofiler-sdk.so.1
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -shared $^ '-Wl,-rpath,$$ORIGIN/..' -o $@

tests: $(O)/wild/libargs_tool.so
