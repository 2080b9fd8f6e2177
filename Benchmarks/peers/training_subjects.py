"""Writes the graphs of the training benchmark, from a minimal one to a small convolutional network."""

import json
import shutil
import sys
from pathlib import Path

import tensorflow as tf

v1 = tf.compat.v1
SEED = 1
RATE = 0.01


def weights(name, *shape):
    return v1.get_variable(name, shape, initializer=v1.glorot_uniform_initializer(), use_resource=True)


def tiny(image):
    return tf.matmul(image[:, :4], weights("weights", 4, 2))


def dense(image):
    hidden = tf.nn.relu(tf.matmul(image, weights("hidden", 784, 128)))
    return tf.matmul(hidden, weights("output", 128, 10))


def convolution(image):
    for name, channels in (("first", (1, 16)), ("second", (16, 32))):
        image = tf.nn.relu(tf.nn.conv2d(image, weights(name, 3, 3, *channels), 1, "SAME"))
        image = tf.nn.max_pool2d(image, 2, 2, "SAME")
    return tf.matmul(tf.reshape(image, [-1, 7 * 7 * 32]), weights("output", 7 * 7 * 32, 10))


SUBJECTS = {"tiny": (tiny, [784]), "dense": (dense, [784]), "convolution": (convolution, [28, 28, 1])}


def write_model(network, sides, folder):
    with tf.Graph().as_default() as graph, v1.Session() as session:
        v1.set_random_seed(SEED)
        image = v1.placeholder(tf.float32, [None, *sides], name="image")
        labels = v1.placeholder(tf.int32, [None], name="labels")
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=network(image))
        loss = tf.reduce_mean(losses, name="loss")
        v1.train.GradientDescentOptimizer(RATE).minimize(loss, name="train")
        session.run(v1.global_variables_initializer())
        builder = v1.saved_model.Builder(str(folder))
        builder.add_meta_graph_and_variables(session, ["serve"], saver=v1.train.Saver())
        builder.save()


def description(name, sides):
    return {
        "name": name,
        "details": "What training is measured on.",
        "id": f"training-{name}",
        "version": "1",
        "author": "TensorIO",
        "license": "Apache-2.0",
        "model": {"file": "model", "backend": "tensorflow", "quantized": False, "modes": ["train"]},
        "inputs": [
            {"name": "image", "type": "array", "shape": [-1, *sides], "dtype": "float32"},
            {"name": "labels", "type": "array", "shape": [-1], "dtype": "int32"},
        ],
        "outputs": [{"name": "loss", "type": "scalar", "shape": [1], "dtype": "float32"}],
        "train": {"ops": ["train"]},
    }


def main():
    for name, (network, sides) in SUBJECTS.items():
        bundle = Path(sys.argv[1]) / f"{name}.tiobundle"
        shutil.rmtree(bundle, ignore_errors=True)
        bundle.mkdir(parents=True)
        write_model(network, sides, bundle / "model")
        (bundle / "model.json").write_text(json.dumps(description(name, sides), indent=2) + "\n")


if __name__ == "__main__":
    main()
