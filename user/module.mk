# rtrace-bpf: one object a file of user/, the sinks with their libraries from sinks.mk.

include user/api.mk
-include user/sinks.mk

USER_SRCS = main options record intake launch guard privileges log procfs function insn placement \
	branches image frames trampoline implementation library installed doctor doctor_probes doctor_checks \
	capture attach attach_tracefs tracefs addresses select items control external handles symbols stacks \
	kfd periods operations parallel targets agent agents clock order task strings correlate ranges merge \
	output
USER_OBJS = $(USER_SRCS:%=$(O)/obj/user/%.o)
USER_LIBS = -lbpf -ldw -lelf -lZydis -lz -liberty

# All but the entry point, for the unit tests.
RTRACE_CORE_OBJS = $(filter-out %/main.o,$(USER_OBJS)) $(SINK_OBJS)
RTRACE_CORE_LIBS = $(USER_LIBS) $(SINK_LIBS)

$(O)/obj/user/capture.o: $(O)/gen/bpf/api.skel.h

$(O)/rtrace-bpf: $(USER_OBJS) $(SINK_OBJS)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ $(RTRACE_CORE_LIBS)

all: $(O)/rtrace-bpf
