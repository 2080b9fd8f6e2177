"""Default exports of Keras with what LiteRT's interpreter computes for single items."""

import json
import pathlib
import shutil
from typing import Any

import numpy

FIXTURES = pathlib.Path(__file__).parents[2] / "Tests" / "Fixtures" / "Keras"
GOLDEN = json.loads((FIXTURES / "golden.json").read_text())


class Network:
    """A network as a bundle that declares any number of items, with its values and expected outputs."""

    def __init__(self, name: str, folder: pathlib.Path) -> None:
        golden = GOLDEN[name]
        self.path = folder / "keras.tiobundle"
        self.path.mkdir()
        quantization = name.partition(".")[2]
        self.dtype = quantization if quantization in ("uint8", "int8") else None
        self.takes_indices = name.startswith(("embedding", "text"))
        self.shapes, self.items = golden["inputs"], golden["items"]
        description = {
            "name": "", "details": "", "id": "", "version": "1", "author": "", "license": "",
            "model": {"file": "model.tflite", "quantized": False, "backend": "tflite", "modes": ["predict"]},
            "inputs": self._layers("x", self.shapes, "int32" if self.takes_indices else self.dtype),
            "outputs": self._layers("y", golden["outputs"], self.dtype)}
        (self.path / "model.json").write_text(json.dumps(description))
        shutil.copy(FIXTURES / f"{name}.tflite", self.path / "model.tflite")

    @staticmethod
    def _layers(prefix: str, shapes: list[list[int]], dtype: str | None) -> list[dict[str, Any]]:
        types = {"dtype": dtype} if dtype else {}
        return [{"name": f"{prefix}{index}", "type": "array", "shape": [-1, *shape[1:]], **types}
                for index, shape in enumerate(shapes)]

    def inputs(self, count: int) -> dict[str, Any]:
        """The inputs of some items, which repeat after eight; the numbers are those of Scripts/fixtures/keras-models/golden.py."""
        values = {}
        for index, shape in enumerate(self.shapes):
            size = int(numpy.prod(shape))
            numbers = (numpy.arange(len(self.items) * size) * 37 + 11) % 101
            if self.takes_indices:
                array = (numbers % 10).astype(numpy.int32)
            elif self.dtype:
                array = (numbers * 2 if self.dtype == "uint8" else numbers - 50).astype(self.dtype)
            else:
                array = numbers.astype(numpy.float32) / numpy.float32(50) - 1
            items = array.reshape(len(self.items), *shape[1:])
            values[f"x{index}"] = items[numpy.arange(count) % len(items)]
        return values

    def check(self, outputs: dict[str, Any], count: int) -> None:
        for index in range(len(self.items[0])):
            expected = numpy.array([self.items[item % len(self.items)][index] for item in range(count)])
            found = numpy.asarray(outputs[f"y{index}"], float).reshape(count, -1)
            step = 1 if self.dtype else 1e-4 + 1e-4 * numpy.abs(expected)
            assert found.shape == expected.shape and (numpy.abs(found - expected) <= step).all()
