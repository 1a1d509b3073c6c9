# Fuzzing of what reads files and texts that others write: clang's libFuzzer with ASan and UBSan.

FUZZ_DIR = $(O)/fuzz
FUZZ_TARGETS = $(FUZZ_DIR)/fuzz_library $(FUZZ_DIR)/fuzz_maps $(FUZZ_DIR)/fuzz_agent \
	$(FUZZ_DIR)/fuzz_recording $(FUZZ_DIR)/fuzz_options $(FUZZ_DIR)/fuzz_demangle $(FUZZ_DIR)/fuzz_spans
FUZZ_CFLAGS = -std=gnu11 -D_GNU_SOURCE -O1 -g -I. -Iinclude -I$(O)/gen -DRTRACE_VERSION='"$(VERSION)"' -MMD -MP \
	-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined

# All of the tracer but what needs the kernel, from which each target takes what it uses.
FUZZ_OBJS = $(patsubst %.c,$(FUZZ_DIR)/obj/%.o,$(filter-out user/probe/capture.c,$(TRACER_SRCS)))

$(FUZZ_DIR)/obj/%.o: %.c
	$(call say,FUZZ CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(FUZZ_CFLAGS) -c $< -o $@

$(FUZZ_DIR)/obj/common/api_table_data.o: $(O)/gen/common/api_table_data.c
	$(call say,FUZZ CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(FUZZ_CFLAGS) -c $< -o $@

$(FUZZ_OBJS): | $(O)/gen/user/formats/rocpd/schema.h $(O)/gen/user/formats/html/page.h $(O)/gen/agent_layout_number.h $(O)/gen/user/probe/agent_uses.h

$(FUZZ_DIR)/tracer.a: $(FUZZ_OBJS) $(FUZZ_DIR)/obj/common/api_table_data.o
	$(archive)

# With the clock, the waiting, the parser of options and what processes there are in the target's hands.
WRAP_agent = -Wl,--wrap=clock__boot_ns,--wrap=poll
WRAP_options = -Wl,--wrap=argp_parse,--wrap=argp_error,--wrap=procfs__process_of

$(FUZZ_DIR)/fuzz_agent: $(FUZZ_DIR)/obj/tests/fuzz/world.o

$(FUZZ_TARGETS): $(FUZZ_DIR)/fuzz_%: $(FUZZ_DIR)/obj/tests/fuzz/fuzz_%.o $(FUZZ_DIR)/tracer.a
	$(call say,LD,$@)
	$(Q)$(CLANG) $(FUZZ_CFLAGS) -fsanitize=fuzzer $(filter %.o,$^) $(filter %.a,$^) -o $@ $(WRAP_$*) $(TRACER_LIBS)

.PHONY: fuzz-targets
fuzz-targets: $(FUZZ_TARGETS)

# The inputs that are kept, given to each target without libFuzzer: unit tests.
SEED_TESTS = $(FUZZ_TARGETS:$(FUZZ_DIR)/fuzz_%=$(O)/tests/test_seeds_%)

$(SEED_TESTS:$(O)/tests/test_%=$(O)/obj/tests/fuzz/%.o): $(O)/obj/tests/fuzz/seeds_%.o: tests/fuzz/seeds.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(SANFLAGS) -DSEEDS='"$*"' -c $< -o $@

$(O)/tests/test_seeds_agent: $(O)/obj/tests/fuzz/world.o

$(SEED_TESTS): $(O)/tests/test_seeds_%: $(O)/obj/tests/fuzz/seeds_%.o $(O)/obj/tests/fuzz/fuzz_%.o $(TRACER)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(filter %.o,$^) $(TRACER) -o $@ -lcmocka $(WRAP_$*) $(TRACER_LIBS)

UNIT_TESTS += $(SEED_TESTS)
tests: $(SEED_TESTS)
