"""Sound in memory."""

from __future__ import annotations

import struct
from typing import Any

from ._arrays import _numpy_array
from ._errors import InputError

# The format tags and sizes of the samples of a WAV file.
_FORMATS = {"uint8": (1, 1), "int16": (1, 2), "int32": (1, 4), "float32": (3, 4), "float64": (3, 8)}

# The library reads this number of channels and this rate at most; the size of a WAV file has 32 bits.
_MAX_CHANNELS, _MAX_RATE, _MAX_BYTES = 64, 768_000, 2**32 - 64


class Sound:
    """Sound in memory, as the value of an input that takes sound.

    >>> samples, rate = soundfile.read("street.flac")  # doctest: +SKIP
    >>> model(tensorio.Sound(samples, rate)).label  # doctest: +SKIP
    'siren'

    Channels are mixed, and the rate is converted to that of the model.

    Args:
        samples: An array with the shape ``(frames,)`` or ``(frames, channels)``, which ``soundfile`` and
            SciPy return: floats from -1 to 1, or the integers of PCM with 8 (unsigned), 16 or 32 bits.
        rate: The number of frames per second.

    Raises:
        InputError: The samples have another type or shape.
        ValueError: The rate is out of range, or not an integer.
    """

    __slots__ = ("_samples", "_rate")

    def __init__(self, samples: Any, rate: float) -> None:
        array = sample_array(samples, None)
        if array.ndim not in (1, 2) or array.ndim == 2 and not 1 <= array.shape[1] <= _MAX_CHANNELS:
            raise InputError(
                f"expected samples with the shape (frames,) or (frames, channels) and at most {_MAX_CHANNELS} "
                f"channels, got {array.shape}", "wrong-shape", "input")
        if array.nbytes > _MAX_BYTES:
            raise InputError(f"a sound of {array.nbytes} bytes is too long", "audio-too-long", "input")
        if not 1 <= rate <= _MAX_RATE or rate != int(rate):
            raise ValueError(f"rate must be an integer from 1 to {_MAX_RATE}, got {rate}")
        self._samples, self._rate = array, int(rate)

    @property
    def samples(self) -> Any:
        """The samples, as an array."""
        return self._samples

    @property
    def rate(self) -> int:
        """The number of frames per second."""
        return self._rate

    @property
    def duration(self) -> float:
        """The duration in seconds."""
        return len(self._samples) / self._rate

    def __repr__(self) -> str:
        return f"Sound({self.duration:.3f} s, rate={self._rate}, shape={self._samples.shape})"

    def wav(self) -> bytes:
        """Returns the bytes of a WAV file with the samples."""
        tag, size = _FORMATS[self._samples.dtype.name]
        channels = self._samples.shape[1] if self._samples.ndim == 2 else 1
        frame = channels * size
        data: bytes = self._samples.astype(self._samples.dtype.newbyteorder("<"), copy=False).tobytes()
        header = struct.pack(
            "<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, tag, channels,
            self._rate, self._rate * frame, frame, 8 * size, b"data", len(data))
        return header + data


def sample_array(samples: Any, name: str | None) -> Any:
    """Returns samples as an array of floats or of integers of PCM; lists are floats."""
    import numpy

    array = _numpy_array(samples, name)
    if array.dtype == numpy.float16 or isinstance(samples, (list, tuple)) and array.dtype.kind in "iu":
        array = array.astype(numpy.float32)
    if array.dtype.name not in _FORMATS:
        raise InputError(
            f"expected samples as floats or integers of 8, 16 or 32 bits, got an array of {array.dtype}",
            "wrong-type", "input", name)
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))
