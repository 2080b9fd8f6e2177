"""Handwritten digits as vectors: the same digit near, others far."""

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
    """How many of the rest are nearest to their own among five enrolled of each digit."""
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
        details=f"Turns a picture of a digit into {VALUES} values that are near for the same digit",
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

A {SIDE}×{SIDE} grey picture of one digit goes in, a vector of {VALUES} values and length 1 comes out. Vectors of
the same digit are near: Euclidean distance at most {facts['threshold']}, which is where as many pairs of the same
digit are refused as pairs of others are accepted. The picture is whitened inside the graph (mean 0,
deviation 1), so that its light and contrast do not count.

## Data

Optical Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak, UCI Machine Learning
Repository, DOI 10.24432/C50P49, licence CC BY 4.0; the 1797 examples of scikit-learn's `load_digits`,
split, drawn and varied as for `digits`. The pictures in `samples/` carry the same licence.

## Training

Convolutions that halve the picture three times and a dense layer: `train_digits_embedder.py`, with
triplet loss over all triplets of a batch (10 digits, {embedder.PICTURES_OF_A_KIND} pictures each, margin
{embedder.MARGIN} of the squared distance, {STEPS} steps, seed {reproducible.SEED}).

## Accuracy

Measured by LiteRT on the {facts['held out']} held-out examples, which training never saw (but it saw other
examples of all ten digits):

| what | measured |
|---|---|
| the nearest of {ENROLLED} enrolled of each digit is the same digit | {facts['right']} of {facts['asked']}, {facts['right'] / facts['asked']:.2%} |
| equal error rate over all {facts['pairs']} pairs | {facts['error']:.2%} at the distance {facts['threshold']} |

## Train it again

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
        measured=f"{right / asked:.2%} of {asked} held-out pictures nearest to their own digit"
        f" with {ENROLLED} enrolled of each, equal error rate {error:.2%}",
        card=card(facts),
    )


if __name__ == "__main__":
    main()
