"""The MLflow flavor: files, the registry, and the commands that predict and serve."""

import base64
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import urllib.request

import pytest

import tensorio

mlflow = pytest.importorskip("mlflow")
pandas = pytest.importorskip("pandas")

BUNDLES = pathlib.Path(__file__).parents[3] / "Examples" / "Bundles"
ROW = [61, 1, 25.8, 90, 280, 195.4, 55, 5, 4.9972, 90]
MLFLOW = [sys.executable, "-m", "mlflow"]


@pytest.fixture(autouse=True)
def tracking(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    monkeypatch.setenv("PATH", os.path.dirname(sys.executable), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")


@pytest.fixture
def png() -> bytes:
    return (BUNDLES / "digits.tiobundle" / "samples" / "3-1.png").read_bytes()


def test_a_saved_model_predicts_tables(tmp_path: pathlib.Path) -> None:
    import tensorio.mlflow

    bundle = BUNDLES / "diabetes.tiobundle"
    tensorio.mlflow.save_model(bundle, tmp_path / "saved")
    model = mlflow.pyfunc.load_model(os.fspath(tmp_path / "saved"))
    names = [column.name for column in model.metadata.signature.inputs]
    assert len(names) == 10
    expected = tensorio.Model(bundle)(ROW).array.item()
    table = pandas.DataFrame([ROW] * 3, columns=names, index=[7, 8, 9]).astype(float)
    found = model.predict(table)
    assert found["progression"].tolist() == [expected] * 3 and found.index.tolist() == [7, 8, 9]
    reordered = model.predict(table[names[::-1]])
    assert reordered["progression"].tolist() == [expected] * 3
    requirements = (tmp_path / "saved" / "requirements.txt").read_text()
    assert f"tensorio-runtime=={tensorio.__version__}" in requirements
    with pytest.raises(mlflow.exceptions.MlflowException):
        model.predict(table.drop(columns=names[0]))


def test_integers_are_numbers(tmp_path: pathlib.Path) -> None:
    import tensorio.mlflow

    bundle = BUNDLES / "diabetes.tiobundle"
    tensorio.mlflow.save_model(bundle, tmp_path / "saved")
    model = mlflow.pyfunc.load_model(os.fspath(tmp_path / "saved"))
    names = tensorio.Model(bundle).inputs[0].features
    row = [61, 1, 26, 90, 280, 195, 55, 5, 5, 90]
    expected = tensorio.Model(bundle)(row).array.item()
    for type in ("int64", "int32", "int16", "uint8", "float32", "float64", "object"):
        table = pandas.DataFrame([row], columns=names).astype("int16").drop(columns="s1").astype(
            "float64" if type == "uint8" else type)
        table["s1"] = pandas.Series([280], dtype="int64" if type == "uint8" else type)
        assert model.predict(table)["progression"].tolist() == [expected], type
    mixed = pandas.DataFrame([row, row], columns=names).astype(object)
    mixed.loc[1, "bmi"] = "many"
    found = model.predict(mixed)
    assert found["progression"][0] == pytest.approx(expected, rel=1e-6) and "bmi" in str(found["error"][1])


def test_a_logged_model_scores_in_spark(tmp_path: pathlib.Path) -> None:
    pyspark = pytest.importorskip("pyspark")
    import tensorio.mlflow
    from pyspark.sql import SparkSession

    assert pyspark.__version__
    bundle = BUNDLES / "diabetes.tiobundle"
    tensorio.mlflow.save_model(bundle, tmp_path / "saved")
    names = tensorio.Model(bundle).inputs[0].features
    rows = [[value + index for value in ROW] for index in range(100)]
    spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config(
        "spark.sql.shuffle.partitions", "2").config("spark.driver.host", "127.0.0.1").getOrCreate()
    try:
        frame = spark.createDataFrame(
            [(index, *map(float, row)) for index, row in enumerate(rows)], ["row", *names])
        score = mlflow.pyfunc.spark_udf(
            spark, os.fspath(tmp_path / "saved"), result_type="float", env_manager="local")
        found = frame.repartition(4).withColumn("progression", score(*names)).select(
            "row", "progression").collect()
    finally:
        spark.stop()
    own = tensorio.Model(bundle).batch(rows)["progression"].reshape(-1).tolist()
    assert [row.progression for row in sorted(found)] == own


def test_a_logged_model_is_opened_from_the_registry(png: bytes) -> None:
    import tensorio.mlflow

    with mlflow.start_run():
        info = tensorio.mlflow.log_model(
            BUNDLES / "digits.tiobundle", "digits", registered_model_name="digits")
    for location in (info.model_uri, "models:/digits/1"):
        model = tensorio.mlflow.load_model(location)
        assert isinstance(model, tensorio.Model) and model(png).label == "3"
    flavors = mlflow.models.Model.load(info.model_uri).flavors
    assert flavors["tensorio"]["digest"] == tensorio.Model(BUNDLES / "digits.tiobundle").digest
    found = mlflow.pyfunc.load_model(info.model_uri).predict(pandas.DataFrame({"image": [png, b"no image"]}))
    assert found["classification"][0] == "3" and "image" in found["error"][1]


def test_the_commands_predict_and_serve(tmp_path: pathlib.Path, png: bytes) -> None:
    import tensorio.mlflow

    tensorio.mlflow.save_model(BUNDLES / "diabetes.tiobundle", tmp_path / "diabetes")
    tensorio.mlflow.save_model(BUNDLES / "digits.tiobundle", tmp_path / "digits")
    names = [layer for layer in tensorio.Model(BUNDLES / "diabetes.tiobundle").inputs[0].features]
    rows = {"dataframe_split": {"columns": names, "data": [ROW]}}
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    done = subprocess.run(
        [*MLFLOW, "models", "predict", "-m", tmp_path / "diabetes", "-i", tmp_path / "rows.json", "-t",
         "json", "-o", tmp_path / "out.json", "--env-manager", "local"],
        capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    expected = tensorio.Model(BUNDLES / "diabetes.tiobundle")(ROW).array.item()
    predicted = json.loads((tmp_path / "out.json").read_text())
    assert predicted == {"predictions": [{"progression": pytest.approx(expected, rel=1e-6)}]}

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [*MLFLOW, "models", "serve", "-m", tmp_path / "digits", "--env-manager", "local", "-h",
         "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        for _ in range(600):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/ping", timeout=5).close()
                break
            except OSError:
                assert server.poll() is None
                time.sleep(0.2)
        body = {"dataframe_split": {
            "columns": ["image"], "data": [[base64.b64encode(png).decode()]] * 2}}
        request = urllib.request.Request(
            f"http://127.0.0.1:{port}/invocations", json.dumps(body).encode(),
            {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as response:
            found = json.load(response)["predictions"]
        assert [row["classification"] for row in found] == ["3", "3"]
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(30)
