"""Bundles that train and evaluate, with the losses that TensorFlow's Python package gets."""

import tensorflow as tf

from fixture import array, scalar

v1 = tf.compat.v1
FIXTURES = {}


def fixture(function):
    FIXTURES[function.__name__.replace("_", "-")] = function
    return function


def variable(name, shape, value=0.0, resource=True):
    return v1.get_variable(
        name, shape, initializer=v1.constant_initializer(value), use_resource=resource
    )


# y = 2 x₁ - x₂ + 1
LINE = [{"x": [a, b], "target": [2 * a - b + 1]} for a, b in [(0, 1), (1, 0), (1, 1), (2, -1)]]
X, Y, TARGET, LOSS = (
    array("x", [-1, 2]), array("y", [-1, 1]), array("target", [-1, 1]), scalar("loss")
)  # fmt: skip


def line(optimizer, resource=True):
    """Builds a linear regression from weights of zero."""

    def build():
        x = v1.placeholder("float32", [None, 2], "x")
        target = v1.placeholder("float32", [None, 1], "target")
        weights, bias = (
            variable("weights", [2, 1], resource=resource), variable("bias", [1], resource=resource)
        )  # fmt: skip
        y = tf.add(tf.matmul(x, weights), bias, name="y")
        loss = tf.reduce_mean(tf.square(y - target), name="loss")
        optimizer().minimize(loss, name="train")
        sides = {"x": x, "target": target}
        return {"serving_default": ({"x": x}, {"y": y}), "train": (sides, {"loss": loss})}

    return build


def descend(rate=0.1):
    return v1.train.GradientDescentOptimizer(rate)


def of_a_line(made):
    made.predicts([X], [Y])
    made.trains(["train"], inputs=[X, TARGET], outputs=[LOSS])
    made.evaluates(inputs=[X, TARGET], outputs=[LOSS])


THEN = [("predict", [{"x": [3, 3]}]), ("eval", LINE)]


@fixture
def linear_regression(made):
    """A linear regression by gradient descent, rate 0.1; predict, train and eval in one graph."""
    made.saved(line(descend))
    of_a_line(made)
    made.answers([3, 3])
    made.learns(*[LINE] * 5, then=THEN)
    made.learns(LINE[:2], LINE[2:], LINE[:2], LINE[2:], LINE[:1])


@fixture
def linear_regression_rate(made):
    """As `linear-regression`, the rate being a placeholder whose value is 0.1 unless given."""
    made.saved(line(lambda: descend(v1.placeholder("float32", [], "learning_rate"))))
    made.predicts([X], [Y])
    rate = scalar("learning_rate", "float32", value=0.1)
    made.trains(["train"], inputs=[X, TARGET], outputs=[LOSS], placeholders=[rate])
    made.learns(*[LINE] * 5)
    made.learns(*[LINE] * 5, placeholders={"learning_rate": 0.01})


@fixture
def momentum(made):
    """As `linear-regression`, with momentum: its slots are in the checkpoint; a sharded saver."""
    made.saved(line(lambda: v1.train.MomentumOptimizer(0.05, 0.9)), sharded=True)
    of_a_line(made)
    made.learns(*[LINE] * 8, then=THEN)


@fixture
def adam(made):
    """As `linear-regression`, with Adam: slots and powers of its decay are in the checkpoint."""
    made.saved(line(lambda: v1.train.AdamOptimizer(0.1)))
    of_a_line(made)
    made.learns(*[LINE] * 8, then=THEN)


@fixture
def reference_variables(made):
    """As `linear-regression`, with the variables of TensorFlow 1 that are no resources."""
    made.saved(line(descend, resource=False))
    of_a_line(made)
    made.learns(*[LINE] * 5, then=THEN)
