"""Teaching models classes of the user."""

import pathlib
import shutil
from typing import Any

import numpy
import pytest
from PIL import Image

import tensorio
from conftest import BUNDLES, ROOT

EMBEDDER = BUNDLES / "digits-embedder.tiobundle"
TRAINABLE = BUNDLES / "digits-trainable-tflite.tiobundle"
TRAINING = ROOT / "Examples" / "Data" / "digits-training"
HELD_OUT = ROOT / "Examples" / "Data" / "digits-held-out"


def images(digit: int, count: int, folder: pathlib.Path = TRAINING) -> list[pathlib.Path]:
    return sorted((folder / str(digit)).glob("*.png"))[:count]


def teacher(tmp_path: pathlib.Path, unknown_rate: float = 0) -> tensorio.Teacher:
    return tensorio.Teacher(EMBEDDER, cache=tmp_path / "cache", unknown_rate=unknown_rate)


def test_taught_classes_are_recognized_and_extended(tmp_path: pathlib.Path) -> None:
    taught = teacher(tmp_path)
    taught.add("zero", images(0, 8))
    taught.add("one", [numpy.asarray(Image.open(path)) for path in images(1, 8)])
    assert taught.classes == {"zero": 8, "one": 8}
    report = taught.fit()
    assert report.accuracy >= 0.9 and report.interval[0] < report.accuracy <= report.interval[1]
    assert report.classes == {"zero": 8, "one": 8} and report.max_distance is None
    assert sum(map(sum, report.confusion)) == 16
    path = tmp_path / "mine.tiobundle"
    assert taught.export(path).json["bundle"] == str(path)
    assert [tensorio.Model(path)(image).label for image in images(1, 5, HELD_OUT)] == ["one"] * 5
    with pytest.raises(tensorio.RunError) as existing:
        taught.export(path)
    assert existing.value.code == "already-exists"

    more = tensorio.Teacher(path, cache=False, unknown_rate=0)
    assert more.classes == {"zero": 8, "one": 8}
    more.add_data(TRAINING / "7", "seven")
    assert list(more.classes) == ["zero", "one", "seven"]
    assert more.remove("one") == 8 and more.remove("one") == 0
    assert more.export(path, overwrite=True).accuracy >= 0.9
    assert tensorio.Model(path)(images(7, 1, HELD_OUT)[0]).label == "seven"


def test_data_of_folders_and_inputs_of_no_class(tmp_path: pathlib.Path) -> None:
    for digit in (0, 1):
        for image in images(digit, 8):
            (tmp_path / "data" / str(digit)).mkdir(parents=True, exist_ok=True)
            shutil.copy(image, tmp_path / "data" / str(digit))
    (tmp_path / "data" / "0" / "broken.png").write_text("not an image")
    taught = teacher(tmp_path, 0.1)
    taught.add_data(tmp_path / "data")
    taught.add("unknown", images(5, 4))
    report = taught.export(tmp_path / "mine.tiobundle")
    assert list(report.skipped) == ["0/broken.png"] and (tmp_path / "cache").is_dir()
    assert report.max_distance is not None and report.json["unknown"]["measured_on"] == "examples"
    assert tensorio.Model(tmp_path / "mine.tiobundle")(images(5, 1)[0]).label == "unknown"
    assert taught.remove("unknown") == 4 and taught.remove("unknown") == 0
    assert taught.fit().json["unknown"]["measured_on"] == "classes"


def test_a_gallery_becomes_classes(tmp_path: pathlib.Path) -> None:
    gallery = tmp_path / "own.sqlite"
    model = tensorio.Model(EMBEDDER, gallery=gallery)
    for name, digit in (("zero", 0), ("one", 1)):
        model.gallery.enroll(name, images(digit, 6))
    taught = teacher(tmp_path)
    taught.add_gallery(gallery)
    assert taught.classes == {"zero": 6, "one": 6}
    taught.add("seven", images(7, 6))
    taught.export(tmp_path / "mine.tiobundle")
    assert tensorio.Model(tmp_path / "mine.tiobundle")(images(1, 1, HELD_OUT)[0]).label == "one"
    with pytest.raises(tensorio.InputError, match="no such gallery"):
        taught.add_gallery(tmp_path / "missing.sqlite")
    (tmp_path / "text.sqlite").write_text("not a database")
    with pytest.raises(tensorio.ModelError):
        taught.add_gallery(tmp_path / "text.sqlite")


def trainable(digits: tuple[int, ...] = (3, 5, 8)) -> tensorio.Teacher:
    taught = tensorio.Teacher(TRAINABLE, cache=False)
    for digit in digits:
        taught.add(str(digit), images(digit, 20))
    return taught


def test_a_model_is_trained_on_the_classes_and_trained_again(tmp_path: pathlib.Path) -> None:
    taught = trainable()
    found = taught.refine(10, augment=[], placeholders={"learning_rate": 0.02})
    assert (found.trained, found.before.items, found.after.items) == (48, 12, 12)
    assert 1 <= found.best_epoch <= found.epochs <= 10
    assert found.before.loss is not None and found.after.loss is not None
    assert found.after.loss < found.before.loss and found.after.metrics["accuracy"] >= 0.8
    path = tmp_path / "refined.tiobundle"
    report = taught.export(path)
    assert report.refinement == found and report.classes == {"3": 20, "5": 20, "8": 20}
    model = tensorio.Model(path)
    labels = [model(image).label for image in images(3, 10, HELD_OUT)]
    assert labels.count("3") >= 7, labels

    # The bundle has no inputs; with its examples, it continues with the trained weights.
    again = tensorio.Teacher(path, cache=False)
    with pytest.raises(tensorio.InputError, match="add it again"):
        again.refine(1)
    for digit in (3, 5, 8):
        again.add(str(digit), images(digit, 20))
    assert again.classes == {"3": 20, "5": 20, "8": 20}
    second = again.refine(2, augment=("crop", "color"), patience=1, batch_size=8, seed=1)
    assert second.before == found.after and second.trained == 48
    fitted = again.fit()
    assert fitted.refinement == second and fitted.duplicates == []


def test_errors_of_a_training(tmp_path: pathlib.Path) -> None:
    taught = trainable((3, 5))
    assert taught.fit().refinement is None
    options: list[dict[str, Any]] = [
        {"epochs": 0}, {"epochs": 1.5}, {"patience": 0}, {"batch_size": -1}, {"seed": -1}, {"augment": ["blur"]},
        {"augment": "crop"}]
    for wrong in options:
        with pytest.raises(ValueError, match=f"'{next(iter(wrong))}' must be"):
            taught.refine(**wrong)
    with pytest.raises(tensorio.ModelError):
        taught.refine(1, placeholders={"speed": 1.0})
    with pytest.raises(tensorio.BundleError, match='"train"'):
        untrained = teacher(tmp_path)
        for digit in (0, 1):
            untrained.add(str(digit), images(digit, 2))
        untrained.refine(1)


def test_errors_of_teaching(tmp_path: pathlib.Path) -> None:
    taught = teacher(tmp_path)
    with pytest.raises(tensorio.InputError, match="two classes"):
        taught.fit()
    with pytest.raises(FileNotFoundError):
        taught.add("zero", tmp_path / "missing.png")
    with pytest.raises(tensorio.InputError):
        taught.add("zero", b"not an image")
    with pytest.raises(ValueError):
        tensorio.Teacher(EMBEDDER, unknown_rate=2)
    with pytest.raises(tensorio.InputError):
        taught.add_data(tmp_path / "missing")
    assert repr(taught) == "Teacher({})"


CLASSES = ["zero", "one", "two", "seven"]
DIGITS = dict(zip(CLASSES, (0, 1, 2, 7)))


def client(tmp_path: pathlib.Path, classes: dict[str, int], path: pathlib.Path = EMBEDDER) -> tensorio.Teacher:
    taught = tensorio.Teacher(path, cache=tmp_path / "cache", unknown_rate=0, classes=CLASSES)
    for label, count in classes.items():
        taught.add(label, images(DIGITS[label], count))
    return taught


def mean(clients: list[tensorio.Teacher]) -> dict[str, numpy.ndarray]:
    counts = [len(one) for one in clients]
    return {
        name: numpy.average([one.weights()[name] for one in clients], axis=0, weights=counts)
        for name in clients[0].weights()}


def test_the_average_of_two_clients_recognizes_the_classes_of_both(tmp_path: pathlib.Path) -> None:
    clients = [client(tmp_path, {"zero": 8, "one": 8}), client(tmp_path, {"two": 6, "seven": 10, "one": 4})]
    server = client(tmp_path, {})
    assert server.classes == dict.fromkeys(CLASSES, 0) and len(clients[1]) == 20 and bool(server)
    assert {name: array.shape for name, array in server.weights().items()} == {
        "head/weights": (4, 32), "head/bias": (4,)}
    assert not any(array.any() for array in server.weights().values())
    losses = []
    for _ in range(5):
        for one in clients:
            one.set_weights(server.weights())
            found = one.train()
        losses.append(found.loss)
        server.set_weights(mean(clients))
    assert found.items == 20 and found.metrics["accuracy"] == 1 and losses[-1] < losses[0]
    server.export_weights(tmp_path / "average.tiobundle")
    model = tensorio.Model(tmp_path / "average.tiobundle")
    for label, digit in DIGITS.items():
        found_labels = [model(image).label for image in images(digit, 10, HELD_OUT)]
        assert found_labels.count(label) >= 9, found_labels

    # Each client alone knows its own classes only.
    alone = client(tmp_path, {"zero": 8, "one": 8})
    alone.train(proximity=0)
    held = client(tmp_path, {"two": 10, "seven": 10})
    held.set_weights(alone.weights())
    assert held.evaluate().metrics["accuracy"] <= 0.2
    held.set_weights(server.weights())
    assert held.evaluate().metrics["accuracy"] >= 0.9

    # The bundle has the weights, and no examples.
    again = client(tmp_path, {}, tmp_path / "average.tiobundle")
    assert len(again) == 0
    for name, array in again.weights().items():
        numpy.testing.assert_array_equal(array, server.weights()[name])


def test_weights_that_do_not_fit_are_errors(tmp_path: pathlib.Path) -> None:
    one = client(tmp_path, {"zero": 4})
    right = one.weights()
    for wrong, code in [
        ({"head/bias": right["head/bias"]}, "weight-names"),
        ({**right, "other": right["head/bias"]}, "weight-names"),
        ({**right, "head/bias": numpy.zeros(3, "f")}, "wrong-shape"),
        ({**right, "head/bias": numpy.zeros(4, "i")}, "wrong-type"),
        ({**right, "head/bias": numpy.full(4, numpy.nan)}, "invalid-value"),
    ]:
        with pytest.raises(tensorio.InputError) as error:
            one.set_weights(wrong)
        assert error.value.code == code
    with pytest.raises(tensorio.InputError, match="'nine' is not one of the classes"):
        one.add("nine", images(9, 1))
    with pytest.raises(tensorio.InputError, match="at least one example"):
        client(tmp_path, {}).train()
    with pytest.raises(tensorio.InputError, match="proximity"):
        one.train(proximity=-1)
    with pytest.raises(TypeError):
        one.train(proximity="near")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="classes"):
        tensorio.Teacher(EMBEDDER, classes=[1, 2])  # type: ignore[list-item]


def test_a_classifier_is_the_trainer_of_a_federation(tmp_path: pathlib.Path) -> None:
    """What `tensorio.flower` calls, without Flower."""
    from tensorio._heads import Head
    from tensorio._rounds import Screen, export_version

    for number, digits in enumerate([("zero", "one"), ("two", "seven")]):
        for label in digits:
            folder = tmp_path / "data" / str(number) / label
            folder.mkdir(parents=True)
            for image in images(DIGITS[label], 8):
                shutil.copy(image, folder)
    server, head = Head(EMBEDDER, CLASSES), Head(EMBEDDER, CLASSES)
    screen = Screen({name: array.shape for name, array in server.weights().items()})
    data = [tmp_path / "data" / "0", {"two": list(map(str, images(2, 8))), "seven": [
        numpy.asarray(Image.open(path)) for path in images(7, 8)]}]
    for _ in range(3):
        replies = []
        for part in data:
            head.set_weights(server.weights())
            items = head.dataset(part)
            assert len(items) == 16 and head.dataset(items) is items
            head.fit(items)
            screen.check(head.weights(), len(items), server.weights())
            replies.append(head.weights())
        server.set_weights({name: (replies[0][name] + replies[1][name]) / 2 for name in replies[0]})
    held = server.dataset({label: images(digit, 10, HELD_OUT) for label, digit in DIGITS.items()})
    assert server.evaluate(held).metrics["accuracy"] >= 0.9

    # What the server holds out calibrates the average, without a change of its weights.
    rejecting = Head(EMBEDDER, CLASSES, unknown_rate=0.1)
    rejecting.set_weights(server.weights())
    with pytest.raises(tensorio.InputError, match="at least two examples"):
        rejecting.calibrate(rejecting.dataset({"zero": images(0, 2, HELD_OUT)}))
    own = rejecting.dataset({label: images(digit, 10, HELD_OUT) for label, digit in DIGITS.items()})
    rejecting.calibrate(own)
    found = own.calibrate()
    assert found.max_distance is not None and found.max_distance > 0
    assert found.evaluation.items == 40 and 0.25 <= found.temperature <= 8
    numpy.testing.assert_array_equal(rejecting.weights()["head/bias"], server.weights()["head/bias"])
    calibrated = tensorio.Model(export_version(rejecting, tmp_path / "models" / "rejecting"))
    assert calibrated(images(7, 1, HELD_OUT)[0]).label == "seven"
    others = [calibrated(image).label for image in images(5, 10, HELD_OUT)]
    assert others.count("unknown") >= 5, others
    rejecting.set_weights(server.weights())
    plain = tensorio.Model(export_version(rejecting, tmp_path / "models" / "rejecting"))
    assert plain(images(5, 1, HELD_OUT)[0]).label in CLASSES
    path = export_version(server, tmp_path / "models" / "things")
    model = tensorio.Model(path)
    assert (model.id, model.version) == ("things", "1")
    assert model(images(7, 1, HELD_OUT)[0]).label == "seven"
