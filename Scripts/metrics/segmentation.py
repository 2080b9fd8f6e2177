"""Reference results for segmentation metrics, from NumPy."""

import numpy as np

_COUNT = 60


def _case(classes, ignored, predicted, ground_truth):
    known = ground_truth != ignored if ignored is not None else np.full(ground_truth.shape, True)
    pairs = ground_truth[known].astype(int) * classes + predicted[known]
    confusion = np.bincount(pairs, minlength=classes * classes).reshape(classes, classes)
    correct, actual_count, predicted_count = np.diag(confusion), confusion.sum(axis=1), confusion.sum(axis=0)
    with np.errstate(all="ignore"):
        ious, accuracies = correct / (actual_count + predicted_count - correct), correct / actual_count
        return {
            "classes": classes,
            "ignored": ignored,
            "predicted": predicted.reshape(len(predicted), -1),
            "ground_truth": ground_truth.reshape(len(ground_truth), -1),
            "confusion": confusion.ravel(),
            "ious": ious,
            "accuracies": accuracies,
            "miou": np.nanmean(ious),
            "mean_accuracy": np.nanmean(accuracies),
            "pixel_accuracy": correct.sum() / confusion.sum(),
        }


def _masks(rng, classes, agreement):
    shape = (rng.integers(1, 4), rng.integers(1, 9), rng.integers(1, 9))
    ground_truth = rng.integers(classes, size=shape)
    predicted = np.where(rng.random(shape) < agreement, ground_truth, rng.integers(classes, size=shape))
    return predicted, ground_truth


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
        predicted, ground_truth = _masks(rng, 4, 0.6)
        ground_truth[rng.random(ground_truth.shape) < 0.3] = 255
        cases.append(_case(4, 255, predicted, ground_truth))
    return cases


def ignored_class(rng):
    """The ignored label is one of the classes and may be predicted."""
    return [_case(4, 0, *_masks(rng, 4, 0.6)) for _ in range(_COUNT)]


def all_ignored(rng):
    predicted, ground_truth = _masks(rng, 4, 0.6)
    return [_case(4, 255, predicted, np.full_like(ground_truth, 255))]
