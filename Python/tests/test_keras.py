"""Batches of default exports of Keras equal LiteRT's interpreter, which runs the items one at a time."""

import pathlib

import numpy
import pytest

import tensorio
from keras_networks import GOLDEN, Network
from tensorio._scoring import scoring

COUNTS = (1, 2, 3, 8, 100)


@pytest.mark.parametrize("name", sorted(GOLDEN))
def test_a_batch_equals_single_items(name: str, tmp_path: pathlib.Path) -> None:
    network = Network(name, tmp_path)
    with tensorio.Model(network.path, sessions=1) as model:
        for count in COUNTS:
            network.check(model.batch(network.inputs(count)), count)


@pytest.mark.parametrize("name", sorted(name for name in GOLDEN if name.endswith((".float32", ".int8"))))
def test_a_scorer_equals_single_items(name: str, tmp_path: pathlib.Path) -> None:
    """The scorer of Ray, Spark, Dask and Arrow."""
    network = Network(name, tmp_path)
    scorer = scoring(str(network.path)).open()
    for count in COUNTS:
        table = scorer.score(network.inputs(count))
        assert table.column("error").null_count == count
        names = [column for column in table.column_names if column.startswith("y")]
        outputs = {column: [numpy.ravel(value) for value in table.column(column).to_pylist()] for column in names}
        network.check(outputs, count)
