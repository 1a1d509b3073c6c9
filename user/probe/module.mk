# SPDX-License-Identifier: MIT
# What the probes are chosen by.

# What the agent calls of HSA, by its table.
$(O)/gen/user/probe/agent_uses.h: $(wildcard hsa_agent/*.c hsa_agent/*/*.c)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q){ echo 'static const char *const agent_uses[] = {'; \
		grep -oh '\<hsa_[a-z_]*_fn\>' $^ | sort -u | sed 's/_fn$$//; s/.*/	"&",/'; echo '};'; } >$@

$(O)/obj/user/probe/process_probes.o: $(O)/gen/user/probe/agent_uses.h

$(O)/obj/user/probe/capture.o: $(O)/gen/bpf/api.skel.h
