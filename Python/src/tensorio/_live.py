"""Transcripts of sound that arrives in pieces."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from . import _core
from ._errors import InputError
from ._sound import Sound, sample_array
from ._transcription import Segment, Transcript, segment_of, transcript_of

# The value of silence and the scale of the samples of PCM, by the type of the array.
_PCM = {"uint8": (128, 128), "int16": (0, 1 << 15), "int32": (0, 1 << 31)}


@dataclass(frozen=True)
class LiveUpdate:
    """What is new in a transcript of sound that goes on.

    Attributes:
        segments: The segments that have become final.
        partial_text: The text after them, which later updates replace; empty if nothing was said.
        duration: The length of the sound so far, in seconds.
    """

    segments: list[Segment]
    partial_text: str
    duration: float


class LiveTranscription:
    """A transcript of sound that goes on, such as that of a microphone.

    >>> live = model.live_transcription(language="en")  # doctest: +SKIP
    >>> for update in live.read(pieces):  # doctest: +SKIP
    ...     print(*update.segments, update.partial_text)
    >>> print(live.finish())  # doctest: +SKIP

    Segments are final when their window, usually of 30 seconds, is complete. The text of the incomplete window is written again
    as sound arrives. Sound can be added by another thread than the one that reads updates.
    """

    def __init__(self, handle: Any, rate: int) -> None:
        self._handle = handle
        self._rate = rate
        self._count = 0
        self._transcript: Transcript | None = None

    @property
    def rate(self) -> int:
        """The rate of the model: that of samples without one."""
        return self._rate

    def append(self, sound: Any) -> None:
        """Adds sound.

        Args:
            sound: A `Sound` of any rate and number of channels, or the samples of one channel at `rate`: floats from -1 to 1, or
                the integers of PCM. Samples that are no numbers are silence. Consecutive pieces of one rate and number of channels
                are one sound, wherever it is cut.

        Raises:
            InputError: The value is not sound.
        """
        import numpy

        rate = self._rate
        if isinstance(sound, Sound):
            array, rate = sound.samples, sound.rate
        else:
            array = sample_array(sound, None)
            if array.ndim != 1:
                raise InputError(f"expected the samples of one channel, got {array.shape}", "wrong-shape", "input")
        channels = array.shape[1] if array.ndim == 2 else 1
        if array.dtype.name in _PCM:
            silence, scale = _PCM[array.dtype.name]
            array = (array.astype(numpy.float64) - silence) / scale
        _core.append_sound(self._handle, numpy.ascontiguousarray(array, numpy.float32), channels, rate)

    def update(self, *, partial: bool = True) -> LiveUpdate | None:
        """Transcribes the sound that was added.

        Args:
            partial: Whether the text of the incomplete window is written.

        Returns:
            What is new; None if less than half a second was added, or nothing that can be heard.

        Raises:
            RunError: The model fails, or the transcript is finished or canceled.
        """
        text = _core.update_transcript(self._handle, partial, False)
        if text is None:
            return None
        update = self._update(text)
        self._count += len(update.segments)
        return update

    @staticmethod
    def _update(text: str) -> LiveUpdate:
        members = json.loads(text)
        return LiveUpdate([segment_of(one) for one in members["segments"]], members["partial_text"], members["duration"])

    def finish(self) -> Transcript:
        """Transcribes the rest of the sound, after which none can be added, and returns the transcript of all of it."""
        if self._transcript is None:
            _core.update_transcript(self._handle, False, True)
            self._transcript = transcript_of(_core.generation_result(self._handle))
        return self._transcript

    def cancel(self) -> None:
        """Ends the transcript, also from another thread: what reads it raises `RunError` with the code ``cancelled``."""
        _core.cancel_generation(self._handle)

    def read(self, pieces: Iterable[Any] | AsyncIterable[Any], *, partial: bool = True) -> LiveUpdates:
        """Adds pieces of sound, and returns what is new, for ``for`` or ``async for``; the last update has the rest.

        ``for`` reads the next pieces when the model has heard the ones before. ``async for`` reads them while it listens, so that a
        slow model writes fewer partial texts instead of falling behind.

        Args:
            pieces: What `append` takes, for ``async for`` also as an asynchronous iterable.
            partial: Whether the text of the incomplete window is written.
        """
        return LiveUpdates(self, pieces, partial)

    def _rest(self) -> LiveUpdate | None:
        transcript = self.finish()
        segments = transcript.segments[self._count:]
        self._count = len(transcript.segments)
        return LiveUpdate(segments, "", transcript.duration) if segments else None

    def __repr__(self) -> str:
        return f"LiveTranscription(rate={self._rate})"


class LiveUpdates(Iterator[LiveUpdate], AsyncIterator[LiveUpdate]):
    """What is new in a transcript while pieces of sound are read, by ``for`` or ``async for``."""

    def __init__(
            self, live: LiveTranscription, pieces: Iterable[Any] | AsyncIterable[Any], partial: bool) -> None:
        self._live = live
        self._pieces = pieces
        self._partial = partial
        self._updates: Iterator[LiveUpdate] | None = None
        self._async_updates: AsyncIterator[LiveUpdate] | None = None

    def __next__(self) -> LiveUpdate:
        if self._updates is None:
            if not isinstance(self._pieces, Iterable):
                raise TypeError("'for' requires an iterable; pieces of an asynchronous one are read by 'async for'")
            self._updates = self._read(self._pieces)
        return next(self._updates)

    def _read(self, pieces: Iterable[Any]) -> Iterator[LiveUpdate]:
        for piece in pieces:
            self._live.append(piece)
            update = self._live.update(partial=self._partial)
            if update is not None:
                yield update
        rest = self._live._rest()
        if rest is not None:
            yield rest

    async def __anext__(self) -> LiveUpdate:
        if self._async_updates is None:
            self._async_updates = self._read_async(self._pieces)
        return await anext(self._async_updates)

    async def _read_async(self, pieces: Iterable[Any] | AsyncIterable[Any]) -> AsyncIterator[LiveUpdate]:
        arrived = asyncio.Event()

        async def append() -> None:
            try:
                if isinstance(pieces, AsyncIterable):
                    async for piece in pieces:
                        self._live.append(piece)
                        arrived.set()
                else:
                    for piece in pieces:
                        self._live.append(piece)
                        arrived.set()
                        # Lets the updates begin before the last piece.
                        await asyncio.sleep(0)
            finally:
                arrived.set()

        reading = asyncio.create_task(append())
        try:
            while not reading.done():
                await arrived.wait()
                arrived.clear()
                update = await asyncio.to_thread(self._live.update, partial=self._partial)
                if update is not None:
                    yield update
            await reading
            rest = await asyncio.to_thread(self._live._rest)
            if rest is not None:
                yield rest
        except asyncio.CancelledError:
            self._live.cancel()
            raise
        finally:
            reading.cancel()
