#!/usr/bin/env python3
"""Writes DecompositionData.swift and CompatibilityData.swift in Sources/Base/Text/Unicode from Python's database.

Each scalar with a decomposition that is not algorithmic (Hangul) is a row: the difference from the scalar of the row
before, and the scalars that it decomposes into in one step, in base 36.
"""

import pathlib
import unicodedata

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "Sources/Base/Text/Unicode"
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def base36(number):
    digits = ""
    while True:
        number, digit = divmod(number, 36)
        digits = DIGITS[digit] + digits
        if number == 0:
            return digits


def rows(is_canonical):
    before = 0
    for scalar in range(0x110000):
        text = unicodedata.decomposition(chr(scalar))
        if text and text.startswith("<") != is_canonical:
            parts = text.split() if is_canonical else text.split()[1:]
            numbers = [scalar - before, *(int(part, 16) for part in parts)]
            before = scalar
            yield " ".join(map(base36, numbers))


def lines(words, width):
    line = ""
    for word in words:
        if line and len(line) + len(word) + 1 > width:
            yield line
            line = ""
        line += word + ","
    yield line


def write(name, kind, parts, is_canonical):
    body = "".join(f"    {line}\\\n" for line in lines(rows(is_canonical), 92))
    version = ".".join(unicodedata.unidata_version.split(".")[:2])
    (FOLDER / f"{name}.swift").write_text(
        f"/// The {kind} decompositions of Unicode {version}.\n"
        "///\n"
        "/// Scripts/golden/make-decompositions.py writes this file.\n"
        f"enum {name} {{\n"
        "  /// Rows of numbers in base 36, separated by spaces, each row followed by a comma: the difference from the scalar\n"
        f"  /// of the row before, and the {parts} that the scalar decomposes into.\n"
        '  static let rows: StaticString = """\n'
        + body.removesuffix("\\\n") + '\n    """\n}\n')


def main():
    write("DecompositionData", "canonical", "one or two scalars", True)
    write("CompatibilityData", "compatibility", "scalars", False)


if __name__ == "__main__":
    main()
