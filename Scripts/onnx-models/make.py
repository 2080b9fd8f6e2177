"""Writes the ONNX models that the tests run. Usage: make.py FOLDER"""

import pathlib
import struct
import sys

from protobuf import (BOOL, DOUBLE, FLOAT, HALF, INT8, INT16, INT32, INT64, STRING, UINT8, UINT32,
                      graph, map_sequence_type, model, node, tensor, tensor_type, value)

FIXTURES = pathlib.Path(__file__).parent / "../../Tests/Fixtures"
MODELS = {}
FILES = {}
ML = [("ai.onnx.ml", 3)]


def register(function):
    MODELS[function.__name__.replace("_", "-")] = function
    return function


def numbers(count, seed=1):
    """Numbers from -1 to 1 that float32 represents exactly."""
    state, found = seed, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        found.append((state >> 16) % 257 / 128 - 1)
    return found


def simple(operator, kind, shape=(4,), inputs=1):
    x, y = (value(name, tensor_type(kind, shape)) for name in "xy")
    return model(graph([node(operator, ["x"] * inputs, ["y"])], [x], [y]))


for name, kind in {"float32": FLOAT, "float64": DOUBLE, "int32": INT32, "int64": INT64,
                   "uint8": UINT8, "int8": INT8, "int16": INT16, "float16": HALF,
                   "uint32": UINT32}.items():
    operator, count = ("Identity", 1) if kind in (INT16, HALF) else ("Add", 2)
    MODELS[f"double-{name}"] = lambda o=operator, k=kind, c=count: simple(o, k, inputs=c)
MODELS["not-bool"] = lambda: simple("Not", BOOL)


@register
def reversed_strings():
    x, y = (value(name, tensor_type(STRING, [3])) for name in "xy")
    order = tensor("order", INT64, [3], [2, 1, 0])
    return model(graph([node("Gather", ["x", "order"], ["y"])], [x], [y], [order]))


def linear(rows, external=None):
    """y = x · w + b"""
    weights = tensor("w", FLOAT, [4, 3], numbers(12), external and (external, 4))
    bias = tensor("b", FLOAT, [3], numbers(3, 2), external and (external, 4 + 48))
    nodes = [node("Gemm", ["x", "w", "b"], ["y"])]
    x, y = value("x", tensor_type(FLOAT, [rows, 4])), value("y", tensor_type(FLOAT, [rows, 3]))
    return graph(nodes, [x], [y], [weights, bias])


@register
def linear_one():
    return model(linear(1))


@register
def linear_batch():
    return model(linear("batch"))


@register
def linear_external():
    FILES["weights.bin"] = b"skip" + struct.pack("<15f", *numbers(12), *numbers(3, 2))
    return model(linear("batch", "weights.bin"))


@register
def found():
    """The indexes of the positive elements: the size is known only after a run."""
    zero = tensor("zero", FLOAT, [], [0.0])
    nodes = [node("Greater", ["x", "zero"], ["positive"]), node("NonZero", ["positive"], ["y"])]
    x, y = value("x", tensor_type(FLOAT, [6])), value("y", tensor_type(INT64, [1, "count"]))
    return model(graph(nodes, [x], [y], [zero]))


@register
def color_means():
    nodes = [node("GlobalAveragePool", ["image"], ["means"]), node("Flatten", ["means"], ["y"])]
    image = value("image", tensor_type(FLOAT, ["batch", 3, 4, 4]))
    return model(graph(nodes, [image], [value("y", tensor_type(FLOAT, ["batch", 3]))]))


def classifier(labels, key, keys):
    nodes = [
        node("LinearClassifier", ["x"], ["label", "scores"], "ai.onnx.ml", coefficients=numbers(12),
             intercepts=numbers(3, 2), post_transform="SOFTMAX",
             **{keys.replace("int64s", "ints"): labels}),
        node("ZipMap", ["scores"], ["probabilities"], "ai.onnx.ml", **{keys: labels})]
    outputs = [value("label", tensor_type(key, ["batch"])),
               value("probabilities", map_sequence_type(key))]
    x = value("x", tensor_type(FLOAT, ["batch", 4]))
    return model(graph(nodes, [x], outputs), domains=ML)


@register
def classes_named():
    return classifier(["setosa", "virginica", "ärmlich"], STRING, "classlabels_strings")


@register
def classes_numbered():
    return classifier([7, -3, 20], INT64, "classlabels_int64s")


@register
def recurrent():
    """An LSTM of 5 steps with 3 inputs and 4 units in both directions."""
    constants = [tensor("w", FLOAT, [2, 16, 3], numbers(96)),
                 tensor("r", FLOAT, [2, 16, 4], numbers(128, 2)),
                 tensor("b", FLOAT, [2, 32], numbers(64, 3))]
    nodes = [node("LSTM", ["x", "w", "r", "b"], ["y", "", "c"], hidden_size=4,
                  direction="bidirectional")]
    x = value("x", tensor_type(FLOAT, [5, 1, 3]))
    outputs = [value("y", tensor_type(FLOAT, [5, 2, 1, 4])),
               value("c", tensor_type(FLOAT, [2, 1, 4]))]
    return model(graph(nodes, [x], outputs, constants))


@register
def convolution():
    constants = [tensor("w", FLOAT, [4, 1, 3, 3], numbers(36)), tensor("b", FLOAT, [4], numbers(4)),
                 tensor("v", FLOAT, [36, 5], numbers(180)), tensor("c", FLOAT, [5], numbers(5))]
    nodes = [
        node("Conv", ["x", "w", "b"], ["h"], kernel_shape=[3, 3], strides=[1, 1], dilations=[1, 1],
             group=1),
        node("Relu", ["h"], ["r"]),
        node("MaxPool", ["r"], ["p"], kernel_shape=[2, 2], strides=[2, 2]),
        node("Flatten", ["p"], ["f"]), node("Gemm", ["f", "v", "c"], ["g"]),
        node("Softmax", ["g"], ["y"])]
    x, y = value("x", tensor_type(FLOAT, [1, 1, 8, 8])), value("y", tensor_type(FLOAT, [1, 5]))
    return model(graph(nodes, [x], [y], constants))


@register
def shapes():
    def integers(name, *values):
        return tensor(name, INT64, [len(values)], list(values))

    constants = [integers("four", 1, 1, 4, 4), integers("start", 0), integers("end", 3),
                 integers("axis", 2), integers("step", 1), integers("pads", 0, 0, 1, 1, 0, 0, 1, 1),
                 tensor("scales", FLOAT, [4], [1.0, 1.0, 2.0, 2.0]), integers("times", 1, 1, 1, 2),
                 integers("count", 3)]
    nodes = [
        node("Reshape", ["x", "four"], ["a"]),
        node("Slice", ["a", "start", "end", "axis", "step"], ["b"]),
        node("Pad", ["b", "pads"], ["c"]),
        node("Resize", ["c", "", "scales"], ["d"], mode="nearest"),
        node("Tile", ["d", "times"], ["e"]),
        node("TopK", ["e", "count"], ["y", "places"])]
    x, y = value("x", tensor_type(FLOAT, [16])), value("y", tensor_type(FLOAT, [1, 1, 10, 3]))
    return model(graph(nodes, [x], [y], constants))


@register
def picture():
    """The network of the bundles `picture-tensorflow` and `picture-tflite`, with the channels first."""
    folder = FIXTURES / "TensorFlow/picture-tensorflow.tiobundle/model/variables"
    weights = struct.unpack("<876f", (folder / "variables.data-00000-of-00001").read_bytes())
    dense, kernel = weights[:768], weights[768:]  # [256, 3] and [3, 3, 3, 4]
    turned = [kernel[(cell * 3 + channel) * 4 + filter] for filter in range(4)
              for channel in range(3) for cell in range(9)]
    constants = [tensor("kernel", FLOAT, [4, 3, 3, 3], turned),
                 tensor("dense", FLOAT, [256, 3], dense), tensor("four", FLOAT, [], [4.0]),
                 tensor("flat", INT64, [2], [-1, 256])]
    nodes = [
        node("Conv", ["image", "kernel"], ["h"], strides=[2, 2], pads=[0, 0, 1, 1]),
        node("Relu", ["h"], ["r"]), node("Transpose", ["r"], ["t"], perm=[0, 2, 3, 1]),
        node("Reshape", ["t", "flat"], ["f"]), node("MatMul", ["f", "dense"], ["m"]),
        node("Mul", ["m", "four"], ["logits"]),
        node("Softmax", ["logits"], ["probabilities"], axis=-1)]
    image = value("image", tensor_type(FLOAT, ["batch", 3, 16, 16]))
    output = value("probabilities", tensor_type(FLOAT, ["batch", 3]))
    return model(graph(nodes, [image], [output], constants))


@register
def endless():
    """A loop without end."""
    body = graph([node("Identity", ["more"], ["again"]), node("Add", ["state", "state"], ["sum"])],
                 [value("index", tensor_type(INT64, [])), value("more", tensor_type(BOOL, [])),
                  value("state", tensor_type(FLOAT, [1]))],
                 [value("again", tensor_type(BOOL, [])), value("sum", tensor_type(FLOAT, [1]))])
    nodes = [node("Loop", ["", "true", "x"], ["y"], body={"graph": body})]
    x, y = (value(name, tensor_type(FLOAT, [1])) for name in "xy")
    return model(graph(nodes, [x], [y], [tensor("true", BOOL, [], [True])]))


@register
def unknown_operator():
    x, y = (value(name, tensor_type(FLOAT, [1])) for name in "xy")
    nodes = [node("Foo", ["x"], ["y"], "com.example")]
    return model(graph(nodes, [x], [y]), domains=[("com.example", 1)])


@register
def metadata():
    return model(linear("batch"), {"names": "{0: 'cat', 1: \"dog's\", 2: 'bird'}",
                                   "task": "classify", "imgsz": "[4, 4]"})


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, function in MODELS.items():
        (folder / f"{name}.onnx").write_bytes(function())
    for name, contents in FILES.items():
        (folder / name).write_bytes(contents)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
