"""Settings for reproducible training. Import before any module that computes."""

import os

# One thread and no processor-specific kernels, so that the order of additions is fixed.
os.environ.update(
    TF_ENABLE_ONEDNN_OPTS="0",
    OMP_NUM_THREADS="1",
    OPENBLAS_NUM_THREADS="1",
    CUDA_VISIBLE_DEVICES="-1",
    TF_CPP_MIN_LOG_LEVEL="3",
)

import tensorflow as tf

SEED = 42

tf.get_logger().setLevel("ERROR")
tf.config.threading.set_inter_op_parallelism_threads(1)
tf.config.threading.set_intra_op_parallelism_threads(1)
tf.config.experimental.enable_op_determinism()
tf.keras.utils.set_random_seed(SEED)
