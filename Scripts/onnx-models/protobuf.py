"""Writes ONNX files. The numbers are those of the fields in onnx.proto."""

import struct

FLOAT, UINT8, INT8, UINT16, INT16, INT32, INT64, STRING, BOOL, HALF, DOUBLE = range(1, 12)
UINT32, UINT64 = 12, 13
SIZES = {FLOAT: "f", BOOL: "?", UINT8: "B", INT8: "b", INT16: "h", INT32: "i", INT64: "q", DOUBLE: "d"}


def varint(number):
    number &= (1 << 64) - 1
    text = b""
    while number >= 0x80:
        text += bytes([number & 0x7F | 0x80])
        number >>= 7
    return text + bytes([number])


def field(number, value):
    """A field with an integer, a float, a text, bytes or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def fields(number, values):
    return b"".join(field(number, value) for value in values)


def tensor(name, kind, shape, values, external=None):
    """A constant; `external` is the name of a file and an offset in it."""
    text = fields(1, shape) + field(2, kind) + field(8, name)
    if kind == STRING:
        return text + fields(6, values)
    raw = struct.pack(f"<{len(values)}{SIZES[kind]}", *values)
    if external is None:
        return text + field(9, raw)
    location, offset = external
    entries = {"location": location, "offset": str(offset), "length": str(len(raw))}
    return text + fields(13, (field(1, k) + field(2, v) for k, v in entries.items())) + field(14, 1)


def tensor_type(kind, shape):
    text = field(1, kind)
    if shape is not None:
        dims = (field(2, d) if isinstance(d, str) else field(1, d) for d in shape)
        text += field(2, fields(1, dims))
    return field(1, text)


def map_sequence_type(key):
    values = field(2, field(1, field(1, FLOAT)))
    return field(4, field(1, field(5, field(1, key) + values)))


def value(name, kind):
    return field(1, name) + field(2, kind)


def attribute(name, content):
    text = field(1, name)
    if isinstance(content, int):
        return text + field(3, content) + field(20, 2)
    if isinstance(content, float):
        return text + field(2, content) + field(20, 1)
    if isinstance(content, str):
        return text + field(4, content) + field(20, 3)
    if isinstance(content, dict):
        (kind, message), = content.items()
        return text + {"tensor": field(5, message) + field(20, 4),
                       "graph": field(6, message) + field(20, 5)}[kind]
    if isinstance(content[0], int):
        return text + fields(8, content) + field(20, 7)
    if isinstance(content[0], float):
        return text + fields(7, content) + field(20, 6)
    return text + fields(9, content) + field(20, 8)


def node(operator, inputs, outputs, domain="", **attributes):
    text = fields(1, inputs) + fields(2, outputs) + field(3, f"{operator.lower()}-{outputs[0]}")
    text += field(4, operator)
    text += fields(5, (attribute(name, content) for name, content in attributes.items()))
    return text + (field(7, domain) if domain else b"")


def graph(nodes, inputs, outputs, constants=()):
    return (fields(1, nodes) + field(2, "main") + fields(5, constants) + fields(11, inputs)
            + fields(12, outputs))


def model(graph, metadata=None, domains=()):
    text = field(1, 8) + field(2, "tensorio") + field(7, graph)
    text += field(8, field(1, "") + field(2, 17))
    text += fields(8, (field(1, name) + field(2, version) for name, version in domains))
    entries = (metadata or {}).items()
    return text + fields(14, (field(1, key) + field(2, content) for key, content in entries))
