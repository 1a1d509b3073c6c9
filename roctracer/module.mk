# SPDX-License-Identifier: MIT
# libroctracer64.so.4, and its name for -l.

include roctracer/hsa_api.mk
include roctracer/kfd_api.mk
include roctracer/tool/tool.mk

ROCTRACER_OBJS = $(patsubst %,$(O)/pic/roctracer/%.o,agent_library api call call_work domains graph_work hip hip_arguments hip_callbacks hip_tracer \
	hsa hsa_api hsa_events hsa_ops kfd kfd_api libs pool roctx_domain status submitted subscriber table thread thread_list) \
	$(O)/pic/hsa_agent/clock.o $(O)/pic/hsa_agent/imports.o

# Headers include each other as they do where they are installed.
$(ROCTRACER_OBJS): SHLIB_CFLAGS += -Iroctracer -I$(O)/gen/roctracer
$(ROCTRACER_OBJS): | $(HSA_API_GEN) $(KFD_API_GEN)

$(O)/libroctracer64.so.4: $(ROCTRACER_OBJS) roctracer/roctracer.map
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) -Wl,-z,nodelete -Wl,-soname,libroctracer64.so.4 \
		-Wl,--version-script,roctracer/roctracer.map $(ROCTRACER_OBJS) -lpthread -ldl -o $@
	$(Q)ln -sf libroctracer64.so.4 $(O)/libroctracer64.so

all: $(O)/libroctracer64.so.4
