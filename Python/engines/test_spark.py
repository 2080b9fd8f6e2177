"""Spark: a local cluster of two workers, and a standalone master with two workers."""

import glob
import os
import pathlib
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pyarrow.parquet
import pyspark
import pytest
from pyspark.sql import SparkSession

import tensorio
import tensorio.spark
import page_recipes
from engine_data import (
    DATA, DIABETES, DIGITS, FACES, FEATURES, CallLog, Killer, Workers, check_images, check_rows,
    check_shared_weights, check_texts, faces, forget_weights, texts)

HOME = os.path.dirname(pyspark.__file__)


def session(master: str) -> SparkSession:
    os.environ.update(SPARK_HOME=HOME, SPARK_LOCAL_IP="127.0.0.1", PYSPARK_PYTHON=sys.executable)
    spark = (
        SparkSession.builder.master(master).appName("tensorio")
        .config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "1g").config("spark.executor.memory", "1g")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "5000")
        .config("spark.executorEnv.PYTHONPATH", os.environ.get("PYTHONPATH", ""))
        .getOrCreate())
    spark.sparkContext.setLogLevel("OFF")
    return spark


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    spark = session("local-cluster[2,1,1024]")
    yield spark
    spark.stop()


class Logged:
    """The function of ``mapInArrow`` with a note of each batch."""

    def __init__(self, path: str, function: Any) -> None:
        self.path, self.function = path, function

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        for batch in self.function(batches):
            CallLog(pathlib.Path(self.path)).append(tensorio.spark.open_count())
            yield batch


class Held:
    """The function of ``mapInArrow``, whose process waits after a batch until its memory has been looked at."""

    def __init__(self, workers: Workers, function: Any) -> None:
        self.workers, self.function = workers, function

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        for batch in self.function(batches):
            self.workers.hold()
            yield batch


def scored(folder: pathlib.Path) -> pyarrow.Table:
    return pyarrow.concat_tables(
        pyarrow.parquet.read_table(path) for path in sorted(glob.glob(f"{folder}/*.parquet")))


def test_a_million_rows_survive_the_death_of_a_worker(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    log = CallLog(tmp_path / "calls")
    killer = Killer(log, after=60)
    killer.start()
    bundle = tensorio.spark.add(spark, DIABETES)
    rows = spark.read.parquet(str(DATA / "rows"))
    function = Logged(log.path, tensorio.spark.predictor(bundle, keep=["id"]))
    schema = tensorio.spark.schema(bundle, rows, keep=["id"])
    rows.mapInArrow(function, schema).write.parquet(str(tmp_path / "out"))
    count = check_rows(scored(tmp_path / "out"))
    assert killer.killed in log.processes()
    assert {line[1] for line in log.lines()} == {"1"}
    print(f"{count} rows; {len(log.lines())} batches by {len(log.processes())} workers, one killed")


def test_images_survive_the_death_of_a_worker(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    log = CallLog(tmp_path / "calls")
    killer = Killer(log, after=8)
    killer.start()
    bundle = tensorio.spark.add(spark, DIGITS)
    images = spark.read.parquet(str(DATA / "image-rows")).repartition(40)
    function = Logged(log.path, tensorio.spark.predictor(bundle, top=3))
    images.mapInArrow(function, tensorio.spark.schema(bundle, images, top=3)).write.parquet(str(tmp_path / "out"))
    count = check_images(scored(tmp_path / "out"), "name")
    assert killer.killed
    print(f"{count} images; {len(log.lines())} batches by {len(log.processes())} workers, one killed")


def test_workers_share_the_memory_of_weights(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    """Both workers start with an empty cache and the default options."""
    forget_weights()
    workers = Workers(tmp_path, 2)
    bundle = tensorio.spark.add(spark, FACES)
    images = spark.createDataFrame([(image,) for image in faces(8)], "image binary").repartition(4)
    function = Held(workers, tensorio.spark.predictor(bundle))
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(images.mapInArrow(function, tensorio.spark.schema(bundle, images)).collect)
        print(workers.inspect(check_shared_weights))
        rows = job.result(timeout=300)
    assert len(rows) == 8 and all(row.error is None for row in rows)


def test_a_bundle_can_be_added_twice(spark: SparkSession) -> None:
    rows = spark.read.parquet(str(DATA / "rows" / "part-00.parquet")).limit(5)
    first, second = (tensorio.spark.add(spark, DIABETES) for _ in range(2))
    assert first == second
    found = tensorio.spark.predict(rows, second).collect()
    assert len(found) == 5 and all(row.error is None for row in found)


def test_binary_files_keep_errors_in_their_rows(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    for index in range(20):
        shutil.copy(DATA / "images" / f"{index:05}.png", tmp_path / f"{index:05}.png")
    (tmp_path / "00007.png").write_bytes(b"\x89PNG broken")
    files = spark.read.format("binaryFile").load(f"{tmp_path}/*.png").select("path", "content")
    found = tensorio.spark.predict(files, DIGITS, top=1).orderBy("path").collect()
    assert [row.error is None for row in found] == [index != 7 for index in range(20)]
    assert found[0].classification[0].score > 0.5
    failing = tensorio.spark.predict(files, DIGITS, errors="raise")
    with pytest.raises(Exception, match="row "):
        failing.collect()


@pytest.mark.parametrize("kind", ["recordings", "prompts"])
def test_recordings_and_prompts_have_the_texts_of_this_process(spark: SparkSession, kind: str) -> None:
    bundle, given = texts(kind)
    frame = spark.createDataFrame(given).repartition(2)
    found = tensorio.spark.predict(frame, tensorio.spark.add(spark, bundle))
    check_texts(found.toArrow(), bundle, given)


def test_predict_udf_has_the_same_results(spark: SparkSession) -> None:
    rows = spark.read.parquet(str(DATA / "rows" / "part-00.parquet")).limit(500)
    expected = {row.id: row.progression for row in tensorio.spark.predict(rows, DIABETES).collect()}
    udf = tensorio.spark.predict_udf(DIABETES)
    found = rows.select("id", udf(*FEATURES).alias("result")).collect()
    assert {row.id: row.result.progression for row in found} == expected


def test_missing_columns_and_bundles_are_named(spark: SparkSession, tmp_path: pathlib.Path) -> None:
    rows = spark.read.parquet(str(DATA / "rows" / "part-00.parquet")).limit(5)
    with pytest.raises(tensorio.InputError, match=r"missing columns \['s6'\]"):
        tensorio.spark.predict(rows.drop("s6"), DIABETES)
    copy = tmp_path / "d.tiobundle"
    shutil.copytree(DIABETES, copy)
    frame = tensorio.spark.predict(rows, str(copy))
    (copy / "more.txt").write_text("changed")
    with pytest.raises(Exception, match="d.tiobundle: the bundle on .* differs"):
        frame.collect()


def test_the_examples_of_the_page_run(
    spark: SparkSession, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    page_recipes.make_folder(tmp_path)
    monkeypatch.chdir(tmp_path)
    text = "\n".join(page_recipes.blocks("Spark", "python"))
    assert "binaryFile" in text and len(page_recipes.run_examples("Spark", {"spark": spark})) == 1
    found = scored(tmp_path / "scored-1")
    assert sorted(found.column("id").to_pylist()) == list(range(page_recipes.ROWS))
    assert found.column("error").null_count == page_recipes.ROWS
    images = scored(tmp_path / "found-1").to_pylist()
    assert len(images) == len(os.listdir(tmp_path / "images")) and any(row["detections"] for row in images)


@pytest.mark.parametrize("heading", ["A local cluster of Spark", "A Spark master and two workers"])
def test_the_transcripts_of_the_page_are_repeated(heading: str, tmp_path: pathlib.Path) -> None:
    page_recipes.make_folder(tmp_path)
    found, expected = page_recipes.run_transcript(heading, tmp_path)
    # spark-submit writes the warnings of Python to the same stream.
    assert expected == f"{page_recipes.ROWS} rows, 0 failed\n" and found.endswith(f"\n{expected}"), found


def test_a_standalone_master_with_two_workers(tmp_path: pathlib.Path) -> None:
    """Runs last: it replaces the session."""
    active = SparkSession.getActiveSession()
    if active is not None:
        active.stop()
    environment = {**os.environ, "SPARK_HOME": HOME, "SPARK_LOCAL_IP": "127.0.0.1",
                   "SPARK_WORKER_DIR": str(tmp_path), "SPARK_DAEMON_MEMORY": "256m"}
    deploy = "org.apache.spark.deploy"
    url = "spark://127.0.0.1:17077"
    commands = [[f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", "17077", "--webui-port", "18080"]]
    commands += [
        [f"{deploy}.worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0", url]
        for _ in range(2)]
    processes = []
    with open(tmp_path / "log", "wb") as log:
        for command in commands:
            processes.append(subprocess.Popen(
                [os.path.join(HOME, "bin", "spark-class"), *command], env=environment, stdout=log, stderr=log))
            time.sleep(2)
    try:
        spark = session(url)
        bundle = tensorio.spark.add(spark, DIABETES)
        rows = spark.read.parquet(str(DATA / "rows"))
        tensorio.spark.predict(rows, bundle, keep=["id"]).write.parquet(str(tmp_path / "out"))
        check_rows(scored(tmp_path / "out"))
        spark.stop()
    finally:
        for process in reversed(processes):
            process.terminate()
        for process in processes:
            process.wait(60)
