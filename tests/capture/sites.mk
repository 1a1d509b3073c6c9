# A library whose functions begin in every way that matters to where a probe goes, and its user.

$(CAPTURE_DIR)/libamdhip64.so.98: tests/capture/sites.S
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -nostdlib -Wl,-soname,libamdhip64.so.98 -Wl,-z,now $< -o $@

$(CAPTURE_DIR)/sites: tests/capture/sites.c tests/capture/callsite.S $(CAPTURE_DIR)/libamdhip64.so.98
	$(call say,LD,$@)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(WARN) -g -I. -Iinclude -O1 -fPIC $^ -o $@ '-Wl,-rpath,$$ORIGIN'

tests: $(CAPTURE_DIR)/sites
