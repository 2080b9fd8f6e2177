"""Tables: columns in, rows out."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ._errors import InputError
from ._values import _array

if TYPE_CHECKING:
    from ._model import Model


class _Table(Mapping[str, Any]):
    """The columns of a pandas, polars or pyarrow table, read when they are needed.

    Numbers are arrays that share the table's memory where possible, other columns lists.
    """

    def __init__(self, names: Iterable[Any], read: Callable[[Any], Any]) -> None:
        self._names, self._read = {str(name): name for name in names}, read

    def __getitem__(self, name: str) -> Any:
        return _column(name, self._read(self._names[name]))

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
    return values if isinstance(values, Mapping) else None


def _column(name: str, column: Any) -> Any:
    """Returns the values of a table's column: an array of numbers, or a list."""
    nulls = column.null_count if hasattr(column, "null_count") else 0
    nulls = nulls() if callable(nulls) else nulls
    if nulls:
        raise InputError(f"column '{name}' has {nulls} missing values", "invalid-value", "input", name)
    array = column.to_numpy() if hasattr(column, "to_numpy") else None
    if array is not None and array.dtype.kind in "fiub" and array.dtype.isnative:
        return array
    for convert in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, convert):
            return getattr(column, convert)()
    return list(column)


def _numeric_column(name: str, column: Any) -> Any:
    """Returns a column as an array of numbers that the library reads, or unchanged."""
    import numpy

    if isinstance(column, (list, tuple)):
        column = numpy.asarray(column)
    if not isinstance(column, numpy.ndarray) or column.ndim != 1:
        return column
    return _array(column, name) if column.dtype.kind in "fiub" else column.tolist()


def predictions(model: Model, table: Any) -> Any:
    """Returns a table of the same kind with one row per item and the columns of `Result.to_row`."""
    columns = _columns(table)
    if columns is None:
        raise InputError(
            f"expected a table or a mapping of columns, got {type(table).__name__}", "wrong-type",
            "input")
    numeric = model._numeric_columns(columns)
    if numeric:
        array = model._run_columns(numeric)
        rows: dict[str, Any] = {model.outputs[0].name: array[:, 0] if array.shape[1:] == (1,) else list(array)}
    else:
        results = model.batch(columns, errors="return")
        rows = _transposed([_row(result) for result in results])
    if hasattr(table, "column_names") and hasattr(table, "column"):
        return importlib.import_module("pyarrow").table(rows)
    if hasattr(table, "columns") and hasattr(table, "to_dict"):
        if hasattr(table, "index"):
            return importlib.import_module("pandas").DataFrame(rows, index=table.index)
        return type(table)(rows)
    return rows


def _row(result: Any) -> dict[str, Any]:
    return {"error": str(result.error)} if hasattr(result, "error") else result.to_row()


def _transposed(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}
