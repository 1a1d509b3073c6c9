# SPDX-License-Identifier: MIT
# Tests of libroctracer64, with HIP libraries of our own that have its interfaces for tools.

# The major version of the file's own name says to the library how long a call's data is: so do these, of HIP 4.3, 5.2, 5.7, 6.
FAKEHIPS = 43 52 57 64
LONGEST_43 = 816
LONGEST_52 = 816
LONGEST_57 = 816
LONGEST_64 = 1496
SONAME_43 = libamdhip64.so.4
SONAME_52 = libamdhip64.so.5
SONAME_57 = libamdhip64.so.5
SONAME_64 = libamdhip64.so.6
INTERFACE_43 = -DHELD
INTERFACE_57 = -DTRACER
INTERFACE_64 = -DTRACER

ifneq ($(HSA_INCLUDE),/usr/include)
TOOL_TEST_INCLUDE = -isystem $(HSA_INCLUDE)
endif
# Newer cmocka deprecates assert_in_range for what older ones do not have.
ROCTRACER_TEST_CFLAGS = -Wno-error=deprecated-declarations -Iinclude/roctracer -I$(O)/gen/roctracer $(TOOL_TEST_INCLUDE)

ROCTRACER_PARTS = roctracer roctracer_gpus roctracer_interface roctracer_records

define fakehip
FAKEHIP_$(1) = $(O)/tests/hip$(1)/$(SONAME_$(1))

$(O)/pic/tests/roctracer/$(1)/%.o $(O)/obj/tests/roctracer/$(1)/%.o: \
	ALL_CFLAGS += $(INTERFACE_$(1)) -DFAKE_LONGEST=$(LONGEST_$(1)) $$(ROCTRACER_TEST_CFLAGS)
$(O)/pic/tests/roctracer/$(1)/%.o: SHLIB_CFLAGS += -fvisibility=default
$(O)/pic/tests/roctracer/$(1)/%.o: tests/roctracer/%.c
	$$(compile)

$(O)/obj/tests/roctracer/$(1)/%.o: tests/roctracer/%.c | $(HSA_API_GEN) $(KFD_API_GEN)
	$$(compile)

$$(FAKEHIP_$(1)): $(O)/pic/tests/roctracer/$(1)/fakehip.o
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CFLAGS) $$(SHLIB_LDFLAGS) -Wl,-soname,$$(@F) $$< -o $$@ -lpthread

$(ROCTRACER_PARTS:%=$(O)/tests/test_%_$(1)): $(O)/libroctracer64.so.4 $(O)/libroctx64.so.4
$(O)/tests/test_subscriber_$(1): $(O)/libroctracer64.so.4
$(O)/tests/test_roctracer_tool_$(1): | $(O)/roctracer/libroctracer_tool.so
$(patsubst %,$(O)/tests/test_%_$(1),$(ROCTRACER_PARTS) subscriber roctracer_tool): $(O)/tests/test_%_$(1): \
	$(O)/obj/tests/roctracer/$(1)/test_%.o $$(FAKEHIP_$(1))
	$$(call say,LD,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(CFLAGS) $$(SANFLAGS) -Wl,--no-as-needed $$^ -Wl,-rpath,'$$$$ORIGIN/hip$(1):$$$$ORIGIN/..' -o $$@ -lcmocka -ldl -lpthread

ROCTRACER_TESTS += $(patsubst %,$(O)/tests/test_%_$(1),$(ROCTRACER_PARTS) subscriber roctracer_tool)
endef
$(foreach hip,$(FAKEHIPS),$(eval $(call fakehip,$(hip))))

$(O)/tests/slow_events.so: $(O)/pic/tests/roctracer/slow_events.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $< -o $@ -ldl

tests: $(O)/tests/slow_events.so

include tests/roctracer/kfd.mk

UNIT_TESTS += $(ROCTRACER_TESTS)
PLAIN_TESTS += $(ROCTRACER_TESTS)
tests: $(ROCTRACER_TESTS)

$(O)/pic/tests/roctracer/tool.o: SHLIB_CFLAGS += -fvisibility=default -Iinclude/roctracer -I$(O)/gen/roctracer
$(O)/pic/tests/roctracer/tool.o: | $(HSA_API_GEN) $(KFD_API_GEN)

$(O)/tests/libtool.so: $(O)/pic/tests/roctracer/tool.o $(O)/libroctracer64.so.4
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) $^ -Wl,-rpath,'$$ORIGIN/..' -o $@ -ldl

tests: $(O)/tests/libtool.so

# What the tool library knows of functions, held against the compiler, and the file of names that it reads.
$(O)/gen/tests/roctracer/hip_members.inc: $(HSA_INCLUDE)/hip/amd_detail/hip_prof_str.h
$(O)/gen/tests/roctracer/hsa_members.inc: $(O)/gen/roctracer/hsa_prof_str.h
$(O)/gen/tests/roctracer/%_members.inc: tests/roctracer/members.awk
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f $< $(lastword $^) >$@

$(O)/obj/roctracer/tool/functions_tables.o: $(O)/gen/roctracer/tool/functions_tables.c
	$(compile)

CFLAGS_tests/roctracer/test_tool_functions = -D__HIP_PLATFORM_AMD__ -Iinclude/roctracer -I$(O)/gen/roctracer
$(O)/obj/tests/roctracer/test_tool_functions.o: | $(HSA_API_GEN) \
	$(O)/gen/tests/roctracer/hip_members.inc $(O)/gen/tests/roctracer/hsa_members.inc
ifneq ($(HSA_INCLUDE),/usr/include)
$(O)/obj/tests/roctracer/test_tool_functions.o: ALL_CFLAGS += -isystem $(HSA_INCLUDE)
endif
$(O)/tests/test_tool_functions: $(O)/obj/tests/roctracer/test_tool_functions.o $(O)/obj/roctracer/tool/functions_tables.o
$(O)/tests/test_tool_input: $(O)/obj/tests/roctracer/test_tool_input.o $(O)/obj/roctracer/tool/input.o

TOOL_TESTS = $(O)/tests/test_tool_functions $(O)/tests/test_tool_input
$(TOOL_TESTS):
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ -lcmocka

UNIT_TESTS += $(TOOL_TESTS)
tests: $(TOOL_TESTS)

# Run by tests/e2e/inprocess/libroctracer.bats.
TSAN_PROGRAMS += $(ROCTRACER_TESTS:$(O)/%=%)

# ---- a program of HSA alone ----

CFLAGS_tests/roctracer/hsa_phases = -Iinclude/roctracer -I$(O)/gen/roctracer
$(O)/obj/tests/roctracer/hsa_phases.o: | $(HSA_API_GEN)

$(O)/tests/hsa_phases: $(O)/obj/tests/roctracer/hsa_phases.o $(O)/libroctracer64.so.4
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -Wl,-rpath,'$$ORIGIN/..' -o $@ -lhsa-runtime64 -lpthread

tests: $(O)/tests/hsa_phases

# ---- the examples of roctracer's specification, with the real HIP ----

EXAMPLE_RPATH = -Wl,-rpath,'$$ORIGIN/..'
ROCTRACER_EXAMPLES = $(addprefix $(O)/examples/,one_operation transpose)

ROCTRACER_EXAMPLE_OBJS = $(ROCTRACER_EXAMPLES:$(O)/examples/%=$(O)/obj/tests/roctracer/%.o)
$(ROCTRACER_EXAMPLE_OBJS): HIP_FLAGS += -Iinclude/roctracer -I$(O)/gen/roctracer
$(ROCTRACER_EXAMPLE_OBJS): | $(HSA_API_GEN)

$(ROCTRACER_EXAMPLES): $(O)/examples/%: $(O)/obj/tests/roctracer/%.o $(O)/libroctracer64.so.4
	$(call link_hip,-L$(O) -lroctracer64 $(EXAMPLE_RPATH))

tests: $(ROCTRACER_EXAMPLES)
