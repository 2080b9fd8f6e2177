"""Smaller bundles, and the child process that quantizes models."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest

import tensorio
from conftest import BUNDLES, ROOT

DIGITS = BUNDLES / "digits.tiobundle"
HELD_OUT = ROOT / "Examples/Data/digits-held-out"
HAS_QUANTIZER = importlib.util.find_spec("ai_edge_quantizer") is not None


def test_half_precision_is_half_the_size(tmp_path: pathlib.Path) -> None:
    small = tmp_path / "small.tiobundle"
    report = tensorio.quantize(DIGITS, small, recipe="float16", data=HELD_OUT, gate="top1>=-0.5pt")
    candidate = report.candidates[report.chosen]
    assert candidate.bytes < 0.6 * report.original.bytes
    assert candidate.passes and candidate.metrics.top1.value >= report.original.metrics.top1.value - 0.005
    original, model = tensorio.Model(DIGITS), tensorio.Model(small)
    image = next((HELD_OUT / "3").iterdir())
    assert model(image).label == original(image).label


def test_nothing_is_written_if_no_model_passes(tmp_path: pathlib.Path) -> None:
    small = tmp_path / "small.tiobundle"
    with pytest.raises(tensorio.CommandError, match="no smaller model passes") as error:
        tensorio.quantize(DIGITS, small, recipe="float16", data=HELD_OUT, gate="top1>=101%")
    assert error.value.report is not None and not error.value.report.candidates[0].passes
    assert not small.exists()


@pytest.mark.skipif(HAS_QUANTIZER, reason="the packages are installed")
def test_missing_packages_are_named(tmp_path: pathlib.Path) -> None:
    with pytest.raises(tensorio.CommandError, match=r"tensorio-runtime\[quantize\]"):
        tensorio.quantize(DIGITS, tmp_path / "small.tiobundle", recipe="int4")


@pytest.mark.skipif(not HAS_QUANTIZER, reason="requires ai-edge-quantizer")
@pytest.mark.parametrize("recipe", ["int8", "dynamic-int8", "int4"])
def test_recipes_make_models_that_pass(recipe: str, tmp_path: pathlib.Path) -> None:
    small = tmp_path / "small.tiobundle"
    report = tensorio.quantize(DIGITS, small, recipe=recipe, data=HELD_OUT, gate="top1>=-1pt")
    assert report.candidates[report.chosen].bytes < report.original.bytes
    assert tensorio.validate(small).valid


def test_the_child_answers_what_it_cannot_do() -> None:
    requests = [{"open": "/no/such/model.tflite"}, {"recipe": "int8", "output": "/no/such/file"}]
    process = subprocess.run(
        [sys.executable, "-m", "tensorio._quantizers"], input="\n".join(map(json.dumps, requests)) + "\n",
        capture_output=True, text=True, check=True, env=os.environ)
    answers = [json.loads(line) for line in process.stdout.splitlines()]
    assert len(answers) == 2 and "error" in answers[0]
