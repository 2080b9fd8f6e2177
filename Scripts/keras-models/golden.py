"""Computes the outputs of the models for eight items, one item at a time, with LiteRT's interpreter."""

import json
import sys
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter

ITEMS = 8
# The length of free axes other than the number of items.
LENGTH = 8


def elements(count, type, start):
    """The same numbers as `KerasNetwork.elements` in the tests."""
    numbers = (np.arange(start, start + count, dtype=np.int64) * 37 + 11) % 101
    if type in (np.float32, np.float16):
        return (numbers.astype(np.float32) / 50 - 1).astype(type)
    if type == np.uint8:
        return (numbers * 2).astype(type)
    if type == np.int8:
        return (numbers - 50).astype(type)
    return (numbers % 10).astype(type)


def digits(number):
    return float(f"{number:.7g}") if isinstance(number, np.floating) else int(number)


def golden(path):
    interpreter = Interpreter(str(path))
    inputs = interpreter.get_input_details()
    outputs = interpreter.get_output_details()
    shapes = [
        [1 if axis == 0 else LENGTH if length < 0 else int(length) for axis, length in enumerate(x["shape_signature"])]
        for x in inputs
    ]
    for x, shape in zip(inputs, shapes):
        interpreter.resize_tensor_input(x["index"], shape, strict=True) if -1 in x["shape_signature"] else None
    interpreter.allocate_tensors()
    items = []
    for item in range(ITEMS):
        for x, shape in zip(inputs, shapes):
            count = int(np.prod(shape))
            interpreter.set_tensor(x["index"], elements(count, x["dtype"], item * count).reshape(shape))
        interpreter.invoke()
        items.append([[digits(x) for x in interpreter.get_tensor(y["index"]).flatten()] for y in outputs])
    last = [list(map(int, interpreter.get_tensor(y["index"]).shape)) for y in outputs]
    return {"inputs": shapes, "outputs": last, "items": items}


def main(folder):
    goldens = {path.stem: golden(path) for path in sorted(folder.glob("*.tflite"))}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in goldens.items())
    (folder / "golden.json").write_text("{\n" + lines + "\n}\n")


main(Path(sys.argv[1]))
