"""A detector of shapes drawn over photographs."""

import reproducible

import numpy as np

import detector
from bundle import EXAMPLES, Bundle, described
from conversion import convert
from detection_measures import average_precision, precision_and_recall
from detector_bundles import add_certain_samples, outputs_described, picture_described
from drawn_sets import LONGER_SIDE, write_shapes
from drawn_shapes import LABELS, MOST, scene
from litert import Runner
from photographs import CREDIT, HELD_OUT, TRAINING

SIDE = 128
TRAINING_PICTURES = 3500
TRAINING_MOST = 9  # more to learn from in each picture
TRAINING_SIDE = 192
HELD_OUT_PICTURES = 500
WRITTEN_PICTURES = 12
THRESHOLD = 0.5
TOLERANCE = 0.03
SAMPLES = 3
OUTPUTS = ["boxes", "classes", "scores", "count"]


def scenes(count, seed, part, longer_side, most=MOST):
    random = np.random.default_rng(seed)
    return [scene(random, longer_side, part, most) for _ in range(count)]


def trained_model():
    training = scenes(TRAINING_PICTURES, reproducible.SEED, TRAINING, TRAINING_SIDE, TRAINING_MOST)
    net = detector.trained(SIDE, training, LABELS)
    return convert(detector.Detector(net, len(LABELS), 0), ["image"], OUTPUTS, half=True)


def measured(run):
    held_out = scenes(HELD_OUT_PICTURES, reproducible.SEED + 1, HELD_OUT, LONGER_SIDE)
    pictures = [(detector.detections_in(run, picture, LABELS), things) for picture, things in held_out]
    precision, recall = precision_and_recall(pictures, THRESHOLD)
    return {
        "by label": {label: average_precision(pictures, label) for label in LABELS},
        "precision": precision,
        "recall": recall,
        "things": sum(len(things) for _, things in pictures),
    }


def description(run):
    return described(
        name="Shapes over photographs",
        id="shape-detector",
        details="Detects circles, squares, triangles, stars and crosses drawn over photographs",
        kind="image.detection.shapes",
        inputs=[picture_described(SIDE)],
        outputs=outputs_described(run),
        task={"type": "detection", "threshold": THRESHOLD},
    )


def card(facts, average):
    rows = "\n".join(f"| {label} | {value:.3f} |" for label, value in facts["by label"].items())
    return f"""
## What it does

The input is an image of any size, letterboxed to {SIDE}×{SIDE}. The outputs describe at most {detector.MOST} shapes by
descending score, padded with rows of zeros: `boxes` (top, left, bottom, right, relative to the
letterboxed image), `classes` (zero-based lines of `labels.txt`), `scores` and `count` (the number of
shapes). No non-maximum suppression is needed: only local maxima are detections.

## Data

Drawn by `drawn_shapes.py`, which documents the rules: position, 0.5 to 1.5 times the usual size,
rotation from -30° to 30°, any visible color, brightness from 0.6 to 1.4, noise; half of the shapes are
occluded by a tenth. The backgrounds are crops of {CREDIT}
Training images use crops from the left {TRAINING[1]:.0%} of the photographs, held-out images the rest.

`Examples/Data/shapes-over-photographs` contains {WRITTEN_PICTURES} further held-out images with annotations;
`Models/draw shapes --out FOLDER --count 500` draws more.

## Training

A heatmap of centers and the offsets of box edges, over cells of {detector.STRIDE}×{detector.STRIDE} pixels (`detector.py`);
{TRAINING_PICTURES} images of up to {TRAINING_MOST} shapes, {detector.EPOCHS} epochs, seed {reproducible.SEED}. Weights are stored as float16.

## Accuracy

Measured by LiteRT on {HELD_OUT_PICTURES} held-out images with {facts['things']} shapes. Average precision is the area under
precision over recall, at an IoU of at least 0.5:

| shape | average precision |
|---|---|
{rows}
| all | {average:.3f} |

At the bundle's threshold of {THRESHOLD}, {facts['precision']:.1%} precision and {facts['recall']:.1%} recall. It was trained on drawn shapes in one or two plain colors; its behavior on other images was not
measured.

## Reproducing

`Models/train-all`
"""


def write(model):
    run = Runner(model)
    facts = measured(run)
    average = float(np.mean(list(facts["by label"].values())))
    bundle = Bundle(description(run), model)
    bundle.add_labels(LABELS)
    candidates = scenes(40, reproducible.SEED + 2, HELD_OUT, 480)
    add_certain_samples(bundle, run, [picture for picture, _ in candidates], SAMPLES)
    bundle.finish(
        tolerance=TOLERANCE,
        measured=f"average precision {average:.3f} at IoU 0.5 on {HELD_OUT_PICTURES} held-out images",
        card=card(facts, average),
    )


def main():
    write(trained_model())
    write_shapes(EXAMPLES / "Data" / "shapes-over-photographs", WRITTEN_PICTURES, reproducible.SEED + 3)


if __name__ == "__main__":
    main()
