"""Tables: columns in, rows out."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ._arrays import _array


class _Table(Mapping[str, Any]):
    """The columns of a pandas, polars or pyarrow table, or of a mapping, read when they are needed.

    Numbers are arrays that share the table's memory where possible, other columns lists.
    """

    def __init__(self, names: Iterable[Any], read: Callable[[Any], Any]) -> None:
        self._names, self._read = {str(name): name for name in names}, read

    def __getitem__(self, name: str) -> Any:
        return _column(self._read(self._names[name]))

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _columns(values: Any) -> Mapping[str, Any] | None:
    """Returns the columns of a table or mapping; None for other values."""
    if hasattr(values, "column_names") and hasattr(values, "column"):
        return _Table(values.column_names, values.column)
    if hasattr(values, "columns") and hasattr(values, "to_dict"):
        return _Table(values.columns, lambda name: values[name])
    if not isinstance(values, Mapping):
        return None
    # Columns of pandas, polars and pyarrow in a mapping are read like those of their tables.
    if any(hasattr(column, "to_numpy") for column in values.values()):
        return _Table(values, values.__getitem__)
    return values


def _column(column: Any) -> Any:
    """Returns the values of a table's column: an array of numbers, or a list, in which values may be missing."""
    if not hasattr(column, "to_numpy"):
        return column
    nulls = column.null_count if hasattr(column, "null_count") else 0
    nulls = nulls() if callable(nulls) else nulls
    array = None if nulls or _has_missing(column) else _numbers_of(column)
    if array is not None and array.dtype.kind in "fiub" and array.dtype.isnative:
        return array
    for convert in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, convert):
            return getattr(column, convert)()
    return list(column)


def _has_missing(column: Any) -> bool:
    """Whether a pandas column of a type that numpy does not have, such as Int64, has missing values."""
    import numpy

    dtype = getattr(column, "dtype", None)
    return hasattr(column, "iloc") and not isinstance(dtype, numpy.dtype) and bool(column.isna().any())


def _numbers_of(column: Any) -> Any:
    """Returns a column as an array; None if its type has no array."""
    # pyarrow copies a column with another layout than numpy's only if it may.
    options = {"zero_copy_only": False} if hasattr(column, "to_pylist") else {}
    try:
        return column.to_numpy(**options)
    except Exception:
        # Each library raises errors of its own.
        return None


def _numeric_column(name: str, column: Any) -> Any:
    """Returns a column as an array of numbers that the library reads, or unchanged."""
    import numpy

    if isinstance(column, (list, tuple)):
        column = numpy.asarray(column)
    if not isinstance(column, numpy.ndarray) or column.ndim != 1:
        return column
    return _array(column, name) if column.dtype.kind in "fiub" else column.tolist()


def table_like(table: Any, columns: dict[str, Any]) -> Any:
    """Returns columns as a table of the same kind as another one."""
    if hasattr(table, "column_names") and hasattr(table, "column"):
        return importlib.import_module("pyarrow").table(columns)
    if hasattr(table, "columns") and hasattr(table, "to_dict"):
        if hasattr(table, "index"):
            return importlib.import_module("pandas").DataFrame(columns, index=table.index)
        return type(table)(columns)
    return columns


def transposed(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Returns rows as columns; a row may lack some."""
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}
