"""Boxes beside pycocotools."""

import contextlib
import io

import numpy as np
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

_COUNT = 25
_CATEGORIES = [1, 2, 3, 7]


class _Pictures:
    """Pictures with things and detections, most of them at quarters of pixels, exact in binary."""

    def __init__(self, rng):
        self.rng, self.truth, self.found = rng, [], []
        self.count = 0

    def add(self, truth, found):
        self.count += 1
        for category, (x, y, w, h), area, crowd in truth:
            self.truth.append({"image_id": self.count, "category_id": int(category),
                               "bbox": [float(x), float(y), float(w), float(h)],
                               "area": float(area), "iscrowd": int(crowd)})
        for category, (x, y, w, h), score in found:
            self.found.append({"image_id": self.count, "category_id": int(category),
                               "bbox": [float(x), float(y), float(w), float(h)],
                               "area": float(w) * float(h), "iscrowd": 0, "score": float(score)})

    def case(self):
        evaluation = COCOeval(self._set(self.truth), self._set(self.found), "bbox")
        with contextlib.redirect_stdout(io.StringIO()):
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
        precision = evaluation.eval["precision"][:, :, :, 0, 2]
        recall = evaluation.eval["recall"][:, :, 0, 2]
        return {
            "pictures": [self._picture(number) for number in range(1, self.count + 1)],
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

    def _picture(self, number):
        def edges(box):
            return [box[0], box[1], box[0] + box[2], box[1] + box[3]]

        return {
            "truth": [{"category": each["category_id"], "box": edges(each["bbox"]),
                       "area": each["area"], "crowd": each["iscrowd"] == 1}
                      for each in self.truth if each["image_id"] == number],
            "found": [{"category": each["category_id"], "box": edges(each["bbox"]),
                       "score": each["score"]}
                      for each in self.found if each["image_id"] == number],
        }


def _box(rng, largest=160):
    return np.round(np.concatenate([rng.random(2) * 200, 2 + rng.random(2) * largest]) * 4) / 4


def _near(rng, box, shift=0.15):
    """A box somewhat beside another, whose overlap is around all thresholds."""
    moved = box + rng.normal(scale=shift, size=4) * np.tile(box[2:], 2) * rng.random()
    moved = np.round(moved * 4) / 4
    return np.concatenate([moved[:2], np.maximum(moved[2:], 0.25)])


def _things(rng, count, crowds=0.0, own_area=False):
    for _ in range(count):
        box = _box(rng)
        area = box[2] * box[3] * (rng.integers(1, 9) / 8 if own_area else 1)
        yield rng.choice(_CATEGORIES[:3]), box, area, rng.random() < crowds


def _detections(rng, truth, strays, score):
    for category, box, _, _ in truth:
        for _ in range(rng.integers(0, 4)):
            yield category, _near(rng, box), score()
    for _ in range(rng.integers(0, strays + 1)):
        yield rng.choice(_CATEGORIES[:3]), _box(rng), score()


def _drawn(rng, score=None, crowds=0.0, own_area=False, things=7, strays=6):
    pictures = _Pictures(rng)
    for _ in range(rng.integers(1, 6)):
        truth = list(_things(rng, rng.integers(0, things + 1), crowds, own_area))
        pictures.add(truth, list(_detections(rng, truth, strays, score or rng.random)))
    return pictures.case()


def ordinary(rng):
    return [_drawn(rng) for _ in range(_COUNT)]


def hundredths(rng):
    """Boxes as data sets write them, whose widths are not exactly the distance of their edges."""
    cases = []
    for _ in range(_COUNT):
        pictures = _Pictures(rng)
        for _ in range(3):
            truth = [(category, np.round(box + rng.random(4), 2), area, False)
                     for category, box, area, _ in _things(rng, 6)]
            found = [(category, np.round(_near(rng, box) + rng.random(4), 2), score)
                     for category, box, score in _detections(rng, truth, 4, rng.random)]
            exact = [(category, box, rng.random()) for category, box, _, _ in truth]
            pictures.add(truth, found + exact)
        cases.append(pictures.case())
    return cases


def ties(rng):
    """Few different scores, within a picture and between pictures."""
    return [_drawn(rng, score=lambda: rng.integers(1, 4) / 4) for _ in range(_COUNT)]


def all_scores_equal(rng):
    return [_drawn(rng, score=lambda: 0.5) for _ in range(_COUNT)]


def crowds(rng):
    return [_drawn(rng, crowds=0.4) for _ in range(_COUNT)]


def areas_of_outlines(rng):
    return [_drawn(rng, crowds=0.1, own_area=True) for _ in range(_COUNT)]


def nearly_empty(rng):
    """Pictures and classes without boxes of one kind or both."""
    return [_drawn(rng, things=1, strays=1) for _ in range(_COUNT * 2)]


def equal_overlaps(rng):
    """Boxes of a few pixels, whose overlaps are often equal and often exactly a threshold."""
    cases = []
    for _ in range(_COUNT):
        pictures = _Pictures(rng)
        for _ in range(4):
            truth = [(1, np.append(rng.integers(0, 3, 2), rng.integers(4, 11, 2)), 50,
                      rng.random() < 0.1) for _ in range(4)]
            found = [(1, np.append(rng.integers(0, 3, 2), rng.integers(4, 11, 2)),
                      rng.integers(1, 4) / 4) for _ in range(9)]
            pictures.add(truth, found)
        cases.append(pictures.case())
    return cases


def on_the_edge_of_sizes(rng):
    sides = [(32, 32), (96, 96), (31, 33), (64, 16), (96, 97), (48, 192), (4, 4)]
    cases = []
    for _ in range(_COUNT):
        pictures = _Pictures(rng)
        for _ in range(3):
            boxes = [np.append(rng.integers(0, 100, 2), sides[rng.integers(len(sides))])
                     for _ in range(5)]
            truth = [(1, box, box[2] * box[3], False) for box in boxes]
            found = [(1, box + rng.integers(0, 2, 4) * [1, 1, 0, 0], rng.random()) for box in boxes]
            pictures.add(truth, found)
        cases.append(pictures.case())
    return cases


def more_than_count(rng):
    """More detections of a class in a picture than are looked at."""
    cases = []
    for _ in range(5):
        pictures = _Pictures(rng)
        for _ in range(2):
            truth = [(1, _box(rng), 2000, False) for _ in range(12)]
            found = [(1, _near(rng, truth[rng.integers(12)][1]), rng.integers(1, 40) / 40)
                     for _ in range(rng.integers(95, 140))]
            pictures.add(truth, found)
        cases.append(pictures.case())
    return cases


def flat_boxes(rng):
    """Boxes without width or height, which overlap with nothing."""
    cases = []
    for _ in range(_COUNT):
        pictures = _Pictures(rng)
        truth = [(1, _box(rng) * [1, 1, rng.integers(0, 2), 1], 100, rng.random() < 0.3)
                 for _ in range(4)]
        pictures.add(truth, [(1, box * [1, 1, 1, rng.integers(0, 2)], rng.random())
                             for _, box, _, _ in truth for _ in range(2)])
        cases.append(pictures.case())
    return cases
