"""Scoring of tables: columns, types, errors of rows, and bundles that travel."""

import datetime
import json
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import types
from concurrent.futures import ThreadPoolExecutor

import numpy
import pandas
import pyarrow
import pytest

import onnx_models
import tensorio
import tensorio.arrow
import tensorio.ray
from conftest import BUNDLES, ROOT
from tensorio import _columns
from tensorio._bundles import digest, open_once, unpacked
from tensorio._scoring import _array, _fitting
from tensorio.arrow import PortableBundle, RowError, Scoring

DIABETES = BUNDLES / "diabetes.tiobundle"
DIGITS = BUNDLES / "digits.tiobundle"
FEATURES = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]


@pytest.fixture(autouse=True)
def cache(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENSORIO_BUNDLE_CACHE", os.fspath(tmp_path / "bundles"))


def rows(count: int = 100) -> pyarrow.Table:
    values = numpy.random.default_rng(7).normal(50, 20, (count, 10)).astype(numpy.float32)
    columns = {name: values[:, index] for index, name in enumerate(FEATURES)}
    return pyarrow.table({"id": numpy.arange(count), **columns})


def images() -> list[bytes]:
    return [path.read_bytes() for path in sorted((DIGITS / "samples").glob("*.png"))]


def test_rows_have_the_results_of_the_command_line(diabetes: tensorio.Model) -> None:
    table = rows(20)
    found = tensorio.arrow.score(DIABETES, table, keep=["id"])
    assert found.column_names == ["id", "progression", "error", "error_code"]
    assert found.schema.field("progression").type == pyarrow.float32()
    assert found.column("error").null_count == 20
    for row, result in zip(table.to_pylist(), found.to_pylist()):
        text = diabetes([row[name] for name in FEATURES]).to_dict()["outputs"]["progression"]
        assert numpy.float32(text) == numpy.float32(result["progression"])


def test_tables_of_every_kind_have_the_same_results() -> None:
    table = rows()
    expected = tensorio.arrow.score(DIABETES, table).column("progression").to_pylist()
    matrix = numpy.stack([table.column(name).to_numpy() for name in FEATURES], 1)
    lists = pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(matrix.reshape(-1)), 10)
    frame = table.to_pandas()
    tables = [
        table.to_batches()[0], table.slice(0), frame, frame.astype("float64"),
        table.to_pandas(types_mapper=pandas.ArrowDtype),
        {name: table.column(name).to_numpy() for name in table.column_names},
        {"features": matrix}, {"features": numpy.asfortranarray(matrix)},
        {"features": list(matrix.tolist())},
        pyarrow.table({"features": lists}), pyarrow.table({"features": lists.cast(pyarrow.list_(pyarrow.float32()))}),
        pyarrow.concat_tables([table.slice(0, 33), table.slice(33)]),
        table.select(list(reversed(table.column_names))),
    ]
    for given in tables:
        assert tensorio.arrow.score(DIABETES, given).column("progression").to_pylist() == expected


def test_results_do_not_depend_on_the_batch() -> None:
    for bundle, table in [
        (DIABETES, rows(500)), (DIGITS, pyarrow.table({"content": images() * 3})),
        (BUNDLES / "topics.tiobundle", pyarrow.table({"message": ["where is it", "refund", ""] * 9})),
        (BUNDLES / "two-in-two-out-quantized.tiobundle", pyarrow.table({
            "foo-features": [[0.1 * i, 0.2, 0.3, 0.4] for i in range(9)],
            "bar-features": [[0.05 * i] * 8 for i in range(9)]})),
    ]:
        whole = tensorio.arrow.score(bundle, table)
        for size in (1, 7, 64):
            parts = [
                tensorio.arrow.score(bundle, table.slice(start, size))
                for start in range(0, table.num_rows, size)]
            assert pyarrow.concat_tables(parts).combine_chunks().equals(whole.combine_chunks())


@pytest.mark.parametrize("name, column, kind", [
    ("digits", "classification", "list<element: struct<label: string, score: float, index: int32>>"),
    ("digits-embedder", "embedding", "list<element: float>"),
    ("two-in-two-out-quantized", "baz-outputs", "list<element: float>"),
    ("topics", "topic", "list<element: struct<label: string, score: float, index: int32>>"),
    ("diabetes", "progression", "float"),
])
def test_the_bundle_determines_the_types_of_results(name: str, column: str, kind: str) -> None:
    inputs = [layer.name for layer in tensorio.Model(BUNDLES / f"{name}.tiobundle").inputs]
    given = FEATURES if name == "diabetes" else inputs
    table = pyarrow.schema([pyarrow.field(item, pyarrow.binary()) for item in given])
    schema = tensorio.arrow.schema(BUNDLES / f"{name}.tiobundle", table)
    assert str(schema.field(column).type).replace("item:", "element:") == kind


def test_images_are_bytes_paths_structs_or_pixels(digits: tensorio.Model) -> None:
    paths = [os.fspath(path) for path in sorted((DIGITS / "samples").glob("*.png"))]
    contents = images()
    pixels = numpy.zeros((2, 28, 28, 3), numpy.uint8)
    expected = tensorio.arrow.score(DIGITS, {"content": contents}).column("classification")
    for table in [
        {"image": contents}, {"path": paths}, pyarrow.table({"path": paths}),
        pandas.DataFrame({"bytes": contents}),
        pyarrow.table({"image": [{"bytes": content, "path": None} for content in contents]}),
        pyarrow.table({"image": [{"bytes": None, "path": path} for path in paths]}),
        pyarrow.table({"path": ["file:" + path for path in paths]}),
    ]:
        assert tensorio.arrow.score(DIGITS, table).column("classification").equals(expected)
    named = tensorio.arrow.score(DIGITS, {"x": contents, "path": paths}, columns="x")
    assert named.column("classification").equals(expected)
    assert named.column_names[0] == "path"
    assert tensorio.arrow.score(DIGITS, {"image": pixels}).column("error").null_count == 2
    for value, row in zip(paths, expected.to_pylist()):
        printed = digits(value).to_dict()["outputs"]["classification"]
        assert [(e["label"], e["index"]) for e in printed] == [(e["label"], e["index"]) for e in row]
        assert numpy.array([e["score"] for e in printed], "f").tolist() == [e["score"] for e in row]


def test_strings_are_a_column_of_text(strings: tensorio.Model, tmp_path: pathlib.Path) -> None:
    bundle = tmp_path / "prices.tiobundle"
    tensorio.init(ROOT / "Tests" / "Fixtures" / "ONNX" / "pipeline-strings.onnx", output=bundle)
    table = pyarrow.table({
        "color": ["red", "blue", "purple"], "size": ["L", "M", "S"], "weight": [200.0, 151.0, 90.0]})
    assert tensorio.arrow.schema(bundle, table.schema).field("label").type == pyarrow.string()
    scored = tensorio.arrow.score(bundle, table)
    assert scored.column("label").to_pylist() == ["cheap", "dear", "cheap"]
    assert [row[0]["label"] for row in scored.column("probabilities").to_pylist()] == ["cheap", "dear", "cheap"]


def test_sounds_have_the_labels_of_their_whole_length() -> None:
    bundle = BUNDLES / "tones.tiobundle"
    paths = [os.fspath(path) for path in sorted((bundle / "samples").glob("*.wav"))]
    model = tensorio.Model(bundle)
    (column,) = [layer.name for layer in model.outputs]
    scored = tensorio.arrow.score(bundle, {"path": paths}).column(column).to_pylist()
    assert [row[0]["label"] for row in scored] == [model(path).label for path in paths]


def test_detections_are_those_of_the_command_line() -> None:
    bundle = BUNDLES / "shape-detector.tiobundle"
    path = os.fspath(sorted((bundle / "samples").glob("*.jpg"))[0])
    (row,) = tensorio.arrow.score(bundle, {"path": [path]}).to_pylist()
    printed = tensorio.Model(bundle)(path).to_dict()["outputs"]["detections"]
    assert len(printed) == len(row["detections"]) > 0
    for expected, found in zip(printed, row["detections"]):
        assert (expected["label"], expected["index"]) == (found["label"], found["index"])
        assert numpy.float32(expected["score"]) == numpy.float32(found["score"])
        assert {k: numpy.float32(v) for k, v in expected["box"].items()} == {
            k: numpy.float32(v) for k, v in found["box"].items()}


@pytest.mark.parametrize("name, column", [
    ("activity", "activity"), ("keyword", "keywords"), ("speech", "transcript"), ("decoder-growing", "text"), ("answers", "answers")])
def test_the_result_of_a_task_is_a_column_with_its_members(
    name: str, column: str, tmp_path: pathlib.Path, recording: bytes,
) -> None:
    fixtures = ROOT / "Tests" / "Fixtures" / "Bundles"
    bundle = onnx_models.write_answers(tmp_path) if name == "answers" else fixtures / f"{name}.tiobundle"
    model = tensorio.Model(bundle)
    source, value = {
        "text": ("prompt", "abc"), "answers": ("ids", ["Who wrote it?", "Ada wrote it"])}.get(column, ("audio", recording))
    table = pyarrow.table({"id": [1, 2], source: [value, None]})
    scored = tensorio.arrow.score(bundle, table)
    assert scored.schema == tensorio.arrow.schema(bundle, table.schema)
    good, bad = scored.to_pylist()
    assert good["error"] is None and bad["error_code"] == "missing-value" and bad[column] is None
    _assert_close(good[column], model(value).to_dict()["outputs"][column])
    # Each entry has the same types, also where there is none.
    assert tensorio.arrow.score(bundle, table.slice(1)).schema == scored.schema


def _assert_close(found: object, printed: object) -> None:
    """Compares a value of Arrow with JSON, which leaves out members that are missing."""
    if isinstance(found, dict) and isinstance(printed, dict):
        assert {name for name, value in found.items() if value is not None} == {
            name for name, value in printed.items() if value is not None}
        for name, value in printed.items():
            _assert_close(found[name], value)
    elif isinstance(found, list) and isinstance(printed, list):
        assert len(found) == len(printed)
        for pair in zip(found, printed):
            _assert_close(*pair)
    else:
        assert found == (pytest.approx(printed, rel=1e-6) if isinstance(found, float) else printed)


@pytest.fixture(scope="module")
def recording() -> bytes:
    """A recording with speech for the tiny models of sound."""
    golden = json.loads((ROOT / "Tests" / "Fixtures" / "ONNX" / "keywords.json").read_text())
    return tensorio.Sound(numpy.array(golden["samples"], numpy.float32) / 32768, 1600).wav()


def test_a_row_that_fails_has_its_error_and_the_others_their_results() -> None:
    good = images()[0]
    table = {"id": [0, 1, 2, 3, 4], "content": [good, b"\x89PNG nonsense", None, good, good[:60]]}
    found = tensorio.arrow.score(DIGITS, table).to_pylist()
    assert [row["id"] for row in found] == [0, 1, 2, 3, 4]
    assert [row["error"] is None for row in found] == [True, False, False, True, False]
    assert found[2]["error"] == "'image': the column 'content' has no value"
    assert found[2]["error_code"] == "missing-value"
    assert [row["classification"] is None for row in found] == [False, True, True, False, True]
    assert found[0]["classification"] == found[3]["classification"]
    alone = tensorio.arrow.score(DIGITS, {"id": [1], "content": table["content"][1:2]}).to_pylist()
    assert alone == found[1:2]
    missing = tensorio.arrow.score(DIGITS, {"path": ["/nowhere.png"]}).to_pylist()[0]
    assert missing["error_code"] == "missing-file" and "/nowhere.png" in missing["error"]


def test_numbers_that_are_missing_or_too_large_are_errors_of_their_rows() -> None:
    table = rows(6)
    values = table.column("bmi").to_pylist()
    values[1], values[4] = None, 1e300
    table = table.set_column(3, "bmi", pyarrow.array(values, pyarrow.float64()))
    found = tensorio.arrow.score(DIABETES, table, keep=[]).to_pylist()
    assert [row["error_code"] for row in found] == [
        None, "missing-value", None, None, "out-of-range", None]
    assert found[1]["progression"] is None and found[1]["error"] == (
        "'features': the column 'bmi' has no value")
    expected = tensorio.arrow.score(DIABETES, rows(6)).column("progression").to_pylist()
    assert [found[i]["progression"] for i in (0, 2, 3, 5)] == [expected[i] for i in (0, 2, 3, 5)]


@pytest.mark.parametrize("kind", ["Int64", "Float64", "int64[pyarrow]", "double[pyarrow]"])
def test_missing_values_of_pandas_are_errors_of_their_rows(kind: str) -> None:
    frame = rows(4).to_pandas()
    frame["bmi"] = pandas.array([1, None, 3, 4], dtype=kind)
    found = tensorio.arrow.score(DIABETES, frame, keep=[]).to_pylist()
    assert [row["error_code"] for row in found] == [None, "missing-value", None, None]
    whole = frame.assign(bmi=[1.0, 2.0, 3.0, 4.0])
    expected = tensorio.arrow.score(DIABETES, whole).column("progression").to_pylist()
    assert [found[i]["progression"] for i in (0, 2, 3)] == [expected[i] for i in (0, 2, 3)]
    number = frame.assign(bmi=[1.0, float("nan"), 3.0, 4.0])
    scored = tensorio.arrow.score(DIABETES, number, keep=[])
    assert scored.column("error").null_count == 4
    assert numpy.isnan(scored.column("progression").to_pylist()[1])


def test_columns_of_several_kinds_are_errors_of_their_rows() -> None:
    frame = rows(3).to_pandas()
    frame["bmi"] = pandas.Series([1.0, "x", 2], dtype=object)
    found = tensorio.arrow.score(DIABETES, frame, keep=[]).to_pylist()
    assert [row["error"] is None for row in found] == [True, False, True]


@pytest.mark.parametrize("unit", ["ns", "us", "D"])
@pytest.mark.parametrize("kind", ["datetime64", "timedelta64"])
def test_dates_are_not_numbers(kind: str, unit: str) -> None:
    dates = numpy.array([17_000, 18_000, 19_000], "int64").astype(f"{kind}[{unit}]")
    table = {name: rows(3).column(name).to_numpy() for name in FEATURES}
    frame = pandas.DataFrame({**table, "age": pandas.Series(dates)})
    arrow = rows(3).set_column(1, "age", pyarrow.array(frame["age"]))
    for given in [{**table, "age": dates}, frame, arrow, {name: dates for name in FEATURES},
                  {"features": numpy.stack([dates] * 10, 1)}]:
        found = tensorio.arrow.score(DIABETES, given, keep=[])
        assert found.column("error_code").null_count == 0, found.to_pylist()
        assert found.column("progression").null_count == 3


def test_numbers_that_do_not_fit_a_column_are_never_truncated() -> None:
    layer = tensorio.Model(DIABETES).outputs[0]

    def column(type: pyarrow.DataType) -> _columns.Column:
        return _columns.Column("progression", type, lambda result, values: None, layer)

    for type, values in [
        (pyarrow.int16(), numpy.array([1.5], "f")), (pyarrow.int16(), numpy.array([70_000])),
        (pyarrow.int16(), numpy.array([numpy.nan])), (pyarrow.bool_(), numpy.array([0.5])),
        (pyarrow.int16(), numpy.array([1.5], "e")),
    ]:
        listed = pyarrow.list_(type)
        for found in [type, listed]:
            with pytest.raises(tensorio.OutputError, match="does not fit the column's"):
                _array(values, found, 1, "progression")
        for value, found in [(values[0].item(), type), (values, listed)]:
            with pytest.raises(tensorio.OutputError, match="does not fit the column's"):
                _fitting(column(found), value)
    assert _array(numpy.array([7.0, 8], "e"), pyarrow.int16(), 2, None).to_pylist() == [7, 8]
    assert _array(numpy.array([[1, 0]]), pyarrow.list_(pyarrow.bool_()), 1, None).to_pylist() == [[True, False]]


def test_rows_whose_outputs_do_not_fit_their_column_have_errors() -> None:
    for options in [{}, {"errors": "raise"}]:
        scorer = Scoring(PortableBundle.at(DIABETES), **options).open()
        scorer._columns = [scorer._columns[0]._replace(type=pyarrow.int16())]
        if options:
            with pytest.raises(RowError, match="does not fit the column's"):
                scorer.score(rows(3))
            continue
        found = scorer.score(rows(3)).to_pylist()
        assert [(row["progression"], row["error_code"]) for row in found] == [(None, "wrong-type")] * 3


def test_a_partition_with_another_schema_has_errors_and_the_same_columns() -> None:
    table = rows(3)
    schema = tensorio.arrow.score(DIABETES, table, keep=["id"]).schema
    for drifted in [
        table.drop_columns(["s6"]),
        table.set_column(1, "age", pyarrow.array(["x", "y", "z"])),
    ]:
        found = tensorio.arrow.score(DIABETES, drifted, keep=["id"])
        assert found.schema == schema
        assert found.column("error").null_count == 0
        assert found.column("progression").null_count == 3
    integers = table.set_column(1, "age", pyarrow.array([1, 2, 3], pyarrow.int64()))
    assert tensorio.arrow.score(DIABETES, integers).column("error").null_count == 3
    with pytest.raises(tensorio.InputError, match=r"missing columns \['s6'\]; the table has"):
        tensorio.arrow.schema(DIABETES, table.drop_columns(["s6"]).schema)


def test_the_first_error_is_raised_by_choice() -> None:
    table = {"content": [images()[0], b"bad", b"worse"]}
    with pytest.raises(RowError) as error:
        tensorio.arrow.score(DIGITS, table, errors="raise")
    assert error.value.row == 1 and str(error.value).startswith("row 1: ")
    assert pickle.loads(pickle.dumps(error.value)).code == error.value.code
    assert "error" not in tensorio.arrow.score(DIGITS, {"content": images()}, errors="raise").column_names


def test_kept_columns_must_not_have_the_names_of_results() -> None:
    table = rows(2).append_column("error", pyarrow.array([1, 2]))
    with pytest.raises(tensorio.InputError, match=r"\['error'\] have the names of results"):
        tensorio.arrow.score(DIABETES, table)
    assert "model_error" in tensorio.arrow.score(DIABETES, table, prefix="model_").column_names
    with pytest.raises(tensorio.InputError, match=r"missing columns \['nope'\]"):
        tensorio.arrow.score(DIABETES, table, keep=["nope"])


def test_options_are_checked() -> None:
    with pytest.raises(ValueError, match="errors must be"):
        Scoring(PortableBundle.at(DIABETES), errors="ignore")  # type: ignore[arg-type]
    with pytest.raises(tensorio.InputError, match="no placeholder named 'x'"):
        tensorio.arrow.score(DIABETES, rows(1), placeholders={"x": 1})
    with pytest.raises(tensorio.InputError, match="no input named 'x'"):
        tensorio.arrow.score(DIABETES, rows(1), columns={"x": "age"})


def test_limits_are_integers_and_numbers() -> None:
    bundle = PortableBundle.at(DIGITS)
    assert Scoring(bundle, top=numpy.int64(2)).top == 2
    for options in [
        {"top": 2.5}, {"top": "2"}, {"top": 0}, {"threads": 1.5}, {"min_score": float("nan")},
        {"min_score": numpy.float32("nan")}, {"min_score": "0.5"},
    ]:
        with pytest.raises(ValueError, match=next(iter(options))):
            Scoring(bundle, **options)
    table = {"content": images()[:1]}

    def labels(**options: object) -> list[object]:
        (row,) = tensorio.arrow.score(DIGITS, table, **options).to_pylist()
        assert row["error"] is None
        return list(row["classification"])

    assert labels(min_score=-float("inf")) == labels()
    assert labels(min_score=float("inf")) == []
    assert len(labels(top=numpy.int32(2), min_score=numpy.float32(0))) == 2
    with pytest.raises(ValueError, match="workers must be at least 1"):
        tensorio.arrow.score_batches(DIABETES, [rows(1)], workers=0)


def test_a_row_that_fails_is_counted_from_the_first_table() -> None:
    good = images()[0]
    tables = [{"content": [good] * 5, "id": [0] * 5}, pyarrow.table({"content": [good] * 2}),
              pandas.DataFrame({"content": [good] * 3}), {"content": [good, b"bad"], "id": [0, 1]}]
    for workers in (1, 2):
        with pytest.raises(RowError) as error:
            list(tensorio.arrow.score_batches(DIGITS, tables, workers=workers, errors="raise", keep=[]))
        assert error.value.row == 11


def test_ray_serve_responds_with_null_for_nan() -> None:
    class Response:
        def __init__(self, text: str, status_code: int, media_type: str) -> None:
            self.value, self.status = json.loads(text, parse_constant=pytest.fail), status_code

    server = object.__new__(tensorio.ray.Server)
    value = {
        "a": numpy.array([1, numpy.nan, numpy.inf], "f"), "b": float("nan"), "c": [{"d": -float("inf")}],
        "e": b"x", "f": numpy.float32(0.5), "g": True, "h": datetime.date(2026, 1, 2)}
    response = server._response(types.SimpleNamespace(Response=Response), [value], 200)
    assert response.status == 200
    assert response.value == [{
        "a": [1, None, None], "b": None, "c": [{"d": None}], "e": "eA==", "f": 0.5, "g": True,
        "h": "2026-01-02"}]


def test_labels_are_limited() -> None:
    table = {"content": images()[:1]}
    assert len(tensorio.arrow.score(DIGITS, table, top=2).to_pylist()[0]["classification"]) == 2
    some = tensorio.arrow.score(DIGITS, table, min_score=0.5).to_pylist()[0]["classification"]
    assert [entry["score"] >= 0.5 for entry in some] == [True]


def test_an_empty_table_has_the_columns_of_results() -> None:
    found = tensorio.arrow.score(DIGITS, pyarrow.table({"content": pyarrow.array([], pyarrow.binary())}))
    assert found.num_rows == 0 and found.column_names == ["classification", "error", "error_code"]


# Bundles that travel

def test_a_packed_bundle_opens_where_its_folder_does_not_exist(tmp_path: pathlib.Path) -> None:
    copy = tmp_path / "moved.tiobundle"
    shutil.copytree(DIABETES, copy)
    packed = pickle.loads(pickle.dumps(PortableBundle.pack(copy)))
    shared = pickle.loads(pickle.dumps(PortableBundle.at(copy)))
    assert packed.digest == shared.digest == digest(os.fspath(copy))
    assert PortableBundle.pack(copy).content == packed.content
    shutil.rmtree(copy)
    expected = tensorio.arrow.score(DIABETES, rows(5)).column("progression")
    assert tensorio.arrow.score(packed, rows(5)).column("progression").equals(expected)
    with pytest.raises(tensorio.BundleError, match="no bundle at this path on .*; pack it") as error:
        tensorio.arrow.score(shared, rows(5))
    assert error.value.code == "missing-bundle"


def test_a_zip_travels_as_it_is(tmp_path: pathlib.Path) -> None:
    zipped = tmp_path / "diabetes.zip"
    tensorio.pack(DIABETES, output=zipped)
    expected = tensorio.arrow.score(DIABETES, rows(5)).column("progression")
    packed = PortableBundle.pack(zipped)
    zipped.unlink()
    assert tensorio.arrow.score(packed, rows(5)).column("progression").equals(expected)


def test_a_bundle_of_another_version_is_rejected_by_name(tmp_path: pathlib.Path) -> None:
    copy = tmp_path / "d.tiobundle"
    shutil.copytree(DIABETES, copy)
    here = PortableBundle.at(copy)
    text = (copy / "model.json").read_text().replace('"version": "1"', '"version": "2"')
    (copy / "model.json").write_text(text)
    with pytest.raises(tensorio.BundleError, match="d.tiobundle: the bundle on .* differs: version 2 .* expected version 1") as error:
        here.local_path()
    assert error.value.code == "bundle-changed"


def test_an_altered_file_in_the_cache_is_rejected(tmp_path: pathlib.Path) -> None:
    packed = PortableBundle.pack(DIABETES)
    path = pathlib.Path(packed.local_path())
    (path / "model.tflite").write_bytes(b"altered")
    with pytest.raises(tensorio.BundleError, match="differs"):
        packed.local_path()


@pytest.mark.parametrize("is_zip", [False, True])
def test_files_that_a_cleaner_removed_are_unpacked_again(tmp_path: pathlib.Path, is_zip: bool) -> None:
    source = DIABETES
    if is_zip:
        source = tmp_path / "diabetes.zip"
        tensorio.pack(DIABETES, output=source)
    packed = PortableBundle.pack(source)
    path = pathlib.Path(packed.local_path())
    assert unpacked(packed) == os.fspath(path)
    (path if is_zip else path / "model.tflite").unlink()
    assert unpacked(packed) is None
    others = [] if is_zip else [(path / "model.json").stat().st_ino]
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(lambda _: packed.local_path(), range(8))) == {os.fspath(path)}
    assert digest(os.fspath(path)) == packed.digest
    assert others == ([] if is_zip else [(path / "model.json").stat().st_ino])
    if not is_zip:
        shutil.rmtree(path)
        assert digest(packed.local_path()) == packed.digest
        (path / "model.json").unlink()
        (path / "model.tflite").write_bytes(b"altered")
        with pytest.raises(tensorio.BundleError, match="differs"):
            packed.local_path()
    assert [name for name in os.listdir(path.parent.parent) if name.startswith("partial-")] == []


def test_the_cache_must_be_private(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "open"
    folder.mkdir()
    folder.chmod(0o777)
    monkeypatch.setenv("TENSORIO_BUNDLE_CACHE", os.fspath(folder))
    with pytest.raises(tensorio.BundleError, match="must not be writable for others"):
        PortableBundle.pack(DIABETES).local_path()


def test_a_chain_travels_with_its_bundles_or_is_rejected(tmp_path: pathlib.Path) -> None:
    chain = BUNDLES / "faces.tiochain"
    if (chain / "face-detector.tiobundle").exists():
        assert PortableBundle.pack(chain).digest == digest(os.fspath(chain))
    outside = tmp_path / "c.tiochain"
    outside.mkdir()
    step = {"name": "a", "bundle": "../other.tiobundle"}
    (outside / "chain.json").write_text(json.dumps({"steps": [step]}))
    shutil.copytree(DIABETES, tmp_path / "other.tiobundle")
    with pytest.raises(tensorio.BundleError, match="outside its folder"):
        PortableBundle.pack(outside)
    before = PortableBundle.at(outside).digest
    (tmp_path / "other.tiobundle" / "more.txt").write_text("x")
    assert PortableBundle.at(outside).digest != before


def test_a_process_opens_a_model_once() -> None:
    program = f"""
import threading, pyarrow, tensorio.arrow
settings = tensorio.arrow.Scoring(tensorio.arrow.PortableBundle.pack({os.fspath(DIABETES)!r}))
table = {{name: [1.0] for name in {FEATURES!r}}}
threads = [threading.Thread(target=lambda: tensorio.arrow.score(settings, table)) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
tensorio.arrow.score(settings, table, top=1)
print(tensorio.arrow.open_count())
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "1"


def test_models_that_are_not_used_are_closed_at_last() -> None:
    models = [open_once(PortableBundle.at(DIABETES), threads=1 + index) for index in range(9)]
    assert open_once(PortableBundle.at(DIABETES), threads=9) is models[8]
    assert open_once(PortableBundle.at(DIABETES), threads=1) is not models[0]
