# SPDX-License-Identifier: MIT
# The examples of librocprofiler-sdk's documentation: tools to be preloaded, in C++ and, where they can be, in C, and
# programs.

SDK_EXAMPLE_PIC = $(O)/pic/tests/rocprofiler/examples
SDK_EXAMPLE_LINK = -L$(O) -lrocprofiler-sdk -Wl,-rpath,'$$ORIGIN/..'

# Those in C are C++ too.
SDK_EXAMPLES_LIBRARIES = registration callbacks arguments intercept_table \
	$(foreach language,c cxx,registration_$(language) code_objects_$(language))

$(SDK_EXAMPLE_PIC)/%.o: tests/rocprofiler/examples/%.cpp | $(ROCPROFILER_GEN)
	$(compile_cxx)

$(SDK_EXAMPLE_PIC)/%_cxx.o: tests/rocprofiler/examples/%.c | $(ROCPROFILER_GEN)
	$(compile_cxx)

$(SDK_EXAMPLE_PIC)/%_c.o: SHLIB_CFLAGS = $(subst c++17,c11,$(ALL_CXXFLAGS)) -fPIC
$(SDK_EXAMPLE_PIC)/%_c.o: tests/rocprofiler/examples/%.c | $(ROCPROFILER_GEN)
	$(compile)

$(SDK_EXAMPLES_LIBRARIES:%=$(O)/examples/libsdk_%.so): $(O)/examples/libsdk_%.so: $(SDK_EXAMPLE_PIC)/%.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(if $(filter %_c,$*),$(CC),$(CXX)) -shared -Wl,--no-undefined $< $(SDK_EXAMPLE_LINK) -o $@

$(O)/examples/sdk_forced: $(SDK_EXAMPLE_PIC)/forced.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CXX) $< $(SDK_EXAMPLE_LINK) -lamdhip64 -o $@

$(O)/examples/sdk_sample: $(O)/obj/tests/rocprofiler/examples/sample.o
	$(call link_hip)

$(O)/examples/sdk_hsa_errors: $(O)/obj/tests/rocprofiler/examples/hsa_errors.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -lhsa-runtime64 -o $@

SDK_EXAMPLES = $(SDK_EXAMPLES_LIBRARIES:%=$(O)/examples/libsdk_%.so) $(addprefix $(O)/examples/sdk_,forced sample hsa_errors)
$(SDK_EXAMPLES): $(O)/librocprofiler-sdk.so.1 | $(ROCPROFILER_GEN)
tests: $(SDK_EXAMPLES)
