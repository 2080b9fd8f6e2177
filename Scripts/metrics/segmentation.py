"""Masks beside numpy."""

import numpy as np

_COUNT = 60


def _case(classes, ignored, found, truth):
    known = truth != ignored if ignored is not None else np.full(truth.shape, True)
    pairs = truth[known].astype(int) * classes + found[known]
    confusion = np.bincount(pairs, minlength=classes * classes).reshape(classes, classes)
    right, true, taken = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
    with np.errstate(all="ignore"):
        ious, accuracies = right / (true + taken - right), right / true
        return {
            "classes": classes,
            "ignored": ignored,
            "found": found.reshape(len(found), -1),
            "truth": truth.reshape(len(truth), -1),
            "confusion": confusion.ravel(),
            "ious": ious,
            "accuracies": accuracies,
            "miou": np.nanmean(ious),
            "mean_accuracy": np.nanmean(accuracies),
            "pixel_accuracy": right.sum() / confusion.sum(),
        }


def _masks(rng, classes, agreement):
    shape = (rng.integers(1, 4), rng.integers(1, 9), rng.integers(1, 9))
    truth = rng.integers(classes, size=shape)
    found = np.where(rng.random(shape) < agreement, truth, rng.integers(classes, size=shape))
    return found, truth


def ordinary(rng):
    cases = []
    for _ in range(_COUNT):
        classes = int(rng.integers(1, 7))
        cases.append(_case(classes, None, *_masks(rng, classes, 0.7)))
    return cases


def empty_classes(rng):
    return [_case(40, None, *_masks(rng, 40, 0.3)) for _ in range(_COUNT)]


def ignored(rng):
    cases = []
    for _ in range(_COUNT):
        found, truth = _masks(rng, 4, 0.6)
        truth[rng.random(truth.shape) < 0.3] = 255
        cases.append(_case(4, 255, found, truth))
    return cases


def ignored_class(rng):
    """The ignored label is one of the classes, and may be found."""
    return [_case(4, 0, *_masks(rng, 4, 0.6)) for _ in range(_COUNT)]


def nothing_known(rng):
    found, truth = _masks(rng, 4, 0.6)
    return [_case(4, 255, found, np.full_like(truth, 255))]
