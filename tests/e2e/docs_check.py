#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Judges the documents.

  docs_check.py links FILE...             each relative link leads to a file that is there, and to a heading of it
  docs_check.py options TRACER FILE...    each option of an rtrace-bpf command in a block is one that its --help knows
"""
import os
import re
import subprocess
import sys

COMMANDS = ("export", "report", "merge", "top", "ps", "doctor")


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def anchors(path):
    """As GitHub makes them of headings."""
    heads = [line.lstrip("#").strip() for line in lines_of(path) if re.match(r"#+ ", line)]
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def links(paths):
    found = bad = 0
    for path in paths:
        text = "\n".join(line for line in lines_of(path) if not line.startswith("    "))
        for link in re.findall(r"\]\(([^)]+)\)", text):
            if re.match(r"[a-z]+:", link):
                continue
            found += 1
            target, _, anchor = link.partition("#")
            target = os.path.join(os.path.dirname(path), target) if target else path
            if not os.path.exists(target):
                print(f"{path}: {link}: no such file")
                bad += 1
            elif anchor and anchor not in anchors(target):
                print(f"{path}: {link}: no such heading")
                bad += 1
    print(f"{found} links, {bad} bad")
    return found > 50 and not bad


def known_options(tracer, command):
    argv = [tracer] + ([command] if command else []) + ["--help"]
    text = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"(?<![\w-])(--?[a-zA-Z][a-z-]*)", text))


def options(tracer, paths):
    known = {command: known_options(tracer, command) for command in ("",) + COMMANDS}
    found = bad = 0
    for path in paths:
        for line in lines_of(path):
            call = re.match(r"    (?:\$ )?(?:sudo |srun |mpirun )*rtrace-bpf\s+(.*)", line)
            if not call:
                continue
            words = re.split(r"\s+#|\||\s+--\s", call[1])[0].split()
            command = words[0] if words and words[0] in COMMANDS else ""
            for word in words:
                if not re.match(r"--?[a-zA-Z]", word):
                    continue
                found += 1
                if word.split("=")[0] not in known[command]:
                    print(f"{path}: rtrace-bpf {command}: unknown option {word}")
                    bad += 1
    print(f"{found} options, {bad} bad")
    return found > 20 and not bad


if sys.argv[1:2] == ["links"]:
    good = links(sys.argv[2:])
elif sys.argv[1:2] == ["options"]:
    good = options(sys.argv[2], sys.argv[3:])
else:
    sys.exit(__doc__)
sys.exit(0 if good else 1)
