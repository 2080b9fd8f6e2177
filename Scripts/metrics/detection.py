"""Reference results for detection metrics, from pycocotools."""

import contextlib
import io

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

_COUNT = 25
_CATEGORIES = [1, 2, 3, 7]


class _Images:
    """Images with objects and detections, mostly at multiples of 0.25, which are exact in binary."""

    def __init__(self, rng):
        self.rng, self.ground_truth, self.predictions = rng, [], []
        self.count = 0

    def add(self, ground_truth, predictions):
        self.count += 1
        for category, (x, y, w, h), area, crowd in ground_truth:
            self.ground_truth.append({"image_id": self.count, "category_id": int(category),
                                      "bbox": [float(x), float(y), float(w), float(h)],
                                      "area": float(area), "iscrowd": int(crowd)})
        for category, (x, y, w, h), score in predictions:
            self.predictions.append({"image_id": self.count, "category_id": int(category),
                                     "bbox": [float(x), float(y), float(w), float(h)],
                                     "area": float(w) * float(h), "iscrowd": 0, "score": float(score)})

    def case(self):
        evaluation = COCOeval(self._set(self.ground_truth), self._set(self.predictions), "bbox")
        with contextlib.redirect_stdout(io.StringIO()):
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        precision = evaluation.eval["precision"][:, :, :, 0, 2]
        recall = evaluation.eval["recall"][:, :, 0, 2]
        return {
            "images": [self._image(number) for number in range(1, self.count + 1)],
            "stats": evaluation.stats,
            "categories": [
                {"category": category, "ap": self._mean(precision[:, :, k]),
                 "ap50": self._mean(precision[0, :, k]), "ar": self._mean(recall[:, k]),
                 "precisions50": precision[0, :, k], "precisions75": precision[5, :, k]}
                for k, category in enumerate(_CATEGORIES)
            ],
        }

    def _set(self, annotations):
        numbered = [dict(each, id=number) for number, each in enumerate(annotations, 1)]
        with contextlib.redirect_stdout(io.StringIO()):
            coco = COCO()
            coco.dataset = {
                "images": [{"id": number} for number in range(1, self.count + 1)],
                "categories": [{"id": each} for each in _CATEGORIES], "annotations": numbered,
            }
            coco.createIndex()
        return coco

    @staticmethod
    def _mean(values):
        return values.mean() if (values > -1).all() else -1.0

    def _image(self, number):
        def edges(box):
            return [box[0], box[1], box[0] + box[2], box[1] + box[3]]

        return {
            "ground_truth": [{"category": each["category_id"], "box": edges(each["bbox"]),
                              "area": each["area"], "crowd": each["iscrowd"] == 1}
                             for each in self.ground_truth if each["image_id"] == number],
            "predictions": [{"category": each["category_id"], "box": edges(each["bbox"]),
                             "score": each["score"]}
                            for each in self.predictions if each["image_id"] == number],
        }


def _box(rng, largest=160):
    return np.round(np.concatenate([rng.random(2) * 200, 2 + rng.random(2) * largest]) * 4) / 4


def _near(rng, box, shift=0.15):
    """A displaced box whose overlaps are spread around the thresholds."""
    moved = box + rng.normal(scale=shift, size=4) * np.tile(box[2:], 2) * rng.random()
    moved = np.round(moved * 4) / 4
    return np.concatenate([moved[:2], np.maximum(moved[2:], 0.25)])


def _objects(rng, count, crowds=0.0, own_area=False):
    for _ in range(count):
        box = _box(rng)
        area = box[2] * box[3] * (rng.integers(1, 9) / 8 if own_area else 1)
        yield rng.choice(_CATEGORIES[:3]), box, area, rng.random() < crowds


def _detections(rng, ground_truth, false_positives, score):
    for category, box, _, _ in ground_truth:
        for _ in range(rng.integers(0, 4)):
            yield category, _near(rng, box), score()
    for _ in range(rng.integers(0, false_positives + 1)):
        yield rng.choice(_CATEGORIES[:3]), _box(rng), score()


def _random_case(rng, score=None, crowds=0.0, own_area=False, objects=7, false_positives=6):
    images = _Images(rng)
    for _ in range(rng.integers(1, 6)):
        ground_truth = list(_objects(rng, rng.integers(0, objects + 1), crowds, own_area))
        images.add(ground_truth, list(_detections(rng, ground_truth, false_positives, score or rng.random)))
    return images.case()


def ordinary(rng):
    return [_random_case(rng) for _ in range(_COUNT)]


def hundredths(rng):
    """Boxes with two decimals, whose widths are not exactly the distance of their edges."""
    cases = []
    for _ in range(_COUNT):
        images = _Images(rng)
        for _ in range(3):
            ground_truth = [(category, np.round(box + rng.random(4), 2), area, False)
                            for category, box, area, _ in _objects(rng, 6)]
            predictions = [(category, np.round(_near(rng, box) + rng.random(4), 2), score)
                           for category, box, score in _detections(rng, ground_truth, 4, rng.random)]
            exact = [(category, box, rng.random()) for category, box, _, _ in ground_truth]
            images.add(ground_truth, predictions + exact)
        cases.append(images.case())
    return cases


def ties(rng):
    """Few different scores, within an image and across images."""
    return [_random_case(rng, score=lambda: rng.integers(1, 4) / 4) for _ in range(_COUNT)]


def all_scores_equal(rng):
    return [_random_case(rng, score=lambda: 0.5) for _ in range(_COUNT)]


def crowds(rng):
    return [_random_case(rng, crowds=0.4) for _ in range(_COUNT)]


def outline_areas(rng):
    return [_random_case(rng, crowds=0.1, own_area=True) for _ in range(_COUNT)]


def nearly_empty(rng):
    """Images and classes without objects, detections or both."""
    return [_random_case(rng, objects=1, false_positives=1) for _ in range(_COUNT * 2)]


def equal_overlaps(rng):
    """Boxes of a few pixels, whose overlaps are often equal or exactly a threshold."""
    cases = []
    for _ in range(_COUNT):
        images = _Images(rng)
        for _ in range(4):
            ground_truth = [(1, np.append(rng.integers(0, 3, 2), rng.integers(4, 11, 2)), 50,
                             rng.random() < 0.1) for _ in range(4)]
            predictions = [(1, np.append(rng.integers(0, 3, 2), rng.integers(4, 11, 2)),
                            rng.integers(1, 4) / 4) for _ in range(9)]
            images.add(ground_truth, predictions)
        cases.append(images.case())
    return cases


def area_range_bounds(rng):
    sides = [(32, 32), (96, 96), (31, 33), (64, 16), (96, 97), (48, 192), (4, 4)]
    cases = []
    for _ in range(_COUNT):
        images = _Images(rng)
        for _ in range(3):
            boxes = [np.append(rng.integers(0, 100, 2), sides[rng.integers(len(sides))])
                     for _ in range(5)]
            ground_truth = [(1, box, box[2] * box[3], False) for box in boxes]
            predictions = [(1, box + rng.integers(0, 2, 4) * [1, 1, 0, 0], rng.random()) for box in boxes]
            images.add(ground_truth, predictions)
        cases.append(images.case())
    return cases


def more_than_count(rng):
    """More detections of a class in an image than count."""
    cases = []
    for _ in range(5):
        images = _Images(rng)
        for _ in range(2):
            ground_truth = [(1, _box(rng), 2000, False) for _ in range(12)]
            predictions = [(1, _near(rng, ground_truth[rng.integers(12)][1]), rng.integers(1, 40) / 40)
                           for _ in range(rng.integers(95, 140))]
            images.add(ground_truth, predictions)
        cases.append(images.case())
    return cases


def flat_boxes(rng):
    """Boxes with a width or height of 0, which overlap nothing."""
    cases = []
    for _ in range(_COUNT):
        images = _Images(rng)
        ground_truth = [(1, _box(rng) * [1, 1, rng.integers(0, 2), 1], 100, rng.random() < 0.3)
                        for _ in range(4)]
        images.add(ground_truth, [(1, box * [1, 1, 1, rng.integers(0, 2)], rng.random())
                                  for _, box, _, _ in ground_truth for _ in range(2)])
        cases.append(images.case())
    return cases
