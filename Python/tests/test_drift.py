"""Drift from the data of an evaluation, and what results depend on."""

from __future__ import annotations

import pathlib
import shutil

import pytest

import tensorio
from conftest import BUNDLES, ROOT

DIGITS = BUNDLES / "digits.tiobundle"
HELD_OUT = ROOT / "Examples/Data/digits-held-out"


def test_data_that_changes_is_reported(tmp_path: pathlib.Path) -> None:
    bundle = tmp_path / "digits.tiobundle"
    shutil.copytree(DIGITS, bundle)
    with pytest.raises(tensorio.CommandError, match="no reference"):
        tensorio.drift(bundle, HELD_OUT)
    tensorio.evaluate(bundle, HELD_OUT, reference=True)
    assert tensorio.drift(bundle, HELD_OUT).drift == "none"
    report = tensorio.drift(bundle, HELD_OUT / "3")
    assert report.drift == "much" and report.alerts == ["classification class"]


def test_the_pixels_of_a_digit_are_drawn(tmp_path: pathlib.Path) -> None:
    drawing = tmp_path / "explained.png"
    report = tensorio.explain(DIGITS, HELD_OUT / "3/013.png", output=drawing)
    assert report.target == "3" and report.method == "occlusion"
    assert drawing.stat().st_size > 100 and len(report.importance) <= 64
