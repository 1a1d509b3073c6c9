#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds everything and judges it by its tests. Run as root, by scripts/check, which installs what is missing.

  scripts/check                judges a change: each test once, with the tracer that it is about
  scripts/check --all          that, the tests that are slow or random, those of tests/DENYLIST, and each suite
                               with both builds of the tracer
  scripts/check --quick        lint, the unit tests, and the tests with the tag `smoke`
  scripts/check --for FILE...  the unit tests and suites that a change of these files concerns (tests/concerns)
  scripts/check NAME...        suites (hip), unit tests (test_merge), single tests ("hip/module launch")
  --repeat N                   with NAME: up to N times, until one fails
  O=DIR                        build folder (default: build; the sanitized build is in O/san)

Ends with "N passed, N failed, N skipped"; status 0 if none failed, 3 if this machine cannot test now. A test that fails
is run once more when all others have ended. If it passes then, it is flaky: it counts as passed, both its outputs are
shown and kept in O/check/flaky with the load of the machine, and more than 3 of them fail the check. What each program
printed is in O/check/NAME.tap, how long it took in O/check/times.tsv.
"""
import argparse
import fcntl
import fnmatch
import glob
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

os.chdir(pathlib.Path(__file__).resolve().parents[1])
O = os.environ.setdefault("O", "build")
LOGS = pathlib.Path(O, "check")
LANES = os.cpu_count()
LIMIT = 300  # seconds that a test may take
FLAKY_MAX = 3
SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=1:verify_asan_link_order=0",  # another library may be preloaded before
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
# Nothing of the caller's that a program would heed: SLURM_*, HSA_TOOLS_LIB, LD_PRELOAD, ...
BASE = {
    **{name: value for name, value in os.environ.items()
       if name in ("HOME", "O", "PATH", "TMPDIR") or name.startswith("RT_")},
    "CMOCKA_MESSAGE_OUTPUT": "TAP",
    "LC_ALL": "C.UTF-8",
    "PYTHONDONTWRITEBYTECODE": "1",
    "TERM": "dumb",
}
DISK_MIN, MEMORY_MIN = 4 << 30, 2 << 30
LOCK = "/run/lock/rtrace-check"


class Program:
    """Something that prints TAP, or (`whole`) is one test by its exit status."""

    def __init__(self, name, command, env=None, whole=False, tests=()):
        self.name, self.command, self.whole, self.tests = name, command, whole, list(tests)
        self.env = {**BASE, **(env or {})}

    def only(self, tests):
        """The program that runs these of its tests; all of it where they cannot be told apart."""
        if not self.tests:
            return self
        command = ["bats", "--tap", "-f", exactly(tests), self.command[-1]]
        return Program(self.name, command, self.env, tests=tests)


class Outcome:
    """How one test ended: `ok`, `failed` or `skipped`, with what was printed about it."""

    def __init__(self, program, test, state, text):
        self.program, self.test, self.state, self.text = program, test, state, text
        self.load = load() if state == "failed" else ""
        self.name = f"{program.name}/{test}" if test else program.name


# ---- the tests ----

class Suite:
    """A file of tests/e2e. Its second line says `# bats file_tags=TAG,...`:

    node    nothing else that is traced or traces may run beside it
    time    nothing at all may run beside it
    plain   it is not about the tracer: the sanitized one would slow it down and find nothing
    inproc  plain, and about libraries in the process alone

    and above a test `# bats test_tags=slow` says that it is for --all: it searches, waits, or loads the machine; `tsan`,
    that it needs `make tsan`; `smoke`, that it is for --quick.
    """

    def __init__(self, file):
        self.file, self.name = str(file), file.stem
        text = file.read_text()
        tags = re.search(r"^# bats file_tags=(.*)$", text, re.M)
        self.tags = set(tags[1].split(",")) if tags else set()
        self.plain = bool(self.tags & {"plain", "inproc"})
        self.alone = bool(self.tags & {"node", "time"})
        found = re.findall(r'(?:^# bats test_tags=(.*)\n)?^@test "(.*)" \{$', text, re.M)
        self.tests = {unquoted(name): set(filter(None, tags.split(","))) for tags, name in found}

    def program(self, sanitized, tests):
        prefix, folder, env = ("san-", f"{O}/san", SANITIZERS) if sanitized else ("", O, {})
        env = {**env, "RTRACE": f"{folder}/rtrace-bpf"}
        return Program(prefix + self.name, ["bats", "--tap", self.file], env, tests=self.tests).only(list(tests))


def unquoted(text):
    return re.sub(r'\\(["$`\\])', r"\1", text)


def exactly(tests):
    """The filter of bats that these names pass, and no other."""
    return "^(" + "|".join(re.sub(r"[^\w ]", ".", test) for test in tests) + ")$"


def suites():
    return [Suite(file) for file in sorted(pathlib.Path("tests/e2e").glob("*.bats"))]


def denied():
    """The tests that fail without a fault, or might: tests/DENYLIST, `SUITE/TEST  # why`."""
    lines = pathlib.Path("tests/DENYLIST").read_text().splitlines()
    names = {line.split("  #")[0] for line in lines if line and not line.startswith("#")}
    known = {f"{suite.name}/{test}" for suite in suites() for test in suite.tests}
    for name in names - known:
        sys.exit(f"check: tests/DENYLIST names a test that is not there: {name}")
    return names


def made_by(target, folder=O):
    """The programs that a target of the Makefile lists."""
    return subprocess.run(["make", "-s", "--no-print-directory", f"O={folder}", target], check=True, text=True,
                          stdout=subprocess.PIPE).stdout.split()


def unit(path, sanitized=False):
    name = os.path.basename(path)
    return Program("san-" + name if sanitized else name, [path], SANITIZERS if sanitized else {})


def unit_tests():
    """Each unit test once: sanitized where that tells more."""
    plain = set(made_by("print-plain-tests"))
    return [unit(path) if path in plain else unit(path.replace(O, f"{O}/san", 1), True)
            for path in made_by("print-unit-tests")]


def others():
    """What neither traces nor is traced."""
    simkfd = {"LD_PRELOAD": os.path.realpath(f"{O}/libsimkfd.so")}
    return [
        Program("lint", ["make", "-s", f"O={O}", "lint"], whole=True),
        Program("model", ["scripts/model"], whole=True),
        Program("fuzz", ["scripts/fuzz", "0"], whole=True),
        Program("simkfd", [f"{O}/tests/test_simkfd"], simkfd),
        Program("test_sdk_agents", [f"{O}/tests/test_sdk_agents"], {**simkfd, "SIMKFD_GPUS": "2"}),
    ]


# ---- the machine ----

def tracers():
    """Processes that trace the whole machine."""
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"rtrace-bpf") and {b"-a", b"--all"} & set(words):
            yield path.parent.name


def obstacle():
    """Why nothing can be tested on this machine now; None: it can."""
    lock = os.open(LOCK, os.O_CREAT | os.O_RDWR, 0o600)
    os.set_inheritable(lock, False)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # until this process ends: probes are the whole kernel's
    except BlockingIOError:
        return f"another check runs ({LOCK})"
    memory = int(re.search(r"MemAvailable: +(\d+)", pathlib.Path("/proc/meminfo").read_text())[1]) << 10
    disk = min(shutil.disk_usage(folder).free for folder in (".", os.environ.get("TMPDIR", "/tmp")))
    if memory < MEMORY_MIN:
        return f"{memory >> 20} MiB of memory are free, {MEMORY_MIN >> 20} are needed"
    if disk < DISK_MIN:
        return f"{disk >> 20} MiB of disk are free, {DISK_MIN >> 20} are needed"
    for pid in tracers():
        return f"process {pid} traces the whole machine"
    return None


def even_out():
    """What a process inherits, the same wherever the check is started."""
    os.umask(0o022)
    for limit, least in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_NOFILE, 4096)):
        hard = resource.getrlimit(limit)[1]
        resource.setrlimit(limit, (least if hard == resource.RLIM_INFINITY else min(least, hard), hard))


def load():
    """Of the last minute: how busy the machine is, and how much of it others of the same host have taken."""
    pressure = pathlib.Path("/proc/pressure/cpu")
    waiting = re.search(r"avg60=([\d.]+)", pressure.read_text())[1] if pressure.exists() else "?"
    steal = pathlib.Path("/proc/stat").read_text().split()[8]
    return f"load {' '.join(map(str, os.getloadavg()))}, {waiting} % of the time somebody waited for a CPU, steal {steal} ticks"


# ---- running them ----

def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run(program):
    """Runs it to its end. Returns what it printed and its status, None if it printed nothing for LIMIT seconds."""
    log = LOGS / f"{program.name}.tap"
    began = time.time()
    with open(log, "wb") as out:
        process = subprocess.Popen(program.command, env=program.env, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                   start_new_session=True)
        size, since, status = 0, began, None
        while status is None and time.time() - since < LIMIT:
            try:
                status = process.wait(1)
            except subprocess.TimeoutExpired:
                if log.stat().st_size != size:
                    size, since = log.stat().st_size, time.time()
        if status is None:
            out.write(waits().encode())
        end_group(process)
        process.wait()
    with open(LOGS / "times.tsv", "a", encoding="utf-8") as times:
        times.write(f"{program.name}\t{time.time() - began:.1f}\n")
    return log.read_text(errors="replace"), status


def waits():
    """What the processes of the machine wait for: most likely one of them hangs."""
    command = ["ps", "-N", "--ppid", "2", "-o", "pid,ppid,stat,etimes,wchan:24,args", "--forest"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout


def outcomes(program, output, status):
    if program.whole:
        return [Outcome(program, "", "ok" if status == 0 else "failed", "\n".join(output.splitlines()[-30:]))]
    found, plan = [], None
    for line in output.splitlines():
        plan = plan or re.match(r"1\.\.(\d+)$", line)
        test = re.match(r"(not )?ok \d+ (?:- )?(.*)$", line)
        if not test:
            if found:
                found[-1].text += "\n" + line
            continue
        name, _, note = test[2].partition(" #") if not test[2].startswith("#") else ("", "", test[2][1:])
        skipped = note.strip().lower().startswith("skip")
        state = "skipped" if skipped else "failed" if test[1] else "ok"
        found.append(Outcome(program, name.strip(), state, line))
    failed = [outcome for outcome in found if outcome.state == "failed"]
    last = "\n".join(output.splitlines()[-40:])
    if status is None:
        left = [test for test in program.tests if test not in [outcome.test for outcome in found]]
        found.append(Outcome(program, left[0] if left else "", "failed", f"not ended after {LIMIT} s\n{last}"))
        if left[1:]:
            rest = program.only(left[1:])
            found += outcomes(rest, *run(rest))
    elif not found or len(found) != int(plan[1] if plan else -1) or (status and not failed):
        # Ended by a signal or a sanitizer, or by something that no test is to blame for.
        found.append(Outcome(program, "", "failed",
                             f"ended with status {status} after {len(found)} of {plan[1] if plan else '?'} tests\n{last}"))
    return found


class Check:
    def __init__(self):
        self.found, self.failures, self.flaky = [], [], []
        self.lock = threading.Lock()

    def judge(self, program):
        began = time.time()
        found = outcomes(program, *run(program))
        count = {state: sum(outcome.state == state for outcome in found) for state in ("ok", "failed", "skipped")}
        with self.lock:
            self.found += found
            for outcome in found:
                if outcome.state == "failed":
                    print(f"-- {outcome.name}\n{outcome.text}")
                elif outcome.state == "skipped":
                    print(f"skipped: {outcome.name}: {outcome.text}")
            print(f"{program.name:32} {count['ok']:3} passed, {count['failed']} failed, {count['skipped']} skipped "
                  f"{time.time() - began:4.0f} s", flush=True)

    def lanes(self, programs, lanes=LANES):
        """So many at a time."""
        left = list(programs)

        def lane():
            while True:
                with self.lock:
                    if not left:
                        return
                    program = left.pop(0)
                self.judge(program)

        threads = [threading.Thread(target=lane) for _ in range(lanes)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def again(self):
        """Once more, alone, what has failed."""
        for first in [outcome for outcome in self.found if outcome.state == "failed"]:
            program = first.program.only([first.test]) if first.test else first.program
            second = outcomes(program, *run(program))
            bad = [outcome for outcome in second if outcome.state != "ok" and
                   (outcome.state == "failed" or outcome.test == first.test)]
            text = "\n".join([f"-- {first.name}: at first ({first.load})", first.text,
                              f"-- alone ({load()})", *(o.text for o in bad or second[-1:])])
            if bad:
                self.failures.append(first)
            else:
                self.flaky.append(first)
                (LOGS / "flaky").mkdir(exist_ok=True)
                (LOGS / "flaky" / (re.sub(r"\W+", "_", first.name)[:100] + ".txt")).write_text(text)
            print(f"{'failed again' if bad else 'flaky'}: {first.name}\n{text}", flush=True)

    def close(self):
        """The last lines, and the status."""
        for outcome in self.failures:
            print(f'failed: {outcome.name}\n  sudo scripts/check "{outcome.name}"')
        for outcome in self.flaky:
            print(f"flaky: {outcome.name}")
        failed = len(self.failures)
        if len(self.flaky) > FLAKY_MAX:
            print(f"{len(self.flaky)} flaky tests, {FLAKY_MAX} are borne: one failure")
            failed += 1
        skipped = sum(outcome.state == "skipped" for outcome in self.found)
        print(f"{len(self.found) - skipped - len(self.failures)} passed, {failed} failed, {skipped} skipped")
        return 1 if failed or not self.found else 0


# ---- what is asked for ----

def must(*command):
    print("== " + " ".join(command), flush=True)
    if subprocess.run(command, stdin=subprocess.DEVNULL).returncode:
        print(f"check: failed: {' '.join(command)}\n0 passed, 1 failed, 0 skipped")
        sys.exit(1)


def build(*more):
    must("make", "-s", f"-j{LANES}", f"O={O}", "all", "tests", *more)


def build_sanitized():
    """The tracer and its unit tests again, with every memory error and undefined operation fatal."""
    must("make", "-s", f"-j{LANES}", f"O={O}/san", "SAN=address,undefined", "CFLAGS=-O1 -g", "sanitized")


def gate(check):
    """Each test once."""
    without = denied()
    shared, alone = [], []
    for suite in suites():
        tests = [test for test, tags in suite.tests.items()
                 if "slow" not in tags and f"{suite.name}/{test}" not in without]
        if tests:
            (alone if suite.alone else shared).append(suite.program(not suite.plain, tests))
    check.lanes(others() + shared + unit_tests())
    check.lanes(alone, 1)


def everything(check):
    """All tests, the suites with both tracers where both can be."""
    shared, alone = [], []
    for suite in suites():
        programs = [suite.program(False, suite.tests)]
        if "inproc" not in suite.tags:
            programs.append(suite.program(True, suite.tests))
        (alone if suite.alone else shared).extend(programs)
    units = [unit(path) for path in made_by("print-unit-tests")]
    units += [unit(path, True) for path in made_by("print-unit-tests", f"{O}/san")]
    search = Program("fuzz-search", ["scripts/fuzz", "5"], whole=True)
    check.lanes(others() + [search] + shared + units)
    check.lanes(alone, 1)


def quick(check):
    check.lanes([Program("lint", ["make", "-s", f"O={O}", "lint"], whole=True),
                 *map(unit, made_by("print-unit-tests")),
                 Program("smoke", ["bats", "--tap", "--filter-tags", "smoke", "tests/e2e"],
                         {"RTRACE": f"{O}/rtrace-bpf"})])


def concerned_units(files):
    """Unit tests that would be linked again if one of the files changed."""
    options = [word for file in files for word in ("-W", file)]
    plan = subprocess.run(["make", "-n", "V=1", f"O={O}", *options, "tests"], text=True, stdout=subprocess.PIPE).stdout
    return sorted(set(re.findall(rf" -o ({re.escape(O)}/tests/test_\w+)(?: |$)", plan, re.M)))


def concerned_suites(files):
    """By tests/concerns, and those that are among the files."""
    names = {pathlib.Path(file).stem for file in files if fnmatch.fnmatch(file, "tests/e2e/*.bats")}
    for line in pathlib.Path("tests/concerns").read_text().splitlines():
        words = line.split("#")[0].split()
        patterns = [word for word in words if set(word) & set("*./")]
        if any(fnmatch.fnmatch(file, pattern) for file in files for pattern in patterns):
            names |= set(words) - set(patterns)
    return names


def some(check, files):
    """What files concern, one after another, with the plain tracer."""
    names = concerned_suites(files)
    check.lanes([*map(unit, concerned_units(files)),
                 *(suite.program(False, suite.tests) for suite in suites() if suite.name in names)], 1)


def named(names):
    """The programs of these names: suites, unit tests, SUITE/TEST; with `san-` before it, sanitized."""
    by_name = {suite.name: suite for suite in suites()}
    units = {os.path.basename(path): path for path in made_by("print-unit-tests")}
    programs = []
    for name in names:
        sanitized = name.startswith("san-")
        program, _, test = name.removeprefix("san-").partition("/")
        if program in by_name and (not test or test in by_name[program].tests):
            programs.append(by_name[program].program(sanitized, [test] if test else by_name[program].tests))
        elif program in units:
            programs.append(unit(units[program].replace(O, f"{O}/san", 1) if sanitized else units[program], sanitized))
        elif name in [other.name for other in others()]:
            programs += [other for other in others() if other.name == name]
        else:
            sys.exit(f"check: no suite, unit test or test is called: {name}")
    return programs


def needs_tsan(names):
    """Whether a test with the tag `tsan` is among those of these names."""
    return any("tsan" in tags for suite in suites() for test, tags in suite.tests.items()
               if {suite.name, f"{suite.name}/{test}"} & set(names))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage=argparse.SUPPRESS)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--all", action="store_true", help=argparse.SUPPRESS)
    what.add_argument("--quick", action="store_true", help=argparse.SUPPRESS)
    what.add_argument("--for", nargs="+", dest="files", metavar="FILE", help=argparse.SUPPRESS)
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*", metavar="NAME", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.names and (given.all or given.quick or given.files):
        parser.error("NAME goes with none of --all, --quick, --for")
    if given.repeat != 1 and not given.names:
        parser.error("--repeat needs NAME")
    return given


def main():
    given = arguments()
    even_out()
    reason = obstacle()
    if reason:
        print(f"check: nothing was tested: {reason}")
        return 3
    LOGS.mkdir(parents=True, exist_ok=True)
    for old in [LOGS / "times.tsv", *map(pathlib.Path, glob.glob(f"{LOGS}/flaky/*"))]:
        old.unlink(missing_ok=True)
    check = Check()
    if given.names or given.quick or given.files:
        build(*(["tsan"] if needs_tsan(given.names) else []))
        if any(name.startswith("san-") for name in given.names):
            build_sanitized()
        if given.names:
            programs = named(given.names)
            for _ in range(given.repeat):
                check.lanes(programs, 1)
                if any(outcome.state == "failed" for outcome in check.found):
                    break
            check.failures = [outcome for outcome in check.found if outcome.state == "failed"]
            return check.close()
        (quick if given.quick else lambda check: some(check, given.files))(check)
    else:
        build("fuzz-targets", *(["tsan"] if given.all else []))
        build_sanitized()
        (everything if given.all else gate)(check)
    check.again()
    return check.close()


if __name__ == "__main__":
    sys.exit(main())
