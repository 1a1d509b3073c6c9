# SPDX-License-Identifier: MIT
# One recording in several formats: each is read by a reader of its own into the same table, so that they can
# be compared.

# In every table: KIND NAME COUNT NANOSECONDS BYTES (tabs between), one line for each name. Kinds: hip, hsa (calls),
# marker (ranges and marks), kernel, copy, memory (allocations and releases). Backslashes, tabs and newlines of
# names are written as in Python.
SUMS='
import sys
from collections import defaultdict
sums = defaultdict(lambda: [0, 0, 0])
def add(kind, name, ns, size=0):
    s = sums[kind, name]
    s[0] += 1; s[1] += ns; s[2] += size
def write():
    for (kind, name), s in sorted(sums.items()):
        print(kind, name.encode("unicode_escape").decode(), *s, sep="\t")
'

# What rtrace calls a direction, and rocprofv3.
DIRECTIONS='
directions = {"HtoD": "MEMORY_COPY_HOST_TO_DEVICE", "DtoH": "MEMORY_COPY_DEVICE_TO_HOST",
    "DtoD": "MEMORY_COPY_DEVICE_TO_DEVICE", "HtoH": "MEMORY_COPY_HOST_TO_HOST", "fill": "MEMORY_COPY_NONE"}
operations = {"alloc": "ALLOC", "free": "FREE"}
'

# sums_json TRACE
sums_json() {
	python3 -c "$SUMS$DIRECTIONS"'
import json
from decimal import Decimal
def ns(us):
    return int(us * 1000)
begins = {}
for e in json.load(open(sys.argv[1]), parse_float=Decimal)["traceEvents"]:
    cat, args, ph = e.get("cat"), e.get("args", {}), e["ph"]
    if ph not in "Xibe" or not cat:
        continue
    took = ns(e.get("dur", 0))
    if cat in ("hip", "hsa") and ph == "X":
        add(cat, e["name"], took)
    elif cat == "roctx" and "args" not in args:
        if ph == "b":
            begins[e["id"]] = e
        elif ph == "e":
            add("marker", e["name"], ns(e["ts"]) - ns(begins[e["id"]]["ts"]))
        else:
            add("marker", e["name"], took)
    elif cat == "gpu" and "grid" in args:
        add("kernel", e["name"], took)
    elif cat == "gpu" and ph == "X" and "bytes" in args:
        add("copy", directions[e["name"]], took, args["bytes"])
    elif cat == "gpu" and e["name"] in operations:
        size = args.get("bytes", 0) if e["name"] == "alloc" else 0
        add("memory", operations[e["name"]], ns(e["ts"]) - ns(args["begin"]), size)
write()' "$1"
}

# same_sums TABLE TABLE: the second may lack bytes, which are 0 then.
same_sums() {
	[ -s "$1" ]
	diff "$1" "$2" >"$T/sums.diff" || {
		head -n 20 "$T/sums.diff"
		return 1
	}
}

# Without the bytes of copies, for a format that lacks them.
without_copy_bytes() {
	awk -F '\t' -v OFS='\t' '$1 == "copy" { $5 = 0 } { print }'
}

# record_formats FORMAT WORKLOAD [ARG...]: traces it into t.rtrace, t.json and the files of FORMAT.
record_formats() {
	rm -rf "$T/t"* "$T/truth"
	# shellcheck disable=SC2086 # with its arguments
	sim SIMKFD_TRUTH="$T/truth" SIMKFD_GPUS=2 "$RTRACE" -f json -f rtrace -f "$1" -o "$T/t" -- \
		"$O/workloads/"$2 >"$T/out" 2>"$T/err"
	grep -q '^result PASSED$' "$T/out"
}

# What rtrace leaves in a folder, one name a line.
files_in() {
	find "$1" -mindepth 1 -printf '%P\n' | sort
}
