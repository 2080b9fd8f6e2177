"""Bundles that predict with several rare things at once."""

import numpy as np
import tensorflow as tf

import saved_models
from fixture import array, image, scalar

v1 = tf.compat.v1
FIXTURES = {}


def fixture(function):
    FIXTURES[function.__name__.replace("_", "-")] = function
    return function


@fixture
def string_pairs(made):
    """joined = the two strings of an item, separated by a comma; string inputs and outputs, any
    batch size."""

    def build():
        pairs = v1.placeholder("string", [None, 2], "pairs")
        tf.identity(tf.strings.reduce_join(pairs, 1, keepdims=True, separator=","), name="joined")

    made.saved(build)
    made.predicts([array("pairs", [-1, 2])], [array("joined", [-1, 1])])
    made.answers(["a", "zwölf"], {"pairs": ["", "b"]})
    made.answers_batch([["a", "b"], ["", ""], ["one", "two"]])


@fixture
def scalar_batch(made):
    """y = 3 x - 1, 64-bit scalars, any batch size."""

    def build():
        tf.subtract(3 * v1.placeholder("int64", [None, 1], "x"), 1, name="y")

    made.saved(build)
    made.predicts([scalar("x", "int64", [-1, 1])], [scalar("y", "int64", [-1, 1])])
    made.answers(2, [-5], {"x": 1 << 40})
    made.answers_batch([[1], [2], [-3]])


@fixture
def placeholders_of_a_batch(made):
    """y = factor x + offset, any batch size, with two misspelled placeholders, one of which has
    a value."""

    def build():
        x = v1.placeholder("int64", [None, 2], "x")
        factor, offset = v1.placeholder("int64", [], "factor"), v1.placeholder("int64", [2], "offset")
        tf.add(factor * x, offset, name="y")

    made.saved(build)
    made.predicts(
        [array("x", [-1, 2], "int64")], [array("y", [-1, 2], "int64")],
        placholders=[scalar("factor", "int64"), array("offset", [2], "int64", value=[10, -10])],
    )  # fmt: skip
    made.answers([1, 2], placeholders={"factor": 3})
    made.answers([1, 2], placeholders={"factor": -1, "offset": [0, 5]})


PIXELS = np.uint8(np.arange(48) * 255 / 47).reshape(4, 4, 3)


@fixture
def picture_inverted(made):
    """The negative of an image of bytes, as bytes and from -1 to 1, any batch size."""

    def build():
        picture = v1.placeholder("uint8", [None, 4, 4, 3], "picture")
        negative = tf.subtract(tf.constant(255, "uint8"), picture, name="negative")
        tf.subtract(tf.cast(negative, "float32") / 127.5, 1, name="spread")

    made.saved(build)
    shape = [-1, 4, 4, 3]
    made.predicts(
        [image("picture", shape)],
        [image("negative", shape), image("spread", shape, denormalize={"standard": "[-1,1]"})],
    )
    made.description["model"]["quantized"] = True
    negative = (255 - PIXELS).astype(int).ravel().tolist()
    # Feeds have the tensor's type, which image layers do not declare.
    made.description["inputs"][0]["dtype"] = "uint8"
    made.answers_picture(PIXELS, PIXELS, pixels={"negative": negative, "spread": negative})
    del made.description["inputs"][0]["dtype"]


@fixture
def labeled(made):
    """Three labeled scores of four numbers, any batch size."""

    def build():
        x = v1.placeholder("float32", [None, 4], "x")
        tf.nn.softmax(x[:, :3] * x[:, 3:], name="scores")

    made.saved(build)
    (made.path / "assets").mkdir()
    (made.path / "assets" / "labels.txt").write_text("fig\nplum\npear\n")
    made.predicts([array("x", [-1, 4])], [array("scores", [-1, 3], labels="labels.txt")])
    made.answers([1, 2, 3, 1], {"x": [1, 2, 3, -2]}, tolerance=1e-6)
    made.answers_batch([[1, 2, 3, 1], [0, 0, 0, 0]])


@fixture
def quantized(made):
    """y = 255 - x in bytes, dequantized from 0 to 1 for inputs and from -1 to 1 for outputs."""

    def build():
        tf.subtract(tf.constant(255, "uint8"), v1.placeholder("uint8", [4], "x"), name="y")

    made.saved(build)
    made.predicts(
        [array("x", [4], "uint8", quantize={"standard": "[0,1]"})],
        [array("y", [4], "uint8", dequantize={"standard": "[-1,1]"})],
    )
    made.description["model"]["quantized"] = True
    answers = {(0, 1, 0.2, 1): [1, -1, 0.6, -1], (0, 0.4, 0.8, 1): [1, 0.2, -0.6, -1]}
    made.cases |= {"tolerance": 1e-6}
    made.cases["cases"] = [{"input": list(x), "outputs": {"y": y}} for x, y in answers.items()]


@fixture
def several_signatures(made):
    """Two signatures with the same keys; serving_default takes precedence, and keys that it
    lacks are found in the other."""

    def build():
        first, second = (v1.placeholder("float32", [2], name) for name in ("first", "second"))
        doubled, squared = tf.identity(2 * first, "doubled"), tf.identity(second * second, "squared")
        return {
            "another": ({"in": second}, {"out": squared, "square": squared}),
            "serving_default": ({"in": first, "other": second}, {"out": doubled}),
        }

    made.saved(build)
    made.predicts([array("in", [2]), array("other", [2])], [array("square", [2]), array("out", [2])])
    made.answers([[1, 2], [3, 4]], {"other": [5, 6], "in": [7, 8]})


@fixture
def keras_outputs(made):
    """A Keras network with two inputs and three outputs, which the layers list in a different
    order."""
    layers = tf.keras.layers
    left, right = layers.Input([2], name="left"), layers.Input([2], name="right")
    outputs = {
        "sum": layers.Add()([left, right]),
        "difference": layers.Subtract()([left, right]),
        "product": layers.Multiply()([left, right]),
    }
    folder = made.path / "model"
    tf.keras.Model({"left": left, "right": right}, outputs).export(folder, verbose=False)
    saved_models.slim(folder)
    made.predicts(
        [array("right", [-1, 2]), array("left", [-1, 2])],
        [array("product", [-1, 2]), array("sum", [-1, 2]), array("difference", [-1, 2])],
    )
    made.answers([[1, 2], [3, 5]], {"left": [1, 2], "right": [3, 5]})
    made.answers_batch([{"left": [1, 2], "right": [3, 5]}, {"left": [0, 0], "right": [-1, 1]}])


@fixture
def nested_folder(made):
    """y = x + x; the model is in a nested folder whose name ends with a slash."""

    def build():
        x = v1.placeholder("float32", [4], "x")
        tf.add(x, x, name="y")

    made.saved(build, folder="models/predict")
    made.predicts([array("x", [4])], [array("y", [4])], file="models/predict/")
    made.answers([1, 2, 3, 4])


@fixture
def numbers_of_one(made):
    """Layers of shape [1] for scalars, [1], [1, 1] and any batch size, in every type."""

    def build():
        whole, large = v1.placeholder("int32", [], "whole"), v1.placeholder("int64", [1], "large")
        exact, small = v1.placeholder("float64", [1, 1], "exact"), v1.placeholder("uint8", [None, 1], "small")
        tf.add(whole, 1, name="next")
        tf.multiply(large, 2, name="twice")
        tf.negative(exact, name="negative")
        tf.bitwise.invert(small, name="inverse")

    made.saved(build)
    kinds = {"whole": "int32", "large": "int64", "exact": "float64", "small": "uint8"}
    results = {"next": "int32", "twice": "int64", "negative": "float64", "inverse": "uint8"}
    made.predicts(*[[array(name, [1], kind) for name, kind in side.items()] for side in (kinds, results)])
    fed = {"whole": np.int32(6), "large": np.int64([1 << 40]), "exact": [[0.1]], "small": np.uint8([[3]])}
    running = saved_models.Running(made.path / "model", "serve")
    found = running.run(fed, list(results))
    outputs = {name: np.ravel(value).tolist()[0] for name, value in zip(results, found)}
    made.cases |= {"tolerance": 0}
    made.cases["cases"] = [
        {"input": item, "outputs": outputs}
        for item in ([6, 1 << 40, 0.1, 3], {"small": 3, "exact": 0.1, "large": 1 << 40, "whole": 6})
    ]
