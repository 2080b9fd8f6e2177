"""Bundles that predict: element types, ranks, names, and the storage of weights."""

import shutil

import numpy as np
import tensorflow as tf

import saved_models
from conversion import named
from fixture import array, data, image, scalar

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
    """y = x + x, four uint8, with overflow."""
    doubling(made, "uint8", [1, 100, 0, 200])


@fixture
def float64(made):
    """y = x + x, four float64, with values that float32 cannot represent."""
    doubling(made, "float64", [0.1, -2, 0, 1e300])


@fixture
def bool(made):
    """y = not x, four booleans."""

    def build():
        tf.logical_not(v1.placeholder("bool", [4], "x"), name="y")

    made.saved(build)
    made.predicts([array("x", [4], "bool")], [array("y", [4], "bool")])
    made.answers([1, 0, 0, 1])


def straight_line(kind):
    """Builds output = 10 input + 5 for one number of any batch."""

    def build():
        x = v1.placeholder(kind, [None, 1], "input")
        tf.add(10 * x, tf.constant(5, kind), name="output")

    return build


@fixture
def number(made):
    """output = 10 input + 5, one number with a model of any batch size."""
    made.saved(straight_line("float32"))
    made.predicts([array("input", [1])], [array("output", [1])])
    made.answers([2], [-3.5], {"input": [10]})


@fixture
def int32_number(made):
    """output = 10 input + 5, one int32 with a model of any batch size."""
    made.saved(straight_line("int32"))
    made.predicts([array("input", [1], "int32")], [array("output", [1], "int32")])
    made.answers([2], [-7])


@fixture
def vectors(made):
    """output = input + [1, 0, 1, 0]."""

    def build():
        tf.add(v1.placeholder("float32", [1, 4], "input"), [[1.0, 0, 1, 0]], name="output")

    made.saved(build)
    made.predicts([array("input", [1, 4])], [array("output", [1, 4])])
    made.answers([1, 2, 3, 4])


@fixture
def two_vectors(made):
    """output1 = p q, output2 = p + q: p the odd elements of input1, q the even elements of input2."""

    def build():
        sums = [
            tf.reduce_sum(v1.placeholder("float32", [1, 4], name) * weights, axis=1, keepdims=True)
            for name, weights in (("input1", [1.0, 0, 1, 0]), ("input2", [0.0, 1, 0, 1]))
        ]
        tf.multiply(*sums, name="output1")
        tf.add(*sums, name="output2")

    made.saved(build)
    made.predicts(
        [array("input1", [1, 4]), array("input2", [1, 4])],
        [array("output1", [1, 1]), array("output2", [1, 1])],
    )
    made.answers({"input1": [1, 2, 3, 4], "input2": [10, 20, 30, 40]})


@fixture
def picture_identity(made):
    """The identity of an image of 224 x 224 from 0 to 1."""

    def build():
        tf.identity(v1.placeholder("float32", [None, 224, 224, 3], "input"), name="output")

    made.saved(build)
    transforms = {"standard": "[0,1]"}
    made.predicts(
        [image("input", [224, 224, 3], normalize=transforms)],
        [image("output", [224, 224, 3], denormalize=transforms)],
    )


@fixture
def strings(made):
    """y = the two strings of x, swapped and in upper case; string inputs and outputs."""

    def build():
        tf.strings.upper(tf.reverse(v1.placeholder("string", [2], "x"), [0]), "utf-8", name="y")

    made.saved(build)
    made.predicts([array("x", [2])], [array("y", [2])])
    made.answers(["one", "zwölf"], {"x": ["", "b"]})


@fixture
def string_batch(made):
    """y = the length in bytes of the string x, any batch size."""

    def build():
        tf.strings.length(v1.placeholder("string", [None, 1], "x"), name="y")

    made.saved(build)
    made.predicts([array("x", [-1, 1])], [array("y", [-1, 1], "int32")])
    made.answers(["four"], ["zwölf"], [""])
    made.answers_batch([["a"], ["bb"], ["ccc"]])


@fixture
def raw_bytes(made):
    """y = x + x, four float32 passed as bytes by layers of type string."""
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
    """As `placeholders`, with the legacy spelling `placholders`, an array with one element."""
    made.saved(scaled)
    made.predicts(*SCALED, placholders=[array("rate", [1], "float32")])
    made.answers([1, 2, 3, 4], placeholders={"rate": [3]})


@fixture
def placeholders_with_value(made):
    """As `placeholders`, with a default value."""
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
    # The order of several variables in the file would not be deterministic.
    layers, initial = tf.keras.layers, tf.keras.initializers.GlorotUniform(1)
    features = layers.Input([4], name="features")
    hidden = layers.Activation("tanh")(layers.Rescaling(0.5)(features))
    answer = layers.Dense(2, use_bias=False, kernel_initializer=initial)(hidden)
    folder = made.path / "model"
    tf.keras.Model(features, answer).export(folder, verbose=False)
    saved_models.slim(folder)
    made.predicts([array("features", [-1, 4])], [array("output_0", [-1, 2])])
    made.answers([1, 2, 3, 4], {"features": [0, 0, 0, 0]}, tolerance=1e-6)
    made.answers_batch([[1, 2, 3, 4], [-1, 0, 1, 0]])


@fixture
def functions(made):
    """The number of Collatz steps from x to one; a loop and a branch in nested functions of
    TensorFlow 2."""

    class Collatz(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], "int32", "x")])
        def __call__(self, x):
            steps = 0
            while x > 1:
                x = tf.cond(x % 2 == 0, lambda: x // 2, lambda: 3 * x + 1)
                steps += 1
            return {"steps": steps}

    folder, module = made.path / "model", Collatz()
    tf.saved_model.save(module, str(folder), signatures=module.__call__)
    saved_models.slim(folder)
    made.predicts([scalar("x", "int32")], [scalar("steps", "int32")])
    made.answers([1], [6], [27])


@fixture
def rank_zero(made):
    """y = 10 x + 5 with scalars."""

    def build():
        tf.add(10 * v1.placeholder("float32", [], "x"), 5, name="y")

    made.saved(build)
    made.predicts([scalar("x")], [scalar("y")])
    made.answers([2], {"x": [-3.5]})


@fixture
def number_batch(made):
    """y = 10 x + 5 with the weights in variables, one number per item, any batch size."""

    def build():
        x = v1.placeholder("float32", [None, 1], "x")
        ten, five = (
            v1.get_variable(name, [], initializer=v1.constant_initializer(value), use_resource=True)
            for name, value in (("ten", 10.0), ("five", 5.0))
        )
        tf.add(x * ten, five, name="y")

    made.saved(build)
    made.predicts([scalar("x", shape=[-1, 1])], [scalar("y", shape=[-1, 1])])
    made.answers([2], {"x": [4]})
    made.answers_batch([[2], [4]])
    made.answers_batch([[1], [2], [3]])


@fixture
def matrices(made):
    """Two matrix inputs and outputs: product = a b, difference = a - b transposed."""

    def build():
        a, b = (v1.placeholder("float32", [4, 4], name) for name in "ab")
        tf.matmul(a, b, name="product")
        tf.subtract(a, tf.transpose(b), name="difference")

    made.saved(build)
    square = [4, 4]
    made.predicts(
        [array("a", square), array("b", square)],
        [array("product", square), array("difference", square)],
    )
    a = np.arange(16).reshape(square).tolist()
    made.answers({"a": a, "b": np.eye(4).tolist()}, {"a": np.ravel(a).tolist(), "b": a})


@fixture
def tensors(made):
    """y = x with its first and last axis exchanged, plus the index: three axes."""

    def build():
        x = v1.placeholder("float32", [3, 3, 3], "x")
        places = tf.reshape(tf.range(27.0), [3, 3, 3])
        tf.add(tf.transpose(x, [2, 1, 0]), 100 * places, name="y")

    made.saved(build)
    made.predicts([array("x", [3, 3, 3])], [array("y", [3, 3, 3])])
    made.answers(list(range(27)), {"x": np.arange(27, 0, -1).reshape(3, 3, 3).tolist()})


PIXELS = np.uint8(np.arange(48) * 255 / 47).reshape(4, 4, 3)


@fixture
def picture_normalization(made):
    """The identity of an image from 0 to 1: as numbers, and decoded as an image from -1 to 1."""

    def build():
        picture = v1.placeholder("float32", [4, 4, 3], "input")
        tf.identity(picture, name="values")
        tf.identity(picture, name="output")

    made.saved(build)
    made.predicts(
        [image("input", [4, 4, 3], normalize={"standard": "[0,1]"})],
        [
            array("values", [4, 4, 3]),
            image("output", [4, 4, 3], denormalize={"standard": "[-1,1]"}),
        ],
    )
    read = np.round((PIXELS / 255 + 1) * 127.5).astype(int).ravel().tolist()
    made.answers_picture(PIXELS, PIXELS / np.float32(255), pixels={"output": read}, tolerance=1e-6)


@fixture
def picture_batch(made):
    """The mean of each color of an image from -1 to 1, any batch size."""

    def build():
        tf.reduce_mean(v1.placeholder("float32", [None, 4, 4, 3], "picture"), [1, 2], name="means")

    made.saved(build)
    normalize = {"standard": "[-1,1]"}
    made.predicts([image("picture", [-1, 4, 4, 3], normalize=normalize)], [array("means", [-1, 3])])
    made.answers_picture(PIXELS, PIXELS / np.float32(127.5) - 1, tolerance=1e-6)


@fixture
def unknown_rank(made):
    """y = x + x of a placeholder without a declared shape."""
    made.saved(doubled("float32", None))
    made.predicts([array("x", [2, 3])], [array("y", [2, 3])])
    made.answers([1, 2, 3, 4, 5, 6])


@fixture
def unknown_sides(made):
    """y = x + x of a matrix with two unknown dimensions; the layers have the shape [3, 2]."""
    made.saved(doubled("float32", [None, None]))
    made.predicts([array("x", [3, 2])], [array("y", [3, 2])])
    made.answers([1, 2, 3, 4, 5, 6])


@fixture
def unknown_output(made):
    """y = the indices at which x is true, with an unknown length."""

    def build():
        tf.where(v1.placeholder("bool", [4], "x"), name="y")

    made.saved(build)
    made.predicts([array("x", [4], "bool")], [array("y", [-1, 1], "int64")])
    made.answers([0, 1, 0, 1], [1, 1, 1, 1])


@fixture
def several_batched(made):
    """Two inputs with any batch size: dot = a b, and the number of elements of b that exceed the
    first element of a."""

    def build():
        a, b = (v1.placeholder("float32", [None, 3], name) for name in "ab")
        tf.reduce_sum(a * b, 1, keepdims=True, name="dot")
        tf.reduce_sum(tf.cast(b > a[:, :1], "int32"), 1, keepdims=True, name="above")

    made.saved(build)
    made.predicts(
        [array("a", [-1, 3]), array("b", [-1, 3])],
        [array("dot", [-1, 1]), scalar("above", "int32", shape=[-1, 1])],
    )
    items = [{"a": [n, 1, 2], "b": [1, n, 3]} for n in range(5)]
    made.answers(*items[:2])
    made.answers_batch(items)


@fixture
def reduced_batch(made):
    """total = the sum of all elements of all items: one number for any batch size."""

    def build():
        tf.reduce_sum(v1.placeholder("float32", [None, 2], "x"), name="total")

    made.saved(build)
    made.predicts([array("x", [-1, 2])], [scalar("total")])
    made.answers([1, 2])


def crossed():
    """Keys that name one thing and tensors that name another."""
    left, right = v1.placeholder("float32", [2], "graph_a"), v1.placeholder("float32", [2], "graph_b")
    difference, total = left - right, left + right
    total = tf.identity(total, name="scope/total")
    tf.identity(difference, name="scope/difference")
    return {"serving_default": ({"b": right, "a": left}, {"sum": total, "minus": difference})}


@fixture
def signature_keys(made):
    """sum = a + b, minus = a - b, by signature keys that differ from the tensor names."""
    made.saved(crossed)
    made.predicts([array("a", [2]), array("b", [2])], [array("minus", [2]), array("sum", [2])])
    made.answers([[5, 7], [1, 2]], {"b": [1, 2], "a": [5, 7]})


@fixture
def tensor_names(made):
    """As `signature-keys`, by tensor names with and without an output index."""
    made.saved(crossed)
    made.predicts(
        [array("graph_a", [2]), array("graph_b:0", [2])],
        [array("scope/difference", [2]), array("scope/total:0", [2])],
    )
    made.answers([[5, 7], [1, 2]])


@fixture
def second_output(made):
    """The halves of x, the two outputs of one operator."""

    def build():
        tf.split(v1.placeholder("float32", [4], "x"), 2, name="split")

    made.saved(build)
    made.predicts([array("x", [4])], [array("split", [2]), array("split:1", [2])])
    made.answers([1, 2, 3, 4])


@fixture
def lookup_table(made):
    """Maps a word to a number with a table that an initializer fills: yes 1, no 0, others -1."""

    def build():
        ops, unknown = tf.raw_ops, tf.constant(-1, "int64")
        table = ops.HashTableV2(key_dtype="string", value_dtype="int64", shared_name="words")
        words = {"keys": ["no", "yes"], "values": tf.constant([0, 1], "int64")}
        filled = ops.LookupTableImportV2(table_handle=table, **words)
        v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, filled)
        word = v1.placeholder("string", [None, 1], "word")
        ops.LookupTableFindV2(table_handle=table, keys=word, default_value=unknown, name="number")

    made.saved(build)
    made.predicts([array("word", [-1, 1])], [array("number", [-1, 1], "int64")])
    made.answers(["yes"], {"word": ["no"]}, ["maybe"])
    made.answers_batch([["yes"], ["maybe"], ["no"]])


@fixture
def variable_lengths(made):
    """The square of each number of a row beside the number, and the sum of the row, of any length."""

    def build():
        tokens = v1.placeholder("int32", [None, None], "tokens")
        powers = tf.stack([tokens, tokens * tokens], axis=-1, name="powers")
        total = tf.reduce_sum(tokens, axis=1, keepdims=True, name="total")
        return {"serving_default": ({"tokens": tokens}, {"powers": powers, "total": total})}

    made.saved(build)
    made.predicts(
        [array("tokens", [-1, -1], "int32")],
        [array("powers", [-1, -1, 2], "int32"), array("total", [-1, 1], "int32")],
    )
    made.answers([5, 3, 8], [7], [[1, 2, 3, 4, 5]])
    made.answers_batch([[1, 2], [3, 4], [5, 6]])


@fixture
def vocabulary(made):
    """Maps a word to the number of its line in a vocabulary file, which is an asset of the model;
    other words are -1."""

    def build():
        words = made.path / "words.txt"
        words.write_text("no\nyes\nmaybe\n")
        path = tf.constant(str(words), name="words")
        v1.add_to_collection(v1.GraphKeys.ASSET_FILEPATHS, path)
        table = tf.raw_ops.HashTableV2(key_dtype="string", value_dtype="int64", shared_name="words")
        filled = tf.raw_ops.InitializeTableFromTextFileV2(
            table_handle=table, filename=path, key_index=-2, value_index=-1
        )
        v1.add_to_collection(v1.GraphKeys.TABLE_INITIALIZERS, filled)
        word, unknown = v1.placeholder("string", [None, 1], "word"), tf.constant(-1, "int64")
        tf.raw_ops.LookupTableFindV2(
            table_handle=table, keys=word, default_value=unknown, name="number"
        )

    made.saved(build)
    saved_models.clear_text(made.path / "model", "words")
    (made.path / "words.txt").unlink()
    made.predicts([array("word", [-1, 1])], [array("number", [-1, 1], "int64")])
    made.answers(["yes"], {"word": ["no"]}, ["other"])
    made.answers_batch([["yes"], ["other"], ["maybe"]])


@fixture
def random(made):
    """y = x plus four random numbers from 0 to 1, different in each run; there are no expected
    outputs."""

    def build():
        x = v1.placeholder("float32", [4], "x")
        tf.add(x, tf.random.uniform([4]), name="y")

    made.saved(build)
    made.predicts([array("x", [4])], [array("y", [4])])


@fixture
def loop(made):
    """y = the sum of the numbers up to x, by a loop of TensorFlow 1, a cycle in the graph."""

    def build():
        x = v1.placeholder("int32", [], "x")
        more = lambda number, total: number <= x
        _, total = tf.while_loop(more, lambda number, total: (number + 1, total + number), [0, 0])
        tf.identity(total, name="y")

    made.saved(build)
    made.predicts([scalar("x", "int32")], [scalar("y", "int32")])
    made.answers([10], [0])


@fixture
def no_signature(made):
    """y = x + x without a signature, so that layers use tensor names."""

    def build():
        x = v1.placeholder("float32", [4], "x")
        tf.add(x, x, name="y")

    made.saved(build)
    made.predicts([array("x", [4])], [array("y", [4])])
    made.answers([1, 2, 3, 4])


@fixture
def asserting(made):
    """y = x, which fails while it runs when an element is negative."""

    def build():
        x = v1.placeholder("float32", [4], "x")
        with tf.control_dependencies([v1.assert_non_negative(x, message="x is negative")]):
            tf.identity(x, name="y")

    made.saved(build)
    made.predicts([array("x", [4])], [array("y", [4])])
    made.answers([1, 2, 3, 4])


def picture_network():
    """Builds a convolution and a softmax over three classes."""

    def weights(name, shape, seed):
        initial = v1.glorot_uniform_initializer(seed)
        return v1.get_variable(name, shape, initializer=initial, use_resource=True)

    image = v1.placeholder("float32", [None, 16, 16, 3], "image")
    features = tf.nn.relu(tf.nn.conv2d(image, weights("kernel", [3, 3, 3, 4], 1), 2, "SAME"))
    logits = tf.matmul(tf.reshape(features, [-1, 256]), weights("dense", [256, 3], 2))
    probabilities = tf.nn.softmax(4 * logits, name="probabilities")
    return {"serving_default": ({"image": image}, {"probabilities": probabilities})}


@fixture
def picture_tensorflow(made):
    """A small image network with random weights, identical to `picture-tflite`."""
    made.saved(picture_network)
    normalize = {"standard": "[-1,1]"}
    made.predicts(
        [image("image", [-1, 16, 16, 3], normalize=normalize)], [array("probabilities", [-1, 3])]
    )
    pixels = np.random.default_rng(1).integers(0, 256, [16, 16, 3], np.uint8)
    made.answers_picture(pixels, pixels / np.float32(127.5) - 1, tolerance=1e-5)


@fixture
def picture_tflite(made):
    """As `picture-tensorflow`, converted; the expected outputs are TensorFlow's."""
    picture_tensorflow(made)
    folder = made.path / "model"
    converter = tf.lite.TFLiteConverter.from_saved_model(
        str(folder), signature_keys=["serving_default"]
    )
    content = named(converter.convert(), ["image"], ["probabilities"])
    shutil.rmtree(folder)
    (made.path / "model.tflite").write_bytes(content)
    made.description["model"] |= {"file": "model.tflite", "backend": "tflite"}
    made.cases["cases"][0]["tolerance"] = 1e-4


@fixture
def fewer_axes(made):
    """y = x + x of a tensor [1, 4]; the layers have the shape [4]."""
    made.saved(doubled("float32", [1, 4]))
    made.predicts([array("x", [4])], [array("y", [4])])
    made.answers([1, 2, 3, 4])


@fixture
def more_axes(made):
    """y = x + x of a tensor [4]; the layers have the shape [1, 4]."""
    made.saved(doubled("float32", [4]))
    made.predicts([array("x", [1, 4])], [array("y", [1, 4])])
    made.answers([1, 2, 3, 4], [[1, 2, 3, 4]])


@fixture
def one_of_a_batch(made):
    """y = x + x of a tensor [-1, 4]; the layers have the shape [4], one item at a time."""
    made.saved(doubled("float32", [None, 4]))
    made.predicts([array("x", [4])], [array("y", [4])])
    made.answers([1, 2, 3, 4])


@fixture
def picture_of_a_batch(made):
    """As `picture-batch`, with a layer of shape [4, 4, 3], one image at a time."""
    FIXTURES["picture-batch"](made)
    made.description["inputs"][0]["shape"] = [4, 4, 3]
    made.description["outputs"][0]["shape"] = [3]
