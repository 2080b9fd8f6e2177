"""Rounds of federated training on the server: screening of replies, checkpoints, exported versions."""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import shutil
import statistics
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._errors import BundleError, ModelError, OutputError
from ._imports import require

_CHECKPOINT = re.compile(r"round-(\d{6})$")


class Rejected(Exception):
    """A reply that does not take part in a round; the message is the reason."""


@dataclass(frozen=True)
class Screen:
    """The checks that a client's reply has to pass.

    Attributes:
        shapes: The shape of each array, by name.
        max_examples: The largest number of examples that a client may report, if any.
        max_ratio: A client's weight is at most this multiple of the median of all clients.
        max_norm: The largest L2 norm of a client's update, if any.
    """

    shapes: Mapping[str, tuple[int, ...]]
    max_examples: int | None = None
    max_ratio: float | None = 10
    max_norm: float | None = None

    def check(
        self, arrays: Mapping[str, Any], examples: Any, current: Mapping[str, Any],
    ) -> None:
        """Checks the arrays and the number of examples of a reply.

        Raises:
            Rejected: They do not fit the model, or are not finite.
        """
        numpy = require("numpy")
        if isinstance(examples, bool) or not isinstance(examples, (int, float)):
            raise Rejected(f"reports {examples!r} examples")
        if not math.isfinite(examples) or examples <= 0:
            raise Rejected(f"reports {examples} examples")
        if self.max_examples is not None and examples > self.max_examples:
            raise Rejected(f"reports {examples} examples; the limit is {self.max_examples}")
        if missing := sorted(self.shapes.keys() - arrays.keys()):
            raise Rejected(f"lacks the array '{missing[0]}'")
        if unknown := sorted(arrays.keys() - self.shapes.keys()):
            raise Rejected(f"sends the unknown array '{unknown[0]}'")
        total = 0.0
        for name, shape in self.shapes.items():
            array = arrays[name]
            if array.dtype.kind not in "fiu":
                raise Rejected(f"'{name}' has the type {array.dtype}")
            if array.shape != shape:
                raise Rejected(f"'{name}' has the shape {list(array.shape)}, expected {list(shape)}")
            if not numpy.isfinite(array).all():
                count = int((~numpy.isfinite(array)).sum())
                raise Rejected(f"'{name}' has {count} values that are NaN or infinite")
            if self.max_norm is not None:
                total += float(numpy.square(array.astype(float) - current[name].astype(float)).sum())
        if self.max_norm is not None and math.sqrt(total) > self.max_norm:
            raise Rejected(f"its update has the norm {math.sqrt(total):.3g}; the limit is {self.max_norm:g}")

    def limit(self, examples: Sequence[float]) -> float | None:
        """Returns the largest weight that a client may have in a round, if any."""
        if self.max_ratio is None or len(examples) < 3:
            return None
        return self.max_ratio * statistics.median(examples)


@dataclass
class Round:
    """What happened in a round.

    Attributes:
        round: The number of the round, from 1; 0 is the initial model.
        clients: The number of clients whose replies were aggregated.
        dropped: The clients whose replies were not, with the reasons.
        limited: The clients whose weight was reduced, with the reasons.
        metrics: The metrics of the model after the round, on the server's data.
        client_metrics: The weighted means of the clients' metrics.
    """

    round: int
    clients: int = 0
    dropped: list[dict[str, str]] = field(default_factory=list)
    limited: list[dict[str, str]] = field(default_factory=list)
    metrics: dict[str, float] = field(default_factory=dict)
    client_metrics: dict[str, float] = field(default_factory=dict)


class Checkpoints:
    """A folder with the newest states of a federated training; each is complete or absent."""

    def __init__(self, folder: str | os.PathLike[str], keep: int = 3) -> None:
        self.folder, self.keep = os.path.abspath(os.fspath(folder)), keep

    def save(
        self, number: int, arrays: Mapping[str, Any], state: Mapping[str, Mapping[str, Any]],
        origin: str, history: Iterable[Round],
    ) -> None:
        """Writes the state after a round, and removes the oldest."""
        numpy = require("numpy")
        os.makedirs(self.folder, exist_ok=True)
        partial = tempfile.mkdtemp(prefix=".partial-", dir=self.folder)
        try:
            groups = {"arrays": arrays, **state}
            names = {group: list(values) for group, values in groups.items()}
            for group, values in groups.items():
                columns = {f"a{index}": numpy.asarray(value) for index, value in enumerate(values.values())}
                with open(os.path.join(partial, f"{group}.npz"), "wb") as file:
                    numpy.savez(file, **columns)
                    file.flush()
                    os.fsync(file.fileno())
            fields = {
                "round": number, "origin": origin, "names": names,
                "history": [vars(entry) for entry in history]}
            with open(os.path.join(partial, "state.json"), "w", encoding="utf-8") as text:
                json.dump(fields, text)
                text.flush()
                os.fsync(text.fileno())
            target = os.path.join(self.folder, f"round-{number:06}")
            shutil.rmtree(target, ignore_errors=True)
            os.rename(partial, target)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
        for name in self._names()[: -self.keep]:
            shutil.rmtree(os.path.join(self.folder, name), ignore_errors=True)

    def newest(
        self, origin: str,
    ) -> tuple[int, dict[str, Any], dict[str, dict[str, Any]], list[Round]] | None:
        """Returns the newest state: the round, the arrays, the strategy's state and the history.

        Raises:
            OutputError: The folder has the states of another bundle.
        """
        numpy = require("numpy")
        for name in reversed(self._names()):
            path = os.path.join(self.folder, name)
            try:
                with open(os.path.join(path, "state.json"), encoding="utf-8") as text:
                    fields = json.load(text)
                groups = {}
                for group, names in fields["names"].items():
                    with numpy.load(os.path.join(path, f"{group}.npz"), allow_pickle=False) as file:
                        groups[group] = {key: file[f"a{index}"] for index, key in enumerate(names)}
            except (OSError, ValueError, KeyError):
                continue
            if fields["origin"] != origin:
                raise OutputError(
                    f"{self.folder}: the checkpoints belong to another bundle", "checkpoint-mismatch",
                    "output", file=self.folder)
            history = [Round(**entry) for entry in fields["history"]]
            return fields["round"], groups.pop("arrays"), groups, history
        return None

    def _names(self) -> list[str]:
        if not os.path.isdir(self.folder):
            return []
        return sorted(name for name in os.listdir(self.folder) if _CHECKPOINT.match(name))


def export_version(
    trainer: Any, folder: str | os.PathLike[str], key: str | os.PathLike[str] | None = None,
) -> str:
    """Exports a trainer's weights as the next version of a model in a folder that a server follows.

    Args:
        trainer: The trainer.
        folder: The folder of the model's versions: ``1.tiobundle``, ``2.tiobundle`` and so on.
        key: An unencrypted secret key to sign the bundle with.

    Returns:
        The path of the new bundle.

    Raises:
        OutputError: The bundle cannot be written or signed.
    """
    from . import _commands

    folder = os.path.abspath(os.fspath(folder))
    os.makedirs(folder, exist_ok=True)
    versions = [
        int(match[1]) for name in os.listdir(folder)
        if (match := re.fullmatch(r"(\d+)\.tiobundle(?:\.zip)?", name))]
    version = max(versions, default=0) + 1
    path = os.path.join(folder, f"{version}.tiobundle")
    # A server ignores names that begin with a dot, and sees the bundle when it is complete.
    work = tempfile.mkdtemp(prefix=".export-", dir=folder)
    partial = os.path.join(work, f"{version}.tiobundle")
    try:
        trainer.export(partial)
        _set_version(partial, str(version))
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(partial, "manifest.json"))
        if key is not None:
            _commands.sign(partial, key=key)
        else:
            _commands.pack(partial, manifest=True, output=os.path.join(work, "packed.zip"))
        os.rename(partial, path)
    except (OSError, _commands.CommandError) as error:
        if isinstance(error, ModelError):
            raise
        raise OutputError(f"{path}: {error}", "unwritable", "output", file=path) from None
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return path


def _set_version(path: str, version: str) -> None:
    name = os.path.join(path, "model.json")
    try:
        with open(name, encoding="utf-8") as file:
            description = json.load(file)
    except ValueError as error:
        raise BundleError(f"{name}: {error}", "invalid-description", "bundle", file=name) from None
    if description["id"] == version:
        # A taught bundle has the name of its file, which is that of the version.
        description["id"] = description["name"] = os.path.basename(os.path.dirname(os.path.dirname(path)))
    description["version"] = version
    with open(name, "w", encoding="utf-8") as file:
        json.dump(description, file, ensure_ascii=False, indent=2)
        file.write("\n")
