"""A detector of drawn faces with their landmarks."""

import reproducible

import numpy as np

import detector
from bundle import Bundle, described
from conversion import convert
from detection_measures import average_precision, matched, precision_and_recall
from detector_bundles import add_certain_samples, outputs_described, picture_described
from drawing import random_size
from drawn_faces import LABEL, LANDMARKS, group, identity, portrait
from litert import Runner
from photographs import CREDIT, HELD_OUT, TRAINING

SIDE = 160
TRAINING_PICTURES = 4000
TRAINING_SIDE = 192
EPOCHS = 5
HELD_OUT_PICTURES = 300
HELD_OUT_SIDE = 480
THRESHOLD = 0.3
TOLERANCE = 0.03
SAMPLES = 3
OUTPUTS = ["boxes", "classes", "scores", "count", "keypoints"]


def scenes(count, seed, part, longer_side):
    """Groups of up to five people, and some portraits."""
    random = np.random.default_rng(seed)
    return [scene(random, longer_side, part) for _ in range(count)]


def scene(random, longer_side, part):
    if random.random() < 0.15:
        picture, face = portrait(random, identity(random), longer_side, part)
        return picture, [face]
    people = {str(place): identity(random) for place in range(random.integers(0, 6))}
    picture, faces = group(random, people, random_size(random, longer_side), part)
    for face in faces:
        face.label = LABEL
    return picture, faces


def landmark_errors(pictures):
    """How far each landmark of the faces found is off, in parts of the distance between the eyes."""
    errors = []
    for found, faces in pictures:
        for detection, face in zip(found, matched(found, faces)):
            if face is not None:
                there, seen = np.array(face.points), np.array(detection.points)
                errors.append(np.hypot(*(there - seen).T) / np.hypot(*(there[1] - there[0])))
    return np.array(errors)


def trained_model():
    training = scenes(TRAINING_PICTURES, reproducible.SEED, TRAINING, TRAINING_SIDE)
    net = detector.trained(SIDE, training, [LABEL], len(LANDMARKS), EPOCHS)
    return convert(detector.Detector(net, 1, len(LANDMARKS)), ["image"], OUTPUTS, half=True)


def measured(run):
    held_out = scenes(HELD_OUT_PICTURES, reproducible.SEED + 1, HELD_OUT, HELD_OUT_SIDE)
    pictures = [(detector.detections_in(run, picture, [LABEL]), faces) for picture, faces in held_out]
    precision, recall = precision_and_recall(pictures, THRESHOLD)
    return {
        "average": average_precision(pictures, LABEL),
        "precision": precision,
        "recall": recall,
        "errors": landmark_errors(pictures),
        "faces": sum(len(faces) for _, faces in pictures),
    }


def description(run):
    return described(
        name="Drawn faces",
        id="face-detector",
        details="Finds cartoon faces in a picture, and in each the eyes, the nose and the mouth",
        kind="image.detection.faces",
        inputs=[picture_described(SIDE)],
        outputs=outputs_described(run),
        task={"type": "detection", "threshold": THRESHOLD, "keypoints": LANDMARKS},
    )


def card(facts):
    errors = facts["errors"]
    rows = "\n".join(
        f"| {name} | {middle:.1%} | {worst:.1%} |"
        for name, middle, worst in zip(LANDMARKS, np.median(errors, 0), np.quantile(errors, 0.95, 0))
    )
    return f"""
## What it does

A picture of any shape goes in, fitted into {SIDE}×{SIDE} with black bars. Out come at most {detector.MOST} faces, the
surest first, in rows of zeros behind the last: `boxes` (top, left, bottom, right, in parts of the fitted
picture; the head without hair and neck), `classes` (all 0), `scores`, `count`, how many there are, and
`keypoints`: {", ".join(LANDMARKS)}, as the viewer sees them, each as y and x.

## Data

Cartoon faces drawn by `drawn_faces.py`, whose first lines are the rules: who they are, how they look, 0.5
to 1.5 times the usual size, tilted by -30° to 30°, light from 0.6 to 1.4, noise, a tenth of half the faces
hidden. Pictures show up to five people, or one who fills it. Behind them are pieces of {CREDIT}
Pictures to train on have pieces from the left {TRAINING[1]:.0%} of the photographs, held-out pictures from the
rest, and show other people.

`Examples/Data/faces-over-photographs` holds some held-out pictures: `people/` to enrol, `groups/` with
strangers among them, and `truth.json`, which tells who is where;
`Models/draw faces --out FOLDER --count 100` draws as many as wanted.

## Training

A heatmap of centres, the reach of the box to all sides and the way to the landmarks, over cells of
{detector.STRIDE}×{detector.STRIDE} pixels (`detector.py`); {TRAINING_PICTURES} pictures, {EPOCHS} epochs, seed {reproducible.SEED}. Weights are stored as float16.

## Accuracy

Measured by LiteRT on {HELD_OUT_PICTURES} held-out pictures with {facts['faces']} faces of people whom training never saw.
Average precision with boxes that share at least half of their union: {facts['average']:.3f}. At the bundle's
threshold of {THRESHOLD}, {facts['precision']:.1%} of what it finds is there, and it finds {facts['recall']:.1%} of what is there.

How far landmarks are off, in parts of the distance between the eyes:

| landmark | half of them at most | 95% of them at most |
|---|---|---|
{rows}

It knows these cartoons alone, and nothing about real faces.

## Train it again

`Models/train-all`
"""


def write(model):
    run = Runner(model)
    facts = measured(run)
    bundle = Bundle(description(run), model)
    bundle.add_labels([LABEL])
    candidates = scenes(40, reproducible.SEED + 2, HELD_OUT, HELD_OUT_SIDE)
    add_certain_samples(bundle, run, [picture for picture, _ in candidates], SAMPLES)
    bundle.finish(
        tolerance=TOLERANCE,
        measured=f"average precision {facts['average']:.3f} at half overlap, on {facts['faces']} held-out faces",
        card=card(facts),
    )


def main():
    write(trained_model())


if __name__ == "__main__":
    main()
