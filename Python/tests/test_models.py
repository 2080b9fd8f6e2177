"""Opening, describing and running models."""

import asyncio
import copy
import json
import os
import pathlib
import pickle
import shutil
import subprocess
import sys

import numpy
import pytest
from PIL import Image

import onnx_models
import tensorio
from conftest import BUNDLES

ROW = [0.1] * 10


def test_a_description_has_the_layers_of_the_bundle(digits: tensorio.Model) -> None:
    assert (digits.id, digits.backend) == ("digits", "tflite")
    assert "classification" in (digits.task or "")
    assert digits.inputs[0].type == "image" and digits.inputs[0].shape == [32, 32, 1]
    assert digits.labels == [str(number) for number in range(10)]
    assert "digits" in repr(digits)


def test_models_share_weights_through_a_cache(tmp_path: pathlib.Path) -> None:
    path = BUNDLES / "face-embedder.tiobundle"
    sample = sorted((path / "samples").glob("*.*g"))[0]
    cache = tmp_path / "cache"
    expected = tensorio.Model(path)(sample).array
    models = [tensorio.Model(path, weight_cache=cache) for _ in range(2)]
    files = [file for file in cache.glob("weights/*/weights") if file.stat().st_size > 100_000]
    assert len(files) == 1
    with open("/proc/self/maps", encoding="utf-8") as file:
        assert os.fspath(files[0]) in file.read()
    copy_of_model = pickle.loads(pickle.dumps(models[1]))
    for model in [*models, copy_of_model]:
        assert numpy.array_equal(model(sample).array, expected)
    shutil.rmtree(cache)
    assert numpy.array_equal(tensorio.Model(path, weight_cache=cache)(sample).array, expected)
    (tmp_path / "file").write_text("x")
    unusable = tensorio.Model(path, weight_cache=tmp_path / "file")
    assert numpy.array_equal(unusable(sample).array, expected)


def test_images_are_given_in_every_form(digits: tensorio.Model, digit: str) -> None:
    image = Image.open(digit)
    with open(digit, "rb") as file:
        content = file.read()
    expected = digits(digit).top(10)
    for value in [pathlib.Path(digit), content, bytearray(content), {"image": digit}]:
        assert digits(value).top(10) == expected
    pixels = numpy.asarray(image.convert("RGB"))
    spaced = numpy.repeat(pixels, 2, axis=0)[::2]
    for value in [image, pixels, numpy.asfortranarray(pixels), spaced, pixels[::-1][::-1]]:
        found = digits(value).top(10)
        assert [entry.label for entry in found[:1]] == [expected[0].label]
        assert abs(found[0].score - expected[0].score) < 1e-3
    assert digits(image=digit).label == expected[0].label


def test_numbers_are_given_in_every_form(diabetes: tensorio.Model) -> None:
    row = numpy.linspace(-1, 1, 10, dtype=numpy.float32)
    expected = float(diabetes(row).array.item())
    wide = numpy.zeros((10, 3), numpy.float32)
    wide[:, 1] = row
    frozen = row.copy()
    frozen.flags.writeable = False
    swapped = row.astype(">f4")
    for value in [
        row.tolist(), tuple(row.tolist()), row.astype(numpy.float64), wide[:, 1], frozen, swapped,
        row[::-1].copy()[::-1], memoryview(row), {"features": row}, row.reshape(1, 10),
    ]:
        assert diabetes(value).array.item() == pytest.approx(expected, rel=1e-6)
    integers = numpy.arange(10)
    for dtype in [numpy.int8, numpy.int16, numpy.int32, numpy.int64, numpy.uint8, numpy.uint16, numpy.uint64]:
        assert diabetes(integers.astype(dtype)).array == diabetes(integers.astype(float)).array


@pytest.mark.parametrize("value, text", [
    ([1, 2, 3], "'features': expected 10 values, got 3"),
    ([[1, 2], [3]], "ragged"),
    (["a"] * 10, "expected numbers, got text"),
    (numpy.array([object()] * 10), "array of object"),
    (None, "got None"),
    (numpy.zeros((10, 2)), "20"),
    ({"nope": ROW}, "nope"),
    (numpy.zeros(10, complex), "complex"),
])
def test_an_invalid_value_names_the_input_and_what_was_expected(
    diabetes: tensorio.Model, value: object, text: str,
) -> None:
    with pytest.raises(tensorio.InputError) as error:
        diabetes(value)
    assert text in str(error.value)
    assert isinstance(error.value, ValueError) and error.value.stage in ("input", "argument")


def test_errors_have_a_code_and_a_stage_and_can_be_pickled(tmp_path: pathlib.Path) -> None:
    with pytest.raises(tensorio.BundleError) as error:
        tensorio.Model(tmp_path / "missing.tiobundle")
    assert error.value.code == "missing-bundle" and error.value.stage == "bundle"
    again = pickle.loads(pickle.dumps(error.value))
    assert (again.code, str(again)) == (error.value.code, str(error.value))
    with pytest.raises(tensorio.InputError, match="threads"):
        tensorio.Model(BUNDLES / "digits.tiobundle", threads=0)


def test_results_own_their_memory(diabetes: tensorio.Model) -> None:
    arrays = [diabetes(numpy.full(10, number / 10)).array for number in range(100)]
    again = [diabetes(numpy.full(10, number / 10)).array for number in range(100)]
    assert all((first == second).all() for first, second in zip(arrays, again))
    arrays[0][:] = 7
    assert arrays[0].item() == 7 and again[0].item() != 7


def test_run_into_writes_into_an_array(diabetes: tensorio.Model) -> None:
    output = numpy.zeros(1, numpy.float32)
    diabetes.run_into(numpy.full(10, 0.1, numpy.float32), output)
    assert output == diabetes(ROW).array.ravel()
    with pytest.raises(tensorio.InputError):
        diabetes.run_into(numpy.zeros(9, numpy.float32), output)
    with pytest.raises(TypeError):
        diabetes.run_into(numpy.zeros(10), output)
    output.flags.writeable = False
    with pytest.raises((ValueError, BufferError)):
        diabetes.run_into(numpy.zeros(10, numpy.float32), output)


def test_a_batch_equals_single_runs(diabetes: tensorio.Model) -> None:
    rows = numpy.random.default_rng(1).normal(size=(2500, 10)).astype(numpy.float32)
    single = numpy.array([diabetes(row).array.ravel() for row in rows])
    assert (diabetes.batch(rows)["progression"] == single).all()
    assert (diabetes.batch(rows[:, ::-1][:, ::-1])["progression"] == single).all()
    results = diabetes.batch([row.tolist() for row in rows[:50]], errors="return")
    assert (numpy.array([result.array.ravel() for result in results]) == single[:50]).all()
    assert diabetes.batch(numpy.zeros((0, 10)), errors="return") == []


def test_the_shapes_of_a_batch_do_not_depend_on_how_it_is_given(
    diabetes: tensorio.Model, digits: tensorio.Model, digit: str
) -> None:
    rows = numpy.zeros((3, 10), numpy.float32)
    for values in (rows, rows.tolist(), [{"features": row} for row in rows], {"features": rows.tolist()}):
        assert diabetes.batch(values)["progression"].shape == (3, 1)
    for values in (rows[:0], [], {"features": []}):
        assert diabetes.batch(values)["progression"].shape == (0, 1)
    assert digits.batch([digit] * 5)["classification"].shape == (5, 10)
    empty = digits.batch([])["classification"]
    assert empty.shape == (0, 10) and empty.dtype == numpy.float32
    trainable = tensorio.Model(BUNDLES / "digits-trainable-tflite.tiobundle", mode="predict")
    assert trainable.batch([digit] * 2)["probabilities"].shape == (2, 10)
    detector = tensorio.Model(BUNDLES / "shape-detector.tiobundle")
    image = numpy.zeros((20, 20, 3), numpy.uint8)
    assert {name: array.shape for name, array in detector.batch([image] * 2).items()} == {
        "boxes": (2, 10, 4), "classes": (2, 10), "scores": (2, 10), "count": (2, 1)}


def test_a_batch_of_images_has_one_row_per_image(digits: tensorio.Model, digit: str) -> None:
    scores = digits.batch([digit] * 5)["classification"]
    assert scores.shape[0] == 5 and (scores == scores[0]).all()


def test_errors_of_a_batch_are_those_of_its_items(diabetes: tensorio.Model) -> None:
    values = [ROW, [1, 2], ROW, [3], ROW]
    results = diabetes.batch(values, errors="return")
    assert [isinstance(result, tensorio.ItemError) for result in results] == [False, True] * 2 + [False]
    assert results[1].index == 1 and results[3].error.code == "wrong-count"
    with pytest.raises(tensorio.InputError) as error:
        diabetes.batch(values)
    assert error.value.item == 1
    mapped = list(diabetes.map(iter(values), workers=2))
    assert [isinstance(result, tensorio.ItemError) for result in mapped] == [False, True] * 2 + [False]
    with pytest.raises(tensorio.ItemError, match="item 1"):
        list(diabetes.map(values, errors="raise"))


def test_columns_of_tables_are_chosen_by_the_inputs() -> None:
    model = tensorio.Model(BUNDLES / "diabetes.tiobundle")
    rows = numpy.random.default_rng(2).normal(size=(7, 10))
    expected = model.batch(rows)["progression"]
    named = {"extra": [1] * 7, "features": list(rows)}
    assert (model.batch(named)["progression"].reshape(expected.shape) == expected).all()
    with pytest.raises(tensorio.InputError, match="missing columns"):
        model.batch({"other": [1]})


def test_a_model_is_pickled_by_path_and_digest(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "copy.tiobundle"
    shutil.copytree(BUNDLES / "diabetes.tiobundle", path)
    model = tensorio.Model(path)
    data = pickle.dumps(model)
    assert len(data) < 1000
    assert (pickle.loads(data)(ROW).array == model(ROW).array).all()
    assert copy.deepcopy(model) is model
    (path / "CARD.md").write_text("changed")
    with pytest.raises(tensorio.ModelError) as error:
        pickle.loads(data)
    assert error.value.code == "bundle-changed"


def test_a_closed_model_raises() -> None:
    with tensorio.Model(BUNDLES / "diabetes.tiobundle") as model:
        model(ROW)
    with pytest.raises(ValueError, match="closed"):
        model(ROW)


def test_runs_can_be_awaited(diabetes: tensorio.Model) -> None:
    async def several() -> list[float]:
        results = await asyncio.gather(*(diabetes.run_async([n / 10] * 10) for n in range(8)))
        return [result.array.item() for result in results]

    assert asyncio.run(several()) == [diabetes([n / 10] * 10).array.item() for n in range(8)]


def test_a_model_runs_in_a_worker_process() -> None:
    model = tensorio.Model(BUNDLES / "diabetes.tiobundle", isolation="process")
    expected = tensorio.Model(BUNDLES / "diabetes.tiobundle")(ROW).array
    assert (model(ROW).array == expected).all()


def test_a_gpu_cannot_be_used_in_a_worker_process() -> None:
    with pytest.raises(tensorio.ModelError, match="a GPU in a worker process") as error:
        tensorio.Model(BUNDLES / "diabetes.tiobundle", isolation="process", accelerator="gpu")
    assert error.value.code == "unsupported"


def test_an_error_has_the_values_of_its_message(diabetes: tensorio.Model) -> None:
    with pytest.raises(tensorio.InputError) as error:
        diabetes([1.0, 2.0])
    assert error.value.code == "wrong-count"
    assert error.value.details == {"expected": 10, "actual": 2}
    assert pickle.loads(pickle.dumps(error.value)).details == error.value.details


def test_a_chain_is_a_model() -> None:
    model = tensorio.Model(BUNDLES / "faces.tiochain")
    assert model.inputs[0].type == "image"


@pytest.mark.parametrize("name", [
    path.name for path in sorted(BUNDLES.glob("*.tiobundle"))
    if '"tflite"' in (path / "model.json").read_text() and "trainable" not in path.name
    and not path.name.startswith("style")  # the command line writes output images into files
])
def test_results_equal_those_of_the_command_line(name: str) -> None:
    folder = BUNDLES / name
    samples = [
        path for path in sorted((folder / "samples").glob("*"))
        if path.suffix in (".png", ".jpg", ".wav", ".txt", ".json")
    ][:3]
    model = tensorio.Model(folder)
    executable = os.path.join(os.path.dirname(tensorio.__file__), "bin", "tensorio")
    for sample in samples:
        inputs = [f"@{sample}" if sample.suffix in (".json", ".txt") else os.fspath(sample)]
        done = subprocess.run(
            [executable, "run", folder, *inputs, "--format", "json"], capture_output=True, text=True)
        if done.returncode != 0:  # a model with several inputs
            continue
        expected = json.loads(done.stdout)
        value = json.loads(sample.read_text()) if sample.suffix == ".json" else sample
        if sample.suffix == ".txt":
            value = sample.read_text()
        found = model(value).to_dict()
        expected = expected[0] if isinstance(expected, list) else expected
        for fields in (expected, found):
            fields.pop("timing_ms", None)
            fields.pop("input", None)
        assert found["outputs"] == expected["outputs"]


def test_the_command_line_is_in_the_package() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tensorio", "--version"], capture_output=True, text=True, check=True)
    assert tensorio.__version__ in done.stdout
    report = tensorio.validate(BUNDLES / "digits.tiobundle")
    assert report
    with pytest.raises(tensorio.CommandError):
        tensorio.evaluate("missing.tiobundle", "missing.csv")


def test_an_evaluation_that_fails_its_gate_has_a_report(tmp_path: pathlib.Path) -> None:
    for sample in (BUNDLES / "digits.tiobundle" / "samples").glob("[34]-*.png"):
        (tmp_path / sample.name[0]).mkdir(exist_ok=True)
        shutil.copy(sample, tmp_path / sample.name[0])
    with pytest.raises(tensorio.CommandError, match="top1 >= 1.5") as raised:
        tensorio.evaluate(BUNDLES / "digits.tiobundle", tmp_path, gate=["top5>=0.5", "top1>=1.5"])
    assert raised.value.status == 1 and raised.value.report is not None
    assert raised.value.report.metrics.top1 == 1
    with pytest.raises(TypeError, match="format"):
        tensorio.evaluate(BUNDLES / "digits.tiobundle", tmp_path, format="text")


def test_an_output_that_is_a_sequence_is_reported(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "parts.onnx"
    path.write_bytes(onnx_models.with_sequence([2], has_tensor=True))
    try:
        with pytest.warns(tensorio.ModelWarning, match="left out: .*the sequence 'parts'"):
            model = tensorio.Model(path)
    except tensorio.RuntimeMissing:
        pytest.skip("ONNX Runtime is not installed")
    assert [layer.name for layer in model.outputs] == ["y"] == list(model([1, 2]))
    path.write_bytes(onnx_models.with_sequence([2], has_tensor=False))
    with pytest.raises(tensorio.BundleError, match="the sequence 'parts'"):
        tensorio.Model(path)


def test_bytes_that_an_input_quantizes_are_in_its_range() -> None:
    model = tensorio.Model(BUNDLES / "two-in-two-out-quantized.tiobundle")
    pixels = numpy.array([0, 10, 200, 255], numpy.uint8)
    with pytest.raises(tensorio.InputError, match="200|10") as error:
        model({"foo-features": pixels, "bar-features": [0.0] * 8})
    assert (error.value.code, error.value.layer) == ("out-of-range", "foo-features")
    bits = numpy.array([0, 1, 1, 0], numpy.uint8)
    floats = bits.astype(numpy.float32)
    results = [model({"foo-features": value, "bar-features": [0.0] * 8}) for value in (bits, floats)]
    assert results[0].outputs == results[1].outputs
