#!/usr/bin/env python3
"""Writes Sources/TensorIOText/Unicode/DecompositionData.swift from Python's Unicode database.

Each scalar with a canonical decomposition that is not algorithmic (Hangul) is a row: the difference from the scalar of
the row before, and the one or two scalars that it decomposes into in one step, in base 36.
"""

import pathlib
import unicodedata

OUTPUT = pathlib.Path(__file__).resolve().parents[2] / "Sources/TensorIOText/Unicode/DecompositionData.swift"
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def base36(number):
    digits = ""
    while True:
        number, digit = divmod(number, 36)
        digits = DIGITS[digit] + digits
        if number == 0:
            return digits


def rows():
    before = 0
    for scalar in range(0x110000):
        text = unicodedata.decomposition(chr(scalar))
        if text and not text.startswith("<"):
            numbers = [scalar - before, *(int(part, 16) for part in text.split())]
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


def main():
    body = "".join(f"    {line}\\\n" for line in lines(rows(), 92))
    OUTPUT.write_text(
        "/// The canonical decompositions of Unicode " + ".".join(unicodedata.unidata_version.split(".")[:2]) + ".\n"
        "///\n"
        "/// Scripts/golden/make-decompositions.py writes this file.\n"
        "enum DecompositionData {\n"
        "  /// Rows of numbers in base 36, separated by spaces, each row followed by a comma: the difference from the scalar\n"
        "  /// of the row before, and the one or two scalars that the scalar decomposes into.\n"
        '  static let rows: StaticString = """\n'
        + body.removesuffix("\\\n") + '\n    """\n}\n')


if __name__ == "__main__":
    main()
