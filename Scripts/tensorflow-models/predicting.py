"""Bundles that predict: types of elements, ranks, names, and where TensorFlow keeps its weights."""

import numpy as np
import tensorflow as tf

import saved_models
from fixture import array, data, scalar

v1 = tf.compat.v1
FIXTURES = {}


def fixture(function):
    FIXTURES[function.__name__.replace("_", "-")] = function
    return function


def doubled(kind, shape):
    """Builds y = x + x."""

    def build():
        x = v1.placeholder(kind, shape, "x")
        return {"serving_default": ({"x": x}, {"y": tf.add(x, x, name="y")})}

    return build


def doubling(made, kind, *inputs):
    made.saved(doubled(kind, [4]))
    made.predicts([array("x", [4], kind)], [array("y", [4], kind)])
    made.answers(*inputs)


@fixture
def int64(made):
    """y = x + x, four int64."""
    doubling(made, "int64", [1, -2, 0, 1 << 40], {"x": [1 << 50, 3, 4, 5]})


@fixture
def int32(made):
    """y = x + x, four int32."""
    doubling(made, "int32", [1, -2, 0, 1 << 29])


@fixture
def uint8(made):
    """y = x + x, four uint8, which wrap around."""
    doubling(made, "uint8", [1, 100, 0, 200])


@fixture
def float64(made):
    """y = x + x, four float64, more exact than float32 could."""
    doubling(made, "float64", [0.1, -2, 0, 1e300])


@fixture
def bool(made):
    """y = not x, four booleans."""

    def build():
        tf.logical_not(v1.placeholder("bool", [4], "x"), name="y")

    made.saved(build)
    made.predicts([array("x", [4], "bool")], [array("y", [4], "bool")])
    made.answers([1, 0, 0, 1])


@fixture
def strings(made):
    """y = the two strings of x, swapped and in capitals; tensors of strings in and out."""

    def build():
        tf.strings.upper(tf.reverse(v1.placeholder("string", [2], "x"), [0]), "utf-8", name="y")

    made.saved(build)
    made.predicts([array("x", [2])], [array("y", [2])])
    made.answers(["one", "zwölf"], {"x": ["", "b"]})


@fixture
def string_batch(made):
    """y = the length in bytes of the string x, any number of items."""

    def build():
        tf.strings.length(v1.placeholder("string", [None, 1], "x"), name="y")

    made.saved(build)
    made.predicts([array("x", [-1, 1])], [array("y", [-1, 1], "int32")])
    made.answers(["four"], ["zwölf"], [""])
    made.answers_batch([["a"], ["bb"], ["ccc"]])


@fixture
def raw_bytes(made):
    """y = x + x, four float32 that the layers, of type string, pass as bytes."""
    made.saved(doubled("float32", [4]))
    made.predicts([data("x", [4], "float32")], [data("y", [4], "float32")])


@fixture
def placeholders(made):
    """Two outputs of an input and a placeholder: sum = x + rate, product = x * rate."""
    made.saved(scaled)
    made.predicts(*SCALED, placeholders=[scalar("rate", "float32")])
    for rate in 3, -0.5:
        made.answers([1, 2, 3, 4], placeholders={"rate": rate})


@fixture
def placeholders_misspelt(made):
    """As `placeholders`, spelt `placholders` as the original's schema has it, an array of one."""
    made.saved(scaled)
    made.predicts(*SCALED, placholders=[array("rate", [1], "float32")])
    made.answers([1, 2, 3, 4], placeholders={"rate": [3]})


@fixture
def placeholders_with_value(made):
    """As `placeholders`, with a value that is fed when none is given."""
    made.saved(scaled)
    made.predicts(*SCALED, placeholders=[scalar("rate", "float32", value=10)])
    made.answers([1, 2, 3, 4])
    made.answers([1, 2, 3, 4], placeholders={"rate": 2})


SCALED = [array("x", [1, 4])], [array("sum", [1, 4]), array("product", [1, 4])]


def scaled():
    x, rate = v1.placeholder("float32", [1, 4], "x"), v1.placeholder("float32", None, "rate")
    tf.add(x, rate, name="sum")
    tf.multiply(x, rate, name="product")


@fixture
def keras(made):
    """A Keras network as `Model.export` writes it: functions, outputs of a StatefulPartitionedCall."""
    layers, initial = tf.keras.layers, tf.keras.initializers.GlorotUniform
    features = layers.Input([4], name="features")
    hidden = layers.Dense(3, "tanh", kernel_initializer=initial(1))(features)
    answer = layers.Dense(2, kernel_initializer=initial(2))(hidden)
    folder = made.path / "model"
    tf.keras.Model(features, answer).export(folder, verbose=False)
    saved_models.slim(folder)
    made.predicts([array("features", [-1, 4])], [array("output_0", [-1, 2])])
    made.answers([1, 2, 3, 4], {"features": [0, 0, 0, 0]}, tolerance=1e-6)
    made.answers_batch([[1, 2, 3, 4], [-1, 0, 1, 0]])
