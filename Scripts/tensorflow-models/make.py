"""Writes the bundles that the tests of the TensorFlow backend run. Usage: make.py FOLDER"""

import pathlib
import shutil
import sys

import predicting
import training
from fixture import Fixture

README = """\
# TensorFlow bundles for tests

Written by `Scripts/tensorflow-models/make-tensorflow-models`: graphs of a few operators, seeded, so
that running it again gives the same bytes. Each bundle has a `cases.json` with what TensorFlow's
Python package answered.

| key of `cases.json` | what it says |
|---|---|
| `counts`, `tolerance`, `cases` | as in `Tests/TensorIOConformanceTests/Cases`; a case may have `placeholders` to feed, a `picture` in the bundle, and `pixels` of an output that is one (to 1) |
| `batches` | several `items` in one call of a `mode`; each output as it comes for all of them, flat |
| `training` | `steps` from the saved weights on: the `items` of a batch, and the `outputs` fetched after its step with the same batch; `then`, in the same session, what other modes answer |

A number that JSON cannot hold is `"nan"`, `"inf"` or `"-inf"`.

| bundle | what it is |
|---|---|
"""


def main(root):
    shutil.rmtree(root, ignore_errors=True)
    rows = []
    for name, make in sorted((predicting.FIXTURES | training.FIXTURES).items()):
        details = " ".join(make.__doc__.split())
        fixture = Fixture(root / f"{name}.tiobundle", details)
        make(fixture)
        fixture.finish()
        rows.append(f"| `{name}` | {details} |\n")
        print(name, flush=True)
    (root / "README.md").write_text(README + "".join(rows))


main(pathlib.Path(sys.argv[1]))
