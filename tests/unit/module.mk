# Unit tests of user/ and common/: one program a file, linked with the tracer's archive. Other directories add theirs
# to UNIT_TESTS.

TRACER_TESTS = test_agent_view test_agentless test_args test_claim test_clock_map test_codeobjects test_container test_control test_correlate \
	test_doorbells test_handles test_hostile_spans test_kept_off test_library test_limits test_merge_replay test_nesting \
	test_order test_periods test_placement test_privileges test_programs test_ranges test_resources test_select test_spills \
	test_strings test_task test_trampoline test_workers
FORMATS_TESTS = test_csv test_folded test_format test_html test_otf2 test_output test_pftrace test_rates test_rocpd test_sinks \
	test_slices
REPORT_TESTS = test_busy test_idle test_live test_metrics test_recording test_report test_table
CORE_TESTS = $(TRACER_TESTS) $(FORMATS_TESTS) $(REPORT_TESTS)

$(TRACER_TESTS:%=$(O)/tests/%): $(O)/tests/%: $(O)/obj/tests/unit/tracer/%.o
$(FORMATS_TESTS:%=$(O)/tests/%): $(O)/tests/%: $(O)/obj/tests/unit/formats/%.o
$(REPORT_TESTS:%=$(O)/tests/%): $(O)/tests/%: $(O)/obj/tests/unit/report/%.o

$(CORE_TESTS:%=$(O)/tests/%): $(TRACER)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(filter %.o,$^) $(TRACER) -o $@ -lcmocka $(TRACER_LIBS) $(TEST_LIBS)

SINK_FEEDS = recording report sinks folded otf2 pftrace csv rocpd html
$(SINK_FEEDS:%=$(O)/tests/test_%): $(O)/obj/tests/unit/formats/sink_feed.o
$(O)/tests/test_csv $(O)/tests/test_otf2 $(O)/tests/test_rocpd: $(O)/obj/tests/unit/formats/scratch_folder.o
$(O)/tests/test_claim: $(O)/obj/hsa_agent/ring/shared_memory.o
$(O)/obj/tests/unit/tracer/test_programs.o: $(O)/gen/bpf/api.skel.h
$(O)/tests/test_pftrace: $(O)/obj/tests/unit/perfetto.pb-c.o
$(O)/tests/test_pftrace: TEST_LIBS = -lprotobuf-c
$(O)/tests/test_ranges: TEST_LIBS = -Wl,--wrap=calloc,--wrap=realloc

# The schema of what is written for Perfetto, to read it with.
$(O)/gen/tests/unit/perfetto.pb-c.c: tests/unit/perfetto.proto
	$(call say,PROTOC-C,$@)
	@mkdir -p $(@D)
	$(Q)protoc-c --c_out=$(O)/gen $<

$(O)/gen/tests/unit/perfetto.pb-c.h: $(O)/gen/tests/unit/perfetto.pb-c.c ;

$(O)/obj/tests/unit/perfetto.pb-c.o: $(O)/gen/tests/unit/perfetto.pb-c.c
	$(compile)

$(O)/obj/tests/unit/formats/test_pftrace.o: $(O)/gen/tests/unit/perfetto.pb-c.h

# Newer cmocka deprecates assert_in_range for what older ones do not have.
$(O)/obj/tests/unit/%.o: ALL_CFLAGS += -Wno-error=deprecated-declarations

CFLAGS_tests/unit/tracer/test_placement = -DSITES_LIBRARY='"$(O)/capture/libamdhip64.so.98"'
CFLAGS_tests/unit/tracer/test_trampoline = $(CFLAGS_tests/unit/tracer/test_placement)
CFLAGS_tests/unit/tracer/test_codeobjects = -DKERNELS_HSACO='"$(O)/workloads/kernels.hsaco"'
$(O)/tests/test_codeobjects: | $(O)/workloads/kernels.hsaco
$(O)/tests/test_placement $(O)/tests/test_trampoline: | $(O)/capture/libamdhip64.so.98

UNIT_TESTS += $(CORE_TESTS:%=$(O)/tests/%)
tests: $(CORE_TESTS:%=$(O)/tests/%)
