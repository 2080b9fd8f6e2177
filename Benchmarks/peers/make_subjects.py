"""Writes what the peers work on: a photograph-like JPEG, and a bundle of the large model."""

import json
import re
import sys
from pathlib import Path

import numpy as np
from ai_edge_litert.interpreter import Interpreter
from PIL import Image

WIDTH, HEIGHT = 1280, 720
SEED = 42


def picture():
    """Smooth colours with grain: it compresses as photographs do, to about 100 kB."""
    random = np.random.default_rng(SEED)
    patches = random.integers(0, 256, (9, 16, 3), np.uint8)
    smooth = Image.fromarray(patches).resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC)
    grain = Image.fromarray(random.integers(0, 256, (HEIGHT // 4, WIDTH // 4, 3), np.uint8))
    return Image.blend(smooth, grain.resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC), 0.15)


def labels(path, count):
    """The labels of a file, without the numbers before them, or invented ones."""
    if path is None:
        return [f"class {index}" for index in range(count)]
    lines = Path(path).read_text().splitlines()
    return [re.sub(r"^\d+\s+", "", line).strip() for line in lines]


def description(image, scores):
    _, height, width, channels = (int(side) for side in image["shape"])
    return {
        "name": "Large model",
        "details": "A model as large as MobileNet, to measure with",
        "id": "large",
        "version": "1",
        "author": "TensorIO for Swift",
        "license": "Apache-2.0",
        "model": {
            "file": "model.tflite",
            "quantized": True,
            "backend": "tflite",
            "modes": ["predict"],
            "type": "image.classification",
        },
        "inputs": [
            {"name": "image", "type": "image", "shape": [height, width, channels], "format": "RGB"}
        ],
        "outputs": [
            {
                "name": "classification",
                "type": "array",
                "shape": [int(scores["shape"][-1])],
                "labels": "labels.txt",
                "dequantize": {"standard": "[0,1]"},
            }
        ],
        "options": {},
    }


def main(bundle, jpeg, labels_path=None):
    bundle = Path(bundle)
    interpreter = Interpreter(model_path=str(bundle / "model.tflite"))
    image, scores = interpreter.get_input_details()[0], interpreter.get_output_details()[0]
    names = labels(labels_path, int(scores["shape"][-1]))
    (bundle / "assets").mkdir(exist_ok=True)
    (bundle / "assets" / "labels.txt").write_text("\n".join(names) + "\n")
    (bundle / "model.json").write_text(json.dumps(description(image, scores), indent=2) + "\n")
    picture().save(jpeg, quality=85)


if __name__ == "__main__":
    main(*sys.argv[1:])
