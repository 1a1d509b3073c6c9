# SPDX-License-Identifier: MIT
# librocprofiler-sdk.so.1, and its name for -l.

ROCPROFILER_SOURCES = agent agent_drm agent_files agent_visibility allocations arguments buffer buffer_tracing \
	callback_tracing calls catch code_objects context copies dispatches external_correlation gpu_ends gpu_work \
	hip_tables host_functions hsa_functions hsa_reference hsa_runtime intercept_table internal_threads library markers memory operation queues registration results \
	retirement roctracer_core runtime_initialization runtimes say scratch service status strings tables thread tools \
	unsupported values
ROCPROFILER_LIBRARY_OBJS = $(patsubst %,$(O)/pic/rocprofiler/%.o,$(ROCPROFILER_SOURCES))
# What they share with libroctracer64, its tool library, and the agent.
ROCPROFILER_SHARED_OBJS = $(patsubst %,$(O)/pic/roctracer/%.o,agent_library libs thread_list tool/hip_release tool/functions_tables) $(O)/pic/hsa_agent/imports.o \
	$(O)/pic/hsa_agent/descriptor.o $(O)/pic/hsa_agent/map.o

# What a tool throws goes through: see rocprofiler/operation.h.
ROCPROFILER_LIBRARY_CFLAGS = -fexceptions -Drocprofiler_EXPORTS -D__HIP_PLATFORM_AMD__ -Irocprofiler -Iroctx -Iroctracer -I$(O)/gen \
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

$(O)/pic/rocprofiler/hip_tables.o: | $(O)/gen/rocprofiler/hip_table_functions.inc
$(O)/pic/rocprofiler/results.o: | $(O)/gen/rocprofiler/hip_functions.inc

all: $(O)/librocprofiler-sdk.so.1
