#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes libraries that no linker made, and maps them as a process does that uses them.

  hostile_elf.py make KIND FILE   names: 256 symbols with names of 32 MiB each, which share their bytes
                                  symbols: 2 million functions, all of one name
                                  functions: 100,000 functions, all of one name
                                  code: 600 MiB of code, most of it a hole in the file
                                  unknown: 4,000 functions of names that no header has, by FILE's inode
                                  spellings: 4,000 spellings of names that headers have
  hostile_elf.py map SECONDS FILE...  maps each file for execution, three times, and sleeps
"""
import mmap
import os
import struct
import sys
import time

CODE_AT = 4096
BASE = 0x400000
FUNCTION = b"\x55\x48\x89\xe5\x5d\xc3" + b"\x90" * 10  # push, mov, pop, ret


def symbol(name, number):
    return struct.pack("<IBBHQQ", name, 0x12, 0, 1, BASE + 16 * number, 16)


def table(names):
    """Symbols of these names, and the bytes of the names."""
    text = bytearray(b"\0")
    symbols = [b"\0" * 24]
    for number, name in enumerate(names):
        symbols.append(symbol(len(text), number))
        text += name.encode() + b"\0"
    return b"".join(symbols), bytes(text)


def contents(kind, file):
    """Symbols, their names, the size of the code."""
    if kind == "names":
        text = b"\0" + b"hip" * ((32 << 20) // 3) + b"\0"
        return b"\0" * 24 + b"".join(symbol(1 + 3 * i, i) for i in range(256)), text, 1 << 20
    if kind in ("symbols", "functions"):
        count = 2_000_000 if kind == "symbols" else 100_000
        return b"\0" * 24 + b"".join(symbol(1, i) for i in range(count)), b"\0hipMalloc\0", 16 * count
    if kind == "code":
        return *table(["hipMalloc"]), 600 << 20
    mark = os.stat(file).st_ino
    if kind == "unknown":
        return *table(f"hipOdd{mark}x{i}" for i in range(4000)), 16 * 4000
    if kind == "spellings":
        return *table(f"_Z9hipMallocx{mark}x{i}" if i % 2 else f"hipMallocR{i:04}" for i in range(4000)), 16 * 4000
    sys.exit(__doc__)


def header(kind, offset, size, link, entry):
    return struct.pack("<IIQQQQIIQQ", 0, kind, 2, 0, offset, size, link, 1, 8, entry)


def make(kind, file):
    with open(file, "wb") as out:
        symbols, text, code = contents(kind, file)
        tables = CODE_AT + code
        sections = (tables + len(symbols) + len(text) + 7) & ~7
        out.write(b"\x7fELF\x02\x01\x01" + b"\0" * 9 + struct.pack(
            "<HHIQQQIHHHHHH", 3, 62, 1, BASE, 64, sections, 0, 64, 56, 1, 64, 3, 0))
        out.write(struct.pack("<IIQQQQQQ", 1, 5, CODE_AT, BASE, BASE, code, code, 4096))
        out.seek(CODE_AT)
        out.write(FUNCTION * min(code // 16, 1 << 18))
        out.seek(tables)
        out.write(symbols + text)
        out.seek(sections)
        out.write(b"\0" * 64 + header(11, tables, len(symbols), 2, 24) +
                  header(3, tables + len(symbols), len(text), 0, 0))


def map_all(seconds, files):
    kept = []
    for _ in range(3):
        for file in files:
            with open(file, "rb") as opened:
                kept.append(mmap.mmap(opened.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC))
            time.sleep(0.01)
    print("mapped", flush=True)
    time.sleep(seconds)


if len(sys.argv) == 4 and sys.argv[1] == "make":
    make(sys.argv[2], sys.argv[3])
elif len(sys.argv) > 3 and sys.argv[1] == "map":
    map_all(float(sys.argv[2]), sys.argv[3:])
else:
    sys.exit(__doc__)
