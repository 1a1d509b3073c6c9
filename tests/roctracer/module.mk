# SPDX-License-Identifier: MIT
# Tests of libroctracer64, with HIP libraries of our own that have its interfaces for tools.

# The major version of the file's own name tells the library how long a call's data is: so do these, of HIP 4.3, 5.2, 5.7, 6.
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

ROCTRACER_PARTS = roctracer roctracer_gpus roctracer_interface roctracer_records

define fakehip
$(O)/tests/hip$(1)/$(SONAME_$(1)): tests/roctracer/fakehip.c
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(SHLIB_CFLAGS) $$(SANFLAGS) -fvisibility=default $(INTERFACE_$(1)) -DFAKE_LONGEST=$(LONGEST_$(1)) $$(SHLIB_LDFLAGS) \
		-Wl,-soname,$$(@F) $$< -o $$@ -lpthread

$(ROCTRACER_PARTS:%=$(O)/tests/test_%_$(1)): $(O)/tests/test_%_$(1): tests/roctracer/test_%.c $(O)/tests/hip$(1)/$(SONAME_$(1)) \
	$(O)/libroctracer64.so.4 $(O)/libroctx64.so.4
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(SANFLAGS) -Wno-error=deprecated-declarations $(INTERFACE_$(1)) -DFAKE_LONGEST=$(LONGEST_$(1)) -Iinclude/roctracer \
		-Wl,--no-as-needed $$(filter-out %.h,$$^) -Wl,-rpath,'$$$$ORIGIN/hip$(1):$$$$ORIGIN/..' -o $$@ -lcmocka -ldl -lpthread

$(O)/tests/test_subscriber_$(1): tests/roctracer/test_subscriber.c $(O)/tests/hip$(1)/$(SONAME_$(1)) $(O)/libroctracer64.so.4 | $(HSA_API_GEN)
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(SANFLAGS) $(INTERFACE_$(1)) -DFAKE_LONGEST=$(LONGEST_$(1)) -Iinclude/roctracer -I$(O)/gen/roctracer \
		$$(filter-out %.h,$$^) -Wl,-rpath,'$$$$ORIGIN/hip$(1):$$$$ORIGIN/..' -o $$@ -lcmocka -lpthread

$(O)/tests/test_roctracer_tool_$(1): tests/roctracer/test_roctracer_tool.c $(O)/tests/hip$(1)/$(SONAME_$(1)) \
	| $(O)/roctracer/libroctracer_tool.so
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(SANFLAGS) -Wno-error=deprecated-declarations $(INTERFACE_$(1)) -DFAKE_LONGEST=$(LONGEST_$(1)) $(TOOL_TEST_INCLUDE) \
		$$(filter-out %.h,$$^) -Wl,-rpath,'$$$$ORIGIN/hip$(1)' -o $$@ -lcmocka -ldl -lpthread

ROCTRACER_TESTS += $(ROCTRACER_PARTS:%=$(O)/tests/test_%_$(1)) $(O)/tests/test_subscriber_$(1) $(O)/tests/test_roctracer_tool_$(1)
endef
$(foreach hip,$(FAKEHIPS),$(eval $(call fakehip,$(hip))))

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
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(SANFLAGS) -c $< -o $@

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

# Run by tests/e2e/libroctracer.bats.
TSAN_PROGRAMS += $(ROCTRACER_TESTS:$(O)/%=%)

# ---- a program of HSA alone ----

$(O)/tests/hsa_phases: tests/roctracer/hsa_phases.c $(O)/libroctracer64.so.4 | $(HSA_API_GEN)
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(SANFLAGS) -Iinclude/roctracer -I$(O)/gen/roctracer $(filter-out %.h,$^) -Wl,-rpath,'$$ORIGIN/..' -o $@ -lhsa-runtime64 -lpthread

tests: $(O)/tests/hsa_phases

# ---- the examples of roctracer's specification, with the real HIP ----

EXAMPLE_RPATH = -Wl,-rpath,'$$ORIGIN/..'
ROCTRACER_EXAMPLES = $(addprefix $(O)/examples/,one_operation transpose)

$(ROCTRACER_EXAMPLES): $(O)/examples/%: tests/roctracer/%.hip $(O)/libroctracer64.so.4
	$(call say,HIPCC,$@)
	@mkdir -p $(@D)
	$(Q)$(call hipcc,$(HIP_FLAGS) -Iinclude/roctracer -I$(O)/gen/roctracer -MF $@.d $< -L$(O) -lroctracer64 $(EXAMPLE_RPATH) -o $@)

tests: $(ROCTRACER_EXAMPLES)
