#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Compares a Perfetto trace with the JSON trace of the same recording.

perfetto_check.py DECODED JSON   DECODED: what protoc --decode printed of the Perfetto trace
"""
import json
import re
import sys
from collections import Counter


def parse(lines):
    """A message of protobuf's text form as {field: [value...]}."""
    message = {}
    for line in lines:
        line = line.strip()
        if line == "}":
            break
        if line.endswith("{"):
            message.setdefault(line[:-1].strip(), []).append(parse(lines))
            continue
        name, _, value = line.partition(": ")
        if value.startswith('"'):
            value = json.loads('"' + re.sub(r"\\([0-7]{3})", r"\\u0\1", value[1:-1].replace("\\'", "'")) + '"')
        message.setdefault(name, []).append(value)
    return message


def one(message, *path):
    for name in path:
        message = message[name][0] if name in message else None
        if message is None:
            return None
    return message


def packets(path):
    with open(path, encoding="utf-8") as file:
        lines = iter(file)
        for line in lines:
            assert line == "packet {\n", line
            yield parse(lines)


class Trace:
    """Words by kind and number, events as they stand in the file."""

    def __init__(self, path):
        self.words = {}
        self.kernels = {}
        self.tracks = {}
        self.events = []
        self.stages = []
        self.gpus = []
        for packet in packets(path):
            self.see(packet)

    def see(self, packet):
        for kind, entries in (one(packet, "interned_data") or {}).items():
            for entry in entries:
                word = one(entry, "name") or one(entry, "str")
                assert self.words.setdefault((kind, one(entry, "iid")), word) == word
        track = one(packet, "track_descriptor")
        if track:
            self.tracks[one(track, "uuid")] = track
        if "track_event" in packet:
            self.events.append((int(one(packet, "timestamp")), one(packet, "track_event")))
        if "gpu_render_stage_event" in packet:
            self.stages.append((int(one(packet, "timestamp")), one(packet, "gpu_render_stage_event")))
        if "gpu_info" in packet:
            self.gpus = packet["gpu_info"][0]["gpus"]

    def value(self, note):
        """What an annotation says, as JSON has it."""
        if "dict_entries" in note:
            return {self.words["debug_annotation_names", one(n, "name_iid")]: self.value(n)
                    for n in note["dict_entries"]}
        if "array_values" in note:
            return [self.value(n) for n in note["array_values"]]
        if "string_value_iid" in note:
            return self.words["debug_annotation_string_values", one(note, "string_value_iid")]
        if "pointer_value" in note:
            return hex(int(one(note, "pointer_value")))
        return one(note, "string_value") or one(note, "uint_value") or one(note, "int_value")

    def notes(self, event):
        return {self.words["debug_annotation_names", one(n, "name_iid")]: self.value(n)
                for n in event.get("debug_annotations", [])}


def ns(us):
    return round(us * 1000)


def same_value(ours, theirs):
    """JSON has the NULL of a pointer by name."""
    return ours == theirs or (ours == "0x0" and theirs == "NULL")


def check_calls(trace, calls):
    seen = {}
    for time, event in trace.events:
        notes = trace.notes(event)
        if one(event, "type") == "TYPE_SLICE_BEGIN" and isinstance(notes.get("args"), dict):
            seen[int(notes["corr"])] = (time, trace.words["event_names", one(event, "name_iid")], notes)
    described = [c for c in calls if "call" in c["args"] and c["args"]["call"]]
    assert len(described) > 10
    for call in described:
        time, name, notes = seen.pop(call["args"]["corr"])
        assert (time, name) == (ns(call["ts"]), call["name"]), call
        assert notes["args"].keys() == call["args"]["call"].keys(), (notes, call)
        for key, value in notes["args"].items():
            assert same_value(value, call["args"]["call"][key]), (key, value, call)
        assert notes.get("ret") == call["args"].get("return"), (notes, call)
    assert not seen, seen


def check_stages(trace, ops):
    theirs = Counter((ns(o["ts"]), ns(o["dur"]), o["name"], o["args"]["device"], o["args"].get("stream"),
                      tuple(o["args"].get("block", [])),
                      tuple(-(-g // b) for g, b in zip(o["args"].get("grid", []), o["args"].get("block", []))))
                     for o in ops)
    ours = Counter()
    for time, stage in trace.stages:
        launch = one(stage, "launch") or {}
        args = {trace.words["compute_arg_names", one(a, "name_iid")]: int(one(a, "uint_value"))
                for a in launch.get("args", [])}
        sizes = [tuple(int(one(launch, s, c)) for c in "xyz") if launch else ()
                 for s in ("workgroup_size", "grid_size")]
        name = trace.words["event_names", one(stage, "name_iid")]
        if launch:
            assert trace.words["compute_kernels", one(stage, "kernel_iid")] == name
            assert args["device"] == int(one(stage, "gpu_id"))
        for key, kind in (("hw_queue_iid", "gpu_specifications"), ("stage_iid", "gpu_specifications"),
                          ("context", "graphics_contexts")):
            assert (kind, one(stage, key)) in trace.words
        ours[time, int(one(stage, "duration")), name, int(one(stage, "gpu_id")), args.get("stream"), *sizes] += 1
    streamless = Counter()
    for op, count in theirs.items():  # copies have no launch that could tell the stream
        streamless[(*op[:4], op[4] if op[5] else None, *op[5:])] += count
    assert ours == streamless, (ours - streamless, streamless - ours)
    assert len(trace.gpus) > max(o["args"]["device"] for o in ops)
    assert len({one(g, "pci_bdf") for g in trace.gpus}) == len(trace.gpus)
    assert all(re.fullmatch("[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}.[0-7]", one(g, "pci_bdf")) for g in trace.gpus)


def area(points):
    """Value times seconds, of a curve that keeps its value up to the next point."""
    return sum(v * (t1 - t0) / 1e9 for (t0, v), (t1, _) in zip(points, points[1:]))


def check_curves(trace, ops):
    curves = {}
    for time, event in trace.events:
        if "double_counter_value" in event:
            curves.setdefault(one(event, "track_uuid"), []).append((time, float(one(event, "double_counter_value"))))
    totals = Counter()
    for uuid, points in curves.items():
        assert points == sorted(points, key=lambda p: p[0]) and points[-1][1] == 0, points
        totals[one(trace.tracks[uuid], "name")] += area(points)
    kernels = sum("grid" in o["args"] for o in ops)
    copied = sum(o["args"].get("bytes", 0) for o in ops)
    assert abs(totals["kernels/s"] - kernels) < 1e-6 * kernels, (totals, kernels)
    assert abs(totals["copy bandwidth"] - copied) <= 1e-6 * copied, (totals, copied)
    # How long operations waited and ran, all together; stretches are of 10 ms at least.
    assert totals["queue depth"] >= 0


def main():
    trace = Trace(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    check_calls(trace, [e for e in events if e["ph"] == "X" and e.get("cat") not in (None, "gpu")])
    ops = [e for e in events if e["ph"] == "X" and e.get("cat") == "gpu" and e["args"]["device"] >= 0]
    check_stages(trace, ops)
    check_curves(trace, ops)
    print(f"{len(events)} events, {len(ops)} operations")


if __name__ == "__main__":
    main()
