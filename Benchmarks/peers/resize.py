"""Pillow's resampling: every filter of TensorIO, from three image sizes to two input sizes.

`--only "bilinear 1280x720 224x224"` measures one of them, `--fit stretch` uses the entire image,
and `--write FOLDER` writes images and results as raw RGB.
"""

from functools import partial
from pathlib import Path

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


def part(source, target, fit):
    """Returns the entire image, or the largest centered rectangle of the target's shape, in real coordinates."""
    if fit == "stretch":
        return 0, 0, *source
    scale = min(source[0] / target[0], source[1] / target[1])
    width, height = target[0] * scale, target[1] * scale
    left, top = (source[0] - width) / 2, (source[1] - height) / 2
    return left, top, left + width, top + height


def jobs(fit, only):
    """Returns the jobs by name: an image, and the function that resizes it."""
    for source in SOURCES:
        picture = noise(source)
        for target in TARGETS:
            for name, kernel in FILTERS.items():
                label = f"{name} {source[0]}x{source[1]} {target[0]}x{target[1]}"
                if only in (None, label):
                    box = part(source, target, fit)
                    yield label, picture, partial(picture.resize, target, kernel, box=box)


def write(folder, label, picture, resize):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{label} source.rgb").write_bytes(picture.tobytes())
    (folder / f"{label}.rgb").write_bytes(resize().tobytes())


def main():
    given = arguments(description=__doc__, only=None, fit="crop", write=None)
    found = list(jobs(given.fit, given.only))
    for job in found if given.write else []:
        write(Path(given.write), *job)
    work = {label: resize for label, _, resize in found}
    measure("resize.py", f"Pillow, RGB, {given.fit}", given, work)


if __name__ == "__main__":
    main()
