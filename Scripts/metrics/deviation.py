"""Reference results for regression metrics, from scikit-learn."""

import numpy as np
from sklearn import metrics

_COUNT = 60


def _case(predicted, ground_truth):
    return {
        "predicted": predicted,
        "ground_truth": ground_truth,
        "mae": metrics.mean_absolute_error(ground_truth, predicted),
        "rmse": metrics.root_mean_squared_error(ground_truth, predicted),
        "mse": metrics.mean_squared_error(ground_truth, predicted),
        "r2": metrics.r2_score(ground_truth, predicted),
        "max_error": metrics.max_error(ground_truth, predicted),
        "bias": np.mean(np.asarray(predicted) - ground_truth),
    }


def _random_numbers(rng, offset=0.0, scale=1.0, spread=1.0):
    ground_truth = offset + scale * rng.normal(size=rng.integers(2, 500))
    return ground_truth + spread * rng.normal(size=ground_truth.shape), ground_truth


def ordinary(rng):
    return [_case(*_random_numbers(rng)) for _ in range(_COUNT)]


def far_from_zero(rng):
    """A variance that a sum of squares would lose to cancellation."""
    return [_case(*_random_numbers(rng, offset=1e8)) for _ in range(_COUNT)]


def huge_and_small(rng):
    return [_case(*_random_numbers(rng, scale=scale, spread=scale)) for scale in (1e-12, 1e-3, 1e6, 1e12)
            for _ in range(_COUNT // 4)]


def nearly_correct(rng):
    return [_case(*_random_numbers(rng, spread=1e-6)) for _ in range(_COUNT)]


def constant_ground_truth(rng):
    return [_case(3 + rng.normal(size=n), np.full(n, 3.0)) for n in range(2, _COUNT)]


def all_correct(rng):
    cases = [_case(np.full(n, 3.0), np.full(n, 3.0)) for n in range(2, 9)]
    return cases + [_case(numbers, numbers) for numbers in (rng.normal(size=n) for n in range(2, 9))]


def one(rng):
    return [_case(rng.normal(size=1), rng.normal(size=1)) for _ in range(9)]
