"""Trains embeddings with triplet loss: images of the same class become near, others far apart."""

import reproducible

import numpy as np
import tensorflow as tf

MARGIN = 0.4
KINDS_OF_A_BATCH = 16
PICTURES_OF_A_KIND = 4


def network(shape, widths, values):
    """Standardization, strided convolutions and a projection to vectors of length 1."""
    layers = tf.keras.layers
    picture = layers.Input(shape)
    found = layers.Lambda(whitened)(picture)
    for width in widths:
        found = layers.Conv2D(width, 3, 2, padding="same", use_bias=False)(found)
        found = layers.ReLU()(layers.BatchNormalization(momentum=0.9)(found))
        if width >= 32:
            found = layers.Conv2D(width, 3, padding="same", use_bias=False)(found)
            found = layers.ReLU()(layers.BatchNormalization(momentum=0.9)(found))
    found = layers.Dense(values)(layers.Dropout(0.1)(layers.Flatten()(found)))
    return tf.keras.Model(picture, layers.Lambda(of_length_one)(found))


def whitened(pictures):
    """Standardizes each image to mean 0 and deviation 1, independent of brightness and contrast."""
    mean = tf.reduce_mean(pictures, [1, 2, 3], keepdims=True)
    apart = pictures - mean
    variance = tf.reduce_mean(apart * apart, [1, 2, 3], keepdims=True)
    return apart * tf.math.rsqrt(variance + 1e-6)


def of_length_one(values):
    return values * tf.math.rsqrt(tf.reduce_sum(values * values, 1, keepdims=True) + 1e-12)


def squared_distances(values):
    return 2 - 2 * tf.matmul(values, values, transpose_b=True)


def triplet_loss(values, kinds):
    """Triplet loss with a margin over all triplets that violate it."""
    distances = squared_distances(values)
    same = kinds[:, None] == kinds[None]
    others = tf.cast(same & ~tf.eye(len(kinds), dtype=tf.bool), tf.float32)[:, :, None]
    strangers = tf.cast(~same, tf.float32)[:, None, :]
    failing = tf.nn.relu(distances[:, :, None] - distances[:, None, :] + MARGIN) * others * strangers
    return tf.reduce_sum(failing) / (tf.reduce_sum(tf.cast(failing > 0, tf.float32)) + 1)


def train(net, images, kinds, steps, rate=2e-3):
    """Trains with batches of several images per class."""
    optimizer = tf.keras.optimizers.Adam(tf.keras.optimizers.schedules.CosineDecay(rate, steps))
    optimizer.build(net.trainable_variables)
    per_batch = min(KINDS_OF_A_BATCH, len(np.unique(kinds)))
    batch_kinds = tf.repeat(tf.range(per_batch), PICTURES_OF_A_KIND)

    @tf.function
    def step(pictures):
        with tf.GradientTape() as tape:
            loss = triplet_loss(net(pictures, training=True), batch_kinds)
        optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
        return loss

    random = np.random.default_rng(reproducible.SEED)
    places = [np.flatnonzero(kinds == kind) for kind in np.unique(kinds)]
    for _ in range(steps):
        chosen = random.choice(len(places), per_batch, replace=False)
        step(images[np.concatenate([random.choice(places[kind], PICTURES_OF_A_KIND, False) for kind in chosen])])


def pairs(values, kinds):
    """Returns the distances of all pairs within a class and of all pairs between classes."""
    values = np.asarray(values, np.float64)
    distances = np.sqrt(np.maximum(0, 2 - 2 * values @ values.T))
    first, second = np.triu_indices(len(values), 1)
    same = kinds[first] == kinds[second]
    return distances[first, second][same], distances[first, second][~same]


def equal_error(same, others):
    """Returns the threshold of the equal error rate, and that rate."""
    candidates = np.quantile(np.concatenate([same, others]), np.linspace(0, 1, 4001))
    refused = 1 - np.searchsorted(np.sort(same), candidates, side="right") / len(same)
    accepted = np.searchsorted(np.sort(others), candidates, side="right") / len(others)
    place = np.abs(refused - accepted).argmin()
    return float(candidates[place]), float((refused[place] + accepted[place]) / 2)


def nearest_kind(value, enrolled, kinds):
    """Returns the class of the nearest enrolled vector, and its distance."""
    distances = np.sqrt(((np.asarray(enrolled) - value) ** 2).sum(1))
    return kinds[distances.argmin()], float(distances.min())
