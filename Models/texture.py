"""When two pictures have one style, and when they show the same."""

import reproducible

import numpy as np
import tensorflow as tf

LEVELS = 4
LUMA = np.float32([0.299, 0.587, 0.114])


class Texture:
    """How the answers of random filters go together, at several sizes: what a style is here."""

    def __init__(self):
        random = np.random.default_rng(reproducible.SEED)
        self.near = [filters(random, 5, 3, 24) for _ in range(LEVELS)]
        self.far = [filters(random, 3, 24, 32) for _ in range(LEVELS)]

    def __call__(self, pictures):
        """For each size the means and covariances of what the filters say."""
        found = []
        for level in range(LEVELS):
            near = tf.nn.relu(tf.nn.conv2d(pictures, self.near[level], 1, "VALID"))
            found.append(moments(tf.concat([near, pictures[:, 2:-2, 2:-2]], 3)))
            if level:
                found.append(moments(tf.nn.relu(tf.nn.conv2d(near, self.far[level], 1, "VALID"))))
            pictures = tf.nn.avg_pool2d(pictures, 2, 2, "VALID")
        return found


def filters(random, size, inputs, outputs):
    """Filters that see nothing in a plain picture."""
    values = random.normal(size=(size, size, inputs, outputs)).astype(np.float32)
    values -= values.mean((0, 1, 2))
    return values / np.sqrt((values**2).sum((0, 1, 2)))


def moments(values):
    """The mean of each channel, and how each varies with each."""
    count, channels = values.shape[1] * values.shape[2], values.shape[3]
    flat = tf.reshape(values, [-1, count, channels])
    mean = tf.reduce_mean(flat, 1, keepdims=True)
    apart = flat - mean
    return mean[:, 0], tf.matmul(apart, apart, transpose_a=True) / count


def difference(found, wanted):
    """How far the moments of each picture are from those wanted, relative to how large these are."""

    def relative(a, b):
        axes = list(range(1, len(b.shape)))
        return tf.reduce_sum((a - b) ** 2, axes) / (tf.reduce_sum(b**2, axes) + 1e-6)

    return tf.add_n(
        [relative(a, b) for one, other in zip(found, wanted) for a, b in zip(one, other)]
    ) / len(found)


def structure(pictures):
    """Light and dark at two sizes, whatever the contrast."""
    luma = tf.reduce_sum(pictures * LUMA, 3, keepdims=True)
    found = []
    for size in 3, 8:
        small = tf.nn.avg_pool2d(luma, size, size, "VALID")
        mean, variance = tf.nn.moments(small, [1, 2], keepdims=True)
        found.append((small - mean) * tf.math.rsqrt(variance + 1e-3))
    return found


def unlikeness(one, other):
    """How far the structures of pictures are apart, on average."""
    return tf.add_n([tf.reduce_mean((a - b) ** 2) for a, b in zip(one, other)])
