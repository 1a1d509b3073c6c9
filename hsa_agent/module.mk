# SPDX-License-Identifier: MIT
# librtrace-agent.so: the tool that the HSA runtime loads into a process.

AGENT_OBJS = $(patsubst %.c,$(O)/pic/%.o,$(wildcard hsa_agent/*/*.c)) $(O)/pic/hsa_agent/calls/call_stubs_code.o

all: $(O)/librtrace-agent.so

$(O)/gen/hsa_tables.h: hsa_agent/tables.awk $(HSA_INCLUDE)/hsa/hsa_api_trace.h
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f $< $(wildcard $(HSA_INCLUDE)/hsa/hsa_api_trace_version.h) \
		$(HSA_INCLUDE)/hsa/hsa_api_trace.h >$@

# Declarations alone count, not comments and blanks.
$(O)/gen/agent_layout_number.h: abi/agent_ring.h abi/span_ring.h abi/bpf_records.h
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)cat $^ | tr -s ' \t\n' ' ' | sed 's:/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/::g' | tr -d ' ' | sha256sum | \
		sed 's/^\(.\{16\}\).*/#define RT_AGENT_LAYOUT 0x\1ULL/' >$@

$(O)/obj/common/agent_layout.o $(O)/pic/common/agent_layout.o: $(O)/gen/agent_layout_number.h

$(AGENT_OBJS): | $(O)/gen/hsa_tables.h
ifneq ($(HSA_INCLUDE),/usr/include)
$(AGENT_OBJS): SHLIB_CFLAGS += -isystem $(HSA_INCLUDE)
endif

$(O)/pic/hsa_agent/calls/call_stubs_code.o $(O)/obj/hsa_agent/calls/call_stubs_code.o: hsa_agent/calls/call_stubs.S hsa_agent/calls/call_stubs.inc
	$(compile)

$(O)/librtrace-agent.so: $(AGENT_OBJS) $(INPROCESS) $(COMMON_PIC) hsa_agent/agent.map
	$(call say,LD,$@)
	$(Q)$(CC) $(SHLIB_LDFLAGS) -Wl,-z,nodelete -Wl,-soname,$(@F) \
		-Wl,--version-script=hsa_agent/agent.map $(AGENT_OBJS) $(INPROCESS) $(COMMON_PIC) -lpthread -ldl -o $@

# ---- its tests ----

AGENT_TESTS = test_agent_ring test_agent_map test_agent_tables test_descriptor test_peek test_stderr_line test_spans test_stubs test_bind test_got_patch test_kernel_clock
UNIT_TESTS += $(AGENT_TESTS:%=$(O)/tests/%)
PLAIN_TESTS += $(O)/tests/test_agent_tables
tests: $(AGENT_TESTS:%=$(O)/tests/%) $(O)/tests/agent_dump

$(O)/tests/test_agent_ring: $(O)/obj/tests/unit/inprocess/test_agent_ring.o $(O)/obj/hsa_agent/ring/shared_memory.o $(O)/obj/common/agent_layout.o
$(O)/tests/test_agent_map: $(O)/obj/tests/unit/inprocess/test_agent_map.o $(O)/obj/inprocess/pointer_map.o
$(O)/tests/test_agent_tables: $(O)/obj/tests/unit/inprocess/test_agent_tables.o $(AGENT_OBJS) $(INPROCESS) $(COMMON_PIC)
$(O)/obj/tests/unit/inprocess/test_agent_tables.o: | $(O)/gen/hsa_tables.h
$(O)/tests/test_descriptor: $(O)/obj/tests/unit/inprocess/test_descriptor.o $(O)/obj/inprocess/kernel_descriptor.o
PEEK_OBJS = $(patsubst %,$(O)/obj/inprocess/%.o,peek mappings)
GOT_OBJS = $(PEEK_OBJS) $(patsubst %,$(O)/obj/inprocess/%.o,got_patch poke)
$(O)/tests/test_peek: $(O)/obj/tests/unit/inprocess/test_peek.o $(PEEK_OBJS)
$(O)/tests/test_stderr_line: $(O)/obj/tests/unit/inprocess/test_stderr_line.o $(patsubst %,$(O)/obj/inprocess/%.o,stderr_line held_signals)
SPAN_OBJS = $(patsubst %,$(O)/obj/%.o,hsa_agent/calls/call_stubs_code hsa_agent/calls/call_stubs hsa_agent/ring/shared_memory hsa_agent/calls/call_spans common/agent_layout \
	hsa_agent/calls/span_items inprocess/peek inprocess/mappings inprocess/tsc_clock inprocess/kernel_clock user/agent/agent_calls user/api/span_items user/base/procfs user/base/control_group user/clock/clock_map)
$(O)/tests/test_spans: $(O)/obj/tests/unit/inprocess/test_spans.o $(SPAN_OBJS)
$(O)/tests/test_stubs: $(O)/obj/tests/unit/inprocess/test_stubs.o $(O)/obj/tests/unit/inprocess/stub_targets.o $(SPAN_OBJS)
$(O)/tests/test_bind: $(O)/obj/tests/unit/inprocess/test_bind.o $(O)/obj/hsa_agent/calls/bind_stubs.o $(O)/obj/inprocess/start_thread.o $(patsubst %,$(O)/obj/inprocess/%.o,got_patch poke) \
	$(SPAN_OBJS) $(O)/libroctx64.so.4 | $(addprefix $(O)/tests/bind_,now.so lazy.so address.so outer.so)
$(O)/tests/test_got_patch: $(O)/obj/tests/unit/inprocess/test_got_patch.o $(GOT_OBJS) $(O)/libroctx64.so.4 | $(addprefix $(O)/tests/bind_,now.so lazy.so)
$(O)/tests/test_kernel_clock: $(patsubst %,$(O)/obj/%.o,tests/unit/inprocess/test_kernel_clock inprocess/kernel_clock inprocess/tsc_clock)
$(O)/pic/tests/unit/inprocess/bind_plugin_address.o: SHLIB_CFLAGS += -DTAKES_ADDRESS
$(O)/pic/tests/unit/inprocess/bind_plugin_ends.o: SHLIB_CFLAGS += -DENDS
$(O)/pic/tests/unit/inprocess/bind_plugin_address.o $(O)/pic/tests/unit/inprocess/bind_plugin_ends.o: tests/unit/inprocess/bind_plugin.c
	$(compile)
$(O)/tests/bind_now.so: BIND = -Wl,-z,relro,-z,now
$(O)/tests/bind_lazy.so: BIND = -Wl,-z,relro,-z,lazy
$(O)/tests/bind_now.so $(O)/tests/bind_lazy.so: $(O)/pic/tests/unit/inprocess/bind_plugin.o $(O)/libroctx64.so.4
$(O)/tests/bind_outer.so: $(O)/pic/tests/unit/inprocess/bind_plugin.o $(O)/tests/bind_ends.so
$(O)/tests/bind_address.so $(O)/tests/bind_ends.so: $(O)/tests/bind_%.so: $(O)/pic/tests/unit/inprocess/bind_plugin_%.o $(O)/libroctx64.so.4
$(addprefix $(O)/tests/bind_,now.so lazy.so address.so ends.so outer.so):
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(BIND) -Wl,-soname,$(@F) -Wl,--no-as-needed $^ -Wl,-rpath,'$$ORIGIN:$$ORIGIN/..' -o $@
$(O)/tests/agent_dump: $(O)/obj/tests/unit/inprocess/agent_dump.o
$(AGENT_TESTS:%=$(O)/tests/%) $(O)/tests/agent_dump:
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -Wl,-rpath,'$$ORIGIN/..' -o $@ -lcmocka -lpthread
