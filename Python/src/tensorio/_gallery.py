"""Galleries: embeddings stored under names."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from ._model import Model


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
