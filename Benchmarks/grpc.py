#!/usr/bin/env python3
"""Benchmarks/grpc.py [EXECUTABLE]: compares gRPC with REST and binary tensors, for the same model on the same server.

Clients are sockets that send prepared bytes, so that their own work hardly counts: a library for gRPC in Python takes longer
for a request than the server. Rounds of both protocols alternate. Requests per second depend on what else the machine
does; the processor time of the server and its worker processes for a request does so less.
"""

import argparse
import os
import re
import signal
import socket
import statistics
import struct
import subprocess
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SHAPES = {"tiny": [1, 2], "image": [1, 224 * 224 * 3]}
WINDOW = 2**31 - 1


def varint(number):
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def field(number, value):
    return varint(number << 3 | 2) + varint(len(value)) + value


def frame(kind, flags, stream, payload):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def literal(name, value):
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


class Connection:
    def __init__(self, port, shape):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        count = 1
        for length in shape:
            count *= length
        self.shape, self.tensor = shape, struct.pack("<f", 0.5) * count

    def exactly(self, count):
        parts = []
        while count:
            part = self.socket.recv(min(count, 1 << 20))
            if not part:
                raise ConnectionError("the server closed the connection")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)


class REST(Connection):
    def __init__(self, port, shape):
        super().__init__(port, shape)
        header = (
            '{"inputs":[{"name":"INPUT0","shape":%s,"datatype":"FP32","parameters":{"binary_data_size":%d}}],'
            '"parameters":{"binary_data_output":true}}' % (shape, len(self.tensor))
        ).encode()
        self.request = (
            b"POST /v2/models/identity/infer HTTP/1.1\r\nHost: localhost\r\n"
            b"Inference-Header-Content-Length: %d\r\nContent-Length: %d\r\n\r\n"
            % (len(header), len(header) + len(self.tensor))
        ) + header + self.tensor
        self.rest = b""

    def infer(self):
        self.socket.sendall(self.request)
        while b"\r\n\r\n" not in self.rest:
            self.rest += self.socket.recv(1 << 16)
        head, body = self.rest.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 200"), head
        length = int(re.search(rb"\r\nContent-Length: (\d+)", head)[1])
        body += self.exactly(length - len(body))
        assert body.endswith(self.tensor)
        self.rest = b""


class GRPC(Connection):
    FRAME_BYTES = 1 << 18  # what the server accepts

    def __init__(self, port, shape):
        super().__init__(port, shape)
        dimensions = b"".join(varint(length) for length in shape)
        tensor = field(1, b"INPUT0") + field(2, b"FP32") + field(3, dimensions)
        message = field(1, b"identity") + field(5, tensor) + field(7, self.tensor)
        self.message = b"\0" + len(message).to_bytes(4, "big") + message
        self.fields = (
            b"\x83\x86" + literal(b":path", b"/inference.GRPCInferenceService/ModelInfer")
            + literal(b":authority", b"localhost") + literal(b"content-type", b"application/grpc")
            + literal(b"te", b"trailers")
        )
        settings = struct.pack(">HIHI", 4, WINDOW, 5, self.FRAME_BYTES)
        self.socket.sendall(
            b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, settings)
            + frame(8, 0, 0, (WINDOW - 65535).to_bytes(4, "big"))
        )
        # The windows of the server are valid once its settings are acknowledged.
        while True:
            head = self.exactly(9)
            self.exactly(int.from_bytes(head[:3], "big"))
            if head[3] == 4 and not head[4]:
                break
        self.socket.sendall(frame(4, 1, 0, b""))
        self.stream, self.received = -1, 0

    def infer(self):
        self.stream += 2
        parts = [frame(1, 4, self.stream, self.fields)]
        for start in range(0, len(self.message), self.FRAME_BYTES):
            part = self.message[start : start + self.FRAME_BYTES]
            isLast = start + len(part) == len(self.message)
            parts.append(frame(0, int(isLast), self.stream, part))
        self.socket.sendall(b"".join(parts))
        body = []
        while True:
            head = self.exactly(9)
            kind, flags = head[3], head[4]
            payload = self.exactly(int.from_bytes(head[:3], "big"))
            if kind == 0:
                body.append(payload)
                self.received += len(payload)
            elif kind == 4 and not flags:
                self.socket.sendall(frame(4, 1, 0, b""))
            elif kind in (3, 7):
                raise ConnectionError(f"the server sent a frame of type {kind}")
            elif kind == 1 and flags & 1:
                break
        assert b"".join(body).endswith(self.tensor)
        if self.received > WINDOW // 4:
            self.socket.sendall(frame(8, 0, 0, self.received.to_bytes(4, "big")))
            self.received = 0


def processor_seconds(pid):
    """The time of a process and its children."""
    total = 0
    for process in [pid, *map(int, open(f"/proc/{pid}/task/{pid}/children").read().split())]:
        values = open(f"/proc/{process}/stat").read().rsplit(")", 1)[1].split()
        total += int(values[11]) + int(values[12])
    return total / os.sysconf("SC_CLK_TCK")


def measure(protocol, port, pid, shape, clients, count):
    connections = [protocol(port, shape) for _ in range(clients)]
    for connection in connections:
        connection.infer()
    start, used = time.monotonic(), processor_seconds(pid)
    threads = [
        threading.Thread(target=lambda one=one: [one.infer() for _ in range(count // clients)])
        for one in connections
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    done = count // clients * clients
    result = done / (time.monotonic() - start), (processor_seconds(pid) - used) / done * 1000
    for connection in connections:
        connection.socket.close()
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("executable", nargs="?", default=".build/release/tensorio")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clients", type=int, default=4)
    arguments = parser.parse_args()
    server = subprocess.Popen(
        [arguments.executable, "serve", os.path.join(ROOT, "Tests/Fixtures/Serving"), "--port", "0", "--quiet"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        port = int(re.search(r":(\d+)$", server.stdout.readline().strip())[1])
        print("| tensor | protocol | requests/s | server, ms per request |\n|---|---|---:|---:|")
        for name, count in (("tiny", 4000), ("image", 400)):
            results = {REST: [], GRPC: []}
            for round in range(arguments.rounds):
                for protocol in [REST, GRPC][:: 1 if round % 2 else -1]:
                    results[protocol].append(
                        measure(protocol, port, server.pid, SHAPES[name], arguments.clients, count)
                    )
            medians = {}
            for protocol, values in results.items():
                rate, cost = (statistics.median(column) for column in zip(*values))
                medians[protocol] = rate, cost
                print(f"| {name} {SHAPES[name]} | {protocol.__name__} | {rate:,.0f} | {cost:.3f} |")
            ratios = [medians[GRPC][column] / medians[REST][column] for column in (0, 1)]
            print(f"| {name} | gRPC / REST | {ratios[0]:.2f} | {ratios[1]:.2f} |")
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(60)


if __name__ == "__main__":
    main()
