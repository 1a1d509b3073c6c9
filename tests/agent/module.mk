# What the safety of the agent is tested with: programs with strange lives, and what is put beside them.

AGENT_TEST_LIBS_life = -lhsa-runtime64 -lpthread
AGENT_TEST_LIBS_plugin = -lhsa-runtime64
AGENT_TEST_LIBS_hip_records = -Wl,--no-as-needed -lamdhip64

$(O)/pic/tests/agent/other_tool.o: | $(O)/gen/hsa_tables.h
ifneq ($(HSA_INCLUDE),/usr/include)
$(O)/pic/tests/agent/other_tool.o: SHLIB_CFLAGS += -isystem $(HSA_INCLUDE)
endif

$(O)/agent/%: $(O)/obj/tests/agent/%.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ $(AGENT_TEST_LIBS_$*)

$(O)/agent/lib%.so: $(O)/pic/tests/agent/%.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) $^ -o $@ $(AGENT_TEST_LIBS_$*)

TSAN_PROGRAMS += librtrace-agent.so

tests: $(addprefix $(O)/agent/,life reopen refuse libfailing.so libhip_records.so libother_tool.so libplugin.so libticks.so)
