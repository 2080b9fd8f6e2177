"""A detector of shapes with the raw outputs of YOLO v8: all boxes of a grid, before suppression."""

import reproducible

import numpy as np
import tensorflow as tf
from PIL import Image

import detector
from arithmetic import normalized
from bundle import Bundle, described
from conversion import convert
from detection_measures import average_precision, precision_and_recall, shared
from detector_bundles import picture_described
from drawn_sets import LONGER_SIDE
from drawn_shapes import LABELS, MOST, scene
from litert import Runner
from photographs import CREDIT, HELD_OUT, TRAINING
from pictures import letterboxed
from small_network import NamedOutputs, backbone, fitted, layers

SIDE, STRIDES = 128, (8, 16)
CHANNELS = 12, 24, 34, 40
BOXES = sum((SIDE // stride) ** 2 for stride in STRIDES)
# The longer sides, in pixels of the model's input, of the objects that the cells of a stride predict.
SIZES = {8: (0, 40), 16: (32, SIDE)}
CENTER_REACH = 1.2  # strides around the center of an object in which cells predict it
TRAINING_PICTURES, TRAINING_MOST, TRAINING_SIDE = 4000, 8, 160
EPOCHS, BATCH, RATE = 14, 16, 4e-3
HELD_OUT_PICTURES = 300
THRESHOLD, IOU = 0.4, 0.5
SAMPLES = 2
TOLERANCE = 0.5


def scenes(count, seed, part, longer_side, most=MOST):
    random = np.random.default_rng(seed)
    return [scene(random, longer_side, part, most) for _ in range(count)]


def cells():
    """Returns the center (x, y) and the stride of each cell: [boxes, 3]."""
    rows = []
    for stride in STRIDES:
        middles = (np.arange(SIDE // stride) + 0.5) * stride
        y, x = np.meshgrid(middles, middles, indexing="ij")
        rows.append(np.stack([x.ravel(), y.ravel(), np.full(x.size, stride)], 1))
    return np.concatenate(rows).astype(np.float32)


CELLS = cells()


def target(things):
    """Returns the classes, the box, and whether there is one, for each cell: [boxes, classes + 5]."""
    classes = np.zeros((BOXES, len(LABELS)), np.float32)
    boxes = np.tile(np.float32([0, 0, 1, 1]), (BOXES, 1))
    nearest = np.full(BOXES, np.inf)
    for thing in things:
        box = np.array(thing.box, np.float32) * SIDE
        center, longer = (box[:2] + box[2:]) / 2, (box[2:] - box[:2]).max()
        distance = np.abs(CELLS[:, :2] - center).max(1) / CELLS[:, 2]
        fits = np.array([SIZES[int(stride)][0] <= longer < SIZES[int(stride)][1] for stride in CELLS[:, 2]])
        mine = fits & (distance < CENTER_REACH) & (distance < nearest)
        classes[mine] = np.eye(len(LABELS))[LABELS.index(thing.label)]
        boxes[mine], nearest[mine] = box, distance[mine]
    return np.concatenate([classes, boxes, np.isfinite(nearest)[:, None]], 1).astype(np.float32)


def corners(distances):
    """Returns left, top, right and bottom of boxes, from the distances of their edges from the cells."""
    return tf.concat([CELLS[:, :2] - distances[..., :2], CELLS[:, :2] + distances[..., 2:]], -1)


def loss(wanted, found):
    """Focal loss of the classes, and one minus the generalized intersection over union of the boxes."""
    count = len(LABELS)
    classes, boxes, there = wanted[..., :count], wanted[..., count : count + 4], wanted[..., -1]
    probabilities = tf.clip_by_value(tf.sigmoid(found[..., 4:]), 1e-5, 1 - 1e-5)
    hit = classes * (1 - probabilities) ** 2 * tf.math.log(probabilities)
    miss = (1 - classes) * probabilities**2 * tf.math.log(1 - probabilities) * 0.6
    objects = tf.reduce_sum(there) + 1
    overlap = tf.reduce_sum((1 - generalized_overlap(boxes, corners(found[..., :4]))) * there)
    return (2 * overlap - tf.reduce_sum(hit + miss)) / objects


def generalized_overlap(first, second):
    def area(boxes):
        sides = tf.maximum(boxes[..., 2:] - boxes[..., :2], 0)
        return sides[..., 0] * sides[..., 1]

    def between(start, end):
        return area(tf.concat([start, end], -1))

    inside = between(tf.maximum(first[..., :2], second[..., :2]), tf.minimum(first[..., 2:], second[..., 2:]))
    around = between(tf.minimum(first[..., :2], second[..., :2]), tf.maximum(first[..., 2:], second[..., 2:]))
    union = area(first) + area(second) - inside
    return inside / (union + 1e-6) - (around - union) / (around + 1e-6)


def network():
    """Returns a network whose rows are the distances of the edges in pixels, and logits of the classes."""
    picture, (_, middle, coarse) = backbone(SIDE, CHANNELS)
    rows = []
    for grid, stride in zip((middle, coarse), STRIDES, strict=True):
        grid = layers.Conv2D(CHANNELS[2], 3, padding="same", activation="relu")(grid)
        edges = layers.Conv2D(4, 1, bias_initializer=tf.keras.initializers.Constant(1.0))(grid)
        edges = layers.Rescaling(float(stride))(layers.Activation("softplus")(edges))
        rare = tf.keras.initializers.Constant(-3)
        logits = layers.Conv2D(len(LABELS), 1, bias_initializer=rare)(grid)
        joined = layers.Concatenate()([edges, logits])
        rows.append(layers.Reshape((-1, 4 + len(LABELS)))(joined))
    return tf.keras.Model(picture, layers.Concatenate(axis=1)(rows))


class RawDetector(NamedOutputs):
    """The network with the outputs of YOLO v8: columns of center, size and probabilities."""

    def named(self, image):
        rows = self.applied(image)
        boxes = corners(rows[..., :4])
        center, size = (boxes[..., :2] + boxes[..., 2:]) / 2, boxes[..., 2:] - boxes[..., :2]
        columns = tf.concat([center, size, tf.sigmoid(rows[..., 4:])], -1)
        return {"output": tf.transpose(columns, [0, 2, 1])}


def trained_model():
    training = scenes(TRAINING_PICTURES, reproducible.SEED + 30, TRAINING, TRAINING_SIDE, TRAINING_MOST)
    images = normalized(np.stack([letterboxed(picture, SIDE, "RGB") for picture, _ in training]))
    targets = np.stack(
        [target([detector.in_letterbox(t, picture.size) for t in things]) for picture, things in training]
    )
    net = fitted(network(), loss, images, targets, EPOCHS, BATCH, RATE)
    return convert(RawDetector(net, ["output"]), ["image"], ["output"], half=True)


def output_of(run, picture):
    return run(normalized(letterboxed(picture, SIDE, "RGB")))[0]


def detections_in(run, picture, threshold=0.05):
    """Returns the detections in an image, best first, without those that overlap a better one of their label."""
    rows = output_of(run, picture).T
    kinds, scores = rows[:, 4:].argmax(1), rows[:, 4:].max(1)
    kept = []
    for row in np.argsort(-scores, kind="stable"):
        if scores[row] < threshold:
            break
        x, y, width, height = rows[row, :4] / SIDE
        box = np.array([[y - height / 2, x - width / 2, y + height / 2, x + width / 2]])
        top, left, bottom, right = detector.out_of_letterbox(box, picture.size)[0]
        found = detector.Detection(LABELS[kinds[row]], (left, top, right, bottom), (), float(scores[row]))
        if all(other.label != found.label or shared(other.box, found.box) <= IOU for other in kept):
            kept.append(found)
    return kept


def measured(run):
    held_out = scenes(HELD_OUT_PICTURES, reproducible.SEED + 31, HELD_OUT, LONGER_SIDE)
    pictures = [(detections_in(run, picture), things) for picture, things in held_out]
    precision, recall = precision_and_recall(pictures, THRESHOLD)
    return {
        "by label": {label: average_precision(pictures, label) for label in LABELS},
        "precision": precision,
        "recall": recall,
        "things": sum(len(things) for _, things in pictures),
    }


def description():
    return described(
        name="Shapes by a raw detector",
        id="shape-boxes",
        details="Detects shapes drawn over photographs; the model returns all boxes of its grids, as YOLO v8 does",
        kind="image.detection.shapes",
        inputs=[picture_described(SIDE)],
        outputs=[
            {
                "name": "output", "type": "array", "shape": [1, 4 + len(LABELS), BOXES], "role": "boxes",
                "labels": "labels.txt",
            }
        ],
        task={"type": "detection", "head": "yolov8", "threshold": THRESHOLD, "iou": IOU},
    )  # fmt: skip


def card(facts, average):
    rows = "\n".join(f"| {label} | {value:.3f} |" for label, value in facts["by label"].items())
    return f"""
## What it does

The input is an image of any size, letterboxed to {SIDE}×{SIDE}. The output has a column for each of {BOXES} cells, of
{STRIDES[0]}×{STRIDES[0]} and of {STRIDES[1]}×{STRIDES[1]} pixels: center x, center y, width and height of a box in pixels of the letterboxed
image, and the probabilities of {len(LABELS)} shapes. These are the outputs of YOLO v8. TensorIO selects the boxes above
the threshold and removes those that overlap a better one (`"head": "yolov8"`).

## Data

Drawn by `drawn_shapes.py`, which documents the rules. The backgrounds are crops of
{CREDIT}
Training images use crops from the left {TRAINING[1]:.0%} of the photographs, held-out images the rest.

`Examples/Data/shapes-over-photographs` contains 12 further held-out images with annotations.

## Training

Convolutions at strides of 2 to 32 with skip connections (`small_network.py`); focal loss, and the generalized
intersection over union of boxes. {TRAINING_PICTURES} images of up to {TRAINING_MOST} shapes, {EPOCHS} epochs,
seed {reproducible.SEED}. Weights are stored as float16.

## Accuracy

Measured by LiteRT on {HELD_OUT_PICTURES} held-out images with {facts['things']} shapes. Average precision is the area under
precision over recall, at an IoU of at least 0.5:

| shape | average precision |
|---|---|
{rows}
| all | {average:.3f} |

At the bundle's threshold of {THRESHOLD}, {facts['precision']:.1%} precision and {facts['recall']:.1%} recall. It was trained on drawn
shapes in one or two plain colors; its behavior on other images was not measured.

## Reproducing

`Models/train-all`
"""


def add_samples(bundle, run):
    """Adds the first images of another seed in which exactly the shapes are found, with certainty."""
    for picture, things in scenes(60, reproducible.SEED + 32, HELD_OUT, 320):
        found = detections_in(run, picture)
        certain = [detection for detection in found if detection.score > THRESHOLD + 0.1]
        unclear = [detection for detection in found if 0.2 < detection.score <= THRESHOLD + 0.1]
        right = sorted(thing.label for thing in things) == sorted(detection.label for detection in certain)
        if len(bundle.expected) < SAMPLES and len(things) > 2 and right and not unclear:
            name = f"{len(bundle.expected) + 1}.jpg"
            bundle.add_sample(name, picture, None)
            saved = Image.open(bundle.path / "samples" / name)
            bundle.expect(name, {"output": np.round(output_of(run, saved).astype(float), 2).tolist()})


def main():
    model = trained_model()
    run = Runner(model)
    facts = measured(run)
    average = float(np.mean(list(facts["by label"].values())))
    bundle = Bundle(description(), model)
    bundle.add_labels(LABELS)
    add_samples(bundle, run)
    bundle.finish(
        TOLERANCE,
        f"average precision {average:.3f} at IoU 0.5 on {HELD_OUT_PICTURES} held-out images",
        card(facts, average),
    )


if __name__ == "__main__":
    main()
