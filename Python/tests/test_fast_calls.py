"""Runs between arrays, which the extension module performs without Python code."""

import gc
import inspect
import sys
import threading
from typing import Any

import numpy
import pytest

import tensorio
from conftest import BUNDLES

ROW = numpy.linspace(0.1, 1, 10, dtype=numpy.float32)


@pytest.fixture
def expected(diabetes: tensorio.Model) -> Any:
    """The result of a list, which the extension module does not take itself."""
    return diabetes(ROW.tolist()).array


@pytest.mark.parametrize("value", [
    ROW, ROW.reshape(1, 10), ROW.reshape(1, 1, 1, 10), ROW.astype(numpy.float64), ROW.astype(">f4"),
    numpy.repeat(ROW, 2)[::2], numpy.asfortranarray(ROW.reshape(1, 10)), ROW[::-1].copy()[::-1],
    ROW.view(numpy.recarray), memoryview(ROW), {"features": ROW}, {"features": ROW.reshape(1, 10)},
], ids=lambda value: type(value).__name__)
def test_arrays_of_every_layout_give_the_same_result(
    diabetes: tensorio.Model, expected: Any, value: Any
) -> None:
    for result in (diabetes(value), diabetes.run(value)):
        assert result.array.tobytes() == expected.tobytes()
        assert result.array.shape == expected.shape and result.array.dtype == numpy.float32


def test_names_and_placeholders_take_the_other_way(diabetes: tensorio.Model, expected: Any) -> None:
    assert diabetes(features=ROW).array == expected
    assert diabetes.run(features=ROW).array == expected
    for call in (lambda: diabetes(ROW, features=ROW), lambda: diabetes.run(ROW, ROW)):
        with pytest.raises(TypeError):
            call()
    for value in ({"other": ROW}, {"features": ROW, "other": ROW}, {}, {1: ROW}, None):
        with pytest.raises((tensorio.InputError, TypeError)):
            diabetes(value)


@pytest.mark.parametrize("shape", [(9,), (11,), (2, 5), (10, 1), (1, 2, 5), (0,)])
def test_other_shapes_are_errors(diabetes: tensorio.Model, shape: tuple[int, ...]) -> None:
    array = numpy.zeros(shape, numpy.float32)
    with pytest.raises(tensorio.InputError) as caught:
        diabetes(array)
    assert caught.value.layer == "features"
    with pytest.raises(tensorio.InputError) as other:
        diabetes(array.tolist())
    assert caught.value.code in {other.value.code, "wrong-shape"}


def test_a_result_has_all_members(diabetes: tensorio.Model) -> None:
    fast, slow = diabetes(ROW), diabetes(ROW.tolist())
    assert isinstance(fast, tensorio.Result) and type(fast) is type(slow)
    assert list(fast.tensors) == list(slow.tensors) == ["progression"]
    assert fast.tensors["progression"] is fast.array and fast["progression"] == slow["progression"]
    assert fast.outputs == slow.outputs and fast.to_row() == slow.to_row() and repr(fast) == repr(slow)
    record = fast.to_dict()
    assert {key: type(value) for key, value in record.items()} == {
        key: type(value) for key, value in slow.to_dict().items()}
    with pytest.raises(ValueError, match="image"):
        fast.draw_png()


def test_a_result_outlives_its_model(expected: Any) -> None:
    with tensorio.Model(BUNDLES / "diabetes.tiobundle") as model:
        first, second = model(ROW), model(ROW)
    assert second.array is not first.array
    del model
    gc.collect()
    assert first.array == expected and first.outputs["progression"] == pytest.approx(expected.item())


def test_labels_are_those_of_the_other_way() -> None:
    found = 0
    for bundle in sorted(BUNDLES.glob("*.tiobundle")):
        try:
            model = tensorio.Model(bundle)
        except tensorio.ModelError:
            continue
        layer = model.inputs[0]
        if len(model.inputs) != 1 or layer.type != "array" or any(size < 1 for size in layer.shape):
            continue
        array = numpy.linspace(0, 1, int(numpy.prod(layer.shape)), dtype=numpy.float32)
        fast, slow = model(array), model(memoryview(array))
        assert fast.outputs == slow.outputs
        for name, value in slow.tensors.items():
            assert numpy.array_equal(fast[name], value) and fast[name].dtype == value.dtype
            found += 1
    assert found >= 1


def test_run_into_checks_its_arrays(diabetes: tensorio.Model, expected: Any) -> None:
    output = numpy.zeros(1, numpy.float32)
    diabetes.run_into(ROW, output)
    assert output[0] == expected.item()
    diabetes.run_into(input=ROW, output=output.reshape(1, 1))
    diabetes.run_into(memoryview(ROW), memoryview(output))
    read_only = output.copy()
    read_only.flags.writeable = False
    for arguments in ((ROW, read_only), (ROW[::2], output), (ROW.astype(float), output), (ROW, None)):
        with pytest.raises((TypeError, ValueError, BufferError)):
            diabetes.run_into(*arguments)
    for arguments in ((ROW[:9].copy(), output), (ROW, numpy.zeros(2, numpy.float32))):
        with pytest.raises(tensorio.ModelError):
            diabetes.run_into(*arguments)
    for arguments in ((), (ROW,), (ROW, output, 1)):
        with pytest.raises(TypeError, match="two arrays"):
            diabetes.run_into(*arguments)
    with pytest.raises(TypeError, match="two arrays"):
        diabetes.run_into(ROW, target=output)


def test_a_closed_model_is_an_error(expected: Any) -> None:
    model = tensorio.Model(BUNDLES / "diabetes.tiobundle")
    assert model(ROW).array == expected
    model.close()
    for call in (lambda: model(ROW), lambda: model.run(ROW),
                 lambda: model.run_into(ROW, numpy.zeros(1, numpy.float32))):
        with pytest.raises(ValueError, match="closed"):
            call()


def test_subclasses_and_documentation() -> None:
    class Scorer(tensorio.Model):
        def __call__(self, value: Any = None, /, **inputs: Any) -> tensorio.Result:
            result = super().__call__(value, **inputs)
            self.count = getattr(self, "count", 0) + 1
            return result

    scorer = Scorer(BUNDLES / "diabetes.tiobundle")
    assert scorer(ROW).array.shape == (1, 1) and scorer.count == 1
    assert "once" in (tensorio.Model.run.__doc__ or "")
    assert list(inspect.signature(tensorio.Model.run_into).parameters) == ["self", "input", "output"]


def test_references_are_released(diabetes: tensorio.Model) -> None:
    output = numpy.zeros(1, numpy.float32)
    row = ROW.copy()
    counts = [sys.getrefcount(value) for value in (row, output, diabetes, diabetes._handle)]
    for _ in range(1000):
        diabetes(row).outputs
        diabetes({"features": row}).array
        diabetes.run_into(row, output)
        for wrong in (row[:9].copy(), {"x": row}):
            with pytest.raises(tensorio.InputError):
                diabetes(wrong)
    del wrong
    gc.collect()
    assert [sys.getrefcount(value) for value in (row, output, diabetes, diabetes._handle)] == counts


@pytest.mark.parametrize("kind", ["array", "run_into", "mapping"])
def test_memory_is_flat(diabetes: tensorio.Model, kind: str) -> None:
    """Scripts/check/python makes a million of these calls."""
    output, named = numpy.zeros(1, numpy.float32), {"features": ROW}
    call = {
        "array": lambda: diabetes(ROW).array, "run_into": lambda: diabetes.run_into(ROW, output),
        "mapping": lambda: diabetes(named).array}[kind]
    for _ in range(5_000):
        call()
    gc.collect()
    counts = [sys.getrefcount(value) for value in (ROW, output, named, diabetes, diabetes._handle)]
    blocks = sys.getallocatedblocks()
    for _ in range(50_000):
        call()
    gc.collect()
    assert [sys.getrefcount(value) for value in (ROW, output, named, diabetes, diabetes._handle)] == counts
    assert sys.getallocatedblocks() - blocks < 100


def test_threads_share_a_model(diabetes: tensorio.Model, expected: Any) -> None:
    wrong: list[float] = []

    def work(scale: float) -> None:
        row = ROW * numpy.float32(scale)
        value = diabetes(row.tolist()).array.item()
        wrong.extend(x for x in (diabetes(row).array.item() for _ in range(2000)) if x != value)

    threads = [threading.Thread(target=work, args=(1 + index / 10,)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 1000, 30_000])
@pytest.mark.parametrize("sessions", [1, 2, 4])
def test_rows_do_not_depend_on_their_number_or_threads(count: int, sessions: int) -> None:
    model = tensorio.Model(BUNDLES / "diabetes.tiobundle", sessions=sessions)
    rows = numpy.random.default_rng(3).normal(size=(count, 10)).astype(numpy.float32)
    found = model.batch(rows)["progression"]
    assert found.shape == (count, 1) or found.shape == (count,)
    columns = {name: rows[:, index] for index, name in enumerate(model.inputs[0].features)}
    assert model.batch(columns)["progression"].tobytes() == found.tobytes()
    for index in {0, count // 2, count - 1}:
        assert model(rows[index]).array.item() == found.reshape(count)[index]
