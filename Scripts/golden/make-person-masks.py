#!/usr/bin/env python3
"""Writes Tests/Fixtures/Poses/person-masks.json: the person that each cell of a grid belongs to, computed with NumPy.

    python3 Scripts/golden/make-person-masks.py

Each cell follows the long offsets of each keypoint three times, with linear interpolation between cells, and belongs to the
person with the smallest mean squared distance to its keypoints (PersonLab). Some keypoints are missing.
"""

import json
import pathlib

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures" / "Poses"
KEYPOINTS, STEPS = 17, 3


def interpolate(plane, y, x):
    top, left = np.floor(y).astype(int), np.floor(x).astype(int)
    bottom, right = np.minimum(top + 1, plane.shape[0] - 1), np.minimum(left + 1, plane.shape[1] - 1)
    v, u = y - top, x - left
    return ((1 - v) * ((1 - u) * plane[top, left] + u * plane[top, right])
            + v * ((1 - u) * plane[bottom, left] + u * plane[bottom, right]))


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    generator = np.random.default_rng(3)
    cases = []
    for height, width, count in ((6, 7, 3), (1, 4, 2), (5, 1, 1), (4, 9, 5)):
        stride = (16.0, 12.0)
        offsets = generator.normal(0, 25, (height, width, 2 * KEYPOINTS)).round(2)
        people = generator.uniform(0, 1, (count, KEYPOINTS, 2)) * [width - 1, height - 1]
        is_missing = generator.uniform(size=(count, KEYPOINTS)) < 0.2
        rows, columns = np.mgrid[:height, :width].astype(float)
        distances = np.zeros((count, height, width))
        for keypoint in range(KEYPOINTS):
            y, x = rows.copy(), columns.copy()
            for _ in range(STEPS):
                dy = interpolate(offsets[..., keypoint], y, x) / stride[1]
                dx = interpolate(offsets[..., KEYPOINTS + keypoint], y, x) / stride[0]
                y, x = np.clip(y + dy, 0, height - 1), np.clip(x + dx, 0, width - 1)
            squares = (x - people[:, keypoint, 0, None, None]) ** 2 + (y - people[:, keypoint, 1, None, None]) ** 2
            distances += np.where(is_missing[:, keypoint, None, None], 0, squares)
        distances /= (~is_missing).sum(axis=1)[:, None, None]
        ordered = np.sort(distances, axis=0)
        assert count == 1 or (ordered[1] - ordered[0]).min() > 1e-4, "a cell is between two people"
        cases.append({
            "height": height, "width": width, "strides": stride, "offsets": offsets.flatten().tolist(),
            "people": [[None if missing else point.tolist() for point, missing in zip(*person)]
                       for person in zip(people, is_missing)],
            "owners": distances.argmin(axis=0).flatten().tolist()})
    (FOLDER / "person-masks.json").write_text(json.dumps(cases) + "\n")


if __name__ == "__main__":
    main()
