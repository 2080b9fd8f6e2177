"""Compares the calibrated scores of packed models with those of the Task Library of TensorFlow Lite Support."""

import json
import pathlib
import shutil
import subprocess
import tempfile

import flatbuffers
import numpy
from tflite_support import schema_py_generated as schema
from tflite_support.task import core, processor, vision

TENSORIO = ".build/release/tensorio"
BUNDLES = pathlib.Path("Examples/Bundles")
SIDE = 8
CLASSES = 3 * SIDE * SIDE
# Both compute in single precision, in another order.
TOLERANCE = 2e-6


def tensorio(*arguments):
    done = subprocess.run([TENSORIO, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def write_classifier(path):
    """A model whose scores are the pixels of its image, so that images can request any scores."""

    def tensor(name, shape, kind, buffer):
        made = schema.TensorT()
        made.name, made.shape, made.type, made.buffer = name, shape, kind, buffer
        return made

    real, whole = schema.TensorType.FLOAT32, schema.TensorType.INT32
    graph, operator, code, model = schema.SubGraphT(), schema.OperatorT(), schema.OperatorCodeT(), schema.ModelT()
    graph.tensors = [
        tensor("image", [1, SIDE, SIDE, 3], real, 1), tensor("scores", [1, CLASSES], real, 2), tensor("shape", [2], whole, 3)]
    graph.inputs, graph.outputs, graph.operators = [0], [1], [operator]
    operator.opcodeIndex, operator.inputs, operator.outputs = 0, [0, 2], [1]
    code.builtinCode = code.deprecatedBuiltinCode = schema.BuiltinOperator.RESHAPE
    code.version = 1
    model.version, model.operatorCodes, model.subgraphs = 3, [code], [graph]
    model.buffers = [schema.BufferT() for _ in range(4)]
    model.buffers[3].data = list(numpy.array([1, CLASSES], numpy.int32).tobytes())
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    path.write_bytes(bytes(builder.Output()))


def write_pixmap(path, pixels):
    height, width, _ = pixels.shape
    path.write_bytes(f"P6 {width} {height} 255\n".encode() + pixels.tobytes())


def calibration(generator, count):
    """Lines of random parameters, some of which are empty or have a minimum score."""
    lines = []
    for _ in range(count):
        kind = generator.integers(4)
        numbers = [generator.uniform(0.2, 1), generator.uniform(-4, 4), generator.uniform(-3, 3)]
        numbers += [generator.uniform(0, 0.6)] if kind == 1 else []
        lines.append("" if kind == 0 else ",".join(f"{number:.6g}" for number in numbers))
    return "\n".join(lines)


def calibrate(bundle, output, transform, default, lines):
    path = bundle / "model.json"
    description = json.loads(path.read_text())
    description["outputs"][output]["calibration"] = {"file": "calibration.txt", "transform": transform, "default": default}
    path.write_text(json.dumps(description))
    (bundle / "assets" / "calibration.txt").write_text(lines)


def packed(bundle, folder):
    """The model with the bundle's metadata, and a bundle that is drafted from it alone."""
    model, drafted = folder / "packed.tflite", folder / "drafted.tiobundle"
    tensorio("pack", bundle, "--into", model, "--force")
    tensorio("init", model, "-o", drafted, "--force")
    return model, drafted


def scores(bundle, image):
    outputs = json.loads(tensorio("run", bundle, image, "--format", "json", "--top", CLASSES))["outputs"]
    (entries,) = outputs.values()
    return [(entry["label"], entry["score"]) for entry in entries]


def difference(ours, theirs):
    """The largest difference of scores; the labels have to be the same."""
    assert len(ours) == len(theirs) > 0, (ours, theirs)
    ours, theirs = sorted(ours), sorted(theirs)
    assert [label for label, _ in ours] == [label for label, _ in theirs], (ours, theirs)
    return max(abs(one - other) for (_, one), (_, other) in zip(ours, theirs))


def check_classifier(folder, generator):
    labels, model, bundle = folder / "labels.txt", folder / "classifier.tflite", folder / "classifier.tiobundle"
    labels.write_text("".join(f"label {index:03}\n" for index in range(CLASSES)))
    write_classifier(model)
    tensorio("init", model, "--labels", labels, "-o", bundle)
    largest, count = 0.0, 0
    for trial in range(30):
        transform = ("identity", "log", "logit")[trial % 3]
        calibrate(bundle, 0, transform, -0.5 * (trial % 2), calibration(generator, CLASSES))
        pixels = generator.integers(0, 256, (SIDE, SIDE, 3), dtype=numpy.uint8)
        pixels.flat[:2] = 0, 255
        image = folder / "image.ppm"
        write_pixmap(image, pixels)
        model_with_metadata, drafted = packed(bundle, folder)
        classifier = vision.ImageClassifier.create_from_options(vision.ImageClassifierOptions(
            base_options=core.BaseOptions(file_name=str(model_with_metadata)),
            classification_options=processor.ClassificationOptions(score_threshold=-10.0)))
        result = classifier.classify(vision.TensorImage.create_from_array(pixels)).classifications[0]
        theirs = [(category.category_name, category.score) for category in result.categories]
        for mine in (bundle, drafted):
            largest = max(largest, difference(scores(mine, image), theirs))
            count += len(theirs)
    return largest, count


def check_detector(folder, generator):
    bundle = folder / "detector.tiobundle"
    shutil.copytree(BUNDLES / "shape-detector.tiobundle", bundle)
    description = json.loads((bundle / "model.json").read_text())
    output = next(index for index, layer in enumerate(description["outputs"]) if layer.get("role") == "scores")
    classes = len((bundle / "assets" / "labels.txt").read_text().splitlines())
    samples = sorted((bundle / "samples").glob("*.jpg"))
    largest, count = 0.0, 0
    for trial, sample in enumerate(samples * 9):
        # The image has the size of the model's input, so that neither program resizes it.
        pixels = numpy.asarray(vision.TensorImage.create_from_file(str(sample)).buffer)
        rows, columns = (numpy.linspace(0, side - 1, 128).astype(int) for side in pixels.shape[:2])
        pixels = numpy.ascontiguousarray(pixels[rows][:, columns, :3])
        image = folder / "image.ppm"
        write_pixmap(image, pixels)
        calibrate(bundle, output, ("identity", "log", "logit")[trial % 3], 0, calibration(generator, classes))
        model, drafted = packed(bundle, folder)
        settings = drafted / "model.json"
        text = json.loads(settings.read_text())
        text["task"]["threshold"] = 0.02
        settings.write_text(json.dumps(text))
        detector = vision.ObjectDetector.create_from_options(vision.ObjectDetectorOptions(
            base_options=core.BaseOptions(file_name=str(model)),
            detection_options=processor.DetectionOptions(score_threshold=0.02)))
        found = detector.detect(vision.TensorImage.create_from_array(pixels)).detections
        theirs = [(each.categories[0].category_name, each.categories[0].score) for each in found]
        ours = scores(drafted, image)
        if ours or theirs:
            largest = max(largest, difference(ours, theirs))
            count += len(theirs)
    assert count > 20, count
    return largest, count


def main():
    generator = numpy.random.default_rng(1)
    with tempfile.TemporaryDirectory() as name:
        for kind, check in (("classifications", check_classifier), ("detections", check_detector)):
            largest, count = check(pathlib.Path(name), generator)
            print(f"{kind}: {count} calibrated scores, the largest difference is {largest:.2g}")
            assert largest <= TOLERANCE, largest


main()
