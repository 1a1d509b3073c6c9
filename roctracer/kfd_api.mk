# SPDX-License-Identifier: MIT
# The wrappers of libhsakmt's functions, made from the header that is installed, and their test.

KFD_HEADERS = $(addprefix $(HSA_INCLUDE)/,hsakmt.h hsakmt/hsakmt.h)
KFD_API_SOURCES = scripts/gen-kfd-api scripts/prof_str.py scripts/apidesc.py roctracer/kfd_functions.txt $(wildcard $(KFD_HEADERS))
KFD_API_GEN = $(O)/gen/roctracer/kfd_prof_str.h $(O)/gen/roctracer/kfd_api_wrappers.inc

$(O)/gen/roctracer/kfd_prof_str.h: KFD_API_PART = header
$(O)/gen/roctracer/kfd_api_wrappers.inc: KFD_API_PART = wrappers
$(KFD_API_GEN): $(KFD_API_SOURCES)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)scripts/gen-kfd-api $(API_INCLUDES) $(KFD_API_PART) >$@

KFD_API_OBJS = $(O)/pic/roctracer/kfd/kfd_api.o $(O)/pic/roctracer/kfd/kfd.o $(O)/obj/roctracer/kfd/kfd_api.o \
	$(O)/obj/tests/unit/inprocess/test_kfd_api.o
$(KFD_API_OBJS): | $(KFD_API_GEN)
ifneq ($(HSA_INCLUDE),/usr/include)
$(KFD_API_OBJS): ALL_CFLAGS += -isystem $(HSA_INCLUDE)
endif

# With the tracer's tables of the same functions. Without the header there is nothing to be tested.
ifneq ($(wildcard $(KFD_HEADERS)),)
$(O)/tests/test_kfd_api: $(O)/obj/tests/unit/inprocess/test_kfd_api.o $(O)/obj/tests/unit/inprocess/any_call.o $(O)/obj/roctracer/kfd/kfd_api.o \
	$(O)/obj/common/api_tables.o $(O)/obj/common/api_table_data.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ -lcmocka

UNIT_TESTS += $(O)/tests/test_kfd_api
tests: $(O)/tests/test_kfd_api
endif
