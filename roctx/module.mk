# libroctx64.so.4, and libroctx64.so for -lroctx64.

ROCTX_OBJS = $(O)/pic/roctx/roctx.o $(O)/pic/roctx/entry.o

$(O)/pic/roctx/entry.o: roctx/entry.S
	$(call say,AS,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(SHLIB_CFLAGS) -c $< -o $@

$(O)/libroctx64.so.4: $(ROCTX_OBJS) roctx/roctx.map
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) -Wl,-soname,libroctx64.so.4 \
		-Wl,--version-script,roctx/roctx.map $(ROCTX_OBJS) -o $@
	$(Q)ln -sf libroctx64.so.4 $(O)/libroctx64.so

$(O)/tests/test_roctx: $(O)/obj/tests/unit/test_roctx.o $(O)/libroctx64.so.4
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -Wl,-rpath,'$$ORIGIN/..' -o $@ -lcmocka -lelf -lpthread

UNIT_TESTS += $(O)/tests/test_roctx

all: $(O)/libroctx64.so.4
tests: $(O)/tests/test_roctx
