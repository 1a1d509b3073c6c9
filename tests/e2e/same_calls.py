#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same_calls.py OBSERVED TRACE: does a JSON trace have the calls of one run that tests/capture/observer has seen?

Of each thread: the same functions in the same order, each with the same arguments in its registers. The observer sees a
call shortly before or after its begin: both lie between those of the calls before and after it. (What is seen at its
begin alone has no end.)
"""
import collections
import json
import sys

SHOWN = 5
CALLS = ("hip", "hsa", "roctx")


def observed(path):
    """Of each thread the calls: moment (ns), name, arguments."""
    threads = collections.defaultdict(list)
    with open(path, encoding="ascii") as file:
        for line in file:
            tid, at, name, *args = line.split()
            threads[int(tid)].append((int(at), name, args))
    return {tid: sorted(calls) for tid, calls in threads.items()}


def traced(path):
    """Of each thread the calls, as events of the trace."""
    threads = collections.defaultdict(list)
    with open(path, encoding="utf-8") as file:
        for event in json.load(file)["traceEvents"]:
            if event["ph"] == "X" and event["cat"] in CALLS and "corr" in event["args"]:
                threads[event["tid"]].append(event)
    for calls in threads.values():
        calls.sort(key=lambda event: (event["ts"], event["args"]["corr"]))
    return threads


def parameters(event):
    """How many it has. (Those with * are what a pointer points to.)"""
    return sum(not name.startswith("*") for name in event["args"].get("call", {}))


def is_same(register, recorded):
    """Of an argument that is narrower than its register the rest is left out."""
    return recorded in [register & mask for mask in (0xff, 0xffff, 0xffffffff, 0xffffffffffffffff)]


def wrong_arguments(args, event):
    for i, (register, recorded) in enumerate(zip(args, event["args"]["args"])):
        if not is_same(int(register, 16), int(recorded, 16)) and (i < parameters(event) or recorded != "0x0"):
            yield f"{event['name']}: argument {i + 1} was {register}, traced as {recorded}"


def differences(seen, recorded):
    """Of one thread."""
    names, others = [call[1] for call in seen], [event["name"] for event in recorded]
    if names != others:
        at = next((i for i, (x, y) in enumerate(zip(names, others)) if x != y), min(len(names), len(others)))
        yield f"{len(names)} calls seen, {len(others)} traced; seen {names[at:at + 3]}, traced {others[at:at + 3]}"
        return
    before = 0
    for (at, name, args), event in zip(seen, recorded):
        yield from wrong_arguments(args, event)
        begin, end = round(event["ts"] * 1000), round((event["ts"] + event["dur"]) * 1000)
        if min(at, begin) < before or begin < end < at:
            yield f"{name}: seen at {at}, traced from {begin} to {end}, after {before}"
        before = max(at, begin)


def main():
    seen, recorded = observed(sys.argv[1]), traced(sys.argv[2])
    bad = [f"thread {tid}: {text}" for tid in sorted(set(seen) | set(recorded))
           for text in differences(seen.get(tid, []), recorded.get(tid, []))]
    print("\n".join(bad[:SHOWN]))
    print(f"{sum(map(len, seen.values()))} calls of {len(seen)} threads, {len(bad)} differences")
    return bool(bad) or not seen


if __name__ == "__main__":
    sys.exit(main())
