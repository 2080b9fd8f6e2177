"""Cases for the training operators that the converter leaves to TensorFlow, and networks that contain them.

Writes the results of TensorFlow for random tensors, bundles whose models were converted with `SELECT_TF_OPS`, and the
first losses of their training.
"""

import base64
import json

import reproducible

import numpy as np
import tensorflow as tf
from flatbuffers import flexbuffers

from bundle import EXAMPLES

FIXTURES = EXAMPLES.parent / "Tests" / "Fixtures"
CASES = FIXTURES / "Golden" / "gradient-operators.json"
BATCH, STEPS, RATE = 8, 50, 0.2
numbers = np.random.default_rng(7)


def rounded(*shape):
    return np.round(numbers.normal(0, 2, shape), 2).astype("float32")


def case(operation, inputs, *, defined_outputs=None, **attributes):
    """Runs a raw operation in a graph, and returns its definition, inputs and outputs.

    `defined_outputs` is the number of the first outputs that have values; others are uninitialized memory.
    """
    with tf.Graph().as_default() as graph:
        constants = {name: tf.constant(value) for name, value in inputs.items()}
        results = getattr(tf.raw_ops, operation)(**constants, **attributes)
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        used = [result for result in results[:defined_outputs] if result.shape.num_elements()]
        definition = results[0].op.node_def.SerializeToString()
        # The optimizer would replace an operation of constants by its first output.
        options = tf.compat.v1.ConfigProto()
        options.graph_options.rewrite_options.disable_meta_optimizer = True
        with tf.compat.v1.Session(graph=graph, config=options) as session:
            outputs = session.run(used)
    builder = flexbuffers.Builder()
    with builder.Vector():
        builder.String(operation)
        builder.Blob(definition)
    return {
        "operator": "Flex" + operation,
        "options": base64.b64encode(bytes(builder.Finish())).decode(),
        "outputCount": len(results),
        "inputs": [{"shape": list(value.shape), "numbers": value.ravel().tolist(), "integers": value.dtype == np.int32}
                   for value in inputs.values()],
        "outputs": [{"shape": list(value.shape), "numbers": np.round(value, 6).ravel().tolist()} for value in outputs],
    }


def convolution_cases():
    for padding in ("SAME", "VALID"):
        for height, width, size, stride in [(5, 6, (3, 3), 1), (7, 5, (3, 2), 2), (6, 7, (2, 2), 1)]:
            images, filters = rounded(2, height, width, 2), rounded(*size, 2, 3)
            gradient = rounded(*tf.nn.conv2d(images, filters, stride, padding).shape)
            options = dict(strides=[1, stride, stride, 1], padding=padding)
            yield case("Conv2DBackpropFilter", dict(
                input=images, filter_sizes=np.int32(filters.shape), out_backprop=gradient), **options)
            yield case("Conv2DBackpropInput", dict(
                input_sizes=np.int32(images.shape), filter=filters, out_backprop=gradient), **options)


def pooling_cases():
    for padding in ("SAME", "VALID"):
        for size, stride in [(2, 2), (3, 1), (3, 2)]:
            images = np.round(rounded(2, 6, 5, 3))
            options = dict(ksize=[1, size, size, 1], strides=[1, stride, stride, 1], padding=padding)
            pooled = tf.nn.max_pool2d(images, size, stride, padding).numpy()
            gradient = rounded(*pooled.shape)
            yield case("MaxPoolGrad", dict(orig_input=images, orig_output=pooled, grad=gradient), **options)
            yield case("AvgPoolGrad", dict(orig_input_shape=np.int32(images.shape), grad=gradient), **options)


def other_cases():
    for operation, features in [("ReluGrad", rounded(3, 4)), ("Relu6Grad", 3 * rounded(3, 4))]:
        yield case(operation, dict(gradients=rounded(3, 4), features=features))
    for is_training in (True, False):
        channels = 3
        yield case("FusedBatchNormGradV3", dict(
            y_backprop=rounded(2, 3, 4, channels), x=rounded(2, 3, 4, channels), scale=rounded(channels),
            reserve_space_1=rounded(channels), reserve_space_2=np.abs(rounded(channels)) + 0.5,
            reserve_space_3=np.zeros(1, "float32")), epsilon=0.01, is_training=is_training)


def normalization_cases():
    # The operator has a factor other than 1 if it updates the moving mean and variance itself.
    for is_training, factor in ((True, 1.0), (True, 0.25), (False, 1.0)):
        channels = 3
        yield case("FusedBatchNormV3", dict(
            x=rounded(2, 3, 4, channels), scale=rounded(channels), offset=rounded(channels), mean=rounded(channels),
            variance=np.abs(rounded(channels)) + 0.5),
            epsilon=0.01, exponential_avg_factor=factor, is_training=is_training,
            defined_outputs=None if is_training else 3)
    yield case("FusedBatchNormV3", dict(
        x=rounded(1, 1, 1, 2), scale=rounded(2), offset=rounded(2), mean=rounded(2), variance=np.abs(rounded(2))),
        epsilon=0.5, is_training=True)


class Network(tf.Module):
    """A network with convolutions, pooling and activations, trained on batches of one size."""

    name_of_bundle = "flex-gradients"
    details = "Trains with gradient operators that the converter left to TensorFlow."
    shapes = [(3, 3, 2, 4), (4,), (3, 3, 4, 6), (6,), (54, 5), (5,)]

    def __init__(self):
        super().__init__()
        self.weights = [tf.Variable(numbers.normal(0, 0.3, shape).astype("float32")) for shape in self.shapes]

    def scores(self, images, is_training):
        kernel, bias, second, second_bias, dense, last_bias = self.weights
        values = tf.nn.relu(tf.nn.conv2d(images, kernel, 1, "SAME") + bias)
        values = tf.nn.max_pool2d(values, 2, 2, "VALID")
        values = tf.nn.relu6(tf.nn.conv2d(values, second, 2, "SAME") + second_bias)
        values = tf.nn.avg_pool2d(values, 2, 1, "SAME")
        return tf.matmul(tf.reshape(values, [-1, 54]), dense) + last_bias

    @tf.function(input_signature=[tf.TensorSpec([BATCH, 12, 12, 2]), tf.TensorSpec([BATCH, 5])])
    def train(self, images, targets):
        with tf.GradientTape() as tape:
            loss = -tf.reduce_mean(tf.reduce_sum(targets * tf.nn.log_softmax(self.scores(images, True)), 1))
        for weight, gradient in zip(self.weights, tape.gradient(loss, self.weights)):
            weight.assign_sub(RATE * gradient)
        return {"loss": loss}

    @tf.function(input_signature=[tf.TensorSpec([1, 12, 12, 2])])
    def infer(self, images):
        return {"probabilities": tf.nn.softmax(self.scores(images, False))}


class NormalizedNetwork(Network):
    """The network with batch normalization, whose moving statistics are used for inference."""

    name_of_bundle = "flex-normalization"
    details = "Trains with batch normalization that the converter left to TensorFlow."
    momentum, epsilon = 0.9, 0.001
    # The second and the third are the scales and offsets of the normalization.
    shapes = [(3, 3, 2, 4), (4,), (4,), (3, 3, 4, 6), (6,), (54, 5), (5,)]

    def __init__(self):
        super().__init__()
        self.weights[1].assign(tf.ones(4))
        self.statistics = [tf.Variable(tf.zeros(4)), tf.Variable(tf.ones(4))]

    def scores(self, images, is_training):
        kernel, scale, offset, second, second_bias, dense, last_bias = self.weights
        # In training, the operator gets a mean and a variance without elements.
        mean, variance = (None, None) if is_training else self.statistics
        values, *found = tf.compat.v1.nn.fused_batch_norm(
            tf.nn.conv2d(images, kernel, 1, "SAME"), scale, offset, mean, variance, self.epsilon,
            is_training=is_training)
        if is_training:
            for average, number in zip(self.statistics, found):
                average.assign(average * self.momentum + number * (1 - self.momentum))
        values = tf.nn.max_pool2d(tf.nn.relu(values), 2, 2, "VALID")
        values = tf.nn.relu6(tf.nn.conv2d(values, second, 2, "SAME") + second_bias)
        values = tf.nn.avg_pool2d(values, 2, 1, "SAME")
        return tf.matmul(tf.reshape(values, [-1, 54]), dense) + last_bias


def batch(step):
    """Returns images and labels, which tests compute as well."""
    items = np.arange(step * BATCH, (step + 1) * BATCH)[:, None]
    pixels = np.arange(12 * 12 * 2)[None]
    labels = items * 7 % 5
    levels = (pixels * (labels + 2) % 11 < 4) + ((items * 31 + pixels * 17 + items * pixels) % 17) / 16
    return levels.reshape(BATCH, 12, 12, 2).astype("float32"), np.eye(5, dtype="float32")[labels[:, 0]]


def description(network):
    def array(name, shape):
        return {"name": name, "type": "array", "shape": shape}

    return {
        "name": network.name_of_bundle.replace("-", " ").capitalize(), "details": network.details,
        "id": network.name_of_bundle, "version": "1", "author": "TensorIO for Swift", "license": "Apache-2.0",
        "model": {"file": "model.tflite", "quantized": False, "backend": "tflite", "modes": ["predict", "train"]},
        "inputs": [array("images", [12, 12, 2])],
        "outputs": [array("probabilities", [5])],
        "train": {
            "ops": ["train"],
            "inputs": [array("images", [BATCH, 12, 12, 2]), array("targets", [BATCH, 5])],
            "outputs": [{"name": "loss", "type": "scalar", "shape": [1]}],
        },
    }


def write(network):
    """Writes the bundle of a network, its first losses, and its probabilities after the training."""
    name = network.name_of_bundle
    bundle = FIXTURES / "Bundles" / f"{name}.tiobundle"
    signatures = {name: getattr(network, name).get_concrete_function() for name in ("train", "infer")}
    folder = bundle.parent / f"{name}.saved"
    tf.saved_model.save(network, str(folder), signatures=signatures)
    converter = tf.lite.TFLiteConverter.from_saved_model(str(folder))
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS, tf.lite.OpsSet.SELECT_TF_OPS]
    converter.experimental_enable_resource_variables = True
    bundle.mkdir(exist_ok=True)
    (bundle / "model.tflite").write_bytes(converter.convert())
    (bundle / "model.json").write_text(json.dumps(description(network), indent=2) + "\n")
    tf.io.gfile.rmtree(str(folder))

    losses = []
    for step in range(STEPS):
        losses.append(float(network.train(*map(tf.constant, batch(step)))["loss"]))
    images = tf.constant(batch(STEPS)[0][:1])
    probabilities = network.infer(images)["probabilities"].numpy().ravel().tolist()
    results = {"batch_size": BATCH, "losses": losses, "probabilities": probabilities}
    (FIXTURES / "Golden" / f"{name}-losses.json").write_text(json.dumps(results, indent=2) + "\n")


def main():
    cases = [*other_cases(), *pooling_cases(), *convolution_cases()]
    network = Network()
    cases += normalization_cases()
    CASES.write_text(json.dumps(cases, separators=(",", ":")) + "\n")
    write(network)
    write(NormalizedNetwork())


if __name__ == "__main__":
    main()
