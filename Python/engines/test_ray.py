"""Ray Data and Ray Serve, on a cluster of a head and two workers."""

import base64
import glob
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy
import pyarrow.parquet
import pytest
import ray
import ray.data
from ray.cluster_utils import Cluster

import tensorio.arrow
import tensorio.ray
import page_recipes
from engine_data import (
    DATA, DIABETES, DIGITS, FACES, CallLog, Killer, Workers, check_images, check_rows, check_shared_weights,
    check_texts, faces, forget_weights, texts)
from keras_networks import Network

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    node = {"num_cpus": 1, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=node)
    for _ in range(2):
        cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, logging_level="ERROR", log_to_driver=False)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    yield cluster
    ray.shutdown()
    cluster.shutdown()


class Logged(tensorio.ray.Predictor):
    """A predictor that notes each batch, and how many models its process has opened."""

    def __init__(self, path: str, *arguments: object, **options: object) -> None:
        super().__init__(*arguments, **options)
        self._log = CallLog(pathlib.Path(path))

    def __call__(self, batch: object) -> object:
        self._log.append(tensorio.ray.open_count(), self._scorer.settings.threads)
        return super().__call__(batch)


class Held(tensorio.ray.Predictor):
    """A predictor whose process waits after a batch, until its memory has been looked at."""

    def __init__(self, workers: Workers, *arguments: object, **options: object) -> None:
        super().__init__(*arguments, **options)
        self._workers = workers

    def __call__(self, batch: object) -> object:
        result = super().__call__(batch)
        self._workers.hold()
        return result


def scored(folder: pathlib.Path) -> pyarrow.Table:
    return pyarrow.concat_tables(
        pyarrow.parquet.read_table(path) for path in sorted(glob.glob(f"{folder}/*.parquet")))


def test_a_million_rows_survive_the_death_of_an_actor(cluster: Cluster, tmp_path: pathlib.Path) -> None:
    log = CallLog(tmp_path / "calls")
    killer = Killer(log, after=30)
    killer.start()
    rows = ray.data.read_parquet(str(DATA / "rows"))
    bundle = ray.put(tensorio.ray.PortableBundle.pack(DIABETES))
    result = rows.map_batches(
        Logged, fn_constructor_args=(log.path, bundle), fn_constructor_kwargs={"keep": ["id"]},
        **tensorio.ray.options(batch_size=10_000))
    result.write_parquet(str(tmp_path / "out"))
    count = check_rows(scored(tmp_path / "out"))
    assert killer.killed and killer.killed in log.processes()
    assert len(log.processes()) >= 2
    assert {line[1:] == ["1", "1"] for line in log.lines()} == {True}
    print(f"{count} rows; {len(log.lines())} batches by {len(log.processes())} actors, one killed")


def test_images_survive_the_death_of_an_actor(cluster: Cluster, tmp_path: pathlib.Path) -> None:
    log = CallLog(tmp_path / "calls")
    killer = Killer(log, after=40)
    killer.start()
    table = ray.data.read_parquet(str(DATA / "image-rows"))
    result = table.map_batches(
        Logged, fn_constructor_args=(log.path, DIGITS), fn_constructor_kwargs={"top": 3},
        **tensorio.ray.options(batch_size=64))
    result.write_parquet(str(tmp_path / "out"))
    count = check_images(scored(tmp_path / "out"), "name")
    assert killer.killed
    print(f"{count} images; {len(log.lines())} batches by {len(log.processes())} actors, one killed")


def test_twenty_actors_share_the_memory_of_weights(cluster: Cluster, tmp_path: pathlib.Path) -> None:
    """The actors start at the same time, with an empty cache and the default options."""
    forget_weights()
    workers = Workers(tmp_path, 20)
    table = pyarrow.table({"image": faces(160)})
    images = ray.data.from_arrow([table.slice(2 * part, 2) for part in range(80)])
    result = images.map_batches(
        Held, fn_constructor_args=(workers, FACES), **tensorio.ray.options(actors=20, cpus_per_actor=0, batch_size=2))
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(result.take_all)
        print(workers.inspect(check_shared_weights))
        rows = job.result(timeout=300)
    assert len(rows) == 160 and all(row["error"] is None for row in rows)


@pytest.mark.parametrize("name", ["convolution.float32", "convolution.int8", "several.float32", "unet.float32"])
def test_batches_of_default_exports_of_keras_equal_single_items(
        cluster: Cluster, name: str, tmp_path: pathlib.Path) -> None:
    network = Network(name, tmp_path)
    for count, size in [(1, 8), (3, 8), (100, 8), (1000, 300)]:
        inputs = network.inputs(count)
        rows = [{"id": item, **{key: array[item] for key, array in inputs.items()}} for item in range(count)]
        result = ray.data.from_items(rows).map_batches(
            tensorio.ray.Predictor, fn_constructor_args=(str(network.path),), fn_constructor_kwargs={"keep": ["id"]},
            **tensorio.ray.options(actors=1, batch_size=size, batch_format="numpy"))
        found = sorted(result.take_all(), key=lambda row: row["id"])
        assert len(found) == count and all(row["error"] is None for row in found)
        outputs = {key: [numpy.ravel(row[key]) for row in found] for key in found[0] if key.startswith("y")}
        network.check(outputs, count)


@pytest.mark.parametrize("form", ["numpy", "pandas", "pyarrow"])
def test_batches_of_every_format_have_the_same_results(cluster: Cluster, form: str) -> None:
    rows = ray.data.read_parquet(str(DATA / "rows" / "part-00.parquet")).limit(3000)
    result = rows.map_batches(
        tensorio.ray.Predictor, fn_constructor_args=(DIABETES,), fn_constructor_kwargs={"keep": ["id"]},
        **tensorio.ray.options(batch_size=700, batch_format=form))
    found = {row["id"]: row["progression"] for row in result.take_all()}
    table = pyarrow.parquet.read_table(DATA / "rows" / "part-00.parquet").slice(0, 3000)
    expected = tensorio.arrow.score(DIABETES, table)
    assert found == dict(zip(table.column("id").to_pylist(), expected.column("progression").to_pylist()))


def test_predict_reads_files_and_keeps_errors_in_their_rows(
    cluster: Cluster, tmp_path: pathlib.Path,
) -> None:
    names = [f"{index:05}.png" for index in range(20)]
    for name in names:
        shutil.copy(DATA / "images" / name, tmp_path / name)
    (tmp_path / "00007.png").write_bytes(b"\x89PNG broken")
    files = ray.data.read_binary_files(str(tmp_path), include_paths=True)
    found = tensorio.ray.predict(files, DIGITS, top=1, keep=["path"]).take_all()
    expected = json.loads((DATA / "expected-images.json").read_text())
    assert sorted(os.path.basename(row["path"]) for row in found) == names
    for row in found:
        name = os.path.basename(row["path"])
        if name == "00007.png":
            assert row["classification"] is None and row["error_code"]
        else:
            assert row["error"] is None
            assert row["classification"][0]["label"] == expected[name][0]["label"]
    with pytest.raises(Exception, match="row "):
        tensorio.ray.predict(files, DIGITS, errors="raise").materialize()


def test_a_node_that_is_lost_costs_no_row(cluster: Cluster, tmp_path: pathlib.Path) -> None:
    log = CallLog(tmp_path / "calls")
    node = cluster.add_node(num_cpus=1)
    rows = ray.data.read_parquet(str(DATA / "rows"))
    result = rows.map_batches(
        Logged, fn_constructor_args=(log.path, DIABETES), fn_constructor_kwargs={"keep": ["id"]},
        **tensorio.ray.options(batch_size=10_000))
    import threading

    def remove() -> None:
        while len(log.lines()) < 30:
            threading.Event().wait(0.01)
        cluster.remove_node(node, allow_graceful=False)

    thread = threading.Thread(target=remove)
    thread.start()
    result.write_parquet(str(tmp_path / "out"))
    thread.join()
    check_rows(scored(tmp_path / "out"))


@pytest.mark.parametrize("kind", ["recordings", "prompts"])
def test_recordings_and_prompts_have_the_texts_of_this_process(cluster: Cluster, kind: str) -> None:
    bundle, given = texts(kind)
    scored = ray.data.from_arrow(given).repartition(2).map_batches(
        tensorio.ray.Predictor, fn_constructor_args=(bundle,), **tensorio.ray.options(actors=2, cpus_per_actor=0, batch_size=2))
    check_texts(pyarrow.concat_tables(ray.get(scored.to_arrow_refs())), bundle, given)


def test_options_never_take_all_processors(cluster: Cluster) -> None:
    found = tensorio.ray.options()
    total = ray.cluster_resources()["CPU"]
    assert found["compute"].min_size * found["num_cpus"] <= total - 1
    # Two thirds of each of three nodes leave a processor in total, but no task fits into a third.
    with pytest.raises(ValueError, match="may leave no whole processor"):
        tensorio.ray.options(actors=int(total), cpus_per_actor=0.6)
    with pytest.raises(ValueError, match="may leave no whole processor"):
        tensorio.ray.options(actors=int(total), cpus_per_actor=1)


def test_another_bundle_on_a_worker_is_rejected(cluster: Cluster, tmp_path: pathlib.Path) -> None:
    copy = tmp_path / "d.tiobundle"
    shutil.copytree(DIABETES, copy)
    bundle = tensorio.ray.PortableBundle.at(copy)
    (copy / "labels.txt").write_text("changed")
    rows = ray.data.range(10)
    with pytest.raises(Exception, match="d.tiobundle: the bundle on .* differs"):
        rows.map_batches(
            tensorio.ray.Predictor, fn_constructor_args=(bundle,), **tensorio.ray.options(actors=1),
        ).materialize()


def post(url: str, body: bytes, kind: str = "application/json") -> tuple[int, object]:
    request = urllib.request.Request(url, body, {"content-type": kind})
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_serve_answers_rows_images_and_errors(cluster: Cluster) -> None:
    from ray import serve

    serve.start(http_options={"host": "127.0.0.1", "port": 8765})
    try:
        serve.run(tensorio.ray.application(DIGITS, top=1, num_cpus=0.5, max_batch_size=16), name="digits", route_prefix="/digits")
        serve.run(tensorio.ray.application(DIABETES, num_cpus=0.5), name="diabetes", route_prefix="/diabetes")
        image = (DATA / "images" / "00000.png").read_bytes()
        expected = json.loads((DATA / "expected-images.json").read_text())["00000.png"][0]["label"]
        status, found = post("http://127.0.0.1:8765/digits", image, "image/png")
        assert status == 200 and found["classification"][0]["label"] == expected
        with ThreadPoolExecutor(16) as pool:
            answers = list(pool.map(
                lambda _: post("http://127.0.0.1:8765/digits", image, "image/png"), range(64)))
        assert answers == [(status, found)] * 64
        status, found = post("http://127.0.0.1:8765/digits", b"broken", "image/png")
        assert status == 422 and found["error_code"]
        status, found = post(
            "http://127.0.0.1:8765/digits", json.dumps({"image": "/etc/passwd"}).encode())
        assert status == 422 and found["error_code"] == "wrong-type"
        row = dict.fromkeys(["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"], 1.0)
        status, found = post("http://127.0.0.1:8765/diabetes", json.dumps([row, {"age": 1}, row]).encode())
        assert status == 200 and found[0] == found[2] and found[1]["error_code"] == "input-names"
        assert post("http://127.0.0.1:8765/diabetes", b"{")[0] == 400
    finally:
        serve.shutdown()


def test_the_examples_of_the_page_run(
    cluster: Cluster, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    from ray import serve

    page_recipes.make_folder(tmp_path)
    monkeypatch.chdir(tmp_path)
    port = page_recipes.free_port()
    serve.start(http_options={"host": "127.0.0.1", "port": port})
    try:
        names: dict[str, object] = {}
        values = page_recipes.run_examples("Ray", names)
        assert len(values) == 3
        found = scored(tmp_path / "scored-1")
        assert sorted(found.column("id").to_pylist()) == list(range(page_recipes.ROWS))
        image = base64.b64encode((tmp_path / "three.png").read_bytes()).decode()
        commands = [
            line for text in page_recipes.blocks("Ray", "") for line in text.splitlines() if line.startswith("curl ")]
        assert len(commands) == 2
        for command in commands:
            words = shlex.split(command.replace("localhost:8000", f"127.0.0.1:{port}").replace("iVBOR…", image))
            done = subprocess.run([*words, "--silent", "--max-time", "60"], capture_output=True, check=True)
            answer = json.loads(done.stdout)
            row = answer[0] if isinstance(answer, list) else answer
            assert row["classification"][0]["label"] == "3", answer
    finally:
        serve.shutdown()
    # The replicas have held the processors that actors need.
    assert values[1].count() == page_recipes.ROWS


def test_the_transcript_of_the_page_is_repeated(tmp_path: pathlib.Path) -> None:
    """It starts a cluster of its own."""
    page_recipes.make_folder(tmp_path)
    found, expected = page_recipes.run_transcript("A Ray head and two workers", tmp_path)
    assert found == expected == f"{page_recipes.ROWS} rows, 0 failed\n"
