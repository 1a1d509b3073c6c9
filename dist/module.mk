# SPDX-License-Identifier: MIT
# make install, make uninstall.

# rtrace-bpf finds the agent in ../lib/rtrace, as seen from itself (user/record/launch_command.c): LIBDIR, which may be that
# of one architecture, is for what others link.
BINDIR = $(PREFIX)/bin
AGENTDIR = $(PREFIX)/lib/rtrace
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/rtrace
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
UNITDIR ?= $(PREFIX)/lib/systemd/system
PYTHONDIR ?= $(PREFIX)/lib/python3/dist-packages

# MODE:FILE:PLACE; of a link, what it points to. In files that end in .in names of directories are filled in.
# Pages and the folders that they lie in.
DOCS = $(wildcard docs/*.md docs/*/*.md docs/*/*/*.md)

INSTALLED = 755:$(O)/rtrace-bpf:$(BINDIR)/rtrace-bpf \
	644:$(O)/librtrace-agent.so:$(AGENTDIR)/librtrace-agent.so \
	644:$(O)/libroctx64.so.4:$(LIBDIR)/libroctx64.so.4 \
	link:libroctx64.so.4:$(LIBDIR)/libroctx64.so \
	644:include/roctracer/roctx.h:$(INCLUDEDIR)/roctracer/roctx.h \
	644:dist/roctx64.pc.in:$(LIBDIR)/pkgconfig/roctx64.pc \
	644:$(O)/librocprofiler-sdk-roctx.so.1:$(LIBDIR)/librocprofiler-sdk-roctx.so.1 \
	link:librocprofiler-sdk-roctx.so.1:$(LIBDIR)/librocprofiler-sdk-roctx.so \
	$(foreach header,$(wildcard include/rocprofiler-sdk-roctx/*.h),644:$(header):$(INCLUDEDIR)/rocprofiler-sdk-roctx/$(notdir $(header))) \
	644:dist/rocprofiler-sdk-roctx.pc.in:$(LIBDIR)/pkgconfig/rocprofiler-sdk-roctx.pc \
	644:roctx/roctx.py:$(PYTHONDIR)/roctx.py \
	644:$(O)/libroctracer64.so.4:$(LIBDIR)/libroctracer64.so.4 \
	link:libroctracer64.so.4:$(LIBDIR)/libroctracer64.so \
	644:$(O)/roctracer/libroctracer_tool.so:$(LIBDIR)/roctracer/libroctracer_tool.so \
	$(foreach header,$(wildcard include/roctracer/roctracer*.h) $(filter %_prof_str.h,$(HSA_API_GEN) $(KFD_API_GEN)),644:$(header):$(INCLUDEDIR)/roctracer/$(notdir $(header))) \
	644:include/roctracer/ext/prof_protocol.h:$(INCLUDEDIR)/roctracer/ext/prof_protocol.h \
	644:dist/roctracer64.pc.in:$(LIBDIR)/pkgconfig/roctracer64.pc \
	644:$(O)/librocprofiler-sdk.so.1:$(LIBDIR)/librocprofiler-sdk.so.1 \
	link:librocprofiler-sdk.so.1:$(LIBDIR)/librocprofiler-sdk.so \
	$(foreach header,$(ROCPROFILER_HEADERS),644:include/$(header):$(INCLUDEDIR)/$(header)) \
	$(foreach header,$(ROCPROFILER_GEN_HEADERS),644:$(O)/gen/$(header):$(INCLUDEDIR)/$(header)) \
	644:dist/rocprofiler-sdk.pc.in:$(LIBDIR)/pkgconfig/rocprofiler-sdk.pc \
	$(foreach package,rocprofiler-sdk rocprofiler-sdk-roctx,644:dist/$(package)-config.cmake.in:$(LIBDIR)/cmake/$(package)/$(package)-config.cmake \
		644:dist/config-version.cmake:$(LIBDIR)/cmake/$(package)/$(package)-config-version.cmake) \
	644:dist/rtrace-bpf.bash:$(COMPLETIONDIR)/rtrace-bpf \
	644:dist/_rtrace-bpf.in:$(ZSHDIR)/_rtrace-bpf \
	644:dist/rtrace-bpf.fish.in:$(FISHDIR)/rtrace-bpf.fish \
	644:dist/rtrace.service.in:$(UNITDIR)/rtrace.service \
	$(foreach page,$(wildcard dist/*.1.in),644:$(page):$(MANDIR)/man1/$(notdir $(page:.in=))) \
	$(foreach file,README.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md SECURITY.md LICENSE,644:$(file):$(DOCDIR)/$(file)) \
	$(foreach file,$(DOCS),644:$(file):$(DOCDIR)/$(file)) \
	644:dist/rtrace.default:$(DOCDIR)/examples/rtrace.default \
	644:dist/rtrace.conf.in:$(DOCDIR)/examples/rtrace.conf

FILL = sed -e 's|@PREFIX@|$(PREFIX)|g' -e 's|@LIBDIR@|$(LIBDIR)|g' -e 's|@INCLUDEDIR@|$(INCLUDEDIR)|g' \
	-e 's|@COMPLETIONDIR@|$(COMPLETIONDIR)|g' \
	-e 's|@DOCDIR@|$(DOCDIR)|g' -e 's|@VERSION@|$(VERSION)|g'

# What only we put files into, and goes when it is empty.
OWN_DIRS = $(AGENTDIR) $(LIBDIR)/roctracer $(LIBDIR)/cmake/rocprofiler-sdk $(LIBDIR)/cmake/rocprofiler-sdk-roctx \
	$(INCLUDEDIR)/roctracer/ext $(INCLUDEDIR)/roctracer $(INCLUDEDIR)/rocprofiler-sdk-roctx \
	$(addprefix $(INCLUDEDIR)/,$(sort $(dir $(ROCPROFILER_HEADERS) $(ROCPROFILER_GEN_HEADERS)))) $(DOCDIR)/examples \
	$(addprefix $(DOCDIR)/,$(sort $(dir $(DOCS)))) $(DOCDIR)

install: all
	$(Q)set -e; for entry in $(INSTALLED); do \
		mode=$${entry%%:*} file=$${entry#*:}; to="$(DESTDIR)$${file#*:}" file=$${file%:*}; \
		mkdir -p "$${to%/*}"; rm -f "$$to"; \
		case $$mode:$$file in \
		link:*) ln -s "$$file" "$$to" ;; \
		*.in) $(FILL) "$$file" >"$$to"; chmod $$mode "$$to" ;; \
		*) install -m $$mode "$$file" "$$to" ;; \
		esac; \
	done

uninstall:
	$(Q)for entry in $(INSTALLED); do rm -f "$(DESTDIR)$${entry##*:}"; done
	$(Q)printf '%s\n' $(OWN_DIRS) | sort -r | while read -r dir; do rmdir "$(DESTDIR)$$dir" 2>/dev/null || :; done
