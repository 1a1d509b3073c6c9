# The tables of API functions, made from the headers that are installed, and what decodes by them.

# Another ROCm than the system's: as for the agent.
API_INCLUDES = $(addprefix -I,$(filter-out /usr/include,$(HSA_INCLUDE)))
API_SOURCES = scripts/apidesc.py scripts/apitypes.py user/undeclared.h roctx/roctx.h bpf/events.h \
	$(wildcard $(HSA_INCLUDE)/hip/hip_version.h $(HSA_INCLUDE)/hsa/hsa.h $(HSA_INCLUDE)/hsakmt.h)

API_OBJS = $(patsubst %,$(O)/obj/user/%.o,api args value textbuf format api_tables)

$(O)/gen/user/api_tables.c: scripts/gen-api-tables $(API_SOURCES)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)scripts/gen-api-tables $(API_INCLUDES) >$@

$(O)/obj/user/api_tables.o: $(O)/gen/user/api_tables.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) $(SANFLAGS) -c $< -o $@
