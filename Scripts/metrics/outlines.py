"""Reference masks of COCO annotations, from pycocotools: polygons and compressed run lengths."""

import numpy as np
from pycocotools import mask

_COUNT = 40


def _encoded(polygons, height, width):
    return mask.merge(mask.frPyObjects(polygons, height, width))


def _case(segmentation, encoded):
    """The lengths of runs of pixels row by row, which begin outside of the object."""
    pixels = mask.decode(encoded)
    height, width = pixels.shape
    flat = np.concatenate([[0], pixels.ravel(), [1 - pixels.ravel()[-1]]])
    return {"width": width, "height": height, "segmentation": segmentation,
            "starts": np.flatnonzero(np.diff(flat)).tolist()}


def _size(rng):
    return int(rng.integers(1, 60)), int(rng.integers(1, 60))


def _polygon(rng, height, width, decimals):
    count = int(rng.integers(3, 12))
    points = rng.uniform(-4, 4, (count, 2)) + rng.random((count, 2)) * (width, height)
    return np.round(points, decimals).ravel().tolist()


def _polygon_cases(rng, decimals, most=1):
    cases = []
    for _ in range(_COUNT):
        height, width = _size(rng)
        polygons = [_polygon(rng, height, width, decimals) for _ in range(rng.integers(1, most + 1))]
        cases.append(_case(polygons, _encoded(polygons, height, width)))
    return cases


def polygons(rng):
    return _polygon_cases(rng, 2)


def polygons_with_whole_corners(rng):
    return _polygon_cases(rng, 0)


def several_polygons(rng):
    return _polygon_cases(rng, 1, most=4)


def run_lengths(rng):
    cases = []
    for _ in range(_COUNT):
        height, width = _size(rng)
        pixels = np.asfortranarray((rng.random((height, width)) < rng.random()).astype(np.uint8))
        encoded = mask.encode(pixels)
        compressed = {"size": [height, width], "counts": encoded["counts"].decode()}
        cases.append(_case(compressed, encoded))
    return cases
