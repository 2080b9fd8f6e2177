"""Images as TensorIO preprocesses them: center crop and Lanczos resampling."""

import numpy as np
from PIL import Image


def prepared(picture, side, mode):
    """Returns the pixels of a square model input: [side, side, channels]."""
    width, height = picture.size
    square = min(width, height)
    left, top = (width - square) / 2, (height - square) / 2
    resized = picture.convert(mode).resize(
        (side, side), Image.Resampling.LANCZOS, box=(left, top, left + square, top + square)
    )
    return np.asarray(resized).reshape(side, side, -1)


def letterboxed(picture, side, mode):
    """Letterboxes an image into a square."""
    scale = side / max(picture.size)
    width, height = (max(1, round(length * scale)) for length in picture.size)
    square = Image.new(mode, (side, side))
    resized = picture.convert(mode).resize((width, height), Image.Resampling.LANCZOS)
    square.paste(resized, ((side - width) // 2, (side - height) // 2))
    return np.asarray(square).reshape(side, side, -1)
