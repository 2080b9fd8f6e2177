"""Writes the models that the tests run. Usage: make.py FOLDER"""

import pathlib
import sys

import numpy
from ai_edge_litert import schema_py_generated as schema
from flatbuffers import flexbuffers
from graph import TYPES, File, Graph

MODELS = {}


def model(function):
    MODELS[function.__name__.replace("_", "-")] = function
    return function


def doubled(kind, shape, scale=None, zero=0, signature=None):
    """y = x + x with the given element type."""
    graph = Graph()
    x = graph.input("x", kind, shape, scale, zero, signature=signature)
    y = graph.output("y", kind, shape, scale, zero, signature=signature)
    graph.operate("ADD", [x, x], [y], schema.AddOptionsT())
    return File().add(graph)


def cast(source, target):
    options = schema.CastOptionsT()
    options.inDataType, options.outDataType = TYPES[source], TYPES[target]
    return options


def doubled_as_float32(kind):
    """y = x + x for types that have no ADD kernel."""
    graph = Graph()
    x = graph.input("x", kind, [4])
    wide = graph.tensor("wide", "float32", [4])
    sum = graph.tensor("sum", "float32", [4])
    y = graph.output("y", kind, [4])
    graph.operate("CAST", [x], [wide], cast(kind, "float32"))
    graph.operate("ADD", [wide, wide], [sum], schema.AddOptionsT())
    graph.operate("CAST", [sum], [y], cast("float32", kind))
    return File().add(graph)


@model
def double_float32():
    return doubled("float32", [4])


@model
def double_float16():
    return doubled_as_float32("float16")


@model
def double_float64():
    return doubled_as_float32("float64")


@model
def double_int32():
    return doubled("int32", [4])


@model
def double_int64():
    return doubled("int64", [4])


@model
def double_uint8():
    return doubled("uint8", [4], scale=0.5, zero=10)


@model
def double_int8():
    return doubled("int8", [4], scale=0.5, zero=-10)


@model
def double_int16():
    return doubled("int16", [4], scale=0.5)


@model
def not_bool():
    graph = Graph()
    x, y = graph.input("x", "bool", [4]), graph.output("y", "bool", [4])
    graph.operate("LOGICAL_NOT", [x], [y], schema.LogicalNotOptionsT())
    return File().add(graph)


@model
def gather_string():
    """The strings of x in reverse order."""
    graph = Graph()
    x = graph.input("x", "string", [2])
    order = graph.tensor("order", "int32", [2], value=numpy.array([1, 0], numpy.int32))
    y = graph.output("y", "string", [2])
    graph.operate("GATHER", [x, order], [y], schema.GatherOptionsT())
    return File().add(graph)


@model
def text_table():
    """The rows of a matrix of strings in reverse order."""
    graph = Graph()
    x = graph.input("x", "string", [3, 2])
    order = graph.tensor(
        "order", "int32", [6], value=numpy.array([4, 5, 2, 3, 0, 1], numpy.int32)
    )
    length = graph.tensor("length", "int32", [1], value=numpy.array([6], numpy.int32))
    lengths = graph.tensor("lengths", "int32", [2], value=numpy.array([3, 2], numpy.int32))
    flat, moved = (graph.tensor(name, "string", [6]) for name in ("flat", "moved"))
    y = graph.output("y", "string", [3, 2])
    graph.operate("RESHAPE", [x, length], [flat], schema.ReshapeOptionsT())
    graph.operate("GATHER", [flat, order], [moved], schema.GatherOptionsT())
    graph.operate("RESHAPE", [moved, lengths], [y], schema.ReshapeOptionsT())
    return File().add(graph)


@model
def matrix():
    """The product of a matrix and a constant matrix, and the transposed matrix."""
    graph = Graph()
    x = graph.input("x", "float32", [2, 3])
    factor = graph.tensor(
        "factor", "float32", [3, 2], value=numpy.array([[1, 10], [2, 20], [3, 30]], numpy.float32)
    )
    axes = graph.tensor("axes", "int32", [2], value=numpy.array([1, 0], numpy.int32))
    product = graph.output("product", "float32", [2, 2])
    transposed = graph.output("transposed", "float32", [3, 2])
    graph.operate("BATCH_MATMUL", [x, factor], [product], schema.BatchMatMulOptionsT())
    graph.operate("TRANSPOSE", [x, axes], [transposed], schema.TransposeOptionsT())
    return File().add(graph)


def weighted_history(intermediates):
    """y is the sum of x1 + x2 of the last three runs with weights 100, 10 and 1, newest last.

    The state has one unit with a memory of three values.
    """
    graph = Graph()
    x = graph.input("x", "float32", [1, 2])
    features = graph.tensor("features", "float32", [1, 2],
                            value=numpy.array([[1, 1]], numpy.float32))
    times = graph.tensor("times", "float32", [1, 3],
                         value=numpy.array([[100, 10, 1]], numpy.float32))
    state = graph.tensor("state", "float32", [1, 3], variable=True)
    inside = graph.tensor("inside", "float32", [1])
    y = graph.output("y", "float32", [1, 1])
    options = schema.SVDFOptionsT()
    options.rank = 1
    graph.operate("SVDF", [x, features, times, -1, state], [y], options,
                  intermediates=[inside] if intermediates else None)
    return File().add(graph)


@model
def history():
    return weighted_history(intermediates=False)


@model
def history_with_intermediates():
    return weighted_history(intermediates=True)


@model
def lstm():
    """A fused LSTM with four steps of three numbers and five units, whose state is kept from run to run."""
    random = numpy.random.default_rng(5)
    graph = Graph()

    def weights(name, *shape):
        value = random.uniform(-0.8, 0.8, shape).astype(numpy.float32)
        return graph.tensor(name, "float32", list(shape), value=value)

    x = graph.input("x", "float32", [1, 4, 3])
    gates = ("input", "forget", "cell", "output")
    inputs = [x] + [weights(f"{gate} of x", 5, 3) for gate in gates]
    inputs += [weights(f"{gate} of y", 5, 5) for gate in gates] + [-1] * 3
    inputs += [weights(f"{gate} bias", 5) for gate in gates] + [-1] * 2
    inputs += [graph.tensor(name, "float32", [1, 5], variable=True) for name in ("h", "c")]
    y = graph.output("y", "float32", [1, 4, 5])
    options = schema.UnidirectionalSequenceLSTMOptionsT()
    options.fusedActivationFunction = schema.ActivationFunctionType.TANH
    graph.operate("UNIDIRECTIONAL_SEQUENCE_LSTM", inputs + [-1] * 4, [y], options)
    return File().add(graph)


@model
def cube():
    """The sums along the last of three dimensions, with the other two flattened."""
    graph = Graph()
    x = graph.input("x", "int32", [2, 3, 4])
    axis = graph.tensor("axis", "int32", [1], value=numpy.array([2], numpy.int32))
    flat = graph.tensor("flat", "int32", [2], value=numpy.array([6, 4], numpy.int32))
    sums = graph.output("sums", "int32", [2, 3])
    rows = graph.output("rows", "int32", [6, 4])
    graph.operate("SUM", [x, axis], [sums], schema.ReducerOptionsT())
    graph.operate("RESHAPE", [x, flat], [rows], schema.ReshapeOptionsT())
    return File().add(graph)


@model
def odd_order():
    """The concatenation of one, two and three numbers; the subgraph lists the input of three first
    and that of two last."""
    graph = Graph()
    two, three = graph.tensor("two", "float32", [2]), graph.tensor("three", "float32", [3])
    one = graph.tensor("one", "float32", [1])
    row = graph.output("row", "float32", [6])
    twice = graph.tensor("twice", "float32", [3])
    graph.operate("CONCATENATION", [one, two, three], [row], schema.ConcatenationOptionsT())
    graph.operate("ADD", [three, three], [twice], schema.AddOptionsT())
    graph.inputs, graph.outputs = [three, one, two], [twice, row]
    return File().add(graph)


@model
def fixed_batch():
    """The sums of a fixed batch of three rows."""
    graph = Graph()
    x = graph.input("x", "float32", [3, 4])
    axis = graph.tensor("axis", "int32", [1], value=numpy.array([1], numpy.int32))
    y = graph.output("y", "float32", [3, 1])
    options = schema.ReducerOptionsT()
    options.keepDims = True
    graph.operate("SUM", [x, axis], [y], options)
    return File().add(graph)


@model
def scalar():
    return doubled("float32", [])


@model
def dynamic_batch():
    return doubled("float32", [1, 4], signature=[-1, 4])


@model
def sum_difference():
    """OUTPUT0 = INPUT0 + INPUT1, OUTPUT1 = INPUT0 - INPUT1, as clients of Triton expect of `simple`."""
    graph = Graph()
    a, b = (graph.input(f"INPUT{index}", "int32", [1, 16]) for index in (0, 1))
    sum, difference = (graph.output(f"OUTPUT{index}", "int32", [1, 16]) for index in (0, 1))
    graph.operate("ADD", [a, b], [sum], schema.AddOptionsT())
    graph.operate("SUB", [a, b], [difference], schema.SubOptionsT())
    return File().add(graph)


@model
def identity():
    """OUTPUT0 = INPUT0, in any shape with two dimensions."""
    graph = Graph()
    free = {"signature": [-1, -1]}
    x = graph.input("INPUT0", "float32", [1, 1], **free)
    y = graph.output("OUTPUT0", "float32", [1, 1], **free)
    graph.operate("CAST", [x], [y], cast("float32", "float32"))
    return File().add(graph)


@model
def scores():
    """OUTPUT0 = INPUT0, OUTPUT1 = -INPUT0: rows of six scores, as the parameter `classification` sorts them."""
    graph = Graph()
    free = {"signature": [-1, 6]}
    x = graph.input("INPUT0", "float32", [1, 6], **free)
    y, negative = (graph.output(f"OUTPUT{index}", "float32", [1, 6], **free) for index in (0, 1))
    graph.operate("CAST", [x], [y], cast("float32", "float32"))
    graph.operate("NEG", [x], [negative], schema.NegOptionsT())
    return File().add(graph)


@model
def dynamic_pair():
    """y = a + b, which fails for shapes that do not match."""
    graph = Graph()
    rows = {"signature": [-1, 4]}
    a, b = (graph.input(name, "float32", [1, 4], **rows) for name in "ab")
    y = graph.output("y", "float32", [1, 4], **rows)
    graph.operate("ADD", [a, b], [y], schema.AddOptionsT())
    return File().add(graph)


@model
def variable_length():
    """doubled = x + x for each number of a row and total = the sum of the row, of any length."""
    graph = Graph()
    any_length = {"signature": [-1, -1]}
    tokens = graph.input("tokens", "int32", [1, 1], **any_length)
    wide = graph.tensor("wide", "float32", [1, 1], **any_length)
    axis = graph.tensor("axis", "int32", [1], value=numpy.array([1], numpy.int32))
    doubled = graph.output("doubled", "float32", [1, 1], **any_length)
    total = graph.output("total", "float32", [1, 1], signature=[-1, 1])
    reducer = schema.ReducerOptionsT()
    reducer.keepDims = True
    graph.operate("CAST", [tokens], [wide], cast("int32", "float32"))
    graph.operate("ADD", [wide, wide], [doubled], schema.AddOptionsT())
    graph.operate("SUM", [wide, axis], [total], reducer)
    return File().add(graph)


@model
def dynamic_output():
    """The indices of the elements that are true; the number of outputs depends on the values."""
    graph = Graph()
    x = graph.input("x", "bool", [4])
    y = graph.output("y", "int64", [1, 1], signature=[-1, 1])
    graph.operate("WHERE", [x], [y], schema.WhereOptionsT())
    return File().add(graph)


@model
def signature_order():
    """difference = a - b and total = a + b; tensors, subgraph and signature have different orders."""
    graph = Graph()
    a, b = graph.input("graph_a", "float32", [2]), graph.input("graph_b", "float32", [2])
    difference = graph.output("graph_difference", "float32", [2])
    total = graph.output("graph_total", "float32", [2])
    graph.operate("SUB", [a, b], [difference], schema.SubOptionsT())
    graph.operate("ADD", [a, b], [total], schema.AddOptionsT())
    graph.inputs, graph.outputs = [b, a], [total, difference]
    return (
        File()
        .add(graph)
        .sign("serving_default", [("a", a), ("b", b)], [("diff", difference), ("total", total)])
    )


@model
def shared_tensors():
    """Outputs that share tensors: y = x + x, y again, and the input x."""
    graph = Graph()
    x, y = graph.input("x", "float32", [4]), graph.output("y", "float32", [4])
    graph.operate("ADD", [x, x], [y], schema.AddOptionsT())
    graph.outputs = [y, y, x]
    return File().add(graph)


@model
def several_signatures():
    """Two signatures: a + b and a - b."""
    file = File()
    for place, (name, operator, options) in enumerate(
        [("add", "ADD", schema.AddOptionsT()), ("subtract", "SUB", schema.SubOptionsT())]
    ):
        graph = Graph(name)
        a, b = graph.input(f"{name}_a", "float32", [2]), graph.input(f"{name}_b", "float32", [2])
        y = graph.output(f"{name}_y", "float32", [2])
        graph.operate(operator, [a, b], [y], options)
        file.add(graph).sign(name, [("a", a), ("b", b)], [("y", y)], subgraph=place)
    return file


@model
def unknown_operator():
    graph = Graph()
    x, y = graph.input("x", "float32", [4]), graph.output("y", "float32", [4])
    graph.operate("TensorIOUnknownOperator", [x], [y], custom=b"\0")
    return File().add(graph)


@model
def flex_operator():
    """A TensorFlow operator (Flex), as the converter writes operators that it cannot translate."""
    graph = Graph()
    x, y = graph.input("x", "float32", [4]), graph.output("y", "float32", [4])
    graph.operate("FlexStringUpper", [x], [y], custom=b"\0")
    return File().add(graph)


@model
def removed_operator():
    """A builtin operator with a version that no runtime supports."""
    graph = Graph()
    x, y = graph.input("x", "float32", [4]), graph.output("y", "float32", [4])
    graph.operate("ADD", [x, x], [y], schema.AddOptionsT())
    file = File().add(graph)
    file.model.operatorCodes[0].version = 1000
    return file


@model
def picture_negative():
    """The negative 1 - x of a quantized image from 0 to 1; input and output have different
    quantization parameters."""
    shape = [1, 8, 8, 3]
    graph = Graph()
    picture = graph.input("picture", "uint8", shape, 1 / 255, 0)
    white = graph.tensor(
        "white", "uint8", [1], 1 / 255, 0, value=numpy.array([255], numpy.uint8)
    )
    negative = graph.output("negative", "uint8", shape, 1 / 128, 64)
    graph.operate("SUB", [white, picture], [negative], schema.SubOptionsT())
    return File().add(graph).describe("TFLITE_METADATA", b"not a real metadata table")


def rescaling(operators, constant_type="float32"):
    """A float image whose numbers a model rescales first: (operator, constant) pairs, then RELU."""
    shape = [1, 8, 8, 3]
    graph = Graph()
    tensor = graph.input("image", "float32", shape)
    for index, (operator, value) in enumerate(operators):
        constant = numpy.asarray(value, constant_type)
        stored = graph.tensor(f"constant{index}", constant_type, list(constant.shape), value=constant)
        operand = stored
        if constant_type != "float32":
            operand = graph.tensor(f"wide{index}", "float32", list(constant.shape))
            graph.operate("DEQUANTIZE", [stored], [operand], schema.DequantizeOptionsT())
        result = graph.tensor(f"step{index}", "float32", shape)
        options = {"MUL": schema.MulOptionsT, "ADD": schema.AddOptionsT,
                   "SUB": schema.SubOptionsT, "DIV": schema.DivOptionsT}[operator]()  # fmt: skip
        graph.operate(operator, [tensor, operand], [result], options)
        tensor = result
    output = graph.output("output", "float32", shape)
    graph.operate("RELU", [tensor], [output])
    return File().add(graph)


@model
def rescaling_raw():
    """Takes pixels from 0 to 255: x / 127.5 - 1, as Keras rescales for MobileNet."""
    return rescaling([("MUL", [1 / 127.5]), ("ADD", [-1.0])])


@model
def rescaling_channels():
    """Takes pixels from 0 to 255, normalized with a mean and deviation per channel."""
    mean, deviation = [123.675, 116.28, 103.53], [58.395, 57.12, 57.375]
    return rescaling([("SUB", mean), ("DIV", deviation)])


@model
def rescaling_unit():
    """Takes numbers from 0 to 1: 2 x - 1, with constants in half precision."""
    return rescaling([("MUL", [2.0]), ("SUB", [1.0])], "float16")


@model
def named_signatures():
    """Two signatures of different subgraphs, the one for inference last in the alphabet."""
    file = File()
    for key, name in [("evaluate", "loss"), ("serving_default", "scores")]:
        graph = Graph(name=key)
        x, y = graph.input(f"{key}_x", "float32", [1, 4]), graph.output(f"{key}_y", "float32", [1, 4])
        graph.operate("ADD", [x, x], [y], schema.AddOptionsT())
        file.add(graph)
        file.sign(key, [("features", x)], [(name, y)], subgraph=len(file.model.subgraphs) - 1)
    return file


@model
def flex_in_part():
    """A TensorFlow operator in a subgraph that only the second signature runs."""
    file = File()
    for key, operator in [("infer", "NEG"), ("train", "FlexReluGrad")]:
        graph = Graph(name=key)
        x, y = graph.input("x", "float32", [4]), graph.output("y", "float32", [4])
        graph.operate(operator, [x], [y], custom=None if operator == "NEG" else b"\0")
        file.add(graph)
        file.sign(key, [("x", x)], [("y", y)], subgraph=len(file.model.subgraphs) - 1)
    return file


@model
def detector():
    """Detects red, green and blue quarters in an image of 300 x 300.

    The quarters' mean colors are the scores of the classes; the post-processing operator of the
    object detectors turns them into boxes, classes, scores and a count.
    """
    quarters, classes, most = 4, 3, 4
    graph = Graph()
    code = (1 / 255, 0)
    picture = graph.input("picture", "uint8", [1, 300, 300, 3], *code)
    means = graph.tensor("means", "uint8", [1, 2, 2, 3], *code)
    shape = graph.tensor(
        "shape", "int32", [3], value=numpy.array([1, quarters, classes], numpy.int32)
    )
    rows = graph.tensor("rows", "uint8", [1, quarters, classes], *code)
    scores = graph.tensor("class_scores", "float32", [1, quarters, classes])
    boxes = graph.tensor(
        "box_encodings", "float32", [1, quarters, 4],
        value=numpy.zeros([1, quarters, 4], numpy.float32),
    )
    middles = [(y, x, 0.5, 0.5) for y in (0.25, 0.75) for x in (0.25, 0.75)]
    anchors = graph.tensor(
        "anchors", "float32", [quarters, 4], value=numpy.array(middles, numpy.float32)
    )
    name = "TFLite_Detection_PostProcess"
    results = [graph.output(name + suffix, "float32", []) for suffix in ("", ":1", ":2", ":3")]

    pool = schema.Pool2DOptionsT()
    pool.strideH = pool.strideW = pool.filterHeight = pool.filterWidth = 150
    pool.padding = schema.Padding.VALID
    graph.operate("AVERAGE_POOL_2D", [picture], [means], pool)
    graph.operate("RESHAPE", [means, shape], [rows], schema.ReshapeOptionsT())
    graph.operate("DEQUANTIZE", [rows], [scores], schema.DequantizeOptionsT())
    facts = {
        "max_detections": most, "max_classes_per_detection": 1, "num_classes": classes,
        "nms_score_threshold": 0.0, "nms_iou_threshold": 0.5, "use_regular_nms": False,
        "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0,
    }  # fmt: skip
    graph.operate(name, [boxes, scores, anchors], results, custom=bytes(flexbuffers.Dumps(facts)))
    return File().add(graph)


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in sorted(MODELS.items()):
        content = make().bytes()
        (folder / f"{name}.tflite").write_bytes(content)
        print(f"{name}.tflite: {len(content)} bytes")


main(pathlib.Path(sys.argv[1]))
