"""The Python package: python_package.py rows|image, from the folder of the project."""

import sys

import numpy

import tensorio

from measuring import arguments, measure

given = arguments("work", description=__doc__)
bundles = "Examples/Bundles/"
if given.work == "rows":
    model = tensorio.Model(bundles + "diabetes.tiobundle")
    rows = (numpy.arange(20_000)[:, None] * 7 + numpy.arange(10)) % 100 / numpy.float32(1_000)
    work = {"rows": lambda: model.batch(rows)}
elif given.work == "image":
    model = tensorio.Model(bundles + "shape-detector.tiobundle")
    work = {"image": lambda: model(bundles + "shape-detector.tiobundle/samples/1.jpg").tensors}
else:
    sys.exit(f"error: '{given.work}' is not rows or image")
measure("python_package", given.work, given, work)
