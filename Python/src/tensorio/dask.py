"""Scores Dask DataFrames.

>>> import tensorio.dask  # doctest: +SKIP
>>> tensorio.dask.predict(frame, "diabetes.tiobundle").to_parquet("scored")  # doctest: +SKIP
"""

from __future__ import annotations

import os
from typing import Any

from ._bundles import PortableBundle, open_count
from ._imports import require
from ._scoring import RowError, Scoring, scoring

__all__ = [
    "PortableBundle", "RowError", "Scoring", "meta", "open_count", "predict", "predict_partition",
]

_Bundle = PortableBundle | str | os.PathLike[str] | Scoring


def predict(frame: Any, bundle: _Bundle, *, send: bool = True, **options: Any) -> Any:
    """Returns a Dask DataFrame with the kept columns and the results of a DataFrame's rows.

    Args:
        frame: The Dask DataFrame.
        bundle: The bundle.
        send: Whether the files of a bundle that is given by its path travel to the workers; if not,
            all workers must be able to read the path.
        options: The fields of `Scoring`.

    Raises:
        InputError: A column is missing.
    """
    dask = require("dask")
    if send and isinstance(bundle, (str, os.PathLike)):
        bundle = PortableBundle.pack(bundle)
    settings = scoring(bundle, **options)
    types = meta(settings, frame)
    # As one task of the graph, the bundle is sent to a worker once, not with each partition.
    return frame.map_partitions(predict_partition, dask.delayed(settings), meta=types)


def predict_partition(frame: Any, bundle: _Bundle, **options: Any) -> Any:
    """Returns a pandas DataFrame with the results of a partition, for ``map_partitions``.

    Its columns have Arrow types. A worker process opens the model once.

    Args:
        frame: A pandas DataFrame.
        bundle: The bundle.
        options: The fields of `Scoring`.
    """
    pandas = require("pandas")
    result = scoring(bundle, **options).open().score(frame).to_pandas(types_mapper=pandas.ArrowDtype)
    result.index = frame.index
    return result


def meta(bundle: _Bundle, frame: Any, **options: Any) -> Any:
    """Returns an empty pandas DataFrame with the columns and types of the results.

    Args:
        bundle: The bundle.
        frame: A Dask or pandas DataFrame with the columns to score.
        options: The fields of `Scoring`.

    Raises:
        InputError: A column is missing.
    """
    empty = getattr(frame, "_meta", frame).iloc[:0]
    settings = scoring(bundle, **options)
    scorer = settings.open()
    scorer.sources([str(name) for name in empty.columns])
    return predict_partition(empty, settings)
