"""Writes the bundles and images of the conformance suite, with expected outputs. Usage: conformance.py FOLDER

A bundle's expected outputs are computed here with numpy, from the formula in the bundle's `details` and from
the colors of the images that are drawn here; the runtime and the project's own code take no part.
"""

import json
import pathlib
import shutil
import sys

import numpy
from ai_edge_litert import schema_py_generated as schema
from flatbuffers import flexbuffers
from graph import File, Graph
from png import encode


# MARK: Graphs


def floats(values):
    return numpy.array(values, numpy.float32)


def integers(values):
    return numpy.array(values, numpy.int32)


def line(shape):
    """output = 10 input + 5."""
    graph = Graph()
    x, y = graph.input("input", "float32", shape), graph.output("output", "float32", shape)
    ten = graph.tensor("ten", "float32", [], value=floats(10))
    five = graph.tensor("five", "float32", [], value=floats(5))
    product = graph.tensor("product", "float32", shape)
    graph.operate("MUL", [x, ten], [product], schema.MulOptionsT())
    graph.operate("ADD", [product, five], [y], schema.AddOptionsT())
    return File().add(graph)


def shifted_vector():
    """output = input + [1, 0, 1, 0]."""
    graph = Graph()
    x, y = graph.input("input", "float32", [1, 4]), graph.output("output", "float32", [1, 4])
    offsets = graph.tensor("offsets", "float32", [1, 4], value=floats([[1, 0, 1, 0]]))
    graph.operate("ADD", [x, offsets], [y], schema.AddOptionsT())
    return File().add(graph)


def two_vectors():
    """p = the odd elements of input1, q = the even ones of input2: output1 = p q, output2 = p + q."""
    graph = Graph()
    sums = []
    for name, weights in ("input1", [[1, 0, 1, 0]]), ("input2", [[0, 1, 0, 1]]):
        x = graph.input(name, "float32", [1, 4])
        row = graph.tensor(f"{name}_weights", "float32", [1, 4], value=floats(weights))
        sums.append(graph.tensor(f"{name}_sum", "float32", [1, 1]))
        graph.operate("FULLY_CONNECTED", [x, row, -1], [sums[-1]], schema.FullyConnectedOptionsT())
    outputs = [graph.output(f"output{number}", "float32", [1, 1]) for number in (1, 2)]
    graph.operate("MUL", sums, outputs[:1], schema.MulOptionsT())
    graph.operate("ADD", sums, outputs[1:], schema.AddOptionsT())
    return File().add(graph)


def picture_line(factor, offset):
    """output = factor input + offset, an image of 224 x 224."""
    shape = [1, 224, 224, 3]
    graph = Graph()
    x, y = graph.input("input", "float32", shape), graph.output("output", "float32", shape)
    slope = graph.tensor("slope", "float32", [], value=floats(factor))
    start = graph.tensor("start", "float32", [], value=floats(offset))
    product = graph.tensor("product", "float32", shape)
    graph.operate("MUL", [x, slope], [product], schema.MulOptionsT())
    graph.operate("ADD", [product, start], [y], schema.AddOptionsT())
    return File().add(graph)


COLOR_WEIGHTS = [[6, -3, -3], [-3, 6, -3], [-3, -3, 6], [-2, -2, -2], [2, 2, 2]]
COLOR_BIASES = [0.6, 0.3, 0, 1, -4]
COLOR_LABELS = ["red", "green", "blue", "black", "white"]


def color_classes(quantized):
    """The probabilities of five colors: softmax(W m + b) of the mean color m of an image of 16 x 16."""
    side, code = 16, ((1 / 255, 0) if quantized else ())
    kind = "uint8" if quantized else "float32"
    graph = Graph()
    image = graph.input("image", kind, [1, side, side, 3], *code)
    means = graph.tensor("means", kind, [1, 1, 1, 3], *code)
    length = graph.tensor("length", "int32", [2], value=integers([1, 3]))
    flat = graph.tensor("flat", kind, [1, 3], *code)
    color = graph.tensor("color", "float32", [1, 3]) if quantized else flat
    weights = graph.tensor("weights", "float32", [5, 3], value=floats(COLOR_WEIGHTS))
    biases = graph.tensor("biases", "float32", [5], value=floats(COLOR_BIASES))
    scores = graph.tensor("scores", "float32", [1, 5])
    graph.operate("AVERAGE_POOL_2D", [image], [means], pool(side))
    graph.operate("RESHAPE", [means, length], [flat], schema.ReshapeOptionsT())
    if quantized:
        graph.operate("DEQUANTIZE", [flat], [color], schema.DequantizeOptionsT())
    graph.operate(
        "FULLY_CONNECTED", [color, weights, biases], [scores], schema.FullyConnectedOptionsT())
    softmax = schema.SoftmaxOptionsT()
    softmax.beta = 1.0
    if quantized:
        shares = graph.tensor("shares", "float32", [1, 5])
        classes = graph.output("classification", "uint8", [1, 5], 1 / 256, 0)
        graph.operate("SOFTMAX", [scores], [shares], softmax)
        graph.operate("QUANTIZE", [shares], [classes], schema.QuantizeOptionsT())
    else:
        classes = graph.output("classification", "float32", [1, 5])
        graph.operate("SOFTMAX", [scores], [classes], softmax)
    return File().add(graph)


def color_probabilities(mean):
    scores = numpy.array(COLOR_WEIGHTS) @ numpy.array(mean) + numpy.array(COLOR_BIASES)
    powers = numpy.exp(scores - scores.max())
    return powers / powers.sum()


def segments():
    """The index of the largest of the three colors of each pixel of 33 x 33, as 64-bit integers."""
    graph = Graph()
    image = graph.input("image", "uint8", [1, 33, 33, 3], 1 / 255, 0)
    axis = graph.tensor("axis", "int32", [1], value=integers([3]))
    classes = graph.output("classes", "int64", [1, 33, 33])
    options = schema.ArgMaxOptionsT()
    options.outputType = schema.TensorType.INT64
    graph.operate("ARG_MAX", [image, axis], [classes], options)
    return File().add(graph)


def quarters_embedding():
    """The mean colors of the four quarters of an image of 32 x 32, twelve bytes."""
    graph = Graph()
    code = (1 / 255, 0)
    image = graph.input("image", "uint8", [1, 32, 32, 3], *code)
    means = graph.tensor("means", "uint8", [1, 2, 2, 3], *code)
    length = graph.tensor("length", "int32", [4], value=integers([1, 1, 1, 12]))
    embedding = graph.output("embedding", "uint8", [1, 1, 1, 12], *code)
    graph.operate("AVERAGE_POOL_2D", [image], [means], pool(16))
    graph.operate("RESHAPE", [means, length], [embedding], schema.ReshapeOptionsT())
    return File().add(graph)


def tracker():
    """A detector with a state, in the form of AutoML's video detectors, for frames of 32 x 32.

    The scores of the quarters are their colors, plus the colors of the frame before (lstm_h), plus the
    largest colors of all frames before (lstm_c). The first frame has states of zero.
    """
    quarters, classes = 4, 3
    code = (1 / 255, 0)
    graph = Graph()
    picture = graph.input("normalized_input_image_tensor", "uint8", [1, 32, 32, 3], *code)
    states = [
        graph.input(f"init_lstm_{name}", "uint8", [1, 2, 2, 3], *code) for name in ("c", "h")]
    boxes = graph.tensor(
        "box_encodings", "float32", [1, quarters, 4],
        value=numpy.zeros([1, quarters, 4], numpy.float32))
    middles = [(y, x, 0.5, 0.5) for y in (0.25, 0.75) for x in (0.25, 0.75)]
    anchors = graph.tensor("anchors", "float32", [quarters, 4], value=floats(middles))
    name = "TFLite_Detection_PostProcess"
    results = [graph.output(name + suffix, "float32", []) for suffix in ("", ":1", ":2", ":3")]
    largest = graph.output("lstm_c", "uint8", [1, 2, 2, 3], *code)
    means = graph.output("lstm_h", "uint8", [1, 2, 2, 3], *code)
    memory = graph.tensor("memory", "uint8", [1, 2, 2, 3], 2 / 255, 0)
    total = graph.tensor("total", "uint8", [1, 2, 2, 3], 3 / 255, 0)
    length = graph.tensor("length", "int32", [3], value=integers([1, quarters, classes]))
    rows = graph.tensor("rows", "uint8", [1, quarters, classes], 3 / 255, 0)
    scores = graph.tensor("class_scores", "float32", [1, quarters, classes])
    graph.operate("AVERAGE_POOL_2D", [picture], [means], pool(16))
    graph.operate("MAXIMUM", [states[0], means], [largest], schema.MaximumMinimumOptionsT())
    graph.operate("ADD", states, [memory], schema.AddOptionsT())
    graph.operate("ADD", [means, memory], [total], schema.AddOptionsT())
    graph.operate("RESHAPE", [total, length], [rows], schema.ReshapeOptionsT())
    graph.operate("DEQUANTIZE", [rows], [scores], schema.DequantizeOptionsT())
    facts = {
        "max_detections": quarters, "max_classes_per_detection": 1, "num_classes": classes,
        "nms_score_threshold": 0.0, "nms_iou_threshold": 0.5, "use_regular_nms": False,
        "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0,
    }  # fmt: skip
    graph.operate(name, [boxes, scores, anchors], results, custom=bytes(flexbuffers.Dumps(facts)))
    return File().add(graph)


def tracked(frames):
    """The colors that the detector adds up: one array of 2 x 2 x 3 for each frame."""
    previous = largest = numpy.zeros([2, 2, 3])
    for frame in frames:
        means = frame.reshape(2, 16, 2, 16, 3).mean(axis=(1, 3)) / 255
        yield means + previous + largest
        previous, largest = means, numpy.maximum(largest, means)


def pool(side):
    options = schema.Pool2DOptionsT()
    options.strideH = options.strideW = options.filterHeight = options.filterWidth = side
    options.padding = schema.Padding.VALID
    return options


# MARK: Images

RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)
DARK, BRIGHT = (15, 15, 15), (240, 240, 240)


def filled(width, height, color):
    return numpy.full([height, width, 3], color, numpy.uint8)


def bands(colors):
    """Three bands side by side, 16, 32 and 16 pixels wide, 32 high; the middle one is its central crop."""
    return numpy.concatenate(
        [filled(width, 32, color) for width, color in zip((16, 32, 16), colors)], axis=1)


def quarters(*colors):
    """Four quarters of 16 x 16."""
    parts = [filled(16, 16, color) for color in colors]
    return numpy.concatenate(
        [numpy.concatenate(parts[row : row + 2], axis=1) for row in (0, 2)], axis=0)


def disk():
    """A green disk and a blue corner on red, 33 x 33."""
    image = filled(33, 33, RED)
    y, x = numpy.mgrid[:33, :33]
    image[(x - 16) ** 2 + (y - 16) ** 2 <= 100] = GREEN
    image[:5, :7] = BLUE
    return image


IMAGES = {
    "bands": bands([RED, GREEN, BLUE]),
    "bands-upright": bands([GREEN, BLUE, RED]).transpose(1, 0, 2),
    "bands-gray": bands([BRIGHT, DARK, BRIGHT]),
    "disk": disk(),
    "disk-doubled": disk().repeat(2, axis=0).repeat(2, axis=1),
    "warm-1": quarters((240, 60, 0), (200, 40, 0), (255, 20, 10), (220, 0, 0)),
    "warm-2": quarters((180, 90, 0), (240, 10, 0), (230, 60, 30), (160, 0, 20)),
    "cold-1": quarters((0, 40, 240), (0, 60, 200), (10, 30, 255), (0, 20, 220)),
    "cold-2": quarters((0, 140, 200), (20, 20, 240), (0, 0, 200), (0, 80, 160)),
    "frame-1": quarters((90, 0, 0), (0, 30, 0), (0, 0, 60), (0, 0, 0)),
    "frame-2": quarters((30, 0, 0), (0, 0, 0), (0, 0, 0), (0, 0, 72)),
}


# MARK: Bundles


def array(name, shape, **more):
    return {"name": name, "type": "array", "shape": shape, **more}


def image(name, shape, **more):
    return {"name": name, "type": "image", "shape": shape, "format": "RGB", **more}


def description(name, details, inputs, outputs, quantized=False, **more):
    return {
        "name": name, "details": details, "id": name, "version": "1",
        "author": "TensorIO for Swift", "license": "Apache-2.0",
        "model": {
            "file": "model.tflite", "quantized": quantized, "backend": "tflite", "modes": ["predict"]},
        "inputs": inputs, "outputs": outputs, **more,
    }  # fmt: skip


def without(facts, *keys):
    facts["model"] = {key: value for key, value in facts["model"].items() if key not in keys}
    return facts


def number_bundle(name, details="output = 10 input + 5.", kind="array"):
    layer = {"type": kind, "shape": [1]}
    return description(name, details, [{"name": "input", **layer}], [{"name": "output", **layer}])


def placeholder_bundle(name):
    facts = description(name, "No model.", [array("input_x", [1])], [array("output_z", [1])])
    facts["model"] = {"file": "", "quantized": False}
    return facts | {"placeholder": True}


def picture_bundle(name, details, denormalize):
    return description(
        name, details,
        [image("input", [224, 224, 3], normalize={"standard": "[0,1]"})],
        [image("output", [224, 224, 3], denormalize={"standard": denormalize})])


def colors_bundle(name, quantized):
    side = [16, 16, 3]
    details = "The probabilities of five colors, by the mean color."
    if quantized:
        output = array("classification", [1, 5], labels="labels.txt", dequantize={"standard": "[0,1]"})
        return description(name, details, [image("image", side)], [output], quantized=True)
    # Older bundles have neither a backend nor modes, and declare fewer elements than there are.
    return without(
        description(
            name, details, [image("image", side, normalize={"standard": "[0,1]"})],
            [array("classification", [1, 5], labels="labels.txt")]),
        "backend", "modes")


def bundles():
    """Bundles by name: the description, the model, and whether there are labels."""
    yield "number.tiobundle", number_bundle("number"), line([1]), False
    yield "no-backend.tiobundle", without(number_bundle("no-backend"), "backend"), line([1]), False
    yield "no-modes.tiobundle", without(number_bundle("no-modes"), "modes"), line([1]), False
    yield "scalar.tiobundle", number_bundle("scalar", kind="scalar"), line([]), False
    yield "vectors.tiobundle", description(
        "vectors", "output = input + [1, 0, 1, 0].",
        [array("input", [4])], [array("output", [4])]), shifted_vector(), False
    yield "two-vectors.tiobundle", description(
        "two-vectors", "output1 = p q, output2 = p + q: p the odd elements of input1, q the even of input2.",
        [array("input1", [1, 4]), array("input2", [1, 4])],
        [array("output1", [1, 1]), array("output2", [1, 1])]), two_vectors(), False
    yield "identity.tiobundle", picture_bundle("identity", "The image itself.", "[0,1]"), \
        picture_line(1, 0), False
    yield "normalization.tiobundle", picture_bundle(
        "normalization", "The image from 0 to 1, as an image from -1 to 1.", "[-1,1]"), \
        picture_line(2, -1), False
    yield "colors.tiobundle", colors_bundle("colors", True), color_classes(True), True
    yield "colors-float.tiobundle", colors_bundle("colors-float", False), color_classes(False), True
    yield "segments.tiobundle", description(
        "segments", "The index of the largest color of each pixel.", [image("image", [33, 33, 3])],
        [array("classes", [1, 33, 33], dtype="int64")], quantized=True), segments(), False
    yield "quarters.tiobundle", description(
        "quarters", "The mean colors of the quarters of an image.", [image("image", [32, 32, 3])],
        [array("embedding", [12], role="embedding", dequantize={"standard": "model"})], quantized=True,
        task={"type": "embedding", "threshold": 1}), quarters_embedding(), False
    yield "placeholder.tiobundle", placeholder_bundle("placeholder"), None, False
    yield "deprecated.tfbundle", placeholder_bundle("deprecated"), None, False
    wrong_file = number_bundle("invalid-model-file")
    wrong_file["model"]["file"] = "not-model.tflite"
    yield "invalid-model-file.tiobundle", wrong_file, line([1]), False


# MARK: Cases


def top(mean):
    """The best labels, as far as their probabilities differ clearly from each other."""
    shares = color_probabilities(mean)
    order = numpy.argsort(-shares)
    count = 1
    while shares[order[count - 1]] - shares[order[count]] > 0.05 < shares[order[count]]:
        count += 1
    best = [[COLOR_LABELS[index], round(float(shares[index]), 4)] for index in order[:count]]
    return {"classification": best}


def color_cases():
    """Whole images of one color after the central crop, and shares of colors without it."""
    crop, stretch = {"fit": "crop"}, {"fit": "stretch", "filter": "bilinear"}
    letterbox = {"fit": "letterbox", "filter": "nearest"}
    thirds = numpy.array([[1 / 4, 1 / 2, 1 / 4]])
    rows = {
        "bands": [RED, GREEN, BLUE], "bands-upright": [GREEN, BLUE, RED],
        "bands-gray": [BRIGHT, DARK, BRIGHT],
    }  # fmt: skip
    for name, colors in rows.items():
        middle = numpy.array(colors[1]) / 255
        whole = (thirds @ (numpy.array(colors) / 255))[0]
        path = f"Conformance/images/{name}.png"
        yield {"picture": path, "top": top(middle)}
        yield {"picture": path, **crop, "top": top(middle)}
        yield {"picture": path, **stretch, "top": top(whole), "tolerance": 0.02}
        # Half of the input is black.
        yield {"picture": path, **letterbox, "top": top(whole / 2), "tolerance": 0.02}


def segment_cases():
    image = IMAGES["disk"]
    for name in "disk", "disk-doubled":
        counts = {str(place): int((image.argmax(axis=2) == place).sum()) for place in range(3)}
        yield {"picture": f"Conformance/images/{name}.png", "counts_of": {"classes": counts}}


def cases():
    """Files of cases by name; the keys are those of Tests/Bindings/Conformance/Cases."""
    one = {"inputs": 1, "outputs": 1}
    yield "colors", {
        "bundles": [f"Conformance/{name}.tiobundle" for name in ("colors", "colors-float")],
        "counts": one, "tolerance": 0.01, "cases": list(color_cases())}  # fmt: skip
    yield "segments", {
        "bundle": "Conformance/segments.tiobundle", "counts": one, "cases": list(segment_cases())}


def expected():
    """What tests of tasks expect: distances of embeddings, and the detections of frames."""
    names = ["warm-1", "warm-2", "cold-1", "cold-2"]
    means = {
        name: IMAGES[name].reshape(2, 16, 2, 16, 3).mean(axis=(1, 3)).ravel() for name in names}
    units = {name: values / numpy.linalg.norm(values) for name, values in means.items()}
    distances = {
        f"{left} {right}": round(float(numpy.linalg.norm(units[left] - units[right])), 4)
        for place, left in enumerate(names) for right in names[place + 1 :]}  # fmt: skip
    frames = []
    for colors in tracked([IMAGES[f"frame-{number}"].astype(float) for number in (1, 2)]):
        flat = colors.reshape(4, 3)
        found = []
        for place in numpy.argsort(-flat.max(axis=1), kind="stable"):
            ymin, xmin = (place // 2) / 2, (place % 2) / 2
            found.append({
                "class": int(flat[place].argmax()), "score": round(float(flat[place].max()), 4),
                "box": [ymin, xmin, ymin + 0.5, xmin + 0.5]})  # fmt: skip
        frames.append(found)
    return {"distances": distances, "frames": frames}


# MARK: Files

README = """\
# Bundles of the conformance suite

Generated by `Scripts/tiny-models/make-tiny-models`; running the script again produces identical files. The
bundles have the properties of those of TensorIO for iOS and of published models: numbers, scalars, vectors,
several layers, images from 0 to 1 and from -1 to 1, quantized and float classifiers with labels, class maps of
64-bit integers, embeddings, a detector with a state (`tracker.tflite`), placeholders, missing `backend` and
`modes`, and invalid bundles.

| file | contents |
|---|---|
| `images` | the inputs |
| `cases` | expected outputs that are computed with numpy (`Tests/Bindings/Conformance/Cases/README.md`) |
| `expected.json` | the distances of embeddings, and the detections in two frames |

| bundle | computes |
|---|---|
"""


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2) + "\n")


def main(root):
    shutil.rmtree(root, ignore_errors=True)
    (root / "images").mkdir(parents=True)
    (root / "cases").mkdir()
    for name, pixels in IMAGES.items():
        (root / "images" / f"{name}.png").write_bytes(encode(pixels))
    rows = []
    for name, facts, model, labeled in bundles():
        rows.append(f"| `{name}` | {facts['details']} |\n")
        folder = root / name
        folder.mkdir()
        write_json(folder / "model.json", facts)
        if model is not None:
            (folder / "model.tflite").write_bytes(model.bytes())
        if labeled:
            (folder / "assets").mkdir()
            (folder / "assets" / "labels.txt").write_text("\n".join(COLOR_LABELS) + "\n")
    (root / "invalid-no-json.tiobundle").mkdir()
    (root / "invalid-no-json.tiobundle" / "notes.txt").write_text("A bundle without model.json.\n")
    (root / "invalid-bad-json.tiobundle").mkdir()
    (root / "invalid-bad-json.tiobundle" / "model.json").write_text('{"name": "unterminated')
    (root / "tracker.tflite").write_bytes(tracker().bytes())
    for name, content in cases():
        write_json(root / "cases" / f"{name}.json", content)
    write_json(root / "expected.json", expected())
    (root / "README.md").write_text(README + "".join(rows))


main(pathlib.Path(sys.argv[1]))
