"""Handwritten digits: an image in, ten labeled scores out; in float and fully quantized."""

import reproducible

import numpy as np
import tensorflow as tf
from PIL import Image, ImageOps

from arithmetic import dequantized, normalized
from bundle import EXAMPLES, Bundle, described, save_picture
from conversion import FrozenNetwork, convert
from digits import LABELS, PAPER, SAMPLE_SIDE, drawn, split
from litert import Runner
from pictures import prepared

SIDE = 32
HELD_OUT_SIDE = 64
VARIATIONS = 12
EPOCHS = 12


def varied(picture, random):
    """Augments an image: rotation, scale, offset and contrast, inverted half of the time."""
    angle, scale = random.uniform(-0.2, 0.2), random.uniform(0.9, 1.35)
    shift = random.uniform(-0.08, 0.08, 2) * picture.width
    cosine, sine, center = np.cos(angle) * scale, np.sin(angle) * scale, picture.width / 2
    moved = picture.transform(
        picture.size,
        Image.Transform.AFFINE,
        (
            cosine, -sine, center - center * (cosine - sine) + shift[0],
            sine, cosine, center - center * (sine + cosine) + shift[1],
        ),
        Image.Resampling.BILINEAR,
        fillcolor=PAPER,
    )
    dark, light = random.integers(0, 80), random.integers(176, 256)
    ends = (dark, light) if random.random() < 0.5 else (light, dark)
    return moved.point(np.linspace(*ends, 256).round().astype(int).tolist())


def training_set(levels, digits):
    """Returns every example once unchanged and several times augmented."""
    random = np.random.default_rng(reproducible.SEED)
    originals = [drawn(example, HELD_OUT_SIDE) for example in levels]
    pictures = originals + [
        varied(picture, random) for _ in range(VARIATIONS) for picture in originals
    ]
    pixels = np.stack([prepared(picture, SIDE, "L") for picture in pictures])
    return normalized(pixels), np.tile(digits, VARIATIONS + 1)


def trained(images, digits):
    layers = tf.keras.layers
    network = tf.keras.Sequential(
        [
            layers.Input((SIDE, SIDE, 1)),
            layers.Conv2D(8, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(16, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dropout(0.3),
            layers.Dense(10, activation="softmax"),
        ]
    )
    rate = tf.keras.optimizers.schedules.CosineDecay(2e-3, EPOCHS * len(images) // 64)
    network.compile(tf.keras.optimizers.Adam(rate), "sparse_categorical_crossentropy")
    network.fit(images, digits, batch_size=64, epochs=EPOCHS, verbose=0)
    return network


class Classifier(FrozenNetwork):
    @tf.function(input_signature=[tf.TensorSpec([1, SIDE, SIDE, 1], tf.float32, "image")])
    def run(self, image):
        return {"classification": self.applied(image)}


def calibration(images):
    """Returns calibration examples; pure black and white make the input's scale exactly 1/255."""
    yield from ([image[None]] for image in images[:500])
    yield from ([np.full((1, SIDE, SIDE, 1), value, np.float32)] for value in (0, 1))


def classifier_of_pictures(model, quantized):
    """Computes ten scores of an image with the arithmetic that model.json declares."""
    run = Runner(model)

    def scores(picture):
        pixels = prepared(picture, SIDE, "L")
        if quantized:
            return dequantized(run(pixels)[0], "[0,1]")
        return run(normalized(pixels))[0]

    return scores


def right(scores, pictures, digits):
    """Returns the number of correctly classified images."""
    return sum(np.argmax(scores(picture)) == digit for picture, digit in zip(pictures, digits))


def samples(levels, digits, classifiers):
    """Returns the first held-out example per digit that all models classify correctly, and one on slate."""

    def first(digit, count):
        pictures = (drawn(example, SAMPLE_SIDE) for example in levels[digits == digit])
        return [
            picture
            for picture in pictures
            if all(np.argmax(scores(picture)) == digit for scores in classifiers)
        ][:count]

    chosen = {}
    for digit in range(10):
        for number, picture in enumerate(first(digit, 2 if digit in (3, 8) else 1), start=1):
            chosen[f"{digit}-{number}.png"] = picture
    chosen["5-slate.png"] = on_slate(chosen["5-1.png"])
    return chosen


def on_slate(picture):
    """Draws chalk on a wide green slate, which exercises cropping and grayscale conversion."""
    chalk = ImageOps.colorize(ImageOps.invert(picture), (24, 58, 44), (236, 240, 228))
    slate = Image.new("RGB", (picture.width * 3 // 2, picture.height), (24, 58, 44))
    slate.paste(chalk, ((slate.width - chalk.width) // 2, 0))
    return slate


def description(quantized):
    image = {"name": "image", "type": "image", "shape": [SIDE, SIDE, 1], "format": "GRAY"}
    scores = {"name": "classification", "type": "array", "shape": [10], "labels": "labels.txt"}
    if quantized:
        scores["dequantize"] = {"standard": "[0,1]"}
    else:
        image["normalize"] = {"standard": "[0,1]"}
    return described(
        name="Handwritten digits" + (", quantized" if quantized else ""),
        id="digits" + ("-quantized" if quantized else ""),
        details="Recognizes handwritten digits from 0 to 9"
        + (", fully quantized to 8-bit integers" if quantized else ""),
        kind="image.classification.digits",
        inputs=[image],
        outputs=[scores],
        quantized=quantized,
    )


def card(model, quantized, counts):
    run = Runner(model)
    form = (
        "Fully quantized after training: weights int8, input and output uint8. Pixels are passed\n"
        "unchanged, because the input tensor's quantization is pixel/255:\n"
        + "\n".join(f"- {line}" for line in run.quantization())
        + "\n\nLiteRT fixes the scale of softmax at 1/256, while the declared range `[0,1]` divides by\n"
        "255: scores are at most 1/255 higher than with the tensor's own scale."
        if quantized
        else "float32 throughout; `[0,1]` normalization divides the pixel by 255."
    )
    return f"""
## What it does

The input is a {SIDE}×{SIDE} grayscale image, the output ten scores labeled `0` to `9`. The model was
trained on dark ink on white paper and on chalk on slate, with one digit that fills most of the
image. Other images (photographs, several digits) are labeled with a digit too.

{form}

## Data

Optical Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak, UCI Machine Learning
Repository, DOI 10.24432/C50P49, license CC BY 4.0; the 1797 examples of 8×8 pixels and 17 levels
in scikit-learn's `load_digits`. Changed for this model: enlarged with a bicubic
filter, drawn as dark ink on white paper, and augmented for training (rotation, scale, offset,
contrast, inversion). The images in `samples/` are such drawings and have the same license.

## Training

Three convolutions, each with a pooling layer, and a dense layer with softmax: `train_digits.py`.
Four fifths of the examples are for training ({counts['trained']}, each once unchanged and {VARIATIONS} times
augmented, {EPOCHS} epochs, seed {reproducible.SEED}); one fifth is held out by a stratified split with the
same seed.

## Accuracy

Measured by LiteRT on the {counts['held out']} held-out examples, preprocessed as in TensorIO (center
crop, Lanczos from {HELD_OUT_SIDE}×{HELD_OUT_SIDE} to {SIDE}×{SIDE}):

| images | correct | accuracy |
|---|---|---|
| dark on light | {counts['right']} of {counts['held out']} | {counts['right'] / counts['held out']:.2%} |
| light on dark | {counts['right inverted']} of {counts['held out']} | {counts['right inverted'] / counts['held out']:.2%} |

The held-out images are in `Examples/Data/digits-held-out`, one folder per label. The samples are
the first of each digit that both the float and the quantized model classify correctly;
`expected.json` contains their scores.

## Reproducing

`Models/train-all`
"""


def write_held_out(pictures, digits):
    folder = EXAMPLES / "Data" / "digits-held-out"
    for number, (picture, digit) in enumerate(zip(pictures, digits)):
        save_picture(picture, folder / str(digit) / f"{number:03}.png")


def main():
    train_levels, test_levels, train_digits, test_digits = split()
    images, digits = training_set(train_levels, train_digits)
    owner = Classifier(trained(images, digits))
    layers = ["image"], ["classification"]
    models = {
        False: convert(owner, *layers),
        True: convert(owner, *layers, examples=lambda: calibration(images)),
    }
    classifiers = {form: classifier_of_pictures(model, form) for form, model in models.items()}
    held_out = [drawn(example, HELD_OUT_SIDE) for example in test_levels]
    write_held_out(held_out, test_digits)
    chosen = samples(test_levels, test_digits, classifiers.values())
    for quantized, model in models.items():
        scores = classifiers[quantized]
        counts = {
            "trained": len(train_digits),
            "held out": len(test_digits),
            "right": right(scores, held_out, test_digits),
            "right inverted": right(scores, map(ImageOps.invert, held_out), test_digits),
        }
        bundle = Bundle(description(quantized), model)
        bundle.add_labels(LABELS)
        for name, picture in chosen.items():
            answer = [round(float(score), 4) for score in scores(picture)]
            bundle.add_sample(name, picture, {"classification": answer})
        bundle.finish(
            tolerance=0.05,
            measured=f"{counts['right'] / counts['held out']:.2%} of {counts['held out']} held-out images",
            card=card(model, quantized, counts),
        )


if __name__ == "__main__":
    main()
