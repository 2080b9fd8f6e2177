"""Compares `tensorio serve` with Triton, FastAPI and MLServer on requests of the Open Inference Protocol.

Usage: Scripts/measure/protocols [--rounds N] [--seconds N] [--save]

All servers are up at the same time with two model instances of one thread each, and wrk measures them in turns, so that a change of the
machine's speed affects all of them. The models are made here: a network of MobileNet's kind for [1, 224, 224, 3], and one of 10 numbers. Triton
runs them in its Python backend with LiteRT, FastAPI in two uvicorn workers, MLServer in two parallel workers with a runtime that calls LiteRT.
MLServer has no binary tensors, so it is measured with JSON only. "Model alone" is LiteRT in two processes without a server.
"""

import argparse
import contextlib
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "Scripts/fixtures/tiny-models"), str(ROOT / "Benchmarks/measuring")]
from comparisons import free_port, save_table  # noqa: E402
from graph import File, Graph, schema  # noqa: E402

PROCESSORS = 2
HEADER = "Inference-Header-Content-Length"
SHAPES = {"mobile": [1, 224, 224, 3], "tiny": [1, 10]}
# The kind of request, the model, and the numbers of concurrent clients.
CASES = [("binary", "mobile", (1, 2, 8)), ("json", "mobile", (1, 2, 8)), ("binary", "tiny", (1, 32)), ("json", "tiny", (32,))]
# The servers with the kinds of requests that they accept.
SERVERS = {"tensorio": ("binary", "json"), "triton": ("binary", "json"), "fastapi": ("binary", "json"), "mlserver": ("json",)}


# MARK: Models


def convolution(graph, name, tensor, shape, channels, stride, random, is_depthwise=False):
    """Adds a convolution of 1x1 or a depthwise one of 3x3 with ReLU6; returns the tensor and its shape."""
    side, inputs = shape[1], shape[3]
    size = 3 if is_depthwise or inputs == 3 else 1
    filters = [1, size, size, inputs] if is_depthwise else [channels, size, size, inputs]
    fan = size * size * (1 if is_depthwise else inputs)
    weights = random.normal(0, (2 / fan) ** 0.5, filters).astype(numpy.float32)
    constant = graph.tensor(f"{name}.w", "float32", filters, value=weights.tobytes())
    bias = graph.tensor(f"{name}.b", "float32", [channels], value=numpy.zeros(channels, numpy.float32).tobytes())
    out = [1, -(-side // stride), -(-side // stride), channels]
    result = graph.tensor(f"{name}.y", "float32", out)
    options = schema.DepthwiseConv2DOptionsT() if is_depthwise else schema.Conv2DOptionsT()
    options.strideH = options.strideW = stride
    options.dilationHFactor = options.dilationWFactor = 1
    options.fusedActivationFunction = schema.ActivationFunctionType.RELU6
    if is_depthwise:
        options.depthMultiplier = 1
    graph.operate("DEPTHWISE_CONV_2D" if is_depthwise else "CONV_2D", [tensor, constant, bias], [result], options)
    return result, out


def dense(graph, name, tensor, inputs, outputs, random):
    weights = random.normal(0, 0.05, (outputs, inputs)).astype(numpy.float32)
    constant = graph.tensor(f"{name}.w", "float32", [outputs, inputs], value=weights.tobytes())
    result = graph.output("y", "float32", [1, outputs])
    graph.operate("FULLY_CONNECTED", [tensor, constant, -1], [result], schema.FullyConnectedOptionsT())


def mobile():
    """A network with the layers and the amount of computation of MobileNet v1."""
    graph, random = Graph(), numpy.random.default_rng(1)
    shape = SHAPES["mobile"]
    tensor = graph.input("x", "float32", shape)
    tensor, shape = convolution(graph, "first", tensor, shape, 32, 2, random)
    blocks = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)] + [(512, 1)] * 5 + [(1024, 2), (1024, 1)]
    for index, (channels, stride) in enumerate(blocks):
        tensor, shape = convolution(graph, f"d{index}", tensor, shape, shape[3], stride, random, is_depthwise=True)
        tensor, shape = convolution(graph, f"p{index}", tensor, shape, channels, 1, random)
    pooled = graph.tensor("pooled", "float32", [1, 1, 1, shape[3]])
    pool = schema.Pool2DOptionsT()
    pool.filterWidth = pool.filterHeight = shape[1]
    pool.strideW = pool.strideH = 1
    pool.padding = schema.Padding.VALID
    graph.operate("AVERAGE_POOL_2D", [tensor], [pooled], pool)
    flat = graph.tensor("flat", "float32", [1, shape[3]])
    target = graph.tensor("shape", "int32", [2], value=numpy.array([1, shape[3]], numpy.int32).tobytes())
    graph.operate("RESHAPE", [pooled, target], [flat])
    dense(graph, "scores", flat, shape[3], 1000, random)
    return File().add(graph).bytes()


def tiny():
    graph, random = Graph(), numpy.random.default_rng(1)
    tensor = graph.input("x", "float32", SHAPES["tiny"])
    dense(graph, "dense", tensor, 10, 1, random)
    return File().add(graph).bytes()


def write_models(folder):
    for name, content, outputs in (("mobile", mobile(), 1000), ("tiny", tiny(), 1)):
        bundle = folder / "bundles" / f"{name}.tiobundle"
        bundle.mkdir(parents=True)
        (bundle / "model.tflite").write_bytes(content)
        (bundle / "model.json").write_text(json.dumps({
            "name": name, "details": "", "id": name, "version": "1", "author": "", "license": "",
            "model": {"file": "model.tflite", "quantized": False, "backend": "tflite", "modes": ["predict"]},
            "inputs": [{"name": "x", "type": "array", "shape": SHAPES[name]}],
            "outputs": [{"name": "y", "type": "array", "shape": [1, outputs]}],
        }))
        repository = folder / "triton" / name
        (repository / "1").mkdir(parents=True)
        (repository / "1/model.tflite").write_bytes(content)
        (repository / "1/model.py").write_text(TRITON_MODEL)
        (repository / "config.pbtxt").write_text(
            f'name: "{name}"\nbackend: "python"\nmax_batch_size: 0\n'
            f'input [{{ name: "x" data_type: TYPE_FP32 dims: {SHAPES[name]} }}]\n'
            f'output [{{ name: "y" data_type: TYPE_FP32 dims: [1, {outputs}] }}]\n'
            f"instance_group [{{ count: {PROCESSORS} kind: KIND_CPU }}]\n")
        settings = folder / "mlserver" / name
        settings.mkdir(parents=True)
        (settings / "model-settings.json").write_text(json.dumps({
            "name": name, "implementation": "litert_runtime.LiteRTModel",
            "parameters": {"uri": str(bundle / "model.tflite")}}))
    (folder / "service.py").write_text(FASTAPI_SERVICE)
    (folder / "litert_runtime.py").write_text(MLSERVER_RUNTIME)


def write_mlserver_settings(folder, ports):
    names = ("http_port", "grpc_port", "metrics_port")
    (folder / "mlserver/settings.json").write_text(json.dumps({
        "host": "127.0.0.1", "debug": False, "parallel_workers": PROCESSORS, "gzip_enabled": False,
        **dict(zip(names, ports))}))


INTERPRETER = '''
from ai_edge_litert.interpreter import Interpreter


class Model:
    def __init__(self, path):
        self.interpreter = Interpreter(path, num_threads=1)
        self.interpreter.allocate_tensors()
        self.input = self.interpreter.get_input_details()[0]["index"]
        self.output = self.interpreter.get_output_details()[0]["index"]

    def __call__(self, values):
        self.interpreter.set_tensor(self.input, values)
        self.interpreter.invoke()
        return self.interpreter.get_tensor(self.output)
'''

TRITON_MODEL = INTERPRETER + '''

import os
import triton_python_backend_utils as backend


class TritonPythonModel:
    def initialize(self, arguments):
        folder = os.path.join(arguments["model_repository"], arguments["model_version"])
        self.model = Model(os.path.join(folder, "model.tflite"))

    def execute(self, requests):
        return [
            backend.InferenceResponse([backend.Tensor("y", self.model(
                backend.get_input_tensor_by_name(request, "x").as_numpy()))])
            for request in requests]
'''

# What a person writes by hand: the same requests, as far as these cases need them.
FASTAPI_SERVICE = INTERPRETER + '''

import os
import threading

import numpy
import orjson
from fastapi import FastAPI, Request, Response

app = FastAPI()
folder = os.environ["BUNDLES"]
models = {name: Model(f"{folder}/{name}.tiobundle/model.tflite") for name in ("mobile", "tiny")}


@app.post("/v2/models/{name}/infer")
async def infer(name: str, request: Request):
    body = await request.body()
    length = int(request.headers.get("inference-header-content-length", len(body)))
    entry = orjson.loads(body[:length])["inputs"][0]
    if "data" in entry:
        values = numpy.array(entry["data"], numpy.float32)
    else:
        values = numpy.frombuffer(body, numpy.float32, offset=length)
    result = models[name](values.reshape(entry["shape"]))
    output = {"name": "y", "datatype": "FP32", "shape": result.shape}
    if "data" in entry:
        output["data"] = result.ravel().tolist()
        return Response(orjson.dumps({"model_name": name, "outputs": [output]}), media_type="application/json")
    data = result.tobytes()
    output["parameters"] = {"binary_data_size": len(data)}
    head = orjson.dumps({"model_name": name, "outputs": [output]})
    return Response(head + data, headers={"Inference-Header-Content-Length": str(len(head))},
                    media_type="application/octet-stream")
'''

MLSERVER_RUNTIME = INTERPRETER + '''

import numpy
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.types import InferenceResponse


class LiteRTModel(MLModel):
    async def load(self):
        self.model = Model(self.settings.parameters.uri)
        return True

    async def predict(self, payload):
        values = NumpyCodec.decode_input(payload.inputs[0])
        output = NumpyCodec.encode_output("y", self.model(values.astype(numpy.float32, copy=False)))
        return InferenceResponse(model_name=self.name, outputs=[output])
'''

ALONE = INTERPRETER + '''
import sys, time
import numpy
model, seconds = Model(sys.argv[1]), float(sys.argv[2])
values = numpy.random.default_rng(1).random(eval(sys.argv[3])).astype(numpy.float32)
model(values)
count, start = 0, time.monotonic()
while time.monotonic() - start < seconds:
    model.interpreter.invoke()
    count += 1
print(count / (time.monotonic() - start))
'''


# MARK: Requests


def write_request(folder, kind, name):
    """Writes the body of a request; returns its path and headers."""
    values = numpy.random.default_rng(2).random(SHAPES[name]).astype(numpy.float32)
    entry = {"name": "x", "datatype": "FP32", "shape": SHAPES[name]}
    path = folder / f"{kind}-{name}"
    if kind == "json":
        entry["data"] = [round(float(value), 6) for value in values.ravel()]
        path.write_text(json.dumps({"inputs": [entry]}))
        return path, {"Content-Type": "application/json"}
    entry["parameters"] = {"binary_data_size": values.nbytes}
    head = json.dumps({"inputs": [entry], "parameters": {"binary_data_output": True}}).encode()
    path.write_bytes(head + values.tobytes())
    return path, {"Content-Type": "application/octet-stream", HEADER: str(len(head))}


SCRIPT = '''
wrk.method = "POST"
wrk.headers["Content-Type"] = os.getenv("TYPE")
if os.getenv("HEAD") ~= "" then wrk.headers["Inference-Header-Content-Length"] = os.getenv("HEAD") end
local file = io.open(os.getenv("BODY"), "rb")
wrk.body = file:read("*a")
file:close()
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\\n{"rate":%f,"p99":%f,"failed":%d}\\n', summary.requests / summary.duration * 1e6,
    latency:percentile(99) / 1e3, errors.connect + errors.read + errors.write + errors.timeout + errors.status))
end
'''


def load(script, port, name, request, clients, seconds):
    path, headers = request
    output = subprocess.run(
        ["wrk", "-t1", f"-c{clients}", f"-d{seconds}s", "--timeout", "30s", "-s", script,
         f"http://127.0.0.1:{port}/v2/models/{name}/infer"],
        env={**os.environ, "BODY": str(path), "TYPE": headers["Content-Type"], "HEAD": headers.get(HEADER, "")},
        check=True, capture_output=True, text=True).stdout
    return json.loads(output.splitlines()[-1])


def result(port, name, request):
    """Returns the numbers of a response."""
    path, headers = request
    call = urllib.request.Request(f"http://127.0.0.1:{port}/v2/models/{name}/infer", path.read_bytes(), headers)
    with urllib.request.urlopen(call, timeout=60) as response:
        body = response.read()
        length = int(response.headers.get(HEADER, len(body)))
    output = json.loads(body[:length])["outputs"][0]
    if "data" in output:
        return numpy.array(output["data"], numpy.float32).ravel()
    return numpy.frombuffer(body, numpy.float32, offset=length)


# MARK: Servers


@contextlib.contextmanager
def running(command, port, is_ready, **environment):
    process = subprocess.Popen(
        [str(word) for word in command], env={**os.environ, **environment},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        end = time.monotonic() + 120
        while not is_ready(port):
            if process.poll() is not None or time.monotonic() > end:
                sys.exit(f"{command[0]} did not start")
            time.sleep(0.2)
        yield process
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def is_ready(port):
    try:
        return urllib.request.urlopen(f"http://127.0.0.1:{port}/v2/health/ready", timeout=5).status == 200
    except OSError:
        return False


def memory(process):
    """Returns the proportional set size of a process and its descendants, in bytes."""
    rollup = Path(f"/proc/{process}/smaps_rollup").read_text()
    own = next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) * 1024
    children = set()
    for thread in Path(f"/proc/{process}/task").iterdir():
        with contextlib.suppress(OSError):
            children.update((thread / "children").read_text().split())
    return own + sum(memory(child) for child in children)


def alone(folder, python, name, seconds):
    """Returns the rate at which LiteRT runs a model in one process per processor."""
    script = folder / "alone.py"
    script.write_text(ALONE)
    command = [python, script, folder / "bundles" / f"{name}.tiobundle/model.tflite", str(seconds), str(SHAPES[name])]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for _ in range(PROCESSORS)]
    return sum(float(process.communicate()[0]) for process in processes)


def serve(stack, folder, given):
    """Starts all servers; returns their ports and process identifiers."""
    ports = {name: free_port() for name in SERVERS}
    python = Path(sys.executable)
    packages = Path(sysconfig.get_path("purelib"))
    triton = packages / "pytriton/tritonserver"
    others = (free_port(), free_port())
    write_mlserver_settings(folder, (ports["mlserver"], free_port(), free_port()))
    # The backend looks for the program that runs a version of Python beside itself.
    backends = folder / "backends"
    shutil.copytree(triton / "backends", backends)
    version = "{}.{}".format(*sys.version_info)
    shutil.copy(triton / "python_backend_stubs" / version / "triton_python_backend_stub", backends / "python")
    starts = {
        "tensorio": lambda: running(
            [given.executable, "serve", folder / "bundles", "--port", ports["tensorio"], "--quiet"], ports["tensorio"], is_ready),
        "triton": lambda: running(
            [triton / "bin/tritonserver", "--model-repository", folder / "triton", "--http-port", ports["triton"],
             "--http-address", "127.0.0.1", "--grpc-address", "127.0.0.1", "--metrics-address", "127.0.0.1",
             "--grpc-port", others[0], "--metrics-port", others[1], "--backend-directory", backends],
            ports["triton"], is_ready, PYTHONPATH=str(packages), PATH=f"{python.parent}:{os.environ['PATH']}",
            LD_LIBRARY_PATH=f"{packages}/nvidia_pytriton.libs:{sysconfig.get_config_var('LIBDIR')}"),
        "fastapi": lambda: running(
            [python.parent / "uvicorn", "service:app", "--app-dir", folder, "--port", ports["fastapi"],
             "--workers", PROCESSORS, "--log-level", "warning"], ports["fastapi"], listens, BUNDLES=str(folder / "bundles")),
        "mlserver": lambda: running(
            [given.mlserver, "start", folder / "mlserver"], ports["mlserver"], is_ready, PYTHONPATH=str(folder)),
    }
    return ports, {name: stack.enter_context(starts[name]()).pid for name in SERVERS}


# MARK: Results


def servers(kind):
    """Returns the servers that accept a kind of request."""
    return [server for server, kinds in SERVERS.items() if kind in kinds]


def peers(kind):
    return servers(kind)[1:]


def measure(given):
    with tempfile.TemporaryDirectory() as path, contextlib.ExitStack() as stack:
        folder = Path(path)
        write_models(folder)
        script = folder / "wrk.lua"
        script.write_text(SCRIPT)
        requests = {(kind, name): write_request(folder, kind, name) for kind, name, _ in CASES}
        ports, processes = serve(stack, folder, given)
        time.sleep(3)
        for (kind, name), request in requests.items():
            values = {server: result(ports[server], name, request) for server in servers(kind)}
            for server in values:
                if not numpy.allclose(values[server], values["tensorio"], rtol=1e-5, atol=1e-6):
                    sys.exit(f"{server} has other results for {kind} {name}")
        found = {}
        for number in range(given.rounds):
            for name in ("mobile", "tiny"):
                found.setdefault(("alone", name), []).append(alone(folder, sys.executable, name, given.seconds))
            for kind, name, counts in CASES:
                for clients in counts:
                    for server in servers(kind)[:: 1 if number % 2 == 0 else -1]:
                        one = load(script, ports[server], name, requests[kind, name], clients, given.seconds)
                        if one["failed"]:
                            sys.exit(f"{server}: {one['failed']} requests failed ({kind} {name}, {clients} clients)")
                        found.setdefault((server, kind, name, clients), []).append(one)
            print(f"round {number + 1} of {given.rounds}", file=sys.stderr, flush=True)
            found.setdefault("memory", []).append({server: memory(processes[server]) for server in SERVERS})
        return found


def table(found, given):
    def median(key, field):
        return statistics.median(one[field] for one in found[key])

    lines = [
        f"- `Scripts/measure/protocols --rounds {given.rounds} --seconds {given.seconds}`: medians of {given.rounds} rounds, all servers up and "
        f"measured in turns by wrk on the same {os.cpu_count()} processors; {time.strftime('%Y-%m-%d')}",
        "- Triton 2.51.0 (nvidia-pytriton 0.7.0, Python backend with LiteRT, 2 instances), FastAPI with 2 uvicorn workers, MLServer 1.7.1 with "
        "2 parallel workers, without binary tensors, ai-edge-litert 2.3.0",
        "",
        "| request | clients | `tensorio serve` | Triton | FastAPI | MLServer | ratio to the best peer | p99: ours, Triton, FastAPI, MLServer |",
        "|---|---|---|---|---|---|---|---|"]
    best, best_peer = {}, {}
    for kind, name, counts in CASES:
        title = {"mobile": "FP32 [1,224,224,3]", "tiny": "FP32 [1,10]"}[name] + {"binary": ", binary", "json": ", JSON"}[kind]
        for clients in counts:
            rates = {server: median((server, kind, name, clients), "rate") for server in servers(kind)}
            tails = {server: median((server, kind, name, clients), "p99") for server in servers(kind)}
            peer = max(rates[server] for server in peers(kind))
            best[kind, name] = max(best.get((kind, name), 0), rates["tensorio"])
            best_peer[kind, name] = max(best_peer.get((kind, name), 0), peer)
            lines.append(
                f"| {title} | {clients} | " + " | ".join(f"{rates[server]:,.0f}/s" if server in rates else "–" for server in SERVERS)
                + f" | {rates['tensorio'] / peer:.2f}× | "
                + ", ".join(f"{tails[server]:.1f}" if server in tails else "–" for server in SERVERS) + " ms |")
    lines += ["", "| figure | value | goal |  |", "|---|---|---|---|"]
    rate = statistics.median(found["alone", "mobile"])
    tiny, binary = ("binary", "tiny", 32), peers("binary")
    goals = [
        ("best rate, binary [1,224,224,3], to that of the best peer", best["binary", "mobile"] / best_peer["binary", "mobile"], 2),
        (f"best rate, binary [1,224,224,3], to that of the model alone in two processes ({rate:.0f}/s)", best["binary", "mobile"] / rate, 0.9),
        ("best rate, JSON [1,224,224,3], to that of the model alone", best["json", "mobile"] / rate, 0.75),
        ("32 clients, binary [1,10], to the best peer",
         median(("tensorio", *tiny), "rate") / max(median((server, *tiny), "rate") for server in binary), 5)]
    for title, value, goal in goals:
        lines.append(f"| {title} | {value:.2f}× | ≥ {goal}× | {'✓' if value >= goal else '✗'} |")
    tail = median(("tensorio", "binary", "mobile", 8), "p99") / min(median((s, "binary", "mobile", 8), "p99") for s in binary)
    lines.append(f"| 99th percentile of 8 clients, binary, to the best peer | {tail:.2f}× | ≤ 0.5× | {'✓' if tail <= 0.5 else '✗'} |")
    held = {server: statistics.median(one[server] for one in found["memory"]) for server in SERVERS}
    share = held["tensorio"] / min(held[server] for server in held if server != "tensorio")
    sizes = ", ".join(f"{held[server] / 1e6:.0f}" for server in SERVERS)
    lines.append(f"| memory under load to the best peer ({sizes} MB) | {share:.2f}× | ≤ 0.2× | {'✓' if share <= 0.2 else '✗'} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="Scripts/measure/protocols", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--save", action="store_true", help="keep the table in Benchmarks/README.md")
    parser.add_argument("--executable", default=str(ROOT / ".build/release/tensorio"))
    parser.add_argument("--mlserver", default=str(ROOT / "Benchmarks/.peers/protocols-mlserver/bin/mlserver"))
    given = parser.parse_args()
    text = table(measure(given), given)
    print(text)
    if given.save:
        save_table("protocols", text)


if __name__ == "__main__":
    main()
