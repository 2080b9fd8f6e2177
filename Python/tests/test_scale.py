"""The model of Documentation/Scale.md: its simulator, and the runs that it reproduces."""

import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from conftest import BUNDLES, ROOT

sys.path.insert(0, str(ROOT / "Benchmarks"))
import python_scale as scale  # noqa: E402


def test_measured_runs_are_reproduced() -> None:
    """The costs are fitted to other runs than those that are checked."""
    found = list(scale.errors(scale.load()))
    assert {run["kind"] for run, _, _ in found} == {"rows", "images"}
    for kind in ("rows", "images"):
        checked = [error for run, _, error in found if run["kind"] == kind and not run["is_fitted"]]
        assert len(checked) >= 3 and max(map(abs, checked)) <= 0.1


def test_the_page_has_the_tables_of_the_record() -> None:
    assert scale.page() == pathlib.Path(scale.PAGE).read_text()


def test_costs_are_recovered_from_exact_runs() -> None:
    costs = scale.Costs(1.5, 0.01, 2e-5)
    runs = [
        {"workers": w, "files": f, "items": n, "is_fitted": True, "seconds": costs.job(w, f, n)}
        for w, f, n in ((1, 1, 1e4), (1, 40, 1e5), (2, 8, 1e6), (4, 4, 1e5))]
    found = scale.fit(runs)
    assert (found.worker, found.file, found.item) == pytest.approx((1.5, 0.01, 2e-5))


QUIET = dict(launch=0.0, launches=1e12, dispatches=1e12, storage=1e18, link=1e18)


def test_a_job_ends_when_its_last_task_does() -> None:
    costs, cluster = scale.Costs(2.0, 0.5, 0.01), scale.Cluster(**QUIET)
    one = scale.simulate(costs, scale.Job(1000, 100, 0, 0), 1, cluster)
    assert one.seconds == pytest.approx(2 + 10 * (0.5 + 1)) and one.limit == "processors"
    # Four tasks of 1.5 s follow one another on two of three workers, and three tasks on the third.
    assert scale.simulate(costs, scale.Job(1000, 100, 0, 0), 3, cluster).seconds == pytest.approx(2 + 4 * 1.5)
    # The last task is smaller; more workers than tasks are not started.
    many = scale.simulate(costs, scale.Job(250, 100, 0, 0), 100, cluster)
    assert many.seconds == pytest.approx(2 + 1.5) and many.processor == pytest.approx(3 * 2 + 3 * 0.5 + 2.5)


def test_each_resource_can_limit_a_job() -> None:
    costs, job = scale.Costs(1.0, 0.01, 1e-4), scale.Job(10_000_000, 1000, 1000, 1e6)
    limits = {
        "scheduler": {**QUIET, "dispatches": 10.0},
        "storage": {**QUIET, "storage": 1e6},
        "start": {**QUIET, "launch": 1e6},
        "processors": QUIET,
    }
    for limit, arguments in limits.items():
        outcome = scale.simulate(costs, job, 50, scale.Cluster(**arguments))
        assert outcome.limit == limit
    slow = scale.simulate(costs, job, 50, scale.Cluster(**{**QUIET, "dispatches": 10.0}))
    assert slow.seconds == pytest.approx(10_000 / 10 + 1, rel=0.01)
    link = scale.simulate(costs, job, 50, scale.Cluster(**{**QUIET, "link": 1e6}))
    assert link.seconds == pytest.approx(1 + 1 + 10e9 / 50 / 1e6, rel=0.01)


def test_large_jobs_continue_the_simulation_of_small_ones() -> None:
    costs, cluster = scale.Costs(1.0, 0.05, 1e-5), scale.Cluster()
    job = scale.Job(100_000 * 1000, 1000, 40, 1e5)
    exact = scale.simulate(costs, job, 200, cluster)
    summed = scale.simulate(costs, job, 200, cluster, max_events=10)
    assert summed.seconds == pytest.approx(exact.seconds, rel=0.05) and summed.limit == exact.limit


def test_a_round_is_limited_by_devices_or_by_the_server() -> None:
    federation = scale.Federation(1e-9, 1e-4, 1e5)
    assert federation.round(10)[1] == "devices"
    seconds, limit = federation.round(10_000_000)
    assert limit == "network" and seconds > 2 * 1e7 * 1e5 / federation.ingress
    assert federation.round(1000)[0] > federation.round(10)[0]


def test_the_commands_of_the_page_run(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a copy, with small jobs: measuring takes minutes, and replaces the record."""
    text = pathlib.Path(scale.PAGE).read_text()
    commands = re.findall(r"^(python Benchmarks/python_scale\.py .*?) +#", text, re.MULTILINE)
    assert [shlex.split(command)[2:] for command in commands] == [["measure"], ["check"], ["tables", "--save"]]
    for name in ("Benchmarks/python_scale.py", "Benchmarks/python_scale.json", "Documentation/Scale.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for command in commands[1:]:
        done = subprocess.run(
            [sys.executable, *shlex.split(command)[1:]], cwd=tmp_path, capture_output=True, text=True, check=True)
        assert ("**checked**" in done.stdout) == (command == commands[1])
    assert (tmp_path / "Documentation" / "Scale.md").read_text() == text
    plans = [(1, 1, 20, True), (1, 2, 20, True), (2, 2, 40, True)]
    monkeypatch.setattr(scale, "RUNS", {"rows": plans, "images": plans[:1]})
    monkeypatch.setattr(scale, "ROUNDS", 1)
    monkeypatch.setattr(scale, "RECORD", str(tmp_path / "record.json"))
    scale.main(["measure"])
    record = json.loads((tmp_path / "record.json").read_text())
    assert [(run["workers"], run["files"], run["items"]) for run in record["runs"]] == [
        (1, 1, 20), (1, 2, 40), (2, 2, 80), (1, 1, 20)]
    assert all(run["seconds"] > 0 and run["memory_mb"] > 0 for run in record["runs"])
    assert min(record["federation"].values()) > 0


ENGINES = (ROOT / "Documentation" / "Engines.md").read_text()


def test_the_examples_of_tables_without_an_engine_run(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    section = ENGINES.split("## Files\n")[1].split("\n## ")[0]
    (example,) = re.findall(r"^```python\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    commands = re.findall(r"^python (-m tensorio\.batch .*)$", section, re.MULTILINE)
    assert len(commands) == 2
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.chdir(tmp_path)
    for name in ("diabetes", "digits"):
        shutil.copytree(BUNDLES / f"{name}.tiobundle", tmp_path / f"{name}.tiobundle")
    features = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]
    table = pyarrow.table({"id": list(range(20)), **{name: [0.1] * 20 for name in features}})
    (tmp_path / "rows").mkdir()
    for part in range(2):
        parquet.write_table(table.slice(10 * part, 10), tmp_path / "rows" / f"{part}.parquet")
    digit = (BUNDLES / "digits.tiobundle" / "samples" / "3-1.png").read_bytes()
    images = pyarrow.table({"content": [digit, b"broken", digit]})
    parquet.write_table(images, tmp_path / "images.parquet")
    for command, status in zip(commands, (1, 0)):  # 1: a row has failed
        done = subprocess.run([sys.executable, *shlex.split(command)], capture_output=True, text=True)
        assert done.returncode == status, done.stderr
    found = parquet.read_table(tmp_path / "scored.parquet").to_pylist()
    assert [row["error"] is None for row in found] == [True, False, True]
    assert found[0]["classification"][0]["label"] == "3"
    assert sum(parquet.read_table(path).num_rows for path in (tmp_path / "scored").glob("*.parquet")) == 20

    (tmp_path / "scored.parquet").unlink()

    class Writer:
        parts: list[object] = []

        def write_table(self, part: object) -> None:
            self.parts.append(part)

    names: dict[str, object] = {"table": table, "batches": images.to_batches(2), "writer": Writer()}
    exec(compile(example, "Documentation/Engines.md", "exec"), names)
    assert names["scored"].num_rows == 20 and len(Writer.parts) == 2  # type: ignore[attr-defined]
    assert (names["report"].rows, names["report"].failed) == (3, 1)  # type: ignore[attr-defined]
