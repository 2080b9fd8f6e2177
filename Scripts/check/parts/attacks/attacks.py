"""The attacks, by name.

An attack is carried out by a function of the server's port and a number of seconds, which returns how often there was which outcome.
"""
import dataclasses
import struct
from typing import Callable

import http2
from bodies import (
    FORM, INFER, INVOKE, ITEM_VALUES, LARGE, PREDICT, ROWS, binary_request, compress, form, head, infer_json,
    large_binary, large_json, large_response_request, many_parts, packed, plain, png, post, wav)
from target import GOOD_BODY, GOOD_PATH
from traffic import calls, hold, leave, requests, unread


@dataclasses.dataclass
class Attack:
    act: Callable
    seconds: int = 8
    """How long the attack lasts at least, and how long clients that wait do so."""
    descriptors: int | None = None
    stderr: str = "discarded"


ONES = {"first": b'{"instances":[1', "repeated": b",1", "last": b"]}"}
NESTED = {"first": b'{"instances":[', "repeated": b"[[1],[1]],", "last": b"[[1]]]}"}
SPLIT = {"first": b'{"dataframe_split":{"columns":["age"],"data":[', "repeated": b"[1],", "last": b"[1]]}}"}
RECORDS = {"first": b'{"dataframe_records":[', "repeated": b'{"age":1},', "last": b'{"age":1}]}'}
COLUMNS = {"first": b'{"dataframe_split":{"columns":[', "repeated": b'"a",', "last": b'"a"],"data":[[1]]}}'}
ITEMS = {"first": b'{"items":[', "repeated": b"[1],", "last": b"[1]]}"}
TEXTS = dict(zip(("first", "last"), infer_json([1], "BYTES", "message")), repeated=b"0,")
VALUES = dict(zip(("first", "last"), infer_json([LARGE // 20, 10])), repeated=b"0,")
CSV = {"repeated": b"1,1,1,1,1,1,1,1,1,1\n"}
CELLS = {"first": b"1,1\n1", "repeated": b",", "last": b"\n"}
LINES = {"first": b"1\n", "repeated": b"1\n"}


def compressed_bodies():
    """Small bodies that are large when they are decompressed, by one and by a hundred clients."""
    kinds = {
        "csv": (INVOKE, "text/csv", CSV), "cells": (INVOKE, "text/csv", CELLS), "lines": (INVOKE, "text/csv", LINES),
        "rows": (ROWS, "application/json", ONES), "nested": (ROWS, "application/json", NESTED),
        "split": (INVOKE, "application/json", SPLIT), "columns": (INVOKE, "application/json", COLUMNS),
        "records": (INVOKE, "application/json", RECORDS), "items": (PREDICT, "application/json", ITEMS),
        "infer": (INFER, "application/json", VALUES),
        "infer-texts": ("/v2/models/topics/infer", "application/json", TEXTS),
        "memory": (INVOKE, "application/octet-stream", {"repeated": bytes(1 << 16)}),
        "image": (INVOKE, "image/png", {"repeated": bytes(1 << 16), "first": png(8)}),
        "text": ("/v2/models/topics/predict", "text/plain", {"repeated": b"a "}),
        "word": ("/v2/models/topics/predict", "text/plain", {"repeated": b"a"}),
        "form": ("/v2/models/digits/predict", FORM, {
            "repeated": b'--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n', "last": b"--b--\r\n"}),
    }
    for name, (path, kind, content) in kinds.items():
        yield f"gzip-{name}", Attack(requests(packed("gzip", path, kind, **content), 1))
    for name in ("csv", "rows", "split", "infer", "memory"):
        path, kind, content = kinds[name]
        yield f"gzip-{name}-100", Attack(requests(packed("gzip", path, kind, **content), 100))
    for name in ("csv", "rows"):
        path, kind, content = kinds[name]
        yield f"deflate-{name}-4", Attack(requests(packed("deflate", path, kind, **content), 4))


def plain_bodies():
    """Bodies that cost more than their bytes, or are as large as a body may be."""
    yield "rows-2MB", Attack(requests(plain(ROWS, **ONES, size=2_000_000), 1))
    yield "rows-2MB-8", Attack(requests(plain(ROWS, **ONES, size=2_000_000), 8))
    yield "rows-gzip-1kB-8", Attack(requests(packed("gzip", ROWS, **ONES, size=1 << 20), 8))
    yield "csv-60MB", Attack(requests(plain(INVOKE, "text/csv", **CSV), 1))
    yield "rows-60MB", Attack(requests(plain(ROWS, **ONES), 1))
    yield "infer-json-60MB", Attack(requests(post("/v2/models/pencil/infer", large_json), 1))
    yield "infer-json-60MB-4", Attack(requests(post("/v2/models/pencil/infer", large_json), 4))
    yield "infer-binary-60MB", Attack(requests(binary_request, 1))
    yield "infer-binary-60MB-4", Attack(requests(binary_request, 4))
    yield "sound-60MB", Attack(requests(post("/v2/models/tones/predict", wav, "audio/wav"), 1))
    yield "form-60MB", Attack(requests(post("/v2/models/digits/predict", many_parts, FORM), 1))
    yield "responses-10MB-40", Attack(requests(large_response_request, 40))


def grpc_messages():
    repeating = http2.message(http2.tensorflow_predict("diabetes", "features", [1 << 24], [1.0]))
    yield "grpc-repeated", Attack(calls(http2.PREDICT, lambda: repeating, 1))
    yield "grpc-repeated-4", Attack(calls(http2.PREDICT, lambda: repeating, 4))
    yield "grpc-repeated-100", Attack(calls(http2.PREDICT, lambda: repeating, 100))
    yield "grpc-infer-60MB", Attack(calls(http2.INFER, grpc_infer, 1))
    yield "grpc-infer-60MB-4", Attack(calls(http2.INFER, grpc_infer, 4))
    for clients in (1, 100):
        yield f"grpc-gzip-{clients}", Attack(
            calls(http2.INFER, lambda: http2.message(compress("gzip", bytes(1 << 16)), True), clients, "gzip"))
    # An empty string is two bytes of the message.
    strings = http2.field(1, "topics") + http2.varint(5 << 3 | 2) + http2.varint(LARGE // 2 * 2 + 4 + 1 + 4 + 4)
    yield "grpc-gzip-strings", Attack(
        calls(http2.INFER, lambda: http2.message(compress("gzip", b"\x3a\x00", strings[:8]), True), 1, "gzip"))


def grpc_infer():
    memory = large_binary()[1]
    items = len(memory) // ITEM_VALUES // 4
    return http2.message(http2.inference(
        "pencil", [("photograph", "FP32", [items, 194, 194, 3], [])], [memory]))


def responses_not_read():
    yield "unread-40", Attack(unread(large_response_request, 40), 45)
    yield "unread-pipelined", Attack(unread(lambda: [pipelined()], 40), 15)
    image = http2.message(http2.inference("pencil", [("photograph", "BYTES", [24], [png(16)] * 24)]))

    def call(window, streams):
        begin = http2.settings(window)
        return [begin + b"".join(
            http2.frame(http2.HEADERS, http2.END_HEADERS, number * 2 + 1, http2.fields(http2.INFER))
            + http2.frame(http2.DATA, http2.END_STREAM, number * 2 + 1, image) for number in range(streams))]

    yield "unread-http2-40", Attack(unread(lambda: call(http2.MAX_WINDOW, 1), 40), 45)
    yield "unread-http2-window", Attack(hold(call(0, 8)[0], 10), 45)


def pipelined():
    request = (f"POST {GOOD_PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
               f"Content-Length: {len(GOOD_BODY)}\r\n\r\n").encode() + GOOD_BODY
    return request * 10_000


def large_images():
    """Small files that declare large images."""
    path = "/v2/models/shape-detector/predict"

    def large():
        return png(8100)

    yield "images-2", Attack(requests(post(path, large, "image/png"), 2))
    yield "images-annotated-6", Attack(requests(post(path + "?annotate=1", large, "image/png"), 6))
    yield "images-100", Attack(requests(post(path, large, "image/png"), 100))
    yield "forms-49MB-2", Attack(requests(post(path, lambda: form(png(8100), 255), FORM), 2))
    yield "forms-that-leave", Attack(leave(post(path, lambda: form(png(1440), 255), FORM), 2, 6))


def reserved_memory():
    """Requests that are not sent completely: they reserve memory for the rest."""
    chunked = head(PREDICT, None) + b"64\r\n" + b"1" * 100 + b"\r\n"
    # Smaller ones fill what larger ones leave.
    sizes = [LARGE, LARGE, LARGE // 10, LARGE // 100, LARGE // 1000, 6000, 600, 60] * 2
    announced = [head(INFER, size) + b"1" * 10 for size in sizes]
    begun = http2.settings() + b"".join(
        http2.frame(http2.HEADERS, http2.END_HEADERS, stream, http2.fields(http2.INFER))
        + http2.frame(http2.DATA, 0, stream, struct.pack(">?I", False, size))
        for stream, size in zip(range(1, 33, 2), sizes))
    yield "chunked-2", Attack(hold(chunked, 2), 35)
    yield "chunked-16", Attack(hold(chunked, 16), 35)
    yield "chunked-100", Attack(hold(chunked, 100), 35)
    yield "announced-16", Attack(hold(announced, 16), 35)
    yield "grpc-announced-16", Attack(hold(begun, 16), 35)


def slow_connections():
    """Connections that do nothing, or nothing in time, where the server has few descriptors."""
    started = http2.settings()
    headers = http2.frame(http2.HEADERS, 0, 1, http2.fields(http2.INFER))
    opened = started + b"".join(
        http2.frame(http2.HEADERS, http2.END_HEADERS, stream, http2.fields(http2.INFER)) for stream in range(1, 17, 2))
    kinds = {
        "idle": (b"", b"", 70), "slow-head": (b"GET / HTTP/1.1\r\nA: ", b"a", 20),
        "head": (b"GET / HTTP/1.1\r\nA: ", b"", 20),
        "slow-body": (head(PREDICT, 100_000), b"1", 45), "body": (head(PREDICT, 100_000), b"", 45),
        "between-requests": (b"GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n", b"", 70),
        "http2-preface": (http2.PREFACE, b"", 70), "http2-part-of-preface": (http2.PREFACE[:16], b"", 20),
        "http2-settings": (started, b"", 70),
        "http2-headers": (started + headers, b"", 70),
        "http2-continuations": (
            started + headers, http2.frame(http2.CONTINUATION, 0, 1, b"\x00\x01a\x01b"), 70),
        "http2-headers-part": (started + headers[:20], b"", 70),
        "http2-streams": (opened, b"", 45),
        "http2-pings": (started, http2.frame(6, 0, 0, bytes(8)), 70),
        "tls": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"", 20),
    }
    for name, (first, trickle, seconds) in kinds.items():
        yield f"200-{name}", Attack(hold(first, 200, trickle), seconds, descriptors=256)


def logs():
    """Readers of the log that have ended or do not read."""
    request = post(GOOD_PATH, GOOD_BODY)
    for reader in ("closed", "stalled"):
        yield f"log-{reader}", Attack(requests(request, 8), stderr=reader)


ATTACKS = {
    name: attack
    for group in (plain_bodies, compressed_bodies, grpc_messages, large_images, responses_not_read, reserved_memory,
                  slow_connections, logs)
    for name, attack in group()}
