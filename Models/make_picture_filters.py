"""Image-to-image models: the negative of an image, and a drawing of its edges."""

import reproducible

import numpy as np
import tensorflow as tf
from PIL import Image
from sklearn.datasets import load_sample_images

from arithmetic import denormalized, normalized
from bundle import Bundle, described, save_picture
from conversion import convert
from litert import Runner
from pictures import prepared

NEGATIVE_SIDE = 96
PAPER_SIDE = 194
DRAWING_SIDE = PAPER_SIDE - 2
PHOTOGRAPH_SIZE = 288, 192
TOLERANCE = 3
DRAWING_TOLERANCE = 8  # slopes add up what neighboring pixels differ by

LUMA = np.float32([0.299, 0.587, 0.114]).reshape(1, 1, 3, 1)
ACROSS = np.float32([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]).reshape(3, 3, 1, 1) / 2


class Negative(tf.Module):
    @tf.function(
        input_signature=[tf.TensorSpec([1, NEGATIVE_SIDE, NEGATIVE_SIDE, 3], tf.float32, "picture")]
    )
    def run(self, picture):
        return {"negative": 1 - picture}


class Pencil(tf.Module):
    """Applies the Sobel filter to the luma, as dark lines on white; borders are omitted."""

    @tf.function(
        input_signature=[tf.TensorSpec([1, PAPER_SIDE, PAPER_SIDE, 3], tf.float32, "photograph")]
    )
    def run(self, photograph):
        brightness = tf.nn.conv2d(photograph, LUMA, 1, "VALID")
        slopes = np.concatenate([ACROSS, ACROSS.transpose(1, 0, 2, 3)], axis=3)
        across_and_down = tf.nn.conv2d(brightness, slopes, 1, "VALID")
        steepness = tf.sqrt(tf.reduce_sum(across_and_down * across_and_down, 3, keepdims=True))
        paper = tf.nn.relu(1 - steepness)
        return {"drawing": tf.concat([paper, paper, paper], 3)}


def squares():
    """Ramps of red and green, and squares of blue: reveals every error in color or order."""
    rows, columns = np.mgrid[0:NEGATIVE_SIDE, 0:NEGATIVE_SIDE]
    blue = (rows // 12 + columns // 12) % 2 * 255
    ramp = 255 / (NEGATIVE_SIDE - 1)
    return Image.fromarray(np.stack([columns * ramp, rows * ramp, blue], 2).astype(np.uint8))


def photograph():
    """Returns the smaller temple photograph of scikit-learn's two sample photographs."""
    samples = load_sample_images()
    names = [name.rsplit("/", 1)[-1] for name in samples.filenames]
    picture = Image.fromarray(samples.images[names.index("china.jpg")])
    return picture.resize(PHOTOGRAPH_SIZE, Image.Resampling.LANCZOS)


def image_layer(name, side, direction):
    standard = {"standard": "[0,1]"}
    return {"name": name, "type": "image", "shape": [side, side, 3], "format": "RGB", direction: standard}


def write(bundle, run, side, output, pictures):
    """Writes the samples and the expected images."""
    for name, picture in pictures.items():
        answer = Image.fromarray(denormalized(run(normalized(prepared(picture, side, "RGB")))[0]))
        save_picture(answer, bundle.path / "expected" / name)
        bundle.add_sample(name, picture, {output: f"expected/{name}"})


PHOTOGRAPH_CREDIT = """\
`temple.png` is a smaller version of `china.jpg` of scikit-learn's sample photographs: by danielbuechele, some
rights reserved, Creative Commons Attribution 2.0 (https://creativecommons.org/licenses/by/2.0/)."""


def make_negative(pictures):
    model = convert(Negative(), ["picture"], ["negative"])
    run = Runner(model)
    description = described(
        name="Negative",
        id="negative",
        details="Inverts an image: 255 minus each pixel value",
        kind="image.filter",
        inputs=[image_layer("picture", NEGATIVE_SIDE, "normalize")],
        outputs=[image_layer("negative", NEGATIVE_SIDE, "denormalize")],
    )
    bundle = Bundle(description, model)
    write(bundle, run, NEGATIVE_SIDE, "negative", pictures)
    pixels = prepared(pictures["squares.png"], NEGATIVE_SIDE, "RGB")
    exact = np.array_equal(denormalized(run(normalized(pixels))[0]), 255 - pixels)
    assert exact, "the negative must be exact"
    bundle.finish(
        tolerance=TOLERANCE,
        measured="exact on `squares.png`",
        card=f"""
## What it does

The input is an image (cropped to its center square and resized to {NEGATIVE_SIDE}×{NEGATIVE_SIDE}), the output its negative:
1 − value on float values from 0 to 1, which is 255 − pixel. `squares.png` has the model's size, so its
result is exact; the other expected images in `expected/` allow a tolerance of ±{TOLERANCE} for differences in
resampling.

## Data

None. {PHOTOGRAPH_CREDIT}

`squares.png` is drawn by `make_picture_filters.py`.

## Reproducing

`Models/train-all`
""",
    )


def make_pencil(pictures):
    model = convert(Pencil(), ["photograph"], ["drawing"])
    description = described(
        name="Pencil",
        id="pencil",
        details="Converts a photograph into a pencil drawing of its edges",
        kind="image.filter",
        inputs=[image_layer("photograph", PAPER_SIDE, "normalize")],
        outputs=[image_layer("drawing", DRAWING_SIDE, "denormalize")],
    )
    bundle = Bundle(description, model)
    write(bundle, Runner(model), PAPER_SIDE, "drawing", pictures)
    bundle.finish(
        tolerance=DRAWING_TOLERANCE,
        measured="not applicable: a fixed filter, not trained",
        card=f"""
## What it does

The input is a photograph ({PAPER_SIDE}×{PAPER_SIDE}), the output a drawing ({DRAWING_SIDE}×{DRAWING_SIDE}, because border pixels lack
neighbors). The output is 1 minus the magnitude of the Sobel gradient of the luma
(0.299 red + 0.587 green + 0.114 blue), at least 0. `expected/` contains the expected drawing with a
tolerance of ±{DRAWING_TOLERANCE}, because gradients accumulate the differences of neighboring pixels.

## Data

None. {PHOTOGRAPH_CREDIT}

## Reproducing

`Models/train-all`
""",
    )


def main():
    temple = {"temple.png": photograph()}
    make_negative({"squares.png": squares()} | temple)
    make_pencil(temple)


if __name__ == "__main__":
    main()
