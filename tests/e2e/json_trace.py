#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""json_trace.py TRACE WHAT...: reads a JSON trace once, and prints of it, one a line, with tabs between

    calls            NAME CORR PARENT FLAGS PID TID BEGIN END
    ops              operations of the GPU: KIND DEVICE NAME BYTES BEGIN END
    dispatches       what BPF has recorded: PID DEVICE NAME GRID WORKGROUP QUEUE BEGIN END TIMED SUBMIT RETURNED
    application      what the application itself calls: NAME [ARGUMENTS, RETURN, MESSAGE]

or judges what a trace says by itself; status 1, and the first complaints, if it is wrong:

    balance          begin and end events balance; flows start once and end once
    nesting          every correlation ID once, every parent present; a call ends after its begin, in its parent and on its
                     thread. With --cut a parent may be missing, after which its thread has no call without one.
    causes           every operation hangs below a call that launches or copies, in the time of that call, on a chain of
                     calls from its innermost (corr) to its outermost (root). With --causes RE other calls; with --instants
                     operations without times, too.
    streams          what calls say of their operations holds for these: the kernel, the size of its grid (the workloads
                     launch each stream with its own), the stream: a number for one handle of one thing, and the other way
                     round. Their ordinals count them from 0 without a gap. Prints how many operations each stream has.
    sizes            each kernel that the application launches has the grid and the workgroup of its launch
    counts=FILE      the calls that the application made itself, function by function, are those that FILE says ("calls NAME
                     N"). With --functions RE only of these; with --callers RE also those inside of calls of such functions.

Times are ns of CLOCK_BOOTTIME. Names have _ for blanks, but for those of calls.
"""
import argparse
import json
import re
import sys
from collections import Counter, defaultdict

API = ("hip", "hsa", "kfd", "roctx", "roctracer")
LAUNCHES = "^hip(LaunchKernel|ModuleLaunchKernel|ExtLaunchKernel|ExtModuleLaunchKernel|HccModuleLaunchKernel|Memcpy|Memset|" \
    "GraphLaunch)"
SHOWN = 5


def ns(us):
    return round(us * 1000)


class Call:
    def __init__(self, event):
        args = event["args"]
        self.event, self.args, self.cat, self.name = event, args, event["cat"], event["name"]
        self.corr, self.parent, self.tid = args["corr"], args.get("parent"), event["tid"]
        self.begin, self.end = ns(event["ts"]), ns(event["ts"] + event["dur"])

    def __str__(self):
        return f"{self.name} (corr {self.corr})"


class Trace:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.events = json.load(file)["traceEvents"]
        self.calls = [Call(event) for event in self.events
                      if event["ph"] == "X" and event.get("cat") in API and event["args"].get("corr") is not None]
        self.ops = [event for event in self.events if event.get("cat") == "gpu" and event["ph"] in "Xi"]


# ---- lines ----

def cell(value):
    if value is None:
        return ""
    text = str(value) if not isinstance(value, bool) else str(value).lower()
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def print_rows(rows):
    sys.stdout.writelines("\t".join(map(cell, row)) + "\n" for row in rows)


def calls(trace, _):
    print_rows((call.name, call.corr, call.parent, call.args.get("flags") or "-", call.event["pid"], call.tid, call.begin,
                call.end) for call in trace.calls)


def ops(trace, _):
    rows = []
    for op in trace.ops:
        if op["ph"] == "X":
            size, args = op["args"].get("bytes"), op["args"]
            name = op["name"].replace(" ", "_") if size is None else "-"
            rows.append(("dispatch" if size is None else "copy", args["device"], name, size or 0, ns(op["ts"]),
                         ns(op["ts"] + op["dur"])))
    print_rows(sorted(rows))


def timed(op):
    """`timed`, or why it has no times."""
    if op["ph"] == "X":
        return "timed"
    return ",".join(flag for flag in op["args"]["flags"].split(",") if flag not in ("no-times", "doorbell", "uncorrelated"))


def dispatches(trace, _):
    """What follows PID is the process's, which its tracks in the trace are not. RETURNED: when the call that
    launched it had."""
    pids = {event["pid"] for event in trace.events if event["ph"] == "s" and event["cat"] == "submit"}
    pid = min(pids) if len(pids) == 1 else "-"
    returned = {event["args"]["corr"]: ns(event["ts"] + event["dur"]) for event in trace.events
                if event["ph"] == "X" and event.get("cat") != "gpu" and "corr" in event["args"]}
    rows = []
    for op in trace.ops:
        args = op["args"]
        if "doorbell" in args.get("flags", ""):
            rows.append((pid, args["device"], op["name"].replace(" ", "_"),
                         ",".join(map(str, args["grid"])), ",".join(map(str, args["block"])), args.get("queue"),
                         ns(op["ts"]), ns(op["ts"] + op.get("dur", 0)), timed(op), ns(args["submit"]),
                         returned.get(args.get("root"), 0)))
    print_rows(sorted(rows, key=lambda row: (row[1], "\t".join(row[2:5]), row[9])))


def application(trace, _):
    for call in trace.calls:
        if call.cat in ("hip", "roctx") and call.parent == 0:
            values = [call.args.get(key) for key in ("call", "return", "message")]
            print(call.name, json.dumps(values, separators=(",", ":"), ensure_ascii=False))


# ---- judgements: each yields complaints ----

def balance(trace, _):
    number = Counter(event["ph"] for event in trace.events)
    for begins, ends in ("BE", "be", "sf"):
        if number[begins] != number[ends]:
            yield f"{number[begins]} events {begins}, {number[ends]} events {ends}"
    if len({event["id"] for event in trace.events if event["ph"] == "s"}) != number["s"]:
        yield "two flows have one number"


def nesting(trace, asked):
    by_corr, last_root = {}, defaultdict(int)
    for call in trace.calls:
        if call.corr in by_corr:
            yield f"{call}: twice"
        by_corr[call.corr] = call
        if call.parent == 0:
            last_root[call.tid] = max(last_root[call.tid], call.corr)
        if call.end < call.begin:
            yield f"{call}: ends before it begins"
    for call in by_corr.values():
        parent = by_corr.get(call.parent)
        if call.parent == 0 or (not parent and asked.cut and last_root[call.tid] < call.parent):
            continue
        if not parent:
            yield f"{call}: no parent {call.parent}"
        elif parent.tid != call.tid:
            yield f"{call}: not on the thread of its parent"
        elif call.begin < parent.begin or call.end > parent.end:
            yield f"{call}: not inside its parent"


def is_below(call, outer, by_corr):
    while call and call.corr != outer.corr:
        call = by_corr.get(call.parent)
    return bool(call)


def causes(trace, asked):
    by_corr = {call.corr: call for call in trace.calls}
    judged = [op for op in trace.ops if op["ph"] == "X" or asked.instants]
    if not judged:
        yield "no operation"
    for op in judged:
        args = op["args"]
        inner, outer, what = by_corr.get(args.get("corr")), by_corr.get(args.get("root")), f"{op['name']} {args}"
        if not inner or not outer:
            yield f"no such call: {what}"
            continue
        if outer.parent != 0 or not re.search(asked.causes, outer.name):
            yield f"not caused by a launch or copy, but {outer}: {what}"
        if not inner.begin <= ns(args["submit"]) <= inner.end:
            yield f"not submitted inside {inner}: {what}"
        if not is_below(inner, outer, by_corr):
            yield f"not below its outermost call: {what}"


def dimensions(text):
    """Of {x=1,y=2,z=3}."""
    return [int(number) for number in re.findall(r"[xyz]=(\d+)", text)]


def launched_size(call):
    """In work items, as the GPU counts."""
    of = call.args["call"]
    return [blocks * threads for blocks, threads in zip(dimensions(of["numBlocks"]), dimensions(of["dimBlocks"]))]


def streams(trace, _):
    roots = {call.corr: call for call in trace.calls if call.cat == "hip" and call.parent == 0}
    handles, numbers, ordinals, each = {}, {}, defaultdict(list), Counter()
    for op in trace.ops:
        args = op["args"]
        call = roots.get(args.get("root"))
        if op["ph"] != "X" or not call:
            continue
        of = call.args.get("call", {})
        if call.name == "hipLaunchKernel":
            if call.args.get("kernel") != op["name"]:
                yield f"launched as {call.args.get('kernel')}: {op}"
            if launched_size(call)[0] != args["grid"][0]:
                yield f"launched with {launched_size(call)}: {op}"
        handle, number = of.get("stream", "0x0"), args.get("stream")
        if numbers.setdefault(handle, number) != number or handles.setdefault(number, handle) != handle:
            yield f"stream {handle} is number {number}, and another: {op}"
        ordinals[call].append(args["ordinal"])
        each[number] += 1
    for call, found in ordinals.items():
        if sorted(found) != list(range(len(found))):
            yield f"{call}: ordinals {sorted(found)}"
    if not each:
        yield "no operation"
    print_rows(("stream", *item) for item in each.items())


def sizes(trace, _):
    launches = {call.corr: call for call in trace.calls if call.name == "hipLaunchKernel"}
    judged = [op for op in trace.ops if "grid" in op["args"] and not op["name"].startswith("__amd_rocclr_")]
    if not judged:
        yield "no kernel"
    for op in judged:
        call = launches.get(op["args"].get("root"))
        if not call or launched_size(call) != op["args"]["grid"]:
            yield f"launched by {call}: {op}"


def counts(trace, asked, path):
    by_corr = {call.corr: call for call in trace.calls}
    traced = Counter(call.name for call in trace.calls if call.parent == 0 or
                     asked.callers and call.parent in by_corr and re.search(asked.callers, by_corr[call.parent].name))
    made = Counter()
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            word, name, number = (line.split() + ["", "", ""])[:3]
            if word == "calls" and re.search(asked.functions, name):
                # HIP 6's headers give functions that have changed another name, which is not traced.
                made[re.sub(r"R0[0-9]+$", "", name)] += int(number)
    if not made:
        yield f"{path} counts no call"
    for name, number in made.items():
        if traced[name] != number:
            yield f"made {number} calls of {name}, traced {traced[name]}"


ROWS = {row.__name__: row for row in (calls, ops, dispatches, application)}
CHECKS = {check.__name__: check for check in (balance, nesting, causes, streams, sizes, counts)}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("trace")
    options.add_argument("what", nargs="+")
    options.add_argument("--cut", action="store_true")
    options.add_argument("--causes", default=LAUNCHES)
    options.add_argument("--instants", action="store_true")
    options.add_argument("--functions", default="")
    options.add_argument("--callers")
    asked = options.parse_args()
    trace = Trace(asked.trace)
    bad = False
    for word in asked.what:
        name, *values = word.split("=", 1)
        if name in ROWS:
            ROWS[name](trace, asked)
            continue
        complaints = [f"{name}: {text}" for text in CHECKS[name](trace, asked, *values)]
        print("\n".join(complaints[:SHOWN]), end="\n" if complaints else "")
        bad = bad or bool(complaints)
    return bad


if __name__ == "__main__":
    sys.exit(main())
