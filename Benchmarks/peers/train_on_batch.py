"""Measures train_on_batch of Keras on the networks of training_subjects.py."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np
import tensorflow as tf
from measuring import arguments, measure

RATE = 0.01
layers = tf.keras.layers


def dense(units, **options):
    return layers.Dense(units, use_bias=False, **options)


def convolution(channels):
    return layers.Conv2D(channels, 3, padding="same", activation="relu", use_bias=False)


NETWORKS = {
    "tiny": ([784], lambda: [layers.Lambda(lambda image: image[:, :4]), dense(2)]),
    "dense": ([784], lambda: [dense(128, activation="relu"), dense(10)]),
    "convolution": (
        [28, 28, 1],
        lambda: [
            convolution(16), layers.MaxPool2D(), convolution(32), layers.MaxPool2D(),
            layers.Flatten(), dense(10),
        ],
    ),
}


def main():
    given = arguments("network", "items", description=__doc__)
    sides, network = NETWORKS[given.network]
    items = int(given.items)
    model = tf.keras.Sequential([layers.Input(sides), *network()])
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(tf.keras.optimizers.SGD(RATE), loss)
    pictures = np.random.default_rng(0).random((items, *sides), np.float32)
    labels = np.arange(items, dtype=np.int32) % 2
    work = {"train_on_batch": lambda: model.train_on_batch(pictures, labels)}
    for _ in range(10):
        model.train_on_batch(pictures, labels)
    measure("train_on_batch.py", given.network, given, work)


if __name__ == "__main__":
    main()
