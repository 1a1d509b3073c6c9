# SPDX-License-Identifier: MIT
# rtrace-bpf: all of user/ and common/, but the entry point in an archive that the unit tests are linked with, too.

include $(sort $(wildcard user/*/module.mk user/*/*/module.mk))

USER_SRCS := $(sort $(wildcard user/*.c user/*/*.c user/*/*/*.c common/*.c))
TRACER_SRCS = $(filter-out user/cmd/main.c user/base/static_build.c,$(USER_SRCS))
TRACER_OBJS = $(TRACER_SRCS:%.c=$(O)/obj/%.o) $(O)/obj/common/api_table_data.o
TRACER = $(O)/tracer.a
TRACER_LIBS = -lbpf -ldw -lelf -lZydis -liberty -lncurses -ltinfo -lmicrohttpd \
	-lyajl -lsmartcols -lsqlite3 -lotf2 -lzstd -lz -lm

$(TRACER): $(TRACER_OBJS)
	$(archive)

# The tracer runs as root and reads what others have written. Sanitizers have checks of their own.
ifeq ($(SAN),)
  FORTIFY = $(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  HARDENED_LDFLAGS = -Wl,-z,relro,-z,now
  $(O)/obj/user/%.o $(O)/obj/common/%.o: ALL_CFLAGS += -fstack-protector-strong $(FORTIFY) -fcf-protection -fPIE
  $(O)/rtrace-bpf: HARDENED_LDFLAGS += -pie
endif

$(O)/rtrace-bpf: $(O)/obj/user/cmd/main.o $(TRACER)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $(HARDENED_LDFLAGS) $^ -o $@ $(TRACER_LIBS)

all: $(O)/rtrace-bpf

# The same without any library, for machines that have little more than a kernel. Of some libraries Debian has no
# archive that is enough: scripts/static builds those.
STATIC_LIBS = $(O)/static/libZydis.a $(O)/static/libsmartcols.a $(O)/static/libmicrohttpd.a

$(O)/static/rtrace-bpf: $(O)/obj/user/cmd/main.o $(O)/obj/user/base/static_build.o $(TRACER) | $(STATIC_LIBS)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) -static $(HARDENED_LDFLAGS) -Wl,--fatal-warnings,--wrap=dlopen $^ -o $@ -L$(O)/static \
		$(patsubst -lyajl,-lyajl_s,$(TRACER_LIBS)) -llzma -lbz2

$(STATIC_LIBS):
	@echo "$@: Debian has no such archive, scripts/static builds it" >&2; false

static: $(O)/static/rtrace-bpf
