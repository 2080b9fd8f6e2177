"""Runs .tflite models in LiteRT, the runtime that users run them in."""

import numpy as np
from ai_edge_litert.interpreter import Interpreter


class Runner:
    """A loaded model: takes and returns arrays in the order of model.json."""

    def __init__(self, model):
        self.interpreter = Interpreter(model_content=model, num_threads=1)
        self.interpreter.allocate_tensors()
        self.inputs = self.interpreter.get_input_details()
        self.outputs = self.interpreter.get_output_details()

    def __call__(self, *values):
        for tensor, value in zip(self.inputs, values, strict=True):
            array = np.asarray(value, tensor["dtype"]).reshape(tensor["shape"])
            self.interpreter.set_tensor(tensor["index"], array)
        self.interpreter.invoke()
        return [self.interpreter.get_tensor(tensor["index"])[0] for tensor in self.outputs]

    def quantization(self):
        """Returns one line per layer: its name, scale and zero point."""
        return [
            f"`{tensor['name']}` scale {tensor['quantization'][0]:.8g}, "
            f"zero point {tensor['quantization'][1]}"
            for tensor in self.inputs + self.outputs
        ]


class SignatureRunner:
    """A signature of a model: takes arrays by name, with any batch size, and returns arrays by name."""

    def __init__(self, model, name):
        self.interpreter = Interpreter(model_content=model, num_threads=1)
        self.run = self.interpreter.get_signature_runner(name)

    def __call__(self, **values):
        return self.run(**values)
