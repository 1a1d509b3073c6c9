# SPDX-License-Identifier: MIT
# What functions return, held against what the headers say; to be run with the simulated GPU in LD_PRELOAD.

$(O)/gen/tests/rocprofiler/statuses.inc: tests/rocprofiler/statuses.awk $(addprefix include/rocprofiler-sdk/,fwd.h \
	$(filter-out fwd.h,$(sort $(filter %.h,$(ROCPROFILER_HEADERS:rocprofiler-sdk/%=%)))))
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)awk -f $^ >$@

$(O)/obj/tests/rocprofiler/test_sdk_status.o: ALL_CFLAGS += $(SDK_TEST_CFLAGS)
$(O)/obj/tests/rocprofiler/test_sdk_status.o: $(O)/gen/tests/rocprofiler/statuses.inc | $(ROCPROFILER_GEN)

$(O)/tests/test_sdk_status: $(O)/obj/tests/rocprofiler/test_sdk_status.o $(O)/librocprofiler-sdk.so.1
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) $^ -Wl,-rpath,'$$ORIGIN/..' -o $@ -lcmocka

tests: $(O)/tests/test_sdk_status

# The functions that all headers declare, for tests/e2e/inprocess/rocprofiler.bats.
$(O)/gen/tests/rocprofiler/declared.txt: tests/rocprofiler/declared.awk $(addprefix include/,$(ROCPROFILER_HEADERS)) | $(ROCPROFILER_GEN)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)printf '#include <%s>\n' $(filter %.h,$(ROCPROFILER_HEADERS)) $(ROCPROFILER_GEN_HEADERS) | \
		$(CC) -std=gnu11 -E -x c -I$(O)/gen $(ROCPROFILER_TEST_CFLAGS) - | awk -f $< | sort -u >$@

tests: $(O)/gen/tests/rocprofiler/declared.txt
