"""Galleries: embeddings stored under names."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from ._model import Model


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


class Gallery:
    """The gallery that a model was opened with.

    >>> model = tensorio.Model("digits-embedder.tiobundle", gallery="own.sqlite")  # doctest: +SKIP
    >>> model.gallery.enroll("three", ["three-1.png", "three-2.png"])  # doctest: +SKIP
    2
    >>> model("another.png").recognition.name  # doctest: +SKIP
    'three'

    Several threads and processes may use a gallery at the same time: a model recognizes what any of them has
    enrolled.
    """

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def names(self) -> dict[str, int]:
        """The enrolled names in order, with their numbers of embeddings."""
        return json.loads(_core.enrolled(self._model._live()))  # type: ignore[no-any-return]

    def enroll(self, name: str, values: Any) -> int:
        """Computes the embeddings of items and stores them under a name.

        Args:
            name: The name, which may have other embeddings.
            values: One item, or a list of items, as the model takes them: images or texts. If an item fails, those
                before it are enrolled.

        Returns:
            The number of embeddings that the name did not have yet.

        Raises:
            InputError: A value does not fit the model.
            OutputError: A chain has found no object in an image, or several.
        """
        items: Iterable[Any] = values if isinstance(values, (list, tuple)) else [values]
        added = 0
        for item in items:
            result = self._model(item)
            added += _core.enroll(result._output, name, result._name)
        return added

    def remove(self, name: str) -> int:
        """Removes a name, and returns its number of embeddings: 0 for an unknown name."""
        return _core.remove_enrolled(self._model._live(), name)

    def __repr__(self) -> str:
        return f"Gallery({self.names})"


def recognition(value: dict[str, Any]) -> Recognition:
    """Returns the recognition in the JSON of a result."""
    return Recognition(
        value["name"] if value["matched"] else None, value.get("distance"), value["votes"],
        [Neighbor(entry["name"], float(entry["distance"])) for entry in value["neighbors"]])
