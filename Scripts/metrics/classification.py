"""Classification beside scikit-learn."""

import numpy as np
from sklearn import metrics
from sklearn.calibration import calibration_curve

_COUNT = 60
_BINS = 15


def _case(scores, truth):
    scores = scores.astype(np.float32).astype(np.float64)
    found = scores.argmax(axis=1)
    occurring = sorted(set(truth) | set(found))
    case = {
        "scores": scores,
        "truth": truth,
        "top": {k: _top(scores, truth, k) for k in (1, 2, 3, 5)},
        "accuracy": metrics.accuracy_score(truth, found),
        "balanced": metrics.balanced_accuracy_score(truth, found),
        "occurring": occurring,
        "confusion": metrics.confusion_matrix(truth, found, labels=occurring),
        "per_class": _report(truth, found, labels=occurring),
        "averages": {
            kind: _report(truth, found, average=kind)[:3] for kind in ("macro", "micro", "weighted")
        },
        "probabilities": None,
    }
    if (scores >= 0).all() and np.allclose(scores.sum(axis=1), 1, atol=1e-4):
        case["probabilities"] = _probabilities(scores, truth, found)
    return case


def _report(truth, found, **options):
    return metrics.precision_recall_fscore_support(truth, found, zero_division=0, **options)


def _top(scores, truth, k):
    """Equal scores in the order of the output; scikit-learn has them the other way round."""
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    share = (order == np.asarray(truth)[:, None]).any(axis=1).mean()
    if k < scores.shape[1] and all(len(set(row)) == len(row) for row in scores):
        theirs = metrics.top_k_accuracy_score(truth, scores, k=k, labels=range(scores.shape[1])) \
            if scores.shape[1] > 2 else metrics.accuracy_score(truth, scores.argmax(axis=1))
        assert abs(theirs - share) < 1e-12
    return share


def _probabilities(scores, truth, found):
    labels = range(scores.shape[1])
    confidence = scores[np.arange(len(scores)), found]
    right = (found == truth).astype(int)
    # Bins without examples are left out by the reference.
    accuracies, confidences = calibration_curve(right, confidence, n_bins=_BINS)
    edges = np.linspace(0, 1, _BINS + 1)
    counts = np.bincount(np.searchsorted(edges[1:-1], confidence), minlength=_BINS)
    filled = counts[counts > 0] / len(scores)
    return {
        "loss": metrics.log_loss(truth, scores, labels=labels),
        "brier": metrics.brier_score_loss(truth, scores, labels=labels, scale_by_half="auto"),
        "ece": (filled * np.abs(accuracies - confidences)).sum(),
        "counts": counts,
        "accuracies": accuracies,
        "confidences": confidences,
    }


def _softmaxed(rng, examples, classes):
    numbers = np.exp(rng.normal(scale=2, size=(examples, classes)))
    return numbers / numbers.sum(axis=1, keepdims=True)


def _leaning(rng, scores):
    """Truths that the scores often name."""
    guessed = rng.integers(scores.shape[1], size=len(scores))
    return np.where(rng.random(len(scores)) < 0.6, scores.argmax(axis=1), guessed)


def ordinary(rng):
    cases = []
    for _ in range(_COUNT):
        scores = _softmaxed(rng, rng.integers(5, 60), rng.integers(3, 12))
        cases.append(_case(scores, _leaning(rng, scores)))
    return cases


def two_classes(rng):
    cases = []
    for _ in range(_COUNT):
        scores = _softmaxed(rng, rng.integers(2, 40), 2)
        cases.append(_case(scores, _leaning(rng, scores)))
    return cases


def ties(rng):
    """Sixteenths, which are exact and often equal; some fall on the edge of a bin."""
    cases = []
    for _ in range(_COUNT):
        classes = rng.integers(2, 9)
        scores = rng.multinomial(16, np.full(classes, 1 / classes), rng.integers(3, 40)) / 16
        cases.append(_case(scores, _leaning(rng, scores)))
    return cases


def tied_scores(rng):
    """No probabilities: so few different scores that most are equal."""
    cases = []
    for _ in range(_COUNT):
        scores = rng.integers(-2, 2, size=(rng.integers(2, 30), rng.integers(2, 9)))
        cases.append(_case(scores, rng.integers(scores.shape[1], size=len(scores))))
    return cases


def quite_sure(rng):
    """Ones and zeros, so that losses are clipped."""
    cases = []
    for _ in range(_COUNT):
        classes = rng.integers(2, 6)
        scores = np.eye(classes)[rng.integers(classes, size=rng.integers(1, 20))]
        cases.append(_case(scores, _leaning(rng, scores)))
    return cases


def empty_classes(rng):
    """More classes than examples: most never occur, some are only found, some only true."""
    cases = []
    for _ in range(_COUNT // 3):
        scores = _softmaxed(rng, rng.integers(1, 25), 200)
        cases.append(_case(scores, rng.integers(200, size=len(scores))))
    return cases


def never_right(rng):
    cases = []
    for _ in range(_COUNT // 3):
        scores = _softmaxed(rng, rng.integers(1, 20), 4)
        cases.append(_case(scores, (scores.argmax(axis=1) + 1) % 4))
    return cases
