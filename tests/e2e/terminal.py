#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command as the foreground job of a terminal of its own, as an interactive shell does.

    terminal.py KEY FILE COMMAND...

Once FILE holds the word "ready", presses the key: c (Ctrl-C) or z (Ctrl-Z). A job that stops is continued
in the foreground. Prints `stopped N` (a signal), what `ps` says of the job's processes then, and `status N`.
"""
import os
import pty
import signal
import subprocess
import sys
import time


def shell(command):
    """The session's leader: starts the job, hands it the terminal, reports on it."""
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        for signo in (signal.SIGTTOU, signal.SIGPIPE):
            signal.signal(signo, signal.SIG_IGN)
        os.tcsetpgrp(0, os.getpid())
        for signo in (signal.SIGTTOU, signal.SIGPIPE, signal.SIGINT):
            signal.signal(signo, signal.SIG_DFL)
        os.execvp(command[0], command)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        _, status = os.waitpid(job, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            break
        for name, state in stopped(job):
            report(f"{name} {state}")
        report(f"stopped {os.WSTOPSIG(status)}")
        os.tcsetpgrp(0, job)
        os.killpg(job, signal.SIGCONT)
    report(f"status {os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)}")
    os._exit(0)


def stopped(group):
    """Names and states of the group's processes: they were sent the signal in the same moment, and stop one by one."""
    for _ in range(200):
        listed = subprocess.run(["ps", "-e", "-o", "pgid=,stat=,comm="], capture_output=True, text=True, check=True)
        lines = [line.split(None, 2) for line in listed.stdout.splitlines()]
        states = [(name, state[0]) for pgid, state, name in lines if int(pgid) == group]
        if all(state == "T" for _, state in states):
            break
        time.sleep(0.1)
    return states


def report(line):
    os.write(REPORTS, (line + "\n").encode())


def is_ready(path):
    try:
        with open(path, encoding="utf-8") as file:
            return "ready" in file.read()
    except OSError:
        return False


REPORTS = os.dup(1)
os.set_inheritable(REPORTS, False)
key, ready, command = sys.argv[1], sys.argv[2], sys.argv[3:]
leader, terminal = pty.fork()
if leader == 0:
    shell(command)
os.set_blocking(terminal, False)
pressed = False
while True:
    try:
        if not os.read(terminal, 65536):
            break
    except BlockingIOError:
        time.sleep(0.05)
    except OSError:  # the last process has closed it
        break
    if not pressed and is_ready(ready):
        os.write(terminal, {"c": b"\x03", "z": b"\x1a"}[key])
        pressed = True
os.waitpid(leader, 0)
