"""Values of inputs: texts, lists, files that are open, and values that are missing."""

import io
import math
import os
import pathlib

import numpy
import pytest
from PIL import Image

import onnx_models
import tensorio
from conftest import BUNDLES, ROOT

SAMPLES = sorted((BUNDLES / "digits.tiobundle" / "samples").glob("*.png"))


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> tensorio.Model:
    return _opened(onnx_models.write_answers(tmp_path_factory.mktemp("bundles")))


@pytest.fixture(scope="module")
def reversal() -> tensorio.Model:
    """A model that reverses three strings."""
    return _opened(ROOT / "Tests" / "Fixtures" / "ONNX" / "reversed-strings.onnx")


def _opened(path: pathlib.Path) -> tensorio.Model:
    try:
        return tensorio.Model(path)
    except tensorio.RuntimeMissing:
        pytest.skip("ONNX Runtime is not installed")


def test_a_question_and_its_text_are_a_pair(answers: tensorio.Model) -> None:
    pair = ["Who wrote it?", "Ada wrote it"]
    for value in (pair, tuple(pair), numpy.array(pair), {"ids": pair}):
        assert answers(value).answers[0].text == "Ada"
    assert answers(ids=pair).answers[0].text == "Ada"
    (result,) = answers.batch([pair], errors="return")
    assert result.answers[0].text == "Ada"
    with pytest.raises(tensorio.InputError, match="expected one item, got 3; use batch"):
        answers(["one", "two", "three"])


def test_an_input_takes_several_strings(reversal: tensorio.Model) -> None:
    for value in (
        ["a", "b", "ü"], ("a", "b", "ü"), numpy.array(["a", "b", "ü"]), numpy.array(["a", "b", "ü"], object),
        ["a", b"b", "ü"], {"x": ["a", "b", "ü"]}, {"x": numpy.array(["a", "b", "ü"])},
    ):
        assert reversal(value)["y"] == ["ü", "b", "a"]
    assert reversal.batch([["a", "b", "c"], ["d", "e", "f"]])["y"].tolist() == [["c", "b", "a"], ["f", "e", "d"]]
    with pytest.raises(tensorio.InputError, match="expected 3 values, got 2"):
        reversal(["a", "b"])
    with pytest.raises(tensorio.InputError, match="expected a string, got a number"):
        reversal(["a", 1, "c"])


def test_rows_of_strings_are_nested_lists() -> None:
    table = [["a", "b"], ["", "zwölf"], ["e", "f"]]
    model = tensorio.Model(ROOT / "Tests" / "Fixtures" / "Models" / "text-table.tflite")
    for value in (table, numpy.array(table)):
        assert next(iter(model(value).values())) == ["e", "f", "", "zwölf", "a", "b"]
    with pytest.raises(tensorio.InputError, match="different lengths"):
        model([["a", "b", "c"], ["", "d"], ["e"]])


def test_a_fixed_batch_of_images_is_a_list(tmp_path: pathlib.Path) -> None:
    def model(count: int) -> tensorio.Model:
        layer = {"name": "x", "type": "image", "shape": [count, 4, 4, 3], "format": "RGB"}
        return _opened(onnx_models.write_bundle(
            tmp_path / f"images-{count}.tiobundle", onnx_models.identity([count, 4, 4, 3]), [layer],
            [{"name": "y", "type": "array", "shape": [count, 4, 4, 3]}]))

    paths = []
    for index in range(2):
        paths.append(tmp_path / f"{index}.png")
        Image.fromarray(numpy.full((4, 4, 3), 50 + index, numpy.uint8)).save(paths[-1])
    pair, single = model(2), model(1)
    expected = numpy.concatenate([single(path)["y"] for path in paths])
    arrays = [numpy.asarray(Image.open(path)) for path in paths]
    for value in (paths, [os.fspath(path) for path in paths], [path.read_bytes() for path in paths], arrays,
                  [Image.open(path) for path in paths], [open(path, "rb") for path in paths]):
        assert (pair(value)["y"] == expected).all()
    assert (single(paths[:1])["y"] == expected[:1]).all()


def test_several_images_for_one_are_run_by_batch(digits: tensorio.Model) -> None:
    for value in (SAMPLES[:2], [os.fspath(path) for path in SAMPLES[:2]], {"image": SAMPLES[:2]}):
        with pytest.raises(tensorio.InputError, match="'image': expected one item, got 2; use batch or predict") as error:
            digits(value)
        assert error.value.code == "wrong-count"
    assert digits.batch(SAMPLES[:2])["classification"].shape == (2, 10)


def test_an_open_file_is_an_image_or_a_sound(digits: tensorio.Model) -> None:
    expected = digits(SAMPLES[0]).top(10)
    memory = io.BytesIO(SAMPLES[0].read_bytes())
    with open(SAMPLES[0], "rb") as file:
        for value in (memory, file):
            result = digits(value)
            assert result.top(10) == expected == digits({"image": value}).top(10)
            assert result.draw_png() == digits(SAMPLES[0]).draw_png()
        assert (digits.batch([memory, file])["classification"] == digits(SAMPLES[0]).array).all()
    with open(SAMPLES[0], encoding="latin-1") as text, pytest.raises(tensorio.InputError, match="binary mode"):
        digits(text)
    tones = tensorio.Model(BUNDLES / "tones.tiobundle")
    sound = BUNDLES / "tones.tiobundle" / "samples" / "sequence.wav"
    assert tones(io.BytesIO(sound.read_bytes())).top(3) == tones(sound).top(3)


@pytest.mark.parametrize("value", [
    numpy.zeros((4, 10)), {"features": numpy.zeros((4, 10))}, [[0.0] * 10] * 4, "columns", "frame",
])
def test_several_rows_for_one_are_run_by_batch(diabetes: tensorio.Model, value: object) -> None:
    columns = {name: [0.0] * 4 for name in diabetes.inputs[0].features}
    if isinstance(value, str):
        value = columns if value == "columns" else pytest.importorskip("pandas").DataFrame(columns)
    with pytest.raises(tensorio.InputError, match=r"got 4; use batch") as error:
        diabetes(value)
    assert error.value.code == "wrong-count"


def test_columns_for_several_inputs_are_run_by_batch(strings: tensorio.Model) -> None:
    columns = {"color": ["red"] * 4, "size": ["L"] * 4, "weight": [200] * 4}
    with pytest.raises(tensorio.InputError, match="expected one item, got 4; use batch or predict for several"):
        strings(columns)
    assert strings.batch(columns)["label"].tolist() == ["cheap"] * 4


def test_a_missing_value_names_its_input(strings: tensorio.Model) -> None:
    pandas = pytest.importorskip("pandas")
    for missing in (None, pandas.NA, math.nan):
        with pytest.raises(tensorio.InputError, match="'size': no value") as error:
            strings(color="red", size=missing, weight=200)
        assert (error.value.code, error.value.layer) == ("missing-value", "size")
    for missing in (None, pandas.NA):
        with pytest.raises(tensorio.InputError, match="'weight': no value") as error:
            strings(color="red", size="L", weight=missing)
        assert error.value.code == "missing-value"


def test_a_missing_text_of_a_table_is_the_error_of_its_row(strings: tensorio.Model) -> None:
    pandas = pytest.importorskip("pandas")
    for dtype in ("str", "string", object):
        colors = pandas.Series(["red", None, "blue"], dtype=dtype)
        table = pandas.DataFrame({"color": colors, "size": ["L", "M", "S"], "weight": [200.0, 150.0, 90.0]})
        rows = strings.predict(table)
        assert rows["error"].tolist()[1] == "item 1, 'color': no value"
        assert rows["label"].notna().tolist() == [True, False, True]
        with pytest.raises(tensorio.InputError) as error:
            strings.batch(table)
        assert (error.value.code, error.value.item) == ("missing-value", 1)
        with pytest.raises(tensorio.InputError) as error:
            strings(table.iloc[1])
        assert (error.value.code, error.value.layer) == ("missing-value", "color")
        assert strings(table.iloc[[0]]).label == "cheap"


def test_a_missing_string_of_a_feature_names_the_feature() -> None:
    model = _opened(ROOT / "Tests" / "Fixtures" / "ONNX" / "reversed-strings.onnx")
    layer = model.inputs[0]
    layer.features = ["first", "second", "third"]
    with pytest.raises(tensorio.InputError, match="'second': no value") as error:
        model(["a", None, "c"])
    assert error.value.code == "missing-value"
