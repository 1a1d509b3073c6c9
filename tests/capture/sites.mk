# A library whose functions begin in every way that matters to where a probe goes, and its user.

$(CAPTURE_OBJ)/sites_library.o: ALL_CFLAGS = -I.
$(CAPTURE_OBJ)/sites_library.o: tests/capture/sites.S
	$(compile)

$(CAPTURE_DIR)/libamdhip64.so.98: $(CAPTURE_OBJ)/sites_library.o
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -nostdlib -Wl,-soname,$(@F) -Wl,-z,now $< -o $@

$(CAPTURE_DIR)/sites: $(CAPTURE_OBJ)/sites.o $(CAPTURE_OBJ)/callsite.o $(CAPTURE_DIR)/libamdhip64.so.98
	$(call say,LD,$@)
	$(Q)$(CC) $^ -o $@ '-Wl,-rpath,$$ORIGIN'

tests: $(CAPTURE_DIR)/sites
