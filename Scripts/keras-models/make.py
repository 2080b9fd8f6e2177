"""Writes Keras networks as .tflite files, converted with the defaults: for any number of items."""

import sys
from pathlib import Path

import keras
import numpy as np
import tensorflow as tf
from keras import layers as L

QUANTIZATIONS = ["float32", "float16", "dynamic", "int8", "uint8"]


def sequence(shape, *layers):
    return keras.Sequential([keras.Input(shape), *layers])


def unet():
    image = keras.Input((8, 8, 3))
    first = L.Conv2D(4, 3, padding="same", activation="relu")(image)
    second = L.Conv2D(8, 3, padding="same", activation="relu")(L.MaxPooling2D()(first))
    larger = L.Conv2DTranspose(4, 2, strides=2)(second)
    return keras.Model(image, L.Conv2D(2, 1, activation="softmax")(L.Concatenate()([larger, first])))


def any_size():
    image = keras.Input((None, None, 1))
    half = L.Conv2D(2, 3, strides=2, padding="same", activation="relu")(image)
    return keras.Model(image, L.Conv2DTranspose(1, 3, strides=2, padding="same")(half))


def residual():
    image = keras.Input((8, 8, 3))
    start = L.Conv2D(4, 3, padding="same")(image)
    branch = L.BatchNormalization()(L.Conv2D(4, 3, padding="same")(L.ReLU()(start)))
    sum = L.ReLU()(L.Add()([start, branch]))
    return keras.Model(image, L.Dense(3)(L.Flatten()(sum)))


def attention():
    tokens = keras.Input((6, 8))
    mixed = L.LayerNormalization()(L.MultiHeadAttention(2, 4)(tokens, tokens) + tokens)
    return keras.Model(tokens, L.Dense(3)(L.GlobalAveragePooling1D()(mixed)))


def several():
    a, b = keras.Input((4,), name="a"), keras.Input((6,), name="b")
    both = L.Concatenate()([L.Dense(3)(a), L.Dense(3)(b)])
    return keras.Model([a, b], [L.Dense(2, name="x")(both), L.Reshape((2, 3), name="y")(both)])


def embedding():
    tokens = keras.Input((6,), dtype="int32")
    return keras.Model(tokens, L.Dense(2)(L.Flatten()(L.Embedding(10, 4)(tokens))))


def slices():
    series = keras.Input((6, 4))
    halves = L.Concatenate()([series[:, :3, :], series[:, 3:, :]])
    return keras.Model(series, L.Reshape((3, 2, 4))(halves))


class Frames(L.Layer):
    """Overlapping parts of a sound of any length."""

    def call(self, sound):
        return tf.reduce_mean(tf.signal.frame(sound, 4, 2) ** 2, axis=-1)


class ClassToken(L.Layer):
    """A learned token in front of each sequence, as vision transformers have it."""

    def build(self, shape):
        self.token = self.add_weight(shape=(1, 1, shape[-1]), initializer="random_normal")

    def call(self, tokens):
        first = tf.broadcast_to(self.token, [tf.shape(tokens)[0], 1, tokens.shape[-1]])
        return tf.concat([first, tokens], axis=1)


class PixelShuffle(L.Layer):
    def call(self, image):
        return tf.nn.depth_to_space(image, 2)


def squeeze_and_excite():
    image = keras.Input((8, 8, 4))
    weights = L.Dense(4, activation="sigmoid")(L.Dense(2, activation="relu")(L.GlobalAveragePooling2D()(image)))
    return keras.Model(image, L.Multiply()([image, L.Reshape((1, 1, 4))(weights)]))


def dot_attention():
    query, value = keras.Input((3, 4), name="query"), keras.Input((5, 4), name="value")
    return keras.Model([query, value], L.Attention()([query, value]))


NETWORKS = {
    "frames": lambda: sequence((None,), Frames()),
    "class-token": lambda: sequence((4, 6), L.Dense(8), ClassToken(), L.Dense(2)),
    "pixel-shuffle": lambda: sequence((4, 4, 2), L.Conv2D(8, 3, padding="same"), PixelShuffle()),
    "squeeze": squeeze_and_excite,
    "dot-attention": dot_attention,
    "group-normalization": lambda: sequence((6, 6, 2), L.Conv2D(8, 3), L.GroupNormalization(4), L.ReLU()),
    "volume": lambda: sequence((4, 4, 4, 1), L.Conv3D(2, 3, padding="same"), L.Flatten(), L.Dense(2)),
    "any-size-upsampling": lambda: sequence(
        (None, None, 2), L.Conv2D(2, 3, padding="same"), L.UpSampling2D(2), L.GlobalMaxPooling2D()),
    "text": lambda: keras.Sequential(
        [keras.Input((5,), dtype="int32"), L.Embedding(10, 4), L.LSTM(3, unroll=True), L.Dense(2)]),
    "dense": lambda: sequence((10,), L.Dense(16, activation="relu"), L.Dense(4, activation="softmax")),
    "convolution": lambda: sequence(
        (12, 12, 3), L.Conv2D(8, 3, activation="relu"), L.MaxPooling2D(), L.Flatten(),
        L.Dense(5, activation="softmax")),
    "pooling": lambda: sequence(
        (12, 12, 3), L.Conv2D(8, 3), L.BatchNormalization(), L.ReLU(), L.GlobalAveragePooling2D(), L.Dense(5)),
    "separable": lambda: sequence(
        (12, 12, 3), L.SeparableConv2D(8, 3, padding="same"), L.AveragePooling2D(2), L.Flatten(), L.Dense(3)),
    "residual": residual,
    "reshape": lambda: sequence((6,), L.Dense(12), L.Reshape((3, 4))),
    "transposed": lambda: sequence((4, 4, 2), L.Conv2DTranspose(3, 3, strides=2, padding="same")),
    "unet": unet,
    "any-size": any_size,
    "autoencoder": lambda: sequence(
        (8, 8, 1), L.Conv2D(4, 3, strides=2, padding="same"), L.Flatten(), L.Dense(6), L.Dense(64),
        L.Reshape((4, 4, 4)), L.Conv2DTranspose(1, 3, strides=2, padding="same")),
    "upsampling": lambda: sequence((4, 4, 2), L.UpSampling2D(2, interpolation="bilinear"), L.Conv2D(2, 3)),
    "padding": lambda: sequence((5, 5, 2), L.ZeroPadding2D(1), L.Cropping2D(((0, 1), (1, 0))), L.Flatten()),
    "series": lambda: sequence(
        (20, 3), L.Conv1D(8, 3, activation="relu"), L.MaxPooling1D(), L.Flatten(), L.Dense(2)),
    "transposed-series": lambda: sequence((8, 3), L.Conv1DTranspose(4, 3, strides=2)),
    "lstm": lambda: sequence((5, 3), L.LSTM(6, unroll=True), L.Dense(2)),
    "lstm-series": lambda: sequence((5, 3), L.LSTM(6, unroll=True, return_sequences=True)),
    "gru": lambda: sequence((5, 3), L.GRU(6, unroll=True), L.Dense(2)),
    "bidirectional": lambda: sequence((5, 3), L.Bidirectional(L.LSTM(4, unroll=True)), L.Dense(2)),
    "attention": attention,
    "several": several,
    "embedding": embedding,
    "permute": lambda: sequence((4, 3, 2), L.Permute((2, 1, 3)), L.Flatten(), L.RepeatVector(2)),
    "distributed": lambda: sequence(
        (4, 6, 6, 1), L.TimeDistributed(L.Conv2D(2, 3)), L.TimeDistributed(L.Flatten()), L.Dense(2)),
    "slices": slices,
    "length": lambda: sequence((None, 3), L.Conv1D(4, 3, padding="same"), L.GlobalMaxPooling1D(), L.Dense(2)),
}


def examples(model):
    random = np.random.default_rng(1)
    for _ in range(8):
        yield [
            random.integers(0, 10, (1, *x.shape[1:])).astype(np.int32) if x.dtype == "int32"
            else random.normal(size=(1, *(length or 8 for length in x.shape[1:]))).astype(np.float32)
            for x in model.inputs
        ]


def converted(model, quantization):
    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    if quantization != "float32":
        converter.optimizations = [tf.lite.Optimize.DEFAULT]
    if quantization == "float16":
        converter.target_spec.supported_types = [tf.float16]
    if quantization in ("int8", "uint8"):
        converter.representative_dataset = lambda: examples(model)
        converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS_INT8]
        converter.inference_input_type = converter.inference_output_type = tf.dtypes.as_dtype(quantization)
    return converter.convert()


def main(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, network in NETWORKS.items():
        keras.utils.set_random_seed(7)
        model = network()
        for quantization in QUANTIZATIONS:
            try:
                file = converted(model, quantization)
            except Exception as error:  # the converter cannot quantize every network
                print(name, quantization, str(error).split("\n")[0][:100], file=sys.stderr)
                continue
            (folder / f"{name}.{quantization}.tflite").write_bytes(file)


main(Path(sys.argv[1]))
