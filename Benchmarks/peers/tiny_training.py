"""The smallest network worth a step: four numbers, two classes. What Keras and TensorIO both train.

Usage: tiny_training.py FOLDER writes it as a bundle, FOLDER.
"""

import json
import shutil
import sys
from pathlib import Path

import numpy as np

FEATURES, CLASSES = 4, 2
RATE = 0.01
BATCH = 32
SEED = 1


def batch():
    """The items that every step is given."""
    random = np.random.default_rng(SEED)
    labels = np.arange(BATCH, dtype=np.int32)[:, None] % CLASSES
    return random.random((BATCH, FEATURES), np.float32), labels


def network():
    import keras

    keras.utils.set_random_seed(SEED)
    dense = keras.layers.Dense(CLASSES, use_bias=False)
    made = keras.Sequential([keras.layers.Input((FEATURES,)), dense])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    made.compile(keras.optimizers.SGD(RATE), loss)
    return made


def graph():
    """The same with the names of TensorFlow 1; `train` is a step."""
    import tensorflow as tf

    v1 = tf.compat.v1
    features = v1.placeholder("float32", [None, FEATURES], "features")
    labels = v1.placeholder("int32", [None, 1], "labels")
    initial = v1.glorot_uniform_initializer(SEED)
    weights = v1.get_variable("weights", [FEATURES, CLASSES], initializer=initial, use_resource=True)
    logits = tf.matmul(features, weights, name="logits")
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(tf.reshape(labels, [-1]), logits)
    loss = tf.reduce_mean(losses, name="loss")
    v1.train.GradientDescentOptimizer(RATE).minimize(loss, name="train")


def description():
    features = {"name": "features", "type": "array", "shape": [-1, FEATURES]}
    labels = {"name": "labels", "type": "array", "dtype": "int32", "shape": [-1, 1]}
    return {
        "name": "Tiny network",
        "details": "A network of four numbers and two classes, to measure steps of training with",
        "id": "tiny-training",
        "version": "1",
        "author": "TensorIO for Swift",
        "license": "Apache-2.0",
        "model": {
            "file": "train", "quantized": False, "backend": "tensorflow", "modes": ["train"],
        },
        "inputs": [features, labels],
        "outputs": [{"name": "loss", "type": "scalar", "shape": [1]}],
        "train": {"ops": ["train"]},
    }  # fmt: skip


def main(folder):
    import tensorflow as tf

    v1 = tf.compat.v1
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    builder = v1.saved_model.Builder(str(folder / "train"))
    with tf.Graph().as_default(), v1.Session() as session:
        graph()
        session.run(v1.global_variables_initializer())
        builder.add_meta_graph_and_variables(session, ["train"], saver=v1.train.Saver())
    builder.save()
    (folder / "model.json").write_text(json.dumps(description(), indent=2) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
