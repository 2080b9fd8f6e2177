"""A fully quantized model with two input and two output vectors that can be verified by hand."""

import reproducible

import itertools

import numpy as np
import tensorflow as tf

from arithmetic import dequantized, quantized
from bundle import Bundle, described
from conversion import convert
from litert import Runner

STANDARDS = {
    "foo-features": "[0,1]",
    "bar-features": "[-1,1]",
    "baz-outputs": "[0,1]",
    "qux-outputs": "[-1,1]",
}
INPUTS, OUTPUTS = list(STANDARDS)[:2], list(STANDARDS)[2:]
TRIALS = 2000
TOLERANCE = 0.02

SAMPLES = {
    "counting": ([0.1, 0.2, 0.3, 0.4], [-0.1, 0.2, 0.3, 0.4, -0.5, 0.6, -0.7, 0.8]),
    "highest": ([1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1]),
    "lowest": ([0, 0, 0, 0], [-1, -1, -1, -1, -1, -1, -1, -1]),
    "mixed": ([1, 0, 0.5, 0], [1, -1, 0.5, 0, -1, 1, -0.5, 0]),
}


def weights():
    """Returns the weight matrix: rows are inputs, columns are outputs."""
    foo_baz, bar_baz = np.zeros((4, 3)), np.zeros((8, 3))
    foo_qux, bar_qux = np.zeros((4, 6)), np.zeros((8, 6))
    foo_baz[[0, 1], 0] = 1 / 2
    foo_baz[[2, 3], 1] = 1 / 2
    bar_baz[:, 2] = 1 / 16
    for column in range(4):
        bar_qux[[column, column + 4], column] = 1 / 2, -1 / 2
    foo_qux[[0, 3], 4] = 1, -1
    bar_qux[:, 5] = 1 / 8
    return foo_baz, bar_baz, foo_qux, bar_qux


RULE = """\
baz[0] = (foo[0] + foo[1]) / 2
baz[1] = (foo[2] + foo[3]) / 2
baz[2] = (1 + the mean of bar) / 2
qux[i] = (bar[i] - bar[i + 4]) / 2   for i from 0 to 3
qux[4] = foo[0] - foo[3]
qux[5] = the mean of bar"""


def ruled(foo, bar):
    """Computes the definition independently of the model, to verify it."""
    mean = sum(bar) / 8
    return (
        [(foo[0] + foo[1]) / 2, (foo[2] + foo[3]) / 2, (1 + mean) / 2],
        [(bar[i] - bar[i + 4]) / 2 for i in range(4)] + [foo[0] - foo[3], mean],
    )


class Mixing(tf.Module):
    def __init__(self):
        super().__init__()
        self.foo_baz, self.bar_baz, self.foo_qux, self.bar_qux = map(np.float32, weights())
        self.middle = np.float32([0, 0, 0.5])

    @tf.function(
        input_signature=[
            tf.TensorSpec([1, 4], tf.float32, "foo_features"),
            tf.TensorSpec([1, 8], tf.float32, "bar_features"),
        ]
    )
    def run(self, foo_features, bar_features):
        baz = tf.matmul(foo_features, self.foo_baz) + tf.matmul(bar_features, self.bar_baz)
        qux = tf.matmul(foo_features, self.foo_qux) + tf.matmul(bar_features, self.bar_qux)
        return {"baz_outputs": baz + self.middle, "qux_outputs": qux}


def calibration():
    """Returns all corners of the input ranges, so that every tensor gets exactly its declared range."""
    for corner in itertools.product((0, 1), repeat=12):
        bits = np.float32(corner)[None]
        yield {"foo_features": bits[:, :4], "bar_features": bits[:, 4:] * 2 - 1}


def answered(run, foo, bar):
    codes = run(quantized(foo, STANDARDS["foo-features"]), quantized(bar, STANDARDS["bar-features"]))
    return [dequantized(code, STANDARDS[name]) for code, name in zip(codes, OUTPUTS)]


def largest_difference(run):
    random = np.random.default_rng(reproducible.SEED)
    worst = dict.fromkeys(OUTPUTS, 0.0)
    for _ in range(TRIALS):
        foo, bar = random.uniform(0, 1, 4), random.uniform(-1, 1, 8)
        for name, answer, truth in zip(OUTPUTS, answered(run, foo, bar), ruled(foo, bar)):
            worst[name] = max(worst[name], float(np.abs(answer - truth).max()))
    return worst


def description():
    def layer(name, size, direction):
        standard = {"standard": STANDARDS[name]}
        return {"name": name, "type": "array", "shape": [size], direction: standard}

    return described(
        name="Two in, two out, quantized",
        id="two-in-two-out-quantized",
        details="Computes two vectors from two vectors, each in a standard range, with results that can be verified by hand",
        kind="arithmetic",
        inputs=[layer("foo-features", 4, "quantize"), layer("bar-features", 8, "quantize")],
        outputs=[layer("baz-outputs", 3, "dequantize"), layer("qux-outputs", 6, "dequantize")],
        quantized=True,
    )


def card(run, worst):
    scales = "\n".join(f"- {line}" for line in run.quantization())
    differences = "\n".join(f"| `{name}` | {value:.4f} |" for name, value in worst.items())
    return f"""
## What it does

`foo-features` (4 values in [0,1]) and `bar-features` (8 values in [-1,1]) are the inputs, `baz-outputs` (3
values in [0,1]) and `qux-outputs` (6 values in [-1,1]) the outputs:

```
{RULE}
```

Names, shapes and ranges are those of the complete example in the original library's documentation.
Input and output tensors are uint8, with the quantization of the declared ranges:
{scales}

Zero points are integers, while the exact zero of `[-1,1]` is 127.5: the tensor's quantization and the
declared range differ by half a step, 0.004.

## Data and training

None: `make_two_in_two_out.py` derives the weights from the definition. Calibrated with all 4096
corners of the input ranges.

## Accuracy

Measured by LiteRT, with TensorIO's arithmetic on both sides, on {TRIALS} random inputs (seed
{reproducible.SEED}): the largest difference from the definition.

| output | largest difference |
|---|---|
{differences}

`expected.json` contains the defined outputs of each sample, with a tolerance of {TOLERANCE}.

## Reproducing

`Models/train-all`
"""


def main():
    model = convert(Mixing(), INPUTS, OUTPUTS, examples=calibration)
    run = Runner(model)
    worst = largest_difference(run)
    bundle = Bundle(description(), model)
    for name, (foo, bar) in SAMPLES.items():
        answer = {
            name: [round(float(value), 4) for value in values]
            for name, values in zip(OUTPUTS, ruled(foo, bar))
        }
        bundle.add_sample(f"{name}.json", dict(zip(INPUTS, (foo, bar))), answer)
    bundle.finish(
        tolerance=TOLERANCE,
        measured=f"at most {max(worst.values()):.4f} from the definition on {TRIALS} random inputs",
        card=card(run, worst),
    )


if __name__ == "__main__":
    main()
