"""Sends a million requests while a model is replaced again and again.

A version is replaced as soon as the server has loaded it, which is two seconds after its files were last changed at the earliest.
Prints the memory, descriptors and threads of the server and the number of its worker processes after each tenth. Of the requests,
1 % are invalid. Fails if a request has another status than expected, if a version is not served within two minutes, if a
model has no worker process, or if the second half uses more than the first.
"""
import json
import os
import socket
import struct
import tempfile
import threading
import time

from running import get, replace, running, workers

CONNECTIONS = 8
VERSION_SECONDS = 120
PIPELINED = 20


def request(path, text, binary=b""):
    """Returns a request with JSON, and binary tensors after it."""
    header = f"Inference-Header-Content-Length: {len(text)}\r\n" if binary else ""
    return (f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{header}"
            f"Content-Length: {len(text) + len(binary)}\r\n\r\n{text}").encode() + binary


def requests():
    """Returns 100 requests over mixed protocols, one of which is invalid, with their statuses."""
    numbers = [0.1] * 10
    plain = request("/v2/models/m/predict", json.dumps(numbers))
    inference = request("/v2/models/m/infer", json.dumps(
        {"inputs": [{"name": "features", "shape": [1, 10], "datatype": "FP32", "data": numbers}]}))
    memory = struct.pack("<10f", *numbers)
    binary = request("/v2/models/m/infer", json.dumps(
        {"inputs": [{"name": "features", "shape": [1, 10], "datatype": "FP32",
                     "parameters": {"binary_data_size": len(memory)}}],
         "parameters": {"binary_data_output": True}}), memory)
    rows = request("/v1/models/m:predict", json.dumps({"instances": [numbers]}))
    invalid = request("/v2/models/m/infer", json.dumps(
        {"inputs": [{"name": "features", "shape": [1, 9], "datatype": "FP32", "data": numbers}]}))
    valid = [plain, inference, binary, rows]
    return [(valid[index % len(valid)], 200) for index in range(99)] + [(invalid, 400)]


class Clients:
    def __init__(self, port, count):
        self.port, self.left, self.lock = port, count, threading.Lock()
        self.done, self.unexpected = 0, []
        self.threads = [threading.Thread(target=self.run) for _ in range(CONNECTIONS)]
        for thread in self.threads:
            thread.start()

    def take(self):
        with self.lock:
            self.left -= PIPELINED
            return self.left >= 0

    def run(self):
        mix, position = requests(), 0
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=120)
        file = connection.makefile("rb")
        while self.take():
            part = [mix[(position + index) % len(mix)] for index in range(PIPELINED)]
            position += PIPELINED
            connection.sendall(b"".join(text for text, _ in part))
            for _, expected in part:
                status = int(file.readline().split()[1])
                length = 0
                while (line := file.readline()) not in (b"\r\n", b""):
                    if line.lower().startswith(b"content-length:"):
                        length = int(line.split(b":")[1])
                body = file.read(length)
                with self.lock:
                    self.done += 1
                    if status != expected:
                        self.unexpected.append((status, expected, body[:200]))
        connection.close()


def figures(server):
    """Returns the resident memory in KiB, descriptors, threads and worker processes of the server."""
    folder = f"/proc/{server.pid}"
    with open(f"{folder}/status") as file:
        memory = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
    return memory, len(os.listdir(f"{folder}/fd")), len(os.listdir(f"{folder}/task")), len(workers(server))


def served_version(server):
    """Returns the version of the model that the server runs, and its state."""
    model = get(server, "/v2/models")[1]["models"][0]
    return model["version"], model["state"]


def is_served(server, version, while_waiting=lambda: True):
    """Waits until a version is loaded; returns false if it is not in time, or if `while_waiting` returns false before."""
    end = time.monotonic() + VERSION_SECONDS
    while served_version(server) != (str(version), "ready"):
        if time.monotonic() > end or not while_waiting():
            return False
        time.sleep(0.1)
    return True


def is_passed(executable, count):
    with tempfile.TemporaryDirectory() as folder:
        replace(folder, 0)
        with running(executable, folder) as server:
            return is_passed_by(server, folder, count)


def is_passed_by(server, folder, count):
    if not is_served(server, 0):
        print("the first version is not served")
        return False
    clients, version, late, samples = Clients(server.http_port, count), 0, 0, []

    def sample():
        if clients.done >= (len(samples) + 1) * count // 10:
            samples.append(figures(server))
            print(f"{clients.done} requests, {version} versions: {samples[-1][0]} KiB, {samples[-1][1]} descriptors, "
                  f"{samples[-1][2]} threads, {samples[-1][3]} worker processes", flush=True)
        return any(thread.is_alive() for thread in clients.threads)

    while sample():
        replace(folder, version + 1)
        if is_served(server, version + 1, sample):
            version += 1
        elif sample():
            late += 1
            print(f"version {version + 1} is not served after {VERSION_SECONDS} s: {served_version(server)}")
            break
    for thread in clients.threads:
        thread.join()
    for unexpected in clients.unexpected[:5]:
        print(f"status {unexpected[0]} instead of {unexpected[1]}: {unexpected[2]!r}")
    half = len(samples) // 2
    # Sessions of a version that was replaced end a moment later, so single samples vary.
    grown = [name for index, name in enumerate(("memory", "descriptors", "threads", "worker processes"))
             if half and min(s[index] for s in samples[half:]) > max(s[index] for s in samples[:half]) * 1.05]
    if grown:
        print(f"grown: {', '.join(grown)}")
    unisolated = sum(workers == 0 for *_, workers in samples)
    if unisolated:
        print(f"no worker process in {unisolated} samples")
    print(f"{clients.done} requests, {version} replacements, {len(clients.unexpected)} unexpected responses")
    return not (grown or clients.unexpected or clients.done < count or late or version == 0 or unisolated)
