"""Measures the classification of a folder of JPEGs, in a typical and in an optimized Python script.

`script`: Pillow, numpy, one interpreter. `opencv`: larger files decoded at half their size, and
`--threads` threads, each with its own interpreter. `opencv-least`: the same, decoded at 1/2, 1/4 or 1/8,
as the size in the header permits. Start-up is not measured.
`--print` prints the best label of every image instead of the time.
"""

import threading
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
from ai_edge_litert.interpreter import Interpreter
from PIL import Image

from measuring import arguments, measure

SHOWN = 5
# Smaller files are quickly decoded whole.
LARGE = 60_000
REDUCTIONS = [
    (8, cv2.IMREAD_REDUCED_COLOR_8),
    (4, cv2.IMREAD_REDUCED_COLOR_4),
    (2, cv2.IMREAD_REDUCED_COLOR_2),
    (1, cv2.IMREAD_COLOR),
]


class Classifier:
    def __init__(self, model, labels, threads):
        self.interpreter = Interpreter(model_path=model, num_threads=threads)
        self.interpreter.allocate_tensors()
        image, scores = (
            self.interpreter.get_input_details()[0],
            self.interpreter.get_output_details()[0],
        )
        self.image, self.scores = image["index"], scores["index"]
        self.is_quantized = image["dtype"] == np.uint8
        _, self.height, self.width, _ = image["shape"]
        self.labels = labels

    def __call__(self, pixels):
        if not self.is_quantized:
            pixels = pixels.astype(np.float32) * np.float32(2 / 255) - 1
        self.interpreter.set_tensor(self.image, pixels[None])
        self.interpreter.invoke()
        scores = self.interpreter.get_tensor(self.scores)[0]
        if self.is_quantized:
            scores = scores.astype(np.float32) / 255
        best = np.argsort(-scores, kind="stable")[:SHOWN]
        return [(self.labels[index], scores[index]) for index in best]


def with_pillow(classifier, path):
    picture = Image.open(path).convert("RGB")
    size = (classifier.width, classifier.height)
    return classifier(np.asarray(picture.resize(size, Image.Resampling.BILINEAR)))


def with_opencv(classifier, path, reduction):
    data = np.fromfile(path, np.uint8)
    size = (classifier.width, classifier.height)
    pixels = cv2.cvtColor(cv2.imdecode(data, reduction(data, size)), cv2.COLOR_BGR2RGB)
    return classifier(cv2.resize(pixels, size, interpolation=cv2.INTER_LINEAR))


def half(data, size):
    return cv2.IMREAD_COLOR if len(data) < LARGE else cv2.IMREAD_REDUCED_COLOR_2


def least(data, size):
    """Returns the smallest sufficient scale, from the header."""
    whole = Image.open(BytesIO(data)).size
    ways = [way for by, way in REDUCTIONS if all(a >= by * b for a, b in zip(whole, size))]
    return ways[0] if ways else cv2.IMREAD_COLOR


def runner(way, threads, make):
    """Returns a function from all paths to all results."""
    if way == "script":
        classifier = make(1)
        return lambda paths: [with_pillow(classifier, path) for path in paths]
    reduction = least if way == "opencv-least" else half
    own = threading.local()
    cv2.setNumThreads(1)

    def prepare():
        own.classifier = make(1)

    pool = ThreadPoolExecutor(threads, initializer=prepare)
    return lambda paths: list(pool.map(lambda path: with_opencv(own.classifier, path, reduction), paths))


def main():
    given = arguments(
        "way", "model", "labels", "folder", description=__doc__, print=""
    )
    labels = Path(given.labels).read_text().splitlines()
    run = runner(given.way, given.threads, lambda threads: Classifier(given.model, labels, threads))
    paths = sorted(str(path) for path in Path(given.folder).glob("*.jpg"))
    run(paths[:4])
    if given.print:
        for path, answer in zip(paths, run(paths)):
            print(Path(path).name, answer[0][0])
        return
    measure("classify_folder.py", given.way, given, {"folder": lambda: run(paths)})


if __name__ == "__main__":
    main()
