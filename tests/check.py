#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds everything and judges it by its tests. Run as root, by scripts/check, which installs what is missing.

  scripts/check                judges a change: each test once, with the tracer that it is about
  scripts/check --all          that, the tests that are slow or random, those of tests/DENYLIST, and each suite
                               with both builds of the tracer
  scripts/check --quick        lint, the unit tests, and the tests with the tag `smoke`
  scripts/check --for FILE...  the unit tests and suites that a change of these files concerns (tests/concerns)
  scripts/check NAME...        suites (hip), unit tests (test_order), single tests ("hip/module launch")
  --repeat N                   with NAME: up to N times, until one fails
  O=DIR                        build folder (default: build; the sanitized build is in O/san)

Ends with "N passed, N failed, N skipped"; status 0 if none failed, 3 if this machine cannot test now. A test has failed
if it saw something wrong: it is run once more, when all others have ended, to say whether it fails again. A test that
could not be judged says `inconclusive`: a wait gave up, or the tracer counted a loss. If it passes the second time it is
flaky: it counts as passed, what both runs printed is shown and kept in O/check/flaky with the load of the machine, and
more than 3 of them fail the check.

O/check/NAME.tap is what each program printed (NAME.PHASE.tap where tests of a suite run in several phases), times.tsv how
many seconds it took and how many of CPU time, files/ what the tests that did not pass have left.
"""
import argparse
import atexit
import ctypes
import fcntl
import fnmatch
import os
import pathlib
import re
import resource
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import traceback

os.chdir(pathlib.Path(__file__).resolve().parents[1])
# The system's programs, whatever comes before them on the caller's path: another python3 has other packages.
os.environ["PATH"] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:" + os.environ["PATH"]
O = os.environ.setdefault("O", "build")
LOGS = pathlib.Path(O, "check")
CPUS = os.cpu_count()
LANES = CPUS + 1  # most tests wait most of the time
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
    "RT_KEEP": str(LOGS.resolve() / "files"),
    "TERM": "dumb",
}
# Where it is installed: what it has compiled in another clone serves here.
COMPILERS = ["CC=ccache gcc", "CLANG=ccache clang", "HIPCC=ccache hipcc"] if shutil.which("ccache") else []
CCACHE = {"CCACHE_BASEDIR": os.getcwd(), "CCACHE_NOHASHDIR": "1", "CCACHE_SLOPPINESS": "time_macros,include_file_mtime"}
DISK_MIN, MEMORY_MIN = 4 << 30, 2 << 30
LOCK = "/run/lock/rtrace-check"


class Program:
    """Something that prints TAP, or (`whole`) is one test by its exit status."""

    def __init__(self, name, command, env=None, whole=False, tests=()):
        self.name, self.command, self.whole, self.tests = name, command, whole, list(tests)
        self.env = {**BASE, **(env or {})}
        self.part = name  # of a suite whose tests are divided, NAME.PHASE: two of them may run at once

    def only(self, tests):
        """The program that runs these of its tests; all of it where they cannot be distinguished."""
        if not self.tests:
            return self
        command = ["bats", "--tap", "-T", "-f", exactly(tests), self.command[-1]]
        program = Program(self.name, command, self.env, tests=tests)
        program.part = self.part
        return program


BAD = ("failed", "inconclusive")
PHASES = ("node", "tracer", "untraced", "shared")


class Outcome:
    """How one test ended, and what was printed about it. States:

    ok, skipped
    failed          a judge saw something wrong
    inconclusive    it could not be judged: a wait gave up, the tracer said that it lost what the test needs
    """

    def __init__(self, program, test, state, text, seconds=0.0):
        self.program, self.test, self.state, self.text, self.seconds = program, test, state, text, seconds
        self.load = load() if state in BAD else ""
        self.name = f"{program.name}/{test}" if test else program.name


# ---- the tests ----

class Suite:
    """A file of tests/e2e/FOLDER. Its second or third line says `# bats file_tags=TAG,...`:

    plain   it is not about the tracer: the sanitized one would slow it down and find nothing
    inproc  plain, and about libraries in the process alone

    and above a test `# bats test_tags=TAG,...` says more of it (of a whole suite, among its file_tags):

    node    nothing else that is traced or traces may run beside it
    tracer  nothing else that traces may
    traces  it traces, though it is of a suite with the tag inproc
    slow    it is for --all: it searches, waits, or loads the machine
    tsan    it needs `make tsan`
    smoke   it is for --quick
    """

    def __init__(self, file):
        self.file, self.name = str(file), file.stem
        text = file.read_text()
        tags = re.search(r"^# bats file_tags=(.*)$", text, re.M)
        self.tags = set(tags[1].split(",")) if tags else set()
        self.plain = bool(self.tags & {"plain", "inproc"})
        found = re.findall(r'(?:^# bats test_tags=(.*)\n)?^@test "(.*)" \{$', text, re.M)
        self.tests = {unquoted(name): self.tags | set(filter(None, tags.split(","))) for tags, name in found}

    def program(self, sanitized, tests):
        prefix, folder, env = ("san-", f"{O}/san", SANITIZERS) if sanitized else ("", O, {})
        env = {**env, "RTRACE": f"{folder}/rtrace-bpf"}
        return Program(prefix + self.name, ["bats", "--tap", "-T", self.file], env, tests=self.tests).only(list(tests))

    def phase(self, test):
        """What may run beside it: see Check.phases()."""
        tags = self.tests[test]
        if "node" in tags or "tracer" in tags:
            return "node" if "node" in tags else "tracer"
        return "untraced" if "inproc" in tags and "traces" not in tags else "shared"

    def divided(self, sanitized, tests):
        """Its program for each phase that it has tests of."""
        parts = {}
        for test in tests:
            parts.setdefault(self.phase(test), []).append(test)
        programs = {phase: self.program(sanitized, part) for phase, part in parts.items()}
        if len(programs) > 1:
            for phase, program in programs.items():
                program.part += "." + phase
        return programs


def unquoted(text):
    return re.sub(r'\\(["$`\\])', r"\1", text)


def exactly(tests):
    """The filter of bats that these names pass, and no other."""
    return "^(" + "|".join(re.sub(r"[^\w ]", ".", test) for test in tests) + ")$"


def suites():
    return [Suite(file) for file in sorted(pathlib.Path("tests/e2e").glob("*/*.bats"), key=lambda file: file.stem)]


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
    """Each unit test once: sanitized where that finds more."""
    plain = set(made_by("print-plain-tests"))
    return [unit(path) if path in plain else unit(path.replace(O, f"{O}/san", 1), True)
            for path in made_by("print-unit-tests")]


def has_agent(program):
    """May a recorder of the node take its process for one with an agent? Agents share memory that has no file: the function
    that makes it is among the names in the program's file. (nm would take as long for all programs as some suites.)"""
    path = pathlib.Path(program.command[0])
    return path.is_file() and b"\0memfd_create\0" in path.read_bytes()


def others():
    """What neither traces nor is traced."""
    simkfd = {"LD_PRELOAD": os.path.realpath(f"{O}/libsimkfd.so")}
    return [
        Program("lint", ["make", "-s", f"O={O}", "lint"], whole=True),
        Program("model", ["scripts/model"], whole=True),
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
    if subprocess.run(["unshare", "--mount", "--net", "true"]).returncode:
        return "a lane of tests needs a mount and a network namespace of its own"
    for pid in tracers():
        return f"process {pid} traces the whole machine"
    return None


def even_out():
    """What a process inherits, the same wherever the check is started."""
    os.umask(0o022)
    for limit, least in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_NOFILE, 4096)):
        hard = resource.getrlimit(limit)[1]
        resource.setrlimit(limit, (least if hard == resource.RLIM_INFINITY else min(least, hard), hard))
    # A shell that starts the check in the background has it ignore some; SIGPIPE and SIGXFSZ are Python's own.
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def load():
    """Of the last minute: how busy the machine is, and how much of it others of the same host have taken."""
    pressure = pathlib.Path("/proc/pressure/cpu")
    waiting = re.search(r"avg60=([\d.]+)", pressure.read_text())[1] if pressure.exists() else "?"
    steal = pathlib.Path("/proc/stat").read_text().split()[8]
    return f"load {' '.join(map(str, os.getloadavg()))}, {waiting} % of the time somebody waited for a CPU, steal {steal} ticks"


def seconds_before():
    """How long each program took the last time; of its runs the longest, as single tests may have been run again."""
    times = {}
    if (LOGS / "times.tsv").exists():
        for line in (LOGS / "times.tsv").read_text().splitlines():
            name, seconds = line.split("\t")[:2]
            times[name] = max(times.get(name, 0), float(seconds))
    return times


# ---- running them ----

CLONE_NEWNS, CLONE_NEWNET = 0x00020000, 0x40000000
SIOCSIFFLAGS, IFF_UP = 0x8914, 1


def isolate():
    """Gives this thread, and with it all that it starts, mounts and a network of its own: no port, abstract socket or mount
    of a test meets that of a test beside it. (Not processes or time: the tracer has to see those of the machine.)"""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS | CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "unshare")
    subprocess.run(["mount", "--make-rslave", "/"], check=True)
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


RUNNING = set()  # tests and builds; each leads a session of its own


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def groups_of_tests():
    """Their control groups, each with the number of the test's process, which is in its name."""
    mounts = re.findall(r"^\S+ (\S+) cgroup2 ", pathlib.Path("/proc/mounts").read_text(), re.M)
    own = re.search(r"^0::/(.*)$", pathlib.Path("/proc/self/cgroup").read_text(), re.M)
    if not mounts or not own:
        return []
    return [(group, int(group.name.rpartition("-")[2])) for group in pathlib.Path(mounts[0], own[1]).glob("rtrace-test-*")]


def session(pid):
    try:
        return os.getsid(pid)
    except ProcessLookupError:
        return None


def remove_groups(groups):
    """With what is in them. Gives up after ten seconds."""
    end = time.time() + 10
    while groups and time.time() < end:
        for group in groups:
            try:
                (group / "cgroup.kill").write_text("1")
                group.rmdir()
            except OSError:  # something in it is still about to end, or the kernel is older than cgroup.kill
                pass
        groups = [group for group in groups if group.exists()]
        time.sleep(0.05)


def make_folder():
    """Where tests write, and other users whose programs they start. What a check that was killed has left is removed."""
    base = pathlib.Path(tempfile.gettempdir())
    for left in base.glob("rtrace-check-*"):
        if left.lstat().st_uid == os.getuid():
            shutil.rmtree(left, ignore_errors=True)
    BASE["TMPDIR"] = tempfile.mkdtemp(prefix="rtrace-check-", dir=base)
    os.chmod(BASE["TMPDIR"], 0o1777)
    atexit.register(remove_folder)


def remove_folder():
    shutil.rmtree(BASE["TMPDIR"], ignore_errors=True)


def stop(number, _):
    """A signal ends the check, and all that it has started."""
    sessions = {process.pid for process in RUNNING}
    groups = [group for group, pid in groups_of_tests() if session(pid) in sessions]
    for process in list(RUNNING):
        end_group(process)
    remove_groups(groups)
    remove_folder()
    print(f"check: ended by {signal.Signals(number).name}", flush=True)
    os._exit(128 + number)  # the lanes would go on


def ended(process, seconds):
    """Waits that long for the process to end. Returns what it used (struct rusage), None if it goes on."""
    handle = os.pidfd_open(process.pid)
    try:
        if not select.select([handle], [], [], seconds)[0]:
            return None
        _, status, used = os.wait4(process.pid, 0)
    finally:
        os.close(handle)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used


def run(program):
    """Runs it to its end. Returns what it printed and its status, None if it printed nothing for LIMIT seconds."""
    log = LOGS / f"{program.part}.tap"
    began = time.time()
    with open(log, "ab") as out:
        start = out.tell()
        process = subprocess.Popen(program.command, env=program.env, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                   start_new_session=True)
        RUNNING.add(process)
        size, since, used = start, began, None
        while not used and time.time() - since < LIMIT:
            used = ended(process, 1)
            if log.stat().st_size != size:
                size, since = log.stat().st_size, time.time()
        status = process.returncode
        if not used:
            out.write(waits().encode())
        end_group(process)
        used = used or ended(process, None)
        RUNNING.discard(process)
    with open(LOGS / "times.tsv", "a", encoding="utf-8") as times:
        times.write(f"{program.part}\t{time.time() - began:.1f}\t{used.ru_utime + used.ru_stime:.1f}\n")
    return log.read_bytes()[start:].decode(errors="replace"), status


def waits():
    """What the processes of the machine wait for: most likely one of them hangs."""
    command = ["ps", "-N", "--ppid", "2", "-o", "pid,ppid,stat,etimes,wchan:24,args", "--forest"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout


TEST_LINE = re.compile(r"(not )?ok \d+ ?(?:- )?(.*?)(?: in (\d+)ms)?(?: ?# ?(.*))?$")


def outcomes(program, output, status):
    if program.whole:
        return [Outcome(program, "", "ok" if status == 0 else "failed", "\n".join(output.splitlines()[-30:]))]
    found, plan, why = [], None, ""
    for line in output.splitlines():
        plan = plan or re.match(r"1\.\.(\d+)$", line)
        test = TEST_LINE.match(line)
        if test:
            skipped = (test[4] or "").lower().startswith("skip")
            state = "skipped" if skipped else "ok" if not test[1] else "inconclusive" if why else "failed"
            found.append(Outcome(program, test[2], state, why + line, int(test[3] or 0) / 1000))
            why = ""
        elif line.startswith("# inconclusive: "):
            why += line + "\n"
        elif found:
            found[-1].text += "\n" + line
    failed = [outcome for outcome in found if outcome.state in BAD]
    last = "\n".join(output.splitlines()[-40:])
    if status is None:
        left = [test for test in program.tests if test not in [outcome.test for outcome in found]]
        found.append(Outcome(program, left[0] if left else "", "inconclusive", f"not ended after {LIMIT} s\n{last}"))
        if left[1:]:
            rest = program.only(left[1:])
            found += outcomes(rest, *run(rest))
    elif not found or len(found) != int(plan[1] if plan else -1) or (status and not failed):
        # Ended by a signal or a sanitizer, or by something that no test is to blame for.
        found.append(Outcome(program, "", "failed",
                             f"ended with status {status} after {len(found)} of {plan[1] if plan else '?'} tests\n{last}"))
    return found


def judged(program):
    """Runs it: its outcomes, or that it could not be run."""
    try:
        return outcomes(program, *run(program))
    except Exception:
        return [Outcome(program, "", "failed", traceback.format_exc())]


class Check:
    def __init__(self, times):
        self.found, self.failures, self.flaky = [], [], []
        self.times = times
        self.lock = threading.Lock()

    def judge(self, program):
        began = time.time()
        found = judged(program)
        count = {state: sum(outcome.state == state for outcome in found) for state in ("ok", "skipped", *BAD)}
        with self.lock, open(LOGS / "times.tsv", "a", encoding="utf-8") as times:
            self.found += found
            for outcome in found:
                if outcome.state in BAD:
                    print(f"-- {outcome.name}\n{outcome.text}")
                elif outcome.state == "skipped":
                    print(f"skipped: {outcome.name}: {outcome.text}")
                if outcome.seconds:
                    times.write(f"{outcome.name}\t{outcome.seconds:.1f}\n")
            print(f"{program.name:32} {count['ok']:3} passed, {count['failed'] + count['inconclusive']} failed, "
                  f"{count['skipped']} skipped {time.time() - began:4.0f} s", flush=True)

    def lane(self, queue, goes_on=lambda: True):
        """Takes programs from the front of the queue. Several lanes may take from one."""
        while queue and goes_on():
            try:
                program = queue.pop(0)
            except IndexError:  # another lane has had the last
                return
            self.judge(program)

    def own_lane(self, *args):
        isolate()
        self.lane(*args)

    def lanes(self, queue, count):
        threads = [threading.Thread(target=self.own_lane, args=(queue,)) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def during(self, first, beside, count):
        """A lane for `first`, and as long as that takes so many lanes for what may run beside it."""
        leading = threading.Thread(target=self.own_lane, args=(first,))
        leading.start()
        others = [threading.Thread(target=self.own_lane, args=(beside, leading.is_alive)) for _ in range(count)]
        for thread in others:
            thread.start()
        for thread in [leading, *others]:
            thread.join()

    def phases(self, quiet, parts):
        """Runs the tests one after another that need the node for themselves, and beside them `quiet`, which neither
        traces nor is traced. Then those that need to be the only tracer, and beside them what does not trace. Then all
        others, and what is left. The longest first."""
        programs = {phase: [part[phase] for part in parts if phase in part] for phase in PHASES}
        agents = list(filter(has_agent, quiet))
        programs["untraced"] += agents
        quiet = [program for program in quiet if program not in agents]
        for queue in (quiet, *programs.values()):
            queue.sort(key=lambda program: -self.times.get(program.part, 4 * len(program.tests)))
        self.during(programs["node"], quiet, CPUS - 1)
        untraced = quiet + programs["untraced"]
        self.during(programs["tracer"], untraced, LANES - 1)
        last = untraced + programs["shared"]
        self.lanes(last, LANES)
        for program in programs["node"] + programs["tracer"] + last:
            self.found.append(Outcome(program, "", "failed", "was not run: no lane has come to it"))

    def again(self):
        """Once more, alone, what has failed: so that it is known whether it fails again, and what could not be judged is."""
        for first in [outcome for outcome in self.found if outcome.state in BAD]:
            program = first.program.only([first.test]) if first.test else first.program
            second = judged(program)
            bad = [outcome for outcome in second if outcome.state in BAD or
                   (outcome.state == "skipped" and outcome.test == first.test)]
            text = "\n".join([f"-- {first.name}: at first ({first.load})", first.text,
                              f"-- alone ({load()})", *(o.text for o in bad or second[-1:])])
            flaky = first.state == "inconclusive" and not bad
            (self.flaky if flaky else self.failures).append(first)
            if flaky:
                (LOGS / "flaky").mkdir(exist_ok=True)
                (LOGS / "flaky" / (re.sub(r"\W+", "_", first.name)[:100] + ".txt")).write_text(text)
            print(f"{'flaky' if flaky else 'failed again' if bad else 'failed, but not again'}: {first.name}\n{text}",
                  flush=True)

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
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, env={**os.environ, **CCACHE}, start_new_session=True)
    RUNNING.add(process)
    status = process.wait()
    RUNNING.discard(process)
    if status:
        print(f"check: failed: {' '.join(command)}\n0 passed, 1 failed, 0 skipped")
        sys.exit(1)


def build(*more):
    must("make", "-s", f"-j{CPUS}", f"O={O}", *COMPILERS, "all", "tests", *more)


def build_sanitized():
    """The tracer and its unit tests again, with every memory error and undefined operation fatal."""
    # What was generated for the other build is the same here.
    shutil.copytree(f"{O}/gen", f"{O}/san/gen", ignore=shutil.ignore_patterns("*.o", "*.d"), dirs_exist_ok=True)
    must("make", "-s", f"-j{CPUS}", f"O={O}/san", *COMPILERS, "SAN=address,undefined", "CFLAGS=-O1 -g", "sanitized")


def gate(check):
    """Each test once."""
    without = denied()

    def chosen(suite):
        return [test for test, tags in suite.tests.items()
                if "slow" not in tags and f"{suite.name}/{test}" not in without]

    parts = [suite.divided(not suite.plain, chosen(suite)) for suite in suites()]
    check.phases(others() + unit_tests(), parts)


def everything(check):
    """All tests, the suites with both tracers where both can be."""
    parts = [suite.divided(sanitized, suite.tests) for suite in suites()
             for sanitized in (False, True)[:1 if "inproc" in suite.tags else 2]]
    units = [unit(path) for path in made_by("print-unit-tests")]
    units += [program for program in unit_tests() if program.name.startswith("san-")]
    # Its processes look like an agent's, which a recorder of the node would take.
    search = Program("fuzz-search", ["scripts/fuzz", "5"], whole=True)
    check.phases(others() + units, parts + [{"untraced": search}])


def quick(check):
    programs = [Program("lint", ["make", "-s", f"O={O}", "lint"], whole=True),
                *map(unit, made_by("print-unit-tests")),
                Program("smoke", ["bats", "--tap", "-T", "--filter-tags", "smoke", "-r", "tests/e2e"],
                        {"RTRACE": f"{O}/rtrace-bpf"})]
    check.lanes(programs, LANES)


def concerned_units(files):
    """Unit tests that would be linked again if one of the files changed."""
    options = [word for file in files for word in ("-W", file)]
    plan = subprocess.run(["make", "-n", "V=1", f"O={O}", *options, "tests"], text=True, stdout=subprocess.PIPE).stdout
    concerned = set(re.findall(rf" -o {re.escape(O)}/tests/(test_\w+)(?: |$)", plan, re.M))
    # Others are programs of suites.
    known = {program.name: program for program in [*others(), *map(unit, made_by("print-unit-tests"))]}
    return [known[name] for name in sorted(concerned & known.keys())]


def concerned_suites(files):
    """By tests/concerns, and those that are among the files."""
    names = {pathlib.Path(file).stem for file in files if fnmatch.fnmatch(file, "tests/e2e/*/*.bats")}
    for line in pathlib.Path("tests/concerns").read_text().splitlines():
        words = line.split("#")[0].split()
        patterns = [word for word in words if set(word) & set("*./")]
        if any(fnmatch.fnmatch(file, pattern) for file in files for pattern in patterns):
            names |= set(words) - set(patterns)
    return names


def some(check, files):
    """What files concern, one after another, with the plain tracer."""
    names = concerned_suites(files)
    check.lane([*concerned_units(files),
                *(suite.program(False, suite.tests) for suite in suites() if suite.name in names)])


def named(names):
    """What these names are: suites, unit tests, SUITE/TEST; with `san-` before it, sanitized. Returns what neither traces
    nor is traced, and of suites the programs by phase."""
    by_name = {suite.name: suite for suite in suites()}
    units = {os.path.basename(path): path for path in made_by("print-unit-tests")}
    quiet, chosen = [], {}
    for name in names:
        sanitized = name.startswith("san-")
        program, _, test = name.removeprefix("san-").partition("/")
        if program in by_name and (not test or test in by_name[program].tests):
            chosen.setdefault((program, sanitized), []).extend([test] if test else by_name[program].tests)
        elif program in units:
            quiet.append(unit(units[program].replace(O, f"{O}/san", 1) if sanitized else units[program], sanitized))
        elif name in [other.name for other in others()]:
            quiet += [other for other in others() if other.name == name]
        else:
            sys.exit(f"check: no suite, unit test or test is called: {name}")
    return quiet, [by_name[suite].divided(sanitized, tests) for (suite, sanitized), tests in chosen.items()]


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
    make_folder()
    chosen, times = named(given.names), seconds_before()
    remove_groups([group for group, pid in groups_of_tests() if not session(pid)])
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir(parents=True)
    check = Check(times)
    if given.names or given.quick or given.files:
        build(*(["tsan"] if needs_tsan(given.names or concerned_suites(given.files or [])) else []))
        if any(name.startswith("san-") for name in given.names):
            build_sanitized()
        if given.names:
            for _ in range(given.repeat):
                check.phases(*chosen)
                check.failures = [outcome for outcome in check.found if outcome.state in BAD]
                if check.failures:
                    break
            return check.close()
        (quick if given.quick else lambda check: some(check, given.files))(check)
    else:
        build(*(["fuzz-targets", "tsan"] if given.all else []))
        build_sanitized()
        (everything if given.all else gate)(check)
    check.again()
    return check.close()


if __name__ == "__main__":
    sys.exit(main())
