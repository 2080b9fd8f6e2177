"""Dask: a scheduler with two worker processes."""

import pathlib
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import dask.dataframe
import pandas
import pyarrow
import pyarrow.parquet
import pytest
from dask.distributed import Client

import tensorio
import tensorio.dask
import page_recipes
from engine_data import (
    DATA, DIABETES, DIGITS, FACES, CallLog, Killer, Workers, check_images, check_rows, check_shared_weights,
    check_texts, faces, forget_weights, texts)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    folder = tmp_path_factory.mktemp("dask")
    program = [sys.executable, "-m", "dask"]
    address = "tcp://127.0.0.1:18786"
    commands = [["scheduler", "--host", "127.0.0.1", "--port", "18786", "--no-dashboard"]]
    commands += [
        ["worker", address, "--nthreads", "1", "--local-directory", str(folder), "--no-dashboard",
         "--host", "127.0.0.1", "--name", str(index)] for index in range(2)]
    processes = []
    with open(folder / "log", "wb") as log:
        for command in commands:
            processes.append(subprocess.Popen([*program, *command], stdout=log, stderr=log))
    client = Client(address, timeout=120)
    client.wait_for_workers(2, timeout=180)
    yield client
    client.close()
    for process in reversed(processes):
        process.terminate()
    for process in processes:
        process.wait(60)


def logged(frame: Any, settings: Any, path: str) -> Any:
    result = tensorio.dask.predict_partition(frame, settings)
    if len(frame):
        CallLog(pathlib.Path(path)).append(tensorio.dask.open_count())
        time.sleep(0.05)
    return result


def run(folder: str, bundle: str, log: CallLog, parts: int, **options: Any) -> pandas.DataFrame:
    frame = dask.dataframe.read_parquet(str(DATA / folder)).repartition(npartitions=parts)
    settings = tensorio.dask.Scoring(tensorio.dask.PortableBundle.pack(bundle), **options)
    meta = tensorio.dask.meta(settings, frame)
    return frame.map_partitions(logged, dask.delayed(settings), log.path, meta=meta).compute()


def test_a_million_rows_survive_the_death_of_a_worker(client: Client, tmp_path: pathlib.Path) -> None:
    log = CallLog(tmp_path / "calls")
    killer = Killer(log, after=16)
    killer.start()
    found = run("rows", DIABETES, log, 48, keep=["id"])
    count = check_rows(pyarrow.Table.from_pandas(found, preserve_index=False))
    assert killer.killed in log.processes()
    assert {line[1] for line in log.lines()} == {"1"}
    print(f"{count} rows; {len(log.lines())} partitions by {len(log.processes())} workers, one killed")


def test_images_survive_the_death_of_a_worker(client: Client, tmp_path: pathlib.Path) -> None:
    log = CallLog(tmp_path / "calls")
    killer = Killer(log, after=12)
    killer.start()
    found = run("image-rows", DIGITS, log, 40, top=3)
    count = check_images(pyarrow.Table.from_pandas(found, preserve_index=False), "name")
    assert killer.killed
    print(f"{count} images; {len(log.lines())} partitions by {len(log.processes())} workers, one killed")


def held(frame: Any, settings: Any, workers: Workers) -> Any:
    result = tensorio.dask.predict_partition(frame, settings)
    if len(frame):
        workers.hold()
    return result


def test_workers_share_the_memory_of_weights(client: Client, tmp_path: pathlib.Path) -> None:
    """Both workers start with an empty cache and the default options."""
    forget_weights()
    workers = Workers(tmp_path, 2)
    images = pandas.array(faces(8), dtype=pandas.ArrowDtype(pyarrow.binary()))
    frame = dask.dataframe.from_pandas(pandas.DataFrame({"image": images}), npartitions=4)
    settings = tensorio.dask.Scoring(tensorio.dask.PortableBundle.pack(FACES))
    result = frame.map_partitions(held, dask.delayed(settings), workers, meta=tensorio.dask.meta(settings, frame))
    job = client.compute(result)
    print(workers.inspect(check_shared_weights))
    found = job.result(timeout=300)
    assert len(found) == 8 and found["error"].isna().all()


def test_meta_has_the_types_of_the_results(client: Client, tmp_path: pathlib.Path) -> None:
    frame = dask.dataframe.read_parquet(str(DATA / "rows" / "part-00.parquet"))
    result = tensorio.dask.predict(frame, DIABETES)
    computed = result.compute()
    assert (result.dtypes == computed.dtypes).all()
    assert computed.index.equals(frame.compute().index)
    result.to_parquet(str(tmp_path / "out"), write_index=False)
    assert pyarrow.parquet.read_table(tmp_path / "out").num_rows == len(computed)


def test_errors_are_in_their_rows(client: Client) -> None:
    good = (DATA / "images" / "00000.png").read_bytes()
    # Dask reads objects without a type as texts.
    contents = pandas.array(
        [good] * 7 + [b"\x89PNG broken"] + [good] * 12, dtype=pandas.ArrowDtype(pyarrow.binary()))
    given = pandas.DataFrame({"id": range(20), "content": contents})
    frame = dask.dataframe.from_pandas(given, npartitions=4)
    found = tensorio.dask.predict(frame, DIGITS, top=1).compute()
    assert found["error"].isna().tolist() == [index != 7 for index in range(20)]
    with pytest.raises(Exception, match="row "):
        tensorio.dask.predict(frame, DIGITS, errors="raise").compute()


@pytest.mark.parametrize("kind", ["recordings", "prompts"])
def test_recordings_and_prompts_have_the_texts_of_this_process(client: Client, kind: str) -> None:
    bundle, given = texts(kind)
    frame = dask.dataframe.from_pandas(given.to_pandas(types_mapper=pandas.ArrowDtype), npartitions=2)
    found = tensorio.dask.predict(frame, bundle).compute()
    check_texts(pyarrow.Table.from_pandas(found, preserve_index=False), bundle, given)


def test_another_bundle_is_rejected(client: Client, tmp_path: pathlib.Path) -> None:
    copy = tmp_path / "d.tiobundle"
    shutil.copytree(DIABETES, copy)
    frame = dask.dataframe.read_parquet(str(DATA / "rows" / "part-00.parquet"))
    result = tensorio.dask.predict(frame, str(copy), send=False)
    (copy / "more.txt").write_text("changed")
    with pytest.raises(Exception, match="d.tiobundle: the bundle on .* differs"):
        result.compute()
    with pytest.raises(tensorio.InputError, match="missing columns"):
        tensorio.dask.predict(frame.drop(columns=["s6"]), DIABETES)


def test_the_example_of_the_page_runs(client: Client, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page_recipes.make_folder(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert len(page_recipes.run_examples("Dask", {})) == 1
    found = pandas.read_parquet(tmp_path / "scored-1")
    assert sorted(found["id"]) == list(range(page_recipes.ROWS)) and found["error"].isna().all()


def test_the_transcript_of_the_page_is_repeated(tmp_path: pathlib.Path) -> None:
    page_recipes.make_folder(tmp_path)
    found, expected = page_recipes.run_transcript("A Dask scheduler and two workers", tmp_path)
    assert found == expected == f"{page_recipes.ROWS} rows, 0 failed\n"
