#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hold_thread.py PID NAME: holds the thread of this name of a process, and no other, until either ends. Prints `held`."""
import ctypes
import os
import pathlib
import sys

PTRACE_SEIZE, PTRACE_INTERRUPT = 0x4206, 0x4207
WALL = 0x40000000

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request, tid):
    if libc.ptrace(request, tid, None, None):
        sys.exit(f"hold_thread: thread {tid}: {os.strerror(ctypes.get_errno())}")


def main():
    pid, name = sys.argv[1:]
    tids = [int(path.parent.name) for path in pathlib.Path("/proc", pid, "task").glob("*/comm")
            if path.read_text() == name + "\n"]
    if len(tids) != 1:
        sys.exit(f"hold_thread: process {pid} has {len(tids)} threads with the name {name}")
    ptrace(PTRACE_SEIZE, tids[0])
    ptrace(PTRACE_INTERRUPT, tids[0])
    os.waitpid(tids[0], WALL)
    print("held", flush=True)
    while os.WIFSTOPPED(os.waitpid(tids[0], WALL)[1]):
        pass  # a thread that has ended stays until it is waited for, and with it its process


main()
