"""A small convolutional backbone with skip connections, for the examples that are trained in minutes."""

import reproducible

import tensorflow as tf

from conversion import FrozenNetwork

layers = tf.keras.layers


def convolution(values, channels, stride=1):
    values = layers.Conv2D(channels, 3, stride, padding="same", use_bias=False)(values)
    return layers.ReLU()(layers.BatchNormalization(momentum=0.9)(values))


def joined(fine, coarse, channels):
    """Upsamples a grid to a finer one, and joins both."""
    return convolution(layers.Concatenate()([fine, layers.UpSampling2D()(coarse)]), channels)


def backbone(side, channels):
    """Returns the input and grids at strides of 4, 8 and 16, of which each has seen all coarser ones."""
    first, second, third, fourth = channels
    picture = layers.Input((side, side, 3))
    fine = convolution(convolution(picture, first, 2), second, 2)
    middle = convolution(convolution(fine, third, 2), third)
    coarse = convolution(convolution(middle, fourth, 2), fourth)
    coarse = joined(coarse, convolution(coarse, fourth, 2), third)
    middle = joined(middle, coarse, third)
    return picture, (joined(fine, middle, second), middle, coarse)


def fitted(network, loss, images, targets, epochs, batch, rate):
    """Trains a network with Adam and a rate that falls to zero."""
    rates = tf.keras.optimizers.schedules.CosineDecay(rate, epochs * len(images) // batch)
    network.compile(tf.keras.optimizers.Adam(rates), loss)
    network.fit(images, targets, batch_size=batch, epochs=epochs, verbose=2)
    return network


class NamedOutputs(FrozenNetwork):
    """A trained network whose outputs have names, for conversion."""

    def __init__(self, network, names):
        super().__init__(network)
        self.names = names
        side = network.input_shape[1]
        self.run = tf.function(self.named, [tf.TensorSpec([1, side, side, 3], tf.float32, "image")])

    def named(self, image):
        found = self.applied(image)
        values = found if isinstance(found, (list, tuple)) else [found]
        return dict(zip(self.names, values, strict=True))
