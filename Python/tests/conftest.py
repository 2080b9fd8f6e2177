import os
import pathlib
import warnings

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


@pytest.fixture(scope="session")
def strings() -> tensorio.Model:
    """A classifier of scikit-learn, whose inputs and label are strings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tensorio.ModelWarning)
        try:
            return tensorio.Model(ROOT / "Tests" / "Fixtures" / "ONNX" / "pipeline-strings.onnx")
        except tensorio.RuntimeMissing:
            pytest.skip("ONNX Runtime is not installed")
