# Unit tests of user/: one program a file, linked with all of rtrace-bpf but its entry point. Other
# directories add theirs to UNIT_TESTS.

CORE_TESTS = test_order test_spills test_merge test_workers test_library test_placement test_trampoline test_agent_view test_output \
	test_periods test_task test_select test_control test_strings test_handles test_resources \
	test_codeobjects test_doorbells test_limits test_nesting test_recording test_idle test_report test_table test_busy test_live test_metrics test_privileges test_programs

$(CORE_TESTS:%=$(O)/tests/%): $(O)/tests/%: $(O)/obj/tests/unit/%.o $(RTRACE_CORE_OBJS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ -lcmocka $(RTRACE_CORE_LIBS)

$(O)/tests/test_recording $(O)/tests/test_report: $(O)/obj/tests/unit/sink_feed.o
$(O)/obj/tests/unit/test_programs.o: $(O)/gen/bpf/api.skel.h

# Newer cmocka deprecates assert_in_range for what older ones do not have.
$(O)/obj/tests/unit/%.o: ALL_CFLAGS += -Wno-error=deprecated-declarations

CFLAGS_tests/unit/test_placement = -DSITES_LIBRARY='"$(O)/capture/libamdhip64.so.98"'
CFLAGS_tests/unit/test_trampoline = $(CFLAGS_tests/unit/test_placement)
CFLAGS_tests/unit/test_codeobjects = -DKERNELS_HSACO='"$(O)/workloads/kernels.hsaco"'
$(O)/tests/test_codeobjects: | $(O)/workloads/kernels.hsaco
$(O)/tests/test_placement $(O)/tests/test_trampoline: | $(O)/capture/libamdhip64.so.98

UNIT_TESTS += $(CORE_TESTS:%=$(O)/tests/%)
tests: $(CORE_TESTS:%=$(O)/tests/%)
