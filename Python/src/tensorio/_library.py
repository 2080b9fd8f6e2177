"""Checks that the shared libraries of the package are complete, before they are loaded, and that no other package is in their
place."""

from __future__ import annotations

import os
import re
import warnings
from typing import BinaryIO

_HEADER = 64
_LOADED = 1  # the type of a segment that is mapped


def check(package: str) -> None:
    """Checks the libraries of an installed package.

    The loader maps a file that was cut off, by a full disk or an interrupted copy, and the process crashes at the
    first access behind its end.

    Args:
        package: The folder of the package.

    Raises:
        ImportError: A file is shorter than its header says.
    """
    # The wheel's other libraries are in a folder named after the distribution.
    for folder in (package, os.path.join(os.path.dirname(package), "tensorio_runtime.libs")):
        try:
            names = sorted(os.listdir(folder))
        except OSError:
            continue
        for name in names:
            if ".so" in name:
                _check_file(os.path.join(folder, name))


def warn_of_namesake(package: str) -> None:
    """Warns if the distribution `tensorio` is installed beside the package.

    It is another project, whose modules have the same import name: the one that is installed last overwrites files of
    the other, and removing either breaks the one that remains.

    Args:
        package: The folder of the package.
    """
    folder = os.path.dirname(package)
    try:
        names = os.listdir(folder)
    except OSError:
        return
    if any(re.fullmatch(r"tensorio-[0-9].*\.(dist|egg)-info", name) for name in names):
        warnings.warn(
            "the package 'tensorio' of another project is installed with the same import name; remove both and install this one "
            "again: pip uninstall tensorio tensorio-runtime; pip install tensorio-runtime", UserWarning, stacklevel=3)


def _check_file(path: str) -> None:
    try:
        with open(path, "rb", buffering=0) as file:
            size = os.fstat(file.fileno()).st_size
            needed = _needed_size(file, size)
    except OSError:
        return  # the loader says why
    if size < needed:
        name = os.path.basename(path)
        raise ImportError(
            f"{path}: the file is incomplete: it has {size:,} of at least {needed:,} bytes; "
            "install tensorio-runtime again",
            name=name.partition(".")[0], path=path)


def _needed_size(file: BinaryIO, size: int) -> int:
    """Returns the end of the last segment of an ELF file for 64-bit little-endian; 0 for another file.

    Args:
        file: The file.
        size: Its size; the segments of a shorter file are not read.
    """
    header = file.read(_HEADER)
    if header[:6] != b"\x7fELF\x02\x01":
        return 0

    def number(data: bytes, start: int, size: int) -> int:
        return int.from_bytes(data[start:start + size], "little")

    offset, length, count = number(header, 32, 8), number(header, 54, 2), number(header, 56, 2)
    needed = offset + length * count
    if needed > size:
        return needed
    file.seek(offset)
    table = file.read(length * count)
    for start in range(0, len(table), max(length, 1)):
        if number(table, start, 4) == _LOADED:
            needed = max(needed, number(table, start + 8, 8) + number(table, start + 32, 8))
    return needed
