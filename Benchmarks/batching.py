"""Measures what merging requests gains: python Benchmarks/batching.py TENSORIO.

Makes models of two dense layers of 1024, of four of 2048, and of a convolution, with a free batch dimension,
and sends requests of 64 clients and of one client with and without merging, interleaved. Needs the
packages of Scripts/lib/requirements/fixtures.txt.
"""

import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import numpy

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Scripts/fixtures/tiny-models"))
from graph import File, Graph, schema  # noqa: E402

SECONDS, ROUNDS = 4, 3


def dense(size=1024, layers=2):
    graph = Graph()
    random = numpy.random.default_rng(1)
    tensor = graph.input("x", "float32", [1, size], signature=[-1, size])
    for layer in range(layers):
        weights = random.normal(0, 0.03, (size, size)).astype(numpy.float32)
        constant = graph.tensor(f"w{layer}", "float32", [size, size], value=weights.tobytes())
        make = graph.output if layer == layers - 1 else graph.tensor
        result = make(f"y{layer}", "float32", [1, size], signature=[-1, size])
        graph.operate("FULLY_CONNECTED", [tensor, constant, -1], [result], schema.FullyConnectedOptionsT())
        tensor = result
    return File().add(graph).bytes(), [size], [size]


def convolution(side=48, channels=16):
    graph = Graph()
    random = numpy.random.default_rng(1)
    shape = [side, side, channels]
    x = graph.input("x", "float32", [1, *shape], signature=[-1, *shape])
    weights = random.normal(0, 0.1, (channels, 3, 3, channels)).astype(numpy.float32)
    w = graph.tensor("w", "float32", list(weights.shape), value=weights.tobytes())
    b = graph.tensor("b", "float32", [channels], value=numpy.zeros(channels, numpy.float32).tobytes())
    y = graph.output("y", "float32", [1, *shape], signature=[-1, *shape])
    options = schema.Conv2DOptionsT()
    options.strideH = options.strideW = options.dilationHFactor = options.dilationWFactor = 1
    graph.operate("CONV_2D", [x, w, b], [y], options)
    return File().add(graph).bytes(), shape, shape


def write(folder, name, model):
    content, inputs, outputs = model
    path = os.path.join(folder, name + ".tiobundle")
    os.makedirs(path)
    with open(os.path.join(path, "model.tflite"), "wb") as file:
        file.write(content)
    description = {
        "name": name, "details": "", "id": name, "version": "1", "author": "", "license": "",
        "model": {"file": "model.tflite", "quantized": False, "backend": "tflite", "modes": ["predict"]},
        "inputs": [{"name": "x", "type": "array", "shape": [-1, *inputs]}],
        "outputs": [{"name": "y", "type": "array", "shape": [-1, *outputs]}],
    }
    with open(os.path.join(path, "model.json"), "w") as file:
        json.dump(description, file)



def rate(port, name, body, clients):
    """Returns the responses per second and the median latency in milliseconds."""
    end, counts, latencies = time.monotonic() + SECONDS, [0] * clients, []

    def run(number):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        while time.monotonic() < end:
            start = time.monotonic()
            connection.request("POST", f"/v2/models/{name}/infer", body, {
                "Inference-Header-Content-Length": str(HEADERS[name])})
            response = connection.getresponse()
            response.read()
            assert response.status == 200, response.status
            latencies.append(time.monotonic() - start)
            counts[number] += 1

    threads = [threading.Thread(target=run, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts) / SECONDS, statistics.median(latencies) * 1000


HEADERS = {}


def request(name, shape):
    size = int(numpy.prod(shape)) * 4
    head = json.dumps({
        "inputs": [{"name": "x", "datatype": "FP32", "shape": [1, *shape],
                    "parameters": {"binary_data_size": size}}],
        "parameters": {"binary_data_output": True}}).encode()
    HEADERS[name] = len(head)
    return head + numpy.full(shape, 0.01, numpy.float32).tobytes()


def start(executable, folder, *options):
    server = subprocess.Popen(
        [executable, "serve", folder, "--port", "0", "--quiet", *options], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True)
    return server, int(server.stdout.readline().rsplit(":", 1)[1])


def main():
    executable = sys.argv[1]
    models = {"dense": dense(), "large-dense": dense(2048, 4), "convolution": convolution()}
    with tempfile.TemporaryDirectory() as folder:
        bodies = {}
        for name, model in models.items():
            write(folder, name, model)
            bodies[name] = request(name, model[1])
        servers = {
            "single": start(executable, folder, "--max-batch-size", "1"),
            "merged": start(executable, folder, "--max-batch-size", "32"),
        }
        try:
            time.sleep(3)
            for name in models:
                for clients in (64, 1):
                    results = {mode: [] for mode in servers}
                    for _ in range(ROUNDS):
                        for mode, (_, port) in servers.items():
                            results[mode].append(rate(port, name, bodies[name], clients))
                    rates = {m: statistics.median(r for r, _ in v) for m, v in results.items()}
                    times = {m: statistics.median(t for _, t in v) for m, v in results.items()}
                    print(f"{name}, {clients} clients: single {rates['single']:.0f}/s, merged "
                          f"{rates['merged']:.0f}/s ({rates['merged'] / rates['single']:.2f}); latency "
                          f"{times['single']:.2f} and {times['merged']:.2f} ms", flush=True)
        finally:
            for server, _ in servers.values():
                server.terminate()
                server.wait(timeout=60)


main()
