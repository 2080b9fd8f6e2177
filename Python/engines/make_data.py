"""Makes the data of the engine tests, and the results of the command line for them.

python make_data.py FOLDER [ROWS [IMAGES]]
"""

import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys

import numpy
import pyarrow
import pyarrow.parquet

from tensorio._commands import executable
from tensorio._runtimes import find

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUNDLES = ROOT / "Examples" / "Bundles"
FEATURES = ["age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"]
PARTS = 16


def make_rows(folder: pathlib.Path, count: int) -> None:
    means = numpy.array([48, 1.5, 26, 95, 189, 115, 50, 4, 4.6, 91], numpy.float32)
    spread = numpy.array([13, 0.5, 4, 14, 35, 30, 13, 1.3, 0.5, 11], numpy.float32)
    values = numpy.random.default_rng(0).normal(size=(count, 10)).astype(numpy.float32) * spread + means
    ids = numpy.arange(count)
    (folder / "rows").mkdir()
    for part, places in enumerate(numpy.array_split(ids, PARTS)):
        columns = {name: values[places, index] for index, name in enumerate(FEATURES)}
        table = pyarrow.table({"id": places, **columns})
        pyarrow.parquet.write_table(table, folder / "rows" / f"part-{part:02}.parquet")
    numpy.savez(folder / "rows.npz", features=values)
    run("diabetes", f"@{folder / 'rows.npz'}", "--output", folder / "rows.csv")
    with open(folder / "rows.csv", encoding="utf-8", newline="") as file:
        found = [float(record["value"]) for record in csv.DictReader(file)]
    numpy.save(folder / "expected-rows.npy", numpy.array(found, numpy.float32))
    (folder / "rows.csv").unlink()


def make_images(folder: pathlib.Path, count: int) -> None:
    sources = sorted((ROOT / "Examples" / "Data" / "digits-training").rglob("*.png"))
    sources += sorted((ROOT / "Examples" / "Data" / "digits-held-out").rglob("*.png"))
    (folder / "images").mkdir()
    for index in range(count):
        shutil.copyfile(sources[index % len(sources)], folder / "images" / f"{index:05}.png")
    run("digits", folder / "images", "--output", folder / "images.ndjson", "--top", 3)
    expected = {}
    with open(folder / "images.ndjson", encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            expected[os.path.basename(record["input"])] = record["outputs"]["classification"]
    (folder / "expected-images.json").write_text(json.dumps(expected))
    (folder / "images.ndjson").unlink()
    # The same images as a table, for engines that would open 10,000 files one by one.
    names = sorted(expected)
    (folder / "image-rows").mkdir()
    for part, places in enumerate(numpy.array_split(numpy.arange(count), PARTS)):
        contents = [(folder / "images" / names[place]).read_bytes() for place in places]
        table = pyarrow.table({"name": [names[place] for place in places], "content": contents})
        pyarrow.parquet.write_table(table, folder / "image-rows" / f"part-{part:02}.parquet")


def run(bundle: str, *arguments: object) -> None:
    find()
    command = [executable(), "run", BUNDLES / f"{bundle}.tiobundle", *arguments, "--quiet"]
    subprocess.run([os.fspath(item) if isinstance(item, os.PathLike) else str(item) for item in command],
                   check=True, stdout=subprocess.DEVNULL)


def main() -> None:
    folder = pathlib.Path(sys.argv[1])
    sizes = [int(text) for text in sys.argv[2:]] + [1_000_000, 10_000][len(sys.argv) - 2:]
    marker = folder / "complete.json"
    if marker.exists() and json.loads(marker.read_text()) == sizes:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    make_rows(folder, sizes[0])
    make_images(folder, sizes[1])
    marker.write_text(json.dumps(sizes))


if __name__ == "__main__":
    main()
