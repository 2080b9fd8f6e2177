"""A TensorFlow Lite graph, described tensor by tensor and written as a flatbuffer.

The models of the tests are too odd for a converter (a scalar input, an operator that does not
exist, a signature whose order is not the graph's), so they are put together by hand.
"""

from dataclasses import dataclass, field

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema

TYPES = {
    "float32": schema.TensorType.FLOAT32,
    "float16": schema.TensorType.FLOAT16,
    "float64": schema.TensorType.FLOAT64,
    "uint8": schema.TensorType.UINT8,
    "int8": schema.TensorType.INT8,
    "int16": schema.TensorType.INT16,
    "int32": schema.TensorType.INT32,
    "int64": schema.TensorType.INT64,
    "bool": schema.TensorType.BOOL,
    "string": schema.TensorType.STRING,
}


@dataclass
class Graph:
    """One subgraph: tensors are added first, then the operators that connect them."""

    name: str = "main"
    tensors: list = field(default_factory=list)
    operators: list = field(default_factory=list)
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)

    def tensor(self, name, kind, shape, scale=None, zero=0, value=None, signature=None,
               variable=False):
        """Adds a tensor and returns its index; `value` makes it a constant, `variable` a state."""
        self.tensors.append((name, kind, shape, scale, zero, value, signature, variable))
        return len(self.tensors) - 1

    def input(self, *arguments, **options):
        index = self.tensor(*arguments, **options)
        self.inputs.append(index)
        return index

    def output(self, *arguments, **options):
        index = self.tensor(*arguments, **options)
        self.outputs.append(index)
        return index

    def operate(self, operator, inputs, outputs, options=None, custom=None, intermediates=None):
        """Adds an operator: the name of a builtin, or any name with the options of a custom operator."""
        self.operators.append((operator, inputs, outputs, options, custom, intermediates))


class File:
    """A model file: operator codes, buffers, signatures and metadata."""

    def __init__(self):
        self.codes = []
        self.model = schema.ModelT()
        self.model.version = 3
        self.model.description = "made by Scripts/tiny-models"
        self.model.subgraphs = []
        self.model.buffers = [schema.BufferT()]  # buffer 0 is empty by convention
        self.model.operatorCodes = []
        self.model.signatureDefs = []
        self.model.metadata = []

    def add(self, graph):
        subgraph = schema.SubGraphT()
        subgraph.name = graph.name
        subgraph.tensors = [self._tensor(*facts) for facts in graph.tensors]
        subgraph.operators = [self._operator(*facts) for facts in graph.operators]
        subgraph.inputs, subgraph.outputs = graph.inputs, graph.outputs
        self.model.subgraphs.append(subgraph)
        return self

    def sign(self, key, inputs, outputs, subgraph=0):
        """Adds a signature; `inputs` and `outputs` are lists of (name, tensor index)."""
        signature = schema.SignatureDefT()
        signature.signatureKey, signature.subgraphIndex = key, subgraph
        signature.inputs = [self._mapping(*pair) for pair in inputs]
        signature.outputs = [self._mapping(*pair) for pair in outputs]
        self.model.signatureDefs.append(signature)
        return self

    def describe(self, name, content):
        entry = schema.MetadataT()
        entry.name, entry.buffer = name, self._buffer(content)
        self.model.metadata.append(entry)
        return self

    def bytes(self):
        builder = flatbuffers.Builder(1024)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    def _mapping(self, name, index):
        mapping = schema.TensorMapT()
        mapping.name, mapping.tensorIndex = name, index
        return mapping

    def _buffer(self, content):
        buffer = schema.BufferT()
        buffer.data = numpy.frombuffer(content, dtype=numpy.uint8)
        self.model.buffers.append(buffer)
        return len(self.model.buffers) - 1

    def _tensor(self, name, kind, shape, scale, zero, value, signature, variable):
        tensor = schema.TensorT()
        tensor.name, tensor.type, tensor.shape = name, TYPES[kind], shape
        tensor.shapeSignature = signature
        tensor.hasRank = True
        tensor.isVariable = variable
        tensor.buffer = 0 if value is None else self._buffer(numpy.asarray(value).tobytes())
        if scale is not None:
            tensor.quantization = schema.QuantizationParametersT()
            tensor.quantization.scale, tensor.quantization.zeroPoint = [scale], [zero]
        return tensor

    def _operator(self, name, inputs, outputs, options, custom, intermediates):
        operator = schema.OperatorT()
        operator.opcodeIndex = self._code(name, custom is not None)
        operator.inputs, operator.outputs = inputs, outputs
        operator.intermediates = intermediates
        if custom is not None:
            operator.customOptions = numpy.frombuffer(custom, dtype=numpy.uint8)
        if options is not None:
            kind = type(options).__name__.removesuffix("T")
            operator.builtinOptionsType = getattr(schema.BuiltinOptions, kind)
            operator.builtinOptions = options
        return operator

    def _code(self, name, custom):
        if name not in self.codes:
            code = schema.OperatorCodeT()
            code.version = 1
            code.builtinCode = getattr(schema.BuiltinOperator, "CUSTOM" if custom else name)
            code.deprecatedBuiltinCode = min(code.builtinCode, 127)
            code.customCode = name if custom else None
            self.codes.append(name)
            self.model.operatorCodes.append(code)
        return self.codes.index(name)
