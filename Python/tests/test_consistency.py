"""The ways to pass values to a model agree with each other."""

import json
import math
import pathlib
import pickle
from typing import Any

import numpy
import pytest

import tensorio
from conftest import BUNDLES

ROW = [0.01 * index for index in range(10)]


@pytest.fixture(scope="module")
def topics() -> tensorio.Model:
    return tensorio.Model(BUNDLES / "topics.tiobundle")


def _columns(diabetes: tensorio.Model, **changed: Any) -> dict[str, Any]:
    return {name: numpy.array([value, value]) for name, value in zip(diabetes.inputs[0].features, ROW)} | changed


def test_numbers_out_of_range_are_errors_in_every_batch(diabetes: tensorio.Model) -> None:
    rows = numpy.array([ROW, ROW])
    rows[1, 0] = 1e300
    columns = _columns(diabetes, age=rows[:, 0])
    for values in (rows, rows.tolist(), columns):
        with pytest.raises(tensorio.InputError, match="range") as raised:
            diabetes.batch(values)
        assert raised.value.item == 1
    predicted = diabetes.predict(columns)
    assert predicted["error"][0] is None and "range" in predicted["error"][1]
    rows[1, 0] = math.inf
    assert diabetes.batch(rows).keys() == {"progression"}


def test_an_array_of_another_shape_is_an_error_in_a_batch(diabetes: tensorio.Model) -> None:
    for shape in ((1, 5, 2), (2, 10, 1), (3, 0)):
        with pytest.raises(tensorio.InputError):
            diabetes.batch(numpy.zeros(shape))


def test_errors_of_items_are_pickled(diabetes: tensorio.Model) -> None:
    (error,) = diabetes.batch([[1, 2]], errors="return")
    assert isinstance(error, tensorio.ItemError)
    copy = pickle.loads(pickle.dumps(error))
    assert copy.index == 0 and copy.error.code == "wrong-count" and str(copy) == str(error)
    failed = tensorio.CommandError("failed", 2, "text", tensorio.Report({"gate": False}))
    copied = pickle.loads(pickle.dumps(failed))
    assert copied.status == 2 and copied.report is not None and not copied.report.gate


def test_an_item_that_cannot_be_passed_does_not_fail_the_others(topics: tensorio.Model, diabetes: tensorio.Model) -> None:
    results = topics.batch(["parcel", "\udcff", "refund"], errors="return")
    assert [isinstance(result, tensorio.ItemError) for result in results] == [False, True, False]
    results = diabetes.batch([ROW, {"features": ROW, "other": 1}, ROW], errors="return")
    assert [isinstance(result, tensorio.ItemError) for result in results] == [False, True, False]


def test_labels_are_selected_by_any_number(digits: tensorio.Model, digit: str) -> None:
    result = digits(digit)
    assert len(result.top(numpy.int64(2))) == 2  # type: ignore[arg-type]
    assert len(result.to_dict(top=2, min_score=-math.inf)["outputs"]["classification"]) == 2
    assert result.to_dict(min_score=math.inf)["outputs"]["classification"] == []
    score = numpy.float32(0.5)
    assert len(result.to_dict(min_score=score)["outputs"]["classification"]) == 1  # type: ignore[arg-type]
    for wrong in (math.nan, "0.5"):
        with pytest.raises(ValueError, match="min_score"):
            result.to_dict(min_score=wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        result.to_dict(top=2.5)  # type: ignore[arg-type]
    assert tensorio.Model(BUNDLES / "digits.tiobundle", threads=numpy.int64(1))(digit).label == result.label


def test_options_may_be_numbers_of_numpy() -> None:
    one: Any = numpy.int64(1)
    trainer = tensorio.Trainer(BUNDLES / "digits-trainable-tflite.tiobundle", threads=one)
    images = {"image": numpy.zeros((2, 32, 32, 1), numpy.uint8), "labels": [0, 1]}
    assert math.isfinite(trainer.fit(images, epochs=one, batch_size=numpy.int64(2)).loss)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="an option has the type object"):
        tensorio.Model(BUNDLES / "digits.tiobundle", threads=object())  # type: ignore[arg-type]


def test_the_name_of_a_file_may_have_any_bytes(digits: tensorio.Model, digit: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "\udcff.png"
    path.write_bytes(pathlib.Path(digit).read_bytes())
    assert len(digits(path).to_dict(top=1)["outputs"]["classification"]) == 1


@pytest.mark.parametrize("dtype", ["u2", "u4", "u8", ">f4", "f2", "f8", "i1"])
def test_memory_has_any_numeric_type(diabetes: tensorio.Model, dtype: str) -> None:
    array = numpy.arange(10).astype(dtype)
    assert (diabetes(memoryview(array)).array == diabetes(array).array).all()


def test_rows_of_numbers_stay_numbers(diabetes: tensorio.Model) -> None:
    row = diabetes(ROW).to_row()
    assert row == {"progression": float(diabetes(ROW).array.reshape(-1)[0])}
    assert math.isnan(diabetes([math.nan] * 10).to_row()["progression"])
    predicted = diabetes.predict({"features": [ROW, ["a"] * 10, ROW]})
    assert predicted["progression"] == [row["progression"], None, row["progression"]]


def test_a_table_without_rows_has_the_columns_of_the_results(diabetes: tensorio.Model, topics: tensorio.Model) -> None:
    assert diabetes.predict({"features": []}) == {"progression": []}
    assert topics.predict({"message": []}) == {"topic": [], "topic_score": []}


def test_a_stream_rejects_what_a_model_rejects() -> None:
    model = tensorio.Model(BUNDLES / "diabetes.tiobundle")
    stream = model.stream()
    assert (stream(ROW).array == model(ROW).array).all()
    with pytest.raises(TypeError, match="not both"):
        stream(ROW, features=ROW)
    model.close()
    with pytest.raises(ValueError, match="closed"):
        stream(ROW)


def test_columns_of_pandas_with_missing_values_are_errors_of_their_rows(diabetes: tensorio.Model) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(_columns(diabetes))
    expected = diabetes.predict(frame)["progression"].tolist()
    for dtype in ("Float64", "double[pyarrow]"):
        if "pyarrow" in dtype:
            pytest.importorskip("pyarrow")
        frame["age"] = pandas.array([ROW[0], None], dtype=dtype)
        predicted = diabetes.predict(frame)
        assert predicted["progression"][0] == pytest.approx(expected[0], rel=1e-6)
        assert "'age'" in predicted["error"][1] and predicted["error"].isna().tolist() == [True, False]
        with pytest.raises(tensorio.InputError, match="'age': no value") as raised:
            diabetes.batch(frame)
        assert raised.value.item == 1 and raised.value.code == "missing-value"


def test_columns_of_pyarrow_are_read_in_mappings_and_record_batches(
    diabetes: tensorio.Model, topics: tensorio.Model
) -> None:
    pa: Any = pytest.importorskip("pyarrow")
    columns = _columns(diabetes)
    expected = diabetes.batch(columns)["progression"]
    arrays = {name: pa.array(values) for name, values in columns.items()}
    assert (diabetes.batch(arrays)["progression"] == expected).all()
    assert (diabetes.batch(pa.chunked_array([pa.array([ROW, ROW])]))["progression"] == expected).all()
    batch = pa.record_batch(arrays | {"sex": pa.array([True, False])})
    assert diabetes.predict(batch)["progression"].to_pylist()[0] == pytest.approx(
        diabetes([1.0 if name == "sex" else value for name, value in zip(columns, ROW)]) .array.item())
    text = "my parcel has not arrived so far"
    assert (topics(pa.scalar(text)).tensors["topic"] == topics(text).tensors["topic"]).all()
    assert (topics.batch(pa.array([text]))["topic"] == topics(text).tensors["topic"]).all()


def test_a_result_is_drawn_by_several_threads() -> None:
    from concurrent.futures import ThreadPoolExecutor

    bundle = BUNDLES / "shape-detector.tiobundle"
    result = tensorio.Model(bundle)(sorted((bundle / "samples").glob("*.jpg"))[0])
    expected = result.draw_png()
    with ThreadPoolExecutor(4) as pool:
        drawn = [pool.submit(result.draw_png) for _ in range(24)]
        assert all(future.result() == expected for future in drawn)


@pytest.fixture
def doubling(tmp_path: pathlib.Path) -> Any:
    """Returns a function that opens a model of a type, whose description declares no type."""
    def open_model(type: str) -> tensorio.Model:
        bundle = tmp_path / f"{type}.tiobundle"
        bundle.mkdir()
        file = pathlib.Path(__file__).parents[2] / "Tests" / "Fixtures" / "Models" / f"double-{type}.tflite"
        (bundle / "model.tflite").write_bytes(file.read_bytes())
        layer = {"type": "array", "shape": [4]}
        description = {
            "name": type, "details": "", "id": type, "version": "1", "author": "", "license": "",
            "model": {"file": "model.tflite", "quantized": False, "backend": "tflite", "modes": ["predict"]},
            "inputs": [layer | {"name": "x"}], "outputs": [layer | {"name": "y"}], "options": {}}
        (bundle / "model.json").write_text(json.dumps(description), encoding="utf-8")
        return tensorio.Model(bundle)

    return open_model


@pytest.mark.parametrize("type", ["int32", "int64", "float64", "float32"])
def test_types_are_those_of_the_tensors_in_every_batch(doubling: Any, type: str) -> None:
    model = doubling(type)
    assert model.inputs[0].dtype == type == model.outputs[0].dtype
    # The model of float64 computes in float32.
    exact = 16777217 if type.startswith("int") else 16777216
    rows = numpy.array([[exact, 1, 2, 3]] * 2, type)
    for values in (rows, rows.tolist(), {"x": rows}):
        array = model.batch(values)["y"]
        assert array.dtype == type and array.shape == (2, 4) and array[0, 0] == 2 * exact
    assert model.predict({"x": rows.tolist()})["y"][1][0] == 2 * exact
    assert model.batch([])["y"].dtype == type


def test_an_output_that_is_dequantized_has_floats() -> None:
    model = tensorio.Model(BUNDLES / "digits-quantized.tiobundle")
    assert model.outputs[0].dtype == "float32"
    assert model.batch([])["classification"].dtype == numpy.float32
