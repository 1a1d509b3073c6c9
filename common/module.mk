# SPDX-License-Identifier: MIT
# The tables of API functions, made from the headers that are installed, and what decodes by them.

# Another ROCm than the system's: as for the agent.
API_INCLUDES = $(addprefix -I,$(filter-out /usr/include,$(HSA_INCLUDE)))
API_SOURCES = scripts/apidesc.py scripts/apitypes.py user/api/undeclared_apis.h include/roctracer/roctx.h abi/bpf_records.h \
	$(wildcard $(HSA_INCLUDE)/hip/hip_version.h $(HSA_INCLUDE)/hsa/hsa.h $(HSA_INCLUDE)/hsakmt.h)

$(O)/gen/common/api_table_data.c: scripts/gen-api-tables $(API_SOURCES)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)scripts/gen-api-tables $(API_INCLUDES) >$@

$(O)/obj/common/api_table_data.o: $(O)/gen/common/api_table_data.c
	$(compile)

# For libraries, which take the members that they use.
COMMON_PIC = $(O)/pic/common.a

$(COMMON_PIC): $(patsubst %.c,$(O)/pic/%.o,$(wildcard common/*.c))
	$(archive)
