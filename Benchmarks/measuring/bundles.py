"""Writes bundles of any size, whose model doubles its numbers."""

import json
import struct
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "Tests" / "Fixtures" / "Models" / "double-float32.tflite"
# In the file, a tensor's name is followed by how many dimensions it has, and by each of them.
TENSORS = [name + b"\0\0\0" for name in (b"x", b"y")]


def doubling(bundle, count, labels=False, examples=()):
    """Writes a bundle whose input and output have `count` numbers."""
    (bundle / "assets").mkdir(parents=True)
    (bundle / "model.tflite").write_bytes(_model(count))
    if labels:
        names = "".join(f"the class of number {index}\n" for index in range(count))
        (bundle / "assets" / "labels.txt").write_text(names)
    description = _description(count, labels, list(examples))
    (bundle / "model.json").write_text(json.dumps(description, indent=2))
    return bundle


def spread(count):
    """Returns numbers between 0 and 1 in pseudorandom order."""
    return [(index * 7919) % 20011 / 20011 for index in range(count)]


def _model(count):
    """Returns the fixture with other shapes, on which nothing else in it depends."""
    model = MODEL.read_bytes()
    for tensor in TENSORS:
        known = tensor + struct.pack("<2I", 1, 4)
        assert model.count(known) == 1, f"{MODEL} is not the file it was"
        model = model.replace(known, tensor + struct.pack("<2I", 1, count))
    return model


def _description(count, labels, examples):
    output = {"name": "y", "type": "array", "shape": [count]}
    if labels:
        output["labels"] = "labels.txt"
    return {
        "name": "Doubling",
        "details": "Doubles numbers",
        "id": "doubling",
        "version": "1",
        "author": "TensorIO for Swift",
        "license": "Apache-2.0",
        "model": {
            "file": "model.tflite", "quantized": False, "backend": "tflite",
            "modes": ["predict"], "type": "arithmetic",
        },
        "inputs": [{"name": "x", "type": "array", "shape": [count]}],
        "outputs": [output],
        "options": {},
        "examples": examples,
    }
