"""The joints of a drawn person."""

import shutil

import reproducible

import numpy as np
import tensorflow as tf
from PIL import Image

from arithmetic import normalized
from bundle import EXAMPLES, Bundle, described, save_picture
from conversion import convert
from detector import in_letterbox, out_of_letterbox
from detector_bundles import picture_described
from drawn_people import JOINTS, LABEL, LIMBS, scene
from drawn_sets import LONGER_SIDE, write_json
from litert import Runner
from photographs import CREDIT, HELD_OUT, TRAINING
from pictures import letterboxed
from small_network import NamedOutputs, backbone, fitted, layers

SIDE, STRIDE = 128, 8
CELLS = SIDE // STRIDE
CHANNELS = 12, 24, 36, 48
TRAINING_PICTURES, TRAINING_SIDE = 3600, 160
EPOCHS, BATCH, RATE = 11, 16, 4e-3
REACH = 10.0  # pixels around a joint in which cells have scores and offsets
OFFSET_SCALE = 8.0  # pixels that the network's offsets of 1 stand for
HELD_OUT_PICTURES = 300
WRITTEN_PICTURES = 12
SAMPLES = 2
TOLERANCE = 0.5
# A joint is found within these parts of the longer side of the person's box.
NEAR = 0.1, 0.05


def scenes(count, seed, part, longer_side):
    random = np.random.default_rng(seed)
    return [scene(random, longer_side, part) for _ in range(count)]


def joints_in_square(picture, person):
    """Returns (y, x) of the joints in pixels of the model's input: [joints, 2]."""
    return np.array(in_letterbox(person, picture.size).points, np.float32)[:, ::-1] * SIDE


def target(joints):
    """Returns the scores of cells, the offsets to joints (y of all, then x), and the weights of the offsets."""
    corners = np.arange(CELLS, dtype=np.float32) * STRIDE
    y = joints[:, 0] - corners[:, None, None]
    x = joints[:, 1] - corners[None, :, None]
    offsets = np.stack([np.broadcast_to(part, (CELLS, CELLS, len(JOINTS))) for part in (y, x)])
    # Distances from the center of a cell.
    near = np.hypot(offsets[0] - STRIDE / 2, offsets[1] - STRIDE / 2) < REACH
    near = near.astype(np.float32)
    return np.concatenate([near, offsets[0], offsets[1]], 2)


def loss(wanted, found):
    near, offsets = wanted[..., : len(JOINTS)], wanted[..., len(JOINTS) :]
    scores = tf.nn.sigmoid_cross_entropy_with_logits(near, found[..., : len(JOINTS)])
    off = tf.abs(found[..., len(JOINTS) :] - offsets) / OFFSET_SCALE
    weights = tf.tile(near, [1, 1, 1, 2])
    return 4 * tf.reduce_mean(scores) + tf.reduce_sum(off * weights) / tf.reduce_sum(weights + 1e-6)


def trained_model():
    training = scenes(TRAINING_PICTURES, reproducible.SEED + 20, TRAINING, TRAINING_SIDE)
    picture, (_, middle, _) = backbone(SIDE, CHANNELS)
    scores = layers.Conv2D(len(JOINTS), 1)(middle)
    offsets = layers.Rescaling(OFFSET_SCALE)(layers.Conv2D(2 * len(JOINTS), 1)(middle))
    network = tf.keras.Model(picture, layers.Concatenate()([scores, offsets]))
    images = normalized(np.stack([letterboxed(picture, SIDE, "RGB") for picture, _ in training]))
    targets = np.stack([target(joints_in_square(*each)) for each in training])
    fitted(network, loss, images, targets, EPOCHS, BATCH, RATE)
    divided = tf.keras.Model(picture, [scores, offsets])
    outputs = ["heatmap", "offsets"]
    return convert(NamedOutputs(divided, outputs), ["image"], outputs, half=True)


def outputs_in(run, picture):
    return run(normalized(letterboxed(picture, SIDE, "RGB")))


def joints_in(run, picture):
    """Returns the joints in pixels of an image as x and y, and their probabilities."""
    scores, offsets = outputs_in(run, picture)
    best = scores.reshape(-1, len(JOINTS)).argmax(0)
    cells = np.stack(np.divmod(best, CELLS), 1)
    offsets = offsets.reshape(-1, 2, len(JOINTS))[best, :, range(len(JOINTS))]
    places = (cells * STRIDE + offsets) / SIDE
    places = out_of_letterbox(places.reshape(1, -1), picture.size).reshape(-1, 2)[:, ::-1]
    return places * picture.size, 1 / (1 + np.exp(-scores.reshape(-1, len(JOINTS)).max(0)))


def distances(run, held_out):
    """Returns the distance of each joint from its place, in parts of the longer side of the person's box."""
    found = []
    for picture, person in held_out:
        left, top, right, bottom = np.array(person.box) * np.tile(picture.size, 2)
        off = joints_in(run, picture)[0] - np.array(person.points) * picture.size
        found.append(np.linalg.norm(off, axis=1) / max(right - left, bottom - top))
    return np.stack(found)


def write_held_out():
    folder = EXAMPLES / "Data" / "figures"
    shutil.rmtree(folder, ignore_errors=True)
    images, annotations = [], []
    for number, (picture, person) in enumerate(
        scenes(WRITTEN_PICTURES, reproducible.SEED + 22, HELD_OUT, LONGER_SIDE), 1
    ):
        file = f"{number - 1:04}.jpg"
        save_picture(picture, folder / file)
        images.append({"id": number, "file_name": file, "width": picture.width, "height": picture.height})
        left, top, right, bottom = np.array(person.box) * np.tile(picture.size, 2)
        points = np.array(person.points) * picture.size
        annotations.append(
            {
                "id": number, "image_id": number, "category_id": 1, "iscrowd": 0,
                "num_keypoints": len(points),
                "keypoints": [value for x, y in points for value in (round(x, 1), round(y, 1), 2)],
                "bbox": [round(value, 1) for value in (left, top, right - left, bottom - top)],
                "area": round((right - left) * (bottom - top), 1),
            }
        )  # fmt: skip
    category = {"id": 1, "name": LABEL, "keypoints": [name.replace(" ", "_") for name in JOINTS]}
    facts = {"images": images, "annotations": annotations, "categories": [category]}
    write_json(folder, facts, "annotations.json")


def description():
    def grid(name, channels):
        return {"name": name, "type": "array", "shape": [1, CELLS, CELLS, channels], "role": name}

    return described(
        name="Poses of drawn people",
        id="figure-pose",
        details="Finds the joints of a person drawn over a photograph",
        kind="image.pose.figures",
        inputs=[picture_described(SIDE)],
        outputs=[grid("heatmap", len(JOINTS)), grid("offsets", 2 * len(JOINTS))],
        task={
            "type": "pose", "format": "heatmap", "label": LABEL, "keypoints": JOINTS,
            "limbs": [list(limb) for limb in LIMBS], "threshold": 0.5, "keypoint_threshold": 0.3,
        },
    )  # fmt: skip


def card(off):
    rows = "\n".join(
        f"| {name} | {(off[:, joint] < NEAR[0]).mean():.1%} | {(off[:, joint] < NEAR[1]).mean():.1%} |"
        for joint, name in enumerate(JOINTS)
    )
    return f"""
## What it does

The input is an image of any size with one person, letterboxed to {SIDE}×{SIDE}. The outputs describe {CELLS}×{CELLS} cells:
`heatmap` has a logit for each of {len(JOINTS)} joints, `offsets` the distances from the corner of the cell to the
joint in pixels, y of all joints and then x. TensorIO takes the cell with the highest score for each joint.
Left and right are those of the person, who faces the viewer.

## Data

Drawn by `drawn_people.py`, which documents the rules. The backgrounds are crops of
{CREDIT}
Training images use crops from the left {TRAINING[1]:.0%} of the photographs, held-out images the rest.

`Examples/Data/figures` contains {WRITTEN_PICTURES} further held-out images with annotations in COCO format.

## Training

Convolutions at strides of 2 to 32 with skip connections (`small_network.py`): {TRAINING_PICTURES} images, {EPOCHS} epochs,
seed {reproducible.SEED}. Weights are stored as float16.

## Accuracy

Measured by LiteRT on {HELD_OUT_PICTURES} held-out images: the joints whose distance from their place is less than a part
of the longer side of the person's box.

| joint | within {NEAR[0]:.0%} | within {NEAR[1]:.0%} |
|---|---|---|
{rows}
| all | {(off < NEAR[0]).mean():.1%} | {(off < NEAR[1]).mean():.1%} |

It was trained on drawn people; photographs of people were not measured.

## Reproducing

`Models/train-all`
"""


def add_samples(bundle, run):
    """Adds the images whose joints are all found closest, among the first of another seed."""
    candidates = scenes(24, reproducible.SEED + 23, HELD_OUT, 320)
    worst = distances(run, candidates).max(1)
    for number, place in enumerate(np.argsort(worst)[:SAMPLES], 1):
        name = f"{number}.jpg"
        bundle.add_sample(name, candidates[place][0], None)
        saved = Image.open(bundle.path / "samples" / name)
        values = [np.round(each.astype(float), 1).tolist() for each in outputs_in(run, saved)]
        bundle.expect(name, dict(zip(("heatmap", "offsets"), values)))


def main():
    model = trained_model()
    run = Runner(model)
    off = distances(run, scenes(HELD_OUT_PICTURES, reproducible.SEED + 21, HELD_OUT, LONGER_SIDE))
    bundle = Bundle(description(), model)
    add_samples(bundle, run)
    bundle.finish(
        TOLERANCE,
        f"{(off < NEAR[0]).mean():.1%} of the joints of {HELD_OUT_PICTURES} held-out people within "
        f"{NEAR[0]:.0%} of the box's longer side, {(off < NEAR[1]).mean():.1%} within {NEAR[1]:.0%}",
        card(off),
    )
    write_held_out()


if __name__ == "__main__":
    main()
