"""Reference results for percentiles, from NumPy."""

import numpy as np

_COUNT = 60


def _case(microseconds):
    return {
        "microseconds": microseconds,
        "percentiles": [np.percentile(microseconds, p, method="inverted_cdf") for p in (50, 90, 99)],
    }


def ordinary(rng):
    return [_case(rng.integers(1, 100_000, size=rng.integers(1, 400))) for _ in range(_COUNT)]


def ties(rng):
    return [_case(rng.integers(1, 5, size=n)) for n in range(1, _COUNT)]


def round_counts(rng):
    """Counts for which the rank of a percentile is an integer."""
    return [_case(rng.integers(1, 100_000, size=n)) for n in range(10, 1010, 10)]
