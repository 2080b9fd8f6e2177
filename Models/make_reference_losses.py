"""The first losses of a training of `digits-trainable` in TensorFlow, for the tests of other runtimes."""

import json

import reproducible

import numpy as np

import saved_models
from arithmetic import normalized
from bundle import EXAMPLES
from train_trainable_digits import BATCH, RATE, SIDE

STEPS = 50
LOSSES = EXAMPLES.parent / "Tests" / "Fixtures" / "Golden" / "digits-training-losses.json"


def batch(step):
    """Returns images with a pattern for each label, and the labels, which tests compute as well."""
    items = np.arange(step * BATCH, (step + 1) * BATCH)[:, None]
    pixels = np.arange(SIDE * SIDE)[None]
    labels = items * 7 % 10
    levels = 128 * (pixels * (labels + 2) % 11 < 4) + 7 * ((items * 31 + pixels * 17 + items * pixels) % 17)
    images = normalized(levels.astype("uint8").reshape(BATCH, SIDE, SIDE, 1))
    return {"image": images, "labels": labels.astype("int32"), "learning_rate": np.float32(RATE)}


def main():
    model = saved_models.Running(EXAMPLES / "Bundles" / "digits-trainable.tiobundle" / "model", "serve")
    losses = [float(model.run(batch(step), ["loss"], ["train"])[0]) for step in range(STEPS)]
    LOSSES.write_text(json.dumps({"batch_size": BATCH, "losses": losses}, indent=2) + "\n")


if __name__ == "__main__":
    main()
