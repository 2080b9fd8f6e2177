"""Reference results for the metrics of instance masks, from pycocotools."""

import contextlib
import io

import numpy as np
from pycocotools import mask
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

_COUNT = 15
_SIZE = 128
_CATEGORIES = [1, 2, 5]


def _ellipse(rng, center, radii):
    y, x = np.mgrid[:_SIZE, :_SIZE]
    pixels = ((x - center[0]) / radii[0]) ** 2 + ((y - center[1]) / radii[1]) ** 2 <= 1
    return pixels & (rng.random((_SIZE, _SIZE)) < 0.98)


def _encoded(pixels):
    return mask.encode(np.asfortranarray(pixels.astype(np.uint8)))


def _runs(pixels):
    """The starts and ends of runs of pixels, row by row."""
    changes = np.flatnonzero(np.diff(np.concatenate([[0], pixels.ravel().astype(int), [0]])))
    return changes.tolist()


def _set(annotations, images):
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = {
            "images": [{"id": number, "width": _SIZE, "height": _SIZE} for number in range(images)],
            "categories": [{"id": each} for each in _CATEGORIES],
            "annotations": [dict({key: value for key, value in each.items() if key != "pixels"}, id=number)
                            for number, each in enumerate(annotations, 1)]}
        coco.createIndex()
    return coco


def _case(rng, crowds=0.0, score=None):
    images = int(rng.integers(1, 4))
    ground_truth, predictions = [], []
    for image in range(images):
        for _ in range(rng.integers(0, 5)):
            center, radii = rng.random(2) * _SIZE, rng.uniform(3, 80, 2)
            pixels, category = _ellipse(rng, center, radii), int(rng.choice(_CATEGORIES))
            ground_truth.append({"image_id": image, "category_id": category, "segmentation": _encoded(pixels),
                                 "area": float(pixels.sum()), "iscrowd": int(rng.random() < crowds),
                                 "pixels": pixels})
            for _ in range(rng.integers(0, 3)):
                moved = _ellipse(rng, center + rng.normal(0, 3, 2), np.maximum(radii + rng.normal(0, 2, 2), 1))
                predictions.append((image, category, moved))
        for _ in range(rng.integers(0, 3)):
            predictions.append((image, int(rng.choice(_CATEGORIES)), _ellipse(
                rng, rng.random(2) * _SIZE, rng.uniform(0.1, 30, 2))))
    found = [{"image_id": image, "category_id": category, "segmentation": _encoded(pixels),
              "area": float(pixels.sum()), "iscrowd": 0, "pixels": pixels,
              "score": float(score() if score else rng.random())} for image, category, pixels in predictions]
    evaluation = COCOeval(_set(ground_truth, images), _set(found, images), "segm")
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return {
        "pixel_count": _SIZE * _SIZE,
        "images": [{"ground_truth": [{"category": each["category_id"], "runs": _runs(each["pixels"]),
                                      "area": each["area"], "crowd": each["iscrowd"] == 1}
                                     for each in ground_truth if each["image_id"] == image],
                    "predictions": [{"category": each["category_id"], "runs": _runs(each["pixels"]),
                                     "score": each["score"]}
                                    for each in found if each["image_id"] == image]}
                   for image in range(images)],
        "stats": evaluation.stats,
    }


def ordinary(rng):
    return [_case(rng) for _ in range(_COUNT)]


def crowds(rng):
    return [_case(rng, crowds=0.4) for _ in range(_COUNT)]


def ties(rng):
    return [_case(rng, score=lambda: rng.integers(1, 4) / 4) for _ in range(_COUNT)]
