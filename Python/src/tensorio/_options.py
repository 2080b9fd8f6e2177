"""Options of the library, as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def options_json(options: Mapping[str, Any]) -> str:
    """Returns options as JSON; numbers may be numpy's."""
    return json.dumps(options, default=_plain)


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"an option has the type {type(value).__name__}")
