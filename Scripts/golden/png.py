"""Writes the PNG files that Pillow cannot: 16-bit color, interlaced, with any chunk."""

import struct
import zlib

import numpy as np

ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}


def chunk(kind, content):
    body = kind + content
    return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))


def rows(pixels):
    return b"".join(b"\0" + row.tobytes() for row in pixels)


def passes(pixels):
    for x, y, step_x, step_y in ADAM7:
        part = pixels[y::step_y, x::step_x]
        if part.size:
            yield rows(part)


def encode(pixels, interlaced=False, chunks=()):
    """Encodes an array of height, width and channels, with 8 or 16 bits."""
    height, width, channels = pixels.shape
    depth = pixels.dtype.itemsize * 8
    stored = pixels.astype(">u2" if depth == 16 else np.uint8)
    header = struct.pack(">IIBBBBB", width, height, depth, COLOR_TYPES[channels], 0, 0, int(interlaced))
    data = b"".join(passes(stored)) if interlaced else rows(stored)
    return b"".join(
        [b"\x89PNG\r\n\x1a\n", chunk(b"IHDR", header)]
        + [chunk(kind, content) for kind, content in chunks]
        + [chunk(b"IDAT", zlib.compress(data)), chunk(b"IEND", b"")])
