"""The quantizers of model formats, in a process of their own: ``python -m tensorio._quantizers``.

``tensorio quantize`` starts it, and decides what is tried: this file only calls ``ai_edge_quantizer`` for .tflite and
``onnxruntime.quantization`` for .onnx files. They are not imported into the caller's process, because each brings a runtime of its own.

Every line of standard input is a request, and every line of standard output its answer, both JSON objects. What the packages print goes to
standard error.

- ``{"open": PATH, "calibration": FOLDER, "inputs": [NAME]}``: ``{"layers": [NAME], "compact": BOOL}``, the names of the layers, from the
  input to the output, and whether float layers can have weights of 8 bits. FOLDER has a NumPy file for each item and input, named ``ITEM.NUMBER.npy`` with the number of the input's name; both are absent
  if no recipe needs them.
- ``{"recipe": NAME, "float": [NAME], "weights": BOOL, "output": PATH}``: ``{}`` after the model has been written, where the named layers stay
  float; with ``weights``, theirs have 8 bits and become floats when they are used.
- ``{"error": TEXT}`` is the answer to a request that fails; ``"missing"`` names the package if one is not installed.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import pathlib
import re
import sys
import tempfile
from collections.abc import Iterator
from typing import Any


def _items(folder: str | None, names: list[str]) -> Iterator[dict[str, Any]]:
    """The inputs of each item of a folder, by name."""
    import numpy

    items: dict[str, dict[str, pathlib.Path]] = {}
    for path in sorted(pathlib.Path(folder).glob("*.npy")) if folder else []:
        item, number = path.name.removesuffix(".npy").split(".")
        items.setdefault(item, {})[names[int(number)]] = path
    for paths in items.values():
        yield {name: numpy.load(path) for name, path in paths.items()}


class LiteRT:
    """A .tflite model."""

    is_compact = True

    def __init__(self, path: str, calibration: str | None, inputs: list[str]) -> None:
        from ai_edge_litert import schema_py_generated as schema  # type: ignore[import-untyped]
        from ai_edge_quantizer import qtyping, quantizer  # type: ignore[import-not-found]

        self._schema, self._operation, self._quantizer = schema, qtyping.TFLOperationName, quantizer.Quantizer
        self._weighted = [self._operation.FULLY_CONNECTED, self._operation.CONV_2D, self._operation.DEPTHWISE_CONV_2D]
        model = schema.ModelT.InitFromPackedBuf(bytearray(pathlib.Path(path).read_bytes()), 0)
        graph = model.subgraphs[0]
        if not model.signatureDefs:  # activations are recorded by signature
            model.signatureDefs = [self._signature(graph)]
        self._key = model.signatureDefs[0].signatureKey.decode()
        # The quantizer names inputs as the signature does; others are in the order of the graph.
        keys = [entry.name.decode() for index in graph.inputs
                for entry in model.signatureDefs[0].inputs if entry.tensorIndex == index]
        self._inputs = inputs if set(inputs) == set(keys) else keys
        self._model = self._packed(model)
        self._calibration, self._ranges = calibration, None
        # A recipe names a layer by its output. Those without weights count, too: a softmax in 8 bits has many ties.
        self.layers = [graph.tensors[operator.outputs[0]].name.decode() for operator in graph.operators if len(operator.outputs)]

    def _signature(self, graph: Any) -> Any:
        def maps(indices: Any, kind: str) -> list[Any]:
            entries = []
            for number, index in enumerate(indices):
                entry = self._schema.TensorMapT()
                entry.name, entry.tensorIndex = f"{kind}_{number}".encode(), int(index)
                entries.append(entry)
            return entries

        signature = self._schema.SignatureDefT()
        signature.signatureKey, signature.subgraphIndex = b"serving_default", 0
        signature.inputs, signature.outputs = maps(graph.inputs, "input"), maps(graph.outputs, "output")
        return signature

    @staticmethod
    def _packed(model: Any) -> bytearray:
        import flatbuffers  # type: ignore[import-untyped]

        builder = flatbuffers.Builder(1 << 20)
        builder.Finish(model.Pack(builder), b"TFL3")
        return bytearray(builder.Output())

    def write(self, recipe: str, float_layers: list[str], output: str, weights: bool) -> None:
        """Writes a quantized copy; inputs and outputs stay float."""
        quantizer, every = self._quantizer(self._model), self._operation.ALL_SUPPORTED
        if recipe == "int8":
            quantizer.add_static_config(".*", every, 8, 8)
            for end in (self._operation.INPUT, self._operation.OUTPUT):
                quantizer.update_quantization_recipe(regex=".*", operation_name=end, algorithm_key="no_quantize")
        elif recipe == "int4":
            quantizer.add_weight_only_config(".*", self._operation.FULLY_CONNECTED, 4)
        else:
            quantizer.add_dynamic_config(".*", every, 8)
        for layer in float_layers:
            regex = f"^{re.escape(layer)}"
            quantizer.update_quantization_recipe(regex=regex, operation_name=every, algorithm_key="no_quantize")
            for operation in self._weighted if weights else []:
                quantizer.add_weight_only_config(regex, operation, 8)
        if quantizer.need_calibration and self._ranges is None:
            items = list(_items(self._calibration, self._inputs))
            self._ranges = quantizer.calibrate({self._key: items}, num_threads=os.cpu_count() or 1)
        ranges = self._ranges if quantizer.need_calibration else None
        result = quantizer.quantize(ranges, enable_progress_bar=False, enable_progress_report=False)
        pathlib.Path(output).write_bytes(result.quantized_model)


class ONNX:
    """An .onnx model."""

    is_compact = False

    def __init__(self, path: str, calibration: str | None, inputs: list[str]) -> None:
        import onnx  # type: ignore[import-not-found]
        import onnx.version_converter  # type: ignore[import-not-found]
        from onnxruntime import quantization  # type: ignore[import-not-found]

        self._quantization, self._calibration, self._inputs = quantization, calibration, inputs
        model = onnx.load(path)
        # The quantizer finds weights only among the initializers, and files of some exporters have them in nodes.
        for node in [node for node in model.graph.node if node.op_type == "Constant" and node.attribute[0].name == "value"]:
            tensor = node.attribute[0].t
            tensor.name = node.output[0]
            model.graph.initializer.append(tensor)
            model.graph.node.remove(node)
        opset = next((entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")), 0)
        if opset < 13:  # scales for each channel have an axis since version 13
            model = onnx.version_converter.convert_version(model, 17)
        for number, node in enumerate(model.graph.node):
            node.name = node.name or f"{node.op_type}_{number}"
        self._folder = tempfile.TemporaryDirectory(prefix="tensorio-quantize-")
        source, prepared = f"{self._folder.name}/model.onnx", f"{self._folder.name}/prepared.onnx"
        onnx.save(model, source)
        try:
            quantization.shape_inference.quant_pre_process(source, prepared, skip_symbolic_shape=True)
        except Exception:  # the optimization is not required, and fails for models with operators of other domains
            prepared = source
        self._prepared = prepared
        nodes = onnx.load(prepared).graph.node
        self.layers = [node.name for node in nodes if node.op_type != "Constant"]
        self._has_convolutions = any(node.op_type == "Conv" for node in nodes)

    def write(self, recipe: str, float_layers: list[str], output: str, weights: bool) -> None:
        """Writes a quantized copy; the weights of float layers have 32 bits."""
        signed = self._quantization.QuantType.QInt8
        if recipe == "int8":
            reader = _Reader(self._inputs, self._calibration)
            self._quantization.quantize_static(
                self._prepared, output, reader, per_channel=True, weight_type=signed, nodes_to_exclude=float_layers,
                activation_type=self._quantization.QuantType.QUInt8, calibration_cache_path=f"{self._folder.name}/ranges.json")
        elif recipe == "int4":
            import onnx
            from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer  # type: ignore[import-not-found]

            quantizer = MatMulNBitsQuantizer(
                onnx.load(self._prepared), block_size=32, is_symmetric=True, accuracy_level=4, nodes_to_exclude=float_layers)
            quantizer.process()
            quantizer.model.save_model_to_file(output, False)
        else:
            # Convolutions with dynamic ranges are wrong and several times slower than float ones.
            operators = ["MatMul", "Gemm"] if self._has_convolutions else None
            self._quantization.quantize_dynamic(
                self._prepared, output, weight_type=signed, per_channel=True, op_types_to_quantize=operators,
                nodes_to_exclude=float_layers)


class _Reader:
    """The items for calibration as the quantizer reads them."""

    def __init__(self, inputs: list[str], folder: str | None) -> None:
        self._items = _items(folder, inputs)

    def get_next(self) -> dict[str, Any] | None:
        return next(self._items, None)


def main() -> None:
    """Answers requests until the input ends."""
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    logging.disable(logging.CRITICAL)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    model: LiteRT | ONNX | None = None
    for line in sys.stdin:
        request = json.loads(line)
        answer: dict[str, Any] = {}
        try:
            with contextlib.redirect_stdout(sys.stderr):
                if "open" in request:
                    form = ONNX if request["open"].endswith(".onnx") else LiteRT
                    model = form(request["open"], request.get("calibration"), request.get("inputs", []))
                    answer = {"layers": model.layers, "compact": model.is_compact}
                elif model is not None:
                    model.write(
                        request["recipe"], request.get("float", []), request["output"], request.get("weights", False))
        except ImportError as error:
            answer = {"error": str(error), "missing": error.name or ""}
        except Exception as error:
            text = next(iter(str(error).strip().splitlines()), "")
            answer = {"error": f"{type(error).__name__}: {text}"}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
