"""The requests of the attacks. Bodies are made once and when they are needed."""
import base64
import functools
import json
import struct
import zlib

import formats
from target import BUNDLES

PREDICT = "/v2/models/diabetes/predict"
ROWS = "/v1/models/diabetes:predict"
INFER = "/v2/models/diabetes/infer"
INVOKE = "/invocations"
FORM = "multipart/form-data; boundary=b"
LARGE = 60_000_000
"""The bytes of large bodies: less than the 64 MiB that a body may have."""
WINDOW_BITS = {"gzip": 31, "deflate": 15}


def head(path, length, kind="application/json", headers=""):
    framing = "Transfer-Encoding: chunked" if length is None else f"Content-Length: {length}"
    return (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nConnection: close\r\n"
            f"{headers}{framing}\r\n\r\n").encode()


def post(path, body, kind="application/json", headers=""):
    """Returns a function that returns a request; `body` is bytes or a function that returns them."""

    @functools.cache
    def request():
        content = body() if callable(body) else body
        return [head(path, len(content), kind, headers), content]

    return request


def packed(coding, path, kind="application/json", *, repeated, first=b"", last=b"", size=LARGE):
    """Returns a request whose body is small, and large when it is decompressed."""
    return post(path, lambda: compress(coding, repeated, first, last, size), kind, f"Content-Encoding: {coding}\r\n")


def compress(coding, repeated, first=b"", last=b"", size=LARGE):
    packer = zlib.compressobj(9, zlib.DEFLATED, WINDOW_BITS[coding])
    block = repeated * max(1, (1 << 20) // len(repeated))
    count = max(1, (size - len(first) - len(last)) // len(block))
    return b"".join([packer.compress(first), *(packer.compress(block) for _ in range(count)),
                     packer.compress(last), packer.flush()])


def plain(path, kind="application/json", *, repeated, first=b"", last=b"", size=LARGE):
    return post(path, lambda: first + repeated * (size // len(repeated)) + last, kind)


def infer_json(shape, datatype="FP32", name="features"):
    """Returns the text before and after the values of an inference request."""
    return (f'{{"inputs":[{{"name":"{name}","datatype":"{datatype}","shape":{json.dumps(shape)},"data":['.encode(),
            b"0]}]}")


ITEM_VALUES = 194 * 194 * 3
"""The values of one item of the model `pencil`."""


def large_json():
    """Returns a valid inference request of 60 MB."""
    items = LARGE // (ITEM_VALUES * 4)
    values = b"0.5," * (items * ITEM_VALUES - 1)
    first, last = infer_json([items, 194, 194, 3], name="photograph")
    return first + values + last


def large_binary():
    """Returns a valid inference request of 60 MB with a binary tensor, and the length of its JSON."""
    items = LARGE // (ITEM_VALUES * 4)
    text = json.dumps({"inputs": [{
        "name": "photograph", "datatype": "FP32", "shape": [items, 194, 194, 3],
        "parameters": {"binary_data_size": items * ITEM_VALUES * 4}}]}).encode()
    return text, bytes(items * ITEM_VALUES * 4)


@functools.cache
def binary_request():
    text, memory = large_binary()
    headers = f"Inference-Header-Content-Length: {len(text)}\r\n"
    return [head("/v2/models/pencil/infer", len(text) + len(memory), headers=headers), text, memory]


@functools.cache
def digit():
    with open(BUNDLES + "digits.tiobundle/samples/3-1.png", "rb") as file:
        return file.read()


@functools.cache
def large_response_request():
    """Returns a request of a few kilobytes whose response has ten megabytes: drawings as JSON."""
    image = base64.b64encode(png(16)).decode()
    body = json.dumps({"instances": [{"b64": image}] * 24}).encode()
    return [head("/v1/models/pencil:predict", len(body)), body]


@functools.cache
def png(side):
    """Returns an RGB PNG of black pixels."""
    packer = zlib.compressobj(9)
    row = bytes(1 + side * 3)
    return formats.png((side, side), 8, 2, b"".join(packer.compress(row) for _ in range(side)) + packer.flush())


def form(image, count):
    part = b'--b\r\nContent-Disposition: form-data; name="x"; filename="%d"\r\n\r\n'
    return b"".join(part % number + image + b"\r\n" for number in range(count)) + b"--b--\r\n"


def many_parts():
    part = b'--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n'
    return part * (LARGE // len(part)) + b"--b--\r\n"


def wav():
    """Returns silence of 60 MB."""
    count = LARGE
    return (b"RIFF" + struct.pack("<I", 36 + count) + b"WAVEfmt " + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 16000, 2, 16)
            + b"data" + struct.pack("<I", count) + bytes(count))
