#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reads the truth log of the simulated GPU (tests/simkfd/truth.h).

truth.py ops TRUTH         its kernels and copies, one a line: KIND DEVICE NAME BYTES BEGIN END
truth.py dispatches TRUTH  its kernels: PID DEVICE NAME GRID WORKGROUP QUEUE BEGIN END

Times are ns; names have _ for blanks. The lines are those of json_trace.py, which has them of a trace.
"""
import re
import subprocess
import sys


class Op:
    """An operation, of the truth log or of the trace. `what`: all that must be equal."""

    def __init__(self, what, queue, begin, end):
        self.what, self.queue, self.begin, self.end = what, queue, begin, end
        self.partner = None
        self.of_call = False  # its times are those of the call that waited for it

    def ran_on(self):
        return self.what[0], self.queue

    def __str__(self):
        pid, kind, device, name, size = self.what
        when = f"{self.begin}..{self.end}" if self.begin else "no times"
        return f"{kind} {name} {size} of process {pid}, GPU {device}, queue {self.queue}: {when}"


def demangle(ops):
    names = sorted({op.what[3] for op in ops})
    plain = subprocess.run(["c++filt"], input="\n".join(names), text=True, stdout=subprocess.PIPE, check=True)
    table = dict(zip(names, plain.stdout.split("\n")))
    for op in ops:
        op.what = op.what[:3] + (table[op.what[3]],) + op.what[4:]


def read_lines(path):
    """Not the end of a line that a process was writing when it was killed: nobody has seen what it tells of."""
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.endswith("\n"):
                yield dict(re.findall(r"(\w+)=((?:(?! \w+=).)*)", line.rstrip("\n")))


def make_op(fields, kind, name, size):
    what = (int(fields["pid"]), kind, int(fields["gpu"]), name, size)
    return Op(what, int(fields["queue"]), int(fields["begin"]), int(fields["end"]))


def shape(grid, block):
    return f"{grid[0]}x{grid[1]}x{grid[2]}/{block[0]}x{block[1]}x{block[2]}"


def add_to_copy(copies, key, fields):
    """The lines of one copy share its number."""
    if key not in copies:
        copies[key] = make_op(fields, "copy", "-", 0)
    copy = copies[key]
    copy.what = copy.what[:4] + (copy.what[4] + int(fields["bytes"]),)
    copy.end = int(fields["end"])


def read_truth(path):
    """
    Nameless blit kernels are how the HSA runtime copies, and are copies; but for its own uploads of code, after
    which it has the caches flushed, by a pm4 packet.
    """
    ops, copies, blits = [], {}, {}
    for f in read_lines(path):
        queue = (f["pid"], f["gpu"], f["queue"])
        if f["kind"] == "dispatch":
            ops.append(make_op(f, "kernel", f["kernel"], shape(f["grid"].split(","), f["wg"].split(","))))
        elif f["kind"] == "barrier":
            ops.append(make_op(f, "barrier", "barrier", 0))
        elif f["kind"] in ("copy", "fill", "blit"):
            key = queue + (f["op"],)
            add_to_copy(copies, key, f)
            blits[queue] = (key, int(f["n"]) + 1)
        elif f["kind"] == "pm4" and blits.get(queue, (0, -1))[1] == int(f["n"]):
            copies.pop(blits[queue][0], None)
    return ops + list(copies.values())


def op_rows(ops):
    for op in ops:
        _, kind, device, name, size = op.what
        if kind == "kernel":
            yield "dispatch", device, name.replace(" ", "_"), 0, op.begin, op.end
        elif kind == "copy":
            yield kind, device, name, size, op.begin, op.end


def dispatch_rows(ops):
    for op in ops:
        pid, kind, device, name, size = op.what
        if kind == "kernel":
            grid, workgroup = size.replace("x", ",").split("/")
            yield pid, device, name.replace(" ", "_"), grid, workgroup, op.queue, op.begin, op.end


def main():
    what, path = sys.argv[1:]
    ops = read_truth(path)
    demangle(ops)
    if what == "ops":
        rows = sorted(op_rows(ops))
    else:
        rows = sorted(dispatch_rows(ops), key=lambda row: (row[1], "\t".join(row[2:5]), row[6]))
    for row in rows:
        print(*row, sep="\t")


if __name__ == "__main__":
    main()
