"""Compares calls of the Python package with those of LiteRT's interpreter, interleaved.

python Benchmarks/python_calls.py [ROUNDS] [--cpu]: run it in the environment of Scripts/test/python. Prints the
medians of the rounds, and ratios; the times of a virtual machine vary more than its ratios. With --cpu, the
processor time of the calling thread is measured, which other programs affect less, and jobs of several threads
or processes are left out.
"""

import base64
import glob
import io
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import warnings

import numpy
from ai_edge_litert.interpreter import Interpreter
from PIL import Image

import tensorio

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Python", "tests"))
import onnx_models  # noqa: E402
BUNDLES = os.path.join(HERE, "..", "Examples", "Bundles")
NUMBERS = [int(argument) for argument in sys.argv[1:] if argument.isdigit()]
ROUNDS = NUMBERS[0] if NUMBERS else 9
IS_CPU = "--cpu" in sys.argv
clock = time.thread_time if IS_CPU else time.perf_counter


def path(name):
    return os.path.join(BUNDLES, name + ".tiobundle")


def interpreter(name):
    found = Interpreter(os.path.join(path(name), "model.tflite"), num_threads=1)
    found.allocate_tensors()
    return found


def microseconds(work, count):
    start = clock()
    for _ in range(count):
        work()
    return (clock() - start) / count * 1e6


def compare(title, jobs, count):
    """Prints the medians of several jobs, and their ratios to the first."""
    times = {name: [] for name in jobs}
    for _ in range(ROUNDS):
        for name, work in jobs.items():
            times[name].append(microseconds(work, count))
    first = None
    print(title)
    for name, values in times.items():
        median = statistics.median(values)
        first = first or median
        print(f"  {name:34} {median:10.2f} us  {median / first:5.2f}")


def tiny_model():
    model, peer = tensorio.Model(path("diabetes")), interpreter("diabetes")
    row, output = numpy.full((1, 10), 0.1, numpy.float32), numpy.zeros(1, numpy.float32)
    source, target = peer.get_input_details()[0]["index"], peer.get_output_details()[0]["index"]

    named, numbers = {"features": row}, row[0].tolist()

    def run_peer():
        peer.set_tensor(source, row)
        peer.invoke()
        return peer.get_tensor(target)

    compare("tiny model, one row", {
        "LiteRT set, invoke, get": run_peer,
        "run_into an array": lambda: model.run_into(row, output),
        "model(array).array": lambda: model(row).array,
        "model(array)": lambda: model(row),
        "model(mapping).array": lambda: model(named).array,
        "model(list).array": lambda: model(numbers).array,
        "model(mapping).outputs": lambda: model(named).outputs,
    }, 5000)
    rows = numpy.random.default_rng(1).normal(size=(20_000, 10)).astype(numpy.float32)

    def loop_peer():
        for index in range(len(rows)):
            peer.set_tensor(source, rows[index:index + 1])
            peer.invoke()
            peer.get_tensor(target)

    columns = {name: rows[:, index].copy() for index, name in enumerate(model.inputs[0].features)}
    one = tensorio.Model(path("diabetes"), sessions=1)
    compare("tiny model, 20,000 rows", {
        "LiteRT loop": loop_peer,
        "model.batch(rows), one session": lambda: one.batch(rows),
        "model.batch(columns), one session": lambda: one.batch(columns),
    }, 1)

    if IS_CPU:
        return
    compare("tiny model, 20,000 rows, all processors", {
        "LiteRT loop": loop_peer, "model.batch(rows)": lambda: model.batch(rows),
        "model.batch(columns)": lambda: model.batch(columns),
    }, 1)

    def on_threads(count):
        def work():
            for _ in range(20_000 // count):
                model.run_into(row, output)
        run_together(work, count)

    compare("tiny model, one shared model", {
        "one thread": lambda: on_threads(1), "two threads": lambda: on_threads(2)}, 1)


def run_together(work, count):
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def tiny_onnx_model():
    try:
        import onnxruntime
    except ImportError:
        print("no onnxruntime: its model is left out")
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(HERE, "peers", "make_onnx.py"), folder], check=True)
        file = os.path.join(folder, "onnx-tiny.tiobundle", "model.onnx")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tensorio.ModelWarning)  # the description is guessed
            model = tensorio.Model(file)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            file, options, providers=["CPUExecutionProvider"])
    row, output = numpy.full((1, 10), 0.1, numpy.float32), numpy.zeros((1, 1), numpy.float32)
    assert session.run(None, {"x": row})[0] == model(row).array
    compare("tiny ONNX model, one row", {
        "onnxruntime run": lambda: session.run(None, {"x": row})[0],
        "run_into an array": lambda: model.run_into(row, output),
        "model(array).array": lambda: model(row).array,
        "model(mapping).array": lambda: model({"x": row}).array,
    }, 5000)


def weights():
    trainer = tensorio.Trainer(path("digits-trainable-tflite"))
    values = trainer.weights()
    compare("weights of a trainable model, 83 kB", {
        "weights()": trainer.weights, "set_weights(values)": lambda: trainer.set_weights(values)}, 50)


def images():
    model, peer = tensorio.Model(path("shape-detector")), interpreter("shape-detector")
    details = peer.get_input_details()[0]
    height, width = details["shape"][1:3]
    files = []
    for name in sorted(glob.glob(os.path.join(path("shape-detector"), "samples", "*.jpg"))):
        with open(name, "rb") as file:
            files.append(file.read())

    def run_peer():
        for content in files:
            image = Image.open(io.BytesIO(content)).convert("RGB")
            image = image.resize((width, height), Image.Resampling.BILINEAR)
            pixels = numpy.asarray(image)[None]
            if details["dtype"] == numpy.float32:
                pixels = pixels.astype(numpy.float32) / 255
            peer.set_tensor(details["index"], pixels.astype(details["dtype"]))
            peer.invoke()
            peer.get_tensor(peer.get_output_details()[0]["index"])

    def run_own():
        for content in files:
            _ = model(content).tensors

    compare(f"{len(files)} JPEGs", {"Pillow, numpy, LiteRT": run_peer, "model(bytes)": run_own}, 3)

    if IS_CPU:
        return

    def on_threads(count):
        def work():
            for _ in range(20 // count):
                run_own()
        run_together(work, count)

    compare("JPEGs, one shared model", {
        "one thread": lambda: on_threads(1), "two threads": lambda: on_threads(2)}, 1)


def results():
    """Compares results as columns with their JSON, from which a program would build the same objects."""
    random = numpy.random.default_rng(1)
    places = numpy.stack(numpy.meshgrid(numpy.arange(10), numpy.arange(10)), 0).reshape(2, 100)
    boxes = numpy.zeros((1, 7, 100), numpy.float32)
    boxes[0, :4] = numpy.concatenate([places * [[12.8], [7.2]] + 3, random.random((2, 100)) + 5])
    boxes[0, 4 + random.integers(0, 3, 100), numpy.arange(100)] = 0.3 + 0.7 * random.random(100)
    whole = numpy.array([64, 36, 128, 72, 0.9, 0, 0, 1, 1], numpy.float32).reshape(1, 9, 1)
    prototypes = random.normal(size=(1, 2, 18, 32)).astype(numpy.float32)

    def boxes_of_json(result):
        return [
            tensorio.Detection(
                entry.pop("label"), entry.pop("score"), tensorio.Box(*map(float, entry.pop("box").values())),
                entry.pop("index"), entry)
            for entry in result.to_dict()["outputs"]["detections"]]

    def pixels(value):
        return numpy.asarray(Image.open(io.BytesIO(base64.b64decode(value["png"]))))

    image = numpy.zeros((720, 1280, 3), numpy.uint8)
    with tempfile.TemporaryDirectory() as folder:
        models = pathlib.Path(folder)
        detector = tensorio.Model(onnx_models.write_detector(models / "boxes.tiobundle", boxes))
        masks = tensorio.Model(onnx_models.write_detector(models / "mask.tiobundle", whole, prototypes))
    found = detector(image)
    assert found.detections == boxes_of_json(found) and len(found.detections) == 100

    def again(result):
        return tensorio.Result(result._output, result._model)

    compare("100 boxes, from output to objects", {
        "to_dict, objects": lambda: boxes_of_json(again(found)), "detections": lambda: again(found).detections}, 50)
    mask = masks(image)
    assert mask.detections[0].mask.pixels.shape == (720, 1280)
    compare("a mask of 1280x720", {
        "to_dict, PNG": lambda: pixels(again(mask).to_dict()["outputs"]["detections"][0]["mask"]) != 0,
        "detections[0].mask": lambda: again(mask).detections[0].mask}, 3)
    segments = tensorio.Model(path("shape-segmenter"))(image)
    compare("a segmentation of 1280x720", {
        "to_dict, PNG": lambda: pixels(again(segments).to_dict()["outputs"]["segmentation"]),
        "segmentation": lambda: again(segments).segmentation}, 3)


def start():
    sample = sorted(glob.glob(os.path.join(path("digits"), "samples", "*.png")))[0]
    programs = {
        "import numpy": "import numpy",
        "first result": f"import tensorio; tensorio.Model({path('digits')!r})({sample!r}).top(1)",
    }
    compare("a new process", {
        name: lambda code=code: subprocess.run(
            [sys.executable, "-c", code], check=True, stderr=subprocess.DEVNULL)
        for name, code in programs.items()
    }, 1)


tiny_model()
tiny_onnx_model()
weights()
images()
results()
if not IS_CPU:
    start()
