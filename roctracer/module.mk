# SPDX-License-Identifier: MIT
# libroctracer64.so.4, and its name for -l.

include roctracer/hsa_api.mk
include roctracer/kfd_api.mk
include roctracer/tool/tool.mk

ROCTRACER_OBJS = $(patsubst %.c,$(O)/pic/%.o,$(wildcard roctracer/*.c roctracer/kfd/*.c))

# Headers include each other as they do where they are installed.
$(ROCTRACER_OBJS): SHLIB_CFLAGS += -Iinclude/roctracer -I$(O)/gen/roctracer
$(ROCTRACER_OBJS): | $(HSA_API_GEN) $(KFD_API_GEN)

$(O)/libroctracer64.so.4: $(ROCTRACER_OBJS) $(INPROCESS) roctracer/roctracer.map
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SHLIB_LDFLAGS) -Wl,-z,nodelete -Wl,-soname,libroctracer64.so.4 \
		-Wl,--version-script,roctracer/roctracer.map $(ROCTRACER_OBJS) $(INPROCESS) -lpthread -ldl -o $@
	$(Q)ln -sf libroctracer64.so.4 $(O)/libroctracer64.so

all: $(O)/libroctracer64.so.4
