"""Reference counts and memory over a million calls of each kind."""

import gc
import os
import resource
import sys

import numpy
import pytest

import tensorio

pytest.importorskip("mlflow", reason="runs in Scripts/check-python only")
BUNDLES = os.path.join(os.path.dirname(__file__), "..", "..", "..", "Examples", "Bundles")


def _resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


@pytest.mark.parametrize("kind", ["run", "run_into", "error", "json", "batch"])
def test_a_million_calls(kind: str) -> None:
    model = tensorio.Model(os.path.join(BUNDLES, "diabetes.tiobundle"))
    row, output = numpy.full(10, 0.1, numpy.float32), numpy.zeros(1, numpy.float32)
    rows = numpy.stack([row] * 100)

    def call() -> None:
        if kind == "run":
            model(row).array
        elif kind == "run_into":
            model.run_into(row, output)
        elif kind == "json":
            model(row).to_json()
        elif kind == "batch":
            model.batch(rows)
        else:
            try:
                model([1, 2])
            except tensorio.InputError:
                pass

    count = {"batch": 10_000}.get(kind, 1_000_000)
    for _ in range(count // 10):
        call()
    gc.collect()
    before, references, blocks = _resident(), sys.getrefcount(row), sys.getallocatedblocks()
    for _ in range(count):
        call()
    gc.collect()
    assert _resident() - before <= 1 << 20
    assert sys.getrefcount(row) == references
    assert sys.getallocatedblocks() - blocks < 100
