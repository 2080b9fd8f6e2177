"""A flavor of MLflow: log, save and load bundles.

>>> import tensorio.mlflow  # doctest: +SKIP
>>> info = tensorio.mlflow.log_model("digits.tiobundle", name="digits")  # doctest: +SKIP
>>> model = tensorio.mlflow.load_model(info.model_uri)  # doctest: +SKIP

A saved model contains the bundle and a pyfunc flavor, so that ``mlflow models predict`` and ``serve``,
``mlflow.pyfunc.load_model`` and ``spark_udf`` run it on tables. MLflow is not a dependency of this package.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING, Any

from . import __version__
from ._errors import InputError
from ._model import Model
from ._values import Layer

if TYPE_CHECKING:
    import numpy

FLAVOR = "tensorio"


def signature(model: Model) -> Any:
    """Returns the signature of a model for MLflow.

    The columns are the features of a single numeric input, otherwise the inputs: numbers, arrays of numbers,
    text, and images and sounds as bytes (in JSON, as Base64).
    """
    types: Any = importlib.import_module("mlflow.types.schema")
    models: Any = importlib.import_module("mlflow.models")

    def column(layer: Layer) -> Any:
        if layer.type in ("image", "audio"):
            return types.ColSpec(types.DataType.binary, layer.name)
        if layer.type in ("string", "text"):
            return types.ColSpec(types.DataType.string, layer.name)
        is_one = all(size == 1 for size in layer.shape)
        return types.ColSpec(number if is_one else types.Array(types.DataType.double), layer.name)

    # A column of doubles would reject integers of 64 bits; the model itself accepts those that it represents
    # exactly, and reports other values by row.
    number = types.AnyType() if hasattr(types, "AnyType") else types.DataType.double

    features = model.inputs[0].features if len(model.inputs) == 1 else []
    columns = (
        [types.ColSpec(number, name) for name in features] if features
        else [column(layer) for layer in model.inputs])
    return models.ModelSignature(inputs=types.Schema(columns))


def save_model(
    bundle: str | os.PathLike[str], path: str | os.PathLike[str], *, mlflow_model: Any = None,
    pip_requirements: list[str] | None = None, **options: Any,
) -> None:
    """Saves a bundle as a model of MLflow.

    Args:
        bundle: The path of a bundle, as a folder or zip.
        path: The folder to write.
        mlflow_model: The ``mlflow.models.Model`` to add the flavor to.
        pip_requirements: The packages that run the model; by default this version of `tensorio-runtime` and the
            package of the bundle's runtime.
        options: Other arguments of ``mlflow.pyfunc.save_model``, such as ``signature``, ``metadata`` and
            ``input_example``.
    """
    pyfunc: Any = importlib.import_module("mlflow.pyfunc")
    models: Any = importlib.import_module("mlflow.models")
    with Model(bundle) as model:
        name = os.path.basename(os.path.abspath(os.fspath(bundle)))
        target = mlflow_model if mlflow_model is not None else models.Model()
        target.add_flavor(
            FLAVOR, bundle=f"data/{name}", tensorio_version=__version__, id=model.id,
            version=model.version, digest=model.digest)
        options.setdefault("signature", signature(model))
        requirements = pip_requirements or [f"tensorio-runtime=={__version__}", *_runtime(model)]
    pyfunc.save_model(
        path=os.fspath(path), loader_module="tensorio.mlflow", data_path=os.path.abspath(bundle),
        mlflow_model=target, pip_requirements=requirements, **options)


def log_model(bundle: str | os.PathLike[str], name: str, **options: Any) -> Any:
    """Logs a bundle in the active run, and returns MLflow's ``ModelInfo``.

    Args:
        bundle: The path of a bundle, as a folder or zip.
        name: The name of the model.
        options: Arguments of ``mlflow.models.Model.log``, such as ``registered_model_name``, and of
            `save_model`.
    """
    models: Any = importlib.import_module("mlflow.models")
    return models.Model.log(
        artifact_path=None, name=name, flavor=importlib.import_module(__name__), bundle=os.path.abspath(bundle),
        **options)


def load_model(model_uri: str, dst_path: str | None = None, **options: Any) -> Model:
    """Opens a model that was logged or saved.

    Args:
        model_uri: A location of MLflow, such as ``models:/digits/1``, ``runs:/…`` or a path.
        dst_path: A folder for files that are downloaded.
        options: Arguments of `tensorio.Model`.
    """
    artifacts: Any = importlib.import_module("mlflow.artifacts")
    models: Any = importlib.import_module("mlflow.models")
    folder = artifacts.download_artifacts(artifact_uri=model_uri, dst_path=dst_path)
    flavors = models.Model.load(folder).flavors
    if FLAVOR not in flavors:
        raise InputError(
            f"{model_uri} has no flavor '{FLAVOR}'; it has {', '.join(flavors)}", "wrong-type", "input")
    return Model(os.path.join(folder, flavors[FLAVOR]["bundle"]), **options)


def _runtime(model: Model) -> list[str]:
    """Returns the package with the runtime of a model, unless this package depends on it."""
    extra = {"tensorflow": "tensorflow", "onnx": "onnxruntime"}.get(model.backend)
    return [extra] if extra is not None else []


def _load_pyfunc(path: str, model_config: dict[str, Any] | None = None) -> _Pyfunc:
    """Opens a bundle for ``mlflow.pyfunc``."""
    return _Pyfunc(Model(path, **(model_config or {})))


class _Pyfunc:
    """A model with the interface of ``mlflow.pyfunc``."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def get_raw_model(self) -> Model:
        """Returns the model."""
        return self.model

    def predict(self, values: Any, params: dict[str, Any] | None = None) -> Any:
        """Runs the model on the rows of a table or the items of an array, and returns a DataFrame."""
        pandas: Any = importlib.import_module("pandas")
        if isinstance(values, dict):
            values = {name: _column(value) for name, value in values.items()}
        elif not hasattr(values, "columns"):
            values = {self.model.inputs[0].name: list(values)}
        table = self.model.predict(values)
        return table if hasattr(table, "columns") else pandas.DataFrame(table)


def _column(value: Any) -> list[Any] | numpy.ndarray[Any, Any]:
    """Returns the value of an input as a column, which is one item if it is not a list."""
    return value if hasattr(value, "__len__") and not isinstance(value, (str, bytes)) else [value]
