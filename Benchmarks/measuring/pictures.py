"""Draws photograph-like images in plain Python."""

import random
import struct
import zlib

SEED = 42


def png(path, width, height):
    """Returns a PNG of slanted color bands with grain."""
    source = random.Random(SEED)
    band = bytes(
        min(255, max(0, (x * (channel + 2) // 5) % 256 + source.randrange(-12, 13)))
        for x in range(2 * width) for channel in range(3))
    rows = (band[3 * (y % width) : 3 * (y % width + width)] for y in range(height))
    content = zlib.compress(b"".join(b"\0" + row for row in rows), 6)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = [(b"IHDR", header), (b"IDAT", content), (b"IEND", b"")]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts))
    return path


def _chunk(kind, content):
    checksum = zlib.crc32(kind + content)
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", checksum)
