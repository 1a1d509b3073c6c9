# SPDX-License-Identifier: MIT
# Calls of every API function with known values, made from the headers: a unit test of the decoder,
# and a program with a library of stubs that can be traced.

API_GEN = $(O)/gen/tests
API_TESTS = scripts/gen-api-tests
# With functions that try what the real ones do not.
API_EXTRA = -H tests/api/places.h
# gcc must be told which GPUs the HIP headers are for. The headers' own warnings are not ours, and
# without optimisation every call of the generated code is one.
API_CFLAGS = -std=gnu11 -D_GNU_SOURCE -D__HIP_PLATFORM_AMD__ -I. -Iinclude $(API_INCLUDES) -w -g -O0

$(API_GEN)/calls.c $(API_GEN)/stubs.c: $(API_GEN)/%.c: $(API_TESTS) $(API_SOURCES) tests/api/places.h
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(API_TESTS) $(API_INCLUDES) $(API_EXTRA) $* >$@

$(API_GEN)/record.S: $(API_TESTS) $(API_SOURCES) tests/api/places.h
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(API_TESTS) $(API_INCLUDES) $(API_EXTRA) record >$@

$(API_GEN)/api_table_data.c: scripts/gen-api-tables $(API_SOURCES) tests/api/places.h
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)scripts/gen-api-tables $(API_INCLUDES) $(API_EXTRA) >$@

$(API_GEN)/api_table_data.o: $(API_GEN)/api_table_data.c
	$(compile)

$(API_GEN)/record.o: $(API_GEN)/record.S
	$(compile)

$(API_GEN)/stubs.o: API_CFLAGS += -fPIC
$(API_GEN)/calls.o $(API_GEN)/stubs.o: $(API_GEN)/%.o: $(API_GEN)/%.c tests/api/expect.h
	$(call say,CC,$@)
	$(Q)$(CC) $(API_CFLAGS) -c $< -o $@

# Every function in the tables, under the names that the libraries export.
$(O)/tests/libapistubs.so: $(API_GEN)/stubs.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-Bsymbolic $< -o $@

# The same library under the name of one that is traced, and the program that calls all of it.
$(O)/api/libamdhip64.so.5: $(O)/tests/libapistubs.so
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(O)/api/calls: $(API_GEN)/calls.o $(O)/obj/tests/api/expect.o $(O)/obj/tests/api/print.o $(O)/api/libamdhip64.so.5
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(filter %.o,$^) -L$(@D) -l:libamdhip64.so.5 '-Wl,-rpath,$$ORIGIN' -o $@

$(O)/tests/test_api_calls: $(O)/obj/tests/api/check.o $(O)/obj/tests/api/expect.o $(API_GEN)/calls.o \
	$(API_GEN)/record.o $(O)/obj/tests/api/record.o $(API_GEN)/api_table_data.o $(TRACER) | $(O)/tests/libapistubs.so
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ -lcmocka -ldl $(TRACER_LIBS)

# For drm/drm.h, which linux/kfd_ioctl.h includes and Debian has elsewhere.
CFLAGS_tests/unit/tracer/test_args = -Itests/simkfd

UNIT_TESTS += $(O)/tests/test_api_calls
tests: $(O)/tests/test_api_calls $(O)/api/calls
