# Fuzzing of what reads files and texts that others write: clang's libFuzzer with ASan and UBSan.

FUZZ_DIR = $(O)/fuzz
FUZZ_TARGETS = $(FUZZ_DIR)/fuzz_library $(FUZZ_DIR)/fuzz_maps
FUZZ_CFLAGS = -std=gnu11 -D_GNU_SOURCE -O1 -g -I. -I$(O)/gen \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined

$(FUZZ_DIR)/fuzz_library: tests/fuzz/fuzz_library.c \
		$(patsubst %,user/%.c,library image branches placement insn frames trampoline implementation spills log)
$(FUZZ_DIR)/fuzz_library: FUZZ_LIBS = -lelf -lZydis
$(FUZZ_DIR)/fuzz_maps: tests/fuzz/fuzz_maps.c user/procfs.c

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
