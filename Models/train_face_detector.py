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
    """Draws groups of up to five people, and some portraits."""
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
    """Returns the errors of the landmarks of detected faces, relative to the distance between the eyes."""
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
        details="Detects cartoon faces with the positions of their eyes, nose and mouth",
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

The input is an image of any size, letterboxed to {SIDE}×{SIDE}. The outputs describe at most {detector.MOST} faces by
descending score, padded with rows of zeros: `boxes` (top, left, bottom, right, relative to the letterboxed
image; the head without hair and neck), `classes` (all 0), `scores`, `count` (the number of faces) and
`keypoints`: {", ".join(LANDMARKS)}, from the viewer's perspective, each as y and x.

## Data

Cartoon faces drawn by `drawn_faces.py`, which documents the rules: identity, appearance, 0.5
to 1.5 times the usual size, rotation from -30° to 30°, brightness from 0.6 to 1.4, noise; half of the
faces are occluded by a tenth. Images show up to five people, or one who fills the image. The backgrounds
are crops of {CREDIT}
Training images use crops from the left {TRAINING[1]:.0%} of the photographs; held-out images use the rest and show
other people.

`Examples/Data/faces-over-photographs` contains held-out images: `people/` to enroll, `groups/` with
unknown people among them, and the annotations in `truth.json`;
`Models/draw faces --out FOLDER --count 100` draws more.

## Training

A heatmap of centers, and the offsets of box edges and landmarks, over cells of
{detector.STRIDE}×{detector.STRIDE} pixels (`detector.py`); {TRAINING_PICTURES} images, {EPOCHS} epochs, seed {reproducible.SEED}. Weights are stored as float16.

## Accuracy

Measured by LiteRT on {HELD_OUT_PICTURES} held-out images with {facts['faces']} faces of people not used for training.
Average precision at an IoU of at least 0.5: {facts['average']:.3f}. At the bundle's
threshold of {THRESHOLD}, {facts['precision']:.1%} precision and {facts['recall']:.1%} recall.

Errors of the landmarks, relative to the distance between the eyes:

| landmark | median | 95th percentile |
|---|---|---|
{rows}

It was trained on these cartoons only and does not work on real faces.

## Reproducing

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
        measured=f"average precision {facts['average']:.3f} at IoU 0.5 on {facts['faces']} held-out faces",
        card=card(facts),
    )


def main():
    write(trained_model())


if __name__ == "__main__":
    main()
