"""Writes a bundle that trains in LiteRT on batches of a fixed size, for tests."""

import json

import reproducible

import tensorflow as tf

from bundle import EXAMPLES
from conversion import convert_signatures

FOLDER = EXAMPLES.parent / "Tests" / "Fixtures" / "Bundles" / "fixed-training.tiobundle"
BATCH, SIDE, CLASSES = 7, 4, 10
IMAGES = tf.TensorSpec([BATCH, SIDE, SIDE, 1], name="image")
LABELS = tf.TensorSpec([BATCH], tf.int32, name="labels")


class Digits(tf.Module):
    """Logistic regression, with its gradient written by hand."""

    def __init__(self):
        self.weights = tf.Variable(tf.zeros([SIDE * SIDE, CLASSES]), name="weights")

    def probabilities(self, image):
        return tf.nn.softmax(tf.matmul(tf.reshape(image, [-1, SIDE * SIDE]), self.weights.read_value()))

    def loss(self, image, labels):
        right = tf.reduce_sum(tf.one_hot(labels, CLASSES) * self.probabilities(image), axis=1)
        return -tf.reduce_mean(tf.math.log(right + 1e-7))

    @tf.function(input_signature=[IMAGES, LABELS])
    def train(self, image, labels):
        loss = self.loss(image, labels)
        error = (self.probabilities(image) - tf.one_hot(labels, CLASSES)) / BATCH
        gradient = tf.matmul(tf.reshape(image, [BATCH, SIDE * SIDE]), error, transpose_a=True)
        self.weights.assign(self.weights.read_value() - gradient)
        return {"loss": loss}

    @tf.function(input_signature=[IMAGES, LABELS])
    def eval(self, image, labels):
        return {"loss": self.loss(image, labels)}

    @tf.function(input_signature=[tf.TensorSpec([1, SIDE, SIDE, 1], name="image")])
    def infer(self, image):
        return {"probabilities": self.probabilities(image)}


def image(count):
    return {
        "name": "image", "type": "image", "shape": [count, SIDE, SIDE, 1], "format": "GRAY",
        "normalize": {"standard": "[0,1]"}}


def main():
    (FOLDER / "assets").mkdir(parents=True, exist_ok=True)
    (FOLDER / "model.tflite").write_bytes(convert_signatures(Digits(), ["infer", "train", "eval"]))
    (FOLDER / "assets" / "labels.txt").write_text("".join(f"{label}\n" for label in range(CLASSES)))
    labels = {"name": "labels", "type": "array", "shape": [BATCH], "dtype": "int32"}
    probabilities = {
        "name": "probabilities", "type": "array", "shape": [1, CLASSES], "labels": "labels.txt"}
    description = {
        "name": "Fixed training", "details": f"Learns digits in batches of {BATCH} images.",
        "id": "fixed-training", "version": "1", "author": "TensorIO for Swift", "license": "Apache-2.0",
        "model": {
            "file": "model.tflite", "quantized": False, "backend": "tflite", "modes": ["predict", "train"]},
        "inputs": [image(1)], "outputs": [probabilities],
        "train": {
            "ops": ["train"], "inputs": [image(BATCH), labels],
            "outputs": [{"name": "loss", "type": "scalar", "shape": [1]}]}}
    (FOLDER / "model.json").write_text(json.dumps(description, indent=2) + "\n")


if __name__ == "__main__":
    main()
