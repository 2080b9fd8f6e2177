"""Commands of `tensorio` as functions, in a process of their own."""

from __future__ import annotations

import html
import json
import os
import pathlib
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

from . import _runtimes



class Report(Mapping[str, Any]):
    """The report of a command: the members of its JSON, by name or as attributes.

    >>> report = tensorio.validate("digits.tiobundle")  # doctest: +SKIP
    >>> report.valid, len(report.diagnostics)  # doctest: +SKIP
    (True, 0)
    """

    def __init__(self, members: dict[str, Any]) -> None:
        self._members = members

    def __getitem__(self, name: str) -> Any:
        return _reported(self._members[name])

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._members:
            return self[name]
        raise AttributeError(f"the report has no '{name}'; it has {', '.join(self._members)}")

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._members]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)

    def __reduce__(self) -> tuple[Any, ...]:
        return Report, (self._members,)

    def to_dict(self) -> dict[str, Any]:
        """Returns the members as a dictionary."""
        return self._members

    def __repr__(self) -> str:
        return f"Report({json.dumps(self._members, indent=2, ensure_ascii=False)})"

    def _repr_html_(self) -> str:
        return _table(self._members)


def _table(members: dict[str, Any]) -> str:
    """Returns a table of HTML, in which long lists are shortened."""
    rows = []
    for name, value in members.items():
        text = json.dumps(value, ensure_ascii=False)
        short = text if len(text) <= 200 else text[:199] + "…"
        cell = _table(value) if isinstance(value, dict) else html.escape(short)
        rows.append(f"<tr><th>{html.escape(name)}</th><td>{cell}</td></tr>")
    return f"<table>{''.join(rows)}</table>"


def _reported(value: Any) -> Any:
    if isinstance(value, dict):
        return Report(value)
    return [_reported(entry) for entry in value] if isinstance(value, list) else value


class CommandError(Exception):
    """A command that failed.

    Attributes:
        status: The exit status.
        output: What the command has printed.
        report: The report of an evaluation with a gate that failed, or None.
    """

    def __init__(self, message: str, status: int, output: str = "", report: Report | None = None) -> None:
        super().__init__(message)
        self.status, self.output, self.report = status, output, report

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (str(self), self.status, self.output, self.report)


def executable() -> str:
    """Returns the path of the command line."""
    return os.path.join(os.path.dirname(__file__), "bin", "tensorio")


def _run(*arguments: str | os.PathLike[str], statuses: tuple[int, ...] = (0,)) -> str:
    _runtimes.find()
    command = [executable(), *(os.fspath(argument) for argument in arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in statuses:
        message = done.stderr.strip() or done.stdout.strip()
        raise CommandError(message.removeprefix("tensorio: "), done.returncode, done.stdout)
    return done.stdout


def _flags(options: dict[str, Any]) -> list[str]:
    """Returns keyword arguments as options.

    ``max_failures=3`` is ``--max-failures 3``, a list repeats the option, and ``try_=…`` is ``--try …``.
    """
    flags: list[str] = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if flag == "--format":
            raise TypeError("the format cannot be set: the report is an object")
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if item is True:
                flags.append(flag)
            elif item is not None and item is not False:
                flags += [flag, os.fspath(item) if isinstance(item, os.PathLike) else str(item)]
    return flags


def _report(text: str) -> Report:
    return Report(json.loads(text))


def validate(path: str | os.PathLike[str], **options: Any) -> Report:
    """Validates a bundle: ``valid``, and ``diagnostics`` with the errors and warnings."""
    return _report(
        _run("validate", path, "--format", "json", *_flags(options), statuses=(0, 1, 3)))


def evaluate(
    bundle: str | os.PathLike[str], data: str | os.PathLike[str], **options: Any
) -> Report:
    """Evaluates a bundle on labeled data: ``metrics``, ``count``, ``errors`` and more.

    Items that fail are counted in ``errors``.

    Raises:
        CommandError: The data cannot be read. With a ``gate``, also if a metric does not pass it or items
            fail; the error's ``report`` is the report.
    """
    statuses = (0,) if options.get("gate") else (0, 1)
    try:
        output = _run("evaluate", bundle, data, "--format", "json", *_flags(options), statuses=statuses)
    except CommandError as error:
        if error.output.startswith("["):
            error.report = Report(json.loads(error.output)[0])
        raise
    (report,) = json.loads(output)
    return Report(report)


def compare(
    first: str | os.PathLike[str], second: str | os.PathLike[str],
    *inputs: str | os.PathLike[str], **options: Any,
) -> Report:
    """Compares two bundles on inputs: ``agreement``, ``max_difference``, latencies and more.

    Outputs that differ by more than the tolerance do not raise an error; see ``agreement``.
    """
    return _report(
        _run("compare", first, second, *inputs, "--format", "json", *_flags(options), statuses=(0, 1)))


def drift(
    bundle: str | os.PathLike[str], data: str | os.PathLike[str], **options: Any
) -> Report:
    """Compares data with the reference of a bundle, or with other data: ``drift``, ``alerts`` and ``numbers``.

    >>> tensorio.drift("digits.tiobundle", "this-week", against="held-out").drift  # doctest: +SKIP
    'none'

    The data needs no labels. Drift does not raise an error; see ``alerts``.

    Raises:
        CommandError: The data cannot be read, or the bundle has no reference.
    """
    return _report(
        _run("drift", bundle, data, "--quiet", "--format", "json", *_flags(options), statuses=(0, 1)))


def explain(
    bundle: str | os.PathLike[str], *inputs: str | os.PathLike[str], **options: Any
) -> Report:
    """Shows what a result depends on: ``target``, ``score``, and ``parts`` or, for an image, ``importance``.

    >>> report = tensorio.explain("digits.tiobundle", "three.png", output="explained.png")  # doctest: +SKIP

    The input is one item of the command line. With ``data``, the numbers of all its items are explained.
    """
    return _report(_run("explain", bundle, *inputs, "--quiet", "--format", "json", *_flags(options)))


def quantize(
    bundle: str | os.PathLike[str], output: str | os.PathLike[str] | None = None, **options: Any
) -> Report:
    """Writes a smaller bundle that passes every gate: ``candidates``, ``original``, and ``chosen`` with its number.

    >>> report = tensorio.quantize(  # doctest: +SKIP
    ...     "digits.tiobundle", "small.tiobundle", data="held-out", gate="top1>=-0.5pt")

    Recipes other than ``float16`` require ``pip install 'tensorio-runtime[quantize]'``.

    Raises:
        CommandError: No smaller model passes; the error's ``report`` is the report. Nothing is written then.
    """
    try:
        output_text = _run("quantize", bundle, "--quiet", "--format", "json", *_flags({"output": output, **options}))
    except CommandError as error:
        if error.output.startswith("{"):
            error.report = _report(error.output)
        raise
    return _report(output_text)


def init(model: str | os.PathLike[str], **options: Any) -> Report:
    """Creates a bundle for a bare model: ``bundle``, and ``values`` with the reason to review each guess."""
    return _report(_run("init", model, "--format", "json", *_flags(options)))


def pack(
    bundle: str | os.PathLike[str], *, output: str | os.PathLike[str] | None = None, **options: Any
) -> pathlib.Path:
    """Packs a bundle into a zip, and returns its path."""
    name = os.path.basename(os.path.abspath(os.fspath(bundle)))
    target = pathlib.Path(output) if output is not None else pathlib.Path(name + ".zip")
    _run("pack", bundle, *_flags({"output": target, **options}))
    return target


def sign(
    bundle: str | os.PathLike[str], key: str | os.PathLike[str], **options: Any
) -> Report:
    """Signs a bundle with a secret key."""
    return _report(_run("sign", bundle, "--format", "json", *_flags({"key": key, **options})))


def verify(bundle: str | os.PathLike[str], **options: Any) -> Report:
    """Verifies the signature of a bundle and the digests of its files.

    Raises:
        CommandError: The bundle is not signed with the key, or with a trusted one.
    """
    return _report(_run("verify", bundle, "--format", "json", *_flags(options)))
