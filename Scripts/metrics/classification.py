"""Reference results for classification metrics, from scikit-learn."""

import numpy as np
from sklearn import metrics
from sklearn.calibration import calibration_curve

_COUNT = 60
_BINS = 15


def _case(scores, ground_truth):
    scores = scores.astype(np.float32).astype(np.float64)
    predicted = scores.argmax(axis=1)
    occurring = sorted(set(ground_truth) | set(predicted))
    case = {
        "scores": scores,
        "ground_truth": ground_truth,
        "top": {k: _top(scores, ground_truth, k) for k in (1, 2, 3, 5)},
        "accuracy": metrics.accuracy_score(ground_truth, predicted),
        "balanced": metrics.balanced_accuracy_score(ground_truth, predicted),
        "occurring": occurring,
        "confusion": metrics.confusion_matrix(ground_truth, predicted, labels=occurring),
        "per_class": _report(ground_truth, predicted, labels=occurring),
        "averages": {
            kind: _report(ground_truth, predicted, average=kind)[:3]
            for kind in ("macro", "micro", "weighted")
        },
        "probabilities": None,
    }
    if (scores >= 0).all() and np.allclose(scores.sum(axis=1), 1, atol=1e-4):
        case["probabilities"] = _probabilities(scores, ground_truth, predicted)
    return case


def _report(ground_truth, predicted, **options):
    return metrics.precision_recall_fscore_support(ground_truth, predicted, zero_division=0, **options)


def _top(scores, ground_truth, k):
    """Top-k accuracy with equal scores in output order; scikit-learn orders them in reverse."""
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    accuracy = (order == np.asarray(ground_truth)[:, None]).any(axis=1).mean()
    if k < scores.shape[1] and all(len(set(row)) == len(row) for row in scores):
        if scores.shape[1] > 2:
            labels = range(scores.shape[1])
            expected = metrics.top_k_accuracy_score(ground_truth, scores, k=k, labels=labels)
        else:
            expected = metrics.accuracy_score(ground_truth, scores.argmax(axis=1))
        assert abs(expected - accuracy) < 1e-12
    return accuracy


def _probabilities(scores, ground_truth, predicted):
    labels = range(scores.shape[1])
    confidence = scores[np.arange(len(scores)), predicted]
    correct = (predicted == ground_truth).astype(int)
    # calibration_curve omits empty bins.
    accuracies, confidences = calibration_curve(correct, confidence, n_bins=_BINS)
    edges = np.linspace(0, 1, _BINS + 1)
    counts = np.bincount(np.searchsorted(edges[1:-1], confidence), minlength=_BINS)
    filled = counts[counts > 0] / len(scores)
    return {
        "log_loss": metrics.log_loss(ground_truth, scores, labels=labels),
        "brier_score": metrics.brier_score_loss(ground_truth, scores, labels=labels, scale_by_half="auto"),
        "ece": (filled * np.abs(accuracies - confidences)).sum(),
        "counts": counts,
        "accuracies": accuracies,
        "confidences": confidences,
    }


def _random_probabilities(rng, examples, classes):
    numbers = np.exp(rng.normal(scale=2, size=(examples, classes)))
    return numbers / numbers.sum(axis=1, keepdims=True)


def _random_labels(rng, scores):
    """Labels that often, but not always, have the highest score."""
    random_labels = rng.integers(scores.shape[1], size=len(scores))
    return np.where(rng.random(len(scores)) < 0.6, scores.argmax(axis=1), random_labels)


def ordinary(rng):
    cases = []
    for _ in range(_COUNT):
        scores = _random_probabilities(rng, rng.integers(5, 60), rng.integers(3, 12))
        cases.append(_case(scores, _random_labels(rng, scores)))
    return cases


def two_classes(rng):
    cases = []
    for _ in range(_COUNT):
        scores = _random_probabilities(rng, rng.integers(2, 40), 2)
        cases.append(_case(scores, _random_labels(rng, scores)))
    return cases


def ties(rng):
    """Multiples of 1/16, which are exact and often equal; some are on the edge of a bin."""
    cases = []
    for _ in range(_COUNT):
        classes = rng.integers(2, 9)
        scores = rng.multinomial(16, np.full(classes, 1 / classes), rng.integers(3, 40)) / 16
        cases.append(_case(scores, _random_labels(rng, scores)))
    return cases


def tied_scores(rng):
    """Scores that are not probabilities and mostly equal."""
    cases = []
    for _ in range(_COUNT):
        scores = rng.integers(-2, 2, size=(rng.integers(2, 30), rng.integers(2, 9)))
        cases.append(_case(scores, rng.integers(scores.shape[1], size=len(scores))))
    return cases


def certain(rng):
    """One-hot scores, whose losses are clipped."""
    cases = []
    for _ in range(_COUNT):
        classes = rng.integers(2, 6)
        scores = np.eye(classes)[rng.integers(classes, size=rng.integers(1, 20))]
        cases.append(_case(scores, _random_labels(rng, scores)))
    return cases


def empty_classes(rng):
    """More classes than examples: most do not occur, some only as prediction or ground truth."""
    cases = []
    for _ in range(_COUNT // 3):
        scores = _random_probabilities(rng, rng.integers(1, 25), 200)
        cases.append(_case(scores, rng.integers(200, size=len(scores))))
    return cases


def all_wrong(rng):
    cases = []
    for _ in range(_COUNT // 3):
        scores = _random_probabilities(rng, rng.integers(1, 20), 4)
        cases.append(_case(scores, (scores.argmax(axis=1) + 1) % 4))
    return cases
