#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares what a trace says in all, read from one of its forms, with a table.

sums.py TABLE FORM FILE

TABLE is as formats.bash describes it: KIND NAME COUNT NANOSECONDS BYTES. FORM: pftrace (as protoc --decode
prints it), text, stats, summary, report (--json). Calls of HIP and HSA, kernels and copies must be the same,
in as far as the form has them; a number that it does not have, or only cut to a few digits, counts as the same.
"""
import csv
import json
import os
import re
import sys
from collections import defaultdict

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import perfetto_check  # noqa: E402
from perfetto_check import one  # noqa: E402

DIRECTIONS = {"HtoD": "MEMORY_COPY_HOST_TO_DEVICE", "DtoH": "MEMORY_COPY_DEVICE_TO_HOST",
              "DtoD": "MEMORY_COPY_DEVICE_TO_DEVICE", "HtoH": "MEMORY_COPY_HOST_TO_HOST",
              "fill": "MEMORY_COPY_NONE"}
sums = defaultdict(lambda: [0, 0, 0])


def add(kind, name, count, ns=None, size=None):
    entry = sums[kind, name]
    for i, value in enumerate((count, ns, size)):
        entry[i] = "-" if value is None else entry[i] + value


def direction(name):
    return DIRECTIONS.get(name.removeprefix("copy "), None)


def read_pftrace(path):
    trace = perfetto_check.Trace(path)
    open_slices = defaultdict(list)
    for time, event in sorted(trace.events, key=lambda e: e[0]):
        track, kind = one(event, "track_uuid"), one(event, "type")
        if kind == "TYPE_SLICE_END":
            begun, first = open_slices[track].pop()
            count_slice(trace, first, time - begun)
        elif kind == "TYPE_SLICE_BEGIN":
            open_slices[track].append((time, event))
        elif kind == "TYPE_INSTANT":
            count_slice(trace, event, 0)
    assert not any(open_slices.values())


def count_slice(trace, event, took):
    category = trace.words.get(("event_categories", one(event, "category_iids")))
    name = trace.words.get(("event_names", one(event, "name_iid"))) or one(event, "name")
    notes = trace.notes(event)
    if category in ("hip", "hsa"):
        add(category, name, 1, took, 0)
    elif category == "gpu" and "grid" in notes:
        add("kernel", name, 1, took, 0)
    elif category == "gpu" and direction(name):
        add("copy", direction(name), 1, took, int(notes["bytes"]))


def read_text(path):
    call = re.compile(r" *-?\d+\.\d+ \d+(?:/\d+)? +((?:__)?(hip|hsa_)\w*)\(")
    kernel = re.compile(r" *-?\d+\.\d+ \d+(?:/\d+)? +gpu \d+ (?:stream \d+ )?queue \d+ (.*) grid \d+x")
    copied = re.compile(r" *-?\d+\.\d+ \d+(?:/\d+)? +gpu \d+ (?:stream \d+ )?(?:copy )?(\w+) \d[\d.]*(?:[KMGT]i)?B ")
    with open(path, encoding="utf-8") as file:
        for line in file:
            if m := call.match(line):
                add(m[2].rstrip("_"), m[1], 1)
            elif m := kernel.match(line):
                add("kernel", m[1], 1)
            elif m := copied.match(line):
                add("copy", DIRECTIONS[m[1]], 1)


def read_stats(path):
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            name = row["Name"]
            if name.startswith(("hsaKmt", "roctx")):
                continue
            add("hsa" if name.startswith("hsa_") else "hip", name, int(row["Calls"]), int(row["TotalDurationNs"]), 0)


def read_summary(path):
    kinds = {"API calls": None, "Kernels": "kernel", "Copies": "copy"}
    kind = columns = None
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line in kinds or line in ("Memory", "Ranges"):
                kind, columns = line, None
            elif kind in kinds and line and not columns:
                columns = line.split()
            elif kind in kinds and line:
                cells = line.split(maxsplit=len(columns) - 1)
                name = cells[-1]
                where = kinds[kind] or cells[columns.index("DOMAIN")]
                if where in ("hip", "hsa", "kernel", "copy"):
                    add(where, DIRECTIONS.get(name, name) if where == "copy" else name, int(cells[columns.index("CALLS")]))


def read_report(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    for row in report["kernels"]:
        add("kernel", row["name"], row["calls"], row["total_ns"], 0)
    for row in report["copies"]:
        add("copy", DIRECTIONS[row["name"]], row["calls"], row["total_ns"], row["bytes"])
    for row in report["api_calls"]:
        kind = row["domain"].split("_")[0].lower()
        if kind in ("hip", "hsa"):
            add(kind, row["name"], row["calls"], row["total_ns"], 0)


READERS = {"pftrace": read_pftrace, "text": read_text, "stats": read_stats, "summary": read_summary,
           "report": read_report}


def read_table(path, kinds):
    table = {}
    with open(path, encoding="ascii") as file:
        for line in file:
            kind, name, *numbers = line.rstrip("\n").split("\t")
            if kind in kinds:
                table[kind, name.encode().decode("unicode_escape")] = [int(n) for n in numbers]
    return table


def main():
    table, form, path = sys.argv[1:]
    READERS[form](path)
    kinds = ("hip", "hsa") if form == "stats" else ("hip", "hsa", "kernel", "copy")
    wrong = 0
    expected = read_table(table, kinds)
    for key in sorted(expected.keys() | sums.keys()):
        want, got = expected.get(key), sums.get(key)
        if not want or not got or any(g not in ("-", w) for g, w in zip(got, want)):
            wrong += 1
            print(form, *key, "has", got, "instead of", want)
    print(f"{form}: {len(sums)} names, {sum(s[0] for s in sums.values())} in all, {wrong} wrong")
    return wrong > 0 or not sums


if __name__ == "__main__":
    sys.exit(main())
