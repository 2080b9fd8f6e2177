"""Batches of rows that run in one invocation equal those that run item by item."""

import pathlib
import warnings
from typing import Any

import numpy
import pytest

import tensorio
from tensorio import _core
from tensorio._model import _stacked

FIXTURES = pathlib.Path(__file__).parents[2] / "Tests" / "Fixtures"
MODELS = [
    "ONNX/classes-named.onnx", "ONNX/classes-numbered.onnx", "ONNX/linear-batch.onnx", "ONNX/metadata.onnx",
    "ONNX/color-means.onnx", "ONNX/pipeline-arrays.onnx", "ONNX/pipeline-forest.onnx", "ONNX/pipeline-zipmap.onnx",
    "Keras/attention.float32.tflite", "Keras/dot-attention.float32.tflite", "Keras/embedding.float32.tflite",
    "Keras/several.float32.tflite", "Keras/dense.int8.tflite", "Keras/squeeze.float32.tflite",
    "Keras/volume.uint8.tflite",
]


def opened(name: str) -> tensorio.Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tensorio.ModelWarning)
        try:
            return tensorio.Model(FIXTURES / name)
        except tensorio.RuntimeMissing as error:
            pytest.skip(str(error))


def rows_for(model: tensorio.Model, count: int) -> dict[str, Any]:
    """Returns random values of all inputs, whose first axes count the rows."""
    random = numpy.random.default_rng(7)
    return {
        layer.name: random.integers(0, 3, (count, *layer.shape[1:])).astype(layer.dtype)
        if layer.dtype and "int" in layer.dtype else random.random((count, *layer.shape[1:]), numpy.float32)
        for layer in model.inputs}


def by_item(model: tensorio.Model, rows: Any) -> dict[str, Any]:
    return _stacked(list(model._results(model._items(rows), "raise")), model.outputs)


def expect_equal(found: dict[str, Any], expected: dict[str, Any]) -> None:
    assert list(found) == list(expected)
    for name, array in expected.items():
        assert found[name].shape == array.shape and found[name].dtype == array.dtype
        if array.dtype.kind == "f":
            assert found[name] == pytest.approx(array, abs=1e-5)
        else:
            assert (found[name] == array).all()


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of rows of the invocations, and none of single items."""
    counts: list[int] = []
    run_rows = _core.run_rows

    def counting(handle: Any, values: Any) -> Any:
        counts.append(len(values[0][2]))
        return run_rows(handle, values)

    monkeypatch.setattr(_core, "run_rows", counting)
    return counts


@pytest.mark.parametrize("name", MODELS)
def test_rows_equal_items(name: str, runs: list[int]) -> None:
    model = opened(name)
    for count in (1, 3, 300):
        rows = rows_for(model, count)
        expected = by_item(model, rows)
        runs.clear()
        expect_equal(model.batch(rows), expected)
        assert sum(runs) == count and (count < 300 or len(runs) < count / 4)
        if len(rows) == 1:
            (array,) = rows.values()
            expect_equal(model.batch(array), expected)
            expect_equal(model.batch(array.tolist()), expected)
            expect_equal(model.batch(array[::-1]), {name: value[::-1] for name, value in expected.items()})


@pytest.mark.parametrize("type", ["float64", "float16", "int64", "uint16", "bool", ">f4"])
def test_rows_of_other_types_are_converted(type: str, runs: list[int]) -> None:
    model = opened("ONNX/classes-named.onnx")
    rows = numpy.array([[0, 1, 1, 0], [1, 0, 1, 1]] * 10).astype(type)
    expect_equal(model.batch(rows), by_item(model, rows.astype(numpy.float32)))
    assert sum(runs) == 20


def test_models_that_take_other_values_run_item_by_item(runs: list[int]) -> None:
    assert opened("ONNX/reversed-strings.onnx").batch([["a", "b", "c"]])["y"].tolist() == [["c", "b", "a"]]
    model = opened("ONNX/classes-named.onnx")
    rows = [[1, 2, 3, 4], {model.inputs[0].name: [4, 3, 2, 1]}]
    assert len(model.batch(rows)["label"]) == 2
    assert len(model.batch(iter([[1, 2, 3, 4]]))["label"]) == 1
    assert not runs


def test_columns_are_rows(runs: list[int], tmp_path: pathlib.Path) -> None:
    from onnx_models import casts, write_bundle

    features = ["a", "b"]
    inputs = [{"name": "ids", "type": "array", "shape": [-1, 2], "dtype": "int32", "features": features}]
    outputs = [{"name": name, "type": "array", "shape": [-1, 2]} for name in ("first", "second")]
    try:
        model = tensorio.Model(
            write_bundle(tmp_path / "casts.tiobundle", casts(["n", 2], ["first", "second"]), inputs, outputs))
    except tensorio.RuntimeMissing as error:
        pytest.skip(str(error))
    columns = {"b": numpy.arange(200), "a": numpy.arange(200, 400).astype(numpy.int16), "other": ["x"] * 200}
    found = model.batch(columns)
    assert sum(runs) == 200
    for name in ("first", "second"):
        assert (found[name] == numpy.column_stack([columns["a"], columns["b"]])).all()
    # A fraction is no value of an integer; the row is named, also by columns.
    columns["b"] = numpy.where(numpy.arange(200) == 150, 0.5, columns["b"])
    with pytest.raises(tensorio.InputError, match="item 150, 'ids'"):
        model.batch(columns)


@pytest.mark.parametrize("count", [1, 40, 5000])
def test_a_row_that_fails_is_named(count: int) -> None:
    model = opened("ONNX/classes-named.onnx")
    (name,) = (layer.name for layer in model.inputs)
    rows = numpy.ones((count, 4))
    rows[count - 1, 2] = 1e300
    with pytest.raises(tensorio.InputError, match=f"item {count - 1}, '{name}'") as error:
        model.batch(rows)
    assert error.value.item == count - 1 and error.value.layer == name
    with pytest.raises(tensorio.InputError, match=f"item 0, '{name}': expected 4"):
        model.batch(numpy.ones((count, 5)))
    results = model.batch(rows, errors="return")
    assert isinstance(results[-1], tensorio.ItemError) and len(results) == count


def test_no_rows_have_the_types_of_rows() -> None:
    model = opened("ONNX/classes-numbered.onnx")
    empty = model.batch(numpy.empty((0, 4), numpy.float32))
    assert empty["label"].dtype == numpy.int64 and empty["label"].shape[0] == 0


def test_values_that_are_no_rows_are_errors() -> None:
    model = opened("ONNX/classes-named.onnx")
    with pytest.raises(tensorio.InputError, match="rows"):
        _core.run_rows(model._live(), ((None, 1, numpy.float32(1), 0),))
    with pytest.raises(tensorio.InputError):
        _core.run_rows(model._live(), ())
    output = _core.run_rows(model._live(), ((None, 1, numpy.ones((2, 4)), 0),))
    with pytest.raises(tensorio.OutputError, match="rows"):
        _core.output_json(output, None)
    with pytest.raises(tensorio.OutputError, match="rows"):
        _core.result_columns((output,), None)
