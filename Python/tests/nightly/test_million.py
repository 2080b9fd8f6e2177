"""Reference counts and memory over a million calls of each kind."""

import gc
import os
import resource
import sys

import numpy
import pytest

import tensorio

pytest.importorskip("mlflow", reason="runs in Scripts/check/python only")
BUNDLES = os.path.join(os.path.dirname(__file__), "..", "..", "..", "Examples", "Bundles")


def _resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


@pytest.mark.parametrize("kind", ["array", "run_into", "mapping", "outputs", "error", "json", "batch"])
def test_a_million_calls(kind: str) -> None:
    model = tensorio.Model(os.path.join(BUNDLES, "diabetes.tiobundle"))
    row, output = numpy.full(10, 0.1, numpy.float32), numpy.zeros(1, numpy.float32)
    rows = numpy.stack([row] * 100)
    named = {"features": row}

    def fail() -> None:
        try:
            model([1, 2])
        except tensorio.InputError:
            pass

    call, count = {
        # The first three are performed by the extension module without Python code.
        "array": (lambda: model(row).array, 1_000_000),
        "run_into": (lambda: model.run_into(row, output), 1_000_000),
        "mapping": (lambda: model(named).array, 1_000_000),
        "outputs": (lambda: model(named).outputs, 1_000_000),
        "error": (fail, 1_000_000),
        "json": (lambda: model(row).to_json(), 1_000_000),
        "batch": (lambda: model.batch(rows), 10_000),
    }[kind]

    def references() -> list[int]:
        return [sys.getrefcount(value) for value in (
            row, output, rows, named, "features", model, model._handle, type(model), tensorio.Result, None)]

    for _ in range(count // 10):
        call()
    gc.collect()
    before, counts, blocks = _resident(), references(), sys.getallocatedblocks()
    for _ in range(count):
        call()
    gc.collect()
    assert _resident() - before <= 1 << 20
    # The interpreter itself refers to None; a leak would be a reference per call.
    assert all(abs(now - then) < 100 for now, then in zip(references(), counts))
    assert references()[:7] == counts[:7]
    assert sys.getallocatedblocks() - blocks < 100
