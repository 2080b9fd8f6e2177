"""generate.py FOLDER: generates random cases for every metric with the results of reference libraries.

Every public function of a family module generates the cases of one file, FOLDER/FAMILY/NAME.json, from
its own seeded generator. To add a case, add a function.
"""

import importlib
import inspect
import json
import pathlib
import sys
import warnings
import zlib

import numpy as np

FAMILIES = [
    "classification", "curves", "detection", "segmentation", "deviation", "latency", "keypoints", "masks", "boundaries",
    "outlines", "answers", "entities", "heads", "poses",
]


def plain(value):
    """Converts a value to JSON types; infinities and NaN become null."""
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value


def generators(family):
    module = importlib.import_module(family)
    for name, function in inspect.getmembers(module, inspect.isfunction):
        if function.__module__ == family and not name.startswith("_"):
            yield name.replace("_", "-"), function


def main(folder):
    warnings.simplefilter("ignore")  # some cases have undefined metrics on purpose
    files, count = 0, 0
    for family in FAMILIES:
        target = pathlib.Path(folder, family)
        target.mkdir(parents=True, exist_ok=True)
        for name, generate in generators(family):
            cases = generate(np.random.default_rng(zlib.crc32(f"{family}/{name}".encode())))
            (target / f"{name}.json").write_text(json.dumps(plain(cases), allow_nan=False))
            files, count = files + 1, count + len(cases)
    print(f"metric references: {count} cases in {files} files", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])
