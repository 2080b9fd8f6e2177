"""Shared parts of the detector bundles: layers, and samples with unambiguous results."""

import numpy as np
from PIL import Image

from detector import outputs_of


def is_certain(scores):
    """Returns whether the result is robust to small numeric differences: no low scores, no ties."""
    found = scores[scores > 0]
    return len(found) > 1 and found.min() > 0.4 and np.diff(found).max() < -0.003


def outputs_described(run):
    """Returns the outputs of a detector as in model.json."""
    layers = []
    for tensor in run.outputs:
        name = tensor["name"]
        shape = [int(length) for length in tensor["shape"]]
        layer = {"name": name, "type": "array", "shape": shape, "role": name}
        layers.append(layer | {"labels": "labels.txt"} if name == "classes" else layer)
    return layers


def picture_described(side):
    return {
        "name": "image", "type": "image", "shape": [side, side, 3], "format": "RGB", "fit": "letterbox",
        "normalize": {"standard": "[0,1]"},
    }  # fmt: skip


def add_certain_samples(bundle, run, pictures, most):
    """Returns the first images with unambiguous results, as files, and the outputs of each file."""
    for picture in pictures:
        if len(bundle.expected) < most and is_certain(outputs_of(run, picture)[2]):
            name = f"{len(bundle.expected) + 1}.jpg"
            bundle.add_sample(name, picture, None)
            saved = Image.open(bundle.path / "samples" / name)
            answers = zip(run.outputs, outputs_of(run, saved))
            bundle.expected[name] = {tensor["name"]: rounded(answer) for tensor, answer in answers}


def rounded(values):
    return np.round(values.astype(float), 4).tolist()
