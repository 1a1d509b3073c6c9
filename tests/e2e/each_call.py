#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""each_call.py TRACE PID OUT FUNCTION...: the trace has each call that a process says it made, once.

OUT has lines `at FUNCTION TIME`, said before each call (CLOCK_BOOTTIME, ns). Between two of them one call of the function
begins in the trace, with these exceptions: a call in a gap of the trace may be missing.
"""
import bisect
import json
import sys

MS = 1000000


def told_gaps(events):
    """[(begin, end)] in which probes were gone."""
    begins = {}
    for e in events:
        if e["ph"] in "be" and "were taken out" in e["name"]:
            at = round(e["ts"] * 1000)
            if e["ph"] == "b":
                begins[e["name"]] = at
            else:
                yield begins[e["name"]] - MS, at + MS


def main():
    trace, pid, out, *functions = sys.argv[1:]
    with open(trace, encoding="utf-8") as f:
        events = [e for e in json.load(f)["traceEvents"] if e.get("pid") == int(pid)]
    with open(out, encoding="utf-8") as f:
        said = [line.split() for line in f if line.startswith("at ")]
    gaps = list(told_gaps(events))
    bad = 0
    for function in functions:
        made = [int(words[2]) for words in said if words[1] == function]
        traced = sorted(round(e["ts"] * 1000) for e in events
                        if e["ph"] == "X" and e["name"] == function and e["args"].get("corr"))
        missing = 0
        for begin, end in zip(made, made[1:] + [1 << 63]):
            n = bisect.bisect_left(traced, end) - bisect.bisect_left(traced, begin)
            if n == 0 and any(a <= end and begin <= b for a, b in gaps):
                missing += 1
            elif n != 1:
                print(f"{function}: called at {begin}, {n} times in the trace")
                bad += 1
        bad += bool(traced and made and traced[0] < made[0]) + (not made)
        print(f"{function}: {len(made)} calls, {len(traced)} in the trace, {missing} in a gap that is told of")
    return bad > 0


sys.exit(main())
