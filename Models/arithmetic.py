"""TensorIO's conversions between values and bytes, so that cards measure what users get."""

import numpy as np

STANDARD_RANGES = {"[0,1]": (0.0, 1.0), "[-1,1]": (-1.0, 1.0)}


def quantized(values, standard):
    low, high = STANDARD_RANGES[standard]
    steps = (np.asarray(values, np.float64) - low) * (255 / (high - low))
    halves_down = np.ceil(steps - 0.5)
    return np.clip(halves_down, 0, 255).astype(np.uint8)


def dequantized(codes, standard):
    low, high = STANDARD_RANGES[standard]
    return codes.astype(np.float64) * ((high - low) / 255) + low


def normalized(pixels):
    """Pixels as float32 from 0 to 1: `normalize` with the standard "[0,1]"."""
    return (pixels / np.float32(255)).astype(np.float32)


def denormalized(values):
    return quantized(values, "[0,1]")
