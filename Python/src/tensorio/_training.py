"""Training: steps, epochs, evaluation and weights."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from . import _core, _runtimes
from ._errors import InputError
from ._model import Model, _check_digest, _digest, _opening
from ._options import options_json
from ._tables import _columns
from ._values import Layer, _keep_sizes, _value, _Value

if TYPE_CHECKING:
    import numpy

Timing = Literal["after-update", "before-update", "never"]


@dataclass(frozen=True)
class Variable:
    """A variable of a model, which holds weights or the state of an optimizer."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    trainable: bool


@dataclass(frozen=True)
class Evaluation:
    """The means of a model's outputs over data."""

    loss: float | None
    metrics: dict[str, float]
    items: int


@dataclass(frozen=True)
class Epoch:
    """The results of one epoch."""

    epoch: int
    loss: float | None
    metrics: dict[str, float]
    validation: Evaluation | None
    is_best: bool
    stops_early: bool


@dataclass(frozen=True)
class Step:
    """A completed training step; the last one of an epoch has its results."""

    step: int
    epoch: int
    step_in_epoch: int
    steps_per_epoch: int
    items: int
    loss: float | None
    summary: Epoch | None


@dataclass
class History:
    """The epochs of a training.

    Attributes:
        epochs: The results of each completed epoch.
        steps: The number of steps that were performed.
    """

    epochs: list[Epoch] = field(default_factory=list)
    steps: int = 0

    @property
    def loss(self) -> float | None:
        """The loss of the last epoch."""
        return self.epochs[-1].loss if self.epochs else None

    @property
    def losses(self) -> list[float | None]:
        """The loss of each epoch."""
        return [epoch.loss for epoch in self.epochs]


class Dataset:
    """Items to train or evaluate on, made by `Trainer.dataset`."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle

    def __len__(self) -> int:
        return _core.count_dataset(self._handle)

    def __repr__(self) -> str:
        return f"Dataset({len(self)} items)"


class Trainer:
    """A model that is open for training.

    >>> trainer = tensorio.Trainer("digits-trainable.tiobundle")  # doctest: +SKIP
    >>> trainer.fit("digits-training", epochs=5).loss  # doctest: +SKIP
    0.21

    Several threads may use a trainer; its steps are performed one after another. It pickles with its
    weights.

    Args:
        path: The path of a bundle with the mode ``train``, as a folder or zip.
        threads: The number of threads per step.

    Raises:
        BundleError: The bundle is missing or invalid, the runtime rejects its model, or it cannot be trained.
        RuntimeMissing: The runtime, or another library that the model needs, is not installed.
    """

    def __init__(self, path: str | os.PathLike[str], *, threads: int = 1) -> None:
        self._path = os.path.abspath(os.fspath(path))
        self._options = {"threads": threads}
        with _opening:
            _runtimes.find()
            self._handle = _core.open_trainer(self._path, options_json(self._options))
        fields = json.loads(_core.describe_trainer(self._handle))
        self.id: str = fields["id"]
        self.name: str = fields["name"]
        self.version: str = fields["version"]
        self.backend: str = fields["backend"]
        self.inputs = [Layer(layer) for layer in fields["inputs"]]
        self.outputs = [Layer(layer) for layer in fields["outputs"]]
        self.placeholders = [Layer(layer) for layer in fields["placeholders"]]
        self.variables = [
            Variable(entry["name"], entry["dtype"], tuple(entry["shape"]), entry["trainable"])
            for entry in fields["variables"]
        ]
        self._by_name = {layer.name: layer for layer in self.placeholders + self.inputs}
        self._digest: str | None = None

    def __repr__(self) -> str:
        return f"Trainer({self._path!r}, id={self.id!r}, version={self.version!r})"

    # Data

    def dataset(self, data: Any) -> Dataset:
        """Reads data once, for several calls.

        Args:
            data: A path, a mapping of arrays or columns by input name, a DataFrame, a pyarrow table, or
                a sequence of mappings.
        """
        if isinstance(data, Dataset):
            return data
        if isinstance(data, (str, os.PathLike)):
            return Dataset(_core.open_dataset(self._live(), os.path.abspath(os.fspath(data))))
        columns = _columns(data)
        if columns is None:
            if not isinstance(data, Sequence) or not all(isinstance(item, Mapping) for item in data):
                raise InputError(
                    "expected a path, a mapping of columns, a table, or a sequence of mappings, got "
                    f"{type(data).__name__}", "wrong-type", "input")
            if not data:
                raise InputError("no items", "wrong-count", "input")
            return Dataset(_core.create_dataset([self._item(item, index) for index, item in enumerate(data)]))
        names = [layer.name for layer in self.inputs]
        missing = [name for name in names if name not in columns]
        if missing:
            raise InputError(
                f"missing columns {missing}; the data has {list(columns)}", "input-names", "input")
        lengths = {name: len(columns[name]) for name in names}
        if len(set(lengths.values())) > 1:
            raise InputError(f"columns of different lengths: {lengths}", "wrong-count", "input")
        kept = _keep_sizes(columns)
        rows = zip(*(columns[name] for name in names))
        items = [self._item(dict(zip(names, row)), index) for index, row in enumerate(rows)]
        if not items:
            raise InputError("no items", "wrong-count", "input")
        dataset = Dataset(_core.create_dataset(items))
        del kept
        return dataset

    def _item(self, values: Mapping[str, Any], index: int | None) -> tuple[_Value, ...]:
        try:
            return tuple(
                _value(name, value, self._by_name.get(name)) for name, value in values.items())
        except InputError as error:
            error.item = index
            raise

    def _placeholders(self, values: Mapping[str, Any] | None) -> tuple[_Value, ...]:
        known = [layer.name for layer in self.placeholders]
        for name in values or {}:
            if name not in known:
                raise InputError(
                    f"unknown placeholder '{name}'; placeholders: {', '.join(known) or 'none'}",
                    "unknown-placeholder", "input", name)
        return self._item(values or {}, None)

    # Steps and epochs

    def step(
        self, data: Any, *, placeholders: Mapping[str, Any] | None = None,
        timing: Timing = "after-update",
    ) -> dict[str, Any]:
        """Performs one training step on all items of a batch.

        Args:
            data: The items, as in `dataset`.
            placeholders: Values by name, such as a learning rate.
            timing: Whether the outputs are those of the updated weights, those of the step itself, which
                is faster, or none.

        Returns:
            The outputs by name: a float for a single number, otherwise an array.
        """
        if timing not in ("after-update", "before-update", "never"):
            raise ValueError(f"timing is {timing!r}; expected after-update, before-update or never")
        values = self._placeholders(placeholders)
        output = _core.step(self._live(), self.dataset(data)._handle, values, timing)
        return {name: _number(output, index) for index, name in enumerate(_core.output_names(output))}

    def steps(
        self, data: Any, *, epochs: int = 1, batch_size: int = 32, shuffle: bool = True,
        seed: int = 0, keep_last_batch: bool = True, validation_split: float = 0,
        patience: int | None = None, placeholders: Mapping[str, Any] | None = None,
        timing: Timing = "after-update", loss: str | None = None,
        checkpoints: str | os.PathLike[str] | None = None, checkpoint_steps: int | None = None,
        max_checkpoints: int = 3, resume: bool = False,
    ) -> Iterator[Step]:
        """Trains in epochs, and yields each step after it was performed.

        Leaving the loop ends the training between two steps. The arguments are those of `fit`.
        """
        training, dataset = self._start(
            data, placeholders, checkpoints, epochs=epochs, batch_size=batch_size, shuffle=shuffle,
            seed=seed, keep_last_batch=keep_last_batch, validation_split=validation_split,
            patience=patience, timing=timing, loss=loss, checkpoint_steps=checkpoint_steps,
            max_checkpoints=max_checkpoints, resume=resume)
        return _iterate(training, dataset)

    def _start(
        self, data: Any, placeholders: Mapping[str, Any] | None,
        checkpoints: str | os.PathLike[str] | None, **options: Any,
    ) -> tuple[Any, Dataset]:
        """Prepares a training, whose data must live as long."""
        if checkpoints is not None:
            options["checkpoints"] = os.path.abspath(os.fspath(checkpoints))
        given = {name: value for name, value in options.items() if value is not None}
        values = self._placeholders(placeholders)
        dataset = self.dataset(data)
        training = _core.start_training(self._live(), dataset._handle, options_json(given), values)
        return training, dataset

    def fit(
        self, data: Any, *, epochs: int = 1, batch_size: int = 32, shuffle: bool = True,
        seed: int = 0, keep_last_batch: bool = True, validation_split: float = 0,
        patience: int | None = None, placeholders: Mapping[str, Any] | None = None,
        timing: Timing = "after-update", loss: str | None = None,
        checkpoints: str | os.PathLike[str] | None = None, checkpoint_steps: int | None = None,
        max_checkpoints: int = 3, resume: bool = False,
        on_step: Callable[[Step], object] | None = None,
        on_epoch: Callable[[Epoch], object] | None = None,
    ) -> History:
        """Trains in epochs.

        Args:
            data: The items, as in `dataset`.
            epochs: The number of times each item is trained on.
            batch_size: The number of items per step.
            shuffle: Whether each epoch has another order of items.
            seed: The seed that determines the order.
            keep_last_batch: Whether the remaining items of an epoch form a smaller batch.
            validation_split: The fraction of the items that is used for validation after each epoch.
            patience: The number of epochs without a lower loss after which the training ends.
            placeholders: Values by name, such as a learning rate.
            timing: When the outputs of a step are computed.
            loss: The name of the loss output.
            checkpoints: The folder for checkpoints, which are written after each epoch.
            checkpoint_steps: The number of steps between two checkpoints, instead of an epoch.
            max_checkpoints: The number of checkpoints to keep, in addition to the best one.
            resume: Whether to continue from the newest checkpoint, if there is one.
            on_step: Called after each step. An exception ends the training.
            on_epoch: Called after each epoch. An exception ends the training.

        Raises:
            InputError: An item does not fit the model; ``error.item`` is its index.
            RunError: A step failed, or the loss is NaN or infinite.
        """
        history = History()
        training, dataset = self._start(
            data, placeholders, checkpoints, epochs=epochs, batch_size=batch_size, shuffle=shuffle,
            seed=seed, keep_last_batch=keep_last_batch, validation_split=validation_split,
            patience=patience, timing=timing, loss=loss, checkpoint_steps=checkpoint_steps,
            max_checkpoints=max_checkpoints, resume=resume)
        try:
            for step in _iterate(training, dataset):
                history.steps += 1
                if on_step is not None:
                    on_step(step)
                if step.summary is not None:
                    history.epochs.append(step.summary)
                    if on_epoch is not None:
                        on_epoch(step.summary)
        except KeyboardInterrupt:
            _core.save_training(training)
            raise
        return history

    def evaluate(self, data: Any, *, batch_size: int = 32, loss: str | None = None) -> Evaluation:
        """Returns the means of the model's outputs over data, without changing the weights."""
        text = _core.evaluate(self._live(), self.dataset(data)._handle, batch_size, loss)
        return _evaluation(json.loads(text))

    # Weights

    def weights(self, all: bool = False) -> dict[str, numpy.ndarray[Any, Any]]:
        """Returns copies of the weights by name, always in the same order.

        Args:
            all: Whether to include the state of the optimizer.
        """
        return _arrays(_core.get_weights(self._live(), all))

    def set_weights(self, values: Mapping[str, Any], partial: bool = False) -> None:
        """Assigns weights by name: all of them, or none if one does not fit.

        Args:
            values: Arrays by the name of a variable, with its shape and dtype.
            partial: Whether trainable variables without a value keep theirs; otherwise they are an error.

        Raises:
            InputError: A name is unknown or missing, or an array has another shape or dtype.
        """
        _core.set_weights(self._live(), _weights(values), partial)

    # Files

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Writes the weights to a folder."""
        _core.save_trainer(self._live(), os.path.abspath(os.fspath(folder)))

    def restore(self, folder: str | os.PathLike[str]) -> None:
        """Reads the weights from a folder that `save`, the command line or Swift has written."""
        _core.restore_trainer(self._live(), os.path.abspath(os.fspath(folder)))

    def export(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes a new bundle with the current weights."""
        _core.export_trainer(self._live(), os.path.abspath(os.fspath(path)), overwrite)

    def model(self) -> Model:
        """Returns a model for predictions, which always uses the current weights."""
        return Model._of_trainer(_core.trainer_model(self._live()), self._path)

    # Life

    def _live(self) -> Any:
        if self._handle is None:
            raise ValueError("the trainer is closed")
        return self._handle

    def close(self) -> None:
        """Closes the trainer; further calls raise ValueError."""
        self._handle = None

    def __enter__(self) -> Trainer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        if self._digest is None:
            self._digest = _digest(self._path)
        return _reopen, (self._path, self._options, self._digest, self.weights(all=True))


def _reopen(
    path: str, options: dict[str, Any], digest: str, weights: dict[str, Any]
) -> Trainer:
    """Opens a pickled trainer; the bundle must have the same files."""
    _check_digest(path, digest)
    trainer = Trainer(path, **options)
    trainer.set_weights(weights)
    return trainer


def _weights(values: Mapping[str, Any]) -> tuple[_Value, ...]:
    """Returns the weights of a call."""
    import numpy

    arrays: list[_Value] = []
    for name, value in values.items():
        array = value if isinstance(value, numpy.ndarray) else numpy.asarray(value)
        if array.dtype.kind not in "fiub" or not array.dtype.isnative:
            raise InputError(
                f"expected numbers in native byte order, got an array of {array.dtype}",
                "wrong-type", "input", name)
        arrays.append((name, 1, array, 0))
    return tuple(arrays)


def _arrays(pairs: list[tuple[str, Any]]) -> dict[str, numpy.ndarray[Any, Any]]:
    """Returns weights as arrays by name."""
    import numpy

    return {name: numpy.asarray(buffer) for name, buffer in pairs}


def _iterate(training: Any, dataset: Dataset) -> Iterator[Step]:
    """Yields the steps of a training; the dataset lives as long."""
    while (text := _core.next_step(training)) is not None:
        yield _step(json.loads(text))


def _number(output: Any, index: int) -> Any:
    """Returns an output: a float if it is a single number."""
    import numpy

    value = _core.output_tensor(output, index)
    if isinstance(value, list):
        return value
    array = numpy.asarray(value)
    return float(array.reshape(())) if array.size == 1 and array.dtype.kind in "fiu" else array


def _evaluation(fields: dict[str, Any]) -> Evaluation:
    return Evaluation(fields.get("loss"), fields["metrics"], fields["items"])


def _step(fields: dict[str, Any]) -> Step:
    summary = fields.get("summary")
    epoch = None
    if summary is not None:
        validation = summary.get("validation")
        epoch = Epoch(
            fields["epoch"], summary.get("loss"), summary["metrics"],
            None if validation is None else _evaluation(validation), summary["is_best"],
            summary["stops_early"])
    return Step(
        fields["step"], fields["epoch"], fields["step_in_epoch"], fields["steps_per_epoch"],
        fields["items"], fields.get("loss"), epoch)
