import os
import pathlib

import pytest

import tensorio

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUNDLES = ROOT / "Examples" / "Bundles"


@pytest.fixture(scope="session")
def diabetes() -> tensorio.Model:
    return tensorio.Model(BUNDLES / "diabetes.tiobundle")


@pytest.fixture(scope="session")
def digits() -> tensorio.Model:
    return tensorio.Model(BUNDLES / "digits.tiobundle")


@pytest.fixture(scope="session")
def digit() -> str:
    return os.fspath(sorted((BUNDLES / "digits.tiobundle" / "samples").glob("*.png"))[0])
