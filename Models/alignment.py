"""Turns, scales and moves a face so that its eyes stand in the same places every time."""

import numpy as np
from PIL import Image

ALIGNED_EYES = (0.35, 0.4), (0.65, 0.4)  # in parts of the square's width and height


def aligned(picture, eyes, side):
    """A square of the picture; `eyes` are the left and the right one as (x, y) in pixels.

    A similarity has no shear, so with complex numbers it is a product and a sum:
    place in the picture = factor · place in the square + shift.
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
    """A square of the picture, whose left upper corner and length are in pixels; black beyond it."""
    scale = length / side
    return picture.transform(
        (side, side), Image.Transform.AFFINE, (scale, 0, corner[0], 0, scale, corner[1]), Image.Resampling.BILINEAR
    )


def _complex(points):
    x, y = np.asarray(points, float).T
    return x + 1j * y
