"""The columns of results: their Arrow types, which depend on the bundle only, and their values."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ._imports import require
from ._model import Model
from ._results import Result, class_entries
from ._values import Layer

# The roles of outputs that a task's result replaces.
_TASK_ROLES = {
    "detection": {"boxes", "classes", "scores", "count", "keypoints", "prototypes", "mask"},
    "pose": {"keypoints", "keypoint_scores", "scores", "count", "boxes"},
}
_OTHER_TASKS = {"segmentation", "question-answering", "token-classification", "map", "image"}
_OTHER_ROLES = {
    "heatmap", "mask", "map", "image", "token_scores", "start_scores", "end_scores"}


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
    read: Callable[[Result, dict[str, Any]], Any]
    array: Layer | None = None


def columns(model: Model) -> list[Column]:
    """Returns the columns of a model's results.

    A labeled output is a list of labels with scores, as ``tensorio run`` prints it; detections are a
    list with boxes; an embedding is a list of numbers; another array is a number or a flat list.
    """
    kind = task_kind(model)
    if kind == "other":
        return [_json(None)]
    if kind == "detection":
        return [_entries("detections", _detection_type(), _detection), *_rest(model, kind)]
    if kind == "pose":
        return [_entries("poses", _pose_type(), _pose), *_rest(model, kind)]
    return [_output(layer, kind) for layer in model.outputs] or [_json(None)]


def task_kind(model: Model) -> str:
    """Returns ``detection``, ``pose``, ``embedding``, ``array``, or ``other`` for results without a type."""
    task = model.task or ""
    roles = {str(layer._fields.get("role")) for layer in model.outputs}
    if task in _OTHER_TASKS or roles & _OTHER_ROLES and "boxes" not in roles:
        return "pose" if task == "pose" else "other"
    if task in ("detection", "pose"):
        return task
    if "boxes" in roles or ".detection" in task:
        return "detection"
    return "embedding" if task == "embedding" or "embedding" in roles else "array"


def _rest(model: Model, kind: str) -> list[Column]:
    roles = _TASK_ROLES[kind]
    return [
        _output(layer, kind) for layer in model.outputs
        if layer._fields.get("role") not in roles and "role" in layer._fields]


def _output(layer: Layer, kind: str) -> Column:
    pa = require("pyarrow")
    name = layer.name
    if layer.type == "image":
        return Column(name, pa.binary(), lambda result, values: _png(values.get(name)))
    if kind == "embedding" and (layer._fields.get("role") == "embedding"):
        return Column(
            "embedding", pa.list_(pa.float32()),
            lambda result, values: _floats(values.get("embedding")))
    if layer.labels:
        return Column(name, _label_type(), lambda result, values: _labels(values.get(name)))
    if layer.dtype == "string":
        return _strings(layer)
    dtype = layer.dtype or "float32"
    if layer.type not in ("array", "scalar") or not hasattr(pa, _ARROW.get(dtype, "")):
        return _json(name)
    type = getattr(pa, _ARROW[dtype])()
    if is_single(layer):
        return Column(name, type, lambda result, values: result.tensors[name].item(), layer)
    return Column(
        name, pa.list_(type), lambda result, values: result.tensors[name].reshape(-1), layer)


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
        return Column(name, pa.string(), lambda result, values: result.tensors[name][0])
    return Column(name, pa.list_(pa.string()), lambda result, values: result.tensors[name])


def _entries(name: str, type: Any, convert: Callable[[dict[str, Any]], dict[str, Any]]) -> Column:
    def read(result: Result, values: dict[str, Any]) -> Any:
        found = values.get(name)
        return None if found is None else [convert(entry) for entry in found]

    return Column(name, type, read)


def _json(name: str | None) -> Column:
    """A column with JSON, for results without a type in Arrow."""
    pa = require("pyarrow")

    def read(result: Result, values: dict[str, Any]) -> Any:
        value = values if name is None else values.get(name)
        return None if value is None else json.dumps(value, ensure_ascii=False)

    return Column(name or "outputs", pa.string(), read)


def _label_type() -> Any:
    pa = require("pyarrow")
    return pa.list_(pa.struct([
        ("label", pa.string()), ("score", pa.float32()), ("index", pa.int32())]))


def _labels(value: Any) -> Any:
    if value is None:
        return None
    return [
        {"label": entry["label"], "score": entry["score"], "index": entry["index"]}
        for entry in class_entries(value)]


def _box_type() -> Any:
    pa = require("pyarrow")
    return pa.struct([(edge, pa.float32()) for edge in ("xmin", "ymin", "xmax", "ymax")])


def _keypoints_type() -> Any:
    pa = require("pyarrow")
    return pa.list_(pa.struct([
        ("name", pa.string()), ("x", pa.float32()), ("y", pa.float32()), ("score", pa.float32())]))


def _detection_type() -> Any:
    pa = require("pyarrow")
    return pa.list_(pa.struct([
        ("label", pa.string()), ("score", pa.float32()), ("index", pa.int32()),
        ("box", _box_type()), ("keypoints", _keypoints_type()), ("attributes", pa.string())]))


def _detection(entry: dict[str, Any]) -> dict[str, Any]:
    named = ("label", "score", "index", "box", "keypoints", "color")
    others = {name: value for name, value in entry.items() if name not in named}
    return {
        "label": entry.get("label"), "score": entry.get("score"), "index": entry.get("index"),
        "box": {edge: entry["box"][edge] for edge in ("xmin", "ymin", "xmax", "ymax")},
        "keypoints": _keypoints(entry.get("keypoints")),
        "attributes": json.dumps(others, ensure_ascii=False) if others else None,
    }


def _pose_type() -> Any:
    pa = require("pyarrow")
    return pa.list_(pa.struct([("score", pa.float32()), ("keypoints", _keypoints_type())]))


def _pose(entry: dict[str, Any]) -> dict[str, Any]:
    return {"score": entry.get("score"), "keypoints": _keypoints(entry.get("keypoints"))}


def _keypoints(points: Sequence[dict[str, Any]] | None) -> list[dict[str, Any]] | None:
    if points is None:
        return None
    return [
        {"name": point.get("name"), "x": point["x"], "y": point["y"], "score": point.get("score")}
        for point in points]


def _floats(value: Any) -> Any:
    return value["vector"] if isinstance(value, dict) else value


def _png(value: Any) -> bytes | None:
    import base64

    if not isinstance(value, dict) or "png" not in value:
        return None
    return base64.b64decode(value["png"])
