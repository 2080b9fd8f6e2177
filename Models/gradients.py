"""Layers whose gradients consist of operators that LiteRT has.

TensorFlow's own gradients of convolutions, pooling and activations are operators that the converter
leaves to TensorFlow. The functions here have the same values and gradients.
"""

import numpy as np
import tensorflow as tf


@tf.custom_gradient
def relu(values):
    """Returns the positive values, and 0 for the others."""
    positive = tf.cast(values > 0, values.dtype)
    return tf.nn.relu(values), lambda gradient: gradient * positive


def conv2d(images, weights):
    """Convolves images with a filter of odd size, with zeros outside and a stride of 1."""
    height, width, channels, filters = weights.shape

    @tf.custom_gradient
    def convolve(images, weights):
        def gradients(gradient):
            turned = tf.transpose(tf.reverse(weights, [0, 1]), [0, 1, 3, 2])
            of_images = tf.nn.conv2d(gradient, turned, 1, "SAME")
            return of_images, _filter_gradient(images, gradient, (height, width))

        return tf.nn.conv2d(images, weights, 1, "SAME"), gradients

    return convolve(images, weights)


def _filter_gradient(images, gradient, size):
    """Returns the gradient of a filter: one product of matrices for each of its positions."""
    height, width = size
    _, rows, columns, channels = images.shape
    filters = gradient.shape[-1]
    padded = tf.pad(images, [[0, 0], [height // 2] * 2, [width // 2] * 2, [0, 0]])
    flat = tf.reshape(gradient, [-1, filters])
    parts = []
    for row in range(height):
        for column in range(width):
            part = padded[:, row : row + rows, column : column + columns, :]
            parts.append(tf.matmul(tf.reshape(part, [-1, channels]), flat, transpose_a=True))
    return tf.reshape(tf.concat(parts, 0), [height, width, channels, filters])


@tf.custom_gradient
def max_pool(images):
    """Halves the sides of images, whose lengths are even; equal maxima share the gradient."""
    pooled = tf.nn.max_pool2d(images, 2, 2, "VALID")

    def gradients(gradient):
        height, width = images.shape[1:3]
        mask = tf.cast(images >= _enlarged(pooled, height, width), images.dtype)
        ties = 4 * tf.nn.avg_pool2d(mask, 2, 2, "VALID")
        return mask * _enlarged(gradient / ties, height, width)

    return pooled, gradients


def _enlarged(images, height, width):
    return tf.image.resize(images, [height, width], "nearest")


def dense(values, weights, bias):
    """Multiplies by weights and adds a bias."""
    return tf.nn.bias_add(tf.matmul(values, weights), bias)


def cross_entropy(logits, labels):
    """Returns the mean cross-entropy of logits and one-hot labels."""

    @tf.custom_gradient
    def mean(logits):
        shifted = logits - tf.reduce_max(logits, 1, keepdims=True)
        exponentials = tf.exp(shifted)
        sums = tf.reduce_sum(exponentials, 1, keepdims=True)
        losses = tf.math.log(sums) - tf.reduce_sum(shifted * labels, 1, keepdims=True)
        count = tf.cast(tf.shape(logits)[0], logits.dtype)
        return tf.reduce_mean(losses), lambda gradient: (
            gradient * (exponentials / sums - labels) / count
        )

    return mean(logits)


class Adam(tf.Module):
    """Adam, with the constants of Keras and TensorFlow; the step counts are powers of the decays."""

    FIRST, SECOND, EPSILON = 0.9, 0.999, 1e-8

    def __init__(self, variables):
        super().__init__()
        self.trained = variables
        self.powers = [
            tf.Variable(decay, name=f"adam_power_{number}")
            for number, decay in enumerate([self.FIRST, self.SECOND], 1)
        ]
        self.slots = [
            [tf.Variable(np.zeros(v.shape, "float32"), name=f"adam_{slot}_{name(v)}") for slot in (1, 2)]
            for v in variables
        ]

    def apply(self, gradients, rate):
        """Updates the variables by one step."""
        first_power, second_power = (power.read_value() for power in self.powers)
        rate = rate * tf.sqrt(1 - second_power) / (1 - first_power)
        for variable, gradient, (first, second) in zip(self.trained, gradients, self.slots):
            mean = self.FIRST * first + (1 - self.FIRST) * gradient
            square = self.SECOND * second + (1 - self.SECOND) * gradient * gradient
            first.assign(mean)
            second.assign(square)
            variable.assign(variable - rate * mean / (tf.sqrt(square) + self.EPSILON))
        self.powers[0].assign(first_power * self.FIRST)
        self.powers[1].assign(second_power * self.SECOND)


def name(variable):
    return variable.name.removesuffix(":0")
