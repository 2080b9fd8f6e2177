#!/usr/bin/env python3
"""Writes Tests/Fixtures/Tracking/scene.json: detections of a synthetic scene, with the objects that ByteTrack finds.

The reference is the implementation of ByteTrack in supervision 0.25.1. Run it with Python 3.11 and
`pip install supervision==0.25.1 numpy==2.4.6 scipy==1.17.1`.

Objects move, cross, are hidden, and are detected with changing scores. Each frame is a list of
[xmin, ymin, xmax, ymax, score, object]; the object is 0 for detections without one. Objects are numbered in the
order of their first confirmed detection.
"""

import json
import math
import pathlib

import numpy as np
from supervision.tracker.byte_tracker import core

TARGET = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures" / "Tracking" / "scene.json"
HIGH_THRESHOLD = 0.5
FRAMES, OBJECTS, SIZE = 120, 14, (640, 360)


def scene(rng):
    """Returns the detections of each frame, whose scores are unique in a frame."""
    starts = rng.uniform((0, 0), SIZE, (OBJECTS, 2))
    speeds = rng.uniform(-4, 4, (OBJECTS, 2))
    sizes = rng.uniform(30, 80, (OBJECTS, 2))
    appears = rng.integers(0, 40, OBJECTS) * (rng.random(OBJECTS) < 0.6)
    hidden = [(int(rng.integers(20, 90)), int(rng.integers(3, 45))) for _ in range(OBJECTS)]
    frames = []
    for frame in range(FRAMES):
        rows = []
        for index in range(OBJECTS):
            start, count = hidden[index]
            if frame < appears[index] or start <= frame < start + count or rng.random() < 0.04:
                continue
            center = starts[index] + speeds[index] * frame + 10 * math.sin(frame / 9 + index)
            center = np.abs((center + SIZE) % (2 * np.array(SIZE)) - SIZE)  # turns around at the edges
            size = sizes[index] * (1 + 0.2 * math.sin(frame / 25 + index)) + rng.normal(0, 1, 2)
            center = center + rng.normal(0, 1, 2)
            score = np.clip(0.55 + 0.3 * math.sin(frame / 7 + 2 * index) + rng.normal(0, 0.08), 0.03, 0.99)
            rows.append([*(center - size / 2), *(center + size / 2), score])
        for _ in range(rng.poisson(0.3)):  # false detections
            corner = rng.uniform((0, 0), SIZE)
            rows.append([*corner, *(corner + rng.uniform(20, 60, 2)), rng.uniform(0.05, 0.8)])
        rows = [[*(round(float(edge), 1) for edge in row[:4]), round(float(row[4]), 4)] for row in rows]
        unique = {row[4]: row for row in rows}
        frames.append(list(unique.values()))
    return frames


def objects(frames):
    """Returns the object of each detection; 0 for none."""
    tracker = core.ByteTrack(
        track_activation_threshold=HIGH_THRESHOLD, lost_track_buffer=30, minimum_matching_threshold=0.8,
        frame_rate=30, minimum_consecutive_frames=1)
    numbers, result = {}, []
    for rows in frames:
        tensors = np.array(rows, dtype=np.float64).reshape(-1, 5)
        # A track has the score of the detection that it was matched with.
        found = {round(float(track.score), 4): track.external_track_id
                 for track in tracker.update_with_tensors(tensors)}
        frame = [found.get(row[4], 0) for row in rows]
        for number in frame:
            if number:
                numbers.setdefault(number, len(numbers) + 1)
        result.append([numbers.get(number, 0) for number in frame])
    return result


def main():
    frames = scene(np.random.default_rng(22))
    found = objects(frames)
    rows = ["[" + ", ".join(json.dumps([*row, number]) for row, number in zip(*frame)) + "]"
            for frame in zip(frames, found)]
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text("[\n" + ",\n".join(rows) + "\n]\n", encoding="utf-8")
    print(max(max(frame, default=0) for frame in found), "objects")


if __name__ == "__main__":
    main()
