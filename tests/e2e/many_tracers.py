#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Jobs beside two to eight tracers of the node, whose selections change at random: each job ends as it does alone, and
each tracer has of the jobs that ran in its time the HIP calls that the job counted and the tracer selects.

  many_tracers.py BUILD JOBS SEED FOLDER

The tracers' outputs are in FOLDER. Ends with a line of counts, and status 1 if anything was wrong."""

import collections
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

AT_ONCE = 3  # jobs
CHANGE = 0.03  # of all looks, the number of tracers is drawn anew

# Options, and whether a HIP function of that name is selected.
SELECTIONS = [
    ([], lambda name: True),
    (["-t", "all"], lambda name: True),
    (["-t", "hip"], lambda name: True),
    (["-t", "runtime"], lambda name: True),
    (["-t", "hip,hsa"], lambda name: True),
    (["-t", "hip,roctx,gpu"], lambda name: True),
    (["-t", "hsa"], lambda name: False),
    (["-t", "gpu"], lambda name: False),
    (["-e", "hipM*"], lambda name: name.startswith("hipM")),
    (["-e", "!hipM*"], lambda name: not name.startswith("hipM")),
    (["--all-functions"], lambda name: True),
    (["--capture", "uprobe"], lambda name: True),
    (["--capture", "uprobe", "-t", "hip"], lambda name: True),
]


class Job:
    """One run of the workload `job`; seven of ten have the agent."""

    def __init__(self, build, folder, number):
        env = dict(
            os.environ,
            LD_PRELOAD=f"{build}/libsimkfd.so",
            SIMKFD_KERNEL_LIB=f"{build}/workloads/libkernels.so",
            SIMKFD_GPUS="1",
        )
        if random.random() < 0.7:
            env["HSA_TOOLS_LIB"] = f"{build}/librtrace-agent.so"
        self.path = f"{folder}/job{number}"
        self.tracers = set()
        with open(self.path, "w", encoding="utf-8") as out:
            self.process = subprocess.Popen(
                [f"{build}/workloads/job", "-n", "25", "-d", "2000"], env=env, stdout=out, stderr=out
            )

    def result(self):
        """What is wrong with its end, or None; `calls` then has what it counted."""
        with open(self.path, encoding="utf-8") as file:
            said = file.read()
        if self.process.returncode or "result PASSED" not in said:
            return f"a job ended with status {self.process.returncode}: {said[-500:]}"
        # A launch is counted under its name, whatever the release calls it.
        self.calls = {m[1]: int(m[2]) for m in re.finditer(r"^calls (hip\w+?)(?:R0\d+)? (\d+)$", said, re.M)}
        os.unlink(self.path)
        return None if self.calls else "a job counted no calls"


class Tracer:
    def __init__(self, build, folder, number):
        self.options, self.selects = random.choice(SELECTIONS)
        self.trace = f"{folder}/{number}.json"
        self.errors = f"{folder}/{number}.err"
        with open(self.errors, "w", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                [f"{build}/rtrace-bpf", "-v", "-a", *self.options, "-f", "json", "-o", self.trace], stderr=errors
            )

    def said(self):
        with open(self.errors, encoding="utf-8", errors="replace") as file:
            return file.read()

    def is_tracing(self):
        return "tracing starts at" in self.said()

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()

    def judge(self, jobs, counts):
        """Compares its trace with those jobs. Yields what is wrong."""
        said = self.said()
        lost = re.search(r"lost \d+ calls", said)
        if self.process.returncode or "rtrace-bpf: recorded " not in said:
            yield f"{self.options}: the tracer ended with status {self.process.returncode}: {said[-500:]}"
            return
        with open(self.trace, encoding="utf-8") as file:
            events = json.load(file)["traceEvents"]
        told = collections.defaultdict(collections.Counter)
        gaps = {e["pid"] for e in events if e.get("ph") == "b"}
        for e in events:
            if e.get("ph") == "X" and e.get("cat") == "hip":
                told[e["pid"]][e["name"]] += 1
        for job in jobs:
            pid = job.process.pid
            wanted = {name: n for name, n in job.calls.items() if self.selects(name)}
            got = {name: told[pid][name] for name in job.calls if told[pid][name]}
            if got == wanted:
                counts["equal"] += 1
            elif lost or pid in gaps:
                counts["said to lack some"] += 1
            else:
                yield f"{self.options}, {self.trace}, job {pid}: {got} instead of {wanted}"


def main():
    build, number, seed, folder = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    counts, wrong, made = collections.Counter(), [], 0
    tracers, running, ended, done = [], [], [], 0

    def start_tracer():
        nonlocal made
        made += 1
        tracers.append(Tracer(build, folder, made))

    def end_tracer(tracer):
        tracers.remove(tracer)
        # A job counts for the tracers that ran when it began, and when it had ended.
        seen = [job for job in ended if tracer in job.tracers]
        tracer.end()
        found = list(tracer.judge(seen, counts))
        wrong.extend(found)
        if not found:
            os.unlink(tracer.trace)

    random.seed(seed)
    start_tracer()
    start_tracer()
    while done < number:
        if random.random() < CHANGE:
            wanted = random.randint(2, 8)
            while len(tracers) < wanted:
                start_tracer()
            while len(tracers) > wanted:
                end_tracer(random.choice(tracers))
        while len(running) < AT_ONCE:
            at_work = {t for t in tracers if t.is_tracing()}
            job = Job(build, folder, done + len(running))
            job.tracers = at_work
            running.append(job)
        time.sleep(0.05)
        for job in [j for j in running if j.process.poll() is not None]:
            running.remove(job)
            done += 1
            why = job.result()
            if why:
                wrong.append(why)
            else:
                job.tracers &= set(tracers)
                ended.append(job)
    for job in running:
        job.process.wait()
    for tracer in list(tracers):
        end_tracer(tracer)
    for why in wrong[:20]:
        print(why)
    print(
        f"{done} jobs, {made} tracers, seed {seed}: {counts['equal']} times all calls,"
        f" {counts['said to lack some']} times some that the tracer says it lacks, {len(wrong)} wrong"
    )
    return 1 if wrong or counts["equal"] < number else 0


if __name__ == "__main__":
    sys.exit(main())
