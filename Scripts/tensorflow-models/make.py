"""Writes the bundles that the tests of the TensorFlow backend run. Usage: make.py FOLDER"""

import pathlib
import shutil
import sys

import combining
import hostile
import predicting
import saved_models
import training
from fixture import Fixture, write_json

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

`cats-vs-dogs-graph` holds the folders `predict` and `train` for the original's published descriptions of
that name, and no description.

A number that JSON cannot hold is `"nan"`, `"inf"` or `"-inf"`.

| bundle | what it is |
|---|---|
"""


HOSTILE = """\
# SavedModels that mean ill, or are damaged

Written by `Scripts/tensorflow-models/make-tensorflow-models`. `refused.json` names those that are
refused unless they are trusted, with the operator that they are refused for; the others cannot be
loaded, or not run. `x` is fed with two numbers, `y` is fetched. What should never be written is
`TARGET`.

| folder | what it is |
|---|---|
"""


def make_bundles(root):
    rows = []
    for name, make in sorted((predicting.FIXTURES | combining.FIXTURES | training.FIXTURES).items()):
        details = " ".join(make.__doc__.split())
        fixture = Fixture(root / f"{name}.tiobundle", details)
        make(fixture)
        fixture.finish()
        rows.append(f"| `{name}` | {details} |\n")
        print(name, flush=True)
    (root / "README.md").write_text(README + "".join(rows))


def make_hostile(root):
    root.mkdir()
    rows = []
    for name, (make, _) in sorted(hostile.MODELS.items()):
        make(root / name)
        rows.append(f"| `{name}` | {' '.join(make.__doc__.split())} |\n")
        print(name, flush=True)
    write_json(root / "refused.json", {name: why for name, (_, why) in sorted(hostile.MODELS.items()) if why})
    (root / "README.md").write_text(HOSTILE.replace("TARGET", hostile.TARGET) + "".join(rows))


def main(root):
    shutil.rmtree(root, ignore_errors=True)
    make_bundles(root)
    # Without a model.json: the published ones belong over them.
    graphs = root / "cats-vs-dogs-graph"
    saved_models.write(graphs / "predict", {"serve": training.predict_cats_and_dogs})
    saved_models.write(graphs / "train", {"train": training.train_cats_and_dogs})
    make_hostile(root / "hostile")


main(pathlib.Path(sys.argv[1]))
