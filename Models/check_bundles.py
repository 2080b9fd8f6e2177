"""Runs every sample of every bundle and compares the outputs with expected.json.

It reads only the bundles and uses the runtimes' Python interfaces, so that it shares nothing but the
arithmetic with the scripts that created them.
"""

import base64
import io
import json
import sys

import reproducible

import numpy as np
import tensorflow as tf
from ai_edge_litert.compiled_model import CompiledModel
from ai_edge_litert.interpreter import Interpreter
from PIL import Image

from arithmetic import dequantized, denormalized, normalized, quantized
from bundle import EXAMPLES, size
from pictures import boxed, prepared
from sounds import load_sound, log_mel, windows
from texts import token_ids

MODES = {"GRAY": "L", "RGB": "RGB"}
SIZE_LIMIT = 1_500_000


def encoded(layer, value, assets):
    if layer["type"] == "text":
        tokens = (assets / layer["tokenizer"]["file"]).read_text().splitlines()
        vocabulary = {token: index for index, token in enumerate(tokens)}
        return np.int32(token_ids(value, vocabulary, layer["shape"][-1]))
    if layer["type"] == "audio":
        return log_mel(value, layer)
    if layer["type"] == "image":
        *_, height, width, _ = layer["shape"]
        mode = MODES[layer["format"]]
        if layer.get("fit") == "letterbox":
            pixels = boxed(value, (width, height), mode, layer.get("fit_anchor") != "top-left")
        else:
            pixels = prepared(value, height, mode)
        return normalized(pixels) if "normalize" in layer else pixels
    if "quantize" in layer:
        return quantized(value, layer["quantize"]["standard"])
    return np.float32(value)


def decoded(layer, values):
    if layer["type"] == "image":
        return denormalized(values)
    if "dequantize" in layer:
        return dequantized(values, layer["dequantize"]["standard"])
    return values


def sample_values(path, layers):
    if path.suffix == ".wav":
        return [load_sound(path, layers[0]["rate"])]
    if path.suffix != ".json":
        return [Image.open(path)]
    named = json.loads(path.read_text())
    return [value_written_out(named[layer["name"]]) for layer in layers]


def value_written_out(value):
    """Converts a value of a document, in which an image file is a string with a prefix."""
    if isinstance(value, str) and value.startswith("base64:"):
        return Image.open(io.BytesIO(base64.b64decode(value.removeprefix("base64:"))))
    return value


class LiteRTBundle:
    """A bundle around a .tflite file."""

    def __init__(self, file, description):
        self.graph = Interpreter(model_path=str(file))
        self.model = CompiledModel.from_file(str(file))
        self.outputs = description["outputs"]
        self.kind = np.uint8 if description["model"]["quantized"] else np.float32

    def key(self):
        """Returns the name of the signature for predictions."""
        keys = self.model.get_signature_list()
        return "infer" if "infer" in keys else next(iter(keys))

    def names(self):
        """Returns the names of the model's own inputs and outputs, in its order."""
        if self.key() == "infer":
            signature = self.model.get_signature_list()[self.key()]
            return [signature["inputs"], signature["outputs"]]
        sides = self.graph.get_input_details(), self.graph.get_output_details()
        return [[tensor["name"] for tensor in details] for details in sides]

    def run(self, tensors):
        key = self.key()
        inputs = {name: self.model.create_input_buffer_by_name(key, name) for name in tensors}
        outputs = {
            layer["name"]: self.model.create_output_buffer_by_name(key, layer["name"])
            for layer in self.outputs
        }
        for name, buffer in inputs.items():
            buffer.write(tensors[name])
        self.model.run_by_name(key, inputs, outputs)
        return {
            layer["name"]: outputs[layer["name"]].read(abs(int(np.prod(layer["shape"]))), self.kind)
            for layer in self.outputs
        }


class TensorFlowBundle:
    """A bundle around a SavedModel."""

    def __init__(self, file, description):
        self.model = tf.saved_model.load(str(file))
        self.signature = self.model.signatures["serving_default"]

    def names(self):
        inputs = self.signature.structured_input_signature[1]
        return [list(inputs), list(self.signature.structured_outputs)]

    def run(self, tensors):
        """Returns the outputs of a batch of one."""
        rows = {name: tf.constant(value[None]) for name, value in tensors.items()}
        return {name: value.numpy()[0] for name, value in self.signature(**rows).items()}


RUNTIMES = {"tflite": LiteRTBundle, "tensorflow": TensorFlowBundle}


def runs(values, layers):
    """Returns the values of each run: one run, or one for each window of a sound."""
    return [[window] for window in windows(values[0], layers[0])] if layers[0]["type"] == "audio" else [values]


def answers(path, description, model):
    """Returns the outputs of the bundle's model for a sample, by name; of a sound, the means over its windows, or the last state."""
    states, assets = description.get("state", []), path.parent.parent / "assets"
    carried = {pair["input"]: pair["output"] for pair in states}
    layers = [layer for layer in description["inputs"] if layer["name"] not in carried]
    state = {
        layer["name"]: np.zeros(layer["shape"], np.float32)
        for layer in description["inputs"]
        if layer["name"] in carried
    }
    found = []
    for values in runs(sample_values(path, layers), layers):
        tensors = {
            layer["name"]: np.ascontiguousarray(encoded(layer, value, assets))
            for layer, value in zip(layers, values)
        }
        found.append(model.run(tensors | state))
        state = {name: found[-1][output] for name, output in carried.items()}
    return {
        layer["name"]: found[-1][layer["name"]]
        if layer["name"] in carried.values()
        else np.mean([decoded(layer, each[layer["name"]]) for each in found], axis=0)
        for layer in description["outputs"]
    }


def expected_values(bundle, answer):
    if isinstance(answer, str) and answer.endswith(".json"):
        return np.array(json.loads((bundle / answer).read_text()))
    return np.asarray(Image.open(bundle / answer)) if isinstance(answer, str) else np.array(answer)


def faults(bundle):
    description = json.loads((bundle / "model.json").read_text())
    expected = json.loads((bundle / "expected.json").read_text())
    file = bundle / description["model"]["file"]
    if size(file) > SIZE_LIMIT:
        yield f"the model is larger than {SIZE_LIMIT} bytes"
    model = RUNTIMES[description["model"]["backend"]](file, description)
    for direction, names in zip(("inputs", "outputs"), model.names()):
        declared = [layer["name"] for layer in description[direction]]
        if declared != names:
            yield f"the {direction} of the model are not named {declared}, or not in that order"
    samples = {path.name for path in (bundle / "samples").iterdir()}
    if samples != expected["samples"].keys():
        yield "expected.json does not list exactly the samples"
    for name, outputs in expected["samples"].items():
        found = answers(bundle / "samples" / name, description, model)
        for output, answer in outputs.items():
            values = expected_values(bundle, answer).astype(float).ravel()
            difference = np.abs(found[output].astype(float).ravel() - values).max()
            if not difference <= expected["tolerance"]:
                yield f"{name}: {output} is off by {difference}"


def main():
    bundles = sorted((EXAMPLES / "Bundles").glob("*.tiobundle"))
    found = [f"{bundle.name}: {fault}" for bundle in bundles for fault in faults(bundle)]
    print("\n".join(found) or f"{len(bundles)} bundles answer their samples as expected")
    sys.exit(1 if found or not bundles else 0)


if __name__ == "__main__":
    main()
