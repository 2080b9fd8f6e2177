#!/usr/bin/env python3
"""Scripts/check/parts/arm64/initramfs.py PROGRAM OUTPUT: writes an initramfs (cpio, format newc) with one program, /init."""

import sys


def entry(number, name, mode, data=b"", device=(0, 0)):
    name = name.encode() + b"\0"
    fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name), 0]
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name
    return head + b"\0" * (-len(head) % 4) + data + b"\0" * (-len(data) % 4)


def main():
    program, output = sys.argv[1:]
    with open(program, "rb") as file:
        contents = file.read()
    with open(output, "wb") as file:
        file.write(entry(1, "dev", 0o40755))
        file.write(entry(2, "dev/console", 0o20600, device=(5, 1)))
        file.write(entry(3, "init", 0o100755, contents))
        file.write(entry(0, "TRAILER!!!", 0))


if __name__ == "__main__":
    main()
