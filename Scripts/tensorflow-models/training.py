"""Bundles that train and evaluate, with the losses computed by TensorFlow's Python package."""

import tensorflow as tf
from keras.src.export import saved_model_export_archive

import saved_models
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
    """As `linear-regression`, with the rate as a placeholder with a default of 0.1."""
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
    """As `linear-regression`, with reference variables of TensorFlow 1."""
    made.saved(line(descend, resource=False))
    of_a_line(made)
    made.learns(*[LINE] * 5, then=THEN)


@fixture
def separate_folders(made):
    """As `linear-regression`, with separate SavedModels for prediction and training whose
    variables have the same names."""

    def predict():
        x = v1.placeholder("float32", [None, 2], "x")
        tf.add(tf.matmul(x, variable("weights", [2, 1])), variable("bias", [1]), name="y")

    made.saved(predict, folder="predict")
    made.saved(("train", line(descend)), folder="train")
    made.predicts([X], [Y], file="predict")
    made.trains(["train"], file="train", inputs=[X, TARGET], outputs=[LOSS])
    made.answers([3, 3])
    made.learns(*[LINE] * 5, then=THEN[:1])


@fixture
def several_tags(made):
    """As `linear-regression`, with one SavedModel that has a graph for each of the tags serve,
    train and eval."""
    build = line(descend)
    made.saved(("serve", build), ("train", build), ("eval", build))
    of_a_line(made)
    made.learns(*[LINE] * 5, then=THEN)


@fixture
def eval_only(made):
    """The mean error of a fixed line, with mode eval only; tag eval."""

    def build():
        x, target = v1.placeholder("float32", [None, 2], "x"), v1.placeholder("float32", [None, 1], "target")
        y = tf.matmul(x, variable("weights", [2, 1], 1.0)) + variable("bias", [1], 0.5)
        tf.reduce_mean(tf.abs(y - target), name="error")
        tf.reduce_mean(tf.cast(tf.abs(y - target) < 1, "float32"), name="near")

    made.saved(("eval", build), folder="eval")
    made.only("eval", [X, TARGET], [scalar("error"), scalar("near")], file="eval")
    made.answers_batch(LINE, mode="eval")
    made.answers_batch(LINE[:1], mode="eval")


@fixture
def keras_archive(made):
    """As `linear-regression`, written by Keras's `ExportArchive` with a signature for each mode; each variable is
    stored several times."""
    model = tf.keras.Sequential([tf.keras.Input([2]), tf.keras.layers.Dense(1, kernel_initializer="zeros")])
    optimizer, error = tf.keras.optimizers.SGD(0.1), tf.keras.losses.MeanSquaredError()
    optimizer.build(model.trainable_variables)

    def train(x, target):
        with tf.GradientTape() as tape:
            loss = error(target, model(x, training=True))
        optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
        return {"loss": loss}

    def evaluate(x, target):
        return {"loss": error(target, model(x, training=False))}

    def predict(x):
        return {"y": model(x, training=False)}

    x, target = tf.TensorSpec([None, 2], name="x"), tf.TensorSpec([None, 1], name="target")
    archive = tf.keras.export.ExportArchive()
    archive.track(model)
    archive.add_endpoint("serve", predict, [x])
    archive.add_endpoint("train", train, [x, target])
    archive.add_endpoint("eval", evaluate, [x, target])
    # Keras collects the variables in a set, whose order differs from run to run.
    listed = saved_model_export_archive._list_variables_used_by_fns
    saved_model_export_archive._list_variables_used_by_fns = lambda functions: [
        sorted(variables, key=lambda each: each.name) for variables in listed(functions)]
    archive.write_out(str(made.path / "model"), verbose=False)
    saved_model_export_archive._list_variables_used_by_fns = listed
    saved_models.slim(made.path / "model", keeping_objects=True)
    made.predicts([X], [Y])
    made.trains(["train"], inputs=[X, TARGET], outputs=[LOSS])
    steps = []
    for _ in range(5):
        batch = [tf.constant([each[name] for each in LINE], "float32") for name in ("x", "target")]
        train(*batch)
        steps.append({"items": LINE, "outputs": {"loss": float(evaluate(*batch)["loss"])}})
    predicted = float(predict(tf.constant([[3.0, 3.0]]))["y"][0, 0])
    then = [{"mode": "predict", "items": [{"x": [3, 3]}], "outputs": {"y": predicted}},
            {"mode": "eval", "items": LINE, "outputs": steps[-1]["outputs"]}]
    made.cases["training"] = [{"placeholders": {}, "tolerance": 1e-5, "steps": steps, "then": then}]


# Two kinds of points: 1 where the second coordinate is the greater.
POINTS = [{"x": [a, b], "labels": [int(b > a)]} for a, b in [(0, 1), (1, 0), (1, 2), (3, 1)]]


@fixture
def labels_of_one(made):
    """A legacy trainable bundle: one mode, top-level layers, a placeholder for labels declared
    as (1,) and fed [N, 1]."""

    def build():
        x = v1.placeholder("float32", [None, 2], "x")
        labels = v1.placeholder("int32", [1], "labels")
        logits = tf.matmul(x, variable("weights", [2, 1])) + variable("bias", [1])
        loss = v1.losses.sigmoid_cross_entropy(tf.reshape(labels, [-1, 1]), logits)
        descend(0.5).minimize(loss, name="train")

    made.saved(("train", build), folder="train")
    made.only(
        "train",
        [array("x", [-1, 2]), array("labels", [-1, 1], "int32")],
        [array("sigmoid_cross_entropy_loss/value", [1])],
        file="train",
        train={"ops": ["train"]},
    )
    made.learns(*[POINTS] * 5)
    made.learns(*[[point] for point in POINTS])


def one_weight(loss, rate):
    """Builds a graph whose only weight begins at 1."""

    def build():
        x = v1.placeholder("float32", [None, 1], "x")
        value = loss(tf.reduce_mean(x * variable("weight", [1], 1.0)))
        descend(rate).minimize(tf.identity(value, name="loss"), name="train")

    return build


def of_one_weight(made, steps):
    x, loss = array("x", [-1, 1]), scalar("loss")
    made.only("train", [x], [loss], train={"ops": ["train"]})
    made.learns(*[[{"x": [1]}]] * steps)


@fixture
def diverging(made):
    """The loss diverges: infinite, then NaN."""
    made.saved(one_weight(tf.square, rate=1e6))
    of_one_weight(made, steps=9)


@fixture
def logarithm_of_zero(made):
    """The loss is the logarithm of a weight that decreases by 0.25 per step, to zero and below."""

    def build():
        x, weight = v1.placeholder("float32", [None, 1], "x"), variable("weight", [1], 1.0)
        tf.reduce_mean(-tf.math.log(x * weight), name="loss")
        weight.assign_sub([0.25], name="train")

    made.saved(build)
    of_one_weight(made, steps=6)


@fixture
def several_ops(made):
    """A training step runs two operators: one increments a counter, one adds the mean of x to a
    sum. The output is sum / counter."""

    def build():
        x = v1.placeholder("float32", [None, 1], "x")
        count, total = variable("count", []), variable("total", [])
        count.assign_add(1.0, name="step")
        total.assign_add(tf.reduce_mean(x), name="accumulate")
        tf.identity(total / count, name="average")

    made.saved(build)
    made.only("train", [array("x", [-1, 1])], [scalar("average")], train={"ops": ["step", "accumulate"]})
    made.learns([{"x": [2]}], [{"x": [4]}, {"x": [8]}], [{"x": [1]}])


@fixture
def dropout(made):
    """A network with dropout of 0.5 during training; seeded, deterministic with one thread."""

    def build():
        x = v1.placeholder("float32", [None, 8], "x")
        target = v1.placeholder("float32", [None, 1], "target")
        weights = variable("weights", [8, 1], 0.1)
        tf.matmul(x, weights, name="y")
        dropped = tf.matmul(tf.nn.dropout(x, rate=0.5, seed=7), weights)
        loss = tf.reduce_mean(tf.square(dropped - target), name="loss")
        descend(0.001).minimize(loss, name="train")

    made.saved(build)
    x, target = array("x", [-1, 8]), array("target", [-1, 1])
    made.predicts([x], [array("y", [-1, 1])])
    made.trains(["train"], inputs=[x, target], outputs=[LOSS])
    items = [{"x": list(range(first, first + 8)), "target": [first]} for first in range(4)]
    made.answers(items[1]["x"], tolerance=1e-6)
    made.learns(*[items] * 5, tolerance=1e-5)


def cat_or_dog():
    """The image and the logits of a small network over its 16 patches."""
    image = v1.placeholder("float32", [None, 128, 128, 3], "image")
    patches = tf.reshape(tf.nn.avg_pool2d(image, 32, 32, "VALID"), [-1, 48])
    return image, tf.matmul(patches, variable("weights", [48, 1])) + variable("bias", [1])


def predict_cats_and_dogs():
    """A small graph with the names of the original's bundle that predicts."""
    image, logits = cat_or_dog()
    return {"serving_default": ({"image": image}, {"sigmoid": tf.sigmoid(logits, name="sigmoid")})}


def train_cats_and_dogs():
    """A small graph with the names of the original's trainable bundle, its labels declared (1,)."""
    image, logits = cat_or_dog()
    labels = v1.placeholder("int32", [1], "labels")
    loss = v1.losses.sigmoid_cross_entropy(tf.reshape(labels, [-1, 1]), logits)
    step = v1.train.get_or_create_global_step()
    v1.train.AdamOptimizer(0.003).minimize(loss, global_step=step, name="train")
    return {"train": ({"image": image, "labels": labels}, {"loss": loss})}
