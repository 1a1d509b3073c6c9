# The simulated GPU, $(O)/libsimkfd.so, and its own test. $(UNIT_SIMKFD) is to be run with the former
# in LD_PRELOAD.

SIMKFD_OBJS = $(patsubst tests/simkfd/%.c,$(O)/pic/tests/simkfd/%.o, \
	$(filter-out tests/simkfd/test_%.c,$(wildcard tests/simkfd/*.c)))

# <drm/drm.h>, which Debian has in another place: see tests/simkfd/drm. xf86drm.h wants libdrm's.
$(SIMKFD_OBJS): SHLIB_CFLAGS += -Itests/simkfd -I/usr/include/libdrm

$(O)/libsimkfd.so: $(SIMKFD_OBJS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SHLIB_LDFLAGS) $^ -o $@ -ldl -lpthread

UNIT_SIMKFD = $(O)/tests/test_simkfd

$(UNIT_SIMKFD): $(patsubst %,$(O)/obj/tests/simkfd/test_%.o,simkfd gpu truth clock)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SANFLAGS) $^ -o $@ -lhsa-runtime64 -lcmocka -lpthread

# The plug-in of that test, which expects it beside itself.
$(UNIT_SIMKFD)_kernels.so: $(O)/pic/tests/simkfd/test_kernels.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SHLIB_LDFLAGS) $^ -o $@

tests: $(O)/libsimkfd.so $(UNIT_SIMKFD) $(UNIT_SIMKFD)_kernels.so
