"""Numbers beside scikit-learn."""

import numpy as np
from sklearn import metrics

_COUNT = 60


def _case(found, truth):
    return {
        "found": found,
        "truth": truth,
        "mae": metrics.mean_absolute_error(truth, found),
        "rmse": metrics.root_mean_squared_error(truth, found),
        "mse": metrics.mean_squared_error(truth, found),
        "r2": metrics.r2_score(truth, found),
        "max_error": metrics.max_error(truth, found),
        "bias": np.mean(np.asarray(found) - truth),
    }


def _drawn(rng, offset=0.0, scale=1.0, spread=1.0):
    truth = offset + scale * rng.normal(size=rng.integers(2, 500))
    return truth + spread * rng.normal(size=truth.shape), truth


def ordinary(rng):
    return [_case(*_drawn(rng)) for _ in range(_COUNT)]


def far_from_zero(rng):
    """A variance that sums of squares would lose."""
    return [_case(*_drawn(rng, offset=1e8)) for _ in range(_COUNT)]


def huge_and_small(rng):
    return [_case(*_drawn(rng, scale=scale, spread=scale)) for scale in (1e-12, 1e-3, 1e6, 1e12)
            for _ in range(_COUNT // 4)]


def nearly_right(rng):
    return [_case(*_drawn(rng, spread=1e-6)) for _ in range(_COUNT)]


def never_varying(rng):
    return [_case(3 + rng.normal(size=n), np.full(n, 3.0)) for n in range(2, _COUNT)]


def all_right(rng):
    cases = [_case(np.full(n, 3.0), np.full(n, 3.0)) for n in range(2, 9)]
    return cases + [_case(truth, truth) for truth in (rng.normal(size=n) for n in range(2, 9))]


def one(rng):
    return [_case(rng.normal(size=1), rng.normal(size=1)) for _ in range(9)]
