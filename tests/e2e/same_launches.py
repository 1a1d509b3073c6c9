#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same_launches.py LONG SHORT: do the JSON traces of two tracers hold the same launches of one process?

Of each thread: the launches between the first and the last of SHORT, as its tracer came later and ended before. Both
have times of their own for a launch, which overlap, as those of no two launches of a thread do. What SHORT has a gap
for is left out.
"""
import collections
import json
import sys


def read(path):
    """Of each thread the launches, as begin and end in ns; and when the last gap ends."""
    launches, gap_end = collections.defaultdict(list), 0
    with open(path, encoding="utf-8") as file:
        for event in json.load(file)["traceEvents"]:
            at = round(event.get("ts", 0) * 1000)
            if event["ph"] == "X" and event["name"] == "hipLaunchKernel":
                launches[event["tid"]].append((at, at + round(event["dur"] * 1000)))
            elif event["ph"] == "e" and event["name"].startswith("another tracer had calls"):
                gap_end = max(gap_end, at)
    return {tid: sorted(calls) for tid, calls in launches.items()}, gap_end


def unmatched(long, short):
    """Those of either that no launch of the other overlaps."""
    long, short = collections.deque(long), collections.deque(short)
    while long and short:
        if long[0][1] < short[0][0]:
            yield long.popleft()
        elif short[0][1] < long[0][0]:
            yield short.popleft()
        else:
            long.popleft()
            short.popleft()
    yield from long
    yield from short


def main():
    (long, _), (short, gap_end) = read(sys.argv[1]), read(sys.argv[2])
    compared = bad = 0
    for tid, calls in short.items():
        calls = [call for call in calls if call[0] > gap_end][1:-1]
        if not calls:
            continue
        inside = [call for call in long.get(tid, []) if calls[0][0] <= call[1] and call[0] <= calls[-1][1]]
        compared += len(calls)
        for call in unmatched(inside, calls):
            bad += 1
            print(f"thread {tid}: {call} is in one trace alone")
    print(f"{compared} launches of {len(short)} threads, {bad} in one trace alone")
    return bad > 0 or compared < 100


if __name__ == "__main__":
    sys.exit(main())
