"""functions.py CALLS PROGRAM: prints the functions of a program that callgrind recorded, one per line."""

import re
import sys

NAME = re.compile(r"(c?)(ob|fn)=\((\d+)\)(?: (.*))?$")


def functions(path, program):
    """Returns the functions; a name occurs once, with a number that refers to it later."""
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
                # A suffix after an apostrophe is the recursion depth.
                yield names["fn"][number].split("'")[0]


for function in dict.fromkeys(functions(sys.argv[1], sys.argv[2])):
    if not function.startswith("0x"):
        print(function)
