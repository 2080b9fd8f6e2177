"""Images as TensorIO preprocesses them: center crop, letterbox and Lanczos resampling."""

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
    return boxed(picture, (side, side), mode)


def boxed(picture, size, mode, centered=True):
    """Letterboxes an image into a width and a height: in the center, or in the upper left corner."""
    scale = min(size[0] / picture.width, size[1] / picture.height)
    width, height = (max(1, round(length * scale)) for length in picture.size)
    box = Image.new(mode, size)
    resized = picture.convert(mode).resize((width, height), Image.Resampling.LANCZOS)
    box.paste(resized, ((size[0] - width) // 2, (size[1] - height) // 2) if centered else (0, 0))
    return np.asarray(box).reshape(size[1], size[0], -1)
