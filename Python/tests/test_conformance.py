"""All samples of all example bundles: the expected outputs, and those of the command line, bit for bit."""

import base64
import importlib.util
import json
import os
import pathlib
import subprocess
from typing import Any

import numpy
import pytest
from PIL import Image

import tensorio
from conftest import BUNDLES

COMMAND = os.path.join(os.path.dirname(tensorio.__file__), "bin", "tensorio")
HAS_TENSORFLOW = importlib.util.find_spec("tensorflow") is not None or bool(
    os.environ.get("TENSORIO_TENSORFLOW_LIBRARY"))


def _bundles() -> list[Any]:
    bundles = []
    for path in sorted(BUNDLES.glob("*.tiobundle")):
        backend = json.loads((path / "model.json").read_text())["model"].get("backend", "tflite")
        marks = [] if backend == "tflite" or HAS_TENSORFLOW else [
            pytest.mark.skip(reason="TensorFlow is not installed")]
        bundles.append(pytest.param(path, id=path.stem, marks=marks))
    return bundles


def _value(sample: pathlib.Path) -> Any:
    """Returns the input of a sample."""
    if sample.suffix != ".json":
        return sample

    def decoded(value: Any) -> Any:
        if isinstance(value, str) and value.startswith("base64:"):
            return base64.b64decode(value.removeprefix("base64:"))
        if isinstance(value, dict):
            return {name: decoded(entry) for name, entry in value.items()}
        return value

    return decoded(json.loads(sample.read_text()))


def _samples(bundle: pathlib.Path) -> list[pathlib.Path]:
    return sorted((bundle / "samples").iterdir())


def _without_time(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in ("timing_ms", "input")}


@pytest.mark.parametrize("bundle", _bundles())
def test_outputs_are_the_expected_ones(bundle: pathlib.Path) -> None:
    document = json.loads((bundle / "expected.json").read_text())
    assert sorted(document["samples"]) == [sample.name for sample in _samples(bundle)]
    model = tensorio.Model(bundle)
    for name, outputs in document["samples"].items():
        result = model(_value(bundle / "samples" / name))
        assert sorted(result.tensors) == sorted(outputs)
        for output, expected in outputs.items():
            found = result.tensors[output]
            if isinstance(expected, str) and expected.endswith(".json"):
                expected = json.loads((bundle / expected).read_text())
            if isinstance(expected, str):
                with Image.open(bundle / expected) as image:
                    pixels = numpy.asarray(image.convert("RGB"), numpy.float64)
                difference = numpy.abs(found.astype(numpy.float64).reshape(-1) - pixels.reshape(-1))
            else:
                numbers = numpy.asarray(expected, numpy.float64).reshape(-1)
                difference = numpy.abs(found.astype(numpy.float64).reshape(-1) - numbers)
            # The expected values are rounded.
            assert difference.max() <= document["tolerance"] + 1e-4, f"{name}, {output}"


@pytest.mark.parametrize("bundle", _bundles())
def test_results_are_those_of_the_command_line(bundle: pathlib.Path, tmp_path: pathlib.Path) -> None:
    model = tensorio.Model(bundle, threads=1)
    for sample in _samples(bundle):
        argument = f"@{sample}" if sample.suffix == ".json" else os.fspath(sample)
        done = subprocess.run(
            [COMMAND, "run", bundle, argument, "--format", "json", "--threads", "1"],
            capture_output=True, text=True, check=True)
        result = model(_value(sample))
        assert _without_time(result.to_dict()) == _without_time(json.loads(done.stdout))
        # The text itself, apart from the time, the name of the input and line breaks.
        compact = json.dumps(_without_time(json.loads(result.to_json())))
        assert compact == json.dumps(_without_time(json.loads(done.stdout)))


@pytest.mark.parametrize("bundle", _bundles())
def test_batches_equal_single_runs(bundle: pathlib.Path) -> None:
    model = tensorio.Model(bundle)
    values = [_value(sample) for sample in _samples(bundle)]
    batch = model.batch(values * 3, errors="return")
    mapped = list(model.map(values * 3, workers=3))
    for index, value in enumerate(values * 3):
        single = model(value)
        for name, expected in single.tensors.items():
            several, alone = batch[index], mapped[index]
            assert isinstance(several, tensorio.Result) and isinstance(alone, tensorio.Result)
            if model.backend == "tflite":
                assert numpy.array_equal(several.tensors[name], expected)
                assert numpy.array_equal(alone.tensors[name], expected)
            else:  # TensorFlow does not round equally in batches of other sizes.
                numpy.testing.assert_allclose(several.tensors[name], expected, rtol=1e-5, atol=1e-7)
                numpy.testing.assert_allclose(alone.tensors[name], expected, rtol=1e-5, atol=1e-7)
