"""Metrics of detections."""

import numpy as np

AGREEMENT = 0.5  # how much of their union two boxes of the same thing share, at least


def shared(box, other):
    """Intersection over union of two boxes (left, top, right, bottom)."""
    width = min(box[2], other[2]) - max(box[0], other[0])
    height = min(box[3], other[3]) - max(box[1], other[1])
    if width <= 0 or height <= 0:
        return 0.0
    area = sum((b[2] - b[0]) * (b[3] - b[1]) for b in (box, other))
    return width * height / (area - width * height)


def matched(found, things):
    """Matches detections, best first, to unmatched ground-truth objects; None for false positives."""
    free = list(things)
    matches = []
    for detection in found:
        agreeing = [
            (shared(detection.box, thing.box), place)
            for place, thing in enumerate(free)
            if thing.label == detection.label
        ]
        share, place = max(agreeing, default=(0, None))
        matches.append(free.pop(place) if share >= AGREEMENT else None)
    return matches


def average_precision(pictures, label):
    """Returns the area under the precision-recall curve of images as (detections, objects)."""
    scored, total = [], 0
    for found, things in pictures:
        mine = [detection for detection in found if detection.label == label]
        theirs = [thing for thing in things if thing.label == label]
        total += len(theirs)
        scored += [(d.score, match is not None) for d, match in zip(mine, matched(mine, theirs))]
    right = np.array([hit for _, hit in sorted(scored, key=lambda pair: -pair[0])], bool)
    precision = np.cumsum(right) / np.arange(1, len(right) + 1)
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    return float(envelope[right].sum() / total)


def precision_and_recall(pictures, threshold):
    hits = detections = things_there = 0
    for found, things in pictures:
        sure = [detection for detection in found if detection.score >= threshold]
        hits += sum(match is not None for match in matched(sure, things))
        detections += len(sure)
        things_there += len(things)
    return hits / max(1, detections), hits / max(1, things_there)
