"""Conversion of values to those of the extension module."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._arrays import _array, is_missing, is_missing_text
from ._errors import InputError
from ._sound import Sound, sample_array

if TYPE_CHECKING:
    import numpy

_TENSOR, _BYTES, _TEXT, _PIXELS, _LIST = 1, 2, 3, 4, 5
_FORMATS = {"RGB": 1, "BGR": 2, "RGBA": 3, "ARGB": 4, "BGRA": 5, "L": 6}
# The kinds of numpy's types whose arrays may hold texts, images or sounds.
_TEXT_KINDS = {"O", "S", "T", "U", "V"}
_Value = tuple["str | None", int, Any, int]


def _keep_sizes(values: Any) -> list[Any]:
    """Prevents other threads from resizing an array, or those of a dictionary, as long as the result lives.

    Rows and parts of them are views, which numpy does not count when it resizes an array.
    """
    return [_core.keep_size(item) for item in (values.values() if isinstance(values, dict) else [values])]


class Layer:
    """An input or output of a model.

    Attributes:
        name: The name.
        type: The type in ``model.json``, such as ``array``, ``image`` or ``audio``.
        shape: The declared shape, with -1 for a length that is not fixed.
        dtype: The type of the numbers or strings that the layer takes or returns; None for images and sounds
            without a declared type, and for texts.
        labels: The labels of the elements; empty without any.
        features: The names of the elements of one item; empty without any.
        rate: The number of samples per second that an input for sound takes, or None.
    """

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields
        self.name: str = fields["name"]
        self.type: str = fields["type"]
        self.shape: list[int] = fields.get("shape") or []
        self.dtype: str | None = fields.get("dtype")
        self.labels: list[str] = fields.get("labels", [])
        self.features: list[str] = fields.get("features", [])
        self.rate: int | None = fields.get("rate")
        self._takes_text = self.type in ("text", "string") or self.dtype == "string"

    def __repr__(self) -> str:
        return f"Layer({self.name!r}, type={self.type!r}, shape={self.shape})"


_IMAGE = Layer({"name": "image", "type": "image"})


def _value(name: str | None, value: Any, layer: Layer | None) -> _Value:
    """Returns what the extension module passes on: a name, a kind, an object and a pixel format."""
    kind = layer.type if layer is not None else "array"
    if isinstance(value, Sound):
        if kind != "audio":
            raise InputError("the input takes no sound", "wrong-type", "input", name)
        return name, _BYTES, value.wav(), 0
    if isinstance(value, (bytes, bytearray)):
        return name, _BYTES, value, 0
    if isinstance(value, os.PathLike):
        return name, _BYTES, _read(os.fspath(value)), 0
    if isinstance(value, str):
        if kind in ("image", "audio"):
            return name, _BYTES, _read(value), 0
        return name, _TEXT, value, 0
    if hasattr(value, "as_py"):
        # A value of a pyarrow column: numpy would read its text as bytes.
        return _value(name, value.as_py(), layer)
    if layer is not None and layer._takes_text and is_missing_text(value):
        raise InputError("no value", "missing-value", "input", name or layer.name)
    if name is not None and is_missing(value):
        raise InputError("no value", "missing-value", "input", name)
    if kind in ("image", "audio") and hasattr(value, "read"):
        return name, _BYTES, _content(value, name), 0
    if (elements := _elements(value, layer)) is not None:
        try:
            return name, _LIST, tuple(_value(None, element, layer) for element in elements), 0
        except InputError as error:
            raise _of_feature(error, list(elements), layer) from None
    if kind == "image":
        return _image(name, value)
    if kind == "audio":
        return name, _TENSOR, sample_array(value, name), 0
    try:
        return name, _TENSOR, _array(value, name), 0
    except InputError as error:
        raise _of_feature(error, value, layer) from None


def image_value(value: Any) -> tuple[_Value, ...]:
    """Returns an image, for drawing."""
    return (_value(None, value, _IMAGE),)


def _elements(value: Any, layer: Layer | None) -> Sequence[Any] | None:
    """Returns the values of a list of texts, images or sounds; None for other values."""
    if getattr(getattr(value, "dtype", None), "kind", None) in _TEXT_KINDS and hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, (list, tuple)) or not value:
        return None
    if layer is None or layer._takes_text:
        return value if _has_text(value) else None
    # Nested lists of numbers are pixels or samples.
    return value if layer.type in ("image", "audio") and not isinstance(value[0], (int, float, list, tuple)) else None


def _has_text(values: Sequence[Any]) -> bool:
    """Whether a list, or a list in it, has a text."""
    return any(
        _has_text(value) if isinstance(value, (list, tuple)) else isinstance(value, (str, bytes, bytearray))
        for value in values)


def _content(file: Any, name: str | None) -> bytes:
    """Returns the rest of a file that is open, and leaves its position where it is, so that it can be read again."""
    position = file.tell() if hasattr(file, "seekable") and file.seekable() else None
    content = file.read()
    if position is not None:
        file.seek(position)
    if not isinstance(content, (bytes, bytearray)):
        raise InputError("expected a file that is open in binary mode", "wrong-type", "input", name)
    return bytes(content)


def _of_feature(error: InputError, value: Any, layer: Layer | None) -> InputError:
    """Returns an error about a row of features that names the first feature with text or without a value."""
    if layer is not None and isinstance(value, list) and len(value) == len(layer.features):
        for feature, item in zip(layer.features, value):
            if is_missing_text(item) if layer._takes_text else is_missing(item):
                return InputError(f"'{feature}': no value", "missing-value", error.stage, error.layer)
            if isinstance(item, str) and not layer._takes_text:
                return InputError(f"'{feature}': expected numbers, got text", error.code, error.stage, error.layer)
    return error


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _image(name: str | None, value: Any) -> _Value:
    import numpy

    mode = getattr(value, "mode", None)
    if mode is not None and hasattr(value, "convert"):
        if mode.startswith("I;16"):
            # As libpng reduces 16 bits to 8.
            levels = numpy.asarray(value).astype(numpy.uint32)
            return name, _PIXELS, ((levels * 255 + 32895) >> 16).astype(numpy.uint8), _FORMATS["L"]
        if mode in ("I", "F"):
            raise InputError(
                f"expected an image of 8 or 16 bits, got a PIL image with the mode '{mode}'; scale it to "
                "0 to 255 and convert it to 'L'", "wrong-type", "input", name)
        if mode not in ("RGB", "RGBA", "L"):
            value, mode = value.convert("RGB"), "RGB"
        return name, _PIXELS, numpy.asarray(value), _FORMATS[mode]
    array = numpy.asarray(value) if isinstance(value, memoryview) else _array(value, name)
    if array.dtype == numpy.uint8:
        channels = array.shape[2] if array.ndim == 3 else 1
        formats = {1: "L", 3: "RGB", 4: "RGBA"}
        if array.ndim in (2, 3) and channels in formats:
            # Pixels of a row must be adjacent; rows may have gaps.
            rows = array if array.strides[1:] == _packed(array) else numpy.ascontiguousarray(array)
            return name, _PIXELS, rows, _FORMATS[formats[channels]]
    raise InputError(
        f"expected an image: a path, bytes, a PIL image, or an array of uint8 with the shape "
        f"(height, width), (height, width, 3) or (height, width, 4), got {_describe(array)}",
        "wrong-type", "input", name)


def _packed(array: numpy.ndarray[Any, Any]) -> tuple[int, ...]:
    return (array.shape[2], 1) if array.ndim == 3 else (1,)


def _describe(value: Any) -> str:
    return f"an array of {value.dtype} with the shape {value.shape}"
