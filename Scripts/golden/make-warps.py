#!/usr/bin/env python3
"""Writes Tests/Fixtures/Warps: images of Tests/Fixtures/Images, warped by Pillow and whitened by NumPy.

Run it after make-golden.py, in the same environment.
"""

import json
import math
import pathlib
import shutil

import numpy as np
from PIL import Image

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures"
SOURCES = FIXTURES / "Images" / "Sources"
WARPS = FIXTURES / "Warps"


def similarity(degrees, scale, tx, ty):
    """Returns the transform from the image to the frame, as x' = a x + c y + tx and y' = b x + d y + ty."""
    turn = math.radians(degrees)
    a, b = scale * math.cos(turn), scale * math.sin(turn)
    return [a, b, -b, a, tx, ty]


# Where the picture goes, and the frame that shows it.
CASES = [
    ("hard-edges", similarity(0, 1, 0, 0), 37, 23), ("hard-edges", similarity(0, 1, 0.5, 0.25), 37, 23),
    ("hard-edges", similarity(30, 1.3, 10, -4), 40, 40), ("noise", similarity(-20, 2.5, 3, 8), 32, 24),
    ("china", similarity(12, 0.9, 5, 2), 64, 48), ("noise", [1.5, 0.2, -0.4, 0.8, 2, 1], 20, 16)]


def inverse(numbers):
    a, b, c, d, tx, ty = numbers
    back = np.linalg.inv(np.array([[a, c, tx], [b, d, ty], [0, 0, 1]]))
    return back[:2].flatten().tolist()


def main():
    shutil.rmtree(WARPS, ignore_errors=True)
    WARPS.mkdir(parents=True)
    cases = []
    for number, (source, numbers, width, height) in enumerate(CASES):
        path = next(SOURCES.glob(f"{source}.*"))
        picture = Image.open(path).convert("RGB")
        warped = picture.transform(
            (width, height), Image.Transform.AFFINE, inverse(numbers), Image.Resampling.BILINEAR)
        warped.save(WARPS / f"{number}.png")
        pixels = np.asarray(warped, dtype=np.float64)
        white = (pixels - pixels.mean()) / max(pixels.std(), 1 / math.sqrt(pixels.size))
        cases.append({
            "source": path.name, "map": numbers, "width": width, "height": height,
            "warped": f"{number}.png", "whitened": white.flatten()[:: pixels.size // 24].round(6).tolist()})
    (WARPS / "warps.json").write_text(json.dumps(cases, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
