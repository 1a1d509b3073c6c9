# SPDX-License-Identifier: MIT
# Tests of libroctracer64's KFD_API domain, with a libhsakmt of our own and libraries that call it.

ifneq ($(wildcard $(KFD_HEADERS)),)

KMT_CALLERS = hiding lazy bound noplt late other
KMT_BIND_lazy = -Wl,-z,lazy
KMT_CFLAGS_hiding = -DHIDES
KMT_CFLAGS_noplt = -fno-plt

KMT_OBJ = $(O)/pic/tests/roctracer

$(KMT_OBJ)/fakekmt.o $(KMT_CALLERS:%=$(KMT_OBJ)/caller_%.o): SHLIB_CFLAGS += -fvisibility=default
$(KMT_CALLERS:%=$(KMT_OBJ)/caller_%.o): SHLIB_CFLAGS += $(KMT_CFLAGS_$*) -DCALLER=$*_caller
$(KMT_CALLERS:%=$(KMT_OBJ)/caller_%.o): $(KMT_OBJ)/caller_%.o: tests/roctracer/caller.c
	$(compile)

$(O)/tests/kmt/libhsakmt.so.1: $(KMT_OBJ)/fakekmt.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) -Wl,-soname,$(@F) $< -o $@

$(KMT_CALLERS:%=$(O)/tests/kmt/libcaller-%.so): $(O)/tests/kmt/libcaller-%.so: $(KMT_OBJ)/caller_%.o $(O)/tests/kmt/libhsakmt.so.1
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) -Wl,-z,relro $(KMT_BIND_$*) $^ -Wl,-rpath,'$$ORIGIN' -o $@

# What hides comes first.
KMT_LINKED = $(patsubst %,$(O)/tests/kmt/libcaller-%.so,hiding lazy bound noplt) $(O)/tests/kmt/libhsakmt.so.1

CFLAGS_tests/roctracer/test_kfd = -Iinclude/roctracer -I$(O)/gen/roctracer
$(O)/obj/tests/roctracer/test_kfd.o: | $(KFD_API_GEN)

$(O)/tests/test_kfd: $(O)/obj/tests/roctracer/test_kfd.o $(KMT_LINKED) $(O)/libroctracer64.so.4 \
	| $(patsubst %,$(O)/tests/kmt/libcaller-%.so,late other)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -Wl,-rpath,'$$ORIGIN/kmt:$$ORIGIN/..' -o $@ -lcmocka -ldl -lpthread

ROCTRACER_TESTS += $(O)/tests/test_kfd

endif
