"""Inputs and uses that are wrong: exceptions that name the argument, and no crash."""

import gc
import os
import pathlib
import random
import shutil
import subprocess
import sys
import threading
import zipfile

import numpy
import pytest

import tensorio
from conftest import BUNDLES

DIABETES = BUNDLES / "diabetes.tiobundle"
ROW = [0.1] * 10


@pytest.mark.parametrize("value", [
    numpy.zeros((0,), numpy.float32), numpy.zeros((10, 0), numpy.float32), [], (), b"", b"\0" * 39,
    b"\0" * 41, numpy.zeros(11), numpy.zeros((1, 9)), "text", {}, {"features": None}, object(), 1 + 2j,
    numpy.array(["1"] * 10), numpy.datetime64("2026-01-01"), numpy.zeros(10, "V8"), [None] * 10,
    {"features": ROW, "other": 1}, [[[ROW]]] * 2, memoryview(b"\0" * 40).cast("B")[::2], {1: ROW},
    numpy.ma.masked_all(9), range(9), set(), iter(ROW), lambda: 0,
])
def test_a_value_that_does_not_fit_is_an_exception(diabetes: tensorio.Model, value: object) -> None:
    with pytest.raises((tensorio.InputError, TypeError, ValueError)) as error:
        diabetes(value)
    assert str(error.value)
    assert len(diabetes(ROW).array) == 1


@pytest.mark.parametrize("value", [
    numpy.zeros((0, 5, 3), numpy.uint8), numpy.zeros((5, 0, 3), numpy.uint8),
    numpy.zeros((5, 5, 2), numpy.uint8), numpy.zeros((5, 5, 5, 3), numpy.uint8),
    numpy.zeros((5, 5, 3), numpy.float64), numpy.zeros((5, 5, 3), numpy.uint16), b"", b"no image",
    b"\x89PNG\r\n\x1a\n", "missing.png", pathlib.Path("missing.png"), None, 7, [1, 2, 3],
    numpy.zeros(3, numpy.uint8), [[1, 2], [3]],
])
def test_an_image_that_does_not_fit_is_an_exception(digits: tensorio.Model, value: object) -> None:
    with pytest.raises((tensorio.InputError, OSError)) as error:
        digits(value)
    assert str(error.value)


def test_pixels_in_every_memory_layout(digits: tensorio.Model) -> None:
    pixels = numpy.random.default_rng(5).integers(0, 256, (40, 30, 3)).astype(numpy.uint8)
    expected = digits(pixels).top(10)
    spaced = numpy.zeros((80, 30, 4), numpy.uint8)
    spaced[::2, :, :3] = pixels
    frozen = pixels.copy()
    frozen.flags.writeable = False
    reversed_rows = pixels[::-1].copy()
    for same in (
        spaced[::2, :, :3], frozen, reversed_rows[::-1], pixels[:, ::-1].copy()[:, ::-1],
        numpy.asfortranarray(pixels), memoryview(pixels), pixels.copy()[..., ::-1].copy()[..., ::-1],
    ):
        assert digits(same).top(10) == expected


def test_the_memory_of_an_input_cannot_be_resized_during_a_run() -> None:
    detector = tensorio.Model(BUNDLES / "shape-detector.tiobundle")
    sample = sorted((BUNDLES / "shape-detector.tiobundle" / "samples").iterdir())[0]
    content = bytearray(sample.read_bytes())
    expected = detector(bytes(content)).to_dict()["outputs"]
    is_done = threading.Event()
    refused = 0

    def resize() -> None:
        nonlocal refused
        while not is_done.is_set():
            try:
                content.append(0)
                content.pop()
            except BufferError:
                refused += 1

    thread = threading.Thread(target=resize)
    thread.start()
    try:
        # Bytes after the end of an image are ignored.
        for _ in range(50):
            assert detector(content).to_dict()["outputs"] == expected
    finally:
        is_done.set()
        thread.join()
    assert refused > 0


@pytest.mark.parametrize("way", ["image", "rows", "columns", "items", "training"])
def test_arrays_are_not_resized_while_they_are_read(way: str) -> None:
    """`ndarray.resize` frees the memory of an exported array, if it is told not to count references."""
    shape = {"image": (480, 640, 3), "rows": (20_000, 10), "columns": (50_000,), "items": (300, 32, 32),
             "training": (400, 8, 8)}[way]
    is_image = way in ("image", "items", "training")
    values = numpy.random.default_rng(3).random(shape) * (255 if is_image else 1)
    array = values.astype(numpy.uint8 if is_image else numpy.float32)
    names = tensorio.Model(DIABETES).inputs[0].features
    model = tensorio.Model(BUNDLES / f"{'shape-detector' if way == 'image' else 'digits'}.tiobundle")
    rows = tensorio.Model(DIABETES)
    trainer = tensorio.Trainer(BUNDLES / "digits-trainable-tflite.tiobundle")

    def work() -> object:
        if way == "image":
            return model(array).to_dict()["outputs"]
        if way == "items":
            return [result.to_dict()["outputs"] for result in model.batch(array, errors="return")]
        if way == "training":
            items = {"image": array, "labels": numpy.zeros(400, numpy.int64)}
            return trainer.evaluate(trainer.dataset(items)).loss
        return rows.batch(array if way == "rows" else dict.fromkeys(names, array))["progression"].tobytes()

    def resize(count: int) -> None:
        array.resize((count, *shape[1:]), refcheck=False)

    expected = [work()]
    if way != "training":
        resize(shape[0] + 1)
        expected.append(work())
        resize(shape[0])
    is_done = threading.Event()
    refused = 0

    def try_to_resize() -> None:
        nonlocal refused
        while not is_done.is_set():
            try:
                resize(shape[0] + 1)
                resize(shape[0])
            except ValueError as error:
                assert "cannot resize" in str(error)
                refused += 1
            is_done.wait(0.0002)
        resize(shape[0])

    thread = threading.Thread(target=try_to_resize)
    thread.start()
    try:
        for _ in range(20):
            try:
                assert work() in expected
            except tensorio.InputError as error:
                # The array had grown between two runs, and has more items than labels.
                assert way == "training" and "different lengths" in str(error)
    finally:
        is_done.set()
        thread.join()
    assert refused > 0 and work() == expected[0]


def test_the_owner_of_a_view_keeps_its_size() -> None:
    array = numpy.zeros((100, 10), numpy.float32)
    for value in (array, array[::2], memoryview(array), numpy.asarray(memoryview(array[1:])[1:])):
        kept = tensorio._core.keep_size(value)
        with pytest.raises(ValueError, match="cannot resize"):
            array.resize((200, 10), refcheck=False)
        del kept
    del value
    array.resize((200, 10))
    for other in (b"bytes", [1], None, memoryview(b"bytes")):
        assert tensorio._core.keep_size(other) is None


def test_an_input_that_runs_the_model_while_it_is_converted(diabetes: tensorio.Model) -> None:
    class Recursive:
        def __array__(self, dtype: object = None, copy: object = None) -> numpy.ndarray:
            return numpy.full(10, diabetes(ROW).array.item() / 1000, numpy.float32)

    inner = diabetes(ROW).array.item() / 1000
    assert diabetes(Recursive()).array == diabetes([inner] * 10).array

    class Failing:
        def __array__(self, dtype: object = None, copy: object = None) -> numpy.ndarray:
            raise LookupError("inside")

    with pytest.raises(LookupError, match="inside"):
        diabetes(Failing())


def test_a_batch_that_fails_while_it_is_read(diabetes: tensorio.Model) -> None:
    def values() -> object:
        yield ROW
        raise LookupError("after one")

    with pytest.raises(LookupError, match="after one"):
        diabetes.batch(values())
    with pytest.raises(LookupError, match="after one"):
        list(diabetes.map(values()))
    assert diabetes.batch([], errors="return") == []
    assert diabetes.batch({"features": []}, errors="return") == []
    results = diabetes.batch(["text", ROW, None, ROW], errors="return")
    assert [isinstance(result, tensorio.Result) for result in results] == [False, True, False, True]
    with pytest.raises(tensorio.InputError) as error:
        diabetes.batch([ROW, ROW, "text"])
    assert error.value.item == 2


def test_an_image_that_is_missing_is_the_error_of_its_item(digits: tensorio.Model, digit: str) -> None:
    results = digits.batch([digit, "missing.png", b"no image", digit] * 30, errors="return")
    assert [type(result).__name__ for result in results] == [
        "Result", "ItemError", "ItemError", "Result"] * 30
    assert isinstance(results[1].error, FileNotFoundError) and results[118].index == 118
    assert results[2].error.code == "unknown-image-format" and results[118].error.item == 118


def test_a_thousand_models() -> None:
    models = [tensorio.Model(DIABETES, sessions=1) for _ in range(1000)]
    expected = models[0](ROW).array
    for model in models[::97]:
        assert (model(ROW).array == expected).all()
    files = len(os.listdir("/proc/self/fd"))
    for model in models:
        model.close()
    del models, model
    gc.collect()
    assert len(os.listdir("/proc/self/fd")) <= files


def test_threads_open_run_and_close_models_at_random() -> None:
    models = [tensorio.Model(DIABETES) for _ in range(4)]
    expected = models[0](ROW).array.item()
    failures: list[BaseException] = []

    def work(seed: int) -> None:
        generator = random.Random(seed)
        try:
            for _ in range(150):
                index = generator.randrange(len(models))
                action = generator.random()
                if action < 0.1:
                    models[index].close()
                    models[index] = tensorio.Model(DIABETES)
                elif action < 0.2:
                    stream = None
                    try:
                        stream = models[index].stream()
                        stream(ROW)
                    except ValueError as error:
                        assert "closed" in str(error)
                else:
                    try:
                        assert models[index](ROW).array.item() == expected
                    except ValueError as error:
                        assert "closed" in str(error)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_references_and_memory_blocks_are_flat(diabetes: tensorio.Model) -> None:
    row = numpy.full(10, 0.1, numpy.float32)
    output = numpy.zeros(1, numpy.float32)
    values = {"features": row}

    def work() -> None:
        for _ in range(500):
            result = diabetes(values)
            result.tensors["progression"]
            result.to_json()
            diabetes.run_into(row, output)
            diabetes.batch([row, row])
            for wrong in ([1], "text", {"nope": row}):
                try:
                    diabetes(wrong)
                except tensorio.InputError:
                    pass

    work()
    gc.collect()
    before, blocks = sys.getrefcount(row), sys.getallocatedblocks()
    for _ in range(3):
        work()
    gc.collect()
    assert sys.getrefcount(row) == before
    assert sys.getallocatedblocks() - blocks < 200


@pytest.mark.parametrize("before", ["import tensorio", "pass"])
@pytest.mark.parametrize("module", ["tensorio", "tensorio._core", "tensorio.arrow"])
def test_subinterpreters_are_rejected(before: str, module: str) -> None:
    code = (
        "try:\n"
        "    import _xxsubinterpreters as interpreters\n"
        "except ImportError:\n"
        "    import _interpreters as interpreters\n"
        f"{before}\n"
        "other = interpreters.create()\n"
        "try:\n"
        f"    result = interpreters.run_string(other, 'import {module}')\n"
        "    print(result)\n"
        "except Exception as error:\n"
        "    print(error)\n"
        "import tensorio\n"
        f"print(tensorio.Model({os.fspath(DIABETES)!r})({ROW}).array.size)\n")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "subinterpreters" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 0 and done.stdout.endswith("\n1\n"), done.stdout + done.stderr


PACKAGE = pathlib.Path(tensorio.__file__).parent
LIBRARIES = ["libtensorio.so", "_core.abi3.so"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A copy of the installed package."""
    folder = tmp_path_factory.mktemp("installed")
    shutil.copytree(PACKAGE, folder / "tensorio", ignore=shutil.ignore_patterns("bin", "__pycache__"))
    libraries = PACKAGE.parent / "tensorio_runtime.libs"
    if libraries.exists():
        shutil.copytree(libraries, folder / "tensorio_runtime.libs")
    assert import_copy(folder).returncode == 0
    return folder


def import_copy(folder: pathlib.Path) -> subprocess.CompletedProcess[str]:
    # Modules are compiled into the folder, but nothing is loaded from the installed package.
    return subprocess.run(
        [sys.executable, "-c", "import tensorio; print(tensorio.__file__)"], capture_output=True, text=True,
        cwd=folder, timeout=60, env={"PATH": os.environ["PATH"]})


def check_import_error(folder: pathlib.Path, name: str, content: bytes | None) -> str:
    """Imports a copy in which a file has other content, and returns the message of the ImportError."""
    (path,) = folder.rglob(name)
    original = path.rename(folder / "original")
    try:
        if content is not None:
            path.write_bytes(content)
        done = import_copy(folder)
    finally:
        original.replace(path)
    assert done.returncode == 1, (done.returncode, done.stdout, done.stderr)
    message = done.stderr.splitlines()[-1]
    assert message.startswith("ImportError: ") and path.name in message, done.stderr
    return message


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_package_without_a_library_is_an_import_error(name: str, installed: pathlib.Path) -> None:
    if name == "libtensorio.so":
        check_import_error(installed, name, None)
    else:
        path = installed / "tensorio" / name
        original = path.rename(installed / "original")
        try:
            done = import_copy(installed)
        finally:
            original.replace(path)
        assert done.returncode == 1 and "ImportError: cannot import name '_core'" in done.stderr


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_that_was_cut_off_is_an_import_error(name: str, installed: pathlib.Path) -> None:
    """The loader maps such a file, and the process ends with SIGBUS."""
    content = (PACKAGE / name).read_bytes()
    # The last part has symbols and names of sections, which are not loaded.
    for percent in (1, 10, 30, 50, 65):
        message = check_import_error(installed, name, content[:len(content) * percent // 100])
        assert "the file is incomplete" in message and "install tensorio-runtime again" in message
    for size in (0, 3, 40, 63, 64, 700):
        check_import_error(installed, name, content[:size])
    for library in sorted((PACKAGE.parent / "tensorio_runtime.libs").glob("*.so*")):
        content = library.read_bytes()
        assert "incomplete" in check_import_error(installed, library.name, content[:len(content) // 2])


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_library_that_was_overwritten_is_an_import_error(name: str, installed: pathlib.Path) -> None:
    size = (PACKAGE / name).stat().st_size
    head = (PACKAGE / name).read_bytes()[:64]
    arm64 = head[:18] + (183).to_bytes(2, "little") + head[20:]
    for content in (
        b"<html>not found</html>", bytes(size), os.urandom(size), b"\x7fELF" + os.urandom(size),
        b"\x7fELF\x02\x01" + bytes(size), b"\x7fELF\x02\x01" + b"\xff" * size, arm64 + bytes(size - 64),
    ):
        check_import_error(installed, name, content)


def test_pip_rejects_a_wheel_with_changed_bytes(tmp_path: pathlib.Path) -> None:
    """Installers compare the checksums of a wheel's files."""
    pip = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", os.fspath(tmp_path / "site")]
    files = [path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    wheel = tmp_path / "tensorio-0.0.1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path in files:
            archive.write(path, f"tensorio/{path.relative_to(PACKAGE)}")
        archive.writestr("tensorio-0.0.1.dist-info/METADATA", "Metadata-Version: 2.1\nName: tensorio\nVersion: 0.0.1\n")
        archive.writestr("tensorio-0.0.1.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("tensorio-0.0.1.dist-info/RECORD", "")
        position = archive.getinfo("tensorio/libtensorio.so").header_offset
    content = bytearray(wheel.read_bytes())
    content[position + 1_000_000] ^= 1
    wheel.write_bytes(content)
    done = subprocess.run([*pip, os.fspath(wheel)], capture_output=True, text=True, timeout=120)
    assert done.returncode != 0 and "Bad CRC-32 for file 'tensorio/libtensorio.so'" in done.stderr, done.stderr
    wheel.write_bytes(content[:len(content) // 2])
    done = subprocess.run([*pip, os.fspath(wheel)], capture_output=True, text=True, timeout=120)
    assert done.returncode != 0 and "invalid" in done.stderr, done.stderr
    assert not (tmp_path / "site" / "tensorio" / "__init__.py").exists()


def test_bare_models_are_opened_with_guesses(tmp_path: pathlib.Path) -> None:
    shutil.copy(DIABETES / "model.tflite", tmp_path / "bare.tflite")
    with pytest.warns(tensorio.ModelWarning, match="guessed"):
        model = tensorio.Model(BUNDLES / "digits.tiobundle" / "model.tflite")
    assert model(numpy.zeros((32, 32), numpy.uint8)).tensors
    bare = tensorio.Model(tmp_path / "bare.tflite")
    expected = tensorio.Model(DIABETES)
    name = bare.inputs[0].name
    assert (bare({name: ROW}).array == expected(ROW).array).all()
    (tmp_path / "broken.tflite").write_bytes(b"no model")
    with pytest.raises(tensorio.ModelError, match="broken.tflite"):
        tensorio.Model(tmp_path / "broken.tflite")


def test_zips_and_library_names(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zipped = tensorio.pack(DIABETES, output=tmp_path / "diabetes.tiobundle.zip")
    expected = tensorio.Model(DIABETES)(ROW).array
    assert (tensorio.Model(zipped)(ROW).array == expected).all()
    monkeypatch.setenv("TENSORIO_MODELS", str(BUNDLES))
    assert (tensorio.Model("diabetes")(ROW).array == expected).all()
    with pytest.raises(tensorio.BundleError, match="no-such-model"):
        tensorio.Model("no-such-model")


def test_commands_return_objects(tmp_path: pathlib.Path) -> None:
    report = tensorio.validate(DIABETES)
    assert report.valid is True and report["diagnostics"] == [] and "valid" in report._repr_html_()
    broken = tmp_path / "broken.tiobundle"
    broken.mkdir()
    (broken / "model.json").write_text("{}")
    report = tensorio.validate(broken)
    assert report.valid is False and report.diagnostics[0].code
    with pytest.raises(AttributeError, match="valid"):
        _ = report.nothing
    shutil.copy(DIABETES / "model.tflite", tmp_path / "bare.tflite")
    draft = tensorio.init(tmp_path / "bare.tflite", output=tmp_path / "bare.tiobundle")
    assert tensorio.Model(draft.bundle)(ROW).array.size == 1
    comparison = tensorio.compare(
        BUNDLES / "digits.tiobundle", BUNDLES / "digits-quantized.tiobundle",
        BUNDLES / "digits.tiobundle" / "samples" / "3-1.png")
    assert comparison.agreement == 1 and comparison.count == 1
    evaluation = tensorio.evaluate(
        BUNDLES / "digits.tiobundle", BUNDLES.parent / "Data" / "digits-held-out")
    assert evaluation.metrics.top1 > 0.98 and evaluation.count == 360
    assert "<th>top1</th>" in evaluation._repr_html_()
    with pytest.raises(tensorio.CommandError, match="sign"):
        tensorio.verify(DIABETES)


def test_one_input_is_not_a_sequence() -> None:
    model = tensorio.Model(DIABETES)
    for call in (model.batch, model.map):
        with pytest.raises(TypeError, match="pass \\[value\\]"):
            call("photo.jpg")
        with pytest.raises(ValueError, match="'raise' or 'return'"):
            call([ROW], errors="ignore")
    with pytest.raises(TypeError, match="table"):
        model.map({"features": [ROW]})


def test_names_of_a_row_are_matched() -> None:
    pandas = pytest.importorskip("pandas")
    model = tensorio.Model(DIABETES)
    features = model.inputs[0].features
    values = numpy.random.default_rng(3).normal(size=10).astype(numpy.float32)
    expected = model(values).array.item()
    row = pandas.Series(values, features)
    reversed_row = row[features[::-1]]
    for value in (row, reversed_row, reversed_row.to_frame().T, dict(reversed_row), pandas.Series(values)):
        assert model(value).array.item() == expected
    with pytest.raises(tensorio.InputError, match="missing features"):
        model(row[features[:3]])
    with pytest.raises(tensorio.InputError, match="one row, got 2"):
        model(pandas.DataFrame([row, row]))


def test_a_missing_file_in_a_batch_is_named_with_its_index() -> None:
    model = tensorio.Model(BUNDLES / "digits.tiobundle")
    with pytest.raises(FileNotFoundError) as raised:
        model.batch([BUNDLES / "digits.tiobundle" / "samples" / "3-1.png", "no-such.png"])
    assert raised.value.__notes__ == ["This is item 1 of the batch."]
    assert getattr(raised.value, "item") == 1


def test_a_model_that_the_runtime_rejects_is_not_a_missing_runtime(tmp_path: pathlib.Path) -> None:
    bundle = tmp_path / "copy.tiobundle"
    shutil.copytree(BUNDLES / "diabetes.tiobundle", bundle)
    model = (bundle / "model.tflite").read_bytes()
    (bundle / "model.tflite").write_bytes(model[: len(model) // 2])
    with pytest.raises(tensorio.BundleError) as raised:
        tensorio.Model(bundle)
    assert raised.value.code == "model-rejected" and not isinstance(raised.value, ImportError)


def test_a_changed_signed_bundle_is_not_a_missing_runtime(tmp_path: pathlib.Path) -> None:
    bundle, key = tmp_path / "digits.tiobundle", tmp_path / "publisher.key"
    shutil.copytree(BUNDLES / "digits.tiobundle", bundle)
    subprocess.run([sys.executable, "-m", "tensorio", "keys", "generate", key, "--no-password"], check=True)
    tensorio.sign(bundle, key=key)
    with open(bundle / "model.json", "a", encoding="utf-8") as file:
        file.write("\n")
    with pytest.raises(tensorio.BundleError) as raised:
        tensorio.Model(bundle)
    assert raised.value.code == "manifest-mismatch" and not isinstance(raised.value, ImportError)


def test_images_of_16_bits_are_scaled_and_others_are_rejected(tmp_path: pathlib.Path) -> None:
    image = pytest.importorskip("PIL.Image")
    model = tensorio.Model(BUNDLES / "digits.tiobundle")
    pixels = numpy.random.default_rng(5).integers(0, 65536, (20, 20)).astype(numpy.uint16)
    image.fromarray(pixels).save(tmp_path / "deep.png")
    opened = image.open(tmp_path / "deep.png")
    if opened.mode.startswith("I;16"):
        assert (model(opened).array == model(tmp_path / "deep.png").array).all()
    for mode in ("I", "F"):
        with pytest.raises(tensorio.InputError, match="8 or 16 bits"):
            model(image.new(mode, (8, 8)))


def test_token_ids_that_are_not_integers_are_an_error() -> None:
    model = tensorio.Model(BUNDLES / "topics.tiobundle")
    for value in (float("inf"), 1e30, 0.5, [float("nan"), 1]):
        with pytest.raises(tensorio.InputError, match="int32"):
            model(value)
    # pandas marks a missing text with NaN.
    with pytest.raises(tensorio.InputError, match="'message': no value"):
        model(float("nan"))
