"""Sends valid and mutated inference requests to two servers and compares the responses.

Usage: differential.py OURS ORACLE [COUNT] [SEED]; both are HOST:PORT of servers with the models
`simple`, `identity` and `scores`; triton_models.py writes them for Triton. Exits with 1 if a response
differs for a reason that is not listed. Requests with the parameter `classification` are also compared
with the classes that are computed here.
"""

import collections
import http.client
import json
import math
import random
import struct
import sys

HEADER = "Inference-Header-Content-Length"


def tensor_bytes(datatype, values):
    return struct.pack(f"<{len(values)}{'i' if datatype == 'INT32' else 'f'}", *values)


LABELS = ["ant", "bee", "crane", "deer", "eel", "fox"]  # of the first output of `scores`


def single(value):
    """Returns the nearest 32-bit floating-point number."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def score(rng):
    """Returns a score that is not zero, whose negative LiteRT's kernel gives another sign."""
    kind = rng.random()
    if kind < 0.03:
        return rng.choice([math.nan, math.inf, -math.inf])
    if kind < 0.3:
        return rng.choice([1.0, -1.0, 0.5])  # equal scores
    if kind < 0.4:
        return single(rng.choice([-1, 1]) * rng.uniform(1, 3) * 10 ** rng.randint(-12, 38))
    return single(rng.choice([-1, 1]) * rng.uniform(1e-6, 1))


def valid_request(rng):
    """Returns model, header object and binary tensors of a valid request, and the values of its inputs."""
    batch = rng.choice([1, 1, 1, 2, 5])
    model = rng.choice(["simple", "identity", "scores"])
    datatype, names, outputs = "FP32", ["INPUT0"], ["OUTPUT0", "OUTPUT1"]
    if model == "simple":
        datatype, shape, names = "INT32", [batch, 16], ["INPUT0", "INPUT1"]
        value = lambda: rng.randint(-(2**30), 2**30 - 1)
    elif model == "identity":
        shape, outputs = [batch, rng.choice([1, 2, 5, 9, 30])], ["OUTPUT0"]
        value = lambda: single(rng.uniform(-1e6, 1e6)) if shape[1] < 30 else score(rng)
    else:
        shape = [batch, 6]
        value = lambda: score(rng)
    tensors = []
    inputs, binary = [], b""
    for name in names:
        values = [value() for _ in range(shape[0] * shape[1])]
        tensors.append(values)
        tensor = {"name": name, "shape": list(shape), "datatype": datatype}
        if rng.random() < 0.5:
            data = tensor_bytes(datatype, values)
            tensor["parameters"] = {"binary_data_size": len(data)}
            binary += data
        elif rng.random() < 0.5:
            tensor["data"] = values
        else:
            row = shape[1]
            tensor["data"] = [values[i : i + row] for i in range(0, len(values), row)]
        inputs.append(tensor)
    header = {"inputs": inputs}
    if rng.random() < 0.5:
        header["id"] = f"request-{rng.randint(0, 99)}"
    if rng.random() < 0.6:
        header["outputs"] = [
            {"name": name, "parameters": {"binary_data": rng.random() < 0.5}}
            for name in outputs
            if rng.random() < 0.8
        ]
    elif rng.random() < 0.5:
        header["parameters"] = {"binary_data_output": rng.random() < 0.5}
    return model, header, binary, tensors


def ask_for_classes(rng, model, header):
    """Requests the best classes of some outputs."""
    names = ["OUTPUT0"] if model == "identity" else ["OUTPUT0", "OUTPUT1"]
    rng.shuffle(names)
    header["outputs"] = []
    for name in names[: rng.randint(1, len(names))]:
        parameters = {"binary_data": rng.random() < 0.5}
        if not header["outputs"] or rng.random() < 0.7:
            parameters["classification"] = rng.choice([1, 1, 2, 3, 5, 6, 7, 16, 17, 100, 1_000_000])
        header["outputs"].append({"name": name, "parameters": parameters})


def expected_classes(model, tensors, rows, name, count):
    """Returns the classes of an output as `score:index:label`: the highest scores first, equal ones by
    index, and those that are not a number last."""
    first = tensors[0]
    if model == "simple":
        second = tensors[1] if name == "OUTPUT0" else [-value for value in tensors[1]]
        scores = [a + b for a, b in zip(first, second)]
    else:
        scores = [-value for value in first] if name == "OUTPUT1" else first
    length, classes = len(scores) // rows, []
    for row in range(rows):
        values = scores[row * length : (row + 1) * length]
        order = sorted(range(length), key=lambda i: (math.isnan(values[i]), -values[i]))
        for index in order[:count]:
            value = values[index]
            text = str(value) if model == "simple" else "nan" if math.isnan(value) else f"{value:f}"
            label = f":{LABELS[index]}" if (model, name) == ("scores", "OUTPUT0") else ""
            classes.append(f"{text}:{index}{label}")
    return classes


def mutate(rng, model, header, binary):
    """Returns the name of a mutation with the changed request."""
    tensor = rng.choice(header["inputs"])
    kind = rng.choice(
        "datatype name shape-count shape-rank shape-negative missing duplicate model version "
        "output binary-size truncated extended header json value ragged id no-inputs both "
        "unknown-key empty-outputs class-count class-place".split()
    )
    path, length = f"/v2/models/{model}/infer", None
    if kind == "datatype":
        tensor["datatype"] = rng.choice(["FP64", "INT8", "BYTES", "FP99", "", 5])
    elif kind == "name":
        tensor["name"] = rng.choice(["INPUT9", "", "OUTPUT0"])
    elif kind == "shape-count":
        tensor["shape"][-1] += rng.choice([1, 7])  # a huge length in JSON ends the oracle
    elif kind == "shape-rank":
        tensor["shape"] = rng.choice([[16], [1, 1, 16], []])
    elif kind == "shape-negative":
        tensor["shape"][rng.randrange(2)] = -1
    elif kind == "missing":
        header["inputs"].remove(tensor)
    elif kind == "duplicate":
        header["inputs"].append(dict(tensor))
    elif kind == "model":
        path = "/v2/models/nothing/infer"
    elif kind == "version":
        path = f"/v2/models/{model}/versions/{rng.choice([1, 7])}/infer"
    elif kind == "output":
        header["outputs"] = [{"name": "OUTPUT7"}]
    elif kind == "binary-size":
        tensor["parameters"] = {"binary_data_size": rng.choice([0, 3, 10**9, -1, "64"])}
        tensor.pop("data", None)
    elif kind == "truncated":
        binary = binary[: len(binary) // 2]
    elif kind == "extended":
        binary += b"\0" * rng.randint(1, 9)
    elif kind == "header":
        length = rng.choice([1, 10**9, -5, "x"])
    elif kind == "json":
        return kind, path, json.dumps(header).encode()[: rng.randint(1, 40)], None
    elif kind == "value":
        tensor.pop("parameters", None)
        tensor["data"] = rng.choice([["a"], [None], "text", 5, [True], [1e300], {}])
    elif kind == "ragged":
        tensor.pop("parameters", None)
        tensor["data"] = [[1, 2], [3]]
    elif kind == "id":
        header["id"] = rng.choice([5, None, [], {}])
    elif kind == "no-inputs":
        header["inputs"] = rng.choice([[], None, {}, 5])
    elif kind == "both":
        tensor.setdefault("parameters", {})["binary_data_size"] = 4
        tensor["data"] = [1]
    elif kind == "unknown-key":
        header["comment"] = {"a": [1, 2]}
        tensor["note"] = "x"
    elif kind == "empty-outputs":
        header["outputs"] = []
    elif kind == "class-count":
        count = rng.choice([0, -1, "2", 1.5, True, None, [2], {}, 1_000_001, 2**40, 2**64])
        header["outputs"] = [{"name": "OUTPUT0", "parameters": {"classification": count}}]
    elif kind == "class-place":  # not a parameter of an output
        rng.choice([header, tensor]).setdefault("parameters", {})["classification"] = 2
    return kind, path, *encode(header, binary, length)


def encode(header, binary, length=None):
    text = json.dumps(header).encode()
    return text + binary, length if length is not None else (len(text) if binary else None)


def send(address, path, body, length):
    host, port = address.split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=20)
    headers = {} if length is None else {HEADER: str(length)}
    connection.request("POST", path, body, headers)
    try:
        response = connection.getresponse()
    except http.client.RemoteDisconnected:
        return 0, b"the server closed the connection", None
    content, size = response.read(), response.getheader(HEADER)
    connection.close()
    return response.status, content, size


def strings(data):
    """Returns the strings of a binary tensor."""
    texts = []
    while data:
        length = int.from_bytes(data[:4], "little")
        texts.append(data[4 : 4 + length].decode())
        data = data[4 + length :]
    return texts


def decode(status, content, size):
    """Returns a response as comparable values."""
    if status != 200:
        return status
    end = int(size) if size else len(content)
    header, binary = json.loads(content[:end]), content[end:]
    outputs = []
    for output in header["outputs"]:
        count = output.get("parameters", {}).get("binary_data_size")
        if count is not None:
            data, binary = binary[:count], binary[count:]
            if output["datatype"] == "BYTES":
                data = strings(data)
        elif output["datatype"] == "BYTES":
            data = output["data"]
        else:
            data = tensor_bytes(output["datatype"], output["data"])
        if output["datatype"] == "FP32":
            # The sign of NaN is not part of a result.
            values = struct.unpack(f"<{len(data) // 4}f", data)
            data = tensor_bytes("FP32", [math.nan if math.isnan(v) else v for v in values])
        outputs.append((output["name"], output["datatype"], output["shape"], count, data))
    assert not binary, "bytes after the last output"
    return status, header.get("id"), header["model_name"], sorted(outputs, key=lambda o: o[0])


# Differences in which the oracle is wrong, or more lenient than a client can rely on.
LISTED = {
    "the client is at fault: 400, not 500": lambda ours, theirs: ours in (400, 404)
    and theirs == 500,
    "lengths, names, values or arrays that contradict each other are rejected": lambda ours, theirs: (
        ours == 400 and theirs != 500
    ),
}
EQUAL_SCORES = "classes: equal scores are in the order of their indices, which is arbitrary in Triton"
NOT_A_NUMBER = "classes: NaN is last, where Triton has it at any place, also between others, and as -nan"


def explain(kind, ours, theirs):
    if ours == theirs:
        return "equal"
    if kind == "valid":
        return None
    return next((name for name, test in LISTED.items() if test(ours, theirs)), None)


def explain_classes(model, header, tensors, ours, theirs):
    """Returns the reason of a difference in classes, in which our response must be the one that is computed here."""
    if ours == 200 or theirs == 200 or not isinstance(ours, tuple) or not isinstance(theirs, tuple):
        return None
    rows = header["inputs"][0]["shape"][0]
    found = {output[0]: output for output in ours[3]}
    reason = "equal" if ours == theirs else EQUAL_SCORES
    for output in header["outputs"]:
        count = output["parameters"].get("classification")
        if count is None:
            continue
        name, datatype, shape, _, data = found[output["name"]]
        expected = expected_classes(model, tensors, rows, name, count)
        if (datatype, shape, data) != ("BYTES", [rows, len(expected) // rows], expected):
            return None
        others = next(output for output in theirs[3] if output[0] == name)
        if others[2] != shape:
            return None
        if others[4] != data and any(math.isnan(value) for value in tensors[0]):
            reason = NOT_A_NUMBER
        elif others[4] != data and [text.split(":")[0] for text in others[4]] != [
            text.split(":")[0] for text in data
        ]:
            return None
    # Everything except the order of the classes is equal.
    order = lambda output: (*output[:3], output[1] == "BYTES" or output[3:])
    if [order(output) for output in ours[3]] != [order(output) for output in theirs[3]]:
        return None
    return reason if ours[:3] == theirs[:3] else None


def main():
    ours, oracle = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    results, kinds, sent, failures = (*(collections.Counter() for _ in range(3)), 0)
    for index in range(count):
        model, header, binary, tensors = valid_request(rng)
        choice = rng.random()
        if choice < 0.2:
            ask_for_classes(rng, model, header)
        if choice < 0.5:
            kind = "classes" if choice < 0.2 else "valid"
            path, (body, length) = f"/v2/models/{model}/infer", encode(header, binary)
        else:
            kind, path, body, length = mutate(rng, model, header, binary)
        left, right = (send(address, path, body, length) for address in (ours, oracle))
        if right[0] == 0:
            print(f"request {index} ({kind}) ended the oracle: {body[:500]!r} {length}")
            return True
        pair = decode(*left), decode(*right)
        reason = (
            explain_classes(model, header, tensors, *pair)
            if kind == "classes"
            else explain(kind, *pair)
        )
        if left[0] >= 500:
            reason = None
        results[reason] += 1
        sent[kind] += 1
        if reason and reason != "equal":
            kinds[kind] += 1
        if reason is None:
            failures += 1
            print(f"request {index} ({kind}) {path} {body[:300]!r}")
            print(f"  ours:   {left[0]} {left[1][:200]!r}\n  oracle: {right[0]} {right[1][:200]!r}")
    for reason, number in results.most_common():
        print(f"{number:6} {reason or 'NOT LISTED'}")
    print("requests:", dict(sent.most_common()))
    print("differences by mutation:", dict(kinds.most_common()))
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
