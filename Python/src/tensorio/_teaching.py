"""Teaching models classes of the user."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from . import _core
from ._model import Model
from ._options import options_json
from ._training import Evaluation, _arrays, _evaluation, _weights
from ._values import _value

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy


@dataclass(frozen=True)
class BackboneRefinement:
    """The training of a model on the classes, with the results of the examples that were held out of it."""

    #: The number of epochs that were trained.
    epochs: int
    #: The epoch whose weights the model has; 0 for those that it had before.
    best_epoch: int
    #: The number of examples that were trained.
    trained: int
    #: The results before the training.
    before: Evaluation
    #: The results of the best epoch.
    after: Evaluation


@dataclass(frozen=True)
class TeachingReport:
    """What was measured when classes were taught; accuracies are those of examples that were held out in turn."""

    #: The fraction of examples that are right.
    accuracy: float
    #: The interval that contains the true accuracy with a probability of 95 %.
    interval: tuple[float, float]
    #: The classes with their numbers of examples.
    classes: dict[str, int]
    #: The number of examples of each class (row) that were taken for each class (column).
    confusion: list[list[int]]
    #: The cosine distance beyond which an input is unknown; ``None`` if each belongs to a class.
    max_distance: float | None
    #: The examples that are probably in the wrong class: name, label and suggestion.
    mislabeled: list[tuple[str, str, str]]
    #: The examples with the same input as another one: both names.
    duplicates: list[tuple[str, str]]
    #: The examples that could not be used, with the reasons.
    skipped: dict[str, str]
    #: Advice on data that allows no reliable classifier.
    warnings: list[str]
    #: The training of the model; ``None`` if there was none.
    refinement: BackboneRefinement | None
    #: All members, as ``tensorio teach --format json`` prints them.
    json: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Calibration:
    """What examples determine for weights that were not fitted to them."""

    #: The number by which the weights were divided, so that probabilities are as sure as they are right.
    temperature: float
    #: The cosine distance beyond which an input is unknown; ``None`` if each belongs to a class.
    max_distance: float | None
    #: The results of the divided weights on the examples.
    evaluation: Evaluation


class Teacher:
    """Teaches a model classes from a few examples of each.

    >>> teacher = tensorio.Teacher("mobilenet.tiobundle")  # doctest: +SKIP
    >>> teacher.add("cup", ["cup-1.jpg", "cup-2.jpg"])  # doctest: +SKIP
    >>> teacher.add_data("photos")  # doctest: +SKIP
    >>> teacher.export("mine.tiobundle").accuracy  # doctest: +SKIP
    0.98

    The model is not trained: a classifier is fitted to its embeddings of the examples, and becomes a part of the model
    in a new bundle. Several threads may use a teacher.

    Args:
        model: A model, or the path of a bundle, that computes embeddings, or a classifier; its embedding is what its last
            layer takes. A taught bundle continues with its examples.
        unknown_rate: The fraction of the classes' own inputs that may be taken for unknown ones; 0 for no class of unknown
            inputs.
        regularization: C of the logistic regression; ``None`` chooses it by held-out examples.
        label_column: The column of tables, or the key of JSON lines, with the labels.
        cache: The folder with cached embeddings; ``False`` for none, ``True`` for that of the command line.
        classes: The classes, in the order of their scores, of which some may have no examples; ``None`` for those of the
            examples.

    Raises:
        BundleError: The bundle is missing or invalid, or has no embedding.
        RuntimeMissing: The runtime, or another library that the model needs, is not installed.
    """

    def __init__(
        self, model: Model | str | os.PathLike[str], *, unknown_rate: float = 0.1,
        regularization: float | None = None, label_column: str = "label", cache: bool | str | os.PathLike[str] = True,
        classes: Sequence[str] | None = None,
    ) -> None:
        self._model = model if isinstance(model, Model) else Model(model)
        options: dict[str, Any] = {"unknown_rate": unknown_rate, "label_column": label_column}
        if classes is not None:
            options["classes"] = list(classes)
        if regularization is not None:
            options["regularization"] = regularization
        if cache is not True:
            options["cache"] = "" if cache is False else os.path.abspath(os.fspath(cache))
        self._handle = _core.open_teacher(self._model._live(), options_json(options))

    @property
    def classes(self) -> dict[str, int]:
        """The classes in the order of their scores, with their numbers of examples."""
        return json.loads(_core.teacher_classes(self._handle))  # type: ignore[no-any-return]

    def add(self, label: str, values: Any) -> None:
        """Adds examples of a class.

        Args:
            label: The class; ``unknown`` for inputs of no class, with which the rejection of such is measured.
            values: One item, or a list of items, as the model takes them.

        Raises:
            InputError: A value does not fit the model.
        """
        items: Iterable[Any] = values if isinstance(values, (list, tuple)) else [values]
        for item in items:
            name = str(item) if isinstance(item, (str, os.PathLike)) else ""
            _core.add_example(self._handle, self._model._values(item), label, name)

    def add_data(self, path: str | os.PathLike[str], label: str | None = None) -> None:
        """Adds the examples of files; those that cannot be read are skipped.

        Args:
            path: A folder with a folder of images or sounds per class, or a .csv, .tsv or .ndjson file.
            label: The class of all files of a folder, or of the lines of a .txt file.

        Raises:
            InputError: The data cannot be read or does not fit the model.
        """
        _core.add_examples(self._handle, os.path.abspath(os.fspath(path)), label)

    def add_gallery(self, path: str | os.PathLike[str]) -> None:
        """Adds the embeddings that a gallery has under names, which become classes.

        Args:
            path: The gallery, such as ``own.sqlite``; the same bundle has to have computed its embeddings.

        Raises:
            InputError: The file is not a gallery, or another bundle has computed its embeddings.
        """
        _core.add_gallery(self._handle, os.path.abspath(os.fspath(path)))

    def remove(self, name: str) -> int:
        """Removes a class, ``unknown`` for the examples of no class, or an example; returns the number of removed examples."""
        return _core.remove_examples(self._handle, name)

    def refine(
        self, epochs: int = 20, *, patience: int = 3, batch_size: int = 16,
        augment: Sequence[str] = ("crop", "color", "shift", "noise"),
        placeholders: Mapping[str, Any] | None = None, seed: int = 0,
    ) -> BackboneRefinement:
        """Trains the model on the classes, with the mode ``train`` of the bundle, before a classifier is fitted.

        >>> teacher = tensorio.Teacher("digits-trainable.tiobundle")  # doctest: +SKIP
        >>> teacher.add_data("photos")  # doctest: +SKIP
        >>> teacher.refine(epochs=10).after.metrics  # doctest: +SKIP
        {'accuracy': 0.97}

        A fifth of the examples is held out. The model gets the weights of the epoch with their lowest loss, and keeps its own
        if none is lower. Another call continues with the trained weights. A taught bundle that was refined contains no inputs:
        its examples have to be added again first.

        Args:
            epochs: The maximum number of epochs.
            patience: The number of epochs without a lower loss of held-out examples after which the training ends.
            batch_size: The number of examples of a step.
            augment: The random changes of images and sounds: ``flip``, ``crop``, ``color``, ``shift`` and ``noise``.
            placeholders: Values by name, such as a learning rate.
            seed: The seed of the order of the examples and of the changes.

        Returns:
            The results before and after the training.

        Raises:
            BundleError: The bundle has no mode ``train``, or one with other inputs than those of predictions and a label.
            InputError: There are more classes than the model distinguishes, or the input of an example is not available.
            RunError: A step failed.
        """
        options = {
            "epochs": epochs, "patience": patience, "batch_size": batch_size, "seed": seed,
            "augment": augment if isinstance(augment, str) else list(augment)}
        values = tuple(_value(name, value, None) for name, value in (placeholders or {}).items())
        return _refinement(json.loads(_core.refine_teacher(self._handle, options_json(options), values)))

    def fit(self) -> TeachingReport:
        """Fits a classifier and returns its report, without writing it.

        Raises:
            InputError: There are fewer than two classes, or fewer than two examples of one.
        """
        return self._fit(None, False)

    def export(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> TeachingReport:
        """Fits a classifier and writes a bundle with it.

        Args:
            path: The path of the new bundle.
            overwrite: Whether to replace an existing bundle.

        Raises:
            InputError: There are fewer than two classes, or fewer than two examples of one.
            RunError: The bundle exists, or cannot be written.
        """
        return self._fit(os.path.abspath(os.fspath(path)), overwrite)

    def _fit(self, path: str | None, overwrite: bool) -> TeachingReport:
        report = json.loads(_core.fit_teacher(self._handle, path, overwrite))
        accuracy = report["accuracy"]
        return TeachingReport(
            accuracy=accuracy["value"],
            interval=(accuracy.get("low", 0.0), accuracy.get("high", 1.0)),
            classes={entry["label"]: entry["examples"] for entry in report["classes"]},
            confusion=report["confusion"],
            max_distance=report["unknown"]["max_distance"] if "unknown" in report else None,
            mislabeled=[(entry["name"], entry["label"], entry["suggestion"]) for entry in report["mislabeled"]],
            duplicates=[(entry["name"], entry["same_as"]) for entry in report["duplicates"]],
            skipped={entry["name"]: entry["message"] for entry in report["skipped"]},
            warnings=report["warnings"],
            refinement=_refinement(report["refinement"]) if "refinement" in report else None,
            json=report,
        )

    # The weights of the classifier, which clients of a federation exchange

    def weights(self) -> dict[str, numpy.ndarray[Any, Any]]:
        """Returns copies of the classifier's weights: ``head/weights`` with a row for each class, and ``head/bias``.

        They are those of a taught bundle, or the last that were set or trained, otherwise zeros.
        """
        return _arrays(_core.teacher_weights(self._handle))

    def set_weights(self, values: Mapping[str, Any]) -> None:
        """Assigns both weights, such as the mean of those of several clients, or none if one does not fit.

        Raises:
            InputError: A name is unknown or missing, an array has another shape, or a number is not finite.
        """
        import numpy

        arrays = {name: numpy.asarray(value) for name, value in values.items()}
        _core.set_teacher_weights(self._handle, _weights({
            name: array.astype("f") if array.dtype.kind == "f" else array for name, array in arrays.items()}))

    def train(self, proximity: float | None = None) -> Evaluation:
        """Fits the classifier to the examples, near its present weights.

        So classes without examples are not forgotten, and the mean of the weights of several clients, round by round,
        becomes a classifier of all their examples. `calibrate` determines a temperature and a distance of unknown inputs.

        Args:
            proximity: The weight of half the squared distance from the present weights, in comparison with the mean loss of
                an example, as in FedProx; ``None`` for 0.003.

        Returns:
            The results of the new weights on the examples.

        Raises:
            InputError: There are no examples, or fewer than two classes.
        """
        return _evaluation(json.loads(_core.train_teacher(self._handle, proximity)))

    def evaluate(self) -> Evaluation:
        """Evaluates the present weights on the examples.

        Raises:
            InputError: There are no examples, or fewer than two classes.
        """
        return _evaluation(json.loads(_core.evaluate_teacher(self._handle)))

    def calibrate(self) -> Calibration:
        """Determines the temperature of the weights, and the distance beyond which an input is unknown, from the examples.

        The examples have to be others than those that the weights were fitted to, such as those that the server of a federation
        holds out. The weights are divided by the temperature, and `export_weights` writes a bundle that rejects unknown inputs,
        unless ``unknown_rate`` is 0, and that contains the embeddings of these examples.

        Raises:
            InputError: There are fewer than two classes, or fewer than two examples of one.
        """
        fields = json.loads(_core.calibrate_teacher(self._handle))
        return Calibration(fields["temperature"], fields["max_distance"], _evaluation(fields))

    def export_weights(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes a bundle with the classifier of the present weights; only after `calibrate`, it can reject unknown inputs.

        Args:
            path: The path of the new bundle.
            overwrite: Whether to replace an existing bundle.

        Raises:
            RunError: The bundle exists, or cannot be written.
        """
        _core.export_teacher(self._handle, os.path.abspath(os.fspath(path)), overwrite)

    def __len__(self) -> int:
        return sum(self.classes.values())

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"Teacher({self.classes})"


def _refinement(fields: dict[str, Any]) -> BackboneRefinement:
    def results(name: str) -> Evaluation:
        found = fields[name]
        return Evaluation(float(found["log_loss"]), {"accuracy": float(found["accuracy"])}, fields["held_out"])

    return BackboneRefinement(
        fields["epochs"], fields["best_epoch"], fields["trained"], results("before"), results("after"))
