"""Rotates, scales and crops a face so that its eyes are at fixed positions."""

import numpy as np
from PIL import Image

ALIGNED_EYES = (0.35, 0.4), (0.65, 0.4)  # in parts of the square's width and height


def aligned(picture, eyes, side):
    """Returns an aligned square crop; `eyes` are the left and right eye as (x, y) in pixels.

    A similarity transform is a product and a sum of complex numbers:
    point in the image = factor · point in the square + offset.
    """
    (left, right), (left_here, right_here) = _complex(eyes), _complex(ALIGNED_EYES) * side
    factor = (right - left) / (right_here - left_here)
    shift = left - factor * left_here
    return picture.transform(
        (side, side),
        Image.Transform.AFFINE,
        (factor.real, -factor.imag, shift.real, factor.imag, factor.real, shift.imag),
        Image.Resampling.BILINEAR,
    )


def square_of(picture, corner, length, side):
    """Crops a square of the image, given by its upper-left corner and side in pixels; black outside."""
    scale = length / side
    return picture.transform(
        (side, side), Image.Transform.AFFINE, (scale, 0, corner[0], 0, scale, corner[1]), Image.Resampling.BILINEAR
    )


def _complex(points):
    x, y = np.asarray(points, float).T
    return x + 1j * y
