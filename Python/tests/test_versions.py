"""Versions that a federation exports: their examples, and the server that follows their folder."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from typing import Any

import pytest

import tensorio
from conftest import BUNDLES, ROOT
from tensorio._rounds import export_version

BUNDLE = BUNDLES / "digits-trainable-tflite.tiobundle"
TRAINING = os.fspath(ROOT / "Examples" / "Data" / "digits-training")


def test_a_version_keeps_the_examples_with_the_outputs_of_its_weights(tmp_path: pathlib.Path) -> None:
    trainer = tensorio.Trainer(BUNDLE)
    trainer.fit(TRAINING, epochs=1)
    path = pathlib.Path(export_version(trainer, tmp_path / "digits"))
    before = json.loads((BUNDLE / "model.json").read_text())["examples"]
    after = json.loads((path / "model.json").read_text())["examples"]
    assert [example["input"] for example in after] == [example["input"] for example in before] != []
    model = tensorio.Model(path)
    for old, new in zip(before, after):
        assert old["output"] != new["output"]
        found = model(path / new["input"]).tensors["probabilities"]
        assert found.reshape(-1).tolist() == pytest.approx(new["output"]["probabilities"], abs=new["tolerance"])
    assert tensorio.validate(path).valid


def _get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=10) as response:
        return json.load(response)


def test_a_server_picks_up_an_exported_version(tmp_path: pathlib.Path) -> None:
    trainer = tensorio.Trainer(BUNDLE)
    folder = tmp_path / "models" / "digits"
    export_version(trainer, folder)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with (tmp_path / "log").open("w") as log:
        server = subprocess.Popen(
            [tensorio._commands.executable(), "serve", tmp_path / "models", "--port", str(port), "--watch", "1"],
            stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}/v2/models/digits"

    def wait_for(version: str) -> None:
        for _ in range(1200):
            assert server.poll() is None, (tmp_path / "log").read_text()
            try:
                if _get(f"{url}/versions/{version}").get("name") == "digits":
                    return
            except (OSError, urllib.error.URLError):
                pass
            time.sleep(0.1)
        raise AssertionError((tmp_path / "log").read_text())

    try:
        wait_for("1")
        trainer.fit(TRAINING, epochs=2)
        path = pathlib.Path(export_version(trainer, folder))
        wait_for("2")
        sample = BUNDLE / "samples" / "3-1.png"
        request = urllib.request.Request(
            f"{url}/predict", sample.read_bytes(), {"Content-Type": "image/png"})
        with urllib.request.urlopen(request, timeout=60) as response:
            served = json.load(response)
        assert tensorio.Model(path)(sample).outputs.keys() == served["outputs"].keys()
        assert served["model"]["version"] == "2"
    finally:
        server.terminate()
        server.wait(60)
        shutil.rmtree(tmp_path / "models")
