"""Sends valid and mutated inference requests to two servers and compares the responses.

Usage: differential.py OURS ORACLE [COUNT] [SEED]; both are HOST:PORT of servers with the models
`simple` and `identity`. Exits with 1 if a response differs for a reason that is not listed.
"""

import collections
import http.client
import json
import random
import struct
import sys

HEADER = "Inference-Header-Content-Length"


def tensor_bytes(datatype, values):
    return struct.pack(f"<{len(values)}{'i' if datatype == 'INT32' else 'f'}", *values)


def valid_request(rng):
    """Returns model, header object and binary tensors of a valid request."""
    batch = rng.choice([1, 1, 1, 2, 5])
    if rng.random() < 0.5:
        model, datatype, shape = "simple", "INT32", [batch, 16]
        names, outputs = ["INPUT0", "INPUT1"], ["OUTPUT0", "OUTPUT1"]
        value = lambda: rng.randint(-(2**30), 2**30)
    else:
        model, datatype, shape = "identity", "FP32", [batch, rng.randint(1, 9)]
        names, outputs = ["INPUT0"], ["OUTPUT0"]
        value = lambda: struct.unpack("<f", struct.pack("<f", rng.uniform(-1e6, 1e6)))[0]
    inputs, binary = [], b""
    for name in names:
        values = [value() for _ in range(shape[0] * shape[1])]
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
    return model, header, binary


def mutate(rng, model, header, binary):
    """Returns the name of a mutation with the changed request."""
    tensor = rng.choice(header["inputs"])
    kind = rng.choice(
        "datatype name shape-count shape-rank shape-negative missing duplicate model version "
        "output binary-size truncated extended header json value ragged id no-inputs both "
        "unknown-key empty-outputs classification".split()
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
    elif kind == "classification":
        header["outputs"] = [{"name": "OUTPUT0", "parameters": {"classification": 2}}]
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
        elif output["datatype"] == "BYTES":
            data = output["data"]
        else:
            data = tensor_bytes(output["datatype"], output["data"])
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


def explain(kind, ours, theirs):
    if ours == theirs:
        return "equal"
    if kind == "valid":
        return None
    return next((name for name, test in LISTED.items() if test(ours, theirs)), None)


def main():
    ours, oracle = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 1)
    results, kinds, failures = collections.Counter(), collections.Counter(), 0
    for index in range(count):
        model, header, binary = valid_request(rng)
        if rng.random() < 0.4:
            kind, path, body, length = "valid", f"/v2/models/{model}/infer", *encode(header, binary)
        else:
            kind, path, body, length = mutate(rng, model, header, binary)
        left, right = (send(address, path, body, length) for address in (ours, oracle))
        if right[0] == 0:
            print(f"request {index} ({kind}) ended the oracle: {body[:500]!r} {length}")
            return True
        reason = explain(kind, decode(*left), decode(*right))
        if left[0] >= 500:
            reason = None
        results[reason] += 1
        if reason and reason != "equal":
            kinds[kind] += 1
        if reason is None:
            failures += 1
            print(f"request {index} ({kind}) {path} {body[:300]!r}")
            print(f"  ours:   {left[0]} {left[1][:200]!r}\n  oracle: {right[0]} {right[1][:200]!r}")
    for reason, number in results.most_common():
        print(f"{number:6} {reason or 'NOT LISTED'}")
    print("differences by mutation:", dict(kinds.most_common()))
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
