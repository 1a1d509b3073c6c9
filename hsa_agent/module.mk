# SPDX-License-Identifier: MIT
# librtrace-agent.so: the tool that the HSA runtime loads into a process.

# Where hsa/hsa_api_trace.h is; the agent serves the release of ROCm whose headers these are.
HSA_INCLUDE ?= $(patsubst %/hsa/hsa_api_trace.h,%,$(firstword \
	$(wildcard /usr/include/hsa/hsa_api_trace.h /opt/rocm/include/hsa/hsa_api_trace.h)))

AGENT_OBJS = $(patsubst %,$(O)/pic/hsa_agent/%.o,agent tables devices kernels code descriptor \
	memory scratch signals shadow relay flight dispatch inflight owners queues queue_log copies clocks reaper client shm map say)

all: $(O)/librtrace-agent.so

$(O)/gen/hsa_tables.h: hsa_agent/tables.awk $(HSA_INCLUDE)/hsa/hsa_api_trace.h
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f $< $(wildcard $(HSA_INCLUDE)/hsa/hsa_api_trace_version.h) \
		$(HSA_INCLUDE)/hsa/hsa_api_trace.h >$@

$(AGENT_OBJS): | $(O)/gen/hsa_tables.h
ifneq ($(HSA_INCLUDE),/usr/include)
$(AGENT_OBJS): SHLIB_CFLAGS += -isystem $(HSA_INCLUDE)
endif

$(O)/librtrace-agent.so: $(AGENT_OBJS) hsa_agent/agent.map
	$(call say,LD,$@)
	$(Q)$(CC) $(SHLIB_LDFLAGS) -Wl,-z,nodelete -Wl,-soname,$(@F) \
		-Wl,--version-script=hsa_agent/agent.map $(AGENT_OBJS) -lpthread -o $@

# ---- its tests ----

AGENT_TESTS = test_agent_ring test_agent_map test_agent_tables test_descriptor
UNIT_TESTS += $(AGENT_TESTS:%=$(O)/tests/%)
tests: $(AGENT_TESTS:%=$(O)/tests/%) $(O)/tests/agent_dump

$(O)/tests/test_agent_ring: $(O)/obj/tests/unit/test_agent_ring.o $(O)/obj/hsa_agent/shm.o
$(O)/tests/test_agent_map: $(O)/obj/tests/unit/test_agent_map.o $(O)/obj/hsa_agent/map.o
$(O)/tests/test_agent_tables: $(O)/obj/tests/unit/test_agent_tables.o $(AGENT_OBJS)
$(O)/obj/tests/unit/test_agent_tables.o: | $(O)/gen/hsa_tables.h
$(O)/tests/test_descriptor: $(O)/obj/tests/unit/test_descriptor.o $(O)/obj/hsa_agent/descriptor.o
$(O)/tests/agent_dump: $(O)/obj/tests/unit/agent_dump.o
$(AGENT_TESTS:%=$(O)/tests/%) $(O)/tests/agent_dump:
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ -lcmocka -lpthread
