"""Federated training of bundles, and of classifiers of embeddings, with Flower.

The module of a Flower app has two lines:

>>> client = tensorio.flower.client_app("digits-trainable.tiobundle", "data/{partition}")  # doctest: +SKIP
>>> server = tensorio.flower.server_app("digits-trainable.tiobundle", rounds=20)  # doctest: +SKIP
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import socket
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ._bundles import PortableBundle
from ._errors import InputError
from ._imports import require
from ._rounds import Checkpoints, Rejected, Round, Screen, export_version

__all__ = [
    "PortableBundle", "Round", "Screen", "ServerApp", "client_app", "export_version", "server_app",
    "task_config",
]

_log = logging.getLogger("tensorio.flower")
_Bundle = PortableBundle | str | os.PathLike[str]
# The keys of a configuration that are not placeholders of the model.
_KEYS = {"server-round", "epochs", "batch-size", "seed", "shuffle", "proximal-mu", "clipping_norm"}
_HEAD_KEYS = {"server-round", "proximal-mu", "clipping_norm"}


@dataclass(frozen=True)
class _Task:
    """What a federation trains: the variables of a bundle, or a classifier of its embeddings."""

    bundle: PortableBundle
    classes: tuple[str, ...] | None = None
    regularization: float | None = None
    unknown_rate: float = 0

    @staticmethod
    def of(
        bundle: _Bundle, classes: Sequence[str] | None, regularization: float | None = None,
        unknown_rate: float = 0,
    ) -> _Task:
        if classes is None and regularization is not None:
            raise ValueError("regularization needs classes")
        labels = None if classes is None else tuple(classes)
        return _Task(PortableBundle.of(bundle), labels, regularization, unknown_rate)

    @property
    def digest(self) -> str:
        """The digest of what all members have to agree on."""
        if self.classes is None:
            return self.bundle.digest
        return hashlib.sha256("\0".join([self.bundle.digest, *self.classes]).encode()).hexdigest()

    def open(self, threads: int) -> Any:
        """Returns a trainer, or a classifier that is used like one."""
        from . import Trainer
        from ._heads import Head

        path = self.bundle.local_path()
        if self.classes is None:
            return Trainer(path, threads=threads)
        return Head(
            path, self.classes, threads=threads, regularization=self.regularization,
            unknown_rate=self.unknown_rate)


# Clients

class _Client:
    """The trainer of a process, and the weights that every message begins with."""

    def __init__(self, task: _Task, threads: int) -> None:
        self.task, self._threads = task, threads
        self._trainer: Any = None
        self._initial: dict[str, Any] = {}
        self.lock = threading.Lock()

    def trainer(self, arrays: Mapping[str, Any], state: Mapping[str, Any] | None = None) -> Any:
        """Returns the trainer with the given weights; the optimizer is in its initial state, or the given."""
        if self._trainer is None:
            self._trainer = self.task.open(self._threads)
            self._initial = self._trainer.weights(all=True)
        values = {name: _fitted(array, self._initial.get(name)) for name, array in arrays.items()}
        self._trainer.set_weights({**self._initial, **(state or {}), **values})
        return self._trainer

    def __reduce__(self) -> tuple[Any, ...]:
        return _Client, (self.task, self._threads)


def _fitted(array: Any, like: Any) -> Any:
    """Returns an array with the type of a variable: averages have float64."""
    return array if like is None or array.dtype == like.dtype else array.astype(like.dtype)


def client_app(
    bundle: _Bundle, data: Any, *, evaluation: Any = None, epochs: int = 1, batch_size: int = 32,
    threads: int = 1, keep_optimizer: bool = False, mods: Sequence[Any] = (),
    train_mods: Sequence[Any] = (), classes: Sequence[str] | None = None,
    regularization: float | None = None,
) -> Any:
    """Returns a Flower ``ClientApp`` that trains and evaluates a bundle on a client's data.

    With ``classes``, it teaches: it embeds the examples of the client, and fits a classifier to them
    near the weights of the server, as `Teacher.train` does. The bundle is one that `Teacher` takes.

    The configuration of a message sets ``epochs``, ``batch-size``, ``seed``, ``shuffle``, and the
    placeholders of the bundle by their names, such as ``learning_rate``. With ``proximal-mu``, which
    FedProx sends, each step is followed by a proximal step towards the weights of the server; a
    classifier takes no other setting.

    Args:
        bundle: A bundle with the mode ``train``, or with an embedding.
        data: The client's data, as for ``Trainer.fit``: a path, in which ``{partition}`` is the number
            of the client's partition, or a function of Flower's context that returns the data. For a
            classifier, a path as for ``Teacher.add_data``, or a mapping of classes to lists of paths or
            values.
        evaluation: The data to evaluate on, in the same forms; by default, the data to train on.
        epochs: The number of epochs per round, unless the configuration has it.
        batch_size: The number of items per step, unless the configuration has it.
        threads: The number of threads per step.
        keep_optimizer: Whether a client keeps the state of its optimizer from round to round.
        mods: Flower's mods for all messages.
        train_mods: Mods for training only, such as ``LocalDpMod`` or ``fixedclipping_mod``.
        classes: The classes that all members have agreed on, of which a client may lack some.
        regularization: C of the classifier's logistic regression.
    """
    flwr, clientapp = require("flwr.app", "flwr"), require("flwr.clientapp", "flwr")
    client = _Client(_Task.of(bundle, classes, regularization), threads)
    app = clientapp.ClientApp(mods=list(mods))

    def train(message: Any, context: Any) -> Any:
        content = message.content
        key, arrays = _received(content)
        config = dict(next(iter(content.config_records.values()), {}))
        with client.lock:
            state = _stored(context) if keep_optimizer else None
            trainer = client.trainer(arrays, state)
            if client.task.classes is None:
                placeholders = _placeholders(trainer, config)
                items = trainer.dataset(_data(data, context))
                settings = {
                    "epochs": int(config.get("epochs", epochs)),
                    "batch_size": int(config.get("batch-size", batch_size)),
                    "seed": int(config.get("seed", 0)) + int(config.get("server-round", 0)),
                    "shuffle": bool(config.get("shuffle", True)), "placeholders": placeholders,
                }
                mu = float(config.get("proximal-mu", 0))
                metrics = _train(trainer, items, settings, mu, arrays)
            else:
                _check_head_settings(config)
                items = trainer.dataset(_data(data, context))
                proximity = config.get("proximal-mu")
                fitted = trainer.fit(items, None if proximity is None else float(proximity))
                metrics = _numbers({"loss": fitted.loss, **fitted.metrics})
            weights = trainer.weights()
            if keep_optimizer:
                _store(context, trainer, weights, flwr)
        reply = {
            key: flwr.ArrayRecord({name: flwr.Array(weights[name]) for name in arrays}),
            "metrics": flwr.MetricRecord({**metrics, "num-examples": len(items)}),
            "client": flwr.ConfigRecord({"name": _name(context), "bundle": client.task.digest}),
        }
        return flwr.Message(content=flwr.RecordDict(reply), reply_to=message)

    def evaluate(message: Any, context: Any) -> Any:
        _, arrays = _received(message.content)
        with client.lock:
            trainer = client.trainer(arrays)
            items = trainer.dataset(_data(data if evaluation is None else evaluation, context))
            found = trainer.evaluate(items)
        metrics = {"loss": found.loss, **found.metrics}
        reply = {
            "metrics": flwr.MetricRecord({**_numbers(metrics), "num-examples": len(items)}),
            "client": flwr.ConfigRecord({"name": _name(context), "bundle": client.task.digest}),
        }
        return flwr.Message(content=flwr.RecordDict(reply), reply_to=message)

    app.train(mods=list(train_mods) or None)(train)
    app.evaluate()(evaluate)
    return app


def _received(content: Any) -> tuple[str, dict[str, Any]]:
    key, record = next(iter(content.array_records.items()))
    return key, {name: array.numpy() for name, array in record.items()}


def _train(
    trainer: Any, items: Any, settings: Mapping[str, Any], mu: float, anchor: Mapping[str, Any],
) -> dict[str, float]:
    if mu <= 0:
        history = trainer.fit(items, **settings)
        last = history.epochs[-1]
        return _numbers({"loss": last.loss, **last.metrics})
    rate = _learning_rate(trainer, settings["placeholders"])
    last = None
    for step in trainer.steps(items, **settings):
        # The proximal operator of mu/2·|w − anchor|², after a step on the loss alone.
        pull = rate * mu
        weights = trainer.weights()
        trainer.set_weights({
            name: ((value + pull * anchor[name]) / (1 + pull)).astype(value.dtype)
            for name, value in weights.items()}, partial=True)
        last = step.summary or last
    return _numbers({"loss": last.loss, **last.metrics}) if last is not None else {}


def _learning_rate(trainer: Any, placeholders: Mapping[str, Any]) -> float:
    for layer in trainer.placeholders:
        if layer.name.lower().replace("-", "_") in ("learning_rate", "lr"):
            return float(placeholders.get(layer.name, layer._fields.get("value", 0)))
    raise InputError(
        "FedProx needs a placeholder named learning_rate", "unknown-placeholder", "input")


def _placeholders(trainer: Any, config: Mapping[str, Any]) -> dict[str, Any]:
    names = {layer.name for layer in trainer.placeholders}
    unknown = sorted(config.keys() - names - _KEYS)
    if unknown:
        raise InputError(
            f"unknown setting '{unknown[0]}'; placeholders: {', '.join(sorted(names)) or 'none'}",
            "unknown-placeholder", "input", unknown[0])
    return {name: value for name, value in config.items() if name in names}


def _check_head_settings(config: Mapping[str, Any]) -> None:
    if unknown := sorted(config.keys() - _HEAD_KEYS):
        raise InputError(
            f"unknown setting '{unknown[0]}' of a classifier; expected proximal-mu", "invalid-value", "input",
            unknown[0])


def _data(data: Any, context: Any) -> Any:
    if callable(data):
        return data(context)
    if isinstance(data, (str, os.PathLike)):
        text = os.fspath(data)
        if "{partition}" in text:
            partition = context.node_config.get("partition-id")
            if partition is None:
                raise InputError(
                    "the node's configuration has no partition-id", "missing-value", "input")
            return text.replace("{partition}", str(partition))
        return text
    return data


def _name(context: Any) -> str:
    """Returns the name of a client: of its configuration, its partition, or its machine."""
    config = context.node_config
    if "name" in config:
        return str(config["name"])
    partition = config.get("partition-id")
    return socket.gethostname() if partition is None else f"partition {partition}"


def _numbers(metrics: Mapping[str, Any]) -> dict[str, float]:
    return {name: float(value) for name, value in metrics.items() if isinstance(value, (int, float))}


_STATE = "tensorio-optimizer"


def _stored(context: Any) -> dict[str, Any] | None:
    record = context.state.array_records.get(_STATE)
    return None if record is None else {name: array.numpy() for name, array in record.items()}


def _store(context: Any, trainer: Any, weights: Mapping[str, Any], flwr: Any) -> None:
    state = {
        name: flwr.Array(value) for name, value in trainer.weights(all=True).items()
        if name not in weights}
    context.state[_STATE] = flwr.ArrayRecord(state)


# Server

def server_app(
    bundle: _Bundle, *, rounds: int = 3, strategy: Any = "fedavg",
    config: Mapping[str, Any] | Callable[[int], Mapping[str, Any]] | None = None,
    evaluation: Any = None, folder: str | os.PathLike[str] | None = None, resume: bool = True,
    export: str | os.PathLike[str] | None = None, key: str | os.PathLike[str] | None = None,
    max_examples: int | None = None, max_ratio: float | None = 10, max_norm: float | None = None,
    round_timeout: float = 600, on_round: Callable[[Round], object] | None = None,
    classes: Sequence[str] | None = None, unknown_rate: float | None = None, **options: Any,
) -> Any:
    """Returns a Flower ``ServerApp`` that trains a bundle in rounds.

    A reply with NaN, with arrays of other names or shapes, with an impossible number of examples, or
    of another bundle does not take part in its round; the log and the `Round` name the client and the
    reason.

    Args:
        bundle: A bundle with the mode ``train``, which has the initial weights; with ``classes``, a bundle
            with an embedding, or a taught bundle.
        rounds: The number of rounds.
        strategy: ``fedavg``, ``fedprox``, ``fedadam``, or a strategy of Flower, such as one with
            differential privacy.
        config: What the clients receive in each round: ``epochs``, ``batch-size``, ``seed`` and
            placeholders, or a function of the round that returns it.
        evaluation: Data to evaluate the model on after each round, as for ``Trainer.evaluate``.
        folder: A folder for checkpoints and ``history.json``.
        resume: Whether to continue from the newest checkpoint of the folder.
        export: A folder for versions of the model, to which the result is added.
        key: An unencrypted secret key to sign the result with.
        max_examples: The largest number of examples that a client may report.
        max_ratio: A client's weight is at most this multiple of the median; None for no limit.
        max_norm: The largest norm of a client's update.
        round_timeout: How many seconds a round waits for replies.
        on_round: Called after each round.
        classes: The classes of a classifier, as in `client_app`.
        unknown_rate: Calibrates the exported classifier on ``evaluation``, with at least two examples of
            each class, whose embeddings the bundle then contains: its probabilities, and unless it is
            0, a class ``unknown`` that takes this fraction of the inputs of other classes. ``None`` exports
            the average.
        options: Arguments of the strategy, such as ``fraction_train`` or ``proximal_mu``.
    """
    serverapp = require("flwr.serverapp", "flwr")
    if unknown_rate is not None and (classes is None or evaluation is None):
        raise ValueError("unknown_rate needs classes and data for evaluation")
    task = _Task.of(bundle, classes, unknown_rate=unknown_rate or 0)
    app = serverapp.ServerApp()

    @app.main()  # type: ignore[untyped-decorator]
    def main(grid: Any, context: Any) -> None:
        del context
        trainer = task.open(1)
        run = _Run(
            trainer, task, _strategy(strategy, options), config, evaluation,
            Checkpoints(folder) if folder is not None else None, on_round,
            (max_examples, max_ratio, max_norm))
        if unknown_rate is not None:
            _check_calibration(run.evaluation)
        run.start(grid, rounds, round_timeout, resume)
        if unknown_rate is not None:
            trainer.calibrate(run.evaluation)
        if export is not None:
            path = export_version(trainer, export, key)
            _log.info("exported %s", path)

    return app


ServerApp = server_app


def _check_calibration(evaluation: Any) -> None:
    """Raises before the first round what calibrating would raise after the last one."""
    if few := [label for label, count in evaluation.classes.items() if count < 2]:
        raise InputError(
            f"the data for evaluation have fewer than two examples of '{few[0]}'", "unmet-requirement", "input")


def _strategy(strategy: Any, options: Mapping[str, Any]) -> Any:
    strategies = require("flwr.serverapp.strategy", "flwr")
    names = {"fedavg": "FedAvg", "fedprox": "FedProx", "fedadam": "FedAdam"}
    if isinstance(strategy, str):
        if strategy.lower() not in names:
            raise ValueError(f"unknown strategy {strategy!r}; expected {', '.join(names)}, or an object")
        return getattr(strategies, names[strategy.lower()])(**options)
    if options:
        raise TypeError(f"unexpected arguments for a strategy that exists: {sorted(options)}")
    return strategy


class _Run:
    """A federated training: the strategy with screened replies, checkpoints and history."""

    def __init__(
        self, trainer: Any, task: _Task, strategy: Any, config: Any, evaluation: Any,
        checkpoints: Checkpoints | None, on_round: Callable[[Round], object] | None,
        limits: tuple[int | None, float | None, float | None],
    ) -> None:
        self.trainer, self.task, self.strategy, self.config = trainer, task, strategy, config
        self.evaluation = None if evaluation is None else trainer.dataset(evaluation)
        self.checkpoints, self.on_round = checkpoints, on_round
        self.arrays: dict[str, Any] = dict(trainer.weights())
        self.screen = Screen({name: array.shape for name, array in self.arrays.items()}, *limits)
        self.history: list[Round] = []
        self.offset = 0
        self.round = Round(0)

    def start(self, grid: Any, rounds: int, timeout: float, resume: bool) -> None:
        flwr = require("flwr.app", "flwr")
        found = self.checkpoints.newest(self.task.digest) if self.checkpoints and resume else None
        if found is not None:
            self.offset, arrays, state, self.history = found
            self.arrays = {name: _fitted(arrays[name], self.arrays[name]) for name in self.arrays}
            self._restore(state)
            _log.info("resumed after round %d", self.offset)
        self.trainer.set_weights(self.arrays, partial=True)
        if rounds <= self.offset:
            return
        _screened(self).start(
            grid=grid, initial_arrays=flwr.ArrayRecord(
                {name: flwr.Array(array) for name, array in self.arrays.items()}),
            num_rounds=rounds - self.offset, timeout=timeout, train_config=flwr.ConfigRecord(),
            evaluate_fn=self._evaluate)
        self.trainer.set_weights(self.arrays, partial=True)

    # Rounds

    def configuration(self, number: int) -> dict[str, Any]:
        config = self.config(number) if callable(self.config) else self.config
        return dict(config or {})

    def accepted(self, replies: Iterable[Any]) -> list[Any]:
        """Returns the replies that take part in the round, and notes the others."""
        flwr = require("flwr.app", "flwr")
        good = []
        for reply in replies:
            name = _sender(reply)
            try:
                self._check(reply)
            except Rejected as error:
                self._drop(name, str(error))
            except Exception as error:  # A reply can be malformed in any way.
                self._drop(name, f"cannot be read: {error}")
            else:
                good.append(reply)
        limit = self.screen.limit([_examples(reply) for reply in good])
        keys = set.intersection(*[set(_metrics(reply)) for reply in good]) if good else set()
        for reply in good:
            key, metrics = next(iter(reply.content.metric_records.items()))
            values = {name: value for name, value in metrics.items() if name in keys}
            if limit is not None and values["num-examples"] > limit:
                reason = f"reports {values['num-examples']} examples; counted as {int(limit)}"
                self.round.limited.append({"client": _sender(reply), "reason": reason})
                _log.warning("round %d: %s %s", self.round.round, _sender(reply), reason)
                values["num-examples"] = int(limit)
            reply.content[key] = flwr.MetricRecord(values)
        self.round.clients = len(good)
        return good

    def _check(self, reply: Any) -> None:
        if reply.has_error():
            raise Rejected(f"failed: {_reason(reply)}")
        content = reply.content
        if len(content.array_records) != 1 or len(content.metric_records) != 1:
            raise Rejected("does not have exactly one record of arrays and one of metrics")
        for record in content.config_records.values():
            digest = record.get("bundle")
            if digest is not None and digest != self.task.digest:
                raise Rejected(
                    "trains another bundle, or other classes: digest "
                    f"{str(digest)[:12]}, expected {self.task.digest[:12]}")
        (arrays,) = content.array_records.values()
        values = {name: array.numpy() for name, array in arrays.items()}
        self.screen.check(values, _metrics(reply).get("num-examples"), self.arrays)
        for name, value in _metrics(reply).items():
            if isinstance(value, list) or value != value or value in (float("inf"), float("-inf")):
                raise Rejected(f"its metric '{name}' is {value}")

    def _drop(self, client: str, reason: str) -> None:
        self.round.dropped.append({"client": client, "reason": reason})
        _log.warning("round %d: dropped %s: %s", self.round.round, client, reason)

    def aggregated(self, arrays: Any, metrics: Any) -> Any:
        """Takes over the aggregate of a round, unless it is not finite; returns the arrays."""
        numpy, flwr = require("numpy"), require("flwr.app", "flwr")
        if metrics is not None:
            self.round.client_metrics = _numbers(dict(metrics))
        if arrays is None:
            _log.warning("round %d: no reply was accepted; the model is unchanged", self.round.round)
            return None
        values = {name: array.numpy() for name, array in arrays.items()}
        if not all(numpy.isfinite(value).all() for value in values.values()):
            self._drop("the aggregate", "has values that are NaN or infinite; the model is unchanged")
            return None
        self.arrays = {name: _fitted(values[name], like) for name, like in self.arrays.items()}
        return flwr.ArrayRecord({name: flwr.Array(value) for name, value in self.arrays.items()})

    def _evaluate(self, number: int, arrays: Any) -> Any:
        """Completes a round: evaluates, and writes the checkpoint."""
        del arrays
        flwr = require("flwr.app", "flwr")
        if number == 0 and self.offset:
            return None
        self.trainer.set_weights(self.arrays, partial=True)
        if number == 0:
            self.round = Round(0)
        if self.evaluation is not None:
            found = self.trainer.evaluate(self.evaluation)
            self.round.metrics = _numbers({"loss": found.loss, **found.metrics})
        self.history.append(self.round)
        if self.checkpoints is not None:
            self.checkpoints.save(
                self.round.round, self.arrays, self._state(), self.task.digest, self.history)
            path = os.path.join(self.checkpoints.folder, "history.json")
            with open(path + ".partial", "w", encoding="utf-8") as file:
                json.dump([vars(entry) for entry in self.history], file, indent=1)
            os.replace(path + ".partial", path)
        _log.info("round %d: %s", self.round.round, self.round.metrics or self.round.client_metrics)
        if self.on_round is not None:
            self.on_round(self.round)
        return flwr.MetricRecord(self.round.metrics) if self.round.metrics else None

    # The state of strategies such as FedAdam

    def _strategies(self) -> list[Any]:
        found = [self.strategy]
        while hasattr(found[-1], "strategy"):
            found.append(found[-1].strategy)
        return found

    def _state(self) -> dict[str, dict[str, Any]]:
        state = {}
        for index, strategy in enumerate(self._strategies()):
            for name in ("m_t", "v_t"):
                if value := getattr(strategy, name, None):
                    state[f"{name}-{index}"] = value
            if isinstance(norm := getattr(strategy, "clipping_norm", None), float):
                state[f"clipping_norm-{index}"] = {"value": norm}
        return state

    def _restore(self, state: Mapping[str, Mapping[str, Any]]) -> None:
        strategies = self._strategies()
        for key, values in state.items():
            name, _, index = key.rpartition("-")
            if int(index) < len(strategies):
                value = float(values["value"]) if name == "clipping_norm" else dict(values)
                setattr(strategies[int(index)], name, value)


def _screened(run: _Run) -> Any:
    """Returns a strategy that screens the replies of another one, and continues the count of rounds."""
    base = require("flwr.serverapp.strategy", "flwr").Strategy
    flwr = require("flwr.app", "flwr")

    class Screened(base):  # type: ignore[misc, valid-type]
        def configure_train(self, server_round: int, arrays: Any, config: Any, grid: Any) -> Any:
            number = server_round + run.offset
            run.round = Round(number)
            settings = flwr.ConfigRecord({**config, **run.configuration(number)})
            return run.strategy.configure_train(number, arrays, settings, grid)

        def aggregate_train(self, server_round: int, replies: Iterable[Any]) -> Any:
            arrays, metrics = run.strategy.aggregate_train(
                server_round + run.offset, run.accepted(replies))
            return run.aggregated(arrays, metrics), metrics

        def configure_evaluate(self, server_round: int, arrays: Any, config: Any, grid: Any) -> Any:
            return run.strategy.configure_evaluate(server_round + run.offset, arrays, config, grid)

        def aggregate_evaluate(self, server_round: int, replies: Iterable[Any]) -> Any:
            good = [reply for reply in replies if not reply.has_error()]
            return run.strategy.aggregate_evaluate(server_round + run.offset, good)

        def summary(self) -> None:
            run.strategy.summary()

    return Screened()


def _sender(reply: Any) -> str:
    node = f"node {reply.metadata.src_node_id}"
    if not reply.has_error():
        for record in reply.content.config_records.values():
            name = record.get("name")
            if isinstance(name, str):
                return f"{name[:80]} ({node})"
    return node


def _reason(reply: Any) -> str:
    text = str(getattr(reply.error, "reason", "") or "no reason given").strip()
    return text.splitlines()[-1][:300]


def _metrics(reply: Any) -> dict[str, Any]:
    (record,) = reply.content.metric_records.values()
    return dict(record)


def _examples(reply: Any) -> float:
    return float(_metrics(reply)["num-examples"])


# The original's documents

def task_config(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Returns the configuration that a ``.tiotask`` of the original's federated client describes.

    Args:
        path: The ``.tiotask`` folder, or its ``task.json``.

    Raises:
        InputError: The file is not a task.
    """
    file = os.path.join(path, "task.json") if os.path.isdir(path) else os.fspath(path)
    try:
        with open(file, encoding="utf-8") as stream:
            parameters = json.load(stream)["taskParameters"]
        config: dict[str, Any] = {
            "epochs": int(parameters["numEpochs"]), "batch-size": int(parameters["batchSize"])}
        if "shuffle" in parameters:
            config["shuffle"] = bool(parameters["shuffle"])
        for entry in parameters.get("placeholders") or []:
            if "value" in entry:
                config[str(entry["name"])] = entry["value"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{file}: not a task: {error}", "invalid-json", "input", file=file) from None
    return config


