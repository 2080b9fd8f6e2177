#!/usr/bin/env python3
"""Writes Tests/Fixtures/Regions: turned regions around objects, by the formulas of MediaPipe, computed with NumPy.

    python3 Scripts/golden/make-regions.py

`regions.json` has boxes and keypoints in pixels, the settings of a region, and points of the region's image with the points
of the image that they show. `warped.json` has a small image and a region of it, sampled between pixel centers; the colors of
the edge continue beyond it.
"""

import json
import math
import pathlib

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures" / "Regions"
# Face mesh, hand, iris, and an upright region.
SETTINGS = [
    {"size": 192, "rotate": [0, 1], "angle": 0, "scale": 1.5, "shift": [0, 0]},
    {"size": 224, "rotate": [0, 2], "angle": 90, "scale": 2.6, "shift": [0, -0.5]},
    {"size": 64, "rotate": [1, 3], "angle": 0, "scale": 2.3, "shift": [0, 0], "keypoints": [1, 3], "mirror": True},
    {"size": 100, "scale": 1, "shift": [0.25, 0.1]},
]


def rectangle(box, points, settings, width, height):
    """DetectionsToRects and RectTransformation: the center, sides and rotation of a region, in shares of the image."""
    if "keypoints" in settings:
        chosen = points[settings["keypoints"]]
        box = [*chosen.min(axis=0), *chosen.max(axis=0)]
    left, top, right, bottom = np.array(box) / [width, height, width, height]
    rotation = 0.0
    if "rotate" in settings:
        (x0, y0), (x1, y1) = points[settings["rotate"]]
        rotation = math.radians(settings["angle"]) - math.atan2(-(y1 - y0), x1 - x0)
        rotation -= 2 * math.pi * math.floor((rotation + math.pi) / (2 * math.pi))
    x, y, w, h = (left + right) / 2, (top + bottom) / 2, right - left, bottom - top
    shift_x, shift_y = settings["shift"]
    if rotation == 0:
        x, y = x + w * shift_x, y + h * shift_y
    else:
        cosine, sine = math.cos(rotation), math.sin(rotation)
        x += (width * w * shift_x * cosine - height * h * shift_y * sine) / width
        y += (width * w * shift_x * sine + height * h * shift_y * cosine) / height
    longer = max(w * width, h * height)
    return x, y, longer / width * settings["scale"], longer / height * settings["scale"], rotation


def matrix(settings, rect, width, height):
    """The matrix of ImageToTensor, from shares of the region to shares of the image."""
    x, y, w, h, rotation = rect
    a, b = w * width, h * height
    flip = -1 if settings.get("mirror") else 1
    c, d, e, f = math.cos(rotation), math.sin(rotation), x * width, y * height
    return np.array([
        [a * c * flip / width, -b * d / width, (-0.5 * a * c * flip + 0.5 * b * d + e) / width],
        [a * d * flip / height, b * c / height, (-0.5 * b * c - 0.5 * a * d * flip + f) / height],
    ])


def sample(image, points):
    """Bilinear values of a gray image at points, whose pixels are at (x + 0.5, y + 0.5)."""
    height, width = image.shape
    x, y = np.clip(points[:, 0], 0, width) - 0.5, np.clip(points[:, 1], 0, height) - 0.5
    left, top = np.floor(x), np.floor(y)
    column = lambda value: np.clip(value, 0, width - 1).astype(int)
    row = lambda value: np.clip(value, 0, height - 1).astype(int)
    upper = image[row(top), column(left)] * (1 - (x - left)) + image[row(top), column(left + 1)] * (x - left)
    lower = image[row(top + 1), column(left)] * (1 - (x - left)) + image[row(top + 1), column(left + 1)] * (x - left)
    return upper * (1 - (y - top)) + lower * (y - top)


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(11)
    cases = []
    for number in range(40):
        settings = SETTINGS[number % len(SETTINGS)]
        width, height = (int(side) for side in generator.integers(100, 1000, 2))
        corners = np.sort(generator.uniform(0, 1, (2, 2)), axis=0) * [width, height]
        points = generator.uniform(-0.1, 1.1, (4, 2)) * [width, height]
        box = corners.flatten().tolist()
        transform = matrix(settings, rectangle(box, points, settings, width, height), width, height)
        inside = generator.uniform(0, 1, (4, 2))
        shown = (np.c_[inside, np.ones(4)] @ transform.T) * [width, height]
        cases.append({
            "settings": settings, "box": box, "points": points.tolist(),
            "inside": (inside * settings["size"]).tolist(), "shown": shown.tolist()})
    (FOLDER / "regions.json").write_text(json.dumps(cases) + "\n")

    settings = {**SETTINGS[0], "size": 12}
    image = generator.integers(0, 256, (9, 11)).astype(float)
    points = np.array([[3.0, 5.0], [7.0, 3.5], [0, 0], [0, 0]])
    box = [2.0, 2.0, 9.0, 7.0]
    transform = matrix(settings, rectangle(box, points, settings, 11, 9), 11, 9)
    centers = (np.stack(np.meshgrid(np.arange(12), np.arange(12)), axis=-1).reshape(-1, 2) + 0.5) / 12
    shown = (np.c_[centers, np.ones(len(centers))] @ transform.T) * [11, 9]
    (FOLDER / "warped.json").write_text(json.dumps({
        "settings": settings, "box": box, "points": points.tolist(), "width": 11, "height": 9,
        "image": image.flatten().astype(int).tolist(), "values": sample(image, shown).tolist()}) + "\n")


if __name__ == "__main__":
    main()
