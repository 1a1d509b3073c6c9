#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""with_stderr.py KIND COMMAND ARGS...: runs it in place of this process, with a stderr that nobody reads.

KIND: unread (a pipe whose reader has gone), full (one that has no room), none (it is closed). SIGPIPE is deadly, as it is for
programs that are not written in Python. The command gets a minute.
"""
import os
import signal
import sys

kind, command = sys.argv[1], sys.argv[2:]
read, write = os.pipe()
if kind == "full":
    os.set_inheritable(read, True)
    os.set_blocking(write, False)
    try:
        while True:
            os.write(write, bytes(4096))
    except BlockingIOError:
        os.set_blocking(write, True)
elif kind == "unread":
    os.close(read)
if kind == "none":
    os.close(2)
else:
    os.dup2(write, 2)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
signal.alarm(60)
os.execv(command[0], command)
