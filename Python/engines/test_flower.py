"""Federated digits over ten clients with uneven labels, on Flower's simulation, and the parts of it."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy
import pytest
from flwr.app import Array, ArrayRecord, ConfigRecord, Message, MessageType, Metadata, RecordDict

import federated_classes
import federated_digits
import tensorio
import tensorio.flower
from tensorio._rounds import Checkpoints, Rejected, Round, Screen, export_version

BUNDLE = str(federated_digits.ROOT / "Examples" / "Bundles" / "digits-trainable-tflite.tiobundle")
HELD_OUT = os.fspath(federated_digits.DATA / "digits-held-out")
SHAPES = {"w": (2, 3), "b": (3,)}


def arrays(**changes: object) -> dict[str, object]:
    return {"w": numpy.ones((2, 3), "f"), "b": numpy.ones(3, "f"), **changes}


@pytest.mark.parametrize("given, examples, reason", [
    (arrays(w=numpy.full((2, 3), numpy.nan, "f")), 5, "'w' has 6 values that are NaN"),
    (arrays(b=numpy.array([1, numpy.inf, 0], "f")), 5, "'b' has 1 values"),
    (arrays(b=numpy.ones(4, "f")), 5, r"'b' has the shape \[4\], expected \[3\]"),
    (arrays(b=numpy.array(["x"] * 3)), 5, "'b' has the type"),
    ({"w": numpy.ones((2, 3))}, 5, "lacks the array 'b'"),
    (arrays(c=numpy.ones(1)), 5, "unknown array 'c'"),
    (arrays(), 0, "reports 0 examples"), (arrays(), -3, "reports -3"), (arrays(), True, "reports True"),
    (arrays(), float("nan"), "reports nan"), (arrays(), 2000, "the limit is 1000"),
    (arrays(w=numpy.full((2, 3), 100, "f")), 5, "its update has the norm 2"),
])
def test_a_reply_that_does_not_fit_is_rejected(given: dict, examples: object, reason: str) -> None:
    screen = Screen(SHAPES, max_examples=1000, max_norm=10)
    with pytest.raises(Rejected, match=reason):
        screen.check(given, examples, arrays())
    screen.check(arrays(), 5, arrays())


def test_a_claim_of_many_examples_is_limited() -> None:
    assert Screen(SHAPES).limit([100, 120, 80, 10**9]) == 1100
    assert Screen(SHAPES, max_ratio=None).limit([1, 1, 10**9]) is None


def test_checkpoints_resume_from_the_newest_complete_one(tmp_path: pathlib.Path) -> None:
    checkpoints = Checkpoints(tmp_path)
    for number in range(5):
        values = {"a/b": numpy.full(3, number, "f")}
        checkpoints.save(number, values, {"m_t-0": values}, "digest", [Round(number)])
    assert sorted(os.listdir(tmp_path)) == ["round-000002", "round-000003", "round-000004"]
    (tmp_path / "round-000004" / "arrays.npz").write_bytes(b"torn")
    number, found, state, history = checkpoints.newest("digest")
    assert (number, found["a/b"].tolist(), state["m_t-0"]["a/b"].tolist()) == (3, [3] * 3, [3] * 3)
    assert history == [Round(3)]
    with pytest.raises(tensorio.OutputError, match="belong to another bundle"):
        checkpoints.newest("other")


def test_the_result_is_a_new_signed_version(tmp_path: pathlib.Path) -> None:
    key = tmp_path / "publisher.key"
    subprocess.run([
        tensorio._commands.executable(), "keys", "generate", str(key), "--no-password"],
        check=True, capture_output=True)
    trainer = tensorio.Trainer(BUNDLE)
    trainer.fit(os.fspath(federated_digits.DATA / "digits-training"), epochs=1)
    accuracy = trainer.evaluate(HELD_OUT).metrics["accuracy"]
    first = export_version(trainer, tmp_path / "digits")
    second = export_version(trainer, tmp_path / "digits", key)
    assert [os.path.basename(path) for path in (first, second)] == ["1.tiobundle", "2.tiobundle"]
    assert sorted(os.listdir(tmp_path / "digits")) == ["1.tiobundle", "2.tiobundle"]
    model = tensorio.Model(second)
    assert model.version == "2"
    assert os.path.exists(os.path.join(second, "manifest.json.minisig"))
    again = tensorio.Trainer(first)
    assert again.evaluate(HELD_OUT).metrics["accuracy"] == pytest.approx(accuracy)


def test_a_task_of_the_original_is_a_configuration(tmp_path: pathlib.Path) -> None:
    task = tmp_path / "x.tiotask"
    task.mkdir()
    parameters = {"numEpochs": 3, "batchSize": 16, "shuffle": False,
                  "placeholders": [{"name": "learning_rate", "value": [0.1]}]}
    (task / "task.json").write_text(json.dumps({"taskParameters": parameters}))
    assert tensorio.flower.task_config(task) == {
        "epochs": 3, "batch-size": 16, "shuffle": False, "learning_rate": [0.1]}
    (task / "task.json").write_text("{}")
    with pytest.raises(tensorio.InputError, match="not a task"):
        tensorio.flower.task_config(task)


def test_the_app_of_the_page_runs_on_a_superlink_with_five_supernodes(tmp_path: pathlib.Path) -> None:
    program = pathlib.Path(federated_digits.__file__).with_name("flower_deployment.py")
    done = subprocess.run(
        [sys.executable, program, tmp_path / "federation", "--rounds", "2"], capture_output=True, text=True,
        timeout=1200, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    exported = pathlib.Path(done.stdout.splitlines()[-1])
    history = json.loads((tmp_path / "federation" / "state" / "history.json").read_text())
    assert [entry["clients"] for entry in history[1:]] == [5, 5]
    assert history[-1]["metrics"]["loss"] < history[0]["metrics"]["loss"]
    accuracy = tensorio.Trainer(exported).evaluate(HELD_OUT).metrics["accuracy"]
    assert accuracy == pytest.approx(history[-1]["metrics"]["accuracy"])


def run(folder: pathlib.Path, *options: str) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, federated_digits.__file__, os.fspath(folder), *options]
    return subprocess.run(program, capture_output=True, text=True, timeout=1200, check=False)


def test_ten_uneven_clients_reach_the_centralized_accuracy(tmp_path: pathlib.Path) -> None:
    """One client sends NaN, one leaves, and the server is killed after round 10 and started again."""
    killed = run(tmp_path, "--stop-after", "10")
    assert killed.returncode == -signal.SIGKILL
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr[-3000:]
    history = json.loads((tmp_path / "state" / "history.json").read_text())
    assert [entry["round"] for entry in history] == list(range(21))
    for entry in history[1:]:
        dropped = {drop["client"].split(" (")[0]: drop["reason"] for drop in entry["dropped"]}
        assert ("NaN" in dropped.get("partition 3", "")) == (entry["round"] >= 5)
        assert len(entry["dropped"]) == (entry["round"] >= 5) + (entry["round"] > 8)
        assert entry["clients"] == 10 - len(entry["dropped"])
    centralized = 0.0
    for rate in (0.01, 0.02):
        trainer = tensorio.Trainer(BUNDLE)
        trainer.fit(
            os.fspath(federated_digits.DATA / "digits-training"), epochs=20, batch_size=32,
            placeholders={"learning_rate": rate})
        centralized = max(centralized, trainer.evaluate(HELD_OUT).metrics["accuracy"])
    federated = history[-1]["metrics"]["accuracy"]
    print("accuracy per round:", [round(entry["metrics"]["accuracy"], 4) for entry in history])
    print(f"centralized {centralized:.4f}, federated {federated:.4f}")
    assert federated >= centralized - 0.02
    exported = tmp_path / "models" / "digits" / "1.tiobundle"
    assert tensorio.Trainer(exported).evaluate(HELD_OUT).metrics["accuracy"] == pytest.approx(federated)


@pytest.mark.parametrize("strategy", ["fedprox", "fedadam", *federated_digits.PRIVATE])
def test_other_strategies_learn(tmp_path: pathlib.Path, strategy: str) -> None:
    done = run(tmp_path, "--strategy", strategy, "--rounds", "4", "--well-behaved")
    assert done.returncode == 0, done.stderr[-3000:]
    history = json.loads((tmp_path / "state" / "history.json").read_text())
    assert history[-1]["metrics"]["loss"] < history[0]["metrics"]["loss"]
    assert [entry["clients"] for entry in history] == [0, 10, 10, 10, 10]
    assert ("parameters are clipped" in done.stdout + done.stderr) == (strategy in federated_digits.PRIVATE)


def test_two_clients_with_different_classes_teach_one_bundle(tmp_path: pathlib.Path) -> None:
    done = subprocess.run(
        [sys.executable, federated_classes.__file__, os.fspath(tmp_path)], capture_output=True, text=True,
        timeout=1200, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.splitlines()[-1] == "4"
    history = json.loads((tmp_path / "federation" / "history.json").read_text())
    assert [entry["clients"] for entry in history] == [0, *[2] * 10]
    assert history[-1]["metrics"]["accuracy"] >= 0.97 > history[0]["metrics"]["accuracy"]
    path = tmp_path / "models" / "things" / "1.tiobundle"
    assert tensorio.Model(path).id == "things"
    report = tensorio.evaluate(path, os.fspath(tmp_path / "held-out"))
    assert report.metrics["top1"] == pytest.approx(history[-1]["metrics"]["accuracy"])


def test_a_calibration_needs_classes_and_held_out_data(tmp_path: pathlib.Path) -> None:
    federated_classes.make_data(tmp_path)
    bundle, held_out = tmp_path / "backbone.tiobundle", os.fspath(tmp_path / "held-out")
    for options in ({"classes": federated_classes.CLASSES}, {"evaluation": held_out}):
        with pytest.raises(ValueError, match="unknown_rate"):
            tensorio.flower.server_app(bundle, unknown_rate=0.1, **options)


class Context:
    """What `client_app` takes of Flower's context."""

    def __init__(self, partition: int) -> None:
        self.node_config = {"partition-id": partition}
        self.state = RecordDict()


def ask(client: object, partition: int, arrays: dict[str, object], **config: object) -> Message:
    content = RecordDict({
        "arrays": ArrayRecord({name: Array(array) for name, array in arrays.items()}),
        "config": ConfigRecord({"server-round": 1, **config})})
    metadata = Metadata(
        run_id=1, message_id="1", src_node_id=1, dst_node_id=2, reply_to_message_id="", group_id="", created_at=time.time(),
        ttl=600, message_type=MessageType.TRAIN)
    return client(Message(content=content, metadata=metadata), Context(partition))


def test_a_client_of_a_classifier_answers_with_its_weights(tmp_path: pathlib.Path) -> None:
    federated_classes.make_data(tmp_path)
    bundle = tmp_path / "backbone.tiobundle"
    client = tensorio.flower.client_app(
        bundle, os.fspath(tmp_path / "data" / "{partition}"), classes=federated_classes.CLASSES)
    zeros = {"head/weights": numpy.zeros((5, 32)), "head/bias": numpy.zeros(5)}
    reply = ask(client, 1, zeros)
    (arrays,), (metrics,) = reply.content.array_records.values(), reply.content.metric_records.values()
    assert metrics["num-examples"] == 60 and metrics["accuracy"] == 1
    bias = arrays["head/bias"].numpy()
    assert bias.dtype == numpy.float32 and (bias[2:] > bias[:2].max()).all()
    near = ask(client, 1, zeros, **{"proximal-mu": 10.0}).content.array_records
    (near_arrays,) = near.values()
    assert numpy.linalg.norm(near_arrays["head/weights"].numpy()) < numpy.linalg.norm(arrays["head/weights"].numpy()) / 5
    with pytest.raises(tensorio.InputError, match="unknown setting 'epochs' of a classifier"):
        ask(client, 1, zeros, epochs=3)
    other = tensorio.flower.client_app(bundle, os.fspath(tmp_path / "data" / "0"), classes=["0", "1", "3", "2"])
    digests = {
        str(next(iter(ask(one, 0, weights).content.config_records.values()))["bundle"])
        for one, weights in [(client, zeros), (other, {"head/weights": numpy.zeros((4, 32)), "head/bias": numpy.zeros(4)})]}
    assert len(digests) == 2
