#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a trace calls a process and its threads: a line `process NAME`, and `TID NAME` for each thread in order.

task_names.py FORMAT FILE PID

FORMAT: json; pftrace: what protoc --decode printed; rocpd; html; otf2: what otf2-print -A printed; text and folded, which
name no threads.
"""
import json
import pathlib
import re
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import page  # noqa: E402
import perfetto_check  # noqa: E402


def of_json(path, pid):
    """Viewers go by the last metadata event."""
    with open(path, encoding="utf-8") as file:
        events = [e for e in json.load(file)["traceEvents"] if e["ph"] == "M" and e["pid"] == pid]
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    process = [e["args"]["name"] for e in events if e["name"] == "process_name"]
    return process[-1], names


def of_pftrace(path, pid):
    """As Perfetto's trace processor: a thread has its last name; a process its first, or the last of a process tree."""
    one = perfetto_check.one
    process = tree = None
    names = {}
    for packet in perfetto_check.packets(path):
        for p in (one(packet, "process_tree") or {}).get("processes", []):
            if int(one(p, "pid")) == pid:
                tree = p["cmdline"][0]
        told = one(packet, "track_descriptor", "process")
        if told and int(one(told, "pid")) == pid:
            process = process or one(told, "process_name")
        thread = one(packet, "track_descriptor", "thread")
        if thread and int(one(thread, "pid")) == pid:
            names[int(one(thread, "tid"))] = one(thread, "thread_name")
    return tree or process, names


def of_rocpd(path, pid):
    db = sqlite3.connect(path)
    rows = list(db.execute("SELECT id, extdata FROM rocpd_info_process WHERE pid = ?", (pid,)))
    assert len(rows) == 1, rows
    threads = db.execute("SELECT tid, name FROM rocpd_info_thread WHERE pid = ?", (rows[0][0],))
    return json.loads(rows[0][1])["comm"], dict(threads)


def of_html(path, pid):
    data = page.data_of(path)
    process = [p["name"] for p in data["processes"] if p["pid"] == pid]
    assert len(process) == 1, process
    rows = [r for r in data["rows"] if r["kind"] == "calls" and r["pid"] == pid]
    return process[0], {r["owner"]: r["name"].replace("\\\\", "\\") for r in rows}


def of_otf2(path, pid):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    process = re.search(rf'^LOCATION_GROUP .*Name: "(.*) \({pid}\)" <', text, re.M)
    threads = re.findall(r'^LOCATION  .*Name: "Thread (\d+) (.*)" <.*Type: CPU_THREAD', text, re.M)
    return process[1], {int(tid): name for tid, name in threads}


def of_text(path, pid):
    with open(path, encoding="utf-8") as file:
        return re.findall(rf"^--- process {pid} (?!uses )(.*?): /", file.read(), re.M)[-1], {}


def of_folded(path, pid):
    with open(path, encoding="utf-8") as file:
        process = set(re.findall(rf"^(?:host|gpu);(.*?) \({pid}\)(?:;| \d+$)", file.read(), re.M))
    assert len(process) == 1, process
    return process.pop(), {}


if __name__ == "__main__":
    what, file_path, number = sys.argv[1:]
    name, thread_names = globals()["of_" + what](file_path, int(number))
    print("process", name)
    for key, value in sorted(thread_names.items()):
        print(key, value)
