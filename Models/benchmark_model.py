"""MobileNet v2 with random weights, fully quantized: as much work as the trained one."""

import reproducible

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

from conversion import FrozenNetwork, convert

SIDE = 224
CALIBRATIONS = 4


def calibration():
    random = np.random.default_rng(reproducible.SEED)
    yield from (
        [random.uniform(-1, 1, (1, SIDE, SIDE, 3)).astype(np.float32)] for _ in range(CALIBRATIONS)
    )


class Classifier(FrozenNetwork):
    @tf.function(input_signature=[tf.TensorSpec([1, SIDE, SIDE, 3], tf.float32, "image")])
    def run(self, image):
        return {"classification": self.applied(image)}


def main(path):
    network = tf.keras.applications.MobileNetV2((SIDE, SIDE, 3), weights=None, classes=1001)
    model = convert(Classifier(network), ["image"], ["classification"], examples=calibration)
    Path(path).write_bytes(model)
    print(f"{path}: {len(model) / 1e6:.1f} MB")


if __name__ == "__main__":
    main(sys.argv[1])
