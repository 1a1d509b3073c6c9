# A library named like HIP's, whose functions are entered and left in every way, and its user; likewise
# libraries by which a program controls its tracing.

CAPTURE_DIR = $(O)/capture
# Without optimisation no call becomes a jump, without endbr64 the first instruction is the push.
CAPTURE_CFLAGS = -O0 -fcf-protection=none -fno-omit-frame-pointer

$(CAPTURE_DIR)/libamdhip64.so.99: tests/capture/fakehip.c tests/capture/fakehip.h
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 $(WARN) -g -I. -Iinclude $(CAPTURE_CFLAGS) -fPIC -shared \
		-Wl,-soname,libamdhip64.so.99 $< -o $@ -pthread

$(CAPTURE_DIR)/edges: tests/capture/edges.c $(CAPTURE_DIR)/libamdhip64.so.99
	$(call say,LD,$@)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -g -I. -Iinclude -O1 $^ -o $@ -pthread '-Wl,-rpath,$$ORIGIN'

tests: $(CAPTURE_DIR)/edges

$(CAPTURE_DIR)/callers: tests/capture/callers.c $(CAPTURE_DIR)/libamdhip64.so.99
	$(call say,LD,$@)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -Wno-missing-prototypes -g -I. -Iinclude -O1 -fno-omit-frame-pointer \
		$^ -o $@ '-Wl,-rpath,$$ORIGIN'

tests: $(CAPTURE_DIR)/callers

# A program with HIP linked in: of a fixed address, or one that is loaded anywhere.
STATIC_HIP = $(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -g $(CAPTURE_CFLAGS)

$(CAPTURE_DIR)/static_hip: tests/capture/static_hip.c
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(STATIC_HIP) -fno-pie -static -no-pie $< -o $@

$(CAPTURE_DIR)/static_hip_pie: tests/capture/static_hip.c
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(STATIC_HIP) -fPIE -static-pie $< -o $@

tests: $(CAPTURE_DIR)/static_hip $(CAPTURE_DIR)/static_hip_pie

# Libraries named like those that control tracing, and their user.
FAKE_libroctracer64 = FAKE_ROCTRACER
FAKE_librocprofiler-sdk-roctx = FAKE_ROCTX
FAKE_librocprofiler-sdk = FAKE_ROCPROFILER
CONTROL_LIBS = $(addprefix $(CAPTURE_DIR)/,libroctracer64.so.99 librocprofiler-sdk-roctx.so.99 \
	librocprofiler-sdk.so.99)

$(CONTROL_LIBS): $(CAPTURE_DIR)/%.so.99: tests/capture/fakeroctracer.c tests/capture/fakeroctracer.h
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -g -I. -Iinclude $(CAPTURE_CFLAGS) -D$(FAKE_$*) -fPIC \
		-shared -Wl,-soname,$*.so.99 $< -o $@

$(CAPTURE_DIR)/windows: tests/capture/windows.c $(CAPTURE_DIR)/libamdhip64.so.99 $(CONTROL_LIBS)
	$(call say,LD,$@)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -g -I. -Iinclude -Itests/simkfd -O1 $^ -o $@ -pthread '-Wl,-rpath,$$ORIGIN'

tests: $(CAPTURE_DIR)/windows

include tests/capture/sites.mk

$(CAPTURE_DIR)/oldkernel.so: tests/capture/oldkernel.c
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -g -O1 -fPIC -shared $< -o $@ -ldl

tests: $(CAPTURE_DIR)/oldkernel.so

# Sees calls by the kernel's means alone.
$(O)/obj/tests/capture/observer.o: $(O)/gen/capture/observer.skel.h

$(O)/gen/capture/observer.skel.h: $(O)/obj/tests/capture/observer.bpf.o
	$(call say,SKEL,$@)
	@mkdir -p $(@D)
	$(Q)$(BPFTOOL) gen skeleton $< name observer_bpf >$@

$(O)/obj/tests/capture/observer.bpf.o: tests/capture/observer.bpf.c
	$(call say,BPF,$@)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) -c $< -o $@

$(CAPTURE_DIR)/observer: $(O)/obj/tests/capture/observer.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ -lbpf

tests: $(CAPTURE_DIR)/observer
