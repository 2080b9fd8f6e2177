"""A detector of lines of text: the probability of text for each cell of a grid."""

import json
import shutil

import reproducible

import numpy as np
import tensorflow as tf
from PIL import Image, ImageDraw
from scipy import ndimage

from arithmetic import normalized
from bundle import EXAMPLES, Bundle, described, save_picture
from conversion import convert
from detector_bundles import picture_described
from drawn_lines import MOST, scene
from drawn_sets import LONGER_SIDE
from litert import Runner
from photographs import CREDIT, HELD_OUT, TRAINING
from pictures import letterboxed
from small_network import NamedOutputs, backbone, fitted, layers

SIDE, CELLS = 192, 96
CHANNELS = 12, 20, 28, 36
TRAINING_SCENES, TRAINING_SIDE = 5000, 240
EPOCHS, BATCH, RATE = 8, 16, 4e-3
# The drawn regions are lines that shrank as TensorIO grows regions: by the area divided by the perimeter, times this number.
# Regions of the model are wider by about half a cell, so that it is smaller there; the chain read most of 80 other scenes
# with these numbers.
SHRINKAGE, UNCLIP_RATIO = 1.5, 1.2
PIXEL_THRESHOLD = 0.7
FINENESS = 4
HELD_OUT_SCENES = 300
WRITTEN_SCENES = 16
SAMPLES = 2
TOLERANCE = 0.05


def scenes(count, seed, part, longer_side, **settings):
    random = np.random.default_rng([reproducible.SEED, seed])
    return [scene(random, longer_side, part, **settings) for _ in range(count)]


def shrunk(corners):
    """Returns the corners of the rectangle that grows to the given one.

    Growing a rectangle of the sides w - 2d and h - 2d by d means that
    ratio * (w - 2d) * (h - 2d) / (2 * (w + h - 4d)) = d, which is a quadratic equation.
    """
    along, across = corners[1] - corners[0], corners[3] - corners[0]
    width, height = np.linalg.norm(along), np.linalg.norm(across)
    square, linear, constant = 4 * SHRINKAGE + 8, (2 * SHRINKAGE + 2) * (width + height), SHRINKAGE * width * height
    distance = (linear - np.sqrt(linear**2 - 4 * square * constant)) / (2 * square)
    x, y = along / width * distance, across / height * distance
    return corners + np.array([x + y, y - x, -x - y, x - y])


def regions_of(size, lines):
    """Returns a mask with the shrunk lines in the grid of the model: the number of each line, from 1."""
    scale = CELLS / max(size)
    offset = (CELLS - np.round(np.array(size) * scale)) // 2
    numbers = np.zeros((CELLS, CELLS), np.uint8)
    for number, (_, corners) in enumerate(lines, 1):
        fine = Image.new("L", (CELLS * FINENESS, CELLS * FINENESS))
        points = (shrunk(corners) * scale + offset) * FINENESS
        ImageDraw.Draw(fine).polygon([tuple(point) for point in points], fill=255)
        numbers[np.asarray(fine.resize((CELLS, CELLS), Image.Resampling.BOX)) >= 128] = number
    return numbers


def loss(expected, found):
    """Cross-entropy plus the Dice loss, to which small regions contribute as much as the background."""
    expected, found = tf.cast(expected, tf.float32), tf.clip_by_value(found, 1e-6, 1 - 1e-6)
    entropy = -tf.reduce_mean(expected * tf.math.log(found) + (1 - expected) * tf.math.log(1 - found))
    common = tf.reduce_sum(expected * found, [1, 2])
    dice = 1 - (2 * common + 1) / (tf.reduce_sum(expected, [1, 2]) + tf.reduce_sum(found, [1, 2]) + 1)
    return 3 * entropy + tf.reduce_mean(dice)


def trained_model():
    training = scenes(TRAINING_SCENES, 11, TRAINING, TRAINING_SIDE)
    picture, (fine, _, _) = backbone(SIDE, CHANNELS)
    rare = tf.keras.initializers.Constant(-2)
    grid = layers.Conv2DTranspose(1, 2, 2, activation="sigmoid", bias_initializer=rare)(fine)
    network = tf.keras.Model(picture, layers.Reshape((CELLS, CELLS))(grid))
    images = normalized(np.stack([letterboxed(picture, SIDE, "RGB") for picture, _ in training]))
    masks = np.stack([regions_of(picture.size, lines) > 0 for picture, lines in training])
    fitted(network, loss, images, masks, EPOCHS, BATCH, RATE)
    return convert(NamedOutputs(network, ["text"]), ["image"], ["text"], half=True)


def text_in(run, picture):
    return run(normalized(letterboxed(picture, SIDE, "RGB")))[0]


def matches(run, held_out):
    """Returns the numbers of lines, of regions that were found, and of those that overlap one line by half."""
    expected, found, right = 0, 0, 0
    for picture, lines in held_out:
        truth = regions_of(picture.size, lines)
        regions, count = ndimage.label(text_in(run, picture) > PIXEL_THRESHOLD, np.ones((3, 3)))
        expected, found = expected + len(lines), found + count
        for number in range(1, len(lines) + 1):
            line = truth == number
            others = np.unique(regions[line & (regions > 0)])
            right += any((line & (regions == other)).sum() > (line | (regions == other)).sum() / 2 for other in others)
    return expected, found, right


def save_held_out():
    """Writes scenes for `tensorio evaluate`, with the text and the corners of each line."""
    folder = EXAMPLES / "Data" / "text-over-photographs"
    shutil.rmtree(folder, ignore_errors=True)
    rows = []
    for number, (picture, lines) in enumerate(scenes(WRITTEN_SCENES, 13, HELD_OUT, LONGER_SIDE, held_out=True)):
        name = f"{number:04}.jpg"
        save_picture(picture, folder / name)
        described_lines = [
            {"transcription": text, "points": np.round(corners).astype(int).tolist()} for text, corners in lines
        ]
        rows.append(f"{name}\t{json.dumps(described_lines)}\n")
    (folder / "lines.txt").write_text("".join(rows))


def description():
    return described(
        name="Lines of text",
        id="line-detector",
        details="Finds lines of printed text in images",
        kind="image.text.detection",
        inputs=[picture_described(SIDE)],
        outputs=[{"name": "text", "type": "array", "shape": [1, CELLS, CELLS], "role": "map"}],
        task={
            "type": "text-detection", "pixel_threshold": PIXEL_THRESHOLD, "min_score": 0.5, "min_side": 1,
            "unclip_ratio": UNCLIP_RATIO, "order": "rows",
        },
    )  # fmt: skip


def card(expected, found, right):
    return f"""
## What it does

The input is an image of any size, letterboxed to {SIDE}×{SIDE}. The output has the probability of text in each of
{CELLS}×{CELLS} cells, where each line is a region that is smaller than its text. TensorIO grows regions to turned rectangles.

The chain `reading` cuts the lines out of the image, and `line-reader` reads them.

## Data

Drawn by `drawn_lines.py`, which documents the rules: up to {MOST} lines, turned by up to 12°. The backgrounds of two fifths of
the images are crops of
{CREDIT}
Training images use crops from the left {TRAINING[1]:.0%} of the photographs, held-out images the rest.

`Examples/Data/text-over-photographs` contains {WRITTEN_SCENES} further held-out images with the text and the corners of each line.

## Training

Convolutions at strides of 2 to 32 with skip connections (`small_network.py`): {TRAINING_SCENES} images, {EPOCHS} epochs, seed
{reproducible.SEED}. Weights are stored as float16.

## Accuracy

Measured by LiteRT on {HELD_OUT_SCENES} held-out images of up to {LONGER_SIDE} pixels. A line is found if the intersection over
union of its region with a region of the output is greater than one half:

| | |
|---|---|
| lines | {expected} |
| precision | {right / found:.1%} |
| recall | {right / expected:.1%} |

The chain `reading` reads 69 % of the lines of `Examples/Data/text-over-photographs` without an error, and 87 % of the
characters.

## Limitations

It finds text whose height is 5 to 13 % of the image's longer side. Smaller text, pages with many lines, and text on other
backgrounds than the drawn ones were not in the training data.

## Reproducing

`Models/train-all`
"""


def add_samples(bundle, run):
    """Adds the first images of another seed with at least three lines, all of which are found."""
    candidates = scenes(40, 14, HELD_OUT, LONGER_SIDE, held_out=True)
    for picture, lines in candidates:
        if len(lines) >= 3 and len(bundle.expected) < SAMPLES and set(matches(run, [(picture, lines)])) == {len(lines)}:
            name = f"{len(bundle.expected) + 1}.jpg"
            bundle.add_sample(name, picture, None)
            saved = Image.open(bundle.path / "samples" / name)
            bundle.expect(name, {"text": np.round(text_in(run, saved).astype(float), 3).tolist()})


def main():
    model = trained_model()
    run = Runner(model)
    expected, found, right = matches(run, scenes(HELD_OUT_SCENES, 12, HELD_OUT, LONGER_SIDE, held_out=True))
    bundle = Bundle(description(), model)
    add_samples(bundle, run)
    bundle.finish(
        TOLERANCE,
        f"precision {right / found:.1%} and recall {right / expected:.1%} of {expected} held-out lines",
        card(expected, found, right),
    )
    save_held_out()


if __name__ == "__main__":
    main()
