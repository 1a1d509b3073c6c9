# The sinks, the libraries they need, and their unit tests.

SINK_SRCS = sink event format nest tracks sink_text sink_json sink_pftrace pftrace sink_summary \
	sink_stats
SINK_OBJS = $(sort $(SINK_SRCS:%=$(O)/obj/user/%.o) $(API_OBJS)) $(O)/obj/user/perfetto.pb-c.o
SINK_LIBS = -lprotobuf-c -lyajl -lsmartcols

$(O)/gen/user/perfetto.pb-c.c: user/perfetto.proto
	$(call say,PROTOC-C,$@)
	@mkdir -p $(@D)
	$(Q)protoc-c --c_out=$(O)/gen $<

$(O)/gen/user/perfetto.pb-c.h: $(O)/gen/user/perfetto.pb-c.c ;

$(O)/obj/user/perfetto.pb-c.o: $(O)/gen/user/perfetto.pb-c.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(SANFLAGS) -c $< -o $@

$(O)/obj/user/pftrace.o $(O)/obj/user/sink_pftrace.o $(O)/obj/tests/unit/test_pftrace.o: \
	$(O)/gen/user/perfetto.pb-c.h

SINK_TESTS = $(O)/tests/test_format $(O)/tests/test_sinks $(O)/tests/test_pftrace

$(O)/tests/test_sinks $(O)/tests/test_pftrace: $(O)/obj/tests/unit/sink_feed.o

$(SINK_TESTS): $(O)/tests/%: $(O)/obj/tests/unit/%.o $(SINK_OBJS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ $(SINK_LIBS) -lcmocka

UNIT_TESTS += $(SINK_TESTS)
tests: $(SINK_TESTS)
