# SPDX-License-Identifier: MIT
# librocprofiler-sdk.so.1, and its name for -l.

ROCPROFILER_LIBRARY_OBJS = $(patsubst %.c,$(O)/pic/%.o,$(wildcard rocprofiler/*.c rocprofiler/*/*.c))
# What they share with libroctracer64, its tool library, and the agent.
ROCPROFILER_SHARED_OBJS = $(O)/pic/roctracer/tool/functions_tables.o $(INPROCESS)

# What a tool throws goes through: see rocprofiler/service/operation.h.
ROCPROFILER_LIBRARY_CFLAGS = -fexceptions -Drocprofiler_EXPORTS -D__HIP_PLATFORM_AMD__ -Iinclude -Iinclude/roctracer -I$(O)/gen \
	$(ROCPROFILER_SYSTEM)
$(ROCPROFILER_LIBRARY_OBJS): SHLIB_CFLAGS += $(ROCPROFILER_LIBRARY_CFLAGS)
$(ROCPROFILER_LIBRARY_OBJS): | $(ROCPROFILER_GEN) $(HSA_API_GEN) $(O)/gen/hsa_tables.h

$(O)/librocprofiler-sdk.so.1: $(ROCPROFILER_LIBRARY_OBJS) $(ROCPROFILER_SHARED_OBJS)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) -Wl,-z,nodelete -Wl,-soname,librocprofiler-sdk.so.1 $^ -lpthread -ldl -o $@
	$(Q)ln -sf librocprofiler-sdk.so.1 $(O)/librocprofiler-sdk.so

$(O)/gen/rocprofiler/hip_functions.inc: $(addprefix scripts/,gen-hip-results apidesc.py prof_str.py)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)scripts/gen-hip-results $(API_INCLUDES) >$@

$(O)/gen/rocprofiler/hip_table_functions.inc: $(ROCPROFILER_IDS) $(ROCPROFILER_SCRIPTS)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)scripts/gen-rocprofiler-tables hip-functions >$@

$(O)/pic/rocprofiler/sources/hip_tables.o: | $(O)/gen/rocprofiler/hip_table_functions.inc
$(O)/pic/rocprofiler/sources/results.o: | $(O)/gen/rocprofiler/hip_functions.inc

all: $(O)/librocprofiler-sdk.so.1
