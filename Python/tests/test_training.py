"""Training: steps, epochs, evaluation, checkpoints and weights."""

import importlib.util
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading

import numpy
import pytest

import tensorio
from conftest import BUNDLES, ROOT

TRAINING = ROOT / "Examples" / "Data" / "digits-training"
HELD_OUT = ROOT / "Examples" / "Data" / "digits-held-out"
LITERT = BUNDLES / "digits-trainable-tflite.tiobundle"
TENSORFLOW = BUNDLES / "digits-trainable.tiobundle"
HAS_TENSORFLOW = importlib.util.find_spec("tensorflow") is not None or bool(
    os.environ.get("TENSORIO_TENSORFLOW_LIBRARY"))

both = pytest.mark.parametrize("path", [
    LITERT,
    pytest.param(TENSORFLOW, marks=pytest.mark.skipif(
        not HAS_TENSORFLOW, reason="TensorFlow is not installed")),
])


@pytest.fixture(scope="module")
def batch() -> dict[str, numpy.ndarray]:
    """Pictures with more levels than digits: bars whose position is the label."""
    generator = numpy.random.default_rng(7)
    labels = numpy.arange(32) % 10
    images = generator.integers(0, 40, (32, 8, 8)).astype(numpy.uint8)
    for image, label in zip(images, labels):
        image[label % 8, :] = 220
    return {"image": images, "labels": labels}


def equal(first: dict[str, numpy.ndarray], second: dict[str, numpy.ndarray]) -> bool:
    return list(first) == list(second) and all(
        first[name].dtype == second[name].dtype and numpy.array_equal(first[name], second[name])
        for name in first)


@both
def test_steps_reduce_the_loss(path: pathlib.Path, batch: dict[str, numpy.ndarray]) -> None:
    trainer = tensorio.Trainer(path)
    first = trainer.step(batch)["loss"]
    for _ in range(20):
        last = trainer.step(batch, placeholders={"learning_rate": 0.01})["loss"]
    assert isinstance(first, float) and last < first / 2
    assert trainer.evaluate(batch, batch_size=32).loss == pytest.approx(last, rel=1e-5)
    assert trainer.step(batch, timing="never") == {}


@both
def test_a_learning_rate_of_zero_changes_nothing(
    path: pathlib.Path, batch: dict[str, numpy.ndarray]
) -> None:
    trainer = tensorio.Trainer(path)
    before = trainer.weights()
    trainer.step(batch, placeholders={"learning_rate": 0})
    assert equal(before, trainer.weights())
    trainer.step(batch, placeholders={"learning_rate": 0.1})
    assert not equal(before, trainer.weights())


@both
def test_weights_of_one_trainer_make_another_one_equal(
    path: pathlib.Path, batch: dict[str, numpy.ndarray]
) -> None:
    trained, other = tensorio.Trainer(path), tensorio.Trainer(path)
    for _ in range(3):
        trained.step(batch)
    weights = trained.weights()
    trainable = [entry for entry in trained.variables if entry.trainable]
    assert len(weights) == 6 < len(trained.variables)
    assert list(weights) == [entry.name for entry in trainable]
    assert [value.shape for value in weights.values()] == [entry.shape for entry in trainable]
    other.set_weights(weights)
    assert equal(other.weights(), weights)
    assert other.evaluate(batch).loss == trained.evaluate(batch).loss
    # The state of the optimizer continues the training exactly.
    other.set_weights(trained.weights(all=True))
    assert other.step(batch)["loss"] == trained.step(batch)["loss"]


@both
def test_weights_are_copies(path: pathlib.Path, batch: dict[str, numpy.ndarray]) -> None:
    trainer = tensorio.Trainer(path)
    weights = trainer.weights()
    kept = {name: value.copy() for name, value in weights.items()}
    trainer.step(batch)
    assert equal(weights, kept)
    for value in weights.values():
        value += 1
    assert not equal(trainer.weights(), weights)
    name = next(iter(weights))
    trainer.set_weights(weights)
    weights[name][...] = 9
    assert not numpy.array_equal(trainer.weights()[name], weights[name])


@both
def test_weights_that_do_not_fit_change_nothing(path: pathlib.Path) -> None:
    trainer = tensorio.Trainer(path)
    before = trainer.weights(all=True)
    good = {name: value + 1 for name, value in trainer.weights().items()}
    names = list(good)
    cases = {
        "weight-names": [
            {name: good[name] for name in names[1:]}, good | {"unknown": numpy.zeros(3)}, {},
        ],
        "wrong-shape": [
            good | {names[-1]: good[names[-1]].reshape(-1)[:-1]},
            good | {names[0]: good[names[0]][None]},
        ],
        "wrong-type": [
            good | {names[-1]: good[names[-1]].astype(numpy.float64)},
            good | {names[-1]: good[names[-1]].astype(">f4")},
            good | {names[-1]: numpy.full(good[names[-1]].shape, "a")},
            good | {names[-1]: numpy.full(good[names[-1]].shape, None)},
        ],
    }
    for code, values in cases.items():
        for value in values:
            with pytest.raises(tensorio.InputError) as error:
                trainer.set_weights(value)
            assert error.value.code == code
            assert code == "weight-names" or error.value.layer in names
            assert equal(trainer.weights(all=True), before)
    trainer.set_weights({names[0]: good[names[0]]}, partial=True)
    after = trainer.weights(all=True)
    assert numpy.array_equal(after.pop(names[0]), good[names[0]])
    before.pop(names[0])
    assert equal(after, before)


@both
def test_strided_weights_are_copied_in_order(path: pathlib.Path) -> None:
    trainer = tensorio.Trainer(path)
    weights = trainer.weights()
    expected = {name: value[::-1].copy() for name, value in weights.items()}
    trainer.set_weights({
        name: numpy.asfortranarray(value[::-1]) if value.ndim > 1 else value[::-1]
        for name, value in weights.items()})
    assert equal(trainer.weights(), expected)


@both
def test_fit_learns_digits_from_a_folder(path: pathlib.Path, tmp_path: pathlib.Path) -> None:
    trainer = tensorio.Trainer(path)
    steps: list[tensorio.Step] = []
    epochs: list[tensorio.Epoch] = []
    history = trainer.fit(
        TRAINING, epochs=2, validation_split=0.1, on_step=steps.append, on_epoch=epochs.append)
    assert history.epochs == epochs and [epoch.epoch for epoch in epochs] == [1, 2]
    assert history.steps == len(steps) == steps[-1].step and steps[-1].summary is epochs[-1]
    assert epochs[1].loss < epochs[0].loss and epochs[1].validation is not None
    result = trainer.evaluate(HELD_OUT)
    assert result.metrics["accuracy"] > 0.8 and result.items == 360
    trainer.export(tmp_path / "trained.tiobundle")
    with pytest.raises(tensorio.RunError) as error:
        trainer.export(tmp_path / "trained.tiobundle")
    assert error.value.code == "already-exists"
    trainer.export(tmp_path / "trained.tiobundle", overwrite=True)
    sample = sorted((path / "samples").glob("*.png"))[0]
    exported = tensorio.Model(tmp_path / "trained.tiobundle")
    assert numpy.array_equal(exported(sample).array, trainer.model()(sample).array)


def test_a_resumed_training_equals_an_uninterrupted_one(
    batch: dict[str, numpy.ndarray], tmp_path: pathlib.Path
) -> None:
    whole, first, second = (tensorio.Trainer(LITERT) for _ in range(3))
    options = {"batch_size": 8, "seed": 3}
    whole.fit(batch, epochs=4, **options)
    for step in first.steps(batch, epochs=4, checkpoints=tmp_path, checkpoint_steps=1, **options):
        if step.step == 9:
            break
    history = second.fit(batch, epochs=4, checkpoints=tmp_path, resume=True, **options)
    assert history.steps == 16 - 9
    assert equal(second.weights(all=True), whole.weights(all=True))
    with pytest.raises(tensorio.RunError) as error:
        tensorio.Trainer(LITERT).fit(batch, checkpoints=tmp_path, **options)
    assert error.value.code == "already-exists"


@both
def test_checkpoints_are_those_of_the_command_line(
    path: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    command = os.path.join(os.path.dirname(tensorio.__file__), "bin", "tensorio")
    subprocess.run(
        [command, "train", path, TRAINING, "--epochs", "1", "--threads", "1", "--checkpoint-dir",
         tmp_path / "a"],
        check=True, capture_output=True)
    saved = next(iter((tmp_path / "a").glob("checkpoint-*")))
    trainer, other = tensorio.Trainer(path), tensorio.Trainer(path)
    trainer.restore(saved)
    other.fit(TRAINING, epochs=1)
    # TensorFlow does not round equally in all processes.
    tolerance = 0 if path == LITERT else 1e-4
    for name, value in trainer.weights(all=True).items():
        numpy.testing.assert_allclose(other.weights(all=True)[name], value, tolerance, tolerance)
    trainer.save(tmp_path / "b")
    third = tensorio.Trainer(path)
    third.restore(tmp_path / "b")
    assert equal(third.weights(all=True), trainer.weights(all=True))


def test_data_in_many_forms(batch: dict[str, numpy.ndarray], tmp_path: pathlib.Path) -> None:
    from PIL import Image

    files = []
    for index, image in enumerate(batch["image"]):
        Image.fromarray(image).save(tmp_path / f"{index}.png")
        files.append(tmp_path / f"{index}.png")
    forms = [
        batch,
        {"image": files, "labels": batch["labels"].tolist()},
        {"image": [file.read_bytes() for file in files], "labels": batch["labels"][:, None]},
        [
            {"image": Image.open(file), "labels": int(label)}
            for file, label in zip(files, batch["labels"])
        ],
    ]
    losses = {tensorio.Trainer(LITERT).step(form)["loss"] for form in forms}
    assert len(losses) == 1
    dataset = tensorio.Trainer(LITERT).dataset(batch)
    assert len(dataset) == 32
    assert tensorio.Trainer(LITERT).step(dataset)["loss"] in losses


def test_data_that_does_not_fit(batch: dict[str, numpy.ndarray], tmp_path: pathlib.Path) -> None:
    trainer = tensorio.Trainer(LITERT)
    before = trainer.weights(all=True)
    cases = [
        ({"image": batch["image"]}, "missing columns"),
        ({"image": batch["image"], "labels": [1]}, "different lengths"),
        ({"image": batch["image"][:0], "labels": []}, "no items"),
        ({"image": batch["image"], "labels": numpy.full(32, 10)}, "out of range"),
        ({"image": batch["image"], "labels": ["one"] * 32}, "labels"),
        (7, "expected a path"),
        (tmp_path, "data"),
    ]
    for data, message in cases:
        with pytest.raises(tensorio.ModelError, match=message):
            trainer.step(data)
    labels = batch["labels"].copy()
    labels[5] = 11
    with pytest.raises(tensorio.InputError) as error:
        trainer.fit({"image": batch["image"], "labels": labels}, batch_size=8, shuffle=False)
    assert error.value.item == 5 and error.value.layer == "labels"
    assert equal(before, trainer.weights(all=True))
    with pytest.raises(tensorio.InputError, match="learning_rate"):
        trainer.step(batch, placeholders={"rate": 1})
    with pytest.raises(tensorio.BundleError, match="train"):
        tensorio.Trainer(BUNDLES / "digits.tiobundle")
    with pytest.raises(ValueError, match="timing"):
        trainer.step(batch, timing="later")
    for options in ({"epochs": -1}, {"batch_size": 0}, {"validation_split": 2}, {"patience": 0}):
        with pytest.raises(tensorio.ModelError):
            trainer.fit(batch, **options)
    trainer.close()
    with pytest.raises(ValueError, match="closed"):
        trainer.step(batch)


def test_an_exception_in_a_callback_ends_the_training(batch: dict[str, numpy.ndarray]) -> None:
    trainer = tensorio.Trainer(LITERT)

    def fail(step: tensorio.Step) -> None:
        if step.step == 2:
            raise LookupError("two")

    with pytest.raises(LookupError, match="two"):
        trainer.fit(batch, batch_size=4, on_step=fail)
    # A training inside a callback of another one of the same trainer is performed in between.
    inner: list[int] = []
    trainer.fit(
        batch, batch_size=16, on_step=lambda step: inner.append(trainer.fit(batch).steps))
    assert inner == [1, 1]


def test_threads_share_a_trainer(batch: dict[str, numpy.ndarray]) -> None:
    trainer = tensorio.Trainer(LITERT)
    failures: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(10):
                trainer.step(batch, placeholders={"learning_rate": 0.001})
                values = trainer.weights(all=True)
                trainer.set_weights(values)
                assert numpy.isfinite(trainer.evaluate(batch).loss)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_trainer_pickles_with_its_weights(batch: dict[str, numpy.ndarray]) -> None:
    trainer = tensorio.Trainer(LITERT)
    trainer.step(batch)
    copy = pickle.loads(pickle.dumps(trainer))
    assert equal(copy.weights(all=True), trainer.weights(all=True))
    assert copy.step(batch)["loss"] == trainer.step(batch)["loss"]
    with pytest.raises(TypeError, match="export"):
        pickle.dumps(trainer.model())


def test_ctrl_c_ends_fit_and_writes_a_checkpoint(tmp_path: pathlib.Path) -> None:
    code = (
        "import signal, sys, tensorio\n"
        # A shell starts background processes with SIGINT ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"trainer = tensorio.Trainer({os.fspath(LITERT)!r})\n"
        f"trainer.fit({os.fspath(TRAINING)!r}, epochs=100000, checkpoints=sys.argv[1],\n"
        "            on_step=lambda step: print(step.step, flush=True))\n")
    process = subprocess.Popen(
        [sys.executable, "-c", code, tmp_path / "saved"], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "1\n"
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors and process.returncode != 0
    last = int(output.split()[-1]) if output.split() else 1
    saved = [json.loads(path.read_text()) for path in (tmp_path / "saved").glob("*/training.json")]
    assert max(entry["step"] for entry in saved) >= last


@pytest.mark.skipif(not HAS_TENSORFLOW, reason="TensorFlow is not installed")
def test_an_archive_of_keras_is_evaluated_without_training_and_pickled() -> None:
    trainer = tensorio.Trainer(ROOT / "Tests" / "Fixtures" / "TensorFlow" / "keras-archive.tiobundle")
    data = {"x": numpy.array([[0, 1], [1, 0], [1, 1], [2, -1]] * 5, numpy.float32)}
    data["target"] = data["x"] @ numpy.array([[2], [-1]], numpy.float32) + 1
    names = ["sequential/dense/bias_1", "sequential/dense/kernel_1"]
    assert list(trainer.weights()) == names
    first = trainer.evaluate(data)
    assert trainer.evaluate(data) == first == pickle.loads(pickle.dumps(trainer)).evaluate(data)
    history = trainer.fit(data, epochs=2, batch_size=4, validation_split=0.2)
    validation = history.epochs[-1].validation
    assert validation is not None and 0 < validation.loss < first.loss
    assert trainer.weights(all=True)["sgd/iteration"] == 8
    other = pickle.loads(pickle.dumps(trainer))
    assert equal(other.weights(all=True), trainer.weights(all=True))
    assert other.evaluate(data) == trainer.evaluate(data)
    assert other.step(data) == trainer.step(data)


def test_a_model_of_a_fixed_batch_trains_on_a_folder_of_images() -> None:
    trainer = tensorio.Trainer(ROOT / "Tests" / "Fixtures" / "Bundles" / "fixed-training.tiobundle")
    history = trainer.fit(HELD_OUT, epochs=3, batch_size=7, validation_split=0.3)
    validation = history.epochs[-1].validation
    assert validation is not None and validation.items % 7 == 0 and history.loss < history.losses[0]
    items = [{"image": numpy.zeros((4, 4), numpy.uint8), "labels": number} for number in range(7)]
    assert isinstance(trainer.step(items)["loss"], float)
    with pytest.raises(tensorio.InputError) as error:
        trainer.step([*items[:6], {**items[6], "labels": 12}])
    assert (error.value.code, error.value.item) == ("label-out-of-range", 6)
