#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same_calls.py A B: do two JSON traces of one program tell the same calls?

Of each thread, in the order in which they were created: the calls in their order, with depth, names and
arguments, and what they returned; ranges and marks; the names of what the GPU ran, and in which call it was
submitted. Addresses, handles, times and counters differ from run to run: of those it is compared that there
is one. Left out are waits, and what asks for the state of copy engines or the times of operations: all depend on
what has ended by then.
A thread of the runtime's may be in its last call when the process ends, in one of the runs: what that call
returns is not compared then.
"""
import collections
import json
import re
import sys


def events(path):
    with open(path) as f:
        return [e for e in json.load(f)["traceEvents"] if e["ph"] == "X"]


def is_call(event):
    return event["cat"] in ("hip", "hsa", "kfd", "roctx", "roctracer") and "corr" in event["args"]


def depends_on_time(event):
    return re.match(r"hsa_signal_wait_|hsa_amd_(memory_copy_engine_status|profiling_get_)|hsaKmt(Wait|Set)", event["name"])


def plain(text):
    """Without what differs from run to run."""
    text = re.sub(r"0x[0-9a-f]{5,}", "ADDRESS", str(text))
    text = re.sub(r"\*ms': '[^']*'", "TIME", text)
    text = re.sub(r"{name=.*?\.\.\.}", "PROPERTIES", text)  # of a call that has failed: whatever was there
    return re.sub(r"\b\d{9,}\b", "NUMBER", text)


def line(event, depth):
    args = event["args"]
    rest = {k: plain(v) for k, v in args.items()
            if k not in ("corr", "parent", "root", "depth", "stream", "range", "tid", "pid")}
    return f"{'  ' * depth}{event['name']} {json.dumps(rest, sort_keys=True)}"


def is_cut_off(thread):
    last = thread[-1]
    return last["pid"] != last["tid"] and last["args"].get("flags") == "unfinished"


def begin_only(event):
    """What is known of a call before it returns."""
    return f"{event['name']} {plain(event['args'].get('args'))}"


def threads(path):
    """The events of each thread, and their lines."""
    all_events = events(path)
    calls = {e["args"]["corr"]: e for e in all_events if is_call(e)}
    by_thread = collections.defaultdict(list)
    for e in calls.values():
        if not depends_on_time(e):
            by_thread[e["pid"], e["tid"]].append(e)
    result = []
    for list_ in by_thread.values():
        list_.sort(key=lambda e: (e["ts"], -e["dur"], e["args"]["corr"]))
        lines = []
        for e in list_:
            depth, parent = 0, e["args"].get("parent")
            while parent in calls:
                depth, parent = depth + 1, calls[parent]["args"].get("parent")
            lines.append(line(e, depth))
        result.append((list_, lines))
    result.sort(key=lambda r: r[0][0]["ts"])
    return result


def operations(path):
    """What the GPU ran, and the names of the calls that it was submitted in."""
    all_events = events(path)
    calls = {e["args"]["corr"]: e for e in all_events if is_call(e)}
    count = collections.Counter()
    for e in all_events:
        if is_call(e) or e["cat"] in ("roctx",):
            continue
        call = calls.get(e["args"].get("corr"))
        root = calls.get(e["args"].get("root"))
        count[e["cat"], plain(e["name"]), call and call["name"], root and root["name"]] += 1
    return count


def main():
    a, b = threads(sys.argv[1]), threads(sys.argv[2])
    bad = 0
    if len(a) != len(b):
        print(f"{len(a)} threads, and {len(b)}")
        bad = 1
    for (x_events, x), (y_events, y) in zip(a, b):
        if is_cut_off(x_events) or is_cut_off(y_events):
            x[-1], y[-1] = begin_only(x_events[-1]), begin_only(y_events[-1])
        if x == y:
            continue
        bad = 1
        at = next((i for i, (p, q) in enumerate(zip(x, y)) if p != q), min(len(x), len(y)))
        print(f"a thread of {len(x)} calls, and {len(y)}: at {at}")
        for text in x[max(0, at - 2):at + 3]:
            print("-", text[:400])
        for text in y[max(0, at - 2):at + 3]:
            print("+", text[:400])
    p, q = operations(sys.argv[1]), operations(sys.argv[2])
    if p != q:
        bad = 1
        print("GPU operations:", p - q, q - p)
    print(f"{sum(len(lines) for _, lines in a)} calls of {len(a)} threads, {sum(p.values())} GPU operations")
    return bad


if __name__ == "__main__":
    sys.exit(main())
