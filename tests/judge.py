#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares a JSON trace with the truth log of the simulated GPU, operation by operation.

judge.py [OPTION...] TRUTH TRACE

Every operation of the truth log (kernels, copies, with --barriers barrier packets) must be in the trace once,
under its process, device, name and size, with its times (or those of the call that waited for it, if the trace
says so), and on one queue of the trace for each queue of the truth; or a loss count of the trace must say that it is
missing. The trace must have no operation that did not run.
Prints one line, "judge: true: ..." or "judge: false: ...", with the first complaints above the latter.

    --barriers      barrier packets, too (by itself if the trace has any)
    --no-copies     the trace has none by its nature, as with --dispatch-from-bpf
    --no-kernels    likewise
    --since NS      only what began at or after that time (CLOCK_BOOTTIME)
    --pid PID       only that process (repeatable); otherwise each process of the truth log was to be traced
    --one-process   both are of one process, which may have another number in the truth log, as in a container
    --not-run       the trace may have operations without times that did not run: a process was ended
    --whole         nothing that ran may be missing or without times, counted or not
"""
import argparse
import json
import re
import sys
from bisect import bisect_left
from collections import Counter, defaultdict

from truth import Op, demangle, read_truth, shape

PRECISION_NS = 1000
SHOWN = 10
# What the trace counts as lost, by kind of operation. `unseen`: packets that were seen at no doorbell.
LOST = {"kernel": ("lost_dispatches", "unseen"), "copy": ("lost_copies",), "barrier": ("lost_barriers",)}


# ---- the trace ----

def op_of_event(event, pid):
    args = event["args"]
    if event["ph"] == "i" and "no-times" not in args.get("flags", ""):
        return None  # it tells of a resource
    begin = round(event["ts"] * 1000) if event["ph"] == "X" else 0
    end = begin + round(event["dur"] * 1000) if begin else 0
    if "grid" in args:
        kind, name, size = "kernel", event["name"], shape(args["grid"], args["block"])
    elif "bytes" in args:
        kind, name, size = "copy", "-", args["bytes"]
    else:
        kind, name, size = "barrier", "barrier", 0
    op = Op((pid, kind, args["device"], name, size), args.get("queue"), begin, end)
    op.of_call = "call-times" in args.get("flags", "")
    return op


def read_trace(path, one_process):
    with open(path, encoding="utf-8") as file:
        trace = json.load(file)
    pids, ops = {}, []
    for event in trace["traceEvents"]:
        if event["ph"] == "M" and event["name"] == "process_name":
            made_up = re.search(r"\(pid (\d+)\)$", event["args"]["name"])
            if made_up:
                pids[event["pid"]] = int(made_up[1])
    for event in trace["traceEvents"]:
        is_op = event.get("cat") == "gpu" and event["ph"] in "Xi"
        if is_op and (one_process or event["pid"] in pids):
            ops.append(op_of_event(event, 0 if one_process else pids[event["pid"]]))
    return [op for op in ops if op], trace["otherData"]


# ---- one with the other ----

def pair(one, other):
    one.partner, other.partner = other, one


def match_timed(true, told, queues):
    """The one that fits best; each has one partner. Of several at one time it is that of the likely queue."""
    true.sort(key=lambda op: op.begin)
    begins = [op.begin for op in true]
    for op in sorted((op for op in told if op.begin and not op.of_call), key=lambda op: op.begin):
        first = bisect_left(begins, op.begin - PRECISION_NS)
        fits = []
        for candidate in true[first:]:
            if candidate.begin > op.begin + PRECISION_NS:
                break
            if not candidate.partner and abs(candidate.end - op.end) <= PRECISION_NS:
                fits.append(candidate)
        if fits:
            pair(min(fits, key=lambda c: (queues.get(c.ran_on(), op.queue) != op.queue, abs(c.begin - op.begin))), op)


def match_calls(true, told):
    """What ran during the call that waited for it."""
    for op in (op for op in told if op.of_call and op.begin):
        within = [candidate for candidate in true if not candidate.partner and
                  op.begin <= candidate.begin + PRECISION_NS and candidate.end <= op.end + PRECISION_NS]
        if within:
            pair(min(within, key=lambda candidate: candidate.begin), op)


def match_untimed(true, told):
    left = [op for op in true if not op.partner]
    for op, candidate in zip((op for op in told if not op.begin), left):
        pair(op, candidate)


def likely_queues(true):
    """By which number the trace calls a queue of the truth, in most of the pairs."""
    numbers = defaultdict(Counter)
    for op in true:
        if op.partner and op.partner.begin and op.partner.queue is not None:
            numbers[op.ran_on()][op.partner.queue] += 1
    return {queue: counts.most_common(1)[0][0] for queue, counts in numbers.items()}


def match(true, told, queues):
    for op in true + told:
        op.partner = None
    groups = defaultdict(lambda: ([], []))
    for op in true:
        groups[op.what][0].append(op)
    for op in told:
        groups[op.what][1].append(op)
    for ran, seen in groups.values():
        match_timed(ran, seen, queues)
        match_calls(ran, seen)
        match_untimed(ran, seen)


def mixed_queues(true):
    """A queue of the truth is one queue of the trace, and the other way round. Copies have none there."""
    there, back, wrong = {}, {}, []
    for op in true:
        if not op.partner or not op.partner.begin or op.partner.queue is None:
            continue
        ran, seen = op.ran_on(), (op.what[0], op.partner.queue)
        if there.setdefault(ran, seen) != seen or back.setdefault(seen, ran) != ran:
            wrong.append(op)
    return wrong


def incomplete(true):
    """What --whole does not bear."""
    for op in true:
        if not op.partner:
            yield f"missing: {op}"
        elif not op.partner.begin:
            yield f"without times: {op}"


def worst_ns(true):
    """How far a time in the trace is from the true one, where it is the GPU's."""
    return max((max(abs(op.begin - op.partner.begin), abs(op.end - op.partner.end)) for op in true
                if op.partner and op.partner.begin and not op.partner.of_call), default=0)


def judge(true, told, counts, may_not_have_run):
    match(true, told, {})
    match(true, told, likely_queues(true))
    complaints, details = [], []
    missing = Counter(op.what[1] for op in true if not op.partner)
    lost = {kind: sum(counts.get(key, 0) for key in keys) for kind, keys in LOST.items()}
    for kind, number in missing.items():
        if number > lost[kind]:
            complaints.append(f"{number} of kind {kind} are missing, {lost[kind]} are counted as lost")
            details += [f"missing: {op}" for op in true if not op.partner and op.what[1] == kind]
    complaints += details
    for op in told:
        if not op.partner and (op.begin or not may_not_have_run):
            complaints.append(f"did not run: {op}")
    untimed = sum(1 for op in told if not op.begin)
    if untimed > counts.get("no_times", 0) + counts.get("unmeasured", 0):
        complaints.append(f"{untimed} operations have no times, and are not counted as such")
    complaints += [f"on two queues: {op}" for op in mixed_queues(true)]
    return complaints, missing, lost


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--barriers", action="store_true")
    options.add_argument("--no-copies", action="store_true")
    options.add_argument("--no-kernels", action="store_true")
    options.add_argument("--since", type=int, default=0)
    options.add_argument("--pid", type=int, action="append")
    options.add_argument("--one-process", action="store_true")
    options.add_argument("--not-run", action="store_true")
    options.add_argument("--whole", action="store_true")
    options.add_argument("truth")
    options.add_argument("trace")
    asked = options.parse_args()
    told, counts = read_trace(asked.trace, asked.one_process)
    kinds = {"kernel": not asked.no_kernels, "copy": not asked.no_copies,
             "barrier": asked.barriers or counts.get("barriers", 0) > 0}
    true = [op for op in read_truth(asked.truth) if kinds[op.what[1]] and op.begin >= asked.since and
            (not asked.pid or op.what[0] in asked.pid)]
    for op in true if asked.one_process else []:
        op.what = (0,) + op.what[1:]
    demangle(true + told)
    complaints, missing, lost = judge(true, told, counts, asked.not_run)
    if asked.whole:
        complaints += incomplete(true)
    if not true:
        complaints.append("the truth log has no operation to be judged by")
    for line in complaints[:SHOWN]:
        print(f"judge: {line}")
    ran = Counter(op.what[1] for op in true)
    each = ", ".join(f"{ran[kind] - missing[kind]} of {ran[kind]} of kind {kind} ({lost[kind]} lost)"
                     for kind in LOST if kinds[kind])
    print(f"judge: {'false' if complaints else 'true'}: traced {each}, of {len({op.what[0] for op in true})} processes; "
          f"times are right to {worst_ns(true)} ns")
    sys.exit(bool(complaints))


if __name__ == "__main__":
    main()
