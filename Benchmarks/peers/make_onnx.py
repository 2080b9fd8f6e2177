"""Makes the bundles with ONNX models that are measured. Usage: make_onnx.py FOLDER

`tiny` is a linear model of ten numbers, `mobile` a network like MobileNet v1 0.25 for images of
128 × 128, with random weights.
"""

import json
import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).parent / "../../Scripts/fixtures/onnx-models"))
from onnx_file import FLOAT, INT64, graph, model, node, tensor, tensor_type, value  # noqa: E402

NUMBERS = random.Random(42)


def weights(name, *shape, scale=1.0):
    count = 1
    for size in shape:
        count *= size
    return tensor(name, FLOAT, shape, [NUMBERS.uniform(-scale, scale) for _ in range(count)])


def tiny():
    nodes = [node("MatMul", ["x", "w"], ["p"]), node("Add", ["p", "b"], ["y"])]
    return model(graph(nodes, [value("x", tensor_type(FLOAT, (1, 10)))],
                       [value("y", tensor_type(FLOAT, (1, 1)))],
                       [weights("w", 10, 1), weights("b", 1)]))


class Network:
    def __init__(self):
        self.nodes, self.constants, self.last, self.count = [], [], "x", 0

    def add(self, operator, *constants, **attributes):
        self.count += 1
        name = f"t{self.count}"
        self.nodes.append(node(operator, [self.last, *constants], [name], **attributes))
        self.last = name

    def convolution(self, inputs, outputs, side, stride, group=1):
        name = f"w{self.count}"
        scale = (3.0 / (inputs // group * side * side)) ** 0.5
        self.constants.append(weights(name, outputs, inputs // group, side, side, scale=scale))
        self.constants.append(weights(name + "b", outputs, scale=0.1))
        pad = side // 2
        self.add("Conv", name, name + "b", kernel_shape=[side, side], strides=[stride, stride],
                 pads=[pad] * 4, group=group)
        self.add("Relu")


def mobile():
    net = Network()
    net.convolution(3, 8, 3, 2)
    channels = 8
    for outputs, stride in [(16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2), (128, 1), (128, 1),
                            (128, 1), (128, 1), (128, 1), (256, 2), (256, 1)]:
        net.convolution(channels, channels, 3, stride, group=channels)
        net.convolution(channels, outputs, 1, 1)
        channels = outputs
    net.add("GlobalAveragePool")
    net.add("Flatten")
    net.constants += [weights("fc", channels, 1000, scale=0.1), weights("fcb", 1000)]
    net.nodes.append(node("Gemm", [net.last, "fc", "fcb"], ["logits"]))
    net.nodes.append(node("Softmax", ["logits"], ["y"]))
    return model(graph(net.nodes, [value("x", tensor_type(FLOAT, (1, 3, 128, 128)))],
                       [value("y", tensor_type(FLOAT, (1, 1000)))], net.constants))


def bundle(folder, name, text, inputs, outputs):
    path = folder / f"onnx-{name}.tiobundle"
    path.mkdir(parents=True, exist_ok=True)
    (path / "model.onnx").write_bytes(text)
    (path / "model.json").write_text(json.dumps({
        "name": name, "details": "A model that is measured.", "id": f"onnx-{name}", "version": "1",
        "author": "TensorIO", "license": "Apache-2.0",
        "model": {
            "file": "model.onnx", "backend": "onnx", "quantized": False, "modes": ["predict"]},
        "inputs": [{"name": "x", "type": "array", "shape": inputs}],
        "outputs": [{"name": "y", "type": "array", "shape": outputs}],
    }, indent=1))


def main(folder):
    folder = pathlib.Path(folder)
    bundle(folder, "tiny", tiny(), [1, 10], [1, 1])
    bundle(folder, "mobile", mobile(), [1, 3, 128, 128], [1, 1000])


main(*sys.argv[1:])
