"""Trainable handwritten digits: one graph that predicts, trains and evaluates, untrained and trained."""

import shutil

import reproducible

import numpy as np
import tensorflow as tf
from PIL import Image

import saved_models
from arithmetic import normalized
from bundle import EXAMPLES, Bundle, described, save_picture
from digits import LABELS, SAMPLE_SIDE, drawn, split
from pictures import prepared

v1 = tf.compat.v1

SIDE = 8
DRAWN_SIDE = 64
RATE = 0.01
BATCH = 32
EPOCHS = 20
LATER_RATE = 0.002
TOLERANCE = 0.002
TRAINING = EXAMPLES / "Data" / "digits-training"


def pictures(levels):
    """Preprocesses each example from the size of the held-out images."""
    return np.stack([prepared(drawn(example, DRAWN_SIDE), SIDE, "L") for example in levels])


def layer(inputs, shape, seed, apply):
    weights = v1.get_variable(
        f"weights_{seed}", shape, initializer=v1.glorot_uniform_initializer(seed), use_resource=True
    )
    bias = v1.get_variable(
        f"bias_{seed}", shape[-1:], initializer=v1.zeros_initializer(), use_resource=True
    )
    return apply(inputs, weights) + bias


def convolved(inputs, channels, seed):
    shape = [3, 3, inputs.shape[-1], channels]
    conv = layer(inputs, shape, seed, lambda x, weights: tf.nn.conv2d(x, weights, 1, "SAME"))
    return tf.nn.relu(conv)


def graph():
    """Two convolutions and a dense layer; `train` is one step of Adam."""
    image = v1.placeholder("float32", [None, SIDE, SIDE, 1], "image")
    labels = v1.placeholder("int32", [None, 1], "labels")
    rate = v1.placeholder("float32", [], "learning_rate")
    features = tf.nn.max_pool2d(convolved(1 - image, 8, seed=1), 2, 2, "SAME")
    features = tf.reshape(convolved(features, 16, seed=2), [-1, 256])
    logits = layer(features, [256, 10], 3, tf.matmul)
    digits = tf.reshape(labels, [-1])
    probabilities = tf.nn.softmax(logits, name="probabilities")
    # The raw operator; tf.nn would expand it into several for other processors.
    losses = tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=logits, labels=digits).loss
    loss = tf.reduce_mean(losses, name="loss")
    right = tf.equal(tf.argmax(logits, 1, output_type=tf.int32), digits)
    accuracy = tf.reduce_mean(tf.cast(right, "float32"), name="accuracy")
    v1.train.AdamOptimizer(rate).minimize(loss, name="train")
    pair = {"image": image, "labels": labels}
    return {
        "serving_default": ({"image": image}, {"probabilities": probabilities}),
        "train": (pair | {"learning_rate": rate}, {"loss": loss}),
        "eval": (pair, {"loss": loss, "accuracy": accuracy}),
    }


def training(images, digits):
    """Trains the graph of a session, shuffling the examples every epoch."""

    def train(session):
        random = np.random.default_rng(reproducible.SEED)
        for epoch in range(EPOCHS):
            rate = RATE if epoch < EPOCHS // 2 else LATER_RATE
            order = random.permutation(len(images))
            for start in range(0, len(order), BATCH):
                chosen = order[start : start + BATCH]
                batch = {"image:0": images[chosen], "labels:0": digits[chosen, None]}
                session.run("train", batch | {"learning_rate:0": rate})

    return train


def description(name, id, details):
    image = {
        "name": "image", "type": "image", "shape": [-1, SIDE, SIDE, 1], "format": "GRAY",
        "normalize": {"standard": "[0,1]"},
    }  # fmt: skip
    labels = {"name": "labels", "type": "array", "shape": [-1, 1], "dtype": "int32"}
    loss, accuracy = ({"name": name, "type": "scalar", "shape": [1]} for name in ("loss", "accuracy"))
    rate = {"name": "learning_rate", "type": "scalar", "shape": [1], "dtype": "float32", "value": RATE}
    return described(
        name=name,
        id=id,
        details=details,
        kind="image.classification.digits",
        backend="tensorflow",
        file="model",
        modes=["predict", "train", "eval"],
        inputs=[image],
        outputs=[
            {"name": "probabilities", "type": "array", "shape": [-1, 10], "labels": "labels.txt"}
        ],
        train={
            "ops": ["train"], "inputs": [image, labels], "outputs": [loss], "placeholders": [rate],
        },
        eval={"inputs": [image, labels], "outputs": [loss, accuracy]},
    )  # fmt: skip


FRESH = """\
Not trained: the weights are random with a fixed seed. Five epochs with the declared learning rate
reach an accuracy of more than 95%."""

TRAINED = f"""\
Trained on the images in `Examples/Data/digits-training`: {EPOCHS} epochs in batches of {BATCH},
half of them with the learning rate {RATE} and half with {LATER_RATE}. It can be trained further."""


def card(state):
    return f"""
## What it does

The input is an {SIDE}×{SIDE} grayscale image, dark ink on white paper; the output is ten probabilities
labeled `0` to `9`. One graph predicts, trains (`train` is a step of Adam with the rate
`learning_rate`) and evaluates (loss and accuracy). The optimizer's variables are saved with the weights.

{state}

## Data

Optical Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak, UCI Machine Learning
Repository, DOI 10.24432/C50P49, license CC BY 4.0; the 1797 examples of 8×8 pixels and 17 levels
in scikit-learn's `load_digits`, drawn as dark ink on white paper with {DRAWN_SIDE}×{DRAWN_SIDE}
pixels and resized to 8×8 as in TensorIO. Four fifths of them are for training
(`Examples/Data/digits-training`, one folder per label), one fifth is held out
(`Examples/Data/digits-held-out`) by a stratified split. The images in `samples/` are held-out
examples and have the same license.

## Network

Two convolutions of 3×3 with 8 and 16 channels, a pooling layer between them, and a dense layer with
softmax: `train_trainable_digits.py`, which draws the data and writes this bundle; seed
{reproducible.SEED}.

## Reproducing

`Models/train-all`
"""


def make(description, card, samples, held_out, **training):
    """Writes a bundle with held-out images of some digits as samples."""
    levels, digits = held_out
    bundle = Bundle(
        description, lambda folder: saved_models.write(folder, {"serve": graph}, **training)
    )
    bundle.add_labels(LABELS)
    running = saved_models.Running(bundle.path / "model", "serve")
    for digit in samples:
        sample = drawn(levels[digits == digit][0], SAMPLE_SIDE)
        pixels = normalized(prepared(sample, SIDE, "L"))
        (answer,) = running.run({"image": pixels[None]}, ["probabilities"])
        scores = [round(float(score), 4) for score in answer[0]]
        bundle.add_sample(f"{digit}-1.png", sample, {"probabilities": scores})
    images = normalized(pictures(levels))
    (accuracy,) = running.run({"image": images, "labels": digits[:, None].astype("int32")}, ["accuracy"])
    bundle.finish(
        tolerance=TOLERANCE,
        measured=f"{accuracy:.2%} of {len(digits)} held-out images",
        card=card,
    )


def write_training_pictures(shrunk, digits):
    shutil.rmtree(TRAINING, ignore_errors=True)
    for number, (pixels, digit) in enumerate(zip(shrunk, digits)):
        save_picture(Image.fromarray(pixels[..., 0]), TRAINING / str(digit) / f"{number:04}.png")


def main():
    train_levels, test_levels, train_digits, test_digits = split()
    shrunk = pictures(train_levels)
    write_training_pictures(shrunk, train_digits)
    held_out = test_levels, test_digits
    make(
        description(
            "Handwritten digits to train", "digits-trainable",
            "Learns to recognize handwritten digits from 0 to 9; starts with random weights",
        ),
        card(FRESH), [3, 8], held_out,
    )  # fmt: skip
    make(
        description(
            "Handwritten digits, trained", "digits-pretrained",
            "Recognizes handwritten digits from 0 to 9 and can be trained further",
        ),
        card(TRAINED), range(10), held_out, train=training(normalized(shrunk), train_digits),
    )  # fmt: skip


if __name__ == "__main__":
    main()
