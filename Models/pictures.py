"""Pictures as TensorIO prepares them: the centred crop, shrunk or enlarged with Lanczos."""

import numpy as np
from PIL import Image


def prepared(picture, side, mode):
    """The pixels of a square model input: [side, side, channels]."""
    width, height = picture.size
    square = min(width, height)
    left, top = (width - square) / 2, (height - square) / 2
    resized = picture.convert(mode).resize(
        (side, side), Image.Resampling.LANCZOS, box=(left, top, left + square, top + square)
    )
    return np.asarray(resized).reshape(side, side, -1)
