"""A segmentation of shapes drawn over photographs."""

import shutil

import reproducible

import numpy as np
import tensorflow as tf
from PIL import Image

from arithmetic import normalized
from bundle import EXAMPLES, Bundle, described, save_picture
from conversion import convert
from detector_bundles import picture_described
from drawn_sets import LONGER_SIDE
from drawn_shapes import LABELS, MOST, masked_scene
from litert import Runner
from photographs import CREDIT, HELD_OUT, TRAINING
from pictures import letterboxed
from small_network import NamedOutputs, backbone, fitted, layers

SIDE, CELLS = 128, 32
CHANNELS = 12, 24, 32, 44
CLASSES = ["background", *LABELS]
TRAINING_PICTURES, TRAINING_MOST, TRAINING_SIDE = 4000, 7, 160
EPOCHS, BATCH, RATE = 15, 16, 4e-3
HELD_OUT_PICTURES = 300
WRITTEN_PICTURES = 12
SAMPLES = 2
TOLERANCE = 0.5
BACKGROUND_WEIGHT = 0.5


def scenes(count, seed, part, longer_side, most=MOST):
    random = np.random.default_rng(seed)
    return [masked_scene(random, longer_side, part, most) for _ in range(count)]


def letterboxed_mask(mask):
    """Returns the classes in the square that the model sees."""
    scale = SIDE / max(mask.size)
    size = [max(1, round(length * scale)) for length in mask.size]
    square = Image.new("L", (SIDE, SIDE))
    square.paste(mask.resize(size, Image.Resampling.NEAREST), ((SIDE - size[0]) // 2, (SIDE - size[1]) // 2))
    return np.asarray(square)


def loss(wanted, scores):
    """Cross-entropy at the resolution of the masks, where most pixels are background."""
    enlarged = tf.image.resize(scores, [SIDE, SIDE])
    wanted = tf.cast(wanted, tf.int32)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(wanted, enlarged)
    weights = tf.where(wanted == 0, BACKGROUND_WEIGHT, 1.0)
    return tf.reduce_sum(losses * weights) / tf.reduce_sum(weights)


def trained_model():
    training = scenes(TRAINING_PICTURES, reproducible.SEED + 10, TRAINING, TRAINING_SIDE, TRAINING_MOST)
    picture, (fine, _, _) = backbone(SIDE, CHANNELS)
    network = tf.keras.Model(picture, layers.Conv2D(len(CLASSES), 1)(fine))
    images = normalized(np.stack([letterboxed(picture, SIDE, "RGB") for picture, _, _ in training]))
    masks = np.stack([letterboxed_mask(mask) for _, _, mask in training])
    fitted(network, loss, images, masks, EPOCHS, BATCH, RATE)
    return convert(NamedOutputs(network, ["scores"]), ["image"], ["scores"], half=True)


def scores_in(run, picture):
    return run(normalized(letterboxed(picture, SIDE, "RGB")))[0]


def classes_in(run, picture):
    """Returns the class of each pixel of an image: the scores are enlarged before the best is chosen."""
    longer = max(picture.size)
    enlarged = tf.image.resize(scores_in(run, picture), [longer, longer]).numpy()
    left, top = (longer - picture.width) // 2, (longer - picture.height) // 2
    return enlarged[top : top + picture.height, left : left + picture.width].argmax(-1)


def confusion(run, held_out):
    """Returns the number of pixels by actual and predicted class."""
    counts = np.zeros((len(CLASSES), len(CLASSES)), int)
    for picture, _, mask in held_out:
        pairs = np.asarray(mask).astype(int) * len(CLASSES) + classes_in(run, picture)
        counts += np.bincount(pairs.ravel(), minlength=counts.size).reshape(counts.shape)
    return counts


def overlaps(counts):
    """Returns the intersection over union of each class."""
    hits = np.diag(counts)
    return hits / (counts.sum(0) + counts.sum(1) - hits)


def write_held_out():
    folder = EXAMPLES / "Data" / "shape-masks"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "masks").mkdir(parents=True)
    for number, (picture, _, mask) in enumerate(
        scenes(WRITTEN_PICTURES, reproducible.SEED + 12, HELD_OUT, LONGER_SIDE)
    ):
        save_picture(picture, folder / "images" / f"{number:04}.jpg")
        save_picture(mask, folder / "masks" / f"{number:04}.png")


def description():
    return described(
        name="Masks of shapes",
        id="shape-segmenter",
        details="Finds the pixels of circles, squares, triangles, stars and crosses drawn over photographs",
        kind="image.segmentation.shapes",
        inputs=[picture_described(SIDE)],
        outputs=[
            {
                "name": "scores", "type": "array", "shape": [1, CELLS, CELLS, len(CLASSES)], "role": "mask",
                "labels": "labels.txt",
            }
        ],
        task={"type": "segmentation", "activation": "softmax"},
    )  # fmt: skip


def card(counts):
    rows = "\n".join(f"| {label} | {value:.3f} |" for label, value in zip(CLASSES, overlaps(counts)))
    return f"""
## What it does

The input is an image of any size, letterboxed to {SIDE}×{SIDE}. The output has a score for each of {len(CLASSES)}
classes in each of {CELLS}×{CELLS} cells. TensorIO enlarges the scores to the size of the image and selects the class
with the highest score for each pixel. Bars that hide a part of a shape are background.

## Data

Drawn by `drawn_shapes.py`, which documents the rules. The backgrounds are crops of
{CREDIT}
Training images use crops from the left {TRAINING[1]:.0%} of the photographs, held-out images the rest.

`Examples/Data/shape-masks` contains {WRITTEN_PICTURES} further held-out images with masks.

## Training

Convolutions at strides of 2 to 32 with skip connections (`small_network.py`): {TRAINING_PICTURES} images of up to
{TRAINING_MOST} shapes, {EPOCHS} epochs, seed {reproducible.SEED}. Weights are stored as float16.

## Accuracy

Measured by LiteRT on {HELD_OUT_PICTURES} held-out images of up to {LONGER_SIDE} pixels:

| class | intersection over union |
|---|---|
{rows}
| mean | {overlaps(counts).mean():.3f} |

{np.trace(counts) / counts.sum():.1%} of all pixels have the correct class. It was trained on drawn shapes in one or two
plain colors; its behavior on other images was not measured.

## Reproducing

`Models/train-all`
"""


def add_samples(bundle, run):
    """Adds the images with the largest part of correct pixels among the first of another seed."""
    candidates = scenes(24, reproducible.SEED + 13, HELD_OUT, 320)
    share = [float((classes_in(run, picture) == np.asarray(mask)).mean()) for picture, things, mask in candidates]
    chosen = sorted(
        (place for place in np.argsort(share)[::-1] if len(candidates[place][1]) >= 3), key=lambda place: -share[place]
    )[:SAMPLES]
    for number, place in enumerate(chosen, 1):
        name = f"{number}.jpg"
        bundle.add_sample(name, candidates[place][0], None)
        saved = Image.open(bundle.path / "samples" / name)
        bundle.expect(name, {"scores": np.round(scores_in(run, saved).astype(float), 1).tolist()})


def main():
    model = trained_model()
    run = Runner(model)
    counts = confusion(run, scenes(HELD_OUT_PICTURES, reproducible.SEED + 11, HELD_OUT, LONGER_SIDE))
    bundle = Bundle(description(), model)
    bundle.add_labels(CLASSES)
    add_samples(bundle, run)
    bundle.finish(
        TOLERANCE,
        f"mean IoU {overlaps(counts).mean():.3f} on {HELD_OUT_PICTURES} held-out images",
        card(counts),
    )
    write_held_out()


if __name__ == "__main__":
    main()
