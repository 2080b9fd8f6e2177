"""MobileNet v2 with random weights, fully quantized; as slow as the trained model.

`benchmark_model.py FILE [SIDE [WIDTH]]`: for images of SIDE × SIDE, with the channel multiplier WIDTH.
"""

import reproducible

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

from conversion import FrozenNetwork, convert

CALIBRATIONS = 4


def calibration(side):
    random = np.random.default_rng(reproducible.SEED)
    yield from (
        [random.uniform(-1, 1, (1, side, side, 3)).astype(np.float32)] for _ in range(CALIBRATIONS)
    )


def classifier(network, side):
    class Classifier(FrozenNetwork):
        @tf.function(input_signature=[tf.TensorSpec([1, side, side, 3], tf.float32, "image")])
        def run(self, image):
            return {"classification": self.applied(image)}

    return Classifier(network)


def main(path, side=224, width=1.0):
    side, width = int(side), float(width)
    network = tf.keras.applications.MobileNetV2(
        (side, side, 3), alpha=width, weights=None, classes=1001
    )
    model = convert(
        classifier(network, side), ["image"], ["classification"],
        examples=lambda: calibration(side),
    )
    Path(path).write_bytes(model)
    print(f"{path}: {len(model) / 1e6:.1f} MB")


if __name__ == "__main__":
    main(*sys.argv[1:])
