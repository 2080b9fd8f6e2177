"""Scores tables with a bundle: the part that all engines share.

The result of a row depends on the row only, so that batches of any size, retries and speculative
execution give the same bytes.
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from . import _columns
from ._arrays import is_missing, is_missing_text
from ._bundles import PortableBundle, open_once
from ._errors import InputError, ModelError, OutputError
from ._imports import require
from ._model import ItemError, Model
from ._results import Result, finite_score
from ._values import Layer

ERROR, ERROR_CODE = "error", "error_code"

# Rows with encoded images, sounds or texts that are in memory at a time.
_CHUNK = 256
# The columns that readers of the engines give to files.
_FILE_COLUMNS = ("content", "bytes", "image", "audio", "path", "item")
_TEXT_COLUMNS = ("prompt", "text")


class RowError(Exception):
    """A row that failed, with ``errors="raise"``.

    Attributes:
        row: The index of the row in its batch.
        code: The code of the error, such as ``corrupt-image``.
    """

    def __init__(self, message: str, row: int, code: str) -> None:
        super().__init__(message, row, code)
        self.message, self.row, self.code = message, row, code

    def __str__(self) -> str:
        return f"row {self.row}: {self.message}"


@dataclass(frozen=True)
class Scoring:
    """How a table is scored; it pickles.

    Attributes:
        bundle: The bundle.
        columns: The columns with the inputs: a name for a single input, or a mapping by input name.
            By default, columns with the names of the inputs, the features of a single input, or for
            files, ``content``, ``bytes``, ``image``, ``audio`` or ``path``, and for a text ``prompt`` or ``text``.
        keep: The columns that the result repeats; by default, all except encoded files.
        errors: ``column`` adds the columns ``error`` and ``error_code``; ``raise`` raises the first.
        top: How many labels a labeled output has; by default, all.
        min_score: The least score of labels and detections.
        placeholders: The values of placeholders, for all rows.
        threads: The number of threads of a run.
        weight_cache: The folder through which processes share the memory of a model's weights:
            ``True`` for that of the command line, ``False`` for none.
        prefix: What the names of result columns begin with.
    """

    bundle: PortableBundle
    columns: str | Mapping[str, str] | None = None
    keep: Sequence[str] | None = None
    errors: Literal["column", "raise"] = "column"
    top: int | None = None
    min_score: float | None = None
    placeholders: Mapping[str, Any] = field(default_factory=dict)
    threads: int = 1
    prefix: str = ""
    weight_cache: bool | str = True

    def __post_init__(self) -> None:
        if self.errors not in ("column", "raise"):
            raise ValueError(f"errors must be 'column' or 'raise', not {self.errors!r}")
        for name, value in checked_counts(threads=self.threads, top=self.top).items():
            object.__setattr__(self, name, value)
        if self.min_score is not None:
            object.__setattr__(self, "min_score", finite_score(self.min_score))

    def open(self) -> Scorer:
        """Opens the model, unless this process has it open."""
        return Scorer(self, open_once(self.bundle, threads=self.threads, weight_cache=self.weight_cache))


def checked_counts(**counts: Any) -> dict[str, int | None]:
    """Returns arguments as integers, or None for those that are not given.

    Raises:
        ValueError: An argument is not an integer, or less than 1.
    """
    found: dict[str, int | None] = {}
    for name, value in counts.items():
        try:
            found[name] = None if value is None else operator.index(value)
        except TypeError:
            raise ValueError(f"{name} must be an integer, not {value!r}") from None
        if value is not None and value < 1:
            raise ValueError(f"{name} must be at least 1")
    return found


def scoring(bundle: PortableBundle | str | os.PathLike[str] | Scoring, **options: Any) -> Scoring:
    """Returns the settings for a bundle or a path that the processes share."""
    if isinstance(bundle, Scoring):
        return replace(bundle, **options) if options else bundle
    return Scoring(PortableBundle.of(bundle), **options)


class Scorer:
    """A model that scores tables."""

    def __init__(self, settings: Scoring, model: Model) -> None:
        self.settings, self.model = settings, model
        # A recording is a sequence of windows, which begins anew with each row.
        has_sound = any(layer.type == "audio" for layer in model.inputs)
        if model._fields.get("has_state") and not has_sound:
            raise InputError(
                f"{settings.bundle.name}: the model keeps state from run to run, so that its results "
                f"depend on the order of the rows; use Model.stream", "unsupported", "input")
        self._columns = _columns.columns(model)
        placeholders = {layer.name for layer in model.placeholders}
        for name in settings.placeholders:
            if name not in placeholders:
                raise InputError(f"no placeholder named '{name}'", "unknown-placeholder", "input")
        names = [layer.name for layer in model.inputs]
        if isinstance(settings.columns, str) and len(names) != 1:
            raise InputError(
                f"the model has {len(names)} inputs; map them to columns", "input-count", "input")
        for name in settings.columns if isinstance(settings.columns, Mapping) else []:
            if name not in names:
                raise InputError(f"no input named '{name}'", "input-names", "input")
        self._is_numeric = not settings.placeholders and all(
            column.array is not None for column in self._columns) and all(
            layer.type in ("array", "scalar") for layer in model.inputs)

    @property
    def batch_size(self) -> int:
        """A number of rows that costs little to set up, and fits in memory."""
        return 64 if any(layer.type in ("image", "audio") for layer in self.model.inputs) else 8192

    # Schema

    def fields(self) -> list[Any]:
        """Returns the Arrow fields of the results, which depend on the bundle only."""
        pa = require("pyarrow")
        fields = [pa.field(self._name(column.name), column.type) for column in self._columns]
        if self.settings.errors == "column":
            fields += [
                pa.field(self._name(ERROR), pa.string()),
                pa.field(self._name(ERROR_CODE), pa.string())]
        return fields

    def schema(self, table: Any) -> Any:
        """Returns the schema of the result for a table with a schema.

        Raises:
            InputError: Columns are missing, or a kept column has the name of a result.
        """
        pa = require("pyarrow")
        self.sources(table.names)
        kept = [table.field(name) for name in self.kept(table.names, table.field)]
        return pa.schema([*kept, *self.fields()])

    def kept(self, names: Sequence[str], field: Callable[[str], Any] | None = None) -> list[str]:
        """Returns the columns that the result repeats."""
        if self.settings.keep is not None:
            kept = list(self.settings.keep)
            if missing := [name for name in kept if name not in names]:
                raise InputError(
                    f"missing columns {missing}; the table has {list(names)}", "input-names", "input")
        else:
            files = self._file_columns(names)
            kept = [
                name for name in names
                if not (field is not None and _holds_files(field(name), name in files))]
        results = {item.name for item in self.fields()}
        if clash := [name for name in kept if name in results]:
            raise InputError(
                f"the columns {clash} have the names of results; set keep or prefix",
                "input-names", "input")
        return kept

    def _file_columns(self, names: Sequence[str]) -> set[str]:
        """Returns the columns that images and sounds are read from."""
        try:
            sources = self.sources(names)
        except InputError:
            return set()
        return {
            name for layer in self.model.inputs if layer.type in ("image", "audio")
            for name in _list(sources[layer.name])}

    def sources(self, names: Sequence[str]) -> dict[str, str | list[str]]:
        """Returns the column, or the columns of the features, of each input.

        Raises:
            InputError: Columns are missing.
        """
        inputs, given = self.model.inputs, self.settings.columns
        if isinstance(given, str):
            given = {inputs[0].name: given}
        sources: dict[str, str | list[str]] = {}
        for layer in inputs:
            if given is not None and layer.name in given:
                sources[layer.name] = given[layer.name]
            elif layer.name in names:
                sources[layer.name] = layer.name
            elif len(inputs) == 1 and layer.features:
                sources[layer.name] = [str(name) for name in layer.features]
            elif len(inputs) == 1 and layer.type in ("image", "audio", "text"):
                usual = _TEXT_COLUMNS if layer.type == "text" else _FILE_COLUMNS
                sources[layer.name] = next((name for name in usual if name in names), layer.name)
            else:
                sources[layer.name] = layer.name
        wanted = [
            name for source in sources.values()
            for name in ([source] if isinstance(source, str) else source)]
        if missing := [name for name in wanted if name not in names]:
            raise InputError(
                f"missing columns {missing}; the table has {list(names)}", "input-names", "input")
        return sources

    # Scoring

    def score(self, table: Any) -> Any:
        """Returns a pyarrow table with the kept columns and the results of a batch.

        Args:
            table: A pyarrow record batch or table, a pandas DataFrame, or arrays by column name.

        Raises:
            InputError: A column is missing, or the values of a column do not fit any row; with
                ``errors="column"``, this is the error of the rows.
            RowError: A row failed, with ``errors="raise"``.
        """
        pa = require("pyarrow")
        data, count = _named(table)
        names = list(data)
        kept = self.kept(names, lambda name: getattr(data[name], "type", data[name]))
        arrays = [_arrow(data[name]) for name in kept]
        try:
            results, failed = self._results(self.sources(names), data, count)
        except InputError as error:
            if self.settings.errors == "raise":
                raise
            results = [None] * len(self._columns)
            failed = dict.fromkeys(range(count), error)
        if failed and self.settings.errors == "raise":
            row = min(failed)
            raise RowError(_text(failed[row]), row, _code(failed[row])) from failed[row]
        for column, values in zip(self._columns, results):
            arrays.append(pa.nulls(count, column.type) if values is None else values)
        if self.settings.errors == "column":
            for describe in (_text, _code):
                arrays.append(_sparse({row: describe(error) for row, error in failed.items()}, count))
        fields = [pa.field(name, array.type) for name, array in zip(kept, arrays)] + self.fields()
        return pa.Table.from_arrays(arrays, schema=pa.schema(fields))

    def score_rows(self, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Returns the results of rows that may have different columns, as those of requests.

        A row that fails has ``error`` and ``error_code`` only.
        """
        values: list[Any] = []
        for row in rows:
            try:
                data = {name: [value] for name, value in row.items()}
                values += self._values(self.sources(list(data)), data, 0, 1)
            except InputError as error:
                values.append(error)
        names = [self._name(column.name) for column in self._columns]
        return [
            {ERROR: _text(outcome), ERROR_CODE: _code(outcome)} if isinstance(outcome, Exception)
            else dict(zip(names, outcome)) for outcome in self._run(values)]

    def _name(self, name: str) -> str:
        return self.settings.prefix + name

    def _results(
        self, sources: dict[str, str | list[str]], data: dict[str, Any], count: int,
    ) -> tuple[list[Any], dict[int, Exception]]:
        """Returns an Arrow array per column of results, and the errors of rows that failed."""
        if self._is_numeric and len(self.model.inputs) == 1 and count:
            (source,) = sources.values()
            found = self._numeric_results(source, data, count)
            if found is not None:
                return found
        failed: dict[int, Exception] = {}
        parts: list[list[Any]] = [[] for _ in self._columns]
        for start in range(0, count, _CHUNK):
            stop = min(start + _CHUNK, count)
            values = list(self._values(sources, data, start, stop))
            for offset, row in enumerate(self._run(values)):
                if isinstance(row, Exception):
                    failed[start + offset] = row
                for position, part in enumerate(parts):
                    part.append(None if isinstance(row, Exception) else row[position])
        pa = require("pyarrow")
        return [
            pa.array(part, type=column.type) for part, column in zip(parts, self._columns)], failed

    def _run(self, values: Sequence[Any]) -> Iterator[list[Any] | Exception]:
        """Yields the values of the columns, or the error, for each item."""
        rows = [index for index, value in enumerate(values) if not isinstance(value, Exception)]
        outcomes: dict[int, Any] = dict(enumerate(values))
        outcomes.update(zip(rows, self._batch([values[index] for index in rows])))
        for index in range(len(values)):
            outcome = outcomes[index]
            if isinstance(outcome, Exception):
                yield outcome
                continue
            try:
                selection = _columns.Selection(outcome, self.settings.top, self.settings.min_score)
                yield [_fitting(column, column.read(outcome, selection)) for column in self._columns]
            except (ModelError, ValueError, KeyError) as error:
                yield error

    def _batch(self, values: list[Any]) -> list[Result | Exception]:
        if not values:
            return []
        found = self.model.batch(values, errors="return")
        return [item.error if isinstance(item, ItemError) else item  # type: ignore[misc]
                for item in found]

    def _values(
        self, sources: dict[str, str | list[str]], data: dict[str, Any], start: int, stop: int,
    ) -> Iterator[Any]:
        """Yields the value of each row, or the error of a value that cannot be read."""
        layers = self.model.inputs
        columns = [
            _Values(layer, [data[name] for name in _list(sources[layer.name])],
                    _list(sources[layer.name]), start, stop) for layer in layers]
        for row in range(stop - start):
            try:
                found = [column.value(row) for column in columns]
            except (InputError, OSError, ValueError) as error:
                yield error
                continue
            if len(layers) == 1 and not self.settings.placeholders:
                yield found[0]
            else:
                named = {layer.name: value for layer, value in zip(layers, found)}
                yield {**named, **self.settings.placeholders}

    # Numbers

    def _numeric_results(
        self, source: str | list[str], data: dict[str, Any], count: int,
    ) -> tuple[list[Any], dict[int, Exception]] | None:
        """Scores rows of numbers without an object per row; None if the columns need another path."""
        numpy = require("numpy")
        layer = self.model.inputs[0]
        if layer.dtype not in (None, "float32"):
            return None
        rows = _rows(source, data, count)
        if rows is None:
            return None
        values, is_valid = rows
        good = values if is_valid is None else values[is_valid]
        try:
            outputs = self.model.batch(good) if len(good) else {}
        except (ModelError, ValueError):
            return None
        if not all(isinstance(output, numpy.ndarray) for output in outputs.values()):
            return None
        pa = require("pyarrow")
        failed: dict[int, Exception] = {}
        if is_valid is not None:
            bad = numpy.flatnonzero(~is_valid)
            items = {layer.name: source}
            for row in bad.tolist():
                (outcome,) = self._run(list(self._values(items, data, row, row + 1)))
                if not isinstance(outcome, Exception):
                    return None
                failed[row] = outcome
        results = []
        for column in self._columns:
            name = column.array.name if column.array else None
            try:
                array = _array(outputs.get(str(name)), column.type, len(good), name)
            except OutputError:
                # The other path finds the rows whose values do not fit.
                return None
            if is_valid is not None:
                places = numpy.cumsum(is_valid) - 1
                array = array.take(pa.array(places, mask=~is_valid))
            results.append(array)
        return results, failed


class _Values:
    """The values of an input, row by row."""

    def __init__(
        self, layer: Layer, columns: Sequence[Any], names: Sequence[str], start: int, stop: int,
    ) -> None:
        self._layer, self._names = layer, names
        self._columns = [_items(column, start, stop, layer.type) for column in columns]

    def value(self, row: int) -> Any:
        values = [column[row] for column in self._columns]
        for name, value in zip(self._names, values):
            if is_missing_text(value) if self._layer._takes_text else is_missing(value):
                raise InputError(f"the column '{name}' has no value", "missing-value", "input",
                                 self._layer.name)
        value = values if self._layer.features and len(values) > 1 else values[0]
        if self._layer.type in ("image", "audio"):
            return _file(value, self._layer.name)
        return value


def _list(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _file(value: Any, layer: str) -> Any:
    """Returns the bytes of a file that is given by its path, or by Hugging Face's ``{bytes, path}``."""
    if isinstance(value, Mapping) and {"bytes", "path"} & value.keys():
        value = value.get("bytes") or value.get("path")
    if isinstance(value, str):
        path = value.removeprefix("file://").removeprefix("file:")
        try:
            with open(path, "rb") as file:
                return file.read()
        except FileNotFoundError:
            raise InputError(f"{value}: no such file", "missing-file", "input", layer) from None
        except OSError as error:
            raise InputError(
                f"{value}: {error.strerror or error}", "unreadable-file", "input", layer) from None
    if is_missing(value):
        raise InputError("neither bytes nor a path", "missing-value", "input", layer)
    return value


def _items(column: Any, start: int, stop: int, kind: str) -> Sequence[Any]:
    """Returns a part of a column as Python values; binary values without a copy."""
    pa = require("pyarrow")
    if isinstance(column, (pa.Array, pa.ChunkedArray)):
        part = column.slice(start, stop - start)
        if isinstance(part.type, pa.BaseExtensionType) and hasattr(part, "to_numpy_ndarray"):
            return part.to_numpy_ndarray()  # type: ignore[no-any-return]
        return part.to_pylist()  # type: ignore[no-any-return]
    if hasattr(column, "iloc"):
        column = column.iloc[start:stop]
        return column.tolist()  # type: ignore[no-any-return]
    part = column[start:stop]
    if getattr(getattr(part, "dtype", None), "kind", "") in ("M", "m"):
        # tolist returns dates in nanoseconds as integers.
        return list(part)
    if hasattr(part, "tolist") and getattr(part, "ndim", 1) == 1:
        return part.tolist()  # type: ignore[no-any-return]
    return part  # type: ignore[no-any-return]


def _rows(source: str | list[str], data: dict[str, Any], count: int) -> Any:
    """Returns rows of float32 and which of them are valid; None if a column does not hold numbers."""
    numpy = require("numpy")
    is_valid = numpy.ones(count, dtype=bool)
    if isinstance(source, str):
        values = _matrix(data[source], is_valid)
        if values is None:
            return None
        return (values, None) if is_valid.all() else (values, is_valid)
    values = numpy.empty((count, len(source)), dtype=numpy.float32)
    for index, name in enumerate(source):
        numbers = _numbers(data[name], is_valid)
        if numbers is None:
            return None
        values[:, index] = _narrowed(numbers, is_valid)
    return (values, None) if is_valid.all() else (values, is_valid)


def _numbers(column: Any, is_valid: Any) -> Any:
    """Returns a column as an array of numbers; marks rows without a value as invalid."""
    numpy, pa = require("numpy"), require("pyarrow")
    if hasattr(column, "iloc"):
        if isinstance(column.dtype, numpy.dtype) and column.dtype.kind in "fiub":
            column = column.to_numpy()
        else:
            try:
                column = pa.array(column, from_pandas=False)
            except (pa.ArrowException, TypeError):
                return None
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if isinstance(column, pa.Array):
        type = column.type
        if not (pa.types.is_integer(type) or pa.types.is_floating(type) or pa.types.is_boolean(type)):
            return None
        if column.null_count:
            is_valid &= column.is_valid().to_numpy(zero_copy_only=False)
            column = column.fill_null(False if pa.types.is_boolean(type) else 0)
        column = column.to_numpy(zero_copy_only=False)
    if not isinstance(column, numpy.ndarray) or column.ndim != 1 or column.dtype.kind not in "fiub":
        return None
    return column


def _narrowed(numbers: Any, is_valid: Any) -> Any:
    """Returns float32; marks finite numbers that are out of its range as invalid."""
    numpy = require("numpy")
    if numbers.dtype != numpy.float64:
        return numbers.astype(numpy.float32, copy=False)
    with numpy.errstate(over="ignore"):
        narrow = numbers.astype(numpy.float32)
    wrong = numpy.isinf(narrow) & numpy.isfinite(numbers)
    if wrong.any():
        is_valid &= ~wrong.reshape(len(wrong), -1).any(axis=1)
    return narrow


def _matrix(column: Any, is_valid: Any) -> Any:
    """Returns a column of lists of one length as an array of float32."""
    numpy, pa = require("numpy"), require("pyarrow")
    if isinstance(column, numpy.ndarray):
        if column.ndim < 2 or column.dtype.kind not in "fiu":
            return None
        return _narrowed(column, is_valid)
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if not isinstance(column, pa.Array) or column.null_count:
        return None
    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)
            or pa.types.is_fixed_size_list(column.type)):
        return None
    numbers = column.flatten()
    width, rest = divmod(len(numbers), len(column))
    lengths = column.value_lengths().to_numpy(zero_copy_only=False)
    if rest or not width or (lengths != width).any() or numbers.null_count:
        return None
    if not (pa.types.is_floating(numbers.type) or pa.types.is_integer(numbers.type)):
        return None
    values = numbers.to_numpy(zero_copy_only=False).reshape(len(column), width)
    return _narrowed(values, is_valid)


def _fitting(column: _columns.Column, value: Any) -> Any:
    """Returns a value of a row.

    Raises:
        OutputError: The type of the column cannot represent it.
    """
    pa = require("pyarrow")
    type = getattr(column.type, "value_type", column.type)
    if column.array is not None and not pa.types.is_floating(type):
        _array(value, column.type, 1, column.array.name)
    return value


def _array(values: Any, type: Any, count: int, name: str | None) -> Any:
    """Returns an output of many rows as an Arrow array.

    Raises:
        OutputError: The type cannot represent the values.
    """
    numpy, pa = require("numpy"), require("pyarrow")
    if values is None:
        return pa.nulls(count, type)
    values = numpy.asarray(values)
    is_list = pa.types.is_list(type)
    flat = values.reshape(count, -1) if is_list else values.reshape(count)
    items = _converted(flat.reshape(-1), type.value_type if is_list else type, name)
    if not is_list:
        return items
    offsets = numpy.arange(count + 1, dtype=numpy.int32) * flat.shape[1]
    return pa.ListArray.from_arrays(pa.array(offsets), items)


def _converted(values: Any, type: Any, name: str | None) -> Any:
    """Returns numbers as an Arrow array that represents all of them."""
    numpy, pa = require("numpy"), require("pyarrow")
    if values.dtype == numpy.float16:
        values = values.astype(numpy.float32)
    try:
        if pa.types.is_boolean(type) and ((values != 0) & (values != 1)).any():
            raise pa.ArrowInvalid("expected 0 or 1")
        return pa.array(values, type=type)
    except pa.ArrowException as error:
        raise OutputError(
            f"the model's {values.dtype} does not fit the column's {type}: {error}", "wrong-type",
            "output", name) from None


def _named(table: Any) -> tuple[dict[str, Any], int]:
    """Returns the columns of a table by name, and the number of rows."""
    if hasattr(table, "schema") and hasattr(table, "column"):
        return {name: table.column(name) for name in table.schema.names}, table.num_rows
    if hasattr(table, "columns") and hasattr(table, "iloc"):
        return {str(name): table[name] for name in table.columns}, len(table)
    if not isinstance(table, Mapping):
        raise TypeError(f"expected a table or columns by name, got {type(table).__name__}")
    lengths = {name: len(column) for name, column in table.items()}
    if len(set(lengths.values())) > 1:
        raise InputError(f"columns of different lengths: {lengths}", "wrong-count", "input")
    return dict(table), next(iter(lengths.values()), 0)


def _arrow(column: Any) -> Any:
    """Returns a column to repeat as an Arrow array."""
    numpy, pa = require("numpy"), require("pyarrow")
    if isinstance(column, pa.ChunkedArray):
        return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if isinstance(column, pa.Array):
        return column
    if isinstance(column, numpy.ndarray) and column.ndim > 1:
        return pa.FixedShapeTensorArray.from_numpy_ndarray(numpy.ascontiguousarray(column))
    array = pa.array(column, from_pandas=True) if hasattr(column, "iloc") else pa.array(column)
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _holds_files(type: Any, is_source: bool) -> bool:
    """Whether a column holds encoded files or pixels, which a result does not repeat by default.

    A column of Python objects of pandas has no type: it does if files are read from it.
    """
    pa = require("pyarrow")
    if hasattr(type, "iloc"):
        type = getattr(type.dtype, "pyarrow_dtype", type.dtype)
        if not isinstance(type, pa.DataType):
            return is_source and type == object
    if isinstance(type, pa.Field):
        type = type.type
    if not isinstance(type, pa.DataType):
        if getattr(type, "ndim", 1) > 2:
            return True
        if getattr(type, "dtype", object) != object or not len(type):
            return False
        first = type[0]
        return isinstance(first, (bytes, bytearray, memoryview)) or hasattr(first, "dtype")
    if isinstance(type, pa.BaseExtensionType):
        return hasattr(type, "shape")
    if pa.types.is_struct(type):
        return any(field.name == "bytes" for field in type)
    return bool(
        pa.types.is_binary(type) or pa.types.is_large_binary(type)
        or pa.types.is_fixed_size_binary(type) or pa.types.is_binary_view(type))


def _sparse(values: dict[int, str], count: int) -> Any:
    pa = require("pyarrow")
    if not values:
        return pa.nulls(count, pa.string())
    return pa.array([values.get(row) for row in range(count)], type=pa.string())


def json_value(value: Any) -> Any:
    """Returns a value as JSON represents it: null for NaN and infinities, Base64 for bytes, text for dates."""
    import base64

    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, Mapping):
        return {str(name): json_value(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_value(item) for item in value]
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode()
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _text(error: Exception) -> str:
    """Returns an error as text, without the item: its index depends on the batch."""
    if isinstance(error, ModelError):
        return f"'{error.layer}': {error.message}" if error.layer else error.message
    return str(error) or type(error).__name__


def _code(error: Exception) -> str:
    return error.code if isinstance(error, ModelError) else "invalid-value"
