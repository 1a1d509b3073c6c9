# SPDX-License-Identifier: MIT
# The examples of librocprofiler-sdk's documentation: tools to be preloaded, in C++ and, where they can be, in C, and
# programs.

SDK_EXAMPLE_FLAGS = -Wall -Wextra -Wno-unused-parameter -Werror $(CFLAGS) -I. -I$(O)/gen $(ROCPROFILER_TEST_CFLAGS) -MMD -MP -MF $@.d
SDK_EXAMPLE_LINK = -L$(O) -lrocprofiler-sdk -Wl,-rpath,'$$ORIGIN/..'

SDK_EXAMPLES_CXX = $(patsubst %,$(O)/examples/libsdk_%.so,registration callbacks arguments intercept_table)
SDK_EXAMPLES_C = registration code_objects

$(SDK_EXAMPLES_CXX): $(O)/examples/libsdk_%.so: tests/rocprofiler/examples/%.cpp
	$(call say,CXX,$@)
	@mkdir -p $(@D)
	$(Q)$(ROCPROFILER_CXX) -std=c++17 $(SDK_EXAMPLE_FLAGS) -fPIC -shared -Wl,--no-undefined $< $(SDK_EXAMPLE_LINK) -o $@

# Those in C are C++ too.
$(SDK_EXAMPLES_C:%=$(O)/examples/libsdk_%_c.so): $(O)/examples/libsdk_%_c.so: tests/rocprofiler/examples/%.c
	$(call say,CC,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -std=c11 $(SDK_EXAMPLE_FLAGS) -fPIC -shared -Wl,--no-undefined $< $(SDK_EXAMPLE_LINK) -o $@

$(SDK_EXAMPLES_C:%=$(O)/examples/libsdk_%_cxx.so): $(O)/examples/libsdk_%_cxx.so: tests/rocprofiler/examples/%.c
	$(call say,CXX,$@)
	@mkdir -p $(@D)
	$(Q)$(ROCPROFILER_CXX) -x c++ -std=c++17 $(SDK_EXAMPLE_FLAGS) -fPIC -shared -Wl,--no-undefined $< $(SDK_EXAMPLE_LINK) -o $@

$(O)/examples/sdk_forced: tests/rocprofiler/examples/forced.cpp
	$(call say,CXX,$@)
	@mkdir -p $(@D)
	$(Q)$(ROCPROFILER_CXX) -std=c++17 $(SDK_EXAMPLE_FLAGS) $< $(SDK_EXAMPLE_LINK) -lamdhip64 -o $@

$(O)/examples/sdk_sample: tests/rocprofiler/examples/sample.hip
	$(call say,HIPCC,$@)
	@mkdir -p $(@D)
	$(Q)$(call hipcc,$(HIP_FLAGS) -MF $@.d $< -o $@)

$(O)/examples/sdk_hsa_errors: $(O)/obj/tests/rocprofiler/examples/hsa_errors.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -lhsa-runtime64 -o $@

SDK_EXAMPLES = $(SDK_EXAMPLES_CXX) $(foreach language,c cxx,$(SDK_EXAMPLES_C:%=$(O)/examples/libsdk_%_$(language).so)) \
	$(addprefix $(O)/examples/sdk_,forced sample hsa_errors)
$(SDK_EXAMPLES): $(O)/librocprofiler-sdk.so.1 | $(ROCPROFILER_GEN)
tests: $(SDK_EXAMPLES)
