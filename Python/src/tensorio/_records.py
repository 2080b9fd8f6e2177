"""The parts of results, and how they are read from columns.

A column is what `_core.result_columns` returns: an array of numbers, a list of texts or images, a dictionary of the members of
records, or a pair of an array and a column. The array has the beginnings of lists and the end of the last one, or Booleans for
values that may be missing.
"""

from __future__ import annotations

import base64
import dataclasses
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from . import _core
from ._drawing import pillow_image

if TYPE_CHECKING:
    import numpy

T = TypeVar("T")


def _member(name: str) -> Any:
    """Declares an attribute that has another name than the member it is read from."""
    return dataclasses.field(metadata={"member": name})


class _Comparable:
    """A record with arrays, whose elements are compared."""

    def __eq__(self, other: object) -> bool:
        return _is_equal(vars(self), vars(other)) if type(self) is type(other) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


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


@dataclass(frozen=True, eq=False)
class Mask(_Comparable):
    """The pixels of an object: an array of `bool`, whose upper left corner is at `left` and `top` of the image."""

    left: int
    top: int
    pixels: numpy.ndarray[Any, Any]


@dataclass(frozen=True, eq=False)
class Detection(_Comparable):
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


@dataclass(frozen=True, eq=False)
class Segmentation(_Comparable):
    """The class of each pixel of an image: its index in `classes`. `regions` leaves out the background."""

    regions: list[Region]
    classes: numpy.ndarray[Any, Any] = _member("png")

    def mask(self, label: str) -> numpy.ndarray[Any, Any]:
        """Returns an array of `bool` with the pixels of a label.

        Raises:
            ValueError: No region has the label.
        """
        for region in self.regions:
            if region.label == label:
                return self.classes == region.index  # type: ignore[no-any-return]
        raise ValueError(f"no region has the label '{label}'")


@dataclass(frozen=True, eq=False)
class ValueMap(_Comparable):
    """The value of each pixel of an image, such as its depth: an array of `float32`, with the range and mean of its numbers."""

    minimum: float
    maximum: float
    mean: float
    values: numpy.ndarray[Any, Any]


@dataclass(frozen=True)
class Window:
    """A section of a sound, in seconds, with its labels by descending score."""

    start: float
    end: float
    labels: list[Label] = _member("classes")


@dataclass(frozen=True)
class Keypoint:
    """A point of a pose, in pixels of the image."""

    name: str
    x: float
    y: float
    score: float


@dataclass(frozen=True, eq=False)
class Pose(_Comparable):
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
class Neighbor:
    """An enrolled embedding near the one that was searched for."""

    name: str
    distance: float


@dataclass(frozen=True)
class Recognition:
    """The name that a gallery gives to an embedding.

    The name is None if nothing near enough is enrolled. The distance is that of the nearest embedding with the
    name, or of the nearest of all; None in an empty gallery.
    """

    name: str | None
    distance: float | None
    votes: int
    neighbors: list[Neighbor]


# The entries of results that are lists, by the name of the list.
ENTRIES: dict[str, type[Any]] = {
    "detections": Detection, "poses": Pose, "regions": Region, "windows": Window, "answers": Answer, "entities": Entity,
}
# The members of a box.
EDGES = ("xmin", "ymin", "xmax", "ymax")
# What stands for a value in attributes that are not read from a member.
_DEFAULTS: dict[str, Any] = {"str": "", "float": 1.0}
# What `values` returns for a value that is missing: None is a number that is not finite.
_MISSING = object()


class Declared:
    """The attributes of a record: their names, the members that they are read from, and their types."""

    def __init__(self, kind: type[Any]) -> None:
        attributes = dataclasses.fields(kind)
        self.names = tuple(item.name for item in attributes)
        self.members = {
            item.metadata.get("member", item.name): str(item.type) for item in attributes if item.name != "attributes"}
        self.has_attributes = self.names[-1] == "attributes"


DECLARED: dict[type[Any], Declared] = {
    kind: Declared(kind) for kind in (*ENTRIES.values(), Label, Keypoint, Segmentation, ValueMap, Recognition, Neighbor)}
_TYPES = {kind.__name__: kind for kind in DECLARED}


def records(kind: type[T], members: dict[str, Any], count: int) -> list[T]:
    """Returns the records of a column. Members that the type does not declare are `attributes`, if it has them."""
    declared = DECLARED[kind]
    columns = [_attribute(type, members.get(name), count) for name, type in declared.members.items()]
    if declared.has_attributes:
        others = {name: column for name, column in members.items() if name not in declared.members}
        columns.append(_dictionaries(others, count, as_json=True))
    return _core.records(kind, declared.names, tuple(columns), count, _MISSING)


def _dictionaries(members: dict[str, Any], count: int, as_json: bool) -> list[dict[str, Any]]:
    """Returns records as dictionaries without members that are missing."""
    columns = tuple(values(member, as_json) for member in members.values())
    return _core.records(None, tuple(members), columns, count, _MISSING)


def _attribute(type: str, column: Any, count: int) -> list[Any]:
    """Returns the values of an attribute for each record."""
    if type == "Box":
        edges = zip(*(_attribute("float", column[edge], count) for edge in EDGES))
        return list(map(tuple.__new__, itertools.repeat(Box), edges))  # faster than to call it
    if type.startswith("list["):
        bounds, items = column
        found = records(_TYPES[type[5:-1]], items, int(bounds[-1]))
        return [found[start:end] for start, end in itertools.pairwise(bounds.tolist())]
    default = _DEFAULTS.get(type)
    if column is None:
        return [default] * count
    found = values(column)
    return [default if value is _MISSING else value for value in found] if is_optional(column) else found


def is_optional(column: Any) -> bool:
    """Whether the values of a column may be missing."""
    return isinstance(column, tuple) and column[0].dtype.kind == "b"


def _count(column: Any) -> int:
    """Returns the number of entries of a column."""
    if isinstance(column, dict):
        return _count(next(iter(column.values()))) if column else 0
    if isinstance(column, tuple):
        return len(column[0]) - (0 if is_optional(column) else 1)
    return len(column)


def list_of_records(column: Any) -> bool:
    """Whether the values of a column are lists of records."""
    return isinstance(column, tuple) and isinstance(column[1], dict) and not is_optional(column)


def has_images(column: Any) -> bool:
    """Whether a column, or one in it, has images."""
    if isinstance(column, dict):
        return any(has_images(member) for member in column.values())
    if isinstance(column, tuple):
        return has_images(column[1])
    return isinstance(column, list) and bool(column) and not isinstance(column[0], str)


def values(column: Any, as_json: bool = False) -> list[Any]:
    """Returns the values of a column: records as dictionaries without members that are missing, and images as arrays.

    Args:
        column: The column.
        as_json: Whether numbers are those of the JSON, in which whole numbers are integers and those that are not finite None,
            and lists of them lists. They are floats and arrays otherwise.
    """
    if isinstance(column, list):
        return column
    if isinstance(column, dict):
        return _dictionaries(column, _count(column), as_json)
    if not isinstance(column, tuple):
        return _core.numbers(column, as_json) if column.dtype.kind == "f" else column.tolist()
    bounds, items = column
    if is_optional(column):
        present = iter(values(items, as_json))
        return [next(present) if is_present else _MISSING for is_present in bounds.tolist()]
    found: Any = items
    if as_json or not hasattr(items, "dtype"):
        found = [None if value is _MISSING else value for value in values(items, as_json)]
    return [found[start:end] for start, end in itertools.pairwise(bounds.tolist())]


def _is_equal(left: Any, right: Any) -> bool:
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_is_equal(left[name], right[name]) for name in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_is_equal, left, right))
    if hasattr(left, "shape") and hasattr(right, "shape"):
        return left.shape == right.shape and bool((left == right).all())
    return left is right or bool(left == right)


def _pixels(image: Any) -> Any:
    """Returns the pixels of an image: an array, or a gray PNG in Base64, as the JSON has it."""
    import numpy

    return numpy.asarray(pillow_image(base64.b64decode(image))) if isinstance(image, str) else image
