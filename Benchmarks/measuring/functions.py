"""functions.py CALLS PROGRAM: the functions of a program that callgrind saw run, a line for each."""

import re
import sys

NAME = re.compile(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?$")


def functions(path, program):
    """Names are told once, with a number that stands for them from then on."""
    names = {"ob": {}, "fn": {}}
    current = None
    with open(path, encoding="utf-8") as file:
        for line in file:
            found = NAME.match(line)
            if not found:
                continue
            called, kind, number, name = found.groups()
            if name:
                names[kind][number] = name.strip()
            if called:
                continue
            if kind == "ob":
                current = names["ob"][number]
            elif current and current.endswith(program):
                # What follows an apostrophe says how often a function is within itself.
                yield names["fn"][number].split("'")[0]


for function in dict.fromkeys(functions(sys.argv[1], sys.argv[2])):
    if not function.startswith("0x"):
        print(function)
