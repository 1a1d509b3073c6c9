# SPDX-License-Identifier: MIT
# Builds everything into $(O). Each directory that builds something says so in its module.mk.
#
#   make [all]              rtrace-bpf, the agent, the libraries of roctx and roctracer
#   make static             rtrace-bpf without libraries: see scripts/static
#   make tests              the simulated GPU, the workloads, the unit tests
#   make unit               run the unit tests        make e2e     run the end-to-end tests
#   make check              both, and more: see scripts/check
#   make bench              ratios: what tracing costs
#   make install uninstall  PREFIX=/usr/local DESTDIR=, and the directories of dist/module.mk
#   make quick              lint, unit tests and some others: scripts/check --quick
#   make lint format clean
#
#   O=DIR  build folder     V=1  show commands     SAN=address,undefined  sanitizers     COV=1  counts lines: scripts/coverage

O ?= build
PREFIX ?= /usr/local
CC = gcc
CLANG ?= clang
CXX = $(subst clang,clang++,$(CLANG))
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
HIPCC ?= hipcc
VERSION := 0.1.0

# What is being made is said by make itself: a command for it would be a twentieth of a build with a warm ccache.
ifeq ($(V),1)
  Q =
else
  Q = @
  say = $(info $()  $(1)	$(patsubst $(O)/%,%,$(2)))
endif

# Where hsa/hsa_api_trace.h is; the agent serves the release of ROCm whose headers these are.
HSA_INCLUDE ?= $(patsubst %/hsa/hsa_api_trace.h,%,$(firstword \
	$(wildcard /usr/include/hsa/hsa_api_trace.h /opt/rocm/include/hsa/hsa_api_trace.h)))

WARN = -Wall -Wextra -Wno-unused-parameter -Wmissing-prototypes -Wstrict-prototypes -Werror
CFLAGS ?= -O2 -g
# GCC zeroes some hundred bytes by `rep stos`, which takes 15 ns to begin; all there is of a record.
FAST_ZERO = $(shell $(CC) -mmemset-strategy=libcall:-1:noalign -E -x c /dev/null >/dev/null 2>&1 && echo -mmemset-strategy=libcall:-1:noalign)
ALL_CFLAGS := -std=gnu11 -D_GNU_SOURCE $(WARN) $(CFLAGS) $(FAST_ZERO) -I. -Iinclude -I$(O)/gen -DRTRACE_VERSION='"$(VERSION)"' -MMD -MP
ALL_CXXFLAGS = -std=c++17 -Wall -Wextra -Wno-unused-parameter -Werror $(CFLAGS) -I. -Iinclude -I$(O)/gen \
	-D__HIP_PLATFORM_AMD__ $(ROCPROFILER_SYSTEM) -MMD -MP
# lld links the sanitizers' libraries, which have many symbols, in a third of the time.
ifneq ($(SAN),)
  SANFLAGS = -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=undefined $(if $(filter %.o,$@),,$(SAN_LINKER))
  SAN_LINKER := $(shell command -v ld.lld >/dev/null && echo -fuse-ld=lld)
endif

# Code that lives in somebody else's process: small visible surface, no undefined symbols, and no
# sanitizer but that for threads, whose runtime a test preloads.
SHLIB_CFLAGS = $(ALL_CFLAGS) -fPIC -fvisibility=hidden
SHLIB_LDFLAGS = -shared -Wl,--no-undefined -Wl,-z,now
ifeq ($(SAN),thread)
  SHLIB_CFLAGS += -fsanitize=thread -Wno-tsan
  SHLIB_LDFLAGS += -fsanitize=thread
endif

# Counters of what has run, in all but what is of tests alone and what has a sanitizer. Those that
# several threads add to at once without atomics can come out below zero, which gcov does not take.
ifneq ($(if $(SAN),,$(COV)),)
  COVFLAGS = --coverage -fprofile-update=atomic
  SANFLAGS += $(if $(filter $(O)/obj/tests/% $(O)/tests/%_cxx,$@),,$(COVFLAGS))
  SHLIB_CFLAGS += $(if $(filter $(O)/pic/tests/%,$@),,$(COVFLAGS))
  SHLIB_LDFLAGS += --coverage
endif

# Nothing is left in the source tree.
export PYTHONDONTWRITEBYTECODE = 1

.DELETE_ON_ERROR:
.PHONY: all static tests unit e2e check quick bench install uninstall lint format clean sanitized print-unit-tests print-plain-tests tsan

all:

# The recipes of an object: obj/ is for programs, pic/ for libraries. Nothing is compiled and linked by one command, which
# ccache could not serve.
define compile
$(call say,CC,$@)
@mkdir -p $(@D)
$(Q)$(CC) $(if $(filter $(O)/pic/%,$@),$(SHLIB_CFLAGS),$(ALL_CFLAGS) $(SANFLAGS)) $(CFLAGS_$(*)) -c $< -o $@
endef

define compile_cxx
$(call say,CXX,$@)
@mkdir -p $(@D)
$(Q)$(CXX) $(ALL_CXXFLAGS) $(if $(filter $(O)/pic/%,$@),-fPIC,$(SANFLAGS)) -c -x c++ $< -o $@
endef

$(O)/obj/%.o: %.c
	$(compile)

$(O)/pic/%.o: %.c
	$(compile)

$(O)/obj/%.o: %.S
	$(compile)

$(O)/pic/%.o: %.S
	$(compile)

$(O)/obj/%.o: %.cpp
	$(compile_cxx)

$(O)/pic/%.o: %.cpp
	$(compile_cxx)

# C that is C++ too.
$(O)/obj/%_cxx.o: %.c
	$(compile_cxx)

$(O)/pic/%_cxx.o: %.c
	$(compile_cxx)

# The recipe of an archive. It is made from nothing: members of the same name in two folders stay apart.
define archive
$(call say,AR,$@)
@mkdir -p $(@D)
$(Q)rm -f $@ && ar qcs $@ $^
endef

# Each builds on what those before it name.
include $(patsubst %,%/module.mk,bpf common inprocess hsa_agent roctx roctracer rocprofiler user dist) $(sort $(wildcard tests/*/module.mk))
# Not those of the systems that are kept there for tests: they have files of that name that are something else.
-include $(shell [ -d $(O) ] && find $(O) -name '*-matrix' -prune -o -type f -name '*.d' -print)

unit: tests
	$(Q)for t in $(UNIT_TESTS); do $$t || exit 1; done

e2e: all tests
	$(Q)O=$(O) bats -r tests/e2e

check:
	$(Q)O=$(O) scripts/check

quick:
	$(Q)O=$(O) scripts/check --quick

# For tests/check.py.
print-unit-tests:
	@echo $(UNIT_TESTS)

print-plain-tests:
	@echo $(PLAIN_TESTS)

# What can run with a sanitizer: our own programs, and the unit tests that are linked with objects of theirs. PLAIN_TESTS
# are those that run code for other processes, which cannot bring its runtime.
sanitized: $(O)/rtrace-bpf $(O)/librtrace-agent.so $(filter-out $(PLAIN_TESTS),$(UNIT_TESTS))

SOURCES = $(shell git ls-files -co --exclude-standard '*.c' '*.h' '*.cpp' '*.hpp' 2>/dev/null)

# What runs under ThreadSanitizer: scripts/check --all. Make itself knows what is out of date there.
tsan:
	$(Q)$(MAKE) --no-print-directory O=$(O)/tsan SAN=thread CFLAGS="-O1 -g" $(TSAN_PROGRAMS:%=$(O)/tsan/%)

lint:
	$(Q)scripts/lint

format:
	$(Q)clang-format -i $(SOURCES)

clean:
	rm -rf $(O)
