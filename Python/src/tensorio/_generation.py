"""Text that language models generate, and conversations with them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypedDict

from . import _core
from ._errors import InputError
from ._options import options_json
from ._values import _TEXT, _Value


class GenerationOptions(TypedDict, total=False):
    """How a text is generated; the bundle's settings apply where there is no option.

    Attributes:
        max_tokens: The maximum number of tokens.
        stop: A text, or several, before which the generated text ends.
        temperature: The number that scores are divided by before a token is drawn; 0 takes the most probable token.
        top_k: The number of most probable tokens of which one is drawn; 0 for all.
        top_p: The probability of the most probable tokens together, of which one is drawn.
        min_p: The least probability of a token, as a part of that of the most probable one.
        repetition_penalty: The number that lowers the scores of tokens that the prompt or the text has.
        no_repeat_ngram_size: The length of sequences of tokens that the text does not repeat; 0 allows all.
        beams: The number of texts that are followed to find the most probable one; it is written at the end.
        length_penalty: With beams, the power of the number of tokens by which the score of a text is divided.
        early_stopping: Whether the search ends as soon as it has found as many texts as it follows.
        presence_penalty: The number that is subtracted from the scores of tokens that the text has.
        frequency_penalty: The number that is subtracted from the score of a token for each time that the text has it.
        seed: The seed of the random numbers: equal seeds give equal texts.
        raw: Whether the prompt is continued as it is, without the bundle's template.
        json: Whether the text has to be a JSON object.
        json_schema: The JSON Schema that the text has to fulfill as JSON, such as that of a pydantic model.
        pattern: The regular expression that has to match the whole text. At most one of the three can be given.
        allow_special_tokens: Whether special tokens in messages have their meaning; if not, they are an error.
        max_cache_bytes: The maximum size of the model's caches.
    """

    max_tokens: int | None
    stop: str | Sequence[str] | None
    temperature: float | None
    top_k: int | None
    top_p: float | None
    min_p: float | None
    repetition_penalty: float | None
    no_repeat_ngram_size: int | None
    beams: int | None
    length_penalty: float | None
    early_stopping: bool
    presence_penalty: float | None
    frequency_penalty: float | None
    seed: int | None
    raw: bool
    json: bool
    json_schema: Mapping[str, Any] | bool
    pattern: str
    allow_special_tokens: bool
    max_cache_bytes: int | None


class GeneratedPiece(str):
    """A piece of a generated text: often a word, empty while a character is incomplete or may be part of a stop text.

    Attributes:
        id: The id of the token that was generated; None for text that was held back until the end.
    """

    __slots__ = ("id",)
    id: int | None

    def __new__(cls, text: str, id: int | None = None) -> GeneratedPiece:
        piece = super().__new__(cls, text)
        piece.id = id
        return piece


@dataclass(frozen=True)
class GeneratedText:
    """A text that a model has generated.

    Attributes:
        text: The text.
        end: Why it ends: ``stop`` (the model has ended it, or a stop text follows), ``length`` (the maximum number of
            tokens, or the context is full), or ``cancelled`` for a text that is not complete.
        tokens: The ids of its tokens.
        prompt_tokens: The number of tokens of the prompt.
        cached_tokens: The number of those that a conversation had processed before.
        prompt_seconds: The time until the first token.
        seconds: The time from the first token to the last one.
    """

    text: str
    end: str
    tokens: list[int]
    prompt_tokens: int
    cached_tokens: int
    prompt_seconds: float
    seconds: float


class Generation(Iterator[GeneratedPiece], AsyncIterator[GeneratedPiece]):
    """A text that is generated while it is read, by ``for`` or ``async for``.

    >>> for piece in model.generate("Write a haiku about the sea."):  # doctest: +SKIP
    ...     print(piece, end="", flush=True)

    A token is generated when the next piece is requested: after a loop that ends early, nothing more is
    generated, and another loop continues the text.
    """

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def __next__(self) -> GeneratedPiece:
        piece = self._next()
        if piece is None:
            raise StopIteration
        return piece

    async def __anext__(self) -> GeneratedPiece:
        try:
            piece = await asyncio.to_thread(self._next)
        except asyncio.CancelledError:
            self.cancel()
            raise
        if piece is None:
            raise StopAsyncIteration
        return piece

    def _next(self) -> GeneratedPiece | None:
        piece = _core.next_piece(self._handle)
        return None if piece is None else GeneratedPiece(*piece)

    def result(self) -> GeneratedText:
        """Generates the rest of the text, and returns all of it."""
        for _ in self:
            pass
        return self._so_far()

    def cancel(self) -> None:
        """Ends the text, also from another thread: a loop that reads it raises `RunError` with the code ``cancelled``."""
        _core.cancel_generation(self._handle)

    def _so_far(self) -> GeneratedText:
        return GeneratedText(**json.loads(_core.generation_result(self._handle)))

    @property
    def text(self) -> str:
        """The text so far."""
        return self._so_far().text

    @property
    def tokens(self) -> list[int]:
        """The ids of the tokens so far."""
        return self._so_far().tokens

    @property
    def end(self) -> str:
        """Why the text ends; ``cancelled`` while it is not complete."""
        return self._so_far().end

    def __repr__(self) -> str:
        return f"Generation({self.text!r})"


class Conversation:
    """Messages and the answers of a model, whose tokens stay in its caches: each answer processes only what is new.

    >>> chat = model.chat(system="Answer briefly.")  # doctest: +SKIP
    >>> for piece in chat.send("What is the capital of France?"):  # doctest: +SKIP
    ...     print(piece, end="", flush=True)
    """

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def send(self, message: str) -> Generation:
        """Returns the answer to a message. An earlier answer that is not complete counts as far as it was read."""
        return Generation(_core.send_message(self._handle, message))

    @property
    def messages(self) -> list[dict[str, str]]:
        """The messages so far, with ``role`` and ``content``."""
        return json.loads(_core.conversation_messages(self._handle))  # type: ignore[no-any-return]


def _prompt_values(prompt: str | Sequence[Mapping[str, str]]) -> tuple[_Value, ...]:
    """Returns a prompt, or messages with their roles as names, as the library takes them."""
    if isinstance(prompt, str):
        return ((None, _TEXT, prompt, 0),)
    if not isinstance(prompt, Sequence) or not prompt:
        raise InputError("expected a text, or messages with 'role' and 'content'", "wrong-type", "input")
    messages: Sequence[Any] = prompt
    for index, message in enumerate(messages):
        is_message = isinstance(message, Mapping) and set(message) == {"role", "content"}
        if not is_message or not all(isinstance(text, str) for text in message.values()):
            raise InputError(
                f"message {index} must have the texts 'role' and 'content', got {message!r:.100}", "wrong-type", "input")
    return tuple((message["role"], _TEXT, message["content"], 0) for message in messages)


def _options_json(options: Mapping[str, Any]) -> str:
    given = {name: value for name, value in options.items() if value is not None}
    if isinstance(given.get("stop"), str):
        given["stop"] = [given["stop"]]
    return options_json(given)
