# The sinks, the libraries they need, and their unit tests.

include user/html.mk

SINK_SRCS = hash clock log sink outfile event format nest tracks sink_text sink_json sink_pftrace pftrace pfstages proto rates sink_summary table jsonout \
	sink_stats sink_folded calltree sink_roctracer kernel_name outfolder sink_otf2 otf2archive otf2files otf2regions slices sink_csv csv csvstats rocprof sink_rocpd rocpd_db jsontext sink_rtrace origin bytes chunk recfiles chunkwriter definitions encode \
	$(HTML_SRCS) $(addprefix report/,names tally idle idle_calls failures who losses)
SINK_OBJS = $(sort $(SINK_SRCS:%=$(O)/obj/user/%.o) $(API_OBJS))
SINK_LIBS = -lyajl -lsmartcols -lsqlite3 -lotf2 -lzstd -lz -lm

# The schema of what is written for Perfetto, to read it with.
$(O)/gen/tests/unit/perfetto.pb-c.c: tests/unit/perfetto.proto
	$(call say,PROTOC-C,$@)
	@mkdir -p $(@D)
	$(Q)protoc-c --c_out=$(O)/gen $<

$(O)/gen/tests/unit/perfetto.pb-c.h: $(O)/gen/tests/unit/perfetto.pb-c.c ;

$(O)/obj/tests/unit/perfetto.pb-c.o: $(O)/gen/tests/unit/perfetto.pb-c.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(SANFLAGS) -c $< -o $@

$(O)/obj/tests/unit/test_pftrace.o: $(O)/gen/tests/unit/perfetto.pb-c.h

# The text of the file as a string.
$(O)/gen/user/rocpd_sql.h: user/rocpd.sql
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)sed -e '/^--/d' -e 's/[\\"]/\\&/g' -e 's/^/"/' -e 's/$$/\\n"/' $< >$@

$(O)/obj/user/rocpd_db.o: $(O)/gen/user/rocpd_sql.h

SINK_TESTS = $(O)/tests/test_format $(O)/tests/test_sinks $(O)/tests/test_pftrace $(O)/tests/test_rates $(O)/tests/test_csv \
	$(O)/tests/test_rocpd $(O)/tests/test_html $(O)/tests/test_folded $(O)/tests/test_slices $(O)/tests/test_otf2

$(O)/tests/test_sinks $(O)/tests/test_folded $(O)/tests/test_otf2 $(O)/tests/test_pftrace $(O)/tests/test_csv $(O)/tests/test_rocpd \
$(O)/tests/test_html: $(O)/obj/tests/unit/sink_feed.o

$(O)/tests/test_pftrace: $(O)/obj/tests/unit/perfetto.pb-c.o
$(O)/tests/test_pftrace: TEST_LIBS = -lprotobuf-c

$(SINK_TESTS): $(O)/tests/%: $(O)/obj/tests/unit/%.o $(SINK_OBJS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ $(SINK_LIBS) $(TEST_LIBS) -lcmocka

UNIT_TESTS += $(SINK_TESTS)
tests: $(SINK_TESTS)
