# A library named like HIP's, whose functions are entered and left in every way, and its user; likewise
# libraries by which a program controls its tracing.

CAPTURE_DIR = $(O)/capture
CAPTURE_OBJ = $(O)/obj/tests/capture
# Without optimisation no call becomes a jump, without endbr64 the first instruction is the push.
CAPTURE_FAKE = -O0 -fcf-protection=none -fno-omit-frame-pointer

# Libraries named like those that control tracing.
CONTROL_NAMES = libroctracer64 librocprofiler-sdk-roctx librocprofiler-sdk
CONTROL_LIBS = $(CONTROL_NAMES:%=$(CAPTURE_DIR)/%.so.99)

# Objects have no other flags than these.
CAPTURE_FLAGS_fakehip = $(CAPTURE_FAKE) -fPIC
CAPTURE_FLAGS_edges = -O1
CAPTURE_FLAGS_callers = -O1 -Wno-missing-prototypes -fno-omit-frame-pointer
CAPTURE_FLAGS_static_hip = $(CAPTURE_FAKE) -fno-pie
CAPTURE_FLAGS_static_hip_pie = $(CAPTURE_FAKE) -fPIE
CAPTURE_FLAGS_libroctracer64 = $(CAPTURE_FAKE) -fPIC -DFAKE_ROCTRACER
CAPTURE_FLAGS_librocprofiler-sdk-roctx = $(CAPTURE_FAKE) -fPIC -DFAKE_ROCTX
CAPTURE_FLAGS_librocprofiler-sdk = $(CAPTURE_FAKE) -fPIC -DFAKE_ROCPROFILER
CAPTURE_FLAGS_windows = -O1 -Itests/simkfd
CAPTURE_FLAGS_sites = -O1 -fPIC
CAPTURE_FLAGS_oldkernel = -O1 -fPIC
CAPTURE_OBJS = $(patsubst %,$(CAPTURE_OBJ)/%.o,fakehip edges callers static_hip static_hip_pie $(CONTROL_NAMES) windows sites oldkernel)
$(CAPTURE_OBJS): ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(WARN) -g -I. -Iinclude -MMD -MP $(CAPTURE_FLAGS_$(basename $(@F)))
$(CAPTURE_OBJS): SANFLAGS =

$(CAPTURE_DIR)/libamdhip64.so.99: $(CAPTURE_OBJ)/fakehip.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,$(@F) $< -o $@ -pthread

$(CONTROL_NAMES:%=$(CAPTURE_OBJ)/%.o): tests/capture/fakeroctracer.c
	$(compile)

$(CONTROL_LIBS): $(CAPTURE_DIR)/%.so.99: $(CAPTURE_OBJ)/%.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -Wl,-soname,$(@F) $< -o $@

# Their users.
CAPTURE_USERS = $(addprefix $(CAPTURE_DIR)/,edges callers windows)
$(CAPTURE_DIR)/windows: $(CONTROL_LIBS)
$(CAPTURE_USERS): $(CAPTURE_DIR)/%: $(CAPTURE_OBJ)/%.o $(CAPTURE_DIR)/libamdhip64.so.99
	$(call say,LD,$@)
	$(Q)$(CC) $^ -o $@ -pthread '-Wl,-rpath,$$ORIGIN'

tests: $(CAPTURE_USERS)

include tests/capture/sites.mk

# A program with HIP linked in: of a fixed address, or one that is loaded anywhere.
$(CAPTURE_OBJ)/static_hip_pie.o: tests/capture/static_hip.c
	$(compile)

$(CAPTURE_DIR)/static_hip: STATIC = -static -no-pie
$(CAPTURE_DIR)/static_hip_pie: STATIC = -static-pie
$(CAPTURE_DIR)/static_hip $(CAPTURE_DIR)/static_hip_pie: $(CAPTURE_DIR)/%: $(CAPTURE_OBJ)/%.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(STATIC) $< -o $@

tests: $(CAPTURE_DIR)/static_hip $(CAPTURE_DIR)/static_hip_pie

$(CAPTURE_DIR)/oldkernel.so: $(CAPTURE_OBJ)/oldkernel.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $< -o $@ -ldl

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
