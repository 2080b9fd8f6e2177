"""Scoring of files, and the command ``python -m tensorio.batch``."""

import csv
import datetime
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pyarrow
import pyarrow.csv
import pyarrow.parquet
import pytest

import tensorio
import tensorio.arrow
from tensorio import batch
from test_scoring import DIABETES, DIGITS, FEATURES, images, rows


@pytest.fixture
def table(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "rows.parquet"
    pyarrow.parquet.write_table(rows(1000), path)
    return path


def read(path: pathlib.Path) -> pyarrow.Table:
    if path.suffix == ".parquet":
        return pyarrow.parquet.read_table(path)
    if path.suffix == ".csv":
        return pyarrow.csv.read_csv(path)
    with pyarrow.ipc.open_file(path) as file:
        return file.read_all()


@pytest.mark.parametrize("ending", ["parquet", "arrow", "csv"])
@pytest.mark.parametrize("given", ["parquet", "arrow", "arrows", "csv"])
def test_files_of_every_format_have_the_same_results(
    tmp_path: pathlib.Path, given: str, ending: str,
) -> None:
    source, output = tmp_path / f"in.{given}", tmp_path / f"out.{ending}"
    content = rows(300)
    if given == "parquet":
        pyarrow.parquet.write_table(content, source)
    elif given == "csv":
        pyarrow.csv.write_csv(content, source)
    else:
        make = pyarrow.ipc.new_file if given == "arrow" else pyarrow.ipc.new_stream
        with make(source, content.schema) as writer:
            writer.write_table(content, max_chunksize=77)
    report = tensorio.arrow.score_file(DIABETES, source, output, keep=["id"], batch_size=64)
    assert (report.rows, report.failed) == (300, 0)
    found = read(output)
    expected = tensorio.arrow.score(DIABETES, content).column("progression")
    assert found.column("id").to_pylist() == list(range(300))
    assert found.column("progression").cast(pyarrow.float32()).to_pylist() == expected.to_pylist()
    assert [name for name in os.listdir(tmp_path) if name.endswith(".partial")] == []


def test_the_file_does_not_depend_on_workers_and_batches(
    tmp_path: pathlib.Path, table: pathlib.Path,
) -> None:
    digests = set()
    for index, (size, workers) in enumerate([(1000, 1), (64, 2), (7, 4)]):
        output = tmp_path / f"{index}.parquet"
        tensorio.arrow.score_file(DIABETES, table, output, batch_size=size, workers=workers)
        digests.add(output.read_bytes())
    assert len(digests) == 1


def test_lists_are_json_in_csv(tmp_path: pathlib.Path) -> None:
    source, output = tmp_path / "in.csv", tmp_path / "out.csv"
    paths = [os.fspath(path) for path in sorted((DIGITS / "samples").glob("*.png"))]
    pyarrow.csv.write_csv(pyarrow.table({"path": [*paths, "/nowhere"]}), source)
    report = tensorio.arrow.score_file(DIGITS, source, output, top=1)
    assert (report.rows, report.failed) == (len(paths) + 1, 1)
    found = read(output).to_pylist()
    assert json.loads(found[0]["classification"])[0]["label"] == pathlib.Path(paths[0]).name[0]
    assert found[-1]["error_code"] == "missing-file"


def features(count: int, **columns: list[str]) -> str:
    """Returns the text of a CSV file whose features are 1, with these columns in place of or before them."""
    names = [*(name for name in columns if name not in FEATURES), *FEATURES]
    lines = [",".join(columns.get(name, ["1"] * count)[row] for name in names) for row in range(count)]
    return "\n".join([",".join(names), *lines]) + "\n"


def test_csv_repeats_columns_as_they_are(tmp_path: pathlib.Path) -> None:
    source = tmp_path / "in.csv"
    code, size = ["01234", "00007", ""], ["1e5", "", "-0"]
    time = ["2026-01-02T03:04:05Z", "2026-01-02 03:04", "tomorrow"]
    source.write_text(features(3, code=code, size=size, time=time))
    assert tensorio.arrow.score_file(DIABETES, source, tmp_path / "out.csv").failed == 0
    with open(tmp_path / "out.csv", newline="") as file:
        found = list(csv.DictReader(file))
    assert [(row["code"], row["size"], row["time"]) for row in found] == list(zip(code, size, time))
    assert '""' not in (tmp_path / "out.csv").read_text()
    tensorio.arrow.score_file(DIABETES, source, tmp_path / "out.parquet")
    assert read(tmp_path / "out.parquet").column("code").to_pylist() == [1234, 7, None]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("first", ["25", ""])
def test_fractions_may_follow_integers_in_csv(tmp_path: pathlib.Path, ending: str, first: str) -> None:
    source, output, count = tmp_path / "in.csv", tmp_path / f"out.{ending}", 2000
    source.write_text(features(count, note=["x" * 600] * count, bmi=[first] * (count - 1) + ["25.8"]))
    assert source.stat().st_size > 1 << 20
    report = tensorio.arrow.score_file(DIABETES, source, output)
    assert (report.rows, report.failed) == (count, 0 if first else count - 1)
    assert read(output).column("bmi").to_pylist()[-1] == 25.8


def test_values_without_a_form_in_csv_are_texts(tmp_path: pathlib.Path) -> None:
    day, nan = datetime.datetime(2026, 1, 2, 3), float("nan")
    kept = pyarrow.table({
        "text": pyarrow.array(["a", None], pyarrow.string_view()),
        "data": pyarrow.array([b"x", None], pyarrow.binary_view()),
        "days": [[day], []], "numbers": [[1.5, nan, float("inf")], None]})
    source, output = tmp_path / "in.arrow", tmp_path / "out.csv"
    table = pyarrow.table({**dict(zip(kept.column_names, kept.columns)), **dict(zip(FEATURES, rows(2).columns[1:]))})
    with pyarrow.ipc.new_file(source, table.schema) as writer:
        writer.write_table(table)
    tensorio.arrow.score_file(DIABETES, source, output, keep=kept.column_names)
    with open(output, newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["text"], first["data"], second["text"], second["numbers"]) == ("a", "eA==", "", "")
    assert json.loads(first["days"]) == ["2026-01-02T03:00:00"]
    assert json.loads(first["numbers"], parse_constant=pytest.fail) == [1.5, None, None]


def test_numbers_of_batches_and_workers_are_checked(tmp_path: pathlib.Path, table: pathlib.Path) -> None:
    output = tmp_path / "out.parquet"
    for options in [{"batch_size": 0}, {"batch_size": -1}, {"workers": 0}, {"workers": 1.5}]:
        with pytest.raises(ValueError, match=next(iter(options))):
            tensorio.arrow.score_file(DIABETES, table, output, **options)
    for flag, value in [("--batch-size", "-1"), ("--workers", "0"), ("--top", "0"), ("--threads", "0")]:
        with pytest.raises(SystemExit) as error:
            batch.main([str(DIABETES), str(table), "--output", str(output), flag, value])
        assert error.value.code == 2
    assert not output.exists()


def test_no_columns_are_kept_by_choice(tmp_path: pathlib.Path, table: pathlib.Path) -> None:
    output = tmp_path / "out.parquet"
    assert batch.main([str(DIABETES), str(table), "--output", str(output), "--keep", ""]) == 0
    assert read(output).column_names == ["progression", "error", "error_code"]


def test_an_output_below_a_file_cannot_be_written(
    tmp_path: pathlib.Path, table: pathlib.Path, capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "file.txt").write_text("")
    for output in [tmp_path / "file.txt" / "out.parquet", tmp_path / "file.txt" / "a" / "out.parquet"]:
        for score in [batch.score_files, lambda bundle, sources, path: tensorio.arrow.score_file(bundle, table, path)]:
            with pytest.raises(tensorio.OutputError) as error:
                score(DIABETES, [table], output)
            assert error.value.code == "unwritable"
        assert batch.main([str(DIABETES), str(table), "--output", str(output)]) == 6
    assert "file.txt" in capsys.readouterr().err


@pytest.mark.parametrize("errors, prefix", [("column", ""), ("column", "m_"), ("raise", "")])
def test_a_resumed_file_has_the_same_count_of_errors(
    tmp_path: pathlib.Path, errors: str, prefix: str,
) -> None:
    source, output = tmp_path / "in.parquet", tmp_path / "out.arrow"
    content = rows(4).append_column("std_error", pyarrow.array([0.1, 0.2, 0.3, 0.4]))
    if errors == "column":
        content = content.set_column(1, "age", pyarrow.array([1.0, None, 2.0, None]))
    pyarrow.parquet.write_table(content, source)
    options = {"errors": errors, "prefix": prefix, "resume": True}
    first = tensorio.arrow.score_file(DIABETES, source, output, **options)
    again = tensorio.arrow.score_file(DIABETES, source, output, **options)
    assert (first.resumed, again.resumed) == (False, True)
    assert first.failed == again.failed == (2 if errors == "column" else 0)


def test_an_output_is_complete_or_absent(tmp_path: pathlib.Path) -> None:
    source, output = tmp_path / "in.parquet", tmp_path / "out.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"content": images() + [b"bad"]}), source)
    with pytest.raises(tensorio.arrow.RowError, match=f"row {len(images())}: "):
        tensorio.arrow.score_file(DIGITS, source, output, errors="raise", batch_size=2)
    assert os.listdir(tmp_path) == ["in.parquet"]
    output.write_bytes(b"precious")
    with pytest.raises(tensorio.OutputError, match="the file exists"):
        tensorio.arrow.score_file(DIGITS, source, output)
    assert output.read_bytes() == b"precious"
    truncated = tmp_path / "truncated.parquet"
    truncated.write_bytes(source.read_bytes()[:-9])
    with pytest.raises(tensorio.InputError, match="truncated.parquet: "):
        tensorio.arrow.score_file(DIGITS, truncated, tmp_path / "o.parquet")
    assert not (tmp_path / "o.parquet").exists()


def test_a_folder_is_scored_file_by_file_and_resumed(tmp_path: pathlib.Path) -> None:
    source, output = tmp_path / "in", tmp_path / "out"
    (source / "year=2025").mkdir(parents=True)
    for index, name in enumerate(["a.parquet", "year=2025/b.parquet"]):
        pyarrow.parquet.write_table(rows(10 + index), source / name)
    (source / "_SUCCESS").write_text("")
    (source / ".c.parquet").write_text("")
    first = batch.score_files(DIABETES, [source], output)
    assert sorted(os.path.relpath(path, output) for path in first) == [
        "a.parquet", "year=2025/b.parquet"]
    (output / "a.parquet").unlink()
    second = batch.score_files(DIABETES, [source], output, resume=True)
    assert [report.resumed for _, report in sorted(second.items())] == [False, True]
    assert [report.rows for _, report in sorted(second.items())] == [10, 11]
    with pytest.raises(tensorio.OutputError, match="another bundle or from another source"):
        batch.score_files(DIABETES, [source], output, resume=True, top=3)


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tensorio.batch", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_the_command_reports_rows_and_its_status(tmp_path: pathlib.Path, table: pathlib.Path) -> None:
    output = tmp_path / "out.parquet"
    done = run(DIABETES, table, "--output", output, "--keep", "id")
    assert done.returncode == 0
    assert done.stderr.splitlines()[-1] == f"{output}: 1000 rows, 0 failed, written"
    again = run(DIABETES, table, "--output", output, "--keep", "id", "--resume")
    assert again.stderr.splitlines()[-1] == f"{output}: 1000 rows, 0 failed, present"
    assert run(DIABETES, table, "--output", output).returncode == 6
    assert run(tmp_path / "none", table, "--output", output, "--overwrite").returncode == 3
    assert run(DIABETES, tmp_path / "none.parquet", "--output", tmp_path / "o.csv").returncode == 4
    assert run(DIABETES, table, "--output", tmp_path / "o.xlsx").returncode == 4
    assert run(DIABETES, table, "--output", tmp_path / "o.csv", "--placeholder", "x").returncode == 2
    mixed = tmp_path / "mixed.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"content": [images()[0], b"bad"]}), mixed)
    partly = run(DIGITS, mixed, "--output", tmp_path / "mixed.arrow", "--top", 1)
    assert partly.returncode == 1 and "2 rows, 1 failed" in partly.stderr
    stopped = run(DIGITS, mixed, "--output", tmp_path / "o.parquet", "--errors", "raise")
    assert stopped.returncode == 1 and "row 1: " in stopped.stderr
    assert not (tmp_path / "o.parquet").exists()


def test_a_killed_command_leaves_no_output(tmp_path: pathlib.Path) -> None:
    source, output = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    for index in range(40):
        pyarrow.parquet.write_table(rows(20_000), source / f"{index:02}.parquet")
    command = [sys.executable, "-m", "tensorio.batch", str(DIABETES), str(source), "--output", str(output)]
    process = subprocess.Popen(command)
    limit = time.monotonic() + 120
    while not list(output.glob("*.parquet")) and process.poll() is None and time.monotonic() < limit:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    complete = sorted(output.glob("*.parquet"))
    for path in complete:
        assert pyarrow.parquet.read_metadata(path).num_rows == 20_000
    done = run(DIABETES, source, "--output", output, "--resume")
    assert done.returncode == 0
    assert done.stderr.count("present") == len(complete) and done.stderr.count("rows") == 40
