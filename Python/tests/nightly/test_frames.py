"""Tables of pandas and pyarrow, supervision, joblib and gunicorn."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import numpy
import pytest

import tensorio

pandas = pytest.importorskip("pandas")
pyarrow = pytest.importorskip("pyarrow")

BUNDLES = pathlib.Path(__file__).parents[3] / "Examples" / "Bundles"


@pytest.fixture(scope="module")
def model() -> tensorio.Model:
    return tensorio.Model(BUNDLES / "diabetes.tiobundle")


@pytest.fixture(scope="module")
def columns(model: tensorio.Model) -> dict[str, numpy.ndarray]:
    rows = numpy.random.default_rng(3).normal(size=(3000, 10)).astype(numpy.float32)
    return {name: rows[:, index] for index, name in enumerate(model.inputs[0].features)}


def test_tables_of_all_kinds_are_equal(
    model: tensorio.Model, columns: dict[str, numpy.ndarray]
) -> None:
    matrix = numpy.stack(list(columns.values()), axis=1)
    expected = model.batch(matrix)["progression"]
    frame = pandas.DataFrame(columns)
    table = pyarrow.table({name: pyarrow.array(column) for name, column in columns.items()})
    chunked = pyarrow.concat_tables([table.slice(0, 1000), table.slice(1000)])
    shuffled = frame[list(columns)[::-1]].assign(other="text")
    for data in (columns, frame, table, chunked, shuffled, frame.astype("float64")):
        assert (model.batch(data)["progression"] == expected).all()
    found = model.predict(shuffled.set_index(pandas.Index(range(5, 3005))))
    assert found["progression"].tolist() == expected[:, 0].tolist() and found.index[0] == 5
    rows = model.predict(table)
    assert isinstance(rows, pyarrow.Table)
    assert rows.column("progression").to_pylist() == expected[:, 0].tolist()
    integers = {name: (column * 10).astype(numpy.int16) for name, column in columns.items()}
    as_floats = {name: column.astype(numpy.float32) for name, column in integers.items()}
    assert (model.batch(pandas.DataFrame(integers))["progression"]
            == model.batch(as_floats)["progression"]).all()


def test_tables_that_do_not_fit_name_the_column(
    model: tensorio.Model, columns: dict[str, numpy.ndarray]
) -> None:
    name = list(columns)[3]
    table = pyarrow.table({key: pyarrow.array(value) for key, value in columns.items()})
    with_nulls = table.set_column(3, name, pyarrow.array([None] + [1.0] * 2999))
    with pytest.raises(tensorio.InputError, match=f"'{name}': no value") as error:
        model.batch(with_nulls)
    assert error.value.item == 0 and error.value.code == "missing-value"
    with pytest.raises(tensorio.InputError, match="missing columns"):
        model.batch(pandas.DataFrame(columns).drop(columns=name))
    with pytest.raises(tensorio.InputError, match="number"):
        model.batch(pandas.DataFrame(columns).astype({name: str}))
    with pytest.raises(tensorio.InputError, match="different lengths"):
        model.batch(columns | {name: [1.0]})


def test_detections_convert() -> None:
    supervision = pytest.importorskip("supervision")
    detector = tensorio.Model(BUNDLES / "shape-detector.tiobundle")
    result = detector(sorted((BUNDLES / "shape-detector.tiobundle" / "samples").iterdir())[0])
    found = result.to_supervision()
    assert isinstance(found, supervision.Detections) and len(found) == len(result.detections) > 0
    assert found.xyxy[0].tolist() == pytest.approx(list(result.detections[0].box))
    assert found.data["class_name"].tolist() == [entry.label for entry in result.detections]
    assert len(result.to_pandas()) == len(result.detections)
    table = result.to_arrow()
    assert table.num_rows == len(result.detections) and "box.xmin" in table.column_names
    empty = detector(numpy.zeros((64, 64, 3), numpy.uint8))
    assert len(empty.to_supervision()) == len(empty.detections)


def test_joblib_runs_a_model_in_processes_and_threads(
    model: tensorio.Model, columns: dict[str, numpy.ndarray]
) -> None:
    joblib = pytest.importorskip("joblib")
    rows = numpy.stack(list(columns.values()), axis=1)[:20]
    expected = [model(row).array.item() for row in rows]
    for backend in ("loky", "threading", "multiprocessing"):
        found = joblib.Parallel(n_jobs=2, backend=backend)(
            joblib.delayed(_score)(model, row) for row in rows)
        assert found == expected


def _score(model: tensorio.Model, row: numpy.ndarray) -> float:
    return float(model(row).array.item())


def test_gunicorn_preloads_a_model(tmp_path: pathlib.Path, model: tensorio.Model) -> None:
    pytest.importorskip("gunicorn")
    (tmp_path / "service.py").write_text(
        "import json, os, tensorio\n"
        f"model = tensorio.Model({os.fspath(BUNDLES / 'diabetes.tiobundle')!r})\n"
        "model([0.1] * 10)\n"
        "def app(environ, start_response):\n"
        "    value = float(model([0.1] * 10).array.item())\n"
        "    start_response('200 OK', [('Content-Type', 'application/json')])\n"
        "    return [json.dumps([os.getpid(), value]).encode()]\n")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "--preload", "--workers", "2", "--bind",
         f"127.0.0.1:{port}", "service:app"],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        answers: list[list[float]] = []
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=20) as response:
                    answers.append(json.load(response))
            except ConnectionError:
                time.sleep(0.1)
            except OSError:
                assert server.poll() is None
                time.sleep(0.1)
            if len({answer[0] for answer in answers}) == 2:
                break
        expected = float(model([0.1] * 10).array.item())
        assert {answer[1] for answer in answers} == {expected}
        assert all(answer[0] != server.pid for answer in answers)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(30)
