"""Results of models, with the types of their tasks."""

from __future__ import annotations

import base64
import copy
import html
import json
import math
import operator
import sys
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._drawing import Drawing, pillow_image
from ._errors import WrongTask
from ._gallery import Recognition, recognition
from ._imports import require

if TYPE_CHECKING:
    import numpy

    from ._model import Model


@dataclass(frozen=True)
class Label:
    """A label of a classification."""

    label: str
    score: float
    index: int


class Box(NamedTuple):
    """A rectangle in pixels of the image."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """The distance between the left and the right edge."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """The distance between the top and the bottom edge."""
        return self.bottom - self.top


@dataclass(frozen=True)
class Mask:
    """The pixels of an object: an array of `bool`, whose upper left corner is at `left` and `top` of the image."""

    left: int
    top: int
    pixels: numpy.ndarray[Any, Any]


@dataclass(frozen=True)
class Detection:
    """An object that a detector found."""

    label: str
    score: float
    box: Box
    index: int | None
    attributes: dict[str, Any]

    @property
    def mask(self) -> Mask | None:
        """The pixels of the object, if the model finds them."""
        value = self.attributes.get("mask")
        return None if value is None else Mask(value["x"], value["y"], _pixels(value["png"]) != 0)


@dataclass(frozen=True)
class Region:
    """The pixels of one class of a segmentation."""

    label: str
    index: int
    pixels: int
    fraction: float
    box: Box


@dataclass(frozen=True)
class Segmentation:
    """The class of each pixel of an image: its index in `classes`. `regions` leaves out the background."""

    regions: list[Region]
    classes: numpy.ndarray[Any, Any]

    def mask(self, label: str) -> numpy.ndarray[Any, Any]:
        """Returns an array of `bool` with the pixels of a label.

        Raises:
            ValueError: No region has the label.
        """
        for region in self.regions:
            if region.label == label:
                return self.classes == region.index  # type: ignore[no-any-return]
        raise ValueError(f"no region has the label '{label}'")


@dataclass(frozen=True)
class Window:
    """A section of a sound, in seconds, with its labels by descending score."""

    start: float
    end: float
    labels: list[Label]


@dataclass(frozen=True)
class Keypoint:
    """A point of a pose, in pixels of the image."""

    name: str
    x: float
    y: float
    score: float


@dataclass(frozen=True)
class Pose:
    """A body that a pose model found."""

    score: float
    keypoints: list[Keypoint]
    attributes: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """A part of a text that answers a question."""

    text: str
    score: float
    attributes: dict[str, Any]


@dataclass(frozen=True)
class Entity:
    """A part of a text with a label."""

    label: str
    text: str
    score: float
    attributes: dict[str, Any]


@dataclass(frozen=True)
class _Record:
    """What a pickled result has in place of the library's output: its JSON, and all labels if it has any."""

    json: str
    labels: list[Label] | None


class Result(_core.Outputs):
    """The outputs of a run, and the result of the bundle's task.

    Everything is read when it is first used. A result pickles as its tensors and its JSON, without the model and
    the image: where it is unpickled, it has everything but drawings and other selections of labels than that of
    `top`.
    """

    def __init__(self, output: Any, model: Model, source: Any = None, name: str = "input") -> None:
        self._output, self._model, self._source, self._name = output, model, source, name

    if TYPE_CHECKING:
        _model: Model

    # Raw outputs

    @cached_property
    def tensors(self) -> Mapping[str, Any]:
        """The outputs by name: numpy arrays that share the memory of the result, or lists of strings."""
        if self._array is not None:
            return {self._model.outputs[0].name: self._array}
        names = _core.output_names(self._output)
        return _Tensors(self._output, {name: index for index, name in enumerate(names)})

    # Copies

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._name, self._record(), dict(self.tensors))

    def __copy__(self) -> Result:
        return self._copy(self.tensors)

    def __deepcopy__(self, memo: Any) -> Result:
        return self._copy(copy.deepcopy(dict(self.tensors), memo))

    def _copy(self, tensors: Mapping[str, Any]) -> Result:
        result = Result(self._output, self._model, self._source, self._name)
        result.__dict__["tensors"] = tensors
        return result

    def _record(self) -> _Record:
        if isinstance(self._output, _Record):
            return self._output
        try:
            labels = self.top(_MAX_COUNT)
        except WrongTask:
            return _Record(self.to_json(), None)
        return _Record(self.to_json(), labels)

    # The result is a mapping of its tensors.

    def __getitem__(self, name: str) -> Any:
        return self.tensors[name]

    def __contains__(self, name: object) -> bool:
        return name in self.tensors

    def __iter__(self) -> Iterator[str]:
        return iter(self.tensors)

    def __len__(self) -> int:
        return len(self.tensors)

    def keys(self) -> KeysView[str]:
        """The names of the outputs."""
        return self.tensors.keys()

    def values(self) -> ValuesView[Any]:
        """The outputs."""
        return self.tensors.values()

    def items(self) -> ItemsView[str, Any]:
        """The names of the outputs, with the outputs."""
        return self.tensors.items()

    def get(self, name: str, default: Any = None) -> Any:
        """Returns an output; the default if there is none with this name."""
        return self.tensors.get(name, default)

    def _wrong_task(self, expected: str) -> WrongTask:
        return WrongTask(f"the result has no {expected}; its outputs are {', '.join(self.outputs)}")

    def _only_array(self) -> numpy.ndarray[Any, Any]:
        """Returns the only output as an array."""
        values = list(self.tensors.values())
        if len(values) != 1:
            raise ValueError(f"the model has {len(values)} outputs; select one of tensors")
        return values[0]  # type: ignore[no-any-return]

    # Results of tasks

    def to_json(self, *, top: int | None = None, min_score: float | None = None) -> str:
        """Returns what ``tensorio run --format json`` prints."""
        options = {
            "input": self._name.encode(errors="replace").decode(),
            "top": None if top is None else operator.index(top),
            "min_score": None if min_score is None else finite_score(min_score),
        }
        given = {name: value for name, value in options.items() if value is not None}
        if isinstance(self._output, _Record):
            if top is not None or min_score is not None:
                raise ValueError("a result that was pickled has one selection of labels; select them before, or use top()")
            return self._output.json
        return _core.output_json(self._output, json.dumps(given))

    def to_dict(self, *, top: int | None = None, min_score: float | None = None) -> dict[str, Any]:
        """Returns the JSON as a dictionary."""
        return json.loads(self.to_json(top=top, min_score=min_score))  # type: ignore[no-any-return]

    @cached_property
    def outputs(self) -> dict[str, Any]:
        """The outputs as the JSON has them, with the task's result under its name."""
        return self.to_dict()["outputs"]  # type: ignore[no-any-return]

    def top(self, count: int = 5) -> list[Label]:
        """Returns the labels with the highest scores; for a sound, those of its whole length.

        Raises:
            WrongTask: The model does not classify; it is a `ValueError` and an `AttributeError`.
        """
        count = operator.index(count)
        if count < 1:
            raise ValueError(f"count must be at least 1, got {count}")
        if isinstance(self._output, _Record):
            if self._output.labels is None:
                raise self._wrong_task("labels")
            return self._output.labels[:count]
        outputs = self.to_dict(top=count, min_score=-sys.float_info.max)["outputs"]
        for value in outputs.values():
            if found := class_entries(value):
                return _labels(found[:count])
        # Scores that are not numbers are less than every minimum.
        for value in self.outputs.values():
            if found := class_entries(value):
                return _labels(found[:count])
        raise self._wrong_task("labels")

    @property
    def label(self) -> str:
        """The label with the highest score."""
        return self.top(1)[0].label

    @cached_property
    def windows(self) -> list[Window]:
        """The labels of the sections of a sound."""
        for value in self.outputs.values():
            if isinstance(value, dict) and "windows" in value:
                return [
                    Window(float(entry["start"]), float(entry["end"]), _labels(entry["classes"]))
                    for entry in value["windows"]
                ]
        raise self._wrong_task("windows")

    @cached_property
    def segmentation(self) -> Segmentation:
        """The classes of the pixels of an image; needs Pillow."""
        value = self.outputs.get("segmentation")
        if not isinstance(value, dict):
            raise self._wrong_task("segmentation")
        return Segmentation(
            [
                Region(
                    entry["label"], entry["index"], entry["pixels"], float(entry["fraction"]),
                    _box(entry["box"]))
                for entry in value["regions"]
            ],
            _pixels(value["png"]))

    @cached_property
    def detections(self) -> list[Detection]:
        """The objects of a detector, in pixels of the image."""
        return [
            Detection(
                entry.get("label", ""), _score(entry), _box(entry["box"]),
                entry.get("index"), _others(entry, "label", "score", "box", "index"))
            for entry in self._entries("detections")
        ]

    @cached_property
    def poses(self) -> list[Pose]:
        """The bodies of a pose model."""
        return [
            Pose(
                _score(entry),
                [
                    Keypoint(point.get("name", ""), _number(point["x"]), _number(point["y"]), _score(point))
                    for point in entry["keypoints"]
                ],
                _others(entry, "score", "keypoints"))
            for entry in self._entries("poses")
        ]

    @cached_property
    def answers(self) -> list[Answer]:
        """The answers of a question-answering model."""
        return [
            Answer(entry["text"], _score(entry), _others(entry, "text", "score"))
            for entry in self._entries("answers")
        ]

    @cached_property
    def entities(self) -> list[Entity]:
        """The entities of a token-classification model."""
        return [
            Entity(
                entry["label"], entry["text"], _score(entry),
                _others(entry, "label", "text", "score"))
            for entry in self._entries("entities")
        ]

    @property
    def embedding(self) -> numpy.ndarray[Any, Any]:
        """The vector of an embedding model."""
        import numpy

        value = self.outputs.get("embedding")
        if value is None:
            raise self._wrong_task("embedding")
        vector = value["vector"] if isinstance(value, dict) else value
        return numpy.asarray(vector, dtype=numpy.float32)

    @cached_property
    def recognition(self) -> Recognition:
        """The name that the gallery of an embedding model gives to the embedding."""
        value = self.outputs.get("recognition")
        if not isinstance(value, dict):
            raise self._wrong_task("recognition: the model was opened without a gallery")
        return recognition(value)

    def _entries(self, key: str) -> list[dict[str, Any]]:
        value = self.outputs.get(key)
        if not isinstance(value, list):
            raise self._wrong_task(key)
        return value

    # Conversion

    def to_pandas(self) -> Any:
        """Returns the entries of the task's result as a DataFrame, one row each."""
        pandas: Any = require("pandas")
        entries, columns = self._table_entries()
        return pandas.json_normalize(entries) if entries else pandas.DataFrame(columns=columns)

    def to_arrow(self) -> Any:
        """Returns the entries of the task's result as a pyarrow table, one row each."""
        pyarrow: Any = require("pyarrow")
        entries, columns = self._table_entries()
        if entries:
            return pyarrow.Table.from_pylist([_flat(entry) for entry in entries])
        return pyarrow.table({name: [] for name in columns})

    def _table_entries(self) -> tuple[list[dict[str, Any]], list[str]]:
        """Returns the entries of the task's result, and the columns of a table without entries.

        A result without a task has one entry, the row of its outputs.
        """
        for name, value in self.outputs.items():
            if isinstance(value, dict):
                name = next((key for key in ("regions", "windows") if key in value), name)
                value = value.get(name)
            if isinstance(value, list) and (name in _ENTRY_COLUMNS or value and isinstance(value[0], dict)):
                return value, _ENTRY_COLUMNS.get(name, [])
        return [self.to_row()], []

    def to_row(self) -> dict[str, Any]:
        """Returns the outputs as one row of a table.

        A number is a column, a classification the label with the highest score and a column with that
        score, and everything else a list.
        """
        row: dict[str, Any] = {}
        for name, value in self.outputs.items():
            if found := class_entries(value):
                row[name], row[f"{name}_score"] = found[0]["label"], _number(found[0]["score"])
            elif _is_numbers(value) and hasattr(self.tensors.get(name), "dtype"):
                array = self.tensors[name]
                row[name] = array.item() if array.size == 1 else array.reshape(-1).tolist()
            elif isinstance(value, list) and len(value) == 1 and not isinstance(value[0], (dict, list)):
                row[name] = value[0]
            else:
                row[name] = value
        return row

    def to_supervision(self) -> Any:
        """Returns the detections as ``supervision.Detections``."""
        import numpy

        supervision: Any = require("supervision")
        found = self.detections
        if not found:
            return supervision.Detections.empty()
        return supervision.Detections(
            xyxy=numpy.array([entry.box for entry in found], dtype=numpy.float32),
            confidence=numpy.array([entry.score for entry in found], dtype=numpy.float32),
            class_id=numpy.array([entry.index or 0 for entry in found]),
            data={"class_name": numpy.array([entry.label for entry in found])})

    # Images

    def draw(self, image: Any = None) -> Drawing:
        """Draws the result on an image, by default the one that the model ran on."""
        return Drawing(self.draw_png(image))

    def draw_png(self, image: Any = None) -> bytes:
        """Draws the result on an image and returns the bytes of a PNG."""
        if isinstance(self._output, _Record):
            raise ValueError("a result that was pickled cannot be drawn; draw it before")
        source = self._source if image is None else image
        if source is None:
            raise ValueError("draw needs an image: the model did not run on one")
        return _core.draw(self._output, self._model._image_value(source))

    # Notebooks

    def _repr_png_(self) -> bytes | None:
        if self._source is None:
            return None
        try:
            return self.draw_png()
        except Exception:
            return None

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{html.escape(name)}</th><td>{html.escape(_short(value))}</td></tr>"
            for name, value in self.outputs.items())
        return f"<table>{rows}</table>"

    def __repr__(self) -> str:
        return f"Result({', '.join(f'{k}={_short(v)}' for k, v in self.outputs.items())})"


# More labels than a model has.
_MAX_COUNT = 2**31 - 1

# The columns of a table without rows.
_BOX_COLUMNS = ["box.xmin", "box.ymin", "box.xmax", "box.ymax"]
_ENTRY_COLUMNS = {
    "detections": ["label", "score", "index", *_BOX_COLUMNS],
    "regions": ["label", "index", "pixels", "fraction", *_BOX_COLUMNS],
    "poses": ["score", "keypoints"],
    "answers": ["text", "score"],
    "entities": ["label", "text", "score"],
}


def _restored(name: str, record: _Record, tensors: dict[str, Any]) -> Result:
    """Returns a result that was pickled."""
    without_model: Any = None
    result = Result(record, without_model, None, name)
    result.__dict__["tensors"] = tensors
    return result


def _is_numbers(value: Any) -> bool:
    """Whether an output in the JSON is a number or an array of numbers; null is a number that is not finite."""
    while isinstance(value, list) and value:
        value = value[0]
    return value is None or isinstance(value, (int, float))


class _Tensors(Mapping[str, Any]):
    """The outputs of a run by name, read when they are first used."""

    def __init__(self, output: Any, indices: dict[str, int]) -> None:
        self._output, self._indices = output, indices
        self._values: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            value = _core.output_tensor(self._output, self._indices[name])
            if not isinstance(value, list):
                import numpy

                value = numpy.asarray(value)
            self._values[name] = value
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._indices)

    def __len__(self) -> int:
        return len(self._indices)

    def __repr__(self) -> str:
        return repr(dict(self))


def class_entries(value: Any) -> list[dict[str, Any]]:
    """Returns the labels in the JSON of an output, for a sound those of its whole length; empty if it has none."""
    if isinstance(value, dict):
        value = value.get("classes")
    is_classes = (
        isinstance(value, list) and bool(value) and isinstance(value[0], dict)
        and {"label", "score", "index"} <= value[0].keys() and "box" not in value[0])
    return value if is_classes else []


def _labels(entries: list[dict[str, Any]]) -> list[Label]:
    return [Label(entry["label"], _number(entry["score"]), entry["index"]) for entry in entries]


def finite_score(score: float) -> float:
    """Returns a minimum score that JSON can represent: the greatest number in place of infinity.

    Raises:
        ValueError: The score is not a number.
    """
    if isinstance(score, (str, bytes)) or math.isnan(number := float(score)):
        raise ValueError(f"min_score must be a number, got {score!r}")
    return max(-sys.float_info.max, min(number, sys.float_info.max))


def _number(value: float | None) -> float:
    """Returns a number of the JSON, in which null is a number that is not finite."""
    return math.nan if value is None else float(value)


def _score(entry: dict[str, Any]) -> float:
    return _number(entry.get("score", 1))


def _pixels(png: str) -> numpy.ndarray[Any, Any]:
    """Returns the pixels of a gray PNG in Base64."""
    import numpy

    return numpy.asarray(pillow_image(base64.b64decode(png)))


def _flat(entry: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Returns an entry with names such as ``box.xmin`` for those of nested objects."""
    flat: dict[str, Any] = {}
    for name, value in entry.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value}
    return flat


def _box(value: dict[str, float | None]) -> Box:
    return Box(*(_number(value[edge]) for edge in ("xmin", "ymin", "xmax", "ymax")))


def _others(entry: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in names}


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else text[:117] + "..."


def png_text(png: bytes) -> str:
    """Returns a PNG as a data URL."""
    return "data:image/png;base64," + base64.b64encode(png).decode()
