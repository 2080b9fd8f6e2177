"""What was said in recordings."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from . import _core


class TranscriptionOptions(TypedDict, total=False):
    """How a recording is transcribed; the bundle's settings apply where there is no option.

    Attributes:
        language: The code of the language, such as ``en``; without it, the language is detected.
        translate: Whether the text is translated to English.
        prompt: A text whose spelling of names and style the transcript follows.
        words: Whether words have times.
        temperatures: The temperatures that are tried in turn, until the text is neither improbable nor repetitive.
        beams: The number of texts that are followed at the temperature 0 to find the most probable one.
        compression_threshold: The compression ratio above which a text is repetitive.
        logprob_threshold: The mean logarithm of probabilities below which a text is improbable.
        silence_threshold: The probability of silence above which an improbable text is left out.
        follow_text: Whether the text of a window follows that of the windows before it.
        seed: The seed of the random numbers above temperature 0.
        sections: The sections that are transcribed, such as those with speech, as pairs of times in seconds.
        label_speakers: Whether segments have speakers, for a bundle that contains a model of voices.
    """

    language: str | None
    translate: bool
    prompt: str | None
    words: bool
    temperatures: Sequence[float]
    beams: int
    compression_threshold: float
    logprob_threshold: float
    silence_threshold: float
    follow_text: bool
    seed: int | None
    sections: Sequence[tuple[float, float]] | None
    label_speakers: bool


@dataclass(frozen=True)
class Word:
    """A word with its times in seconds, and the mean probability of its tokens."""

    word: str
    start: float
    end: float
    probability: float

    def __str__(self) -> str:
        return self.word.strip()


@dataclass(frozen=True)
class Segment:
    """A section of a recording with its text.

    Attributes:
        start: Where it begins, in seconds.
        end: Where it ends.
        text: The text, which usually begins with a space.
        words: The words with their times; empty unless they were requested.
        tokens: The tokens of the text and of its times.
        avg_logprob: The mean of the logarithms of the probabilities of the window's tokens.
        no_speech_prob: The probability that the window has no speech.
        compression_ratio: The length of the window's text divided by its compressed length.
        temperature: The temperature at which the tokens were chosen.
        seek: Where the window begins, in frames of the spectrogram.
        speaker: The name of the speaker, if the bundle names speakers or they were requested, and the whole recording was
            transcribed.
    """

    start: float
    end: float
    text: str
    tokens: list[int]
    avg_logprob: float
    no_speech_prob: float
    compression_ratio: float
    temperature: float
    seek: int
    words: list[Word] = field(default_factory=list)
    speaker: str | None = None

    def __str__(self) -> str:
        return self.text.strip()


@dataclass(frozen=True)
class Transcript:
    """What was said in a recording.

    Attributes:
        text: The text of all segments.
        language: The code of the language.
        duration: The length of the recording in seconds.
        segments: The sections with text, in order.
    """

    text: str
    language: str
    duration: float
    segments: list[Segment]

    def __str__(self) -> str:
        return self.text.strip()


def segment_of(members: dict[str, Any]) -> Segment:
    """Returns the segment of JSON."""
    return Segment(**{**members, "words": [Word(**word) for word in members.get("words", [])]})


def transcript_of(text: str) -> Transcript:
    """Returns the transcript of JSON."""
    members = json.loads(text)
    members["segments"] = [segment_of(segment) for segment in members["segments"]]
    return Transcript(**members)


class Transcription(Iterator[Segment], AsyncIterator[Segment]):
    """A transcript that is written while it is read, by ``for`` or ``async for``.

    >>> for segment in model.transcribe("talk.wav"):  # doctest: +SKIP
    ...     print(segment.start, segment)

    The model listens to the next window when the segments of the one before were read.
    """

    def __init__(self, handle: Any, label: Callable[[], None] | None = None) -> None:
        self._handle = handle
        self._count = 0
        self._label = label

    def __next__(self) -> Segment:
        segment = self._next()
        if segment is None:
            raise StopIteration
        return segment

    async def __anext__(self) -> Segment:
        try:
            segment = await asyncio.to_thread(self._next)
        except asyncio.CancelledError:
            self.cancel()
            raise
        if segment is None:
            raise StopAsyncIteration
        return segment

    def _next(self) -> Segment | None:
        if _core.next_piece(self._handle) is None:
            return None
        self._count += 1
        return self.transcript.segments[self._count - 1]

    def result(self) -> Transcript:
        """Transcribes the rest of the recording, and returns all of it."""
        for _ in self:
            pass
        if self._label:
            self._label()
            self._label = None
        return self.transcript

    def cancel(self) -> None:
        """Ends the transcript, also from another thread: a loop that reads it raises `RunError` with the code ``cancelled``."""
        _core.cancel_generation(self._handle)

    @property
    def transcript(self) -> Transcript:
        """The transcript so far."""
        return transcript_of(_core.generation_result(self._handle))

    def __repr__(self) -> str:
        return f"Transcription({self.transcript.text!r})"
