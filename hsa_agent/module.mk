# SPDX-License-Identifier: MIT
# librtrace-agent.so: the tool that the HSA runtime loads into a process.

# Where hsa/hsa_api_trace.h is; the agent serves the release of ROCm whose headers these are.
HSA_INCLUDE ?= $(patsubst %/hsa/hsa_api_trace.h,%,$(firstword \
	$(wildcard /usr/include/hsa/hsa_api_trace.h /opt/rocm/include/hsa/hsa_api_trace.h)))

AGENT_OBJS = $(patsubst %,$(O)/pic/hsa_agent/%.o,agent tables devices kernels code descriptor \
	memory scratch signals shadow relay flight dispatch inflight owners queues queue_log copies clocks reaper client shm map say \
	stubs_code stubs bind thread imports spans span_items clock)

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

$(O)/pic/hsa_agent/stubs_code.o $(O)/obj/hsa_agent/stubs_code.o: hsa_agent/stubs.S hsa_agent/stubs.inc
	$(call say,AS,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SHLIB_CFLAGS) -I. -c $< -o $@

$(O)/obj/tests/unit/stub_targets.o: tests/unit/stub_targets.S
	$(call say,AS,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) -c $< -o $@

$(O)/librtrace-agent.so: $(AGENT_OBJS) hsa_agent/agent.map
	$(call say,LD,$@)
	$(Q)$(CC) $(SHLIB_LDFLAGS) -Wl,-z,nodelete -Wl,-soname,$(@F) \
		-Wl,--version-script=hsa_agent/agent.map $(AGENT_OBJS) -lpthread -ldl -o $@

# ---- its tests ----

AGENT_TESTS = test_agent_ring test_agent_map test_agent_tables test_descriptor test_spans test_stubs test_bind
UNIT_TESTS += $(AGENT_TESTS:%=$(O)/tests/%)
tests: $(AGENT_TESTS:%=$(O)/tests/%) $(O)/tests/agent_dump

$(O)/tests/test_agent_ring: $(O)/obj/tests/unit/test_agent_ring.o $(O)/obj/hsa_agent/shm.o
$(O)/tests/test_agent_map: $(O)/obj/tests/unit/test_agent_map.o $(O)/obj/hsa_agent/map.o
$(O)/tests/test_agent_tables: $(O)/obj/tests/unit/test_agent_tables.o $(AGENT_OBJS)
$(O)/obj/tests/unit/test_agent_tables.o: | $(O)/gen/hsa_tables.h
$(O)/tests/test_descriptor: $(O)/obj/tests/unit/test_descriptor.o $(O)/obj/hsa_agent/descriptor.o
SPAN_OBJS = $(patsubst %,$(O)/obj/%.o,hsa_agent/stubs_code hsa_agent/stubs hsa_agent/shm hsa_agent/spans \
	hsa_agent/span_items hsa_agent/clock user/agent_spans user/items user/procfs user/clock)
$(O)/tests/test_spans: $(O)/obj/tests/unit/test_spans.o $(SPAN_OBJS)
$(O)/tests/test_stubs: $(O)/obj/tests/unit/test_stubs.o $(O)/obj/tests/unit/stub_targets.o $(SPAN_OBJS)
$(O)/tests/test_bind: $(O)/obj/tests/unit/test_bind.o $(O)/obj/hsa_agent/bind.o $(O)/obj/hsa_agent/thread.o $(O)/obj/hsa_agent/imports.o \
	$(SPAN_OBJS) $(O)/libroctx64.so.4 | $(addprefix $(O)/tests/bind_,now.so lazy.so address.so)
$(O)/tests/bind_now.so $(O)/tests/bind_lazy.so: $(O)/tests/bind_%.so: $(O)/pic/tests/unit/bind_plugin.o $(O)/libroctx64.so.4
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-z,relro,-z,$* $^ -Wl,-rpath,'$$ORIGIN/..' -o $@
$(O)/tests/bind_address.so: tests/unit/bind_plugin.c $(O)/libroctx64.so.4
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SHLIB_CFLAGS) -DTAKES_ADDRESS -shared $^ -Wl,-rpath,'$$ORIGIN/..' -o $@
$(O)/tests/agent_dump: $(O)/obj/tests/unit/agent_dump.o
$(AGENT_TESTS:%=$(O)/tests/%) $(O)/tests/agent_dump:
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -Wl,-rpath,'$$ORIGIN/..' -o $@ -lcmocka -lpthread
