# libroctx64.so.4 and librocprofiler-sdk-roctx.so.1, and their names for -l.

ROCTX_OBJS = $(O)/pic/roctx/roctx.o $(O)/pic/roctx/entry.o
SDK_ROCTX_OBJS = $(O)/pic/roctx/sdk_roctx.o $(O)/pic/roctx/sdk_entry.o

$(O)/pic/roctx/entry.o $(O)/pic/roctx/sdk_entry.o: roctx/entry.inc

# They include each other as they do where they are installed.
CFLAGS_roctx/sdk_roctx = -Iinclude
CFLAGS_tests/unit/inprocess/test_sdk_roctx = -Iinclude
CFLAGS_tests/unit/inprocess/test_sdk_roctx_direct = -Iinclude

$(O)/libroctx64.so.4: $(ROCTX_OBJS) roctx/roctx.map
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) -Wl,-soname,libroctx64.so.4 \
		-Wl,--version-script,roctx/roctx.map $(ROCTX_OBJS) -o $@
	$(Q)ln -sf libroctx64.so.4 $(O)/libroctx64.so

$(O)/librocprofiler-sdk-roctx.so.1: $(SDK_ROCTX_OBJS) roctx/sdk_roctx.map
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) -Wl,-soname,librocprofiler-sdk-roctx.so.1 \
		-Wl,--version-script,roctx/sdk_roctx.map $(SDK_ROCTX_OBJS) -o $@
	$(Q)ln -sf librocprofiler-sdk-roctx.so.1 $(O)/librocprofiler-sdk-roctx.so

$(O)/tests/test_roctx: $(O)/obj/tests/unit/inprocess/test_roctx.o $(O)/obj/tests/unit/inprocess/exports.o $(O)/libroctx64.so.4
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -Wl,-rpath,'$$ORIGIN/..' -o $@ -lcmocka -lelf -lpthread

# With a librocprofiler-register of its own, or a librocprofiler-sdk: symbols of the program come first.
$(O)/tests/test_sdk_roctx: $(O)/obj/tests/unit/inprocess/test_sdk_roctx.o $(O)/obj/tests/unit/inprocess/exports.o $(O)/librocprofiler-sdk-roctx.so.1
$(O)/tests/test_sdk_roctx_direct: $(O)/obj/tests/unit/inprocess/test_sdk_roctx_direct.o $(O)/librocprofiler-sdk-roctx.so.1
$(O)/tests/test_sdk_roctx $(O)/tests/test_sdk_roctx_direct:
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -rdynamic $^ -Wl,-rpath,'$$ORIGIN/..' -o $@ -lcmocka -lelf -lpthread

ROCTX_TESTS = $(O)/tests/test_roctx $(O)/tests/test_sdk_roctx $(O)/tests/test_sdk_roctx_direct
UNIT_TESTS += $(ROCTX_TESTS)
PLAIN_TESTS += $(ROCTX_TESTS)

all: $(O)/libroctx64.so.4 $(O)/librocprofiler-sdk-roctx.so.1
tests: $(ROCTX_TESTS)
