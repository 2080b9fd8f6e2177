"""References for the raw heads of detectors: decoding, suppression and clipping in NumPy.

Each file has random tensors of one head with the detections in them. Tensors are float32 numbers as
Base64; a detection is the class, the score and the left, top, right and bottom edge in pixels of an image
of the model's size, followed by the corners of a rotated box.
"""

import base64

import numpy as np

_COUNT = 1000
_SIDE = 64
_CLASSES = 4
_THRESHOLD = 0.25
_MOST = 300
_LABELS = [f"label {number}" for number in range(_CLASSES)]


def _encoded(values):
    return base64.b64encode(np.ascontiguousarray(values, "<f4").tobytes()).decode()


def _sigmoid(values):
    return 1 / (1 + np.exp(-values.astype(np.float64)))


def _corners(boxes):
    """Returns the edges of boxes that are given by center and size."""
    return np.concatenate([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2], 1)


def _overlap(box, others):
    sides = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
    shared = np.prod(np.maximum(sides, 0), axis=1)
    areas = [np.prod(np.maximum(each[..., 2:] - each[..., :2], 0), axis=-1) for each in (box, others)]
    union = areas[0] + areas[1] - shared
    return np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)


def _suppressed(boxes, classes, scores, iou, kind="per-class"):
    """Returns rows of class, score and edges, best first."""
    order = np.argsort(-scores, kind="stable")
    rows = []
    while len(order) and len(rows) < _MOST:
        best = order[0]
        if iou is None:
            group = order[:1]
        else:
            similar = _overlap(boxes[best], boxes[order]) > iou
            if kind != "class-agnostic":
                similar &= classes[order] == classes[best]
            similar[0] = True
            group = order[similar]
        weights = scores[group] if kind == "weighted" else np.eye(len(group))[0]
        box = (boxes[group] * weights[:, None]).sum(0) / weights.sum()
        box = np.clip(box, 0, _SIDE)
        if box[2] > box[0] and box[3] > box[1]:
            rows.append([int(classes[best]), float(scores[best]), *box.tolist()])
        order = np.setdiff1d(order, group, assume_unique=True) if iou is not None else order[1:]
        order = order[np.argsort(-scores[order], kind="stable")]
    return rows


def _found(boxes, probabilities, iou, first=0, kind="per-class"):
    """Returns the detections of boxes with a probability per class."""
    classes, scores = probabilities.argmax(1) + first, probabilities.max(1)
    likely = scores >= _THRESHOLD
    return _suppressed(boxes[likely].astype(np.float64), classes[likely], scores[likely], iou, kind)


def _tensors(task, make):
    """Returns the cases of a head; `make` returns the tensors by role, and the detections."""
    cases = []
    while len(cases) < _COUNT:
        tensors, detections = make()
        if _is_clear(detections):
            cases.append({role: _encoded(values) for role, values in tensors.items()} | {"detections": detections})
    shapes = {role: [1, *values.shape] for role, values in tensors.items()}
    return [{"side": _SIDE, "labels": _LABELS, "task": task, "shapes": shapes, "tensors": cases}]


def _is_clear(detections):
    """Whether rounding changes neither the order of the detections nor which ones there are."""
    scores = np.array([each[1] for each in detections])
    return not (np.abs(np.diff(scores)) < 1e-6).any() and not (np.abs(scores - _THRESHOLD) < 1e-6).any()


def _scores(rng, *shape):
    """Returns float32 probabilities, most of which are small."""
    return (rng.random(shape) ** 4).astype(np.float32)


def _boxes(rng, rows):
    """Returns centers and sizes in pixels: some are near to others, and some reach beyond the image."""
    centers = rng.choice(rng.random((3, 2)) * _SIDE, rows) + rng.normal(0, 4, (rows, 2))
    return np.concatenate([centers, rng.uniform(2, 40, (rows, 2))], 1).astype(np.float32)


def yolov5(rng):
    def make():
        boxes, objects, scores = _boxes(rng, 24), _scores(rng, 24, 1) ** 0.25, _scores(rng, 24, _CLASSES)
        return {"boxes": np.concatenate([boxes, objects, scores], 1)}, _found(
            _corners(boxes), objects * scores, 0.45)

    return _tensors('{"type": "detection", "head": "yolov5"}', make)


def yolov8(rng):
    def make():
        boxes, scores = _boxes(rng, 24), _scores(rng, 24, _CLASSES)
        return {"boxes": np.concatenate([boxes, scores], 1).T}, _found(_corners(boxes), scores, 0.7)

    return _tensors('{"type": "detection", "head": "yolov8", "iou": 0.7}', make)


def yolov8_in_rows_across_classes(rng):
    def make():
        boxes, scores = _boxes(rng, 24), _scores(rng, 24, _CLASSES)
        return {"boxes": np.concatenate([boxes / _SIDE, scores], 1)}, _found(
            _corners(boxes / _SIDE * np.float32(_SIDE)), scores, 0.45, kind="class-agnostic")

    return _tensors(
        '{"type": "detection", "head": "yolov8", "coordinates": "normalized", "suppression": "class-agnostic"}', make)


def yolov10(rng):
    def make():
        boxes, scores = _corners(_boxes(rng, 20)), _scores(rng, 20) ** 0.5
        classes = rng.integers(0, _CLASSES, 20)
        likely = scores >= _THRESHOLD
        return {"boxes": np.column_stack([boxes, scores, classes])}, _suppressed(
            boxes[likely].astype(np.float64), classes[likely], scores[likely], None)

    return _tensors('{"type": "detection", "head": "yolov10"}', make)


def yolox(rng):
    strides = [16, 32]
    cells = np.concatenate([
        np.stack([*np.meshgrid(np.arange(_SIDE // stride), np.arange(_SIDE // stride)),
                  np.full((_SIDE // stride,) * 2, stride)], 2).reshape(-1, 3) for stride in strides]).astype(np.float32)

    def make():
        values = rng.normal(0, 0.5, (len(cells), 4)).astype(np.float32)
        objects, scores = _scores(rng, len(cells), 1) ** 0.25, _scores(rng, len(cells), _CLASSES)
        boxes = np.concatenate([values[:, :2] + cells[:, :2], np.exp(values[:, 2:])], 1) * cells[:, 2:]
        return {"boxes": np.concatenate([values, objects, scores], 1)}, _found(
            _corners(boxes), objects * scores, 0.45)

    return _tensors('{"type": "detection", "head": "yolox", "strides": [16, 32]}', make)


def ssd(rng):
    """Two anchors in each cell of 16 pixels, six in each of 32, as MediaPipe generates them."""
    cells = []
    for stride, count in (16, 2), (32, 6):
        middles = (np.arange(_SIDE // stride) + 0.5) * stride / _SIDE
        y, x = np.meshgrid(middles, middles, indexing="ij")
        cells.append(np.repeat(np.stack([x.ravel(), y.ravel()], 1), count, 0))
    anchors = np.concatenate(cells).astype(np.float32)

    def make():
        values = rng.normal(0, 6, (len(anchors), 4)).astype(np.float32)
        values[:, 2:] = rng.uniform(4, 40, (len(anchors), 2))
        logits = rng.normal(-3, 2, (len(anchors), 1)).astype(np.float32)
        boxes = values / np.float32(_SIDE)
        boxes[:, :2] += anchors
        return {"boxes": values, "scores": logits}, _found(
            _corners(boxes) * _SIDE, _sigmoid(logits), 0.3, kind="weighted")

    return _tensors(
        '{"type": "detection", "head": "ssd", "strides": [16, 32, 32, 32], "iou": 0.3, "suppression": "weighted"}',
        make)


def prior_decoded(rng):
    def make():
        boxes = _corners(_boxes(rng, 24)) / np.float32(_SIDE)
        logits = rng.normal(0, 2, (24, _CLASSES + 1)).astype(np.float32)
        powers = np.exp(logits.astype(np.float64))
        probabilities = powers / powers.sum(1, keepdims=True)
        return {"boxes": boxes, "scores": logits}, _found(
            boxes.astype(np.float64) * _SIDE, probabilities[:, 1:], 0.45, first=1)

    return _tensors(
        '{"type": "detection", "head": "prior-decoded", "activation": "softmax", "background_class": "first"}', make)


def _centernet(rng, task, has_offsets, is_transposed, is_planar):
    cells, stride = 8, _SIDE / 8

    def make():
        logits = rng.normal(-2, 1.5, (cells, cells, _CLASSES)).astype(np.float32)
        sizes = rng.uniform(0.5, 5, (cells, cells, 2)).astype(np.float32)
        offsets = rng.random((cells, cells, 2)).astype(np.float32)
        padded = np.pad(logits, ((1, 1), (1, 1), (0, 0)), constant_values=-np.inf)
        around = np.max([padded[y : y + cells, x : x + cells] for y in range(3) for x in range(3)], 0)
        probabilities = _sigmoid(logits)
        peaks = np.argwhere((logits == around) & (probabilities >= _THRESHOLD))
        y, x, classes = peaks.T
        centers = np.stack([x, y], 1) + (offsets[y, x] if has_offsets else 0)
        boxes = _corners(np.concatenate([centers, sizes[y, x]], 1).astype(np.float64) * stride)
        detections = _suppressed(boxes, classes, probabilities[y, x, classes], None)
        tensors = {"scores": logits, "boxes": sizes} | ({"offsets": offsets} if has_offsets else {})
        if is_transposed:
            tensors |= {role: values[..., ::-1] for role, values in tensors.items() if role != "scores"}
        if is_planar:
            tensors = {role: np.moveaxis(values, 2, 0) for role, values in tensors.items()}
        return tensors, detections

    return _tensors(task, make)


def centernet(rng):
    return _centernet(rng, '{"type": "detection", "head": "centernet"}', True, False, False)


def centernet_in_planes_without_offsets(rng):
    return _centernet(
        rng, '{"type": "detection", "head": "centernet", "layout": "NCHW", "box_order": "yxyx"}', False, True, True)


def _turned(box, angle):
    """Returns the corners of a box of center and size that is rotated clockwise: [4, 2]."""
    sides = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * box[2:] / 2
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    return box[:2] + sides @ turn


def _area(corners):
    x, y = corners.T
    return abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def _shared_area(first, second):
    """Returns the area of the points in both: corners inside of the other box, and where sides cross."""
    def inside(points, corners):
        edges = np.roll(corners, -1, 0) - corners
        offsets = points[:, None] - corners
        return (edges[:, 0] * offsets[..., 1] - edges[:, 1] * offsets[..., 0] >= 0).all(1)

    points = [*first[inside(first, second)], *second[inside(second, first)]]
    for start, along in zip(first, np.roll(first, -1, 0) - first):
        for other, across in zip(second, np.roll(second, -1, 0) - second):
            factor = along[0] * across[1] - along[1] * across[0]
            offset = other - start
            if factor != 0:
                here = (offset[0] * across[1] - offset[1] * across[0]) / factor
                there = (offset[0] * along[1] - offset[1] * along[0]) / factor
                if 0 <= here <= 1 and 0 <= there <= 1:
                    points.append(start + here * along)
    if len(points) < 3:
        return 0.0
    points = np.array(points)
    around = points - points.mean(0)
    return _area(points[np.argsort(np.arctan2(around[:, 1], around[:, 0]))])


def _oriented(rng, task, kind, scale):
    def make():
        boxes, scores = _boxes(rng, 20), _scores(rng, 20, _CLASSES)
        angles = rng.uniform(-np.pi / 4, 3 * np.pi / 4, 20).astype(np.float32)
        boxes = (boxes / np.float32(scale)).astype(np.float32)
        corners = [_turned(box.astype(np.float64) * scale, angle) for box, angle in zip(boxes, angles.astype(np.float64))]
        classes, best, kept, rows = scores.argmax(1), scores.max(1), [], []
        for row in np.argsort(-best, kind="stable"):
            if best[row] < _THRESHOLD:
                break
            rivals = [other for other in kept if kind == "class-agnostic" or classes[other] == classes[row]]
            shared = [_shared_area(corners[other], corners[row]) for other in rivals]
            areas = [_area(corners[other]) + _area(corners[row]) for other in rivals]
            if any(part / (both - part) > 0.45 for part, both in zip(shared, areas)):
                continue
            kept.append(row)
            low, high = np.clip(corners[row].min(0), 0, _SIDE), np.clip(corners[row].max(0), 0, _SIDE)
            if (high > low).all():
                rows.append([int(classes[row]), float(best[row]), *low, *high, *corners[row].ravel()])
        return {"boxes": np.column_stack([boxes, scores, angles]).T}, rows

    return _tensors(task, make)


def yolov8_obb(rng):
    return _oriented(rng, '{"type": "detection", "head": "yolov8-obb"}', "per-class", 1)


def yolov8_obb_across_classes(rng):
    return _oriented(
        rng, '{"type": "detection", "head": "yolov8-obb", "coordinates": "normalized",'
        ' "suppression": "class-agnostic"}', "class-agnostic", _SIDE)
