# SPDX-License-Identifier: MIT
# The wrappers of HSA's functions, made from the headers that are installed, and their tests.

HSA_API_SOURCES = scripts/gen-hsa-api scripts/prof_str.py scripts/apidesc.py \
	$(addprefix $(HSA_INCLUDE)/hsa/,hsa.h hsa_ext_amd.h hsa_ext_image.h hsa_api_trace.h)
HSA_API_GEN = $(O)/gen/roctracer/hsa_prof_str.h $(O)/gen/roctracer/hsa_api_wrappers.inc $(O)/gen/hsa_tables.h

$(O)/gen/roctracer/hsa_prof_str.h: HSA_API_PART = header
$(O)/gen/roctracer/hsa_api_wrappers.inc: HSA_API_PART = wrappers
$(O)/gen/roctracer/hsa_prof_str.h $(O)/gen/roctracer/hsa_api_wrappers.inc: $(HSA_API_SOURCES)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)scripts/gen-hsa-api $(API_INCLUDES) $(HSA_API_PART) >$@

HSA_API_OBJS = $(O)/pic/roctracer/hsa_api.o $(O)/obj/roctracer/hsa_api.o $(O)/obj/tests/unit/inprocess/test_hsa_api.o
$(HSA_API_OBJS): | $(HSA_API_GEN)
ifneq ($(HSA_INCLUDE),/usr/include)
$(HSA_API_OBJS): ALL_CFLAGS += -isystem $(HSA_INCLUDE)
endif

# With the tracer's tables of the same functions.
$(O)/tests/test_hsa_api: $(O)/obj/tests/unit/inprocess/test_hsa_api.o $(O)/obj/tests/unit/inprocess/any_call.o $(O)/obj/roctracer/hsa_api.o \
	$(PEEK_OBJS) $(O)/obj/common/api_tables.o $(O)/obj/common/api_table_data.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ -lcmocka

HSA_EVENTS_OBJS = $(patsubst %,$(O)/obj/%.o,tests/unit/inprocess/test_hsa_events roctracer/hsa_events roctracer/enabled_operations \
	roctracer/thread inprocess/thread_list roctracer/record_pools inprocess/tsc_clock inprocess/kernel_clock inprocess/peek inprocess/mappings)
$(HSA_EVENTS_OBJS): ALL_CFLAGS += -Iinclude/roctracer -I$(O)/gen/roctracer
$(HSA_EVENTS_OBJS): | $(HSA_API_GEN)

$(O)/tests/test_hsa_events: $(HSA_EVENTS_OBJS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ -lcmocka -lpthread

UNIT_TESTS += $(O)/tests/test_hsa_api $(O)/tests/test_hsa_events
tests: $(O)/tests/test_hsa_api $(O)/tests/test_hsa_events
