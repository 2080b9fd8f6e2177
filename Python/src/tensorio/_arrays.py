"""Conversion of values to arrays."""

from __future__ import annotations

import math
from typing import Any

from ._errors import InputError

_MAX_FLOAT32 = 3.4028234663852886e38
# The formats of memory that the extension module reads; numpy converts others.
_NATIVE_FORMATS = set("?bBhilqefd")


def is_missing(value: Any) -> bool:
    """Whether a value is None or the missing value of pandas."""
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def is_missing_text(value: Any) -> bool:
    """Whether a value is missing in a column of texts, where pandas has NaN as well."""
    return is_missing(value) or isinstance(value, float) and math.isnan(value)


def fits_float32(array: Any) -> bool:
    """Whether no finite number of an array is out of the range of float32."""
    if array.dtype.kind != "f" or array.dtype.itemsize <= 4 or not array.size:
        return True
    if -_MAX_FLOAT32 <= array.min() and array.max() <= _MAX_FLOAT32:
        return True
    import numpy

    return not (numpy.isfinite(array) & (numpy.abs(array) > _MAX_FLOAT32)).any()


def _numpy_array(value: Any, name: str | None) -> Any:
    """Returns a value as a numpy array, which shares its memory if possible."""
    import numpy

    if isinstance(value, numpy.ndarray):
        return value
    if value is None:
        raise InputError("expected a value, got None", "wrong-type", "input", name)
    if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
        return numpy.from_dlpack(value)
    try:
        return numpy.asarray(value)
    except ValueError as error:
        message = f"expected numbers, got a ragged list ({error})"
        raise InputError(message, "wrong-type", "input", name) from None


def _array(value: Any, name: str | None) -> Any:
    """Returns an object with a buffer of numbers or Booleans."""
    import numpy

    if isinstance(value, memoryview) and value.format.lstrip("@") in _NATIVE_FORMATS:
        return value
    array = _numpy_array(value, name)
    if array.dtype.kind in "US":
        raise InputError("expected numbers, got text", "wrong-type", "input", name)
    if array.dtype.kind not in "fiub":
        raise InputError(f"expected numbers, got an array of {array.dtype}", "wrong-type", "input", name)
    if array.dtype == numpy.uint16:
        return array.astype(numpy.int32)
    if array.dtype in (numpy.uint32, numpy.uint64):
        if array.size and array.max() > numpy.iinfo(numpy.int64).max:
            raise InputError("a number is out of range", "out-of-range", "input", name)
        return array.astype(numpy.int64)
    if array.dtype.itemsize > 8:
        return array.astype(numpy.float64)
    if not array.dtype.isnative:
        return array.astype(array.dtype.newbyteorder("="))
    return array
