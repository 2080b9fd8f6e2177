"""What the tests of the engines share: data, expected results, and killing a worker."""

import json
import os
import pathlib
import shutil
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy
import pyarrow

import tensorio.arrow

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUNDLES = ROOT / "Examples" / "Bundles"
DATA = pathlib.Path(os.environ["TENSORIO_ENGINE_DATA"])
FEATURES = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]
DIABETES, DIGITS = str(BUNDLES / "diabetes.tiobundle"), str(BUNDLES / "digits.tiobundle")
# A bundle whose weights are large enough for the cache.
FACES = str(BUNDLES / "face-embedder.tiobundle")
FIXTURES = ROOT / "Tests" / "Fixtures"


def check_rows(table: pyarrow.Table) -> int:
    """Checks that each row is there once, with the result of ``tensorio run``; returns the number."""
    expected = numpy.load(DATA / "expected-rows.npy")
    ids = table.column("id").to_numpy()
    assert len(ids) == len(expected), f"{len(ids)} rows, expected {len(expected)}"
    order = numpy.argsort(ids, kind="stable")
    assert (ids[order] == numpy.arange(len(expected))).all(), "a row is missing or there twice"
    assert table.column("error").null_count == len(ids)
    found = table.column("progression").to_numpy()[order].astype(numpy.float32)
    assert (found == expected).all(), f"{(found != expected).sum()} rows differ"
    return len(ids)


def check_images(table: pyarrow.Table, key: str) -> int:
    """Checks that each image is there once, with the labels and scores of ``tensorio run``."""
    expected = json.loads((DATA / "expected-images.json").read_text())
    found = {}
    for row in table.to_pylist():
        name = os.path.basename(row[key])
        assert name not in found, f"{name} is there twice"
        assert row["error"] is None, row["error"]
        found[name] = [
            (entry["label"], float(entry["score"]), entry["index"]) for entry in row["classification"]]
    assert found.keys() == expected.keys()
    for name, labels in expected.items():
        printed = [
            (entry["label"], float(numpy.float32(entry["score"])), entry["index"]) for entry in labels]
        assert found[name] == printed, name
    return len(found)


class CallLog:
    """A file to which worker processes append a line per batch."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = str(path)

    def append(self, *values: object) -> None:
        line = " ".join(map(str, (os.getpid(), *values))) + "\n"
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.write(descriptor, line.encode())
        os.close(descriptor)

    def lines(self) -> list[list[str]]:
        if not os.path.exists(self.path):
            return []
        return [line.split() for line in pathlib.Path(self.path).read_text().splitlines()]

    def processes(self) -> set[int]:
        return {int(line[0]) for line in self.lines()}


class Killer(threading.Thread):
    """Kills the process that wrote to a log, once it has so many lines."""

    def __init__(self, log: CallLog, after: int) -> None:
        super().__init__(daemon=True)
        self.log, self.after, self.killed = log, after, 0

    def run(self) -> None:
        limit = time.monotonic() + 600
        while time.monotonic() < limit:
            lines = self.log.lines()
            if len(lines) >= self.after:
                self.killed = int(lines[-1][0])
                os.kill(self.killed, signal.SIGKILL)
                return
            time.sleep(0.005)


class Workers:
    """Keeps the worker processes of a job alive until the test has looked at their memory."""

    def __init__(self, folder: pathlib.Path, count: int) -> None:
        self.log, self.count = CallLog(folder / "calls"), count
        self._gate = str(folder / "gate")

    def hold(self) -> None:
        """Notes the process, and waits for the test. It is called in a worker."""
        self.log.append()
        _wait(lambda: os.path.exists(self._gate))

    def inspect(self, look: Callable[[set[int]], Any]) -> Any:
        """Calls a function with the processes once there are enough, and lets them continue."""
        try:
            _wait(lambda: len(self.log.processes()) >= self.count)
            return look(self.log.processes())
        finally:
            pathlib.Path(self._gate).touch()


def _wait(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < limit, "the other processes did not come that far"
        time.sleep(0.02)


def cached_weights(process: int) -> list[tuple[str, dict[str, int]]]:
    """The files of the weight cache that a process maps, and their memory in bytes, by Linux's ``smaps``."""
    found: list[tuple[str, dict[str, int]]] = []
    is_cached = False
    for line in pathlib.Path(f"/proc/{process}/smaps").read_text().splitlines():
        words = line.split()
        if not words[0].endswith(":"):
            name = " ".join(words[5:])
            is_cached = name.startswith(os.environ["TENSORIO_CACHE_DIR"])
            if is_cached:
                found.append((name, {}))
        elif is_cached and words[-1] == "kB":
            found[-1][1][words[0].rstrip(":")] = int(words[1]) * 1024
    return found


def check_shared_weights(processes: set[int]) -> str:
    """Checks that processes map one file of weights, with few pages of their own; returns the figures."""
    mapped = {process: cached_weights(process) for process in processes}
    files = {name for mappings in mapped.values() for name, _ in mappings}
    assert all(mapped.values()), f"a process maps no weights: {mapped}"
    # A file that was removed has '(deleted)' behind its name.
    assert len(files) == 1 and os.path.exists(next(iter(files))), files
    total = {
        key: sum(memory[key] for mappings in mapped.values() for _, memory in mappings)
        for key in ("Rss", "Pss", "Shared_Clean", "Private_Clean", "Private_Dirty", "Shared_Dirty")}
    size = os.path.getsize(next(iter(files)))
    assert total["Private_Dirty"] == total["Shared_Dirty"] == 0, total
    assert total["Rss"] >= 0.8 * size * len(processes), total
    assert total["Private_Clean"] <= 0.1 * total["Rss"], total
    assert total["Pss"] <= 1.1 * size, total
    return (f"{len(processes)} processes map {size / 1e6:.2f} MB of weights: resident {total['Rss'] / 1e6:.2f} MB, "
            f"their shares together {total['Pss'] / 1e6:.2f} MB, private {total['Private_Clean'] / 1e6:.2f} MB")


def faces(count: int) -> list[bytes]:
    """Encoded images for `FACES`."""
    files = sorted(pathlib.Path(FACES, "samples").glob("*.*g"))
    return [files[index % len(files)].read_bytes() for index in range(count)]


def texts(kind: str) -> tuple[str, pyarrow.Table]:
    """A model that writes, and rows for it, of which the last is broken: ``recordings`` or ``prompts``."""
    if kind == "prompts":
        prompts = ["abc", "The capital", "xyz", "ab", None]
        return str(FIXTURES / "Bundles" / "decoder-growing.tiobundle"), pyarrow.table({"id": range(5), "prompt": prompts})
    sounds = json.loads((FIXTURES / "ONNX" / "speech.json").read_text())["sounds"].values()
    recordings = [tensorio.Sound(numpy.array(sound, numpy.float32) / 32768, 1600).wav() for sound in sounds]
    table = pyarrow.table({"id": range(len(recordings) + 1), "audio": [*recordings, b"RIFF broken"]})
    return str(FIXTURES / "Bundles" / "speech.tiobundle"), table


def check_texts(found: pyarrow.Table, bundle: str, given: pyarrow.Table) -> None:
    """Compares rows with those of this process."""
    expected = tensorio.arrow.score(bundle, given)
    assert expected.column("error").null_count == given.num_rows - 1
    assert found.select(expected.column_names).sort_by("id").to_pylist() == expected.to_pylist()


def forget_weights() -> None:
    """Empties the weight cache, so that the workers of a job fill it at the same time."""
    shutil.rmtree(os.environ["TENSORIO_CACHE_DIR"], ignore_errors=True)
