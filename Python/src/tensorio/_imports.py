"""Imports of optional packages, with an error that names the package to install."""

from __future__ import annotations

import importlib
from typing import Any

from ._errors import RuntimeMissing


def require(module: str, package: str | None = None) -> Any:
    """Imports a module that is not a dependency of this package.

    Args:
        module: The name of the module.
        package: The name to install it by, if it differs.

    Raises:
        RuntimeMissing: The package is not installed.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or not module.startswith(error.name):
            raise
        message = f"this needs the package {module}; install it with: pip install '{package or module}'"
        raise RuntimeMissing(message, "runtime-missing", "runtime") from None
