# SPDX-License-Identifier: MIT
# Tests of libroctracer64's KFD_API domain, with a libhsakmt of our own and libraries that call it.

ifneq ($(wildcard $(KFD_HEADERS)),)

KMT_CALLERS = hiding lazy bound noplt late other
KMT_BIND_lazy = -Wl,-z,lazy
KMT_CFLAGS_hiding = -DHIDES
KMT_CFLAGS_noplt = -fno-plt

KMT_CC = $(CC) $(SHLIB_CFLAGS) $(SANFLAGS) -fvisibility=default

$(O)/tests/kmt/libhsakmt.so.1: tests/roctracer/fakekmt.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(KMT_CC) $(SHLIB_LDFLAGS) -Wl,-soname,$(@F) $< -o $@

$(KMT_CALLERS:%=$(O)/tests/kmt/libcaller-%.so): $(O)/tests/kmt/libcaller-%.so: tests/roctracer/caller.c $(O)/tests/kmt/libhsakmt.so.1
	$(call say,CC,$@)
	$(Q)$(KMT_CC) $(KMT_CFLAGS_$*) -DCALLER=$*_caller $(SHLIB_LDFLAGS) -Wl,-z,relro $(KMT_BIND_$*) $^ -Wl,-rpath,'$$ORIGIN' -o $@

# What hides comes first.
KMT_LINKED = $(patsubst %,$(O)/tests/kmt/libcaller-%.so,hiding lazy bound noplt) $(O)/tests/kmt/libhsakmt.so.1

$(O)/tests/test_kfd: tests/roctracer/test_kfd.c $(KMT_LINKED) $(O)/libroctracer64.so.4 | $(KFD_API_GEN) $(patsubst %,$(O)/tests/kmt/libcaller-%.so,late other)
	$(call say,CC,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(SANFLAGS) -Iinclude/roctracer -I$(O)/gen/roctracer \
		$(filter-out %.h,$^) -Wl,-rpath,'$$ORIGIN/kmt:$$ORIGIN/..' -o $@ -lcmocka -ldl -lpthread

ROCTRACER_TESTS += $(O)/tests/test_kfd

endif
