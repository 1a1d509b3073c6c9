# What the safety of the agent is tested with: programs with strange lives, and what is put beside them.

AGENT_TEST_LIBS_life = -lhsa-runtime64 -lpthread
AGENT_TEST_LIBS_plugin = -lhsa-runtime64
AGENT_TEST_LIBS_race = -lpthread
AGENT_TEST_LIBS_hip_records = -Wl,--no-as-needed -lamdhip64

$(O)/pic/tests/agent/other_tool.o: | $(O)/gen/hsa_tables.h
ifneq ($(HSA_INCLUDE),/usr/include)
$(O)/pic/tests/agent/other_tool.o: SHLIB_CFLAGS += -isystem $(HSA_INCLUDE)
endif

AGENT_PROGRAMS = $(addprefix $(O)/agent/,life reopen refuse)
AGENT_LIBRARIES = $(patsubst %,$(O)/agent/lib%.so,failing hip_records other_tool plugin race ticks)

$(AGENT_PROGRAMS): $(O)/agent/%: $(O)/obj/tests/agent/%.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ $(AGENT_TEST_LIBS_$*)

$(AGENT_LIBRARIES): $(O)/agent/lib%.so: $(O)/pic/tests/agent/%.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) $^ -o $@ $(AGENT_TEST_LIBS_$*)

TSAN_PROGRAMS += librtrace-agent.so agent/librace.so

tests: $(AGENT_PROGRAMS) $(AGENT_LIBRARIES)
