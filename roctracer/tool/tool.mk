# SPDX-License-Identifier: MIT
# libroctracer_tool.so, which the HSA runtime loads; it lies one folder below libroctracer64.

TOOL_OBJS = $(patsubst %.c,$(O)/pic/%.o,$(wildcard roctracer/tool/*.c)) $(O)/pic/roctracer/tool/functions_tables.o \
	$(O)/pic/roctracer/hip_arguments.o

$(O)/gen/roctracer/tool/functions_tables.c: $(addprefix scripts/,gen-tool-functions apidesc.py apitypes.py) \
	$(wildcard $(HSA_INCLUDE)/hip/amd_detail/hip_prof_str.h) $(O)/gen/roctracer/hsa_prof_str.h
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)scripts/gen-tool-functions $(API_INCLUDES) -I $(O)/gen >$@

$(O)/pic/roctracer/tool/functions_tables.o: $(O)/gen/roctracer/tool/functions_tables.c
	$(compile)

$(TOOL_OBJS): SHLIB_CFLAGS += -Iinclude/roctracer -I$(O)/gen/roctracer
$(TOOL_OBJS): | $(HSA_API_GEN)
ifneq ($(HSA_INCLUDE),/usr/include)
$(TOOL_OBJS): SHLIB_CFLAGS += -isystem $(HSA_INCLUDE)
endif

$(O)/roctracer/libroctracer_tool.so: $(TOOL_OBJS) $(INPROCESS) $(COMMON_PIC) $(O)/libroctracer64.so.4 roctracer/tool/tool.map
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) -Wl,-z,nodelete -Wl,-soname,$(@F) -Wl,--version-script,roctracer/tool/tool.map \
		-Wl,-rpath,'$$ORIGIN/..' $(TOOL_OBJS) $(INPROCESS) $(COMMON_PIC) $(O)/libroctracer64.so.4 -liberty -lpthread -ldl -o $@

all: $(O)/roctracer/libroctracer_tool.so
