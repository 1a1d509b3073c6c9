# rtrace-bpf: one object a file of user/, the sinks with their libraries from sinks.mk.

include user/api.mk
-include user/sinks.mk

# rtrace-bpf report; what a sink needs of it is in sinks.mk.
REPORT_SRCS = $(addprefix report/,latency unfreed phases analysis report text findings json diff)

# rtrace-bpf top, and --metrics.
LIVE_SRCS = $(addprefix live/,busy live view screen sink_top top metrics sink_metrics)

USER_SRCS = main options record interrupts closing trace intake launch guard privileges refusals procfs function insn placement \
	branches image frames spills trampoline implementation library installed doctor doctor_probes doctor_checks ps \
	capture attach door dispatches doorbells completions codeelf codeobjects gpuclock behind attach_tracefs tracefs addresses select items control external handles symbols stacks \
	kfd periods operations oprecord resources parallel samefile targets agent agent_names agent_spans agents probed ways order task strings correlate streams workers ranges nesting merge \
	lostby output outopen split outname decode recording replay export join \
	$(REPORT_SRCS) $(LIVE_SRCS)
USER_OBJS = $(USER_SRCS:%=$(O)/obj/user/%.o)
USER_LIBS = -lbpf -ldw -lelf -lZydis -lz -liberty -lncurses -ltinfo -lmicrohttpd -lm

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

# The same without any library, for machines that have little more than a kernel. Of some libraries Debian has no
# archive that is enough: scripts/static builds those.
STATIC_LIBS = $(O)/static/libZydis.a $(O)/static/libsmartcols.a $(O)/static/libmicrohttpd.a

$(O)/static/rtrace-bpf: $(USER_OBJS) $(SINK_OBJS) $(O)/obj/user/static.o | $(STATIC_LIBS)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) -static -Wl,--fatal-warnings,--wrap=dlopen $^ -o $@ -L$(O)/static \
		$(patsubst -lyajl,-lyajl_s,$(RTRACE_CORE_LIBS)) -llzma -lbz2

$(STATIC_LIBS):
	@echo "$@: Debian has no such archive, scripts/static builds it" >&2; false

static: $(O)/static/rtrace-bpf
