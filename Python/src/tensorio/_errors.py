"""Exceptions, which carry the code, stage and layer of an error."""

from __future__ import annotations

import json
from typing import Any

from . import _core


class ModelError(Exception):
    """An error of a model.

    Attributes:
        code: A stable identifier, such as ``wrong-count``.
        stage: ``bundle``, ``runtime``, ``input``, ``run``, ``output`` or ``argument``.
        layer: The input or output that the error is about, or None.
        file: The file that the error is about, or None.
        item: The index of the item in a batch, or None.
        details: The values of the message by name, such as ``expected`` and ``actual``.
    """

    def __init__(
        self, message: str, code: str = "failed", stage: str = "run", layer: str | None = None,
        file: str | None = None, item: int | None = None, details: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.code, self.stage = message, code, stage
        self.layer, self.file, self.item, self.details = layer, file, item, details or {}

    def __str__(self) -> str:
        place = [self.file] if self.file is not None and self.file not in self.message else []
        place += [f"item {self.item}"] if self.item is not None else []
        place += [f"'{self.layer}'"] if self.layer is not None else []
        return f"{', '.join(place)}: {self.message}" if place else self.message

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = (
            self.message, self.code, self.stage, self.layer, self.file, self.item, self.details)
        return type(self), arguments


class ModelWarning(UserWarning):
    """Something about a bundle that does not prevent runs, or a guess about a bare model."""


class BundleError(ModelError):
    """The bundle is missing or invalid, its signature is rejected, or the runtime cannot load its model."""


class WrongTask(ValueError, AttributeError):
    """The model's task does not produce the requested property."""


class RuntimeMissing(ModelError, ImportError):
    """The library that runs the model, or another part that it needs, is not installed."""


class InputError(ModelError, ValueError):
    """A value does not fit the model."""


class RunError(ModelError, RuntimeError):
    """The model failed."""


class OutputError(ModelError, RuntimeError):
    """An output could not be read or drawn."""


_CLASSES: dict[str, type[ModelError]] = {
    "bundle": BundleError, "runtime": BundleError, "input": InputError, "run": RunError,
    "output": OutputError, "argument": InputError,
}

# Errors with the stage `runtime` that are about neither the bundle nor its signature.
_MISSING_CODES = {"runtime-missing", "worker-missing", "signature-library-missing", "sandbox-unavailable"}
_FAILURE_CODES = {
    "call-failed", "failed", "worker-not-launched", "worker-crashed", "model-suspended", "timed-out",
    "run-timed-out", "cancelled", "out-of-memory",
}

_PACKAGES = {"LiteRT": "ai-edge-litert", "TensorFlow": "tensorflow", "ONNX Runtime": "onnxruntime"}


def _exception(text: str) -> ModelError:
    """Returns the exception for an error of the library, as JSON."""
    fields = json.loads(text)
    message = fields["message"]
    if fields["code"] == "runtime-missing":
        for name, package in _PACKAGES.items():
            if name in message:
                message += f"; install it with: pip install {package}"
                break
    return _class(fields["code"], fields["stage"])(
        message, fields["code"], fields["stage"], fields.get("layer"), fields.get("file"),
        fields.get("item"), fields.get("details"))


def _class(code: str, stage: str) -> type[ModelError]:
    if stage == "runtime" and code in _MISSING_CODES:
        return RuntimeMissing
    if stage == "runtime" and code in _FAILURE_CODES:
        return RunError
    return _CLASSES.get(stage, ModelError)


_core.set_error_hook(_exception)
