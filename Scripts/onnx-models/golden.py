"""Writes what onnxruntime's Python package computes with the models of a folder. Usage: golden.py FOLDER"""

import json
import pathlib
import sys

import numpy
import onnxruntime
from make import numbers

SHAPES = {
    "classes-named": [2, 4], "classes-numbered": [3, 4], "color-means": [2, 3, 4, 4],
    "convolution": [1, 1, 8, 8], "found": [6], "linear-batch": [3, 4], "linear-external": [2, 4],
    "linear-one": [1, 4], "recurrent": [5, 1, 3], "shapes": [16],
}


def listed(output):
    if isinstance(output, list):  # a sequence of maps
        rows = [[float(score) for score in row.values()] for row in output]
        return {"shape": [len(rows), len(rows[0])], "values": sum(rows, []),
                "keys": [str(key) for key in output[0]]}
    values = [str(v) if output.dtype.kind in "OU" else float(v) for v in output.ravel()]
    return {"shape": list(output.shape), "values": values}


def main(folder):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    results = {}
    for name, shape in SHAPES.items():
        session = onnxruntime.InferenceSession(str(folder / f"{name}.onnx"), options)
        values = numbers(int(numpy.prod(shape)), 9)
        x = numpy.array(values, numpy.float32).reshape(shape)
        names = [output.name for output in session.get_outputs()]
        outputs = session.run(names, {session.get_inputs()[0].name: x})
        results[name] = {"shape": shape, "input": values,
                         "outputs": {n: listed(o) for n, o in zip(names, outputs)}}
    text = json.dumps(results, indent=1, ensure_ascii=False)
    (folder / "golden.json").write_text(text + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
