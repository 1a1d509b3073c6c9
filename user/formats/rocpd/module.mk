# SPDX-License-Identifier: MIT
# The schema of the SQLite file of -f rocpd, as a string.

$(O)/gen/user/formats/rocpd/schema.h: user/formats/rocpd/schema.sql
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)sed -e '/^--/d' -e 's/[\\"]/\\&/g' -e 's/^/"/' -e 's/$$/\\n"/' $< >$@

$(O)/obj/user/formats/rocpd/rocpd_db.o: $(O)/gen/user/formats/rocpd/schema.h
