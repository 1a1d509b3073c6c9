# SPDX-License-Identifier: MIT
# librocprofiler-sdk: its public headers, of which those with operations and arguments are made of rocprofiler/prototypes.

ROCPROFILER_HEADERS = $(shell cd include && find rocprofiler-sdk -name '*.h' -o -name '*.hpp')
ROCPROFILER_GEN_HEADERS = $(addprefix rocprofiler-sdk/,hip/runtime_api_id.h hip/compiler_api_id.h hip/api_args.h \
	hsa/core_api_id.h hsa/amd_ext_api_id.h hsa/image_ext_api_id.h hsa/finalize_ext_api_id.h hsa/api_args.h \
	$(foreach library,marker rccl rocdecode rocjpeg ompt,$(library)/api_id.h $(library)/api_args.h))

ROCPROFILER_IDS = $(wildcard rocprofiler/prototypes/*.txt)
ROCPROFILER_SCRIPTS = $(addprefix scripts/,gen-rocprofiler-tables apitypes.py apidesc.py)

$(O)/gen/rocprofiler-sdk/%.h: $(ROCPROFILER_IDS) $(ROCPROFILER_SCRIPTS)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)scripts/gen-rocprofiler-tables $*.h >$@

all: $(addprefix $(O)/gen/,$(ROCPROFILER_GEN_HEADERS))

# ---- the tables of operations ----

# Names of types are those that typeid() has: a program in C++ prints them.
ROCPROFILER_INCLUDES = -Iinclude -I$(O)/gen
ROCPROFILER_GEN = $(O)/gen/rocprofiler/operations.inc $(O)/gen/rocprofiler/type_names.inc
ifneq ($(HSA_INCLUDE),/usr/include)
ROCPROFILER_SYSTEM = -isystem $(HSA_INCLUDE)
endif

$(O)/gen/rocprofiler/type_names.cpp: ROCPROFILER_PART = types
$(O)/gen/rocprofiler/operations.inc: ROCPROFILER_PART = operations
$(O)/gen/rocprofiler/type_names.cpp $(O)/gen/rocprofiler/operations.inc: $(addprefix $(O)/gen/,$(ROCPROFILER_GEN_HEADERS)) \
	$(addprefix include/,$(ROCPROFILER_HEADERS)) $(ROCPROFILER_IDS) $(ROCPROFILER_SCRIPTS)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)scripts/gen-rocprofiler-tables $(ROCPROFILER_INCLUDES) $(API_INCLUDES) $(ROCPROFILER_PART) >$@

$(O)/gen/rocprofiler/type_names.o: $(O)/gen/rocprofiler/type_names.cpp
	$(call say,CXX,$@)
	$(Q)$(CXX) -std=c++17 -D__HIP_PLATFORM_AMD__ $(ROCPROFILER_INCLUDES) $(ROCPROFILER_SYSTEM) -c $< -o $@

$(O)/gen/rocprofiler/type_names: $(O)/gen/rocprofiler/type_names.o
	$(call say,LD,$@)
	$(Q)$(CXX) $< -o $@

$(O)/gen/rocprofiler/type_names.inc: $(O)/gen/rocprofiler/type_names
	$(call say,GEN,$@)
	$(Q)$< >$@

ROCPROFILER_OBJS = $(O)/pic/rocprofiler/support/tables.o
$(ROCPROFILER_OBJS) $(O)/obj/rocprofiler/support/tables.o: ALL_CFLAGS += -D__HIP_PLATFORM_AMD__ -Iinclude $(ROCPROFILER_SYSTEM)
$(ROCPROFILER_OBJS) $(O)/obj/rocprofiler/support/tables.o: | $(ROCPROFILER_GEN)

all: $(ROCPROFILER_OBJS)

include rocprofiler/library.mk
