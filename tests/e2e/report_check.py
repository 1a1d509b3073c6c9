#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds a report (--json) against the JSON trace that was written beside the recording.

    report_check.py TRACE.json REPORT.json

All is counted again here, by the definitions in docs/reference/report.md and in the plainest way. Prints what
differs; exit status 1 if anything does.
"""
import collections
import fnmatch
import json
import re
import sys

wrong = 0


def check(what, got, expected):
    global wrong
    if got != expected:
        wrong += 1
        if wrong <= 20:
            print(f"{what}: {got} instead of {expected}")


def ns(us):
    return round(us * 1000)


class Event:
    def __init__(self, e):
        args = e["args"]
        self.name, self.cat, self.args = e["name"], e["cat"], args
        self.pid, self.tid = e["pid"], e["tid"]
        self.begin = ns(e["ts"])
        self.end = self.begin + ns(e.get("dur", 0))
        self.flags = args.get("flags", "").split(",")


def read_trace(path):
    events = json.load(open(path))["traceEvents"]
    gpu_pids, flows, begins = {}, {}, {}
    calls, operations, memory, ranges = [], [], [], []
    for e in events:
        if e["ph"] == "M" and e["name"] == "process_name":
            m = re.match(r"GPU (\d+) .*\(pid (\d+)\)$", e["args"]["name"])
            if m:
                gpu_pids[e["pid"]] = int(m[2])
        elif e["ph"] == "s":
            flows[e["id"]] = (e["pid"], e["tid"], ns(e["ts"]))
        elif e["ph"] == "f":
            begins.setdefault((e["pid"], e["tid"], ns(e["ts"])), []).append(e["id"])
    for e in events:
        if e["ph"] not in "XbiI" or "cat" not in e:
            continue
        ev = Event(e)
        if e["ph"] == "b" or (e["ph"] == "X" and ev.cat == "roctx" and "corr" not in ev.args):
            if e["ph"] == "b":
                stop = [x for x in events if x["ph"] == "e" and x["id"] == e["id"]][0]
                ev.end = ns(stop["ts"])
            ranges.append(ev)
        elif e["ph"] == "X" and ev.cat == "gpu":
            ids = begins[(e["pid"], e["tid"], ev.begin)]
            ev.pid, ev.tid, ev.submit = flows[ids.pop(0)]
            check("submission", ev.submit, ns(ev.args["submit"]))
            operations.append(ev)
        elif e["ph"] == "X" and "corr" in ev.args:
            calls.append(ev)
        elif e["ph"] == "i" and ev.cat == "gpu" and ev.name in ("alloc", "free"):
            ev.pid = gpu_pids.get(ev.pid, ev.pid)
            memory.append(ev)
    return calls, operations, memory, ranges


# ---- by name ----

def by_name(events):
    rows = collections.defaultdict(list)
    for e in events:
        rows[e.name].append(e.end - e.begin)
    return rows


def check_rows(what, rows, expected):
    check(what + " names", sorted(r["name"] for r in rows), sorted(expected))
    totals = [r["total_ns"] for r in rows]
    check(what + " in order", totals, sorted(totals, reverse=True))
    for r in rows:
        times = expected.get(r["name"], [0])
        mean = sum(times) / len(times)
        for key, value in (("calls", len(times)), ("total_ns", sum(times)), ("min_ns", min(times)),
                           ("max_ns", max(times)), ("mean_ns", sum(times) // len(times))):
            check(f"{what} {r['name']} {key}", r[key], value)
        if len(times) > 1:
            stddev = (sum((t - mean) ** 2 for t in times) / (len(times) - 1)) ** 0.5
            check(f"{what} {r['name']} stddev", abs(r["stddev_ns"] - stddev) <= 0.001 * stddev + 0.01, True)


# ---- where the time of a GPU went ----

def union(intervals):
    """The parts of them, apart from each other, in order."""
    parts = []
    for begin, end in sorted(intervals):
        if parts and begin <= parts[-1][1]:
            parts[-1][1] = max(parts[-1][1], end)
        else:
            parts.append([begin, end])
    return parts


def length(intervals):
    return sum(end - begin for begin, end in union(intervals))


def overlap(begin, end, b, e):
    return max(0, min(end, e) - max(begin, b))


def check_gpu(gpu, operations, calls):
    what = f"GPU {gpu['gpu']} "
    kernels = [(o.begin, o.end) for o in operations if "bytes" not in o.args]
    copies = [(o.begin, o.end) for o in operations if "bytes" in o.args]
    active = [(min(o.submit, o.begin), o.end) for o in operations]
    first, last = min(b for b, _ in active), max(e for _, e in active)
    check(what + "observed", gpu["observed_ns"], last - first)
    check(what + "kernels", gpu["kernels_ns"], length(kernels))
    check(what + "only copies", gpu["only_copies_ns"], length(kernels + copies) - length(kernels))
    check(what + "latency", gpu["submitted_not_begun_ns"], length(active) - length(kernels + copies))
    check(what + "operations", gpu["operations"], len(operations))

    in_call, no_call, unknown, count = collections.Counter(), 0, 0, 0
    parts = union(active)
    for (_, begin), (end, _) in zip(parts, parts[1:]):
        if begin == end:
            continue
        count += 1
        submitter = min((o for o in operations if min(o.submit, o.begin) >= end), key=lambda o: min(o.submit, o.begin))
        own = [c for c in calls if c.tid == submitter.tid]
        rest = end - begin
        for c in own:
            if overlap(begin, end, c.begin, c.end):
                in_call[c.name] += overlap(begin, end, c.begin, c.end)
                rest -= overlap(begin, end, c.begin, c.end)
        if own:
            no_call += rest
        else:
            unknown += rest
    check(what + "waits", gpu["queue_empty_times"], count)
    check(what + "no call", gpu["host_in_no_call_ns"], no_call)
    check(what + "unknown", gpu["host_not_known_ns"], unknown)
    check(what + "in calls", {c["name"]: c["ns"] for c in gpu["host_in_call"]}, dict(in_call))
    # Nothing is left over.
    check(what + "sum", gpu["kernels_ns"] + gpu["only_copies_ns"] + gpu["submitted_not_begun_ns"] +
          gpu["host_in_no_call_ns"] + gpu["host_not_known_ns"] + sum(c["ns"] for c in gpu["host_in_call"]),
          gpu["observed_ns"])


def check_latency(row, operations):
    times = sorted(max(0, o.begin - o.submit) for o in operations if "bytes" not in o.args)
    check("latency dispatches", row["dispatches"], len(times))
    check("latency max", row["max_ns"], times[-1])
    for percent in (50, 90, 99):
        exact = times[max(0, -(-len(times) * percent // 100) - 1)]
        got = row[f"p{percent}_ns"]
        check(f"latency p{percent}: {got} near {exact}", exact <= got <= exact * 1.01, True)


# ---- the rest ----

def is_wait(function):
    patterns = ("hip*Synchronize", "hipMemcpy*", "hsa_signal_wait_*", "hsa_amd_signal_wait_*")
    return "Async" not in function and any(fnmatch.fnmatchcase(function, pattern) for pattern in patterns)


def check_memory(report, memory):
    live = {}
    for m in sorted(memory, key=lambda m: m.end):
        key = (m.pid, m.args["address"])
        if m.name == "alloc":
            live[key] = m.args["bytes"]
        else:
            live.pop(key, None)
    check("not freed", sorted((m["pid"], m["address"], m["bytes"]) for m in report["not_freed"]),
          sorted((pid, address, size) for (pid, address), size in live.items()))


def check_failures(report, calls):
    expected = collections.Counter((c.name, c.args["return"]) for c in calls if c.cat == "hip" and
                                   c.args.get("return", "").startswith("hipError"))
    check("failed calls", {(f["function"], f["result"]): f["calls"] for f in report["failed_calls"]
                           if f["domain"] == "hip"}, dict(expected))


def check_phases(report, operations, calls, ranges):
    by_id = {r.args["range"]: r for r in ranges}
    rows = {p["range"]: p for p in report["phases"]}
    check("phases", sorted(rows), sorted({r.name for r in ranges}))
    for message in [None, *rows]:
        row = rows[message] if message is not None else report["in_no_range"]

        def inside(e):
            r = e.args.get("range", 0)
            return by_id[r].name == message if r else message is None

        spans = [(r.end - r.begin) for r in ranges if r.name == message]
        kernels = [o.end - o.begin for o in operations if inside(o) and "bytes" not in o.args]
        copies = [o.end - o.begin for o in operations if inside(o) and "bytes" in o.args]
        own = [c.end - c.begin for c in calls if c.cat != "roctx" and inside(c)]
        for key, times in (("ranges", spans), ("kernels", kernels), ("copies", copies), ("api_calls", own)):
            check(f"{message} {key}", (row[key]["calls"], row[key]["total_ns"]), (len(times), sum(times)))


def main():
    calls, operations, memory, ranges = read_trace(sys.argv[1])
    report = json.load(open(sys.argv[2]))
    kernels = [o for o in operations if "bytes" not in o.args]
    copies = [o for o in operations if "bytes" in o.args]
    outermost = [c for c in calls if not c.args["parent"]]
    renamed = {}
    if "--kernel-rename" in sys.argv:
        renamed = {r.args["range"]: r.name for r in ranges}
    for k in kernels:
        k.name = renamed.get(k.args.get("range"), k.name)
    check_rows("kernel", report["kernels"], by_name(kernels))
    check_rows("copy", report["copies"], by_name(copies))
    timed = [c for c in calls if "entry" not in c.flags]
    names = {c.name for c in calls} - {c.name for c in timed}
    check_rows("call", [c for c in report["api_calls"] if c["name"] not in names], by_name(timed))
    check_rows("wait", report["waits"], by_name(c for c in timed if not c.args["parent"] and is_wait(c.name)))
    for row in report["copies"]:
        check(f"{row['name']} bytes", row["bytes"], sum(c.args["bytes"] for c in copies if c.name == row["name"]))
        check(f"{row['name']} rate", abs(row["gb_per_s"] - row["bytes"] / row["total_ns"]) < 1e-3 * row["gb_per_s"], True)
    check("GPUs", [(g["pid"], g["gpu"]) for g in report["gpus"]],
          sorted({(o.pid, o.args["device"]) for o in operations}))
    for gpu in report["gpus"]:
        check_gpu(gpu, [o for o in operations if (o.pid, o.args["device"]) == (gpu["pid"], gpu["gpu"])],
                  [c for c in outermost if c.pid == gpu["pid"]])
    for row in report["launch_latency"]:
        check_latency(row, [o for o in operations if (o.pid, o.args["device"]) == (row["pid"], row["gpu"])])
    check_memory(report, memory)
    check_failures(report, calls)
    if "phases" in report:
        check_phases(report, operations, outermost, ranges)
    if wrong:
        print(f"{wrong} differences")
    sys.exit(wrong > 0)


main()
