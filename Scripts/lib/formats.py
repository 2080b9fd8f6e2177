"""The bytes of file formats, as far as scripts write them without a library."""

import struct
import zlib


def varint(number):
    """A number of protobuf; negative ones have 64 bits."""
    number &= (1 << 64) - 1
    found = b""
    while number >= 0x80:
        found += bytes([number & 0x7F | 0x80])
        number >>= 7
    return found + bytes([number])


def field(number, value):
    """A field of protobuf: an integer, a float, a text, bytes or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def png(size, depth, color, packed, chunks=(), interlaced=False):
    """A PNG of compressed rows, each with its filter, and of further chunks between the header and the rows."""
    header = struct.pack(">IIBBBBB", *size, depth, color, 0, 0, int(interlaced))
    parts = [(b"IHDR", header), *chunks, (b"IDAT", packed), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content)) for kind, content in parts)
