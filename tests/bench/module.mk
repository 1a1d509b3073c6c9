# What tracing costs. The programs that are measured, and `make bench`, which runs scripts/bench.

BENCH_DIR = $(O)/bench
BENCH = $(addprefix $(BENCH_DIR)/,calls completions floor inprocess launches captured mapped training libinterpose.so libsdk_tool.so)

# Without -g: where there are debug data perf does not look for functions elsewhere.
$(O)/pic/tests/bench/entries.o: SHLIB_CFLAGS = -std=gnu11 $(WARN) -I. -MMD -MP -fPIC

$(BENCH_DIR)/libamdhip64.so.98: $(O)/pic/tests/bench/entries.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,$(@F) $< -o $@

$(BENCH_DIR)/calls: $(O)/obj/tests/bench/calls.o $(BENCH_DIR)/libamdhip64.so.98 $(O)/libroctx64.so.4
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ -lpthread '-Wl,-rpath,$$ORIGIN:$$ORIGIN/..'

# Its own capture, and of rtrace-bpf what attaching needs: an archive gives no more than is asked for.
FLOOR_OBJS = $(O)/obj/tests/bench/floor.o $(O)/obj/tests/bench/core.a

$(O)/obj/tests/bench/floor.o: $(O)/gen/bench/floor.skel.h

$(O)/gen/bench/floor.skel.h: $(O)/obj/tests/bench/floor.bpf.o
	$(call say,SKEL,$@)
	@mkdir -p $(@D)
	$(Q)$(BPFTOOL) gen skeleton $< name floor_bpf >$@

$(O)/obj/tests/bench/floor.bpf.o: tests/bench/floor.bpf.c
	$(call say,BPF,$@)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) -c $< -o $@

$(O)/obj/tests/bench/core.a: $(filter-out %/capture.o,$(TRACER_OBJS))
	$(archive)

$(BENCH_DIR)/floor: $(FLOOR_OBJS)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ $(TRACER_LIBS)

CFLAGS_tests/bench/launches = -D__HIP_PLATFORM_AMD__

$(BENCH_DIR)/launches: $(O)/obj/tests/bench/launches.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ -lamdhip64

$(BENCH_DIR)/completions: $(O)/obj/tests/bench/completions.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ -lhsa-runtime64

# It calls none of them: it is for their being mapped.
$(BENCH_DIR)/mapped: $(O)/obj/tests/bench/mapped.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ -Wl,--no-as-needed -lamdhip64 -lhsa-runtime64

CFLAGS_tests/bench/training = -D__HIP_PLATFORM_AMD__

$(BENCH_DIR)/training: $(O)/obj/tests/bench/training.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ -lamdhip64

CFLAGS_tests/bench/captured = -D__HIP_PLATFORM_AMD__

$(BENCH_DIR)/captured: $(O)/obj/tests/bench/captured.o $(O)/libroctx64.so.4
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ -lamdhip64 -lhsa-runtime64 -lpthread '-Wl,-rpath,$$ORIGIN:$$ORIGIN/..'

$(BENCH_DIR)/libinterpose.so: $(O)/pic/tests/bench/interpose.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) $^ -ldl -o $@

CFLAGS_tests/bench/inprocess = -D__HIP_PLATFORM_AMD__

$(BENCH_DIR)/inprocess: $(O)/obj/tests/bench/inprocess.o $(O)/obj/tests/bench/hip_floor.o \
		$(O)/libroctracer64.so.4
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ -lamdhip64 -lpthread '-Wl,-rpath,$$ORIGIN:$$ORIGIN/..'

$(O)/pic/tests/bench/sdk_tool.o: SHLIB_CFLAGS += -fvisibility=default -D__HIP_PLATFORM_AMD__ -Iinclude $(ROCPROFILER_SYSTEM)
$(O)/pic/tests/bench/sdk_tool.o: | $(ROCPROFILER_GEN)

$(BENCH_DIR)/libsdk_tool.so: $(O)/pic/tests/bench/sdk_tool.o $(O)/librocprofiler-sdk.so.1
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) $^ -Wl,-rpath,'$$ORIGIN/..' -o $@

# Not run by the tests, but to be built with them, or nobody notices that it cannot be.
tests: $(BENCH)

bench: all $(BENCH) $(O)/tests/big_recording $(O)/libsimkfd.so $(O)/workloads/job $(O)/workloads/rate $(WORKLOAD_FILES)
	$(Q)O=$(O) scripts/bench
