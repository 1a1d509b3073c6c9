# rtrace-bpf: one object a file of user/, the sinks with their libraries from sinks.mk.

include user/api.mk
-include user/sinks.mk

USER_SRCS = main options record closing intake launch guard privileges log procfs function insn placement \
	branches image frames spills trampoline implementation library installed doctor doctor_probes doctor_checks \
	capture attach door dispatches doorbells completions codeelf codeobjects gpuclock behind attach_tracefs tracefs addresses select items control external handles symbols stacks \
	kfd periods operations resources parallel samefile targets agent agents clock order task strings correlate streams workers ranges merge \
	output
USER_OBJS = $(USER_SRCS:%=$(O)/obj/user/%.o)
USER_LIBS = -lbpf -ldw -lelf -lZydis -lz -liberty

# All but the entry point, for the unit tests.
RTRACE_CORE_OBJS = $(filter-out %/main.o,$(USER_OBJS)) $(SINK_OBJS)
RTRACE_CORE_LIBS = $(USER_LIBS) $(SINK_LIBS)

# What the agent calls of HSA, by its table.
$(O)/gen/user/agent_uses.h: $(wildcard hsa_agent/*.c)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q){ echo 'static const char *const agent_uses[] = {'; \
		grep -oh '\<hsa_[a-z_]*_fn\>' $^ | sort -u | sed 's/_fn$$//; s/.*/	"&",/'; echo '};'; } >$@

$(O)/obj/user/behind.o: $(O)/gen/user/agent_uses.h

$(O)/obj/user/capture.o: $(O)/gen/bpf/api.skel.h

$(O)/rtrace-bpf: $(USER_OBJS) $(SINK_OBJS)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -o $@ $(RTRACE_CORE_LIBS)

all: $(O)/rtrace-bpf
