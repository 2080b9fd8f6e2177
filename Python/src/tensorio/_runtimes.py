"""Finds the libraries of runtimes in installed wheels, without importing them."""

from __future__ import annotations

import glob
import importlib.util
import os
import sys

# The environment variable, the package, and the library in it.
_LIBRARIES = [
    ("TENSORIO_LITERT_LIBRARY", "ai_edge_litert", "libLiteRt.so"),
    ("TENSORIO_TENSORFLOW_LIBRARY", "tensorflow", "libtensorflow_cc.so.2"),
    ("TENSORIO_ONNX_LIBRARY", "onnxruntime", "capi/libonnxruntime.so.*"),
]

_is_done = False


def find() -> None:
    """Sets the variables of libraries that are installed as wheels; others are kept."""
    global _is_done
    if _is_done:
        return
    _is_done = True
    # The interpreter that the command runs for packages such as those that quantize models.
    os.environ.setdefault("TENSORIO_PYTHON", sys.executable)
    for variable, package, pattern in _LIBRARIES:
        if os.environ.get(variable):
            continue
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations or []) if spec else []:
            for path in sorted(glob.glob(os.path.join(folder, pattern))):
                os.environ[variable] = path


def worker() -> str:
    """Returns the path of the worker executable."""
    return os.path.join(os.path.dirname(__file__), "bin", "tensorio-worker")
