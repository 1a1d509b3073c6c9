# A libamd_comgr.so.2 that remembers what it has compiled, in $(O)/comgr: see comgr_cache.c. It needs the real one by
# its path, as it has the name itself that programs look for: it is linked with an empty library of that path as name.
# Only for ROCm 5, whose HIP loads that name by dlopen; elsewhere HIP compiles as ever.

COMGR := $(if $(wildcard /usr/include/amd_comgr.h),$(realpath /usr/lib/x86_64-linux-gnu/libamd_comgr.so.2))

$(O)/comgr/libamd_comgr.so.2: $(O)/pic/tests/comgr/comgr_cache.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $(@D)/*
	$(Q)$(CC) -shared -x c /dev/null -Wl,-soname,$(COMGR) -o $(@D)/path.so
	$(Q)$(CC) $(SHLIB_LDFLAGS) $^ -o $@ -Wl,--no-as-needed $(@D)/path.so -Wl,-z,undefs

tests: $(if $(COMGR),$(O)/comgr/libamd_comgr.so.2)
