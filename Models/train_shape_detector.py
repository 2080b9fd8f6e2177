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
        details="Finds circles, squares, triangles, stars and crosses that are drawn over a photograph",
        kind="image.detection.shapes",
        inputs=[picture_described(SIDE)],
        outputs=outputs_described(run),
        task={"type": "detection", "threshold": THRESHOLD},
    )


def card(facts, average):
    rows = "\n".join(f"| {label} | {value:.3f} |" for label, value in facts["by label"].items())
    return f"""
## What it does

A picture of any shape goes in, fitted into {SIDE}×{SIDE} with black bars. Out come at most {detector.MOST} things, the
surest first, in rows of zeros behind the last: `boxes` (top, left, bottom, right, in parts of the
fitted picture), `classes` (lines of `labels.txt` from 0), `scores`, and `count`, how many there are.
Nothing has to be suppressed: of neighbouring places only the surest is a thing.

## Data

Drawn by `drawn_shapes.py`, whose first lines are the rules: place, 0.5 to 1.5 times the usual size,
-30° to 30°, any visible colour, light from 0.6 to 1.4, noise, a tenth of half the shapes hidden. Behind
them are pieces of {CREDIT}
Pictures to train on have pieces from the left {TRAINING[1]:.0%} of the photographs, held-out pictures from the rest.

`Examples/Data/shapes-over-photographs` holds {WRITTEN_PICTURES} further held-out pictures with what they show;
`Models/draw shapes --out FOLDER --count 500` draws as many as wanted.

## Training

A heatmap of centres and the reach of the box to all sides, over cells of {detector.STRIDE}×{detector.STRIDE} pixels (`detector.py`);
{TRAINING_PICTURES} pictures of up to {TRAINING_MOST} shapes, {detector.EPOCHS} epochs, seed {reproducible.SEED}. Weights are stored as float16.

## Accuracy

Measured by LiteRT on {HELD_OUT_PICTURES} held-out pictures with {facts['things']} shapes. Average precision is the area under
precision over recall, with boxes that share at least half of their union:

| shape | average precision |
|---|---|
{rows}
| all | {average:.3f} |

At the bundle's threshold of {THRESHOLD}, {facts['precision']:.1%} of what it finds is there, and it finds {facts['recall']:.1%} of what is
there. It knows drawn shapes in one or two plain colours; what else it makes of photographs was not
measured.

## Train it again

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
        measured=f"average precision {average:.3f} at half overlap, on {HELD_OUT_PICTURES} held-out pictures",
        card=card(facts, average),
    )


def main():
    write(trained_model())
    write_shapes(EXAMPLES / "Data" / "shapes-over-photographs", WRITTEN_PICTURES, reproducible.SEED + 3)


if __name__ == "__main__":
    main()
