#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""call_places.py LIBRARY... [-- CALLER...]: where calls of API functions come by, whoever captures them.

Prints lines `FILE OFFSET FUNCTION`, for tests/capture/observer.c: of each function that a library exports, its second
instruction (an endbr64 does not count), as an agent's stub skips the first one; of each HSA function that a
caller imports, its entry in the caller's procedure linkage table, as a function of HSA's has no instruction after
the probe's but the jump into the runtime.
"""
import os
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, check=True).stdout


def shift(file):
    """What makes an offset in the file of an address of code."""
    offset, address = re.search(r"LOAD +(0x\w+) (0x\w+) \S+ \S+ \S+ R E", output("readelf", "-lW", file)).groups()
    return int(offset, 16) - int(address, 16)


def tell(file, address, function):
    print(os.path.realpath(file), hex(address + shift(file)), function)


def second_instructions(library):
    found = re.findall(r"^(\w+) [TW] ((?:__)?hip\w+|roctx\w+)", output("nm", "-D", "--defined-only", library), re.M)
    wanted, function, first = {int(address, 16): name for address, name in found}, None, None
    for line in output("objdump", "-d", "--no-show-raw-insn", library).splitlines():
        instruction = re.match(r" *(\w+):\t(\S+)", line)
        if not instruction:
            continue
        address = int(instruction[1], 16)
        if address in wanted:
            function, first = wanted[address], None
        if not function or instruction[2] == "endbr64":
            continue
        if first:
            tell(library, address, function)
        if first or instruction[2] == "jmp":
            function = None
        first = instruction[2]


def imports(caller):
    code = output("objdump", "-d", "-j", ".plt", "-j", ".plt.sec", caller)
    for address, function in re.findall(r"^(\w+) <(hsa_\w+)(?:@\w+)?@plt>:", code, re.M):
        tell(caller, int(address, 16), function)


def main():
    libraries, _, callers = " ".join(sys.argv[1:]).partition(" -- ")
    for library in libraries.split():
        second_instructions(library)
    for caller in callers.split():
        imports(caller)


main()
