"""Galleries: names for embeddings."""

import pathlib
import pickle
import subprocess

import numpy
import pytest
from PIL import Image

import tensorio
from conftest import BUNDLES, ROOT
from tensorio import _commands

EMBEDDER = BUNDLES / "digits-embedder.tiobundle"
DATA = ROOT / "Examples" / "Data" / "digits-held-out"


def images(digit: int, count: int) -> list[pathlib.Path]:
    return sorted((DATA / str(digit)).glob("*.png"))[:count]


def test_enrolled_images_are_recognized(tmp_path: pathlib.Path) -> None:
    model = tensorio.Model(EMBEDDER, gallery=tmp_path / "own.sqlite")
    assert model.gallery.names == {}
    assert model(images(3, 1)[0]).recognition == tensorio.Recognition(None, None, 0, [])
    assert not (tmp_path / "own.sqlite").exists()
    three = images(3, 3)
    assert model.gallery.enroll("three", three[:2]) == 2
    assert model.gallery.enroll("three", three[0]) == 0
    assert model.gallery.enroll("eight", [numpy.asarray(Image.open(path)) for path in images(8, 2)]) == 2
    assert model.gallery.names == {"eight": 2, "three": 2}
    assert list(model.gallery.names) == ["eight", "three"]
    result = model(three[2])
    found = result.recognition
    assert found.name == "three" and found.votes >= 1
    assert found.distance == found.neighbors[0].distance and len(found.neighbors) == 3
    assert result.embedding.shape == (32,)
    assert pickle.loads(pickle.dumps(result)).recognition == found
    assert model.gallery.remove("three") == 2 and model.gallery.remove("three") == 0
    assert model(three[2]).recognition.name != "three"


def test_other_processes_use_the_same_gallery(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "own.sqlite"
    model = tensorio.Model(EMBEDDER, gallery=path)
    model.gallery.enroll("three", images(3, 2))
    command = [_commands.executable(), "gallery", "--gallery", path]
    listed = subprocess.run([*command, "list"], capture_output=True, text=True, check=True).stdout
    assert listed.split() == ["three", "2"]
    enroll = ["enroll", "eight", *images(8, 2), "--bundle", EMBEDDER]
    subprocess.run([*command, *enroll], capture_output=True, check=True)
    assert model.gallery.names == {"eight": 2, "three": 2}
    copy = pickle.loads(pickle.dumps(model))
    assert copy(images(8, 3)[2]).recognition.name == model(images(8, 3)[2]).recognition.name == "eight"


def test_a_gallery_that_is_created_later_is_seen(tmp_path: pathlib.Path) -> None:
    first = tensorio.Model(EMBEDDER, gallery=tmp_path / "own.sqlite")
    second = tensorio.Model(EMBEDDER, gallery=tmp_path / "own.sqlite")
    assert first.gallery.enroll("three", images(3, 20)) == 20
    assert second(images(3, 21)[20]).recognition.name == "three"
    assert first.gallery.names == second.gallery.names == {"three": 20}
    assert second.gallery.remove("three") == 20 and first.gallery.names == {}


def test_a_chain_enrolls_images_with_one_object(tmp_path: pathlib.Path) -> None:
    model = tensorio.Model(BUNDLES / "faces.tiochain", gallery=tmp_path / "faces.sqlite")
    party = sorted((BUNDLES / "face-detector.tiobundle" / "samples").glob("*.jpg"))[0]
    faces = model(party)
    assert len(faces.detections) > 1
    with pytest.raises(tensorio.OutputError, match="must contain exactly one"):
        model.gallery.enroll("ada", party)
    assert model.gallery.names == {}
    alone = Image.open(party).convert("RGB")
    for other in faces.detections[1:]:
        left, top, right, bottom = (round(edge) for edge in other.box)
        alone.paste((128, 128, 128), (left - 10, top - 10, right + 10, bottom + 10))
    assert model.gallery.enroll("ada", alone) == 1
    names = [entry.attributes["name"] for entry in model(party).detections]
    assert names[0] == "ada" and names.count("ada") == 1


def test_a_gallery_belongs_to_its_model(tmp_path: pathlib.Path, digits: tensorio.Model, digit: str) -> None:
    path = tmp_path / "own.sqlite"
    tensorio.Model(EMBEDDER, gallery=path).gallery.enroll("three", images(3, 1))
    with pytest.raises(tensorio.BundleError, match="another embedder"):
        tensorio.Model(BUNDLES / "faces.tiochain", gallery=path)
    with pytest.raises(tensorio.BundleError, match="role embedding"):
        tensorio.Model(BUNDLES / "digits.tiobundle", gallery=path)
    with pytest.raises(ValueError, match="opened without a gallery"):
        _ = digits.gallery
    with pytest.raises(tensorio.WrongTask, match="without a gallery"):
        _ = digits(digit).recognition
