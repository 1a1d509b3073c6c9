#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# bats file_tags=inproc,traces
# librocprofiler-sdk-roctx and the Python module, as a tracer sees them.

load ../common

setup() {
	export PYTHONPATH=$PWD/roctx
	cat >"$T/app.py" <<-'END'
		import roctx
		import threading
		roctx.mark("loaded")
		with roctx.range("step"):
		    with roctx.range("inner \u00e4"):
		        pass
		@roctx.range("forward")
		def forward(x):
		    "doc"
		    roctx.mark(b"bytes")
		    return x + 1
		@roctx.range
		def fails():
		    raise ValueError
		assert forward(1) == 2 and (forward.__name__, forward.__doc__) == ("forward", "doc")
		try:
		    fails()
		    assert False
		except ValueError:
		    pass
		number = roctx.rangeStart("process")
		def work():
		    roctx.nameOsThread("worker \U0001f40d")
		    roctx.rangeStop(number)
		thread = threading.Thread(target=work)
		thread.start()
		thread.join()
		roctx.profilerPause()
		roctx.mark("not seen")
		roctx.profilerResume()
		roctx.profilerPause(roctx.getThreadId())
		with roctx.range("not seen"):
		    pass
		roctx.profilerResume(roctx.getThreadId())
		roctx.mark("seen")
		print(roctx.rangePop(), roctx.rangePush("a"), roctx.rangePush("b"), roctx.rangePop(), roctx.rangePop(), number)
	END
}

# traced LIBRARY: the program finds only that one
traced() {
	mkdir -p "$T/lib"
	rm -f "$T/lib"/*
	cp "$O/$1" "$T/lib"
	LD_LIBRARY_PATH=$T/lib "$RTRACE" -t roctx -f json -o "$T/t.json" -- /usr/bin/python3 "$T/app.py" \
		>"$T/out" 2>"$T/err"
	[ "$(cat "$T/out")" = "-1 0 1 1 0 1" ]
	nothing_lost "$T/err"
}

# Ranges and marks of the trace, one a line.
shown() {
	jq -r '.traceEvents[] | select(.cat == "roctx" and (.args.args | not) and .ph != "e") | .name' "$T/t.json" | sort
}

# bats test_tags=smoke
@test "Python: marks, ranges and names; pauses" {
	traced librocprofiler-sdk-roctx.so.1
	shown | diff - <(printf '%s\n' a b bytes fails forward 'inner ä' loaded process seen step | sort)
	jq -e '[.traceEvents[] | select(.name == "thread_name") | .args.name] | index("worker 🐍")' "$T/t.json"
	json_trace "$T/t.json" nesting
}

@test "Python with libroctx64: what it does not have does nothing" {
	traced libroctx64.so.4
	shown | diff - <(printf '%s\n' a b bytes fails forward 'inner ä' loaded 'not seen' 'not seen' process seen step | sort)
}

@test "Python without a library: the program runs as it is" {
	LD_LIBRARY_PATH= /usr/bin/python3 "$T/app.py" >"$T/out"
	[ "$(cat "$T/out")" = "-1 0 0 -1 -1 0" ]
}

# The messages in the trace: lines "COUNT MESSAGE".
messages() {
	jq -r '.traceEvents[] | select(.cat == "roctx" and (.ph | IN("X", "i")) and (.name | startswith("roctx") | not)) |
		.name' "$1" | LC_ALL=C sort | uniq -c | awk '{ print $1, $2 }'
}

@test "messages that nobody has read are read, in children that end at once, too" {
	"$RTRACE" -f json -o "$T/t.json" -- "$O/workloads/unread" -n 4 >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	messages "$T/t.json"
	[ "$(messages "$T/t.json")" = "$(printf '10 %s\n' backward forward load optimizer save)" ]
	not grep -q 'messages of ranges' "$T/err"
	[ "$(jq .otherData.unreadable "$T/t.json")" = 0 ]
}

@test "messages whose pointers lead nowhere are said to be unreadable, and harm nobody" {
	"$RTRACE" -f json -o "$T/t.json" -- "$O/workloads/unread" -n 1 -b >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
	[ "$(messages "$T/t.json")" = "$(printf '%s\n' '4 (unreadable)' '4 backward' '4 forward' '4 load' '4 optimizer' '4 save')" ]
	grep -q 'lost 4 messages of ranges and marks' "$T/err"
	[ "$(jq .otherData.unreadable "$T/t.json")" = 4 ]
}

# PyTorch brings a library of roctx, its user another: both count their ranges from 1.
@test "two libraries in one process: each stops and pops its own ranges" {
	cat >"$T/two.py" <<-END
		import ctypes, sys
		one, two = (ctypes.CDLL(path) for path in sys.argv[1:])
		for i in range(3):
		    a = one.roctxRangeStartA(b"framework")
		    b = two.roctxRangeStartA(b"application")
		    print(a == b)
		    two.roctxRangeStop(b)
		    one.roctxRangeStop(a)
		    one.roctxRangePushA(b"outer")
		    two.roctxRangePushA(b"inner")
		    one.roctxRangePop()
		    two.roctxRangePop()
	END
	cp "$O/libroctx64.so.4" "$O/librocprofiler-sdk-roctx.so.1" "$T"
	"$RTRACE" -t roctx -f json -f rtrace -o "$T/t" -- /usr/bin/python3 "$T/two.py" \
		"$T/libroctx64.so.4" "$T/librocprofiler-sdk-roctx.so.1" >"$T/out" 2>"$T/err"
	nothing_lost "$T/err"
	[ "$(uniq -c "$T/out" | awk '{ print $1, $2 }')" = "3 True" ]
	jq -r '[.traceEvents[] | select(.cat == "roctx" and (.args.args | not)) |
		if .ph == "X" then [.ts, .name, "begins"], [.ts + .dur, .name, "ends"]
		elif .ph == "b" then [.ts, .name, "begins"] else [.ts, .name, "ends"] end] | sort[] | .[1:] | join(" ")' \
		"$T/t.json" >"$T/order"
	for _ in 1 2 3; do
		printf '%s\n' "framework begins" "application begins" "application ends" "framework ends" \
			"outer begins" "inner begins" "outer ends" "inner ends"
	done | diff - "$T/order"
	# A function is one, wherever it lies.
	"$RTRACE" report --json "$T/t.rtrace" | jq -e '[.. | objects | select(.name? == "roctxRangePop") | .calls] == [6]'
}
