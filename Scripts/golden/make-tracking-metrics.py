#!/usr/bin/env python3
"""Writes Tests/Fixtures/Tracking/metrics.json: random tracks with the metrics of motmetrics.

Run it with Python 3.11 and `pip install motmetrics==1.4.0 numpy==2.4.6 scipy==1.17.1 pandas==3.1.1`.

Each frame has the boxes [id, xmin, ymin, xmax, ymax] of the ground truth and of the predictions.
"""

import json
import pathlib

import motmetrics
import numpy as np

TARGET = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures" / "Tracking" / "metrics.json"
NAMES = {"mota": "mota", "motp": "motp", "idf1": "idf1", "idp": "idp", "idr": "idr", "num_switches": "id_switches",
         "num_misses": "misses", "num_false_positives": "false_positives"}


def distances(ground_truth, predictions):
    """Returns 1 minus the intersection over union; NaN below an intersection over union of 0.5."""
    result = np.full((len(ground_truth), len(predictions)), np.nan)
    for row, (_, *a) in enumerate(ground_truth):
        for column, (_, *b) in enumerate(predictions):
            width = min(a[2], b[2]) - max(a[0], b[0])
            height = min(a[3], b[3]) - max(a[1], b[1])
            shared = max(0, width) * max(0, height)
            overlap = shared / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - shared)
            if overlap >= 0.5:
                result[row, column] = 1 - overlap
    return result


def sequence(rng, objects, frames, size):
    positions = rng.random((objects, 2)) * size
    speeds = rng.normal(0, 2, (objects, 2))
    names = np.arange(1, objects + 1)
    result = []
    for _ in range(frames):
        positions = positions + speeds
        if rng.random() < 0.3:  # exchanges two predicted objects, or gives one a new number
            first, second = rng.integers(0, objects, 2)
            names[[first, second]] = names[[second, first]]
            if rng.random() < 0.5:
                names[first] = names.max() + 1
        truth, found = [], []
        for index in range(objects):
            box = np.round([*positions[index], *(positions[index] + 20)], 1)
            if rng.random() < 0.9:
                truth.append([index + 1, *box.tolist()])
            if rng.random() < 0.85:
                moved = np.round(box + np.tile(rng.normal(0, 2.5, 2), 2), 1)
                found.append([int(names[index]), *moved.tolist()])
        order = rng.permutation(len(found))
        result.append({"ground_truth": truth, "predictions": [found[each] for each in order]})
    return result


def case(frames):
    accumulator = motmetrics.MOTAccumulator(auto_id=True)
    for frame in frames:
        truth, found = frame["ground_truth"], frame["predictions"]
        accumulator.update([each[0] for each in truth], [each[0] for each in found], distances(truth, found))
    summary = motmetrics.metrics.create().compute(accumulator, metrics=list(NAMES), name="all")
    values = {name: float(summary[key].iloc[0]) for key, name in NAMES.items()}
    return {"frames": frames, "metrics": {name: value for name, value in values.items() if np.isfinite(value)}}


def main():
    rng = np.random.default_rng(5)
    cases = [case(sequence(rng, objects, frames, size))
             for objects, frames, size in [(1, 6, 50), (3, 15, 60), (5, 12, 50), (6, 12, 200), (8, 10, 60)]]
    TARGET.write_text("[\n" + ",\n".join(map(json.dumps, cases)) + "\n]\n", encoding="utf-8")


if __name__ == "__main__":
    main()
