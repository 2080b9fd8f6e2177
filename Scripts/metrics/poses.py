"""References for the raw poses of YOLO models: decoding and suppression in NumPy.

Each file has random tensors of one format, as float32 numbers in Base64, with the poses in them: the score, the
edges of the box, and x, y and the score of each keypoint, in pixels of an image of the model's size.
"""

import base64

import numpy as np

_COUNT = 1000
_SIDE = 64
_THRESHOLD = 0.25


def _cases(task, make):
    cases = []
    while len(cases) < _COUNT:
        values, poses = make()
        scores = np.array([pose[0] for pose in poses])
        # Rounding changes neither the order of the poses nor which ones there are.
        if (np.abs(np.diff(scores)) < 1e-6).any() or (np.abs(scores - _THRESHOLD) < 1e-6).any():
            continue
        data = np.ascontiguousarray(values, "<f4").tobytes()
        cases.append({"keypoints": base64.b64encode(data).decode(), "poses": poses})
    return [{"side": _SIDE, "task": task, "shape": [1, *values.shape], "tensors": cases}]


def _drawn(rng, count, keypoints, length, classes):
    """Returns centers and sizes of boxes, scores of classes, and the numbers of keypoints."""
    centers = rng.choice(rng.random((3, 2)) * _SIDE, count) + rng.normal(0, 4, (count, 2))
    boxes = np.concatenate([centers, rng.uniform(4, 40, (count, 2))], 1).astype(np.float32)
    points = rng.uniform(-8, _SIDE + 8, (count, keypoints, length)).astype(np.float32)
    if length == 3:
        points[..., 2] = rng.random((count, keypoints))
    return boxes, (rng.random((count, classes)) ** 2).astype(np.float32), points


def _edges(boxes):
    boxes = boxes.astype(np.float64)
    return np.concatenate([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2], 1)


def _pose(score, edges, points, scale=1.0):
    points = points.astype(np.float64)
    if points.shape[1] == 2:
        points = np.column_stack([points, np.ones(len(points))])
    points = points * [scale, scale, 1]
    return [float(score), *(edges * scale).tolist(), *points.ravel().tolist()]


def _overlap(box, other):
    sides = np.maximum(np.minimum(box[2:], other[2:]) - np.maximum(box[:2], other[:2]), 0)
    shared = sides.prod()
    return shared / ((box[2:] - box[:2]).prod() + (other[2:] - other[:2]).prod() - shared)


def _dense(rng, task, keypoints, length, classes, iou, is_transposed=False, scale=1):
    def make():
        boxes, scores, points = _drawn(rng, 24, keypoints, length, classes)
        boxes, points = boxes / np.float32(scale), points.copy()
        points[..., :2] /= np.float32(scale)
        edges, best, kinds = _edges(boxes), scores.max(1), scores.argmax(1)
        kept = []
        for row in np.argsort(-best, kind="stable"):
            if best[row] >= _THRESHOLD and not any(
                    kinds[row] == kinds[other] and _overlap(edges[row], edges[other]) > iou for other in kept):
                kept.append(row)
        values = np.concatenate([boxes, scores, points.reshape(len(points), -1)], 1)
        return values if is_transposed else values.T, [
            _pose(best[row], edges[row], points[row], scale) for row in kept]

    return _cases(task, make)


def _names(count):
    return "[" + ", ".join(f'"k{number}"' for number in range(count)) + "]"


def yolov8(rng):
    return _dense(rng, '{"type": "pose", "format": "yolov8", "iou": 0.7}', 17, 3, 1, 0.7)


def yolov8_in_rows(rng):
    return _dense(
        rng, '{"type": "pose", "format": "yolov8", "coordinates": "normalized"}', 17, 3, 1, 0.45, True, _SIDE)


def yolov8_of_several_classes(rng):
    return _dense(
        rng, f'{{"type": "pose", "format": "yolov8", "keypoints": {_names(4)}}}', 4, 3, 3, 0.45)


def yolov8_without_scores_of_keypoints(rng):
    return _dense(
        rng, f'{{"type": "pose", "format": "yolov8", "keypoints": {_names(5)}}}', 5, 2, 1, 0.45)


def yolov10(rng):
    def make():
        boxes, scores, points = _drawn(rng, 20, 17, 3, 1)
        edges, best = _edges(boxes).astype(np.float32), scores[:, 0]
        values = np.column_stack([edges, best, np.zeros(len(best)), points.reshape(len(points), -1)])
        order = [row for row in np.argsort(-best, kind="stable") if best[row] >= _THRESHOLD]
        return values, [_pose(best[row], edges[row].astype(np.float64), points[row]) for row in order]

    return _cases('{"type": "pose", "format": "yolov10"}', make)
