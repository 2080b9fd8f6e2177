"""Texts as sound."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any, TypedDict

from . import _core
from ._sound import Sound


class SpeechOptions(TypedDict, total=False):
    """How a text is spoken; the bundle's settings apply where there is no option.

    Attributes:
        voice: The name of the voice.
        speed: The speed, from 0.25 to 4.
        noise: How much the sound varies from call to call; 0 always makes the same sound.
        language: The language, as a voice of the program ``espeak-ng`` such as ``en-us``.
        pause: The time between two sentences, in seconds.
        phonemes: Whether the text consists of phonemes.
    """

    voice: str | None
    speed: float
    noise: float | None
    language: str | None
    pause: float
    phonemes: bool


@dataclass(frozen=True, eq=False)
class Sentence:
    """A sentence with its sound.

    Attributes:
        text: The text.
        phonemes: The phonemes that the voice speaks.
        start: Where the sentence begins in the sound of all sentences, in seconds.
        end: Where it ends.
        samples: The samples of one channel, an array of ``float32``.
        rate: The number of samples per second.
    """

    text: str
    phonemes: str
    start: float
    end: float
    samples: Any
    rate: int

    @property
    def sound(self) -> Sound:
        """The sound of the sentence."""
        return Sound(self.samples, self.rate)

    def __str__(self) -> str:
        return self.text


class Speech(Iterator[Sentence], AsyncIterator[Sentence]):
    """A text that is spoken while it is read, sentence by sentence, by ``for`` or ``async for``.

    >>> for sentence in model.speak("One sentence. And another one."):  # doctest: +SKIP
    ...     play(sentence.samples, sentence.rate)

    The next sentence is spoken when the one before was read.
    """

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self._sentences: list[Sentence] = []

    def __next__(self) -> Sentence:
        sentence = self._next()
        if sentence is None:
            raise StopIteration
        return sentence

    async def __anext__(self) -> Sentence:
        try:
            sentence = await asyncio.to_thread(self._next)
        except asyncio.CancelledError:
            self.cancel()
            raise
        if sentence is None:
            raise StopAsyncIteration
        return sentence

    def _next(self) -> Sentence | None:
        import numpy

        if _core.next_piece(self._handle) is None:
            return None
        members = json.loads(_core.generation_result(self._handle))["sentences"][len(self._sentences)]
        samples, rate = _core.generation_sound(self._handle)
        sentence = Sentence(**members, samples=numpy.frombuffer(samples, numpy.float32), rate=rate)
        self._sentences.append(sentence)
        return sentence

    def result(self) -> Sound:
        """Speaks the rest of the text, and returns the sound of all of it."""
        for _ in self:
            pass
        return self.sound

    def cancel(self) -> None:
        """Ends the speech, also from another thread: a loop that reads it raises `RunError` with the code ``cancelled``."""
        _core.cancel_generation(self._handle)

    @property
    def sentences(self) -> list[Sentence]:
        """The sentences so far."""
        return list(self._sentences)

    @property
    def sound(self) -> Sound:
        """The sound so far, with silence between the sentences."""
        import numpy

        if not self._sentences:
            return Sound(numpy.zeros(0, numpy.float32), 1)
        rate, last = self._sentences[0].rate, self._sentences[-1]
        samples = numpy.zeros(round(last.start * rate) + len(last.samples), numpy.float32)
        for sentence in self._sentences:
            start = round(sentence.start * rate)
            samples[start:start + len(sentence.samples)] = sentence.samples
        return Sound(samples, rate)

    @property
    def samples(self) -> Any:
        """The samples so far, an array of ``float32``."""
        return self.sound.samples

    @property
    def rate(self) -> int:
        """The number of samples per second; known after the first sentence."""
        return self.sound.rate

    def __repr__(self) -> str:
        return f"Speech({' '.join(map(str, self._sentences))!r})"
