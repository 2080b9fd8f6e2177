"""Writes what LiteRT's interpreter in Python computes with the LSTM in three runs. Usage: golden_states.py FOLDER"""

import json
import pathlib
import sys

import numpy
from ai_edge_litert.interpreter import Interpreter


def outputs(path, inputs, resetting):
    interpreter = Interpreter(str(path), num_threads=1)
    interpreter.allocate_tensors()
    x, y = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    results = []
    for values in inputs:
        if resetting:
            interpreter.reset_all_variables()
        interpreter.set_tensor(x["index"], values)
        interpreter.invoke()
        results.append([float(number) for number in interpreter.get_tensor(y["index"]).ravel()])
    return results


def main(folder):
    random = numpy.random.default_rng(6)
    inputs = [random.uniform(-1, 1, [1, 4, 3]).astype(numpy.float32) for _ in range(3)]
    path = folder / "lstm.tflite"
    result = {"inputs": [[float(number) for number in values.ravel()] for values in inputs],
              "kept": outputs(path, inputs, False), "reset": outputs(path, inputs, True)}
    (folder / "lstm.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
