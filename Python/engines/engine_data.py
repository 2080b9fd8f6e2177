"""What the tests of the engines share: data, expected results, and killing a worker."""

import json
import os
import pathlib
import signal
import threading
import time

import numpy
import pyarrow

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUNDLES = ROOT / "Examples" / "Bundles"
DATA = pathlib.Path(os.environ["TENSORIO_ENGINE_DATA"])
FEATURES = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]
DIABETES, DIGITS = str(BUNDLES / "diabetes.tiobundle"), str(BUNDLES / "digits.tiobundle")


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
