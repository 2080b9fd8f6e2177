"""Pillow's resizing: every filter of TensorIO's, from three sizes of picture to two of input."""

import numpy as np
from PIL import Image

from measuring import arguments, measure

SOURCES = [(640, 480), (1280, 720), (1920, 1080)]
TARGETS = [(224, 224), (96, 96)]
FILTERS = {
    "nearest": Image.Resampling.NEAREST,
    "area": Image.Resampling.BOX,
    "bilinear": Image.Resampling.BILINEAR,
    "lanczos": Image.Resampling.LANCZOS,
}
SEED = 42


def noise(size):
    width, height = size
    pixels = np.random.default_rng(SEED).integers(0, 256, (height, width, 3), np.uint8)
    return Image.fromarray(pixels)


def centred_crop(source, target):
    """The largest centred rectangle of the target's shape, in real coordinates."""
    scale = min(source[0] / target[0], source[1] / target[1])
    width, height = target[0] * scale, target[1] * scale
    left, top = (source[0] - width) / 2, (source[1] - height) / 2
    return left, top, left + width, top + height


def resizing(picture, target, kernel):
    box = centred_crop(picture.size, target)
    return lambda: picture.resize(target, kernel, box=box)


def main():
    given = arguments(description=__doc__)
    pictures = {size: noise(size) for size in SOURCES}
    work = {
        f"{name} {source[0]}x{source[1]} {target[0]}x{target[1]}": resizing(picture, target, kernel)
        for source, picture in pictures.items()
        for target in TARGETS
        for name, kernel in FILTERS.items()
    }
    measure("resize.py", "Pillow, RGB, centred crop", given, work)


if __name__ == "__main__":
    main()
