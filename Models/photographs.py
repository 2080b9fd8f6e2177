"""scikit-learn's two sample photographs, and crops of them as backgrounds."""

import functools

import numpy as np
from PIL import Image, ImageOps
from sklearn.datasets import load_sample_images

# Training crops come from the left of each photograph, held-out ones from the right.
TRAINING, HELD_OUT = (0.0, 0.6), (0.6, 1.0)

CREDIT = """\
scikit-learn's two sample photographs, both Creative Commons Attribution 2.0
(https://creativecommons.org/licenses/by/2.0/), some rights reserved: `china.jpg` by danielbuechele and
`flower.jpg` from vultilion's page."""


@functools.cache
def photographs():
    """Returns the temple and the flower photograph."""
    samples = load_sample_images()
    names = [name.rsplit("/", 1)[-1] for name in samples.filenames]
    return [Image.fromarray(samples.images[names.index(name)]) for name in ("china.jpg", "flower.jpg")]


def piece(random, size, part):
    """Returns a random crop of a photograph at the given size, possibly mirrored."""
    whole = photographs()[random.integers(2)]
    start, end = (round(whole.width * edge) for edge in part)
    scale = min((end - start) / size[0], whole.height / size[1]) * random.uniform(0.4, 1)
    width, height = size[0] * scale, size[1] * scale
    left, top = random.uniform(start, end - width), random.uniform(0, whole.height - height)
    box = left, top, left + width, top + height
    found = whole.resize(size, Image.Resampling.BICUBIC, box=box)
    return ImageOps.mirror(found) if random.random() < 0.5 else found


def average_color(picture, box):
    """Returns the mean color of a box of pixels."""
    edges = [int(max(edge, 0)) for edge in box]
    part = picture.crop((edges[0], edges[1], max(edges[2], edges[0] + 1), max(edges[3], edges[1] + 1)))
    return np.asarray(part.resize((1, 1), Image.Resampling.BOX), float).reshape(3)
