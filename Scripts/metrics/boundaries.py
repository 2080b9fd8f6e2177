"""Reference results for the boundary F score, from SciPy."""

import numpy as np
from scipy.ndimage import distance_transform_edt

_COUNT = 20
_TOLERANCE = 0.0075
_IGNORED = 255


def _outline(classes, label, known):
    """The known pixels of a class that have a known neighbor of another class."""
    inside = (classes == label) & known
    outside = np.pad((classes != label) & known, 1)
    near = outside[:-2, 1:-1] | outside[2:, 1:-1] | outside[1:-1, :-2] | outside[1:-1, 2:]
    return inside & near


def _near(outline, other, tolerance):
    if not other.any():
        return 0
    return int((distance_transform_edt(~other)[outline] <= tolerance).sum())


def _scores(predicted, ground_truth):
    """The score of each class of an image that has an outline."""
    known = ground_truth != _IGNORED
    tolerance = _TOLERANCE * np.hypot(*predicted.shape)
    for label in np.union1d(predicted[known], ground_truth[known]):
        found, actual = _outline(predicted, label, known), _outline(ground_truth, label, known)
        if found.any() or actual.any():
            precision = _near(found, actual, tolerance) / max(1, found.sum())
            recall = _near(actual, found, tolerance) / max(1, actual.sum())
            yield int(label), 2 * precision * recall / (precision + recall) if precision * recall else 0.0


def _case(masks):
    scores = {}
    for predicted, ground_truth in masks:
        for label, score in _scores(predicted, ground_truth):
            scores.setdefault(label, []).append(score)
    means = {label: float(np.mean(values)) for label, values in sorted(scores.items())}
    return {
        "images": [{"width": predicted.shape[1], "predicted": predicted.ravel(),
                    "ground_truth": ground_truth.ravel()} for predicted, ground_truth in masks],
        "labels": list(means), "scores": list(means.values()),
        "mean": np.mean(list(means.values())) if means else None,
    }


def _blobs(rng, shape, classes, shift=0.0):
    """Circles of random classes on a background, and the same circles displaced."""
    y, x = np.mgrid[: shape[0], : shape[1]]
    ground_truth, predicted = np.zeros(shape, int), np.zeros(shape, int)
    for _ in range(rng.integers(1, 6)):
        center, radius, label = rng.random(2) * shape, rng.uniform(1, 1 + max(shape) / 2), rng.integers(classes)
        moved, other = center + rng.normal(0, 1, 2) * shift, radius + rng.normal() * shift
        ground_truth[(y - center[0]) ** 2 + (x - center[1]) ** 2 < radius**2] = label
        predicted[(y - moved[0]) ** 2 + (x - moved[1]) ** 2 < max(other, 1) ** 2] = label
    return predicted, ground_truth


def ordinary(rng):
    return [_case([_blobs(rng, tuple(rng.integers(20, 160, 2)), 4, 1.5) for _ in range(rng.integers(1, 4))])
            for _ in range(_COUNT)]


def ignored_pixels(rng):
    cases = []
    for _ in range(_COUNT):
        predicted, ground_truth = _blobs(rng, (60, 150), 3, 1.0)
        x, y = rng.integers(0, 40, 2)
        ground_truth[y : y + 15, x : x + 30] = _IGNORED
        cases.append(_case([(predicted, ground_truth)]))
    return cases


def small_and_equal_images(rng):
    cases = [_case([_blobs(rng, tuple(rng.integers(1, 6, 2)), 3, 1.0)]) for _ in range(_COUNT)]
    same = _blobs(rng, (50, 50), 3)
    return cases + [_case([same]), _case([(np.ones((4, 5), int), np.ones((4, 5), int))])]


def noise(rng):
    return [_case([(rng.integers(0, 3, (40, 50)), rng.integers(0, 3, (40, 50)))]) for _ in range(5)]
