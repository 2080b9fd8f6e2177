"""Trainable handwritten digits as a .tflite file: the network of train_trainable_digits.py, with its weights."""

import reproducible

import tensorflow as tf

import gradients
from arithmetic import normalized
from bundle import EXAMPLES, Bundle
from conversion import convert_signatures
from digits import LABELS, SAMPLE_SIDE, drawn, split
from litert import SignatureRunner
from pictures import prepared
from train_trainable_digits import FRESH, SIDE, TOLERANCE, card, description, pictures

IMAGE = tf.TensorSpec([None, SIDE, SIDE, 1], tf.float32, "image")
LABEL = tf.TensorSpec([None, 1], tf.int32, "labels")
RATE = tf.TensorSpec([], tf.float32, "learning_rate")

LAYERS = range(1, 4)


class Digits(tf.Module):
    """Two convolutions and a dense layer; `train` is one step of Adam."""

    def __init__(self, initial):
        super().__init__()
        self.weights = [tf.Variable(initial[f"weights_{n}"], name=f"weights_{n}") for n in LAYERS]
        self.biases = [tf.Variable(initial[f"bias_{n}"], name=f"bias_{n}") for n in LAYERS]
        self.trained = self.weights + self.biases
        self.adam = gradients.Adam(self.trained)

    def logits(self, image):
        """Returns the logits of images."""
        features = gradients.max_pool(self.convolved(1 - image, 0))
        features = tf.reshape(self.convolved(features, 1), [-1, 256])
        return gradients.dense(features, self.weights[2], self.biases[2])

    def convolved(self, values, layer):
        """Applies a convolution and an activation."""
        sums = gradients.conv2d(values, self.weights[layer])
        return gradients.relu(tf.nn.bias_add(sums, self.biases[layer]))

    def loss(self, logits, labels):
        """Returns the mean cross-entropy."""
        return gradients.cross_entropy(logits, tf.one_hot(tf.reshape(labels, [-1]), len(LABELS)))

    @tf.function(input_signature=[IMAGE])
    def infer(self, image):
        return {"probabilities": tf.nn.softmax(self.logits(image))}

    @tf.function(input_signature=[IMAGE, LABEL])
    def eval(self, image, labels):
        logits = self.logits(image)
        right = tf.argmax(logits, 1, output_type=tf.int32) == tf.reshape(labels, [-1])
        accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
        return {"loss": self.loss(logits, labels), "accuracy": accuracy}

    @tf.function(input_signature=[IMAGE, LABEL, RATE])
    def train(self, image, labels, learning_rate):
        with tf.GradientTape() as tape:
            loss = self.loss(self.logits(image), labels)
        self.adam.apply(tape.gradient(loss, self.trained), learning_rate)
        return {"loss": loss}


def initial_weights():
    """Returns the weights of the SavedModel in `digits-trainable`."""
    model = EXAMPLES / "Bundles" / "digits-trainable.tiobundle" / "model"
    reader = tf.train.load_checkpoint(str(model / "variables" / "variables"))
    return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}


def described():
    """Returns the description of `digits-trainable` for the other runtime."""
    changed = description(
        "Handwritten digits to train with LiteRT", "digits-trainable-tflite",
        "Learns to recognize handwritten digits from 0 to 9 with LiteRT; starts with random weights",
    )  # fmt: skip
    changed["model"] |= {"file": "model.tflite", "backend": "tflite"}
    return changed


def origin():
    """Returns the card, with this script in place of the one for the SavedModel."""
    return card(FRESH).replace(
        "`train_trainable_digits.py`, which draws the data and writes this bundle",
        "`train_trainable_digits_tflite.py`, with the weights of `digits-trainable`. The\ngradients of the layers"
        " in `gradients.py` consist of operators of LiteRT, which trains without TensorFlow",
    )


def main():
    model = convert_signatures(Digits(initial_weights()), ["infer", "train", "eval"])
    bundle = Bundle(described(), model)
    bundle.add_labels(LABELS)
    infer, evaluate = (SignatureRunner(model, name) for name in ("infer", "eval"))
    _, levels, _, digits = split()
    for digit in [3, 8]:
        sample = drawn(levels[digits == digit][0], SAMPLE_SIDE)
        pixels = normalized(prepared(sample, SIDE, "L"))
        (answer,) = infer(image=pixels[None])["probabilities"]
        scores = [round(float(score), 4) for score in answer]
        bundle.add_sample(f"{digit}-1.png", sample, {"probabilities": scores})
    images = normalized(pictures(levels))
    accuracy = evaluate(image=images, labels=digits[:, None].astype("int32"))["accuracy"]
    bundle.finish(
        tolerance=TOLERANCE,
        measured=f"{accuracy:.2%} of {len(digits)} held-out images",
        card=origin(),
    )


if __name__ == "__main__":
    main()
