# The workloads: HIP programs by hipcc, C programs by gcc, the kernels as code object and as host
# functions for the simulated GPU. Nothing here needs a GPU to be built.

# Code objects are built for these, e.g. HIP_ARCHS="gfx906 gfx90a gfx942".
HIP_ARCHS ?= gfx906
HIP_OFFLOAD = $(HIP_ARCHS:%=--offload-arch=%)
HIP_FLAGS = -O2 -g -Wall -Wextra -Wno-unused-parameter -Werror -I. -Iinclude -MMD -MP $(HIP_OFFLOAD)

# hipcc asks for the machine's GPUs even when an option says what to build for, and prints a Python
# traceback on one without. Its own exit status is kept, and its diagnostics are shown if it fails.
hipcc = $(HIPCC) $(1) 2>$@.log || { cat $@.log >&2; exit 1; }

$(O)/obj/%.o: %.hip
	$(call say,HIPCC,$@)
	@mkdir -p $(@D)
	$(Q)$(call hipcc,$(HIP_FLAGS) $(CFLAGS_$(*)) -c $< -o $@)

# The recipe of a HIP program, with libraries.
define link_hip
$(call say,LD,$@)
@mkdir -p $(@D)
$(Q)$(call hipcc,$(HIP_OFFLOAD) $< $(1) -o $@)
endef

WORKLOADS_HIP = vectoradd matrixtranspose streams graphs events ranges job forker longjmp exceptions windows storm leaving cooperative late
WORKLOADS_C = copies module errors hsa_dispatch hsa_producers hsa_calls resources hsa_resources rate state children unread leaderless executes two_runtimes wrapped text_check renames hsa_copies reload
WORKLOADS = $(addprefix $(O)/workloads/,$(WORKLOADS_HIP) $(WORKLOADS_C))
WORKLOAD_FILES = $(O)/workloads/libkernels.so $(O)/workloads/liblate.so $(O)/workloads/kernels.hsaco $(O)/workloads/resources.hsaco \
	$(O)/workloads/reload_first.hsaco $(O)/workloads/reload_second.hsaco

LIBS_ranges = -L$(O) -lroctx64 -Wl,-rpath,'$$ORIGIN/..'
LIBS_windows = $(LIBS_ranges) -L$(O)/capture -l:libroctracer64.so.99 -l:librocprofiler-sdk-roctx.so.99 \
	-Wl,-rpath,'$$ORIGIN/../capture'
LIBS_longjmp = -lhsa-runtime64
LIBS_exceptions = -lhsa-runtime64
LIBS_children = $(LIBS_ranges) -lamdhip64 -L$(O)/capture -l:libamdhip64.so.99 -Wl,-rpath,'$$ORIGIN/../capture' -ldl
LIBS_unread = $(LIBS_ranges)
LIBS_copies = -lamdhip64
LIBS_module = -lamdhip64
LIBS_errors = -lamdhip64
LIBS_hsa_dispatch = -lhsa-runtime64
LIBS_hsa_producers = -lhsa-runtime64
LIBS_hsa_calls = -lhsa-runtime64
LIBS_hsa_copies = -lhsa-runtime64
LIBS_hsa_resources = -lhsa-runtime64
LIBS_two_runtimes = -ldl
LIBS_text_check = -ldl
LIBS_resources = -lamdhip64
LIBS_rate = -lamdhip64 -lpthread
LIBS_leaderless = -lamdhip64 -lhsa-runtime64 -lpthread -ldl
LIBS_wrapped = -Wl,-z,relro,-z,now -lamdhip64 -ldl
LIBS_renames = -L$(O) -lrocprofiler-sdk-roctx -Wl,-rpath,'$$ORIGIN/..' -lamdhip64 -lpthread
LIBS_executes = -lamdhip64 -lpthread
LIBS_reload = -lamdhip64 -lhsa-runtime64

$(WORKLOADS_HIP:%=$(O)/workloads/%): $(O)/workloads/%: $(O)/obj/tests/workloads/%.o
	$(call link_hip,$(LIBS_$*))

$(WORKLOADS_C:%=$(O)/workloads/%): $(O)/workloads/%: $(O)/obj/tests/workloads/%.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ $(LIBS_$*)

# gcc must be told which GPUs the HIP headers are for.
CFLAGS_tests/workloads/children = -D__HIP_PLATFORM_AMD__
CFLAGS_tests/workloads/copies = -D__HIP_PLATFORM_AMD__
CFLAGS_tests/workloads/wrapped = -D__HIP_PLATFORM_AMD__
CFLAGS_tests/workloads/module = -D__HIP_PLATFORM_AMD__
CFLAGS_tests/workloads/errors = -D__HIP_PLATFORM_AMD__
CFLAGS_tests/workloads/resources = -D__HIP_PLATFORM_AMD__
CFLAGS_tests/workloads/rate = -D__HIP_PLATFORM_AMD__
CFLAGS_tests/workloads/leaderless = -D__HIP_PLATFORM_AMD__
CFLAGS_tests/workloads/renames = -D__HIP_PLATFORM_AMD__
CFLAGS_tests/workloads/executes = -D__HIP_PLATFORM_AMD__
CFLAGS_tests/workloads/reload = -D__HIP_PLATFORM_AMD__

$(O)/workloads/children: $(O)/libroctx64.so.4 $(CAPTURE_DIR)/libamdhip64.so.99
$(O)/workloads/unread: $(O)/libroctx64.so.4
$(O)/workloads/ranges: $(O)/libroctx64.so.4
$(O)/workloads/renames: $(O)/librocprofiler-sdk-roctx.so.1
$(O)/workloads/windows: $(O)/libroctx64.so.4 $(CONTROL_LIBS)

$(O)/workloads/kernels.hsaco: tests/workloads/kernels.hip tests/workloads/elements.h
$(O)/workloads/resources.hsaco: tests/workloads/resources.hip

$(O)/workloads/reload_first.hsaco $(O)/workloads/reload_second.hsaco: tests/workloads/reload.hip
$(O)/workloads/reload_second.hsaco: HIP_OBJECT_FLAGS = -DSECOND

$(filter %.hsaco,$(WORKLOAD_FILES)):
	$(call say,HIPCC,$@)
	@mkdir -p $(@D)
	$(Q)$(call hipcc,--genco --no-gpu-bundle-output -O2 -I. $(HIP_OBJECT_FLAGS) \
		--offload-arch=$(firstword $(HIP_ARCHS)) -c $< -o $@)

$(O)/workloads/libkernels.so: $(O)/pic/tests/workloads/kernels.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) $^ -o $@

# It needs HIP, so that the loader destroys it first.
$(O)/workloads/liblate.so: $(O)/pic/tests/workloads/late_library.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) $^ -o $@ -Wl,--no-as-needed -lamdhip64

tests: $(WORKLOADS) $(WORKLOAD_FILES)
