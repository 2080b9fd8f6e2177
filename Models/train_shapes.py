"""Circles and squares: draws images and builds a network that learns to distinguish them."""

import shutil

import reproducible

import numpy as np
import tensorflow as tf
from PIL import Image, ImageDraw

import saved_models
from arithmetic import normalized
from bundle import EXAMPLES, Bundle, described, save_picture
from pictures import prepared

v1 = tf.compat.v1

SIDE = 32
RATE = 0.003
EPOCHS = 20
BATCH = 12
LABELS = ["circle", "square"]
COUNTS = {"shapes-training": 120, "shapes-held-out": 60}
FINENESS = 4
TOLERANCE = 0.002
LOSS = "sigmoid_cross_entropy_loss/value"


def drawn(label, random):
    """Draws an antialiased shape in one color on another."""
    side = SIDE * FINENESS
    paper, ink = distinct_colors(random)
    picture = Image.new("RGB", (side, side), paper)
    width = random.uniform(0.4, 0.8) * side
    left, top = random.uniform(0.05 * side, 0.95 * side - width, 2)
    draw = ImageDraw.Draw(picture)
    shape = draw.ellipse if label == "circle" else draw.rectangle
    shape((left, top, left + width, top + width), fill=ink)
    return picture.resize((SIDE, SIDE), Image.Resampling.BOX)


def distinct_colors(random):
    while True:
        colors = random.integers(0, 256, (2, 3))
        if np.abs(colors[0] - colors[1]).max() > 80:
            return [tuple(int(value) for value in color) for color in colors]


def collections():
    """Returns the (label, image) pairs of every data folder."""
    random = np.random.default_rng(reproducible.SEED)
    return {
        name: [(LABELS[number % 2], drawn(LABELS[number % 2], random)) for number in range(count)]
        for name, count in COUNTS.items()
    }


def write_pictures(name, pictures):
    folder = EXAMPLES / "Data" / name
    shutil.rmtree(folder, ignore_errors=True)
    for number, (label, picture) in enumerate(pictures):
        save_picture(picture, folder / label / f"{number:03}.png")


def tensors(pictures):
    images = normalized(np.stack([prepared(picture, SIDE, "RGB") for _, picture in pictures]))
    return {
        "image": images,
        "labels": np.array([[LABELS.index(label)] for label, _ in pictures], np.int32),
    }


def convolved(inputs, channels, size, seed):
    initial = v1.glorot_uniform_initializer(seed)
    kernel = v1.get_variable(
        f"kernel_{seed}", [size, size, inputs.shape[-1], channels], initializer=initial, use_resource=True
    )
    bias = v1.get_variable(
        f"bias_{seed}", [channels], initializer=v1.zeros_initializer(), use_resource=True
    )
    return tf.nn.conv2d(inputs, kernel, 1, "SAME") + bias


def graph():
    """The difference from the background in the corner, two convolutions and a global sum."""
    image = v1.placeholder("float32", [None, SIDE, SIDE, 3], "image")
    labels = v1.placeholder("int32", [None, 1], "labels")
    ink = tf.reduce_max(tf.abs(image - image[:, :1, :1]), 3, keepdims=True)
    features = tf.nn.max_pool2d(tf.nn.relu(convolved(ink, 8, 5, seed=1)), 4, 4, "SAME")
    features = tf.nn.max_pool2d(tf.nn.relu(convolved(features, 8, 3, seed=2)), 2, 2, "SAME")
    features = tf.reshape(features, [-1, 1, 1, 128])
    logits = tf.reshape(convolved(features, 1, 1, seed=3), [-1, 1])
    probability = tf.sigmoid(logits, name="probability")
    loss = v1.losses.sigmoid_cross_entropy(labels, logits)
    right = tf.equal(logits > 0, labels > 0)
    accuracy = tf.reduce_mean(tf.cast(right, "float32"), name="accuracy")
    v1.train.AdamOptimizer(RATE).minimize(loss, name="train")
    pair = {"image": image, "labels": labels}
    return {
        "serving_default": ({"image": image}, {"probability": probability}),
        "train": (pair, {"loss": loss}),
        "eval": (pair, {"loss": loss, "accuracy": accuracy}),
    }


def trained_accuracy(folder, training, held_out):
    """Trains the bundle for a few epochs in a temporary session and returns the accuracy."""
    running = saved_models.Running(folder, "train")
    random = np.random.default_rng(reproducible.SEED)
    for _ in range(EPOCHS):
        order = random.permutation(len(training["image"]))
        for chosen in np.split(order, len(order) // BATCH):
            running.run({name: value[chosen] for name, value in training.items()}, (), ["train"])
    return running.run(held_out, ["accuracy"])[0]


def description():
    image = {
        "name": "image", "type": "image", "shape": [-1, SIDE, SIDE, 3], "format": "RGB",
        "normalize": {"standard": "[0,1]"},
    }  # fmt: skip
    labels = {"name": "labels", "type": "array", "dtype": "int32", "shape": [-1, 1]}
    loss = {"name": LOSS, "type": "scalar", "shape": [1]}
    accuracy = {"name": "accuracy", "type": "scalar", "shape": [1]}
    return described(
        name="Circles and squares to train",
        id="shapes-trainable",
        details="Learns to distinguish squares from circles; starts with random weights",
        kind="image.classification.shapes",
        backend="tensorflow",
        file="train",
        modes=["predict", "train", "eval"],
        inputs=[image],
        outputs=[{"name": "probability", "type": "array", "shape": [-1, 1]}],
        train={"ops": ["train"], "inputs": [image, labels], "outputs": [loss]},
        eval={"inputs": [image, labels], "outputs": [loss, accuracy]},
    )


def card(accuracy):
    training, held_out = COUNTS.values()
    return f"""
## What it does

The input is a {SIDE}×{SIDE} color image, the output the probability that it shows a square. `labels`
are 0 for a circle and 1 for a square. The weights are random with a fixed seed. {EPOCHS} epochs in batches of {BATCH} classify {accuracy:.0%} of the
held-out images correctly.

## Data

`Examples/Data/shapes-training` ({training} pictures) and `Examples/Data/shapes-held-out` ({held_out}), one
folder per label: one shape of any size and position, in one color on another, drawn by
`train_shapes.py`. The images in `samples/` are the first two held-out ones. License: Apache-2.0.

## Network

The difference of each pixel from the corner pixel, two convolutions with a pooling layer each, and a
global sum; sigmoid cross entropy, Adam with the learning rate {RATE}, which is part of the graph.
The graph's only tag is `train`; all modes use it.

## Reproducing

`Models/train-all`
"""


def main():
    data = collections()
    for name, pictures in data.items():
        write_pictures(name, pictures)
    training, held_out = map(tensors, data.values())
    bundle = Bundle(description(), lambda folder: saved_models.write(folder, {"train": graph}))
    running = saved_models.Running(bundle.path / "train", "train")
    answers, accuracy = running.run(held_out, ["probability", "accuracy"])
    for (label, picture), answer in list(zip(data["shapes-held-out"], answers))[:2]:
        bundle.add_sample(f"{label}.png", picture, {"probability": round(float(answer[0]), 4)})
    learnt = trained_accuracy(bundle.path / "train", training, held_out)
    bundle.finish(
        tolerance=TOLERANCE,
        measured=f"{accuracy:.0%} of {len(answers)} held-out images; {learnt:.0%} after {EPOCHS} epochs",
        card=card(learnt),
    )


if __name__ == "__main__":
    main()
