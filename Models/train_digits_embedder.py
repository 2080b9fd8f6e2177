"""Embeddings of handwritten digits."""

import reproducible

import numpy as np
import tensorflow as tf

import embedder
from arithmetic import normalized
from bundle import Bundle, described
from conversion import FrozenNetwork, convert
from digits import SAMPLE_SIDE, drawn, split
from litert import Runner
from pictures import prepared
from train_digits import HELD_OUT_SIDE, SIDE, training_set

VALUES = 32
STEPS = 900
ENROLLED = 5
TOLERANCE = 0.02


class Embedder(FrozenNetwork):
    @tf.function(input_signature=[tf.TensorSpec([1, SIDE, SIDE, 1], tf.float32, "image")])
    def run(self, image):
        return {"embedding": self.applied(image)}


def embedding(run, picture):
    return run(normalized(prepared(picture, SIDE, "L")))[0]


def one_of_five(values, digits):
    """Returns how many remaining images are nearest to their own digit, with five enrolled per digit."""
    enrolled = np.concatenate([np.flatnonzero(digits == digit)[:ENROLLED] for digit in range(10)])
    rest = np.setdiff1d(np.arange(len(digits)), enrolled)
    right = sum(
        embedder.nearest_kind(values[place], values[enrolled], digits[enrolled])[0] == digits[place]
        for place in rest
    )
    return int(right), len(rest)


def description(threshold):
    return described(
        name="Handwritten digits as vectors",
        id="digits-embedder",
        details=f"Computes a {VALUES}-dimensional embedding of a handwritten digit",
        kind="image.embedding.digits",
        inputs=[
            {
                "name": "image", "type": "image", "shape": [SIDE, SIDE, 1], "format": "GRAY",
                "normalize": {"standard": "[0,1]"},
            }
        ],
        outputs=[{"name": "embedding", "type": "array", "shape": [VALUES], "role": "embedding"}],
        task={"type": "embedding", "threshold": threshold},
    )  # fmt: skip


def card(facts):
    return f"""
## What it does

The input is a {SIDE}×{SIDE} grayscale image of one digit, the output a vector of {VALUES} values and length 1.
Vectors of the same digit are near each other: Euclidean distance at most {facts['threshold']}, the threshold of the
equal error rate. The graph standardizes the image (mean 0, deviation 1), so the result does not depend
on brightness and contrast.

## Data

Optical Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak, UCI Machine Learning
Repository, DOI 10.24432/C50P49, license CC BY 4.0; the 1797 examples of scikit-learn's `load_digits`,
split, drawn and augmented as for `digits`. The images in `samples/` have the same license.

## Training

Convolutions that halve the image size three times, and a dense layer: `train_digits_embedder.py`, with
triplet loss over all triplets of a batch (10 digits, {embedder.PICTURES_OF_A_KIND} images each, margin
{embedder.MARGIN} of the squared distance, {STEPS} steps, seed {reproducible.SEED}).

## Accuracy

Measured by LiteRT on the {facts['held out']} held-out examples, which were not used for training
(other examples of all ten digits were):

| metric | value |
|---|---|
| nearest of {ENROLLED} enrolled examples per digit is the same digit | {facts['right']} of {facts['asked']}, {facts['right'] / facts['asked']:.2%} |
| equal error rate over all {facts['pairs']} pairs | {facts['error']:.2%} at the distance {facts['threshold']} |

## Reproducing

`Models/train-all`
"""


def main():
    train_levels, test_levels, train_digits, test_digits = split()
    images, digits = training_set(train_levels, train_digits)
    net = embedder.network((SIDE, SIDE, 1), (16, 32, 48), VALUES)
    embedder.train(net, images, digits, STEPS)
    model = convert(Embedder(net), ["image"], ["embedding"], half=True)
    run = Runner(model)
    values = np.stack([embedding(run, drawn(levels, HELD_OUT_SIDE)) for levels in test_levels])
    same, others = embedder.pairs(values, test_digits)
    distance, error = embedder.equal_error(same, others)
    right, asked = one_of_five(values, test_digits)
    facts = {
        "threshold": round(distance, 3), "error": error, "right": right, "asked": asked,
        "held out": len(values), "pairs": len(same) + len(others),
    }  # fmt: skip
    bundle = Bundle(description(facts["threshold"]), model)
    for digit in range(10):
        for number, levels in enumerate(test_levels[test_digits == digit][:2], start=1):
            picture = drawn(levels, SAMPLE_SIDE)
            answer = [round(float(value), 4) for value in embedding(run, picture)]
            bundle.add_sample(f"{digit}-{number}.png", picture, {"embedding": answer})
    bundle.finish(
        tolerance=TOLERANCE,
        measured=f"{right / asked:.2%} of {asked} held-out images nearest to their own digit"
        f" ({ENROLLED} enrolled per digit), equal error rate {error:.2%}",
        card=card(facts),
    )


if __name__ == "__main__":
    main()
