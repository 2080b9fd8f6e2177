"""Commands of `tensorio` as functions, in a process of their own."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from . import _runtimes



class CommandError(Exception):
    """A command that failed.

    Attributes:
        status: The exit status.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def executable() -> str:
    """Returns the path of the command line."""
    return os.path.join(os.path.dirname(__file__), "bin", "tensorio")


def _run(*arguments: str | os.PathLike[str], statuses: tuple[int, ...] = (0,)) -> str:
    _runtimes.find()
    command = [executable(), *(os.fspath(argument) for argument in arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in statuses:
        message = done.stderr.strip() or done.stdout.strip()
        raise CommandError(message.removeprefix("tensorio: "), done.returncode)
    return done.stdout


def _flags(options: dict[str, Any]) -> list[str]:
    """Returns keyword arguments as options: ``max_items=3`` is ``--max-items 3``."""
    flags: list[str] = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            flags.append(flag)
        elif value is not None and value is not False:
            flags += [flag, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    return flags


def validate(path: str | os.PathLike[str], **options: Any) -> dict[str, Any]:
    """Returns the errors and warnings of a bundle, as ``tensorio validate --format json`` prints them."""
    text = _run("validate", path, "--format", "json", *_flags(options), statuses=(0, 1, 3))
    return json.loads(text)  # type: ignore[no-any-return]


def evaluate(
    bundle: str | os.PathLike[str], data: str | os.PathLike[str], **options: Any
) -> dict[str, Any]:
    """Evaluates a bundle on labeled data, and returns the metrics."""
    text = _run("evaluate", bundle, data, "--format", "json", *_flags(options))
    return json.loads(text)  # type: ignore[no-any-return]


def compare(
    first: str | os.PathLike[str], second: str | os.PathLike[str],
    *inputs: str | os.PathLike[str], **options: Any,
) -> dict[str, Any]:
    """Compares two bundles on inputs, and returns the differences."""
    text = _run("compare", first, second, *inputs, "--format", "json", *_flags(options))
    return json.loads(text)  # type: ignore[no-any-return]


def init(model: str | os.PathLike[str], **options: Any) -> str:
    """Drafts a bundle for a bare model, and returns the report."""
    return _run("init", model, *_flags(options))


def pack(bundle: str | os.PathLike[str], **options: Any) -> str:
    """Packs a bundle into a zip, and returns the report."""
    return _run("pack", bundle, *_flags(options))


def sign(bundle: str | os.PathLike[str], **options: Any) -> str:
    """Signs a bundle, and returns the report."""
    return _run("sign", bundle, *_flags(options))


def verify(bundle: str | os.PathLike[str], **options: Any) -> str:
    """Verifies the signature of a bundle, and returns the report."""
    return _run("verify", bundle, *_flags(options))
