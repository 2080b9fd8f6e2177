"""The columns of results: their Arrow types, which depend on the bundle only, and their values."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

from ._imports import require
from ._model import Model
from ._records import EDGES, has_images, values
from ._results import Result, classes
from ._values import Layer


# The types of entries whose members depend on the model: the name of an Arrow type, members, or a list of one of them. Other members
# are the JSON `attributes`. The types of other results are those that the model declares.
_LABEL = {"label": "string", "score": "float32", "index": "int32"}
_KEYPOINTS = [{"name": "string", "x": "float32", "y": "float32", "score": "float32"}]
_ENTRIES: dict[str, dict[str, Any]] = {
    "detections": {
        **_LABEL, "box": dict.fromkeys(EDGES, "float32"), "keypoints": _KEYPOINTS, "attributes": "string"},
    "poses": {"score": "float32", "keypoints": _KEYPOINTS},
}
# The role of an output that is a vector, and the name of the result.
_VECTOR = "embedding"
# Members that are not among the attributes: they follow from the others.
_DERIVED = {"color"}


class Selection:
    """The outputs of a result, with a selection of labels."""

    def __init__(self, result: Result, top: int | None, min_score: float | None) -> None:
        self._result, self._options = result, {"top": top, "min_score": min_score}

    @cached_property
    def columns(self) -> dict[str, Any]:
        """The columns by name."""
        return self._result._read_columns(**self._options)

    @cached_property
    def json(self) -> dict[str, Any]:
        """The outputs as ``tensorio run`` prints them."""
        return self._result.to_dict(**self._options)["outputs"]  # type: ignore[arg-type, no-any-return]


class Column(NamedTuple):
    """A column of results.

    Attributes:
        name: The name of the column.
        type: Its Arrow type.
        read: Returns the value of a result.
        array: The numeric output that is the column, if it can be read without a `Result`.
    """

    name: str
    type: Any
    read: Callable[[Result, Selection], Any]
    array: Layer | None = None


def columns(model: Model) -> list[Column]:
    """Returns the columns of a model's results.

    A labeled output is a list of labels with scores, as ``tensorio run`` prints it; the result of a task is what
    the task declares; another array is a number or a flat list.
    """
    result = model._fields["result"] or {"name": None, "type": None, "replaces": []}
    name, type = result["name"], result["type"]
    replaced = [layer for layer in model.outputs if layer.name in result["replaces"]]
    if name in _ENTRIES:
        type = [_ENTRIES[name]]
    if type is not None and not _has_images(type):
        # Outputs without a role, such as states, are not results.
        others = [layer for layer in model.outputs if layer not in replaced and "role" in layer._fields]
        return [_entries(name, type), *map(_output, others)]
    if all(layer._fields.get("role") == _VECTOR for layer in replaced):
        return [_vector() if layer in replaced else _output(layer) for layer in model.outputs] or [_json(None)]
    return [_json(None)]


def _has_images(type: Any) -> bool:
    """Whether a declared type has images, which only JSON represents."""
    if isinstance(type, dict):
        return any(map(_has_images, type.values()))
    return _has_images(type[0]) if isinstance(type, list) else bool(type == "image")


def _output(layer: Layer) -> Column:
    pa = require("pyarrow")
    name = layer.name
    if layer.type == "image":
        return Column(name, pa.binary(), lambda result, selection: _png(selection.json.get(name)))
    if layer.labels:
        return Column(name, _arrow([_LABEL]), lambda result, selection: _labels(selection.columns.get(name)))
    if layer.dtype == "string":
        return _strings(layer)
    dtype = layer.dtype or "float32"
    if layer.type not in ("array", "scalar") or not hasattr(pa, _ARROW.get(dtype, "")):
        return _json(name)
    type = getattr(pa, _ARROW[dtype])()
    if is_single(layer):
        return Column(name, type, lambda result, selection: result.tensors[name].item(), layer)
    return Column(
        name, pa.list_(type), lambda result, selection: result.tensors[name].reshape(-1), layer)


def _vector() -> Column:
    pa = require("pyarrow")
    return Column(
        _VECTOR, pa.list_(pa.float32()), lambda result, selection: values(selection.columns[_VECTOR], as_json=True)[0])


_ARROW = {
    "float32": "float32", "float16": "float32", "float64": "float64", "int8": "int8",
    "uint8": "int16", "int16": "int16", "uint16": "int32", "int32": "int32", "uint32": "int64",
    "int64": "int64", "bool": "bool_",
}


def is_single(layer: Layer) -> bool:
    """Whether an output has one element; the result is a number then, not a list."""
    return all(size in (1, -1) for size in layer.shape) and layer.shape.count(-1) < 2


def _strings(layer: Layer) -> Column:
    pa = require("pyarrow")
    name = layer.name
    if is_single(layer):
        return Column(name, pa.string(), lambda result, selection: result.tensors[name][0])
    return Column(name, pa.list_(pa.string()), lambda result, selection: result.tensors[name])


def _entries(name: str, type: Any) -> Column:
    """A column with the result of a task."""

    def read(result: Result, selection: Selection) -> Any:
        column = selection.columns.get(name)
        if column is None:
            return None
        # Attributes have images as text.
        found = selection.json[name] if has_images(column) else values(column, as_json=True)[0]
        return _fitted(found, type)

    return Column(name, _arrow(type), read)


def _json(name: str | None) -> Column:
    """A column with JSON, for results without a type in Arrow."""
    pa = require("pyarrow")

    def read(result: Result, selection: Selection) -> Any:
        value = selection.json if name is None else selection.json.get(name)
        return None if value is None else json.dumps(value, ensure_ascii=False)

    return Column(name or "outputs", pa.string(), read)


def _arrow(type: Any) -> Any:
    """Returns a declared type as one of Arrow."""
    pa = require("pyarrow")
    if isinstance(type, list):
        return pa.list_(_arrow(type[0]))
    if isinstance(type, dict):
        return pa.struct([(name, _arrow(member)) for name, member in type.items()])
    return getattr(pa, _ARROW.get(type, type))()


def _fitted(value: Any, type: Any) -> Any:
    """Returns a value with the members of a declared type."""
    if value is None or isinstance(type, str):
        return value
    if isinstance(type, list):
        return [_fitted(item, type[0]) for item in value]
    fitted = {name: _fitted(value.get(name), member) for name, member in type.items()}
    if "attributes" in type:
        others = {name: item for name, item in value.items() if name not in type and name not in _DERIVED}
        fitted["attributes"] = json.dumps(others, ensure_ascii=False) if others else None
    return fitted


def _labels(column: Any) -> Any:
    if column is None:
        return None
    bounds, entries = classes(column)
    return values((bounds, entries), as_json=True)[0] if bounds[-1] else []


def _png(value: Any) -> bytes | None:
    import base64

    if not isinstance(value, dict) or "png" not in value:
        return None
    return base64.b64decode(value["png"])
