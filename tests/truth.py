#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Reads the truth log of the simulated GPU (tests/simkfd/truth.h).

truth.py TRUTH: its kernels and copies, one a line: KIND DEVICE NAME BYTES BEGIN END (ns; names with _ for blanks)
"""
import re
import subprocess
import sys


class Op:
    """An operation, of the truth log or of the trace. `what`: all that must be equal."""

    def __init__(self, what, queue, begin, end):
        self.what, self.queue, self.begin, self.end = what, queue, begin, end
        self.partner = None

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


def words(op):
    _, kind, device, name, size = op.what
    is_kernel = kind == "kernel"
    return ("dispatch" if is_kernel else kind, device, name.replace(" ", "_"), 0 if is_kernel else size, op.begin, op.end)


def main():
    ops = [op for op in read_truth(sys.argv[1]) if op.what[1] != "barrier"]
    demangle(ops)
    for line in sorted(map(words, ops)):
        print(*line, sep="\t")


if __name__ == "__main__":
    main()
