#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# The documents: links lead somewhere, commands have options that exist, the README stays short.

load ../common

setup_file() {
	export DOCS
	DOCS=$(git ls-files -co --exclude-standard '*.md' | tr '\n' ' ')
}

@test "documents: each link leads to a file and a heading that are there" {
	# shellcheck disable=SC2086 # a list of names
	python3 tests/e2e/docs_check.py links $DOCS
	printf '%s\n' '[x](gone.md)' >"$T/bad.md"
	# shellcheck disable=SC2086
	not python3 tests/e2e/docs_check.py links $DOCS "$T/bad.md"
}

@test "documents: each option of a command is one that --help knows" {
	# shellcheck disable=SC2086
	python3 tests/e2e/docs_check.py options "$RTRACE" $DOCS
	printf '    sudo rtrace-bpf -p 1 --no-such-option\n' >"$T/bad.md"
	# shellcheck disable=SC2086
	not python3 tests/e2e/docs_check.py options "$RTRACE" $DOCS "$T/bad.md"
}

@test "README: at most 180 lines; each page ends with its neighbours" {
	[ "$(wc -l <README.md)" -le 180 ]
	[ -z "$(git ls-files 'docs/*.md' | grep -v README | xargs grep -L '^## See also')" ]
}
