# Fuzzing of what reads files and texts that others write: clang's libFuzzer with ASan and UBSan.

FUZZ_DIR = $(O)/fuzz
FUZZ_TARGETS = $(FUZZ_DIR)/fuzz_library $(FUZZ_DIR)/fuzz_maps $(FUZZ_DIR)/fuzz_agent \
	$(FUZZ_DIR)/fuzz_recording $(FUZZ_DIR)/fuzz_options $(FUZZ_DIR)/fuzz_demangle
FUZZ_CFLAGS = -std=gnu11 -D_GNU_SOURCE -O1 -g -I. -I$(O)/gen -DRTRACE_VERSION='"$(VERSION)"' \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined

$(FUZZ_DIR)/fuzz_library: tests/fuzz/fuzz_library.c \
		$(patsubst %,user/%.c,library image branches placement insn frames trampoline implementation spills log)
$(FUZZ_DIR)/fuzz_library: FUZZ_LIBS = -lelf -lZydis
$(FUZZ_DIR)/fuzz_maps: tests/fuzz/fuzz_maps.c user/procfs.c

# All between the agents' memory and the output, with the clock and the waiting in the target's hands.
$(FUZZ_DIR)/fuzz_agent: tests/fuzz/fuzz_agent.c tests/fuzz/world.c $(patsubst %,user/%.c,agent agent_names agent_spans agents probed nesting trace intake order \
		operations oprecord resources correlate workers streams ranges external merge task control \
		items strings handles symbols stacks image function door kfd select output outname procfs $(SINK_SRCS) \
		api args value textbuf) $(O)/gen/user/api_tables.c
$(FUZZ_DIR)/fuzz_agent: FUZZ_LIBS = -lelf -ldw -liberty $(SINK_LIBS) -Wl,--wrap=clock__boot_ns,--wrap=poll

$(FUZZ_DIR)/fuzz_recording: tests/fuzz/fuzz_recording.c $(patsubst %,user/%.c,decode replay strings output outname task control external procfs $(SINK_SRCS) \
		api args value textbuf) $(O)/gen/user/api_tables.c
$(FUZZ_DIR)/fuzz_recording: FUZZ_LIBS = -liberty $(SINK_LIBS)

$(FUZZ_DIR)/fuzz_options: tests/fuzz/fuzz_options.c $(patsubst %,user/%.c,options select function door periods \
		live/top live/view live/live live/busy live/metrics $(SINK_SRCS) api args value textbuf) $(O)/gen/user/api_tables.c
$(FUZZ_DIR)/fuzz_options: FUZZ_LIBS = -lmicrohttpd $(SINK_LIBS) -Wl,--wrap=argp_parse,--wrap=argp_error

$(FUZZ_DIR)/fuzz_demangle: tests/fuzz/fuzz_demangle.c $(patsubst %,user/%.c,strings kernel_name textbuf format hash)
$(FUZZ_DIR)/fuzz_demangle: FUZZ_LIBS = -liberty

$(FUZZ_TARGETS): | $(O)/gen/user/rocpd_sql.h $(O)/gen/user/html_page.h

$(FUZZ_TARGETS):
	$(call say,FUZZ,$@)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(FUZZ_CFLAGS) $^ -o $@ $(FUZZ_LIBS)

.PHONY: fuzz-targets fuzz-short
fuzz-targets: $(FUZZ_TARGETS)
	@echo $(FUZZ_TARGETS) >/dev/null

# What was found before, and a few seconds of new inputs.
fuzz-short:
	$(Q)O=$(O) scripts/fuzz 5
