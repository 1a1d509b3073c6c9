# SPDX-License-Identifier: MIT
# The page of the HTML sink, as two strings: what comes before the data and what comes after. Style and script
# are put in; the page's policy allows these two by their hashes, and nothing else.

html_hash = $$(/usr/bin/printf "$$(sha256sum $(1) | cut -c1-64 | sed 's/../\\x&/g')" | base64)

HTML_SCRIPT = $(addprefix user/formats/html/page/,base.js spans.js header.js tables.js timeline.js pointer.js page.js)

# What stands in an element begins with the line end after its tag, which counts.
$(O)/gen/user/formats/html/page.html: user/formats/html/page/page.html user/formats/html/page/page.css $(HTML_SCRIPT) user/formats/html/module.mk
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)cat $(HTML_SCRIPT) >$(@D)/page.js
	$(Q)echo | cat - user/formats/html/page/page.css >$(@D)/in_style
	$(Q)echo | cat - $(HTML_SCRIPT) >$(@D)/in_script
	$(Q)sed -e "s|@STYLE_HASH@|$(call html_hash,$(@D)/in_style)|" -e "s|@SCRIPT_HASH@|$(call html_hash,$(@D)/in_script)|" \
		-e '/@STYLE@/{r user/formats/html/page/page.css' -e 'd}' -e '/@SCRIPT@/{r $(@D)/page.js' -e 'd}' $< >$@

$(O)/gen/user/formats/html/page.h: $(O)/gen/user/formats/html/page.html
	$(call say,GEN,$@)
	$(Q){ echo 'static const char html_page_head[] ='; \
		sed -e '/@DATA@/,$$d' -e 's/[\\"]/\\&/g' -e 's/^/"/' -e 's/$$/\\n"/' $<; \
		printf ';\nstatic const char html_page_tail[] =\n'; \
		sed -e '1,/@DATA@/d' -e 's/[\\"]/\\&/g' -e 's/^/"/' -e 's/$$/\\n"/' $<; echo ';'; } >$@

$(O)/obj/user/formats/html/sink_html.o: $(O)/gen/user/formats/html/page.h
