"""Results of models, with the types of their tasks."""

from __future__ import annotations

import copy
import html
import json
import math
import operator
import sys
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core
from ._drawing import Drawing
from ._errors import WrongTask
from ._imports import require
from ._records import (
    DECLARED, EDGES, ENTRIES, Answer, Detection, Entity, Label, Pose, Recognition, Segmentation, ValueMap, Window, has_images,
    list_of_records, records, values,
)
from ._values import image_value

if TYPE_CHECKING:
    import numpy

T = TypeVar("T")


@dataclass(frozen=True)
class _Record:
    """What a pickled result has in place of the library's output: its JSON, its columns, and all labels if it has any."""

    json: str
    columns: dict[str, Any]
    labels: list[Label] | None


def _list(name: str, kind: type[T], text: str) -> cached_property[list[T]]:
    """Declares a property with the entries of a list of a result."""
    def read(result: Result) -> list[T]:
        column = result._member(name)
        if not list_of_records(column):
            raise result._wrong_task(name)
        bounds, items = column
        return records(kind, items, int(bounds[-1]))

    read.__doc__ = text
    return cached_property(read)


class Result(_core.Outputs):
    """The outputs of a run, and the result of the bundle's task.

    Everything is read when it is first used. A result pickles as its tensors and its JSON, without the model and
    the image: where it is unpickled, it has everything but drawings and other selections of labels than that of
    `top`.
    """

    def __init__(self, output: Any, model: Any, source: Any = None, name: str = "input") -> None:
        self._output, self._model, self._source, self._name = output, model, source, name

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
            labels = None
        return _Record(self.to_json(), self._columns, labels)

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
        return WrongTask(f"the result has no {expected}; its outputs are {', '.join(self._columns)}")

    def _only_array(self) -> numpy.ndarray[Any, Any]:
        """Returns the only output as an array."""
        values = list(self.tensors.values())
        if len(values) != 1:
            raise ValueError(f"the model has {len(values)} outputs; select one of tensors")
        return values[0]  # type: ignore[no-any-return]

    # Results of tasks

    def _read_columns(self, **options: Any) -> dict[str, Any]:
        """Returns the columns of the outputs by name, with the task's result under its name."""
        return _core.result_columns((self._output,), json.dumps(options) if options else None)

    @cached_property
    def _columns(self) -> dict[str, Any]:
        return self._output.columns if isinstance(self._output, _Record) else self._read_columns()

    def _member(self, name: str) -> Any:
        """Returns the column with a name, or the first member with it of a record; None if there is none."""
        for key, column in self._columns.items():
            if key == name:
                return column
            if isinstance(column, dict) and name in column:
                return column[name]
        return None

    def _only(self, name: str, kind: type[T], expected: str = "") -> tuple[T, dict[str, Any]]:
        """Returns a result that is a record, and its columns."""
        column = self._columns.get(name)
        if not isinstance(column, dict):
            raise self._wrong_task(expected or name)
        return records(kind, column, 1)[0], column

    def value(self, name: str) -> Any:
        """Returns the result of a task by its name, such as that of an application's task, or an output.

        Records are dictionaries, and images and lists of numbers arrays, which share the memory of the result.

        Raises:
            WrongTask: There is no result or output with the name.
        """
        if name not in self._columns:
            raise self._wrong_task(name)
        return values(self._columns[name])[0]

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
        # Scores that are not numbers are less than every minimum.
        found = _labels(self._read_columns(top=count, min_score=-sys.float_info.max)) or _labels(self._columns)
        if not found:
            raise self._wrong_task("labels")
        return found[:count]

    @property
    def label(self) -> str:
        """The label with the highest score."""
        return self.top(1)[0].label

    detections = _list("detections", Detection, "The objects of a detector, in pixels of the image.")
    poses = _list("poses", Pose, "The bodies of a pose model.")
    answers = _list("answers", Answer, "The answers of a question-answering model.")
    entities = _list("entities", Entity, "The entities of a token-classification model.")
    windows = _list("windows", Window, "The labels of the sections of a sound.")

    @cached_property
    def segmentation(self) -> Segmentation:
        """The classes of the pixels of an image."""
        return self._only("segmentation", Segmentation)[0]

    @cached_property
    def map(self) -> ValueMap:
        """The values of the pixels of an image."""
        found, column = self._only("map", ValueMap)
        return replace(found, values=found.values.reshape(column["height"][0], column["width"][0]))

    @property
    def embedding(self) -> numpy.ndarray[Any, Any]:
        """The vector of an embedding model."""
        import numpy

        if "embedding" not in self._columns:
            raise self._wrong_task("embedding")
        return numpy.array(self.value("embedding"), dtype=numpy.float32)

    @cached_property
    def recognition(self) -> Recognition:
        """The name that the gallery of an embedding model gives to the embedding."""
        found, column = self._only(
            "recognition", Recognition, "recognition: the model was opened without a gallery")
        return found if column["matched"][0] else replace(found, name=None)

    # Conversion

    def to_pandas(self) -> Any:
        """Returns the entries of the task's result as a DataFrame, one row each; masks are arrays."""
        pandas: Any = require("pandas")
        entries, columns = self._table_entries(with_images=True)
        return pandas.json_normalize(entries) if entries else pandas.DataFrame(columns=columns)

    def to_arrow(self) -> Any:
        """Returns the entries of the task's result as a pyarrow table, one row each; masks are PNG images in Base64."""
        pyarrow: Any = require("pyarrow")
        entries, columns = self._table_entries(with_images=False)
        if entries:
            return pyarrow.Table.from_pylist([_flat(entry) for entry in entries])
        return pyarrow.table({name: [] for name in columns})

    def _table_entries(self, with_images: bool) -> tuple[list[dict[str, Any]], list[str]]:
        """Returns the entries of the task's result, and the columns of a table without entries.

        A result without a task has one entry, the row of its outputs.

        Args:
            with_images: Whether images in entries are arrays; they are text, as in the JSON, otherwise.
        """
        for output, column in self._columns.items():
            name = output
            if isinstance(column, dict):
                name = next((key for key in ENTRIES if key in column), output)
                column = column.get(name)
            if not list_of_records(column):
                continue
            if has_images(column) and not with_images:
                value = self.outputs[output]
                return value[name] if isinstance(value, dict) else value, []
            return values(column, as_json=True)[0], _table_columns(name)
        return [self.to_row()], []

    def to_row(self) -> dict[str, Any]:
        """Returns the outputs as one row of a table.

        A number is a column, a classification the label with the highest score and a column with that
        score, and everything else a list.
        """
        row: dict[str, Any] = {}
        for name, column in self._columns.items():
            bounds, entries = classes(column)
            if bounds[-1]:
                (best,) = records(Label, {member: found[:1] for member, found in entries.items()}, 1)
                row[name], row[f"{name}_score"] = best.label, best.score
            elif _is_numbers(column) and hasattr(self.tensors.get(name), "dtype"):
                array = self.tensors[name]
                row[name] = array.item() if array.size == 1 else array.reshape(-1).tolist()
            else:
                value = self.outputs[name]
                is_single = isinstance(value, list) and len(value) == 1 and not isinstance(value[0], (dict, list))
                row[name] = value[0] if is_single else value
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
        return _core.draw(self._output, image_value(source))

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

def _table_columns(name: str) -> list[str]:
    """Returns the columns of a table of entries without rows."""
    members = DECLARED[ENTRIES[name]].members.items() if name in ENTRIES else []
    return [member for member, type in members if type != "Box"] + [
        f"{member}.{edge}" for member, type in members if type == "Box" for edge in EDGES]


def _restored(name: str, record: _Record, tensors: dict[str, Any]) -> Result:
    """Returns a result that was pickled."""
    result = Result(record, None, None, name)
    result.__dict__["tensors"] = tensors
    return result


def _is_numbers(column: Any) -> bool:
    """Whether the column of an output has numbers, or a list of them."""
    return hasattr(column[1] if isinstance(column, tuple) else column, "dtype")


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


def classes(column: Any) -> tuple[Any, dict[str, Any]]:
    """Returns the list of labels in the column of an output, for a sound those of its whole length; empty if it has none."""
    if isinstance(column, dict):
        column = column.get("classes")
    if list_of_records(column) and {"label", "score", "index"} <= column[1].keys() and "box" not in column[1]:
        return column  # type: ignore[no-any-return]
    return [0], {}


def _labels(columns: dict[str, Any]) -> list[Label]:
    """Returns the labels of the first output that has some."""
    for column in columns.values():
        bounds, entries = classes(column)
        if bounds[-1]:
            return records(Label, entries, int(bounds[-1]))
    return []


def finite_score(score: float) -> float:
    """Returns a minimum score that JSON can represent: the greatest number in place of infinity.

    Raises:
        ValueError: The score is not a number.
    """
    if isinstance(score, (str, bytes)) or math.isnan(number := float(score)):
        raise ValueError(f"min_score must be a number, got {score!r}")
    return max(-sys.float_info.max, min(number, sys.float_info.max))


def _flat(entry: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Returns an entry with names such as ``box.xmin`` for those of nested objects."""
    flat: dict[str, Any] = {}
    for name, value in entry.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name: value}
    return flat


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else text[:117] + "..."
