"""Losses for style and content."""

import reproducible

import numpy as np
import tensorflow as tf

LEVELS = 4
LUMA = np.float32([0.299, 0.587, 0.114])


class Texture:
    """The statistics of random filter responses at several scales, which define a style."""

    def __init__(self):
        random = np.random.default_rng(reproducible.SEED)
        self.near = [filters(random, 5, 3, 24) for _ in range(LEVELS)]
        self.far = [filters(random, 3, 24, 32) for _ in range(LEVELS)]

    def __call__(self, pictures):
        """Returns the means and covariances of the filter responses at each scale."""
        found = []
        for level in range(LEVELS):
            near = tf.nn.relu(tf.nn.conv2d(pictures, self.near[level], 1, "VALID"))
            found.append(moments(tf.concat([near, pictures[:, 2:-2, 2:-2]], 3)))
            if level:
                found.append(moments(tf.nn.relu(tf.nn.conv2d(near, self.far[level], 1, "VALID"))))
            pictures = tf.nn.avg_pool2d(pictures, 2, 2, "VALID")
        return found


def filters(random, size, inputs, outputs):
    """Returns filters with zero response to constant images."""
    values = random.normal(size=(size, size, inputs, outputs)).astype(np.float32)
    values -= values.mean((0, 1, 2))
    return values / np.sqrt((values**2).sum((0, 1, 2)))


def moments(values):
    """Returns the mean of each channel and the covariances of all channels."""
    count, channels = values.shape[1] * values.shape[2], values.shape[3]
    flat = tf.reshape(values, [-1, count, channels])
    mean = tf.reduce_mean(flat, 1, keepdims=True)
    apart = flat - mean
    return mean[:, 0], tf.matmul(apart, apart, transpose_a=True) / count


def difference(found, wanted):
    """Returns the relative distance of each image's moments from the target moments."""

    def relative(a, b):
        axes = list(range(1, len(b.shape)))
        return tf.reduce_sum((a - b) ** 2, axes) / (tf.reduce_sum(b**2, axes) + 1e-6)

    return tf.add_n(
        [relative(a, b) for one, other in zip(found, wanted) for a, b in zip(one, other)]
    ) / len(found)


def structure(pictures):
    """Returns the luminance at two scales, independent of contrast."""
    luma = tf.reduce_sum(pictures * LUMA, 3, keepdims=True)
    found = []
    for size in 3, 8:
        small = tf.nn.avg_pool2d(luma, size, size, "VALID")
        mean, variance = tf.nn.moments(small, [1, 2], keepdims=True)
        found.append((small - mean) * tf.math.rsqrt(variance + 1e-3))
    return found


def unlikeness(one, other):
    """Returns the mean distance between the structures of images."""
    return tf.add_n([tf.reduce_mean((a - b) ** 2) for a, b in zip(one, other)])
