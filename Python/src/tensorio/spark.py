"""Scores Spark DataFrames.

>>> import tensorio.spark  # doctest: +SKIP
>>> bundle = tensorio.spark.add(spark, "diabetes.tiobundle")  # doctest: +SKIP
>>> tensorio.spark.predict(frame, bundle, keep=["id"]).write.parquet("scored")  # doctest: +SKIP
"""

from __future__ import annotations

import inspect
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ._bundles import PortableBundle, open_count
from ._errors import BundleError, InputError
from ._imports import require
from ._scoring import RowError, Scorer, Scoring, scoring

__all__ = [
    "AddedBundle", "PortableBundle", "RowError", "Scoring", "add", "open_count", "predict",
    "predict_udf", "predictor", "schema",
]

_Bundle = PortableBundle | str | os.PathLike[str] | Scoring


@dataclass(frozen=True)
class AddedBundle(PortableBundle):
    """A bundle that Spark sends to its executors, once each."""

    file: str = ""

    def local_path(self) -> str:
        """Returns the path of the unpacked bundle, whose files have the digest."""
        try:
            with open(require("pyspark").SparkFiles.get(self.file), "rb") as file:
                content = file.read()
        except OSError as error:
            raise BundleError(
                f"{self.file}: Spark has not sent the bundle here ({error.strerror}); add it to this session",
                "missing-bundle", "bundle", file=self.file) from None
        return self._unpacked(content)


def add(spark: Any, path: str | os.PathLike[str]) -> AddedBundle:
    """Sends a bundle to the executors of a session, by ``addFile`` or Spark Connect's ``addArtifacts``.

    Args:
        spark: The session.
        path: A bundle, as a folder or zip.

    Raises:
        BundleError: There is no bundle at the path.
    """
    bundle = PortableBundle.pack(path)
    name = f"{bundle.digest[:16]}-{bundle.name}.zip"
    # Spark copies the file when a task needs it, so that it must exist as long as the session.
    folder = tempfile.mkdtemp(prefix="tensorio-spark-")
    file = os.path.join(folder, name)
    with open(file, "wb") as stream:
        stream.write(bundle.content or b"")
    if _is_connect(spark):
        spark.addArtifacts(file, file=True)
    elif name not in map(os.path.basename, spark.sparkContext.listFiles):
        # The same files may have been added before; Spark rejects another file of this name.
        spark.sparkContext.addFile(file)
    added = AddedBundle(bundle.name, bundle.digest, bundle.version, file=name)
    # The driver opens the model for the schema, and has no copy of the file under Connect.
    PortableBundle(bundle.name, bundle.digest, bundle.version, content=bundle.content).local_path()
    return added


def _is_connect(spark: Any) -> bool:
    return type(spark).__module__.startswith("pyspark.sql.connect")


class _Predictor:
    """The function of ``mapInArrow``; a task pickles it."""

    def __init__(self, settings: Scoring) -> None:
        self._settings = settings

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        scorer = self._settings.open()
        for batch in batches:
            yield from scorer.score(batch).to_batches()


def predictor(bundle: _Bundle, **options: Any) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Returns a function for ``DataFrame.mapInArrow``, which opens the model once per Python worker.

    Args:
        bundle: The bundle: one that `add` has sent, or a path that all executors can read.
        options: The fields of `Scoring`.
    """
    return _Predictor(scoring(bundle, **options))


def schema(bundle: _Bundle, frame: Any, **options: Any) -> Any:
    """Returns the schema of the results, for ``mapInArrow``.

    Args:
        bundle: The bundle.
        frame: The DataFrame to score, or its schema.
        options: The fields of `Scoring`.

    Raises:
        InputError: A column is missing.
    """
    types = require("pyspark.sql.pandas.types", "pyspark")
    given = frame.schema if hasattr(frame, "schema") else frame
    result = _scorer(scoring(bundle, **options)).schema(types.to_arrow_schema(given))
    return types.from_arrow_schema(result)


def predict(frame: Any, bundle: _Bundle, *, barrier: bool = False, **options: Any) -> Any:
    """Returns a DataFrame with the kept columns and the results of a DataFrame's rows.

    Args:
        frame: The DataFrame.
        bundle: The bundle: one that `add` has sent, or a path that all executors can read.
        barrier: Whether all tasks start together; see ``mapInArrow``.
        options: The fields of `Scoring`.

    Raises:
        InputError: A column is missing.
    """
    settings = scoring(bundle, **options)
    return frame.mapInArrow(_Predictor(settings), schema(settings, frame), barrier=barrier)


def predict_udf(
    bundle: _Bundle, *, batch_size: int | None = None, columns: Sequence[str] | None = None, **options: Any,
) -> Any:
    """Returns a function of columns, by ``pyspark.ml.functions.predict_batch_udf``.

    It takes the inputs, or the features of a single input, as columns in their order and returns a struct
    with the results, which must be numbers or lists of numbers; lists of a row that failed have NaN.
    `predict` costs less, and has no such limit.

    >>> frame.withColumn("result", tensorio.spark.predict_udf("d.tiobundle")(*features))  # doctest: +SKIP

    Args:
        bundle: The bundle.
        batch_size: The number of rows of a batch.
        columns: The names of the columns that the function is called with; by default, those of
            the inputs or features.
        options: The fields of `Scoring`.

    Raises:
        InputError: A result has another type.
    """
    functions = require("pyspark.ml.functions", "pyspark")
    types = require("pyspark.sql.pandas.types", "pyspark")
    pa = require("pyarrow")
    settings = scoring(bundle, **{"keep": [], **options})
    scorer = _scorer(settings)
    for item in scorer.fields():
        if pa.types.is_nested(item.type) and pa.types.is_nested(getattr(item.type, "value_type", item.type)):
            raise InputError(
                f"predict_batch_udf has no type for '{item.name}' ({item.type}); use predict",
                "unsupported", "input")
    layers = scorer.model.inputs
    names = list(columns or (
        layers[0].features if len(layers) == 1 and layers[0].features
        else [layer.name for layer in layers]))
    return functions.predict_batch_udf(
        _Maker(settings, names), return_type=types.from_arrow_schema(pa.schema(scorer.fields())),
        batch_size=batch_size or scorer.batch_size)


class _Maker:
    """Makes the function of ``predict_batch_udf`` in a worker."""

    def __init__(self, settings: Scoring, names: Sequence[str]) -> None:
        self._settings, self._names = settings, names

    def __call__(self) -> Callable[..., dict[str, Any]]:
        scorer, names = self._settings.open(), self._names

        def predict(*columns: Any) -> dict[str, Any]:
            table = scorer.score(dict(zip(names, columns)))
            return {name: _array(table.column(name)) for name in table.column_names}

        # Spark compares the number of columns with that of the parameters.
        kind = inspect.Parameter.POSITIONAL_ONLY
        predict.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter(f"column_{index}", kind) for index in range(len(names))])
        return predict


def _array(column: Any) -> Any:
    """Returns a column of results in a form that ``predict_batch_udf`` accepts."""
    numpy, pa = require("numpy"), require("pyarrow")
    if not pa.types.is_list(column.type):
        return column.to_numpy()
    rows = column.to_pylist()
    width = max((len(row) for row in rows if row is not None), default=0)
    # The function has no missing lists: a row that failed has NaN.
    return numpy.array([[numpy.nan] * width if row is None else row for row in rows]).reshape(len(rows), width)


def _scorer(settings: Scoring) -> Scorer:
    """Opens the model in the driver, which needs the types of its results."""
    bundle = settings.bundle
    if isinstance(bundle, AddedBundle):
        from dataclasses import replace

        from ._bundles import unpacked

        path = unpacked(bundle)
        if path is not None:
            local = PortableBundle(bundle.name, bundle.digest, bundle.version, path=path)
            return replace(settings, bundle=local).open()
    return settings.open()
