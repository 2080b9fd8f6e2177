"""Reference results for ROC and precision-recall curves, from scikit-learn."""

import numpy as np
from scipy.interpolate import interp1d
from scipy.optimize import brentq
from sklearn import metrics

_COUNT = 60


def _case(scores, positive):
    positive = np.asarray(positive, dtype=bool)
    case = {"scores": scores, "positive": positive, "roc": None, "precision_recall": None}
    if positive.any():
        case["precision_recall"] = {
            "all": metrics.precision_recall_curve(positive, scores),
            "short": metrics.precision_recall_curve(positive, scores, drop_intermediate=True),
            "average": metrics.average_precision_score(positive, scores),
        }
    if positive.any() and not positive.all():
        curve = metrics.roc_curve(positive, scores, drop_intermediate=False)
        best = np.argmax(curve[1] - curve[0])
        case["roc"] = {
            "all": curve,
            "short": metrics.roc_curve(positive, scores),
            "area": metrics.roc_auc_score(positive, scores),
            "equal_error": _equal_error(*curve),
            "best": [each[best] for each in curve],
        }
    return case


def _equal_error(false_positives, true_positives, _):
    """Solves 1 - x = tpr(x) numerically, the usual way to compute the equal error rate."""
    rate = interp1d(false_positives, true_positives)
    return brentq(lambda x: 1 - x - rate(x), 0, 1, xtol=1e-15, rtol=1e-14)


def _random_scores(rng, examples, shift=1.0, positive_fraction=0.5):
    positive = rng.random(examples) < positive_fraction
    return rng.normal(size=examples) + shift * positive, positive


def ordinary(rng):
    return [_case(*_random_scores(rng, rng.integers(10, 200))) for _ in range(_COUNT)]


def ties(rng):
    cases = []
    for _ in range(_COUNT):
        scores, positive = _random_scores(rng, rng.integers(5, 100))
        cases.append(_case(np.round(scores * 2) / 2, positive))
    return cases


def tiny(rng):
    return [_case(*_random_scores(rng, rng.integers(1, 6))) for _ in range(_COUNT)]


def separated(rng):
    """Perfect and inverted scores."""
    return [_case(*_random_scores(rng, 30, shift)) for shift in (100, -100) for _ in range(_COUNT // 4)]


def rare(rng):
    return [_case(*_random_scores(rng, 300, positive_fraction=0.02)) for _ in range(_COUNT // 2)]


def all_equal(rng):
    return [_case(np.zeros(n), rng.random(n) < 0.5) for n in range(1, _COUNT // 3)]


def single_class(rng):
    return [_case(rng.random(n), np.full(n, label)) for label in (True, False) for n in range(1, 12)]
