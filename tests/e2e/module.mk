# What the end-to-end tests judge traces with where there are too many events for jq.

$(O)/tests/storm_check: $(O)/obj/tests/e2e/storm_check.o $(O)/obj/tests/e2e/storm_read.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@

tests: $(O)/tests/storm_check

# Long recordings, for reports of them.
$(O)/tests/big_recording: $(O)/obj/tests/e2e/big_recording.o $(TRACER)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ $(TRACER_LIBS)

tests: $(O)/tests/big_recording

# Tracers on other nodes.
$(O)/tests/elsewhere.so: $(O)/pic/tests/e2e/elsewhere.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SHLIB_LDFLAGS) $^ -o $@ -ldl

tests: $(O)/tests/elsewhere.so
