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
AGENT_LIBRARIES = $(patsubst %,$(O)/agent/lib%.so,audit hip_records other_tool plugin race replaced ticks)

$(AGENT_PROGRAMS): $(O)/agent/%: $(O)/obj/tests/agent/%.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ $(AGENT_TEST_LIBS_$*)

$(AGENT_LIBRARIES): $(O)/agent/lib%.so: $(O)/pic/tests/agent/%.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) $^ -o $@ $(AGENT_TEST_LIBS_$*)

# What our in-process libraries import of the C library, which libreplaced.so stands for. Of the loader's and the compiler's
# own it does not: nobody else has those.
INPROCESS_LIBRARIES = $(addprefix $(O)/,librtrace-agent.so libroctx64.so.4 libroctracer64.so.4 librocprofiler-sdk.so.1 \
	librocprofiler-sdk-roctx.so.1)

$(O)/gen/replaced_names.h: $(INPROCESS_LIBRARIES)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)nm -D --undefined-only $^ | sed -n 's/^ *U \([^@]*\)@.*/\1/p' | LC_ALL=C sort -u | \
		grep -v '^_Unwind_\|^__gcc_\|^__tls_get_addr$$\|^__libc_stack_end$$' | awk '{ print "REPLACE(" $$1 ", " n++ ")" }' >$@

$(O)/pic/tests/agent/replaced.o $(O)/pic/tests/agent/replaced_entry.o: $(O)/gen/replaced_names.h
# It must not call what it stands for.
$(O)/pic/tests/agent/replaced.o: private SHLIB_CFLAGS += -fno-builtin -fno-tree-loop-distribute-patterns
$(O)/agent/libreplaced.so: $(O)/pic/tests/agent/replaced_entry.o

TSAN_PROGRAMS += librtrace-agent.so agent/librace.so

tests: $(AGENT_PROGRAMS) $(AGENT_LIBRARIES)
