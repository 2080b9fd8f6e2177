"""The examples of Documentation/Python.md and of the doc comments run."""

import asyncio
import doctest
import importlib
import json
import pathlib
import re
import shutil
import subprocess
from typing import Any

import numpy
import pytest

import tensorio
from conftest import BUNDLES, ROOT

TEXT = (ROOT / "Documentation" / "Python.md").read_text()
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)


@pytest.fixture
def folder(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> pathlib.Path:
    """The files that the examples name, in the current folder."""
    for name, bundle in {
        "digits": "digits", "digits-quantized": "digits-quantized",
        "digits-trainable": "digits-trainable-tflite",
    }.items():
        shutil.copytree(BUNDLES / f"{bundle}.tiobundle", tmp_path / f"{name}.tiobundle")
    shutil.copy(BUNDLES / "digits.tiobundle" / "model.tflite", tmp_path / "model.tflite")
    sample = BUNDLES / "digits.tiobundle" / "samples" / "3-1.png"
    shutil.copy(sample, tmp_path / "three.png")
    for name in ("digits-training", "digits-held-out"):
        (tmp_path / name).symlink_to(ROOT / "Examples" / "Data" / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TENSORIO_HOME", str(tmp_path / "home"))
    subprocess.run(
        [tensorio._commands.executable(), "keys", "generate", "publisher.key", "--no-password"], check=True,
        capture_output=True)
    return tmp_path


def test_the_examples_of_the_page_run(folder: pathlib.Path) -> None:
    images = numpy.random.default_rng(1).integers(0, 255, (4, 32, 32), dtype=numpy.uint8)
    names: dict[str, Any] = {
        "paths": ["three.png"] * 3, "array": [folder / "three.png"] * 2, "images": list(images),
        "labels": numpy.zeros((4, 1), numpy.float32),
        "other": tensorio.Trainer("digits-trainable.tiobundle"),
    }
    assert len(EXAMPLES) >= 5
    for example in EXAMPLES:
        if "mlflow" in example:
            continue  # MLflow's tests run these
        exec(compile(example, "Documentation/Python.md", "exec"), names)
    assert names["result"].label == "3" and names["history"].loss < 2.5
    assert (folder / "three-annotated.png").stat().st_size > 100
    assert (folder / "trained.tiobundle" / "model.json").exists()


def test_the_example_of_generation_runs(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "Documentation" / "Generation.md").read_text()
    (example,) = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    (tmp_path / "smollm2.tiobundle").symlink_to(ROOT / "Tests" / "Fixtures" / "Bundles" / "decoder-growing.tiobundle")
    monkeypatch.chdir(tmp_path)
    try:
        exec(compile(example, "Documentation/Generation.md", "exec"), {})
    except tensorio.RuntimeMissing:
        pytest.skip("ONNX Runtime is not installed")
    assert "'role': 'system'" in capsys.readouterr().out


def test_the_examples_of_speech_run(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "Documentation" / "Speech.md").read_text()
    examples = re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    (tmp_path / "whisper-tiny.en.tiobundle").symlink_to(ROOT / "Tests" / "Fixtures" / "Bundles" / "speech.tiobundle")
    tones = json.loads((ROOT / "Tests" / "Fixtures" / "ONNX" / "speech.json").read_text())["sounds"]["tones"]
    sound = tensorio.Sound(numpy.array(tones, numpy.int16), 1600)
    (tmp_path / "talk.wav").write_bytes(sound.wav())
    monkeypatch.chdir(tmp_path)
    assert len(examples) == 2
    for example in examples:
        try:
            exec(compile(example, "Documentation/Speech.md", "exec"), {"sound": sound})
        except tensorio.RuntimeMissing:
            pytest.skip("ONNX Runtime is not installed")
        assert capsys.readouterr().out


def test_a_run_does_not_block_the_event_loop() -> None:
    model = tensorio.Model(BUNDLES / "digits.tiobundle")
    sample = BUNDLES / "digits.tiobundle" / "samples" / "3-1.png"
    assert asyncio.run(model.run_async(sample)).label == "3"


@pytest.mark.parametrize("name", [
    "tensorio", "tensorio._model", "tensorio._results", "tensorio._training", "tensorio._bundles",
    "tensorio._commands", "tensorio._generation", "tensorio.arrow"])
def test_the_examples_of_doc_comments_run(name: str, folder: pathlib.Path) -> None:
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, extraglobs={"tensorio": tensorio})
    assert failed == 0
