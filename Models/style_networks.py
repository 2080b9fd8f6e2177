"""Two networks: one computes the style vector of an image, the other paints an image in a style."""

import reproducible

import tensorflow as tf

from conversion import FrozenNetwork

STYLE_SIDE = 128
SIDE = 256
MARGIN = 12
VALUES = 32

layers = tf.keras.layers


def describing_network(style_pictures):
    """Computes average edge and color statistics, relative to those of the given style images.

    The convolutions keep their random initial weights; only the projection is trained.
    """
    picture = layers.Input((STYLE_SIDE, STYLE_SIDE, 3))
    values = picture
    seen = []
    for channels in 16, 32, 32, 32:
        values = layers.Conv2D(channels, 3, 2, padding="same", activation="relu", trainable=False)(values)
        seen.append(layers.GlobalAveragePooling2D()(values))
    seen = layers.Concatenate()(seen)
    usual = layers.Normalization()
    usual.adapt(tf.keras.Model(picture, seen)(style_pictures))
    return tf.keras.Model(picture, layers.Dense(VALUES, activation="tanh")(usual(seen)))


class Styled(layers.Layer):
    """Conditional instance normalization: the style sets the scale and offset of each channel."""

    def build(self, shapes):
        channels = shapes[0][-1]
        self.contrast = layers.Dense(channels, bias_initializer="ones")
        self.brightness = layers.Dense(channels)
        self.contrast.build(shapes[1])
        self.brightness.build(shapes[1])

    def call(self, inputs):
        values, style = inputs
        apart = values - tf.reduce_mean(values, [1, 2], keepdims=True)
        variance = tf.reduce_mean(apart * apart, [1, 2], keepdims=True)
        plain = apart * tf.math.rsqrt(variance + 1e-4)
        return plain * self.contrast(style)[:, None, None] + self.brightness(style)[:, None, None]


def convolution(values, style, channels, size=3, stride=1, active=True):
    values = layers.Conv2D(channels, size, stride, padding="same", use_bias=False)(values)
    values = Styled()([values, style])
    return layers.ReLU()(values) if active else values


def painting_network(side, margin=0):
    """Downsampling by four, residual blocks and upsampling; for any side divisible by four.

    Reflection padding avoids artifacts at the borders.
    """
    picture, style = layers.Input((side, side, 3)), layers.Input((VALUES,))
    mirrored = layers.Lambda(lambda values: tf.pad(values, [[0, 0], [margin] * 2, [margin] * 2, [0, 0]], "REFLECT"))
    values = convolution(mirrored(picture) if margin else picture, style, 12, size=5)
    values = convolution(values, style, 24, stride=2)
    values = convolution(values, style, 40, stride=2)
    for _ in range(3):
        more = convolution(values, style, 40)
        values = layers.Add()([values, convolution(more, style, 40, active=False)])
    for channels in 24, 12:
        values = convolution(layers.UpSampling2D()(values), style, channels)
    painting = layers.Conv2D(3, 5, padding="same", activation="sigmoid")(values)
    return tf.keras.Model([picture, style], layers.Cropping2D(margin)(painting) if margin else painting)


class Describing(FrozenNetwork):
    @tf.function(input_signature=[tf.TensorSpec([1, STYLE_SIDE, STYLE_SIDE, 3], tf.float32, "picture")])
    def run(self, picture):
        return {"style": self.applied(picture)}


class Painting(FrozenNetwork):
    @tf.function(
        input_signature=[
            tf.TensorSpec([1, SIDE, SIDE, 3], tf.float32, "picture"),
            tf.TensorSpec([1, VALUES], tf.float32, "style"),
        ]
    )
    def run(self, picture, style):
        return {"painting": self.applied([picture, style])}
