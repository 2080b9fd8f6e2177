"""Runs an ONNX model with onnxruntime's Python package.

`onnx_run.py once MODEL NUMBER…` prints the output; `onnx_run.py measure MODEL NUMBER…` measures `run`.
"""

import sys

import numpy as np
import onnxruntime

from measuring import measure


class Given:
    rounds, iterations, threads = 3, 2000, 1


def main(verb, path, *numbers):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options)
    first, names = session.get_inputs()[0], [session.get_outputs()[0].name]
    values = np.array([float(number) for number in numbers], np.float32).reshape(first.shape)
    if verb == "once":
        print(session.run(names, {first.name: values})[0])
    else:
        measure("onnxruntime", path, Given, {"run": lambda: session.run(names, {first.name: values})})


main(*sys.argv[1:])
