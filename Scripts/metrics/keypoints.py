"""Reference results for the metrics of poses, from pycocotools."""

import contextlib
import io

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

_COUNT = 20
_KEYPOINTS = 17


def _set(annotations, images):
    with contextlib.redirect_stdout(io.StringIO()):
        coco = COCO()
        coco.dataset = {"images": [{"id": number} for number in range(images)], "categories": [{"id": 1}],
                        "annotations": [dict(each, id=number) for number, each in enumerate(annotations, 1)]}
        coco.createIndex()
    return coco


def _person(rng, size):
    """Points in a rectangle, which are marked or not."""
    corner, extent = rng.random(2) * 200, (0.3 + rng.random(2)) * size
    points = np.round((corner + rng.random((_KEYPOINTS, 2)) * extent) * 4) / 4
    return points, [*corner, *extent]


def _annotation(image, points, visible, **others):
    keypoints = np.column_stack([points * (visible > 0)[:, None], visible]).ravel()
    return dict(image_id=image, category_id=1, keypoints=keypoints.tolist(),
                num_keypoints=int((visible > 0).sum()), **others)


def _case(rng, crowds=0.0, unmarked=0.0, most=5, score=None):
    images = int(rng.integers(1, 5))
    ground_truth, predictions = [], []
    for image in range(images):
        for _ in range(rng.integers(0, most + 1)):
            size = rng.choice([30, 90, 200])
            points, box = _person(rng, size)
            visible = rng.integers(0, 3, _KEYPOINTS) * (rng.random() >= unmarked)
            ground_truth.append(_annotation(
                image, points, visible, bbox=[float(each) for each in box],
                area=float(box[2] * box[3] * rng.uniform(0.5, 1)), iscrowd=int(rng.random() < crowds)))
            for _ in range(rng.integers(0, 3)):
                predictions.append((image, points + rng.normal(scale=rng.random() * size / 10, size=points.shape)))
        for _ in range(rng.integers(0, most)):
            predictions.append((image, _person(rng, rng.choice([30, 90, 200]))[0]))
    found = []
    for image, points in predictions:
        points = np.round(points * 4) / 4
        low, high = points.min(axis=0), points.max(axis=0)
        found.append(_annotation(
            image, points, np.full(_KEYPOINTS, 1), bbox=[*map(float, low), *map(float, high - low)],
            area=float((high - low).prod()), iscrowd=0, score=float(score() if score else rng.random())))
    evaluation = COCOeval(_set(ground_truth, images), _set(found, images), "keypoints")
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return {
        "images": [{"ground_truth": [{"keypoints": each["keypoints"], "area": each["area"], "box": each["bbox"],
                                      "crowd": each["iscrowd"] == 1}
                                     for each in ground_truth if each["image_id"] == image],
                    "predictions": [{"keypoints": each["keypoints"], "score": each["score"]}
                                    for each in found if each["image_id"] == image]}
                   for image in range(images)],
        "stats": evaluation.stats,
    }


def ordinary(rng):
    return [_case(rng) for _ in range(_COUNT)]


def crowds_and_unmarked_people(rng):
    return [_case(rng, crowds=0.3, unmarked=0.3) for _ in range(_COUNT)]


def ties(rng):
    return [_case(rng, score=lambda: rng.integers(1, 4) / 4) for _ in range(_COUNT)]


def many_poses(rng):
    """More poses than the metric counts."""
    return [_case(rng, most=25) for _ in range(4)]


def nothing_to_find(rng):
    return [_case(rng, unmarked=1.0) for _ in range(3)]
