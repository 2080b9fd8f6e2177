#!/usr/bin/env python3
"""Scripts/check/parts/arm64/check_wheel.py BUNDLES: uses the installed package as a program would: opens, runs and trains example bundles."""

import glob
import os
import platform
import subprocess
import sys

import numpy

import tensorio
from tensorio._commands import executable

bundles = sys.argv[1]
assert platform.machine() == "aarch64", platform.machine()

path = os.path.join(bundles, "digits.tiobundle")
digits = tensorio.Model(path)
names = sorted(glob.glob(os.path.join(glob.escape(path), "samples", "*.png")))
assert names
for name, result in zip(names, digits.map(names, workers=2), strict=True):
    assert result.label == os.path.basename(name)[0], (name, result.label)
print(f"{len(names)} images of digits")

diabetes = tensorio.Model(os.path.join(bundles, "diabetes.tiobundle"))
rows = numpy.random.default_rng(1).normal(size=(1000, 10)).astype(numpy.float32) / 20
(together,) = diabetes.batch(rows).values()
for row, value in zip(rows, together, strict=True):
    assert numpy.allclose(diabetes(row).array, value, rtol=1e-6)
print("1000 rows, together and one by one")

trainer = tensorio.Trainer(os.path.join(bundles, "digits-trainable-tflite.tiobundle"))
labels = numpy.arange(32) % 10
images = numpy.random.default_rng(7).integers(0, 40, (32, 8, 8)).astype(numpy.uint8)
for image, label in zip(images, labels):
    image[label % 8, :] = 220
losses = [trainer.step({"image": images, "labels": labels})["loss"] for _ in range(21)]
assert losses[-1] < losses[0] / 2, losses
print(f"21 training steps: loss {losses[0]:.3f} to {losses[-1]:.3f}")

shapes = os.path.join(bundles, "shape-detector.tiobundle")
drawing = tensorio.Model(shapes)(os.path.join(shapes, "samples", "1.jpg")).draw()
with open("/proc/self/maps", encoding="utf-8") as file:
    assert "libtensorio-optional.so" in file.read()
print(f"{drawing!r} with the libraries of the wheel")

# `python -m tensorio` executes this program; the kernel cannot start it without the emulator.
shown = subprocess.run(
    [*os.environ["EMULATOR"].split("\n"), executable(), "run", path, names[0]],
    capture_output=True, text=True, timeout=300, check=True)
assert os.path.basename(names[0])[0] in shown.stdout, shown.stdout
print("tensorio run")
