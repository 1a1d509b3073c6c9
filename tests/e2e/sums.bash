# SPDX-License-Identifier: MIT
# Readers of the formats that are files of other tools, one each: what a trace says in all, as the table that
# formats.bash describes, and what the JSON trace says of it in as far as that format has it.

# sums_csv BASE
sums_csv() {
	python3 -c "$SUMS"'
import csv, os
def rows(name):
    path = sys.argv[1] + "_" + name + ".csv"
    return csv.DictReader(open(path, newline="")) if os.path.exists(path) else []
def took(row):
    return int(row["End_Timestamp"]) - int(row["Start_Timestamp"])
for kind in "hip", "hsa", "marker":
    for row in rows(kind + "_api_trace"):
        if kind != "marker" or row["Domain"] == "MARKER_CORE_RANGE_API":
            add(kind, row["Function"], took(row))
for row in rows("kernel_trace"):
    add("kernel", row["Kernel_Name"], took(row))
for row in rows("memory_copy_trace"):
    add("copy", row["Direction"], took(row))
for row in rows("memory_allocation_trace"):
    operation = {"ALLOCATE": "ALLOC", "FREE": "FREE"}.get(row["Operation"][18:])
    if operation:
        add("memory", operation, took(row), int(row["Allocation_Size"]))
write()' "$1"
}

sums_rocpd() {
	python3 -c "$SUMS"'
import json, sqlite3
db = sqlite3.connect(sys.argv[1])
for category, name, ns, extra in db.execute("SELECT category, name, duration, extdata FROM regions_and_samples"):
    kind = {"HIP": "hip", "HSA": "hsa"}.get(category.split("_")[0])
    if kind:
        add(kind, name, ns)
    elif category == "MARKER_CORE_RANGE_API" and name != "roctxGetThreadId":
        add("marker", json.loads(extra)["message"], ns)
for name, ns in db.execute("SELECT name, duration FROM kernels"):
    add("kernel", name, ns)
for row in db.execute("SELECT name, duration, size FROM memory_copies"):
    add("copy", *row)
for row in db.execute("SELECT type, duration, size FROM memory_allocations WHERE level = \"REAL\""):
    add("memory", *row)
write()' "$1"
}

# sums_roctracer FOLDER: calls, ranges and marks, copies and kernels of the traces.
sums_roctracer() {
	python3 -c "$SUMS"'
import csv, os, re
def lines(name):
    path = os.path.join(sys.argv[1], name)
    return open(path).read().splitlines() if os.path.exists(path) else []
def numbers(line):
    return map(int, re.match(r"(\d+):(\d+) ", line).groups())
for kind in "hip", "hsa":
    for line in lines(kind + "_api_trace.txt"):
        begin, end = numbers(line)
        add(kind, line.split(" ")[2].split("(")[0], end - begin)
open_ranges, started = {}, {}
for line in lines("roctx_trace.txt"):
    time, task, op, message = re.fullmatch("(\\d+) (\\d+:\\d+) (\\d:\\d+):\"(.*)\"", line).groups()
    op, number = map(int, op.split(":"))
    if op == 0:
        add("marker", message, 0)
    elif op == 1:
        open_ranges.setdefault(task, []).append((message, int(time)))
    elif op == 2:
        message, begin = open_ranges[task].pop()
        add("marker", message, int(time) - begin)
    elif op == 3:
        started[number] = message, int(time)
    else:
        message, begin = started.pop(number)
        add("marker", message, int(time) - begin)
assert not any(open_ranges.values()) and not started
for line in lines("hcc_ops_trace.txt"):
    begin, end = numbers(line)
    name = line.split(" ", 2)[2].split(":")[0]
    if name.startswith("Copy"):
        add("copy", name, end - begin)
    else:
        add("kernel", name, end - begin)
for line in lines("async_copy_trace.txt"):
    begin, end = numbers(line)
    add("copy", "async-copy", end - begin)
write()' "$1"
}

# The same of JSON: names of kernels without types, copies as roctracer calls them: of a program without HIP all the same.
roctracer_wanted() {
	sums_json "$1" >"$T/wanted"
	awk -F '\t' -v OFS='\t' -v hip="$(grep -c ^hip "$T/wanted")" '
		BEGIN { split("HOST_TO_DEVICE DEVICE_TO_HOST DEVICE_TO_DEVICE", of, " ")
			split("HostToDevice DeviceToHost DeviceToDevice", to, " ")
			for (i in of) names["MEMORY_COPY_" of[i]] = "Copy" to[i]
			names["MEMORY_COPY_NONE"] = "Fill" }
		$1 == "memory" { next }
		$1 == "copy" && !hip { copies += $3; ns += $4; next }
		$1 == "copy" { $2 = names[$2] }
		$1 == "kernel" { sub(/[(<].*/, "", $2); sub(/.*[ :]/, "", $2) }
		{ print $1, $2, $3, $4, 0 }
		END { if (copies) print "copy", "async-copy", copies, ns, 0 }' "$T/wanted" | LC_ALL=C sort
}

# What otf2-print says of the archive in a folder; a warning is a failure.
otf2_events() {
	otf2-print -Werror --silent "$1/traces.otf2" >"$T/otf2.silent" 2>&1 || {
		head -n 5 "$T/otf2.silent"
		return 1
	}
	otf2-print -A "$1/traces.otf2"
}

# sums_otf2 FOLDER TRACE: on every location times do not go back and regions are left in turn; calls lie in those that
# JSON calls their parents, on the location of their thread.
sums_otf2() {
	otf2_events "$1" >"$T/events" && python3 -c "$SUMS"'
import json, re
parents, tids = {}, {}
for e in json.load(open(sys.argv[2]))["traceEvents"]:
    if e["ph"] == "X" and "corr" in e["args"] and e["cat"] != "gpu":
        parents[e["args"]["corr"]] = e["args"]["parent"]
        tids[e["args"]["corr"]] = e["tid"]
kinds = {"hip_api": "hip", "hsa_api": "hsa", "marker_api": "marker", "kernel_dispatch": "kernel",
    "memory_copy": "copy", "memory_allocation": "memory"}
locations, stacks, last, events = {}, {}, {}, 0
pending = None
def enter(location, time, region, category, corr):
    stack = stacks.setdefault(location, [])
    if corr and locations[location][1] == "CPU_THREAD":
        outer = [e[3] for e in stack if e[3]]
        assert parents[corr] == (outer[-1] if outer else 0), (region, corr)
        assert locations[location][0].split()[1] == str(tids[corr])
    stack.append((time, region, category, corr))
for line in open(sys.argv[1], encoding="utf-8"):
    if line.startswith("LOCATION "):
        m = re.match(r"LOCATION +(\d+)  Name: \"(.*)\" <\d+>, Type: (\w+), # Events: (\d+), Group: ", line)
        locations[int(m[1])] = m[2], m[3], int(m[4])
    elif line.startswith(("ENTER ", "LEAVE ")):
        m = re.match(r"(\w+) +(\d+) +(\d+)  Region: \"(.*)\" <\d+>$", line)
        location, time, region = int(m[2]), int(m[3]), m[4]
        assert time >= last.get(location, 0)
        last[location] = time
        events += 1
        if m[1] == "ENTER":
            pending = location, time, region
            continue
        begin, entered, category, corr = stacks[location].pop()
        assert entered == region
        kind = kinds.get(category)
        if kind == "memory":
            region = {"MEMORY_ALLOCATION_ALLOCATE": "ALLOC", "MEMORY_ALLOCATION_FREE": "FREE"}.get(region)
        if kind and region is not None:
            if not (kind == "marker" and corr): # a call
                add(kind, region, time - begin)
    elif "ADDITIONAL ATTRIBUTES" in line:
        category = re.search(r"\"category\" <0>; STRING; \"(\w+)\"", line)[1]
        corr = re.search(r"\"corr_id\" <1>; UINT64; (\d+)", line)
        enter(*pending, category, int(corr[1]) if corr else 0)
assert not any(stacks.values()) and events == sum(l[2] for l in locations.values())
write()' "$T/events" "$2"
}

# The same of JSON, without marks and sizes.
otf2_wanted() {
	jq 'del(.traceEvents[] | select(.ph == "i" and .cat == "roctx"))' "$1" >"$T/wanted.json"
	sums_json "$T/wanted.json" | awk -F '\t' -v OFS='\t' '{ $5 = 0 } { print }'
}

# What the lines must be, from a JSON trace: each call's and range's own time, each operation's, by its stack.
folded_json() {
	python3 -c '
import json, re, sys
from collections import Counter
from decimal import Decimal
calls, ranges, operations, comms = {}, {}, [], {}
def ns(us):
    return int(us * 1000)
for e in json.load(open(sys.argv[1]), parse_float=Decimal)["traceEvents"]:
    args = e.get("args", {})
    if e["ph"] == "M" and e["name"] == "process_name":
        comms[e["pid"]] = args["name"]
    if e["ph"] != "X":
        continue
    if e["cat"] == "gpu":
        operations.append(e)
    elif "corr" in args:
        calls[args["corr"]] = e
    elif e["cat"] == "roctx":
        ranges[args["range"]] = e
own = {id(e): ns(e["dur"]) for e in [*calls.values(), *ranges.values()]}
def outer(e):
    if id(e) in own and "corr" not in e["args"]:
        return ranges.get(e["args"].get("parent"))
    return calls.get(e["args"]["parent"]) or ranges.get(e["args"].get("range"))
for e in [*calls.values(), *ranges.values()]:
    if outer(e):
        own[id(outer(e))] -= ns(e["dur"])
def safe(name):
    name = "".join("?" if ord(c) < 32 or 0x7f <= ord(c) < 0xa0 else c for c in name)
    return name.replace(";", ",") or "?"
def path(e):
    frames = []
    while e:
        frames.insert(0, e["name"])
        if "corr" in e["args"] and not e["args"]["parent"]:
            frames[0:0] = [re.sub(r"\+0x[0-9a-f]+ \(", " (", f) for f in reversed(e["args"].get("stack", []))]
        last, e = e, outer(e)
    return ["%s (%d)" % (comms[last["pid"]], last["pid"])] + frames
sums = Counter()
for e in [*calls.values(), *ranges.values()]:
    sums[("host", *map(safe, path(e)))] += max(own[id(e)], 0)
for e in operations:
    call = calls.get(e["args"]["corr"])
    frames = path(call) if call else ["%s (%d)" % (comms[e["pid"]], e["pid"]), "(no call)"]
    name = "gpu: " + ("copy " if "bytes" in e["args"] and e["name"] != "fill" else "") + e["name"]
    sums[("gpu", *map(safe, frames + [name]))] += ns(e["dur"])
for frames, value in sums.items():
    if value:
        print(";".join(frames), value)' "$1" | LC_ALL=C sort
}

# sums_html PAGE: calls, kernels and copies of the timeline, which has all of a trace that is not too long.
sums_html() {
	"$E2E/page.py" data "$1" >"$T/page.data" && python3 -c "$SUMS$DIRECTIONS"'
import json, re
for row in json.load(open(sys.argv[1]))["rows"]:
    assert row["shown"] == row["count"], row["kind"]
    for span in row["spans"]:
        library = re.match("(?:__)?(hip|hsa)(?=[A-Z_])(?!Kmt)", span["name"])
        if row["kind"] == "calls" and library:
            add(library[1], span["name"], span["ns"])
        elif row["kind"] == "queue":
            add("kernel", span["name"], span["ns"])
        elif row["kind"] == "copies":
            add("copy", directions[span["name"]], span["ns"])
write()' "$T/page.data"
}
