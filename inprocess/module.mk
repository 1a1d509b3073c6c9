# SPDX-License-Identifier: MIT
# What the agent, libroctracer64, its tool library and librocprofiler-sdk share: an archive, of which each takes what
# it uses.

INPROCESS_OBJS = $(patsubst %.c,$(O)/pic/%.o,$(wildcard inprocess/*.c))
INPROCESS = $(O)/pic/inprocess.a

$(INPROCESS): $(INPROCESS_OBJS)
	$(archive)

$(INPROCESS_OBJS): | $(O)/gen/hsa_tables.h
ifneq ($(HSA_INCLUDE),/usr/include)
$(INPROCESS_OBJS): SHLIB_CFLAGS += -isystem $(HSA_INCLUDE)
endif
