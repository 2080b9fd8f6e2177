"""Classifiers of embeddings as trainers of a federation."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ._model import Model
from ._teaching import Teacher

if TYPE_CHECKING:
    from ._training import Evaluation


class Head:
    """The classifier of a backbone: its weights, without examples; data becomes a teacher with examples.

    Args:
        path: A bundle that `Teacher` takes.
        classes: The classes that all members of a federation have agreed on, in their order.
        threads: The number of threads per run of the backbone.
        regularization: C of the logistic regression.
        unknown_rate: The fraction of the classes' own inputs that may be taken for unknown ones, after `calibrate`.
    """

    def __init__(
        self, path: str | os.PathLike[str], classes: Sequence[str], *, threads: int = 1,
        regularization: float | None = None, unknown_rate: float = 0,
    ) -> None:
        self._model = Model(path, threads=threads)
        self._classes, self._regularization = list(classes), regularization
        self._unknown_rate = unknown_rate
        self._teacher = self._exported = self._open()

    def _open(self) -> Teacher:
        return Teacher(
            self._model, classes=self._classes, unknown_rate=self._unknown_rate,
            regularization=self._regularization)

    def dataset(self, data: Any) -> Teacher:
        """Returns a teacher with the examples of data; the embeddings of files are cached.

        Args:
            data: A path, as for ``Teacher.add_data``, or a mapping of classes to paths, to values, or to lists of both.
        """
        if isinstance(data, Teacher):
            return data
        teacher = self._open()
        if isinstance(data, (str, os.PathLike)):
            teacher.add_data(data)
            return teacher
        for label, values in data.items():
            for value in values if isinstance(values, (list, tuple)) else [values]:
                if isinstance(value, (str, os.PathLike)):
                    teacher.add_data(value, label)
                else:
                    teacher.add(label, value)
        return teacher

    def weights(self, all: bool = False) -> dict[str, Any]:
        """Returns the weights by name; there is no other state."""
        del all
        return self._teacher.weights()

    def set_weights(self, values: Mapping[str, Any], partial: bool = False) -> None:
        """Assigns both weights."""
        del partial
        self._teacher.set_weights(values)
        self._exported = self._teacher

    def fit(self, teacher: Teacher, proximity: float | None = None) -> Evaluation:
        """Fits the weights to examples, near those that it has."""
        teacher.set_weights(self.weights())
        found = teacher.train(proximity)
        self.set_weights(teacher.weights())
        return found

    def evaluate(self, teacher: Teacher) -> Evaluation:
        """Evaluates the weights on examples."""
        teacher.set_weights(self.weights())
        return teacher.evaluate()

    def calibrate(self, teacher: Teacher) -> None:
        """Calibrates what `export` writes on examples that the weights were not fitted to."""
        teacher.set_weights(self.weights())
        teacher.calibrate()
        self._exported = teacher

    def export(self, path: str | os.PathLike[str]) -> None:
        """Writes a bundle with the classifier, as it was calibrated last."""
        self._exported.export_weights(path)
