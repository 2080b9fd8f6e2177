"""Teaching models classes of the user."""

import pathlib
import shutil

import numpy
import pytest
from PIL import Image

import tensorio
from conftest import BUNDLES, ROOT

EMBEDDER = BUNDLES / "digits-embedder.tiobundle"
TRAINING = ROOT / "Examples" / "Data" / "digits-training"
HELD_OUT = ROOT / "Examples" / "Data" / "digits-held-out"


def images(digit: int, count: int, folder: pathlib.Path = TRAINING) -> list[pathlib.Path]:
    return sorted((folder / str(digit)).glob("*.png"))[:count]


def teacher(tmp_path: pathlib.Path, unknown_rate: float = 0) -> tensorio.Teacher:
    return tensorio.Teacher(EMBEDDER, cache=tmp_path / "cache", unknown_rate=unknown_rate)


def test_taught_classes_are_recognized_and_extended(tmp_path: pathlib.Path) -> None:
    taught = teacher(tmp_path)
    taught.add("zero", images(0, 8))
    taught.add("one", [numpy.asarray(Image.open(path)) for path in images(1, 8)])
    assert taught.classes == {"zero": 8, "one": 8}
    report = taught.fit()
    assert report.accuracy >= 0.9 and report.interval[0] < report.accuracy <= report.interval[1]
    assert report.classes == {"zero": 8, "one": 8} and report.max_distance is None
    assert sum(map(sum, report.confusion)) == 16
    path = tmp_path / "mine.tiobundle"
    assert taught.export(path).json["bundle"] == str(path)
    assert [tensorio.Model(path)(image).label for image in images(1, 5, HELD_OUT)] == ["one"] * 5
    with pytest.raises(tensorio.RunError) as existing:
        taught.export(path)
    assert existing.value.code == "already-exists"

    more = tensorio.Teacher(path, cache=False, unknown_rate=0)
    assert more.classes == {"zero": 8, "one": 8}
    more.add_data(TRAINING / "7", "seven")
    assert list(more.classes) == ["zero", "one", "seven"]
    assert more.remove("one") == 8 and more.remove("one") == 0
    assert more.export(path, overwrite=True).accuracy >= 0.9
    assert tensorio.Model(path)(images(7, 1, HELD_OUT)[0]).label == "seven"


def test_data_of_folders_and_inputs_of_no_class(tmp_path: pathlib.Path) -> None:
    for digit in (0, 1):
        for image in images(digit, 8):
            (tmp_path / "data" / str(digit)).mkdir(parents=True, exist_ok=True)
            shutil.copy(image, tmp_path / "data" / str(digit))
    (tmp_path / "data" / "0" / "broken.png").write_text("not an image")
    taught = teacher(tmp_path, 0.1)
    taught.add_data(tmp_path / "data")
    taught.add("unknown", images(5, 4))
    report = taught.export(tmp_path / "mine.tiobundle")
    assert list(report.skipped) == ["0/broken.png"] and (tmp_path / "cache").is_dir()
    assert report.max_distance is not None and report.json["unknown"]["measured_on"] == "examples"
    assert tensorio.Model(tmp_path / "mine.tiobundle")(images(5, 1)[0]).label == "unknown"


def test_a_gallery_becomes_classes(tmp_path: pathlib.Path) -> None:
    gallery = tmp_path / "own.sqlite"
    model = tensorio.Model(EMBEDDER, gallery=gallery)
    for name, digit in (("zero", 0), ("one", 1)):
        model.gallery.enroll(name, images(digit, 6))
    taught = teacher(tmp_path)
    taught.add_gallery(gallery)
    assert taught.classes == {"zero": 6, "one": 6}
    taught.add("seven", images(7, 6))
    taught.export(tmp_path / "mine.tiobundle")
    assert tensorio.Model(tmp_path / "mine.tiobundle")(images(1, 1, HELD_OUT)[0]).label == "one"
    with pytest.raises(tensorio.InputError, match="no such gallery"):
        taught.add_gallery(tmp_path / "missing.sqlite")
    (tmp_path / "text.sqlite").write_text("not a database")
    with pytest.raises(tensorio.ModelError):
        taught.add_gallery(tmp_path / "text.sqlite")


def test_errors_of_teaching(tmp_path: pathlib.Path) -> None:
    taught = teacher(tmp_path)
    with pytest.raises(tensorio.InputError, match="two classes"):
        taught.fit()
    with pytest.raises(FileNotFoundError):
        taught.add("zero", tmp_path / "missing.png")
    with pytest.raises(tensorio.InputError):
        taught.add("zero", b"not an image")
    with pytest.raises(ValueError):
        tensorio.Teacher(EMBEDDER, unknown_rate=2)
    with pytest.raises(tensorio.InputError):
        taught.add_data(tmp_path / "missing")
    assert repr(taught) == "Teacher({})"
