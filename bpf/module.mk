# The BPF object and its skeleton header: $(O)/gen/bpf/api.skel.h

BPF_CFLAGS = -target bpf -mcpu=v3 -O2 -g -D__TARGET_ARCH_x86 -Wall -Werror \
	-I. -I/usr/include/$(shell $(CC) -print-multiarch) -MMD -MP

$(O)/obj/bpf/%.bpf.o: bpf/%.bpf.c
	$(call say,BPF,$@)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) -c $< -o $@

$(O)/gen/bpf/api.skel.h: $(O)/gen/bpf/%.skel.h: $(O)/obj/bpf/%.bpf.o
	$(call say,SKEL,$@)
	@mkdir -p $(@D)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@
