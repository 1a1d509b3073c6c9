#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=plain
# The check itself: what it does not run, it does not pass over.

load ../common

# in_check LINE...: Python that has tests/check.py as `check`, and what it says about failures in `bad`
in_check() {
	mkdir -p "$T/o"
	O="$T/o" PYTHONPATH=tests python3 - <<-END
		import check
		check.LOGS.mkdir(parents=True, exist_ok=True)
		one = check.Check({})
		good = lambda: check.Program("good", ["true"], whole=True)
		gone = lambda: check.Program("gone", ["$T/no/such/program"], whole=True)
		bad = lambda: sorted(o.name for o in one.found if o.state in check.BAD)
		$1
	END
}

@test "a program that cannot be started has failed, and those behind it are run" {
	in_check 'one.phases([gone(), good()], []); assert bad() == ["gone"] and len(one.found) == 2, one.found'
}

@test "programs of a lane that cannot be set up have failed" {
	in_check 'check.isolate = lambda: 1 / 0; one.phases([good(), good()], []); assert bad() == ["good", "good"], one.found'
}
