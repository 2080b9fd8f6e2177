"""Writes the inputs of the peers: photograph-like JPEGs, and bundles."""

import json
import re
import sys
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter
from PIL import Image

SIZE = (1280, 720)
SEED = 42
# The sizes of a folder of photographs, about a million pixels each.
FOLDER_SIZES = [(1280, 720), (1024, 768), (800, 600), (1920, 1080), (640, 480), (929, 512)]
FOLDER_COUNT = 180


def picture(size=SIZE, seed=SEED):
    """Returns smooth colors with grain, which compress like a photograph, to about 100 kB."""
    width, height = size
    random = np.random.default_rng(seed)
    patches = random.integers(0, 256, (9, 16, 3), np.uint8)
    smooth = Image.fromarray(patches).resize(size, Image.Resampling.BICUBIC)
    grain = Image.fromarray(random.integers(0, 256, (height // 4, width // 4, 3), np.uint8))
    return Image.blend(smooth, grain.resize(size, Image.Resampling.BICUBIC), 0.15)


def write_folder(path):
    path.mkdir(exist_ok=True)
    for number in range(FOLDER_COUNT):
        size = FOLDER_SIZES[number % len(FOLDER_SIZES)]
        picture(size, SEED + number).save(path / f"{number:03}.jpg", quality=85)


def labels(path, count):
    """Returns the labels of a file without their numbers, or generated ones."""
    if path is None:
        return [f"class-{index}" for index in range(count)]
    lines = Path(path).read_text().splitlines()
    return [re.sub(r"^\d+\s+", "", line).strip() for line in lines]


def description(image, scores):
    _, height, width, channels = (int(side) for side in image["shape"])
    is_quantized = image["dtype"] == np.uint8
    floats = {} if is_quantized else {"normalize": {"standard": "[-1,1]"}}
    bytes_ = {"dequantize": {"standard": "[0,1]"}} if is_quantized else {}
    return {
        "name": "Classifier",
        "details": "A model of the kind of MobileNet, to measure with",
        "id": "classifier",
        "version": "1",
        "author": "TensorIO for Swift",
        "license": "Apache-2.0",
        "model": {
            "file": "model.tflite",
            "quantized": is_quantized,
            "backend": "tflite",
            "modes": ["predict"],
            "type": "image.classification",
        },
        "inputs": [
            {
                "name": "image",
                "type": "image",
                "shape": [height, width, channels],
                "format": "RGB",
                **floats,
            }
        ],
        "outputs": [
            {
                "name": "classification",
                "type": "array",
                "shape": [int(scores["shape"][-1])],
                "labels": "labels.txt",
                **bytes_,
            }
        ],
        "options": {},
    }


def write_bundle(bundle, labels_path):
    interpreter = Interpreter(model_path=str(bundle / "model.tflite"))
    image, scores = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    names = labels(labels_path, int(scores["shape"][-1]))
    (bundle / "assets").mkdir(exist_ok=True)
    (bundle / "assets" / "labels.txt").write_text("\n".join(names) + "\n")
    (bundle / "model.json").write_text(json.dumps(description(image, scores), indent=2) + "\n")


def main(bundle, labels_path=None):
    bundle = Path(bundle)
    write_bundle(bundle, labels_path)
    picture().save(bundle.parent / "picture.jpg", quality=85)
    if not (bundle.parent / "pictures").exists():
        write_folder(bundle.parent / "pictures")


if __name__ == "__main__":
    main(*sys.argv[1:])
