"""Results of tasks, drawing and notebooks."""

import copy
import gc
import json
import math
import os
import pathlib
import pickle
import shutil
import sys

import numpy
import pytest

import tensorio
from conftest import BUNDLES
from onnx_models import constants, write_bundle, write_detector
from tensorio import _core


def test_labels_are_ordered_by_score(digits: tensorio.Model, digit: str) -> None:
    result = digits(digit)
    labels = result.top(4)
    assert len(labels) == 4 and labels == sorted(labels, key=lambda entry: -entry.score)
    assert labels[0].label == result.label and isinstance(labels[0].index, int)
    with pytest.raises(ValueError, match="detections"):
        _ = result.detections


def test_detections_have_boxes_in_pixels() -> None:
    model = tensorio.Model(BUNDLES / "shape-detector.tiobundle")
    sample = sorted((BUNDLES / "shape-detector.tiobundle" / "samples").glob("*.[jp][pn]g"))[0]
    result = model(sample)
    assert result.detections
    for found in result.detections:
        assert found.label and 0 < found.score <= 1
        assert found.box.right > found.box.left and found.box.bottom > found.box.top
    assert result._repr_png_() == result.draw_png()
    assert len(result.to_pandas()) == len(result.detections) if _has("pandas") else True


def test_a_drawing_is_saved_with_and_without_pillow(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = BUNDLES / "shape-detector.tiobundle"
    sample = sorted((bundle / "samples").glob("*.[jp][pn]g"))[0]
    drawing = tensorio.Model(bundle)(sample).draw()
    image = drawing.to_pil()
    assert (drawing.width, drawing.height) == image.size
    assert repr(drawing) == f"Drawing(width={image.width}, height={image.height})"
    drawing.save(tmp_path / "drawing.jpg")
    assert (tmp_path / "drawing.jpg").read_bytes().startswith(b"\xff\xd8")
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    drawing.save(tmp_path / "drawing.png")
    assert (tmp_path / "drawing.png").read_bytes() == drawing.png == drawing._repr_png_()
    with open(tmp_path / "file", "wb") as file:
        drawing.save(file)
    assert (tmp_path / "file").read_bytes() == drawing.png
    with pytest.raises(tensorio.RuntimeMissing, match="pip install 'pillow'"):
        drawing.save(tmp_path / "drawing.webp")


def test_a_result_is_shown_as_a_table(diabetes: tensorio.Model) -> None:
    result = diabetes([0.1] * 10)
    assert "progression" in result._repr_html_() and "progression" in repr(result)
    assert result._repr_png_() is None
    with pytest.raises(ValueError, match="image"):
        result.draw_png()
    assert list(result.tensors) == ["progression"]


def test_a_segmentation_has_regions_and_masks() -> None:
    bundle = BUNDLES / "shape-segmenter.tiobundle"
    sample = sorted((bundle / "samples").glob("*.[jp][pn]g"))[0]
    result = tensorio.Model(bundle)(sample)
    found = result.segmentation
    assert found.regions and found.classes.ndim == 2
    for region in found.regions:
        mask = found.mask(region.label)
        assert mask.shape == found.classes.shape and mask.sum() == region.pixels
        rows, columns = mask.nonzero()
        assert region.box[:2] == (columns.min(), rows.min())
        assert region.box[2:] == (columns.max() + 1, rows.max() + 1)
        assert region.fraction == pytest.approx(region.pixels / found.classes.size)
    with pytest.raises(ValueError, match="'cat'"):
        found.mask("cat")
    assert len(result.to_pandas()) == len(found.regions) if _has("pandas") else True
    with pytest.raises(ValueError, match="no windows"):
        _ = result.windows


def test_a_sound_has_labels_for_all_and_for_each_window() -> None:
    bundle = BUNDLES / "tones.tiobundle"
    result = tensorio.Model(bundle)(bundle / "samples" / "sequence.wav")
    assert [entry.score for entry in result.top(3)] == sorted((entry.score for entry in result.top(3)), reverse=True)
    assert len({window.labels[0].label for window in result.windows}) > 1
    for window in result.windows:
        assert 0 <= window.start < window.end and window.labels[0].score >= window.labels[-1].score
    means = [
        sum(entry.score for window in result.windows for entry in window.labels if entry.index == index)
        / len(result.windows) for index in range(len(result.windows[0].labels))]
    assert result.top(1)[0].index == means.index(max(means))
    assert result.label in result.to_row().values()


def test_an_object_has_a_mask() -> None:
    png = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAAAAADRSSBWAAAAC0lEQVR4nGNg+A8AAQIBAEK+vGgAAAAASUVORK5CYII="
    mask = {"x": 3, "y": 4, "width": 2, "height": 1, "pixels": 1, "png": png}
    found = tensorio.Detection("cat", 0.5, tensorio.Box(3, 4, 5, 5), 0, {"mask": mask}).mask
    assert found is not None and (found.left, found.top) == (3, 4)
    assert found.pixels.tolist() == [[False, True]]
    assert tensorio.Detection("cat", 0.5, tensorio.Box(3, 4, 5, 5), 0, {}).mask is None


@pytest.fixture
def masks(tmp_path: pathlib.Path) -> tensorio.Model:
    """A model that always finds a cat in the left half and a dog in the upper half of an image of 128 × 72."""
    left = numpy.repeat(numpy.where(numpy.arange(8) < 4, 1, -1)[None], 8, 0)
    boxes = numpy.array([[64, 36, 128, 72, 0.9, 0, 0, 1, 0], [64, 36, 128, 72, 0, 0.75, 0, 0, 1]], numpy.float32)
    try:
        return tensorio.Model(
            write_detector(tmp_path / "masks.tiobundle", boxes.T[None], numpy.stack([left, left.T])[None]))
    except tensorio.RuntimeMissing as error:
        pytest.skip(str(error))


def test_masks_are_arrays(masks: tensorio.Model) -> None:
    result = masks(numpy.zeros((72, 128, 3), numpy.uint8))
    cat, dog = result.detections
    assert (cat.label, dog.label, cat.score, dog.score) == ("cat", "dog", 0.9, 0.75)
    assert cat.mask is not None and dog.mask is not None
    assert cat.mask.pixels.dtype == bool and cat.mask.pixels.shape == (72, 128)
    assert cat.mask.pixels[:, :60].all() and not cat.mask.pixels[:, 68:].any()
    assert dog.mask.pixels[:32].all() and not dog.mask.pixels[40:].any()
    # The JSON has the same pixels as a PNG.
    for found, entry in zip(result.detections, result.outputs["detections"]):
        as_json = tensorio.Detection(found.label, found.score, found.box, found.index, {"mask": entry["mask"]})
        assert as_json.mask == found.mask
        assert {**found.attributes["mask"], "png": None} == {**entry["mask"], "png": None}
    assert result.detections == masks(numpy.zeros((72, 128, 3), numpy.uint8)).detections
    assert cat != dog and cat.mask != dog.mask
    assert pickle.loads(pickle.dumps(result)).detections == result.detections
    assert pickle.loads(pickle.dumps(result.detections)) == result.detections
    # Tables of pandas have the arrays; those of Arrow, which has no images, have the text of the JSON.
    if _has("pandas"):
        assert all(map(numpy.array_equal, result.to_pandas()["mask.png"], (each.attributes["mask"]["png"] for each in result.detections)))
    if _has("pyarrow"):
        assert result.to_arrow()["mask.png"].to_pylist() == [entry["mask"]["png"] for entry in result.outputs["detections"]]


def test_arrays_of_a_result_outlive_it(masks: tensorio.Model) -> None:
    result = masks(numpy.zeros((72, 128, 3), numpy.uint8))
    pixels = result.detections[0].attributes["mask"]["png"]
    expected = pixels.copy()
    del result
    gc.collect()
    _ = [masks(numpy.zeros((72, 128, 3), numpy.uint8)).detections for _ in range(20)]
    assert numpy.array_equal(pixels, expected)
    # Other results can share the memory.
    with pytest.raises(ValueError, match="read-only"):
        pixels[0, 0] = 1


def test_a_result_has_values_by_name(masks: tensorio.Model, digits: tensorio.Model, digit: str) -> None:
    cat, _ = masks(numpy.zeros((72, 128, 3), numpy.uint8)).value("detections")
    assert cat["label"] == "cat" and cat["score"] == 0.9 and isinstance(cat["box"]["xmin"], float)
    assert cat["mask"]["png"].shape == (72, 128) and "id" not in cat
    assert digits(digit).value("classification")[0] == {"label": "0", "index": 0, "score": digits(digit).top(1)[0].score}
    embedding = tensorio.Model(BUNDLES / "digits-embedder.tiobundle")(digit)
    assert numpy.array_equal(embedding.value("embedding"), embedding.embedding)
    with pytest.raises(tensorio.WrongTask, match="no lines; its outputs are embedding"):
        embedding.value("lines")


def test_a_map_has_values(tmp_path: pathlib.Path) -> None:
    values = numpy.linspace(0, 3, 4 * 8, dtype=numpy.float32).reshape(1, 4, 8)
    outputs = [{"name": "depth", "type": "array", "shape": values.shape, "role": "map"}]
    image = {"name": "image", "type": "image", "shape": [4, 8, 3], "format": "RGB", "fit": "stretch"}
    bundle = write_bundle(
        tmp_path / "depth.tiobundle", constants({"depth": values}, [1, 4, 8, 3]), [image], outputs, task={"type": "map"})
    try:
        result = tensorio.Model(bundle)(numpy.zeros((4, 8, 3), numpy.uint8))
    except tensorio.RuntimeMissing as error:
        pytest.skip(str(error))
    assert result.map.values.shape == (4, 8) and result.map.values == pytest.approx(values[0])
    assert (result.map.minimum, result.map.maximum) == (0, 3) and result.map.mean == pytest.approx(1.5)
    assert "png" in result.outputs["map"]


def test_numbers_are_those_of_the_json() -> None:
    random = numpy.random.default_rng(3)
    bits = random.integers(0, 2**32, 20_000, dtype=numpy.uint32).view(numpy.float32)
    powers = numpy.float32(2) ** numpy.arange(-149, 128, dtype=numpy.float32)
    for numbers in (bits[numpy.isfinite(bits)], random.random(20_000).astype(numpy.float32), powers, -powers):
        assert _core.numbers(numbers, False) == [float(str(number)) for number in numbers]
    special = numpy.array([math.nan, math.inf, 2, -0.0, 0.1, 2**24, 2**25], numpy.float32)
    found = _core.numbers(special, True)
    assert found == [None, None, 2, -0.0, 0.1, 2**24, 33554432.0]
    assert [type(number) for number in found[2:]] == [int, float, float, int, float]
    assert all(map(math.isnan, _core.numbers(special[:2], False)))
    with pytest.raises(TypeError, match="float32 or float64"):
        _core.numbers(numpy.arange(3), False)


def test_strings_are_text(strings: tensorio.Model) -> None:
    result = strings(color="red", size="L", weight=200)
    assert result.outputs["label"] == "cheap" == result.to_row()["label"]
    assert "label=\"cheap\"" in repr(result)
    assert result.top(1)[0].label == "cheap"
    rows = [{"color": "red", "size": "L", "weight": 200}, {"color": "blue", "size": "M", "weight": 151}]
    assert strings.batch(rows)["label"].tolist() == ["cheap", "dear"]


def _has(name: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(name) is not None

def test_a_property_of_another_task_is_missing(digits: tensorio.Model, digit: str) -> None:
    result = digits(digit)
    assert not hasattr(result, "detections") and getattr(result, "poses", None) is None
    with pytest.raises(tensorio.WrongTask, match="no embedding; its outputs are classification"):
        _ = result.embedding
    assert list(result) == ["classification"] and "classification" in result and len(result) == 1
    with pytest.raises(ValueError, match="at least 1"):
        result.top(0)


@pytest.fixture
def labeled(tmp_path: pathlib.Path) -> tensorio.Model:
    """A model of numbers whose only output has a label."""
    bundle = tmp_path / "diabetes.tiobundle"
    shutil.copytree(BUNDLES / "diabetes.tiobundle", bundle)
    description = json.loads((bundle / "model.json").read_text(encoding="utf-8"))
    description["outputs"][0]["labels"] = "labels.txt"
    (bundle / "model.json").write_text(json.dumps(description), encoding="utf-8")
    (bundle / "assets").mkdir(exist_ok=True)
    (bundle / "assets" / "labels.txt").write_text("progression\n", encoding="utf-8")
    return tensorio.Model(bundle)


def test_labels_with_negative_scores_are_kept(labeled: tensorio.Model) -> None:
    result = labeled([-1.0] * 10)
    assert result.label == "progression" and result.top(1)[0].score < 0


def test_labels_have_the_score_nan_if_the_model_returns_it(labeled: tensorio.Model) -> None:
    result = labeled([math.nan] * 10)
    assert result.label == "progression" and math.isnan(result.top(1)[0].score)
    assert result.outputs["progression"] == [{"label": "progression", "score": None, "index": 0}]
    assert math.isnan(result.to_row()["progression_score"])
    scores = labeled.predict({"features": [[0.0] * 10, [math.nan] * 10]})["progression_score"]
    assert [math.isnan(score) for score in scores] == [False, True]


def test_a_result_is_a_mapping_of_its_tensors(diabetes: tensorio.Model) -> None:
    for result in (diabetes([0.0] * 10), *diabetes.batch([[0.0] * 10], errors="return")):
        assert isinstance(result, tensorio.Result)
        assert list(result.keys()) == ["progression"]
        ((name, array),) = result.items()
        (value,) = result.values()
        assert array is value is result.get(name) is result[name]
        assert result.get("other") is None and result.get("other", 1) == 1
        assert "progression" in repr(result.tensors) and str(array) in repr(result.tensors).replace("array(", "")


def test_an_image_without_objects_has_a_table_without_rows() -> None:
    pandas = pytest.importorskip("pandas")
    model = tensorio.Model(BUNDLES / "shape-detector.tiobundle")
    result = model(numpy.zeros((64, 64, 3), numpy.uint8))
    assert result.detections == []
    table = result.to_pandas()
    assert len(table) == 0 and len(table[table.label == "circle"]) == 0
    found = model(sorted((BUNDLES / "shape-detector.tiobundle" / "samples").glob("*.jpg"))[0]).to_pandas()
    assert set(table.columns) <= set(found.columns)
    assert len(pandas.concat([table, found])) == len(found) > 0
    if _has("pyarrow"):
        assert result.to_arrow().num_rows == 0 and result.to_arrow().column_names == list(table.columns)


def test_results_of_a_batch_are_drawn_on_their_images() -> None:
    bundle = BUNDLES / "shape-detector.tiobundle"
    sample = os.fspath(sorted((bundle / "samples").glob("*.jpg"))[0])
    model = tensorio.Model(bundle)
    (result,) = model.batch([sample], errors="return")
    assert isinstance(result, tensorio.Result)
    assert result.draw_png() == model(sample).draw_png()
    assert result.detections[0].box.width > 0 and result.detections[0].box.height > 0


@pytest.mark.parametrize("name", ["diabetes", "digits", "shape-detector", "shape-segmenter", "tones", "negative"])
def test_a_result_is_pickled_and_copied(name: str) -> None:
    bundle = BUNDLES / f"{name}.tiobundle"
    samples = sorted(file for file in (bundle / "samples").glob("*") if file.suffix in (".png", ".jpg", ".wav"))
    value = samples[0] if samples else numpy.full(10, 0.1, numpy.float32)
    result = tensorio.Model(bundle)(value)
    for other in (pickle.loads(pickle.dumps(result)), pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(result)))),
                  copy.copy(result), copy.deepcopy(result)):
        assert list(other) == list(result)
        assert all(numpy.array_equal(other[key], result[key]) for key in result)
        assert other.to_dict() == result.to_dict() and other.outputs == result.outputs
        assert other.to_row() == result.to_row() and repr(other) == repr(result)
        try:
            assert other.top(3) == result.top(3) and other.top(1000) == result.top(1000)
        except tensorio.WrongTask:
            with pytest.raises(tensorio.WrongTask):
                other.top(3)
    if name == "shape-detector":
        assert pickle.loads(pickle.dumps(result)).detections == result.detections
        assert copy.deepcopy(result).draw_png() == result.draw_png()


def test_a_pickled_result_has_neither_a_drawing_nor_another_selection(digits: tensorio.Model, digit: str) -> None:
    result = pickle.loads(pickle.dumps(digits(digit)))
    with pytest.raises(ValueError, match="pickled cannot be drawn"):
        result.draw()
    with pytest.raises(ValueError, match="select them before"):
        result.to_dict(min_score=0.5)
    assert result._repr_png_() is None and result.label == digits(digit).label


def test_a_deep_copy_has_memory_of_its_own(diabetes: tensorio.Model) -> None:
    result = diabetes(numpy.zeros(10, numpy.float32))
    shallow, deep = copy.copy(result), copy.deepcopy(result)
    result.array[:] = 7
    assert shallow.array.item() == 7 and deep.array.item() != 7
