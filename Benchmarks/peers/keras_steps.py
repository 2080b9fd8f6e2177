"""Measures Keras' `train_on_batch` on the tiny network."""

import os

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

from measuring import arguments, measure
from tiny_training import batch, network


def main():
    given = arguments(description=__doc__)
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(given.threads)
    tf.config.threading.set_inter_op_parallelism_threads(given.threads)
    made, (features, labels) = network(), batch()
    measure(
        "keras_steps.py", "tiny", given,
        {"train_on_batch": lambda: made.train_on_batch(features, labels)},
    )  # fmt: skip


if __name__ == "__main__":
    main()
