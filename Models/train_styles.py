"""Two models: one computes the style vector of an image, the other paints photographs in that style."""

import base64
import io

import reproducible

import numpy as np
import tensorflow as tf
from PIL import Image

from arithmetic import denormalized, normalized
from bundle import JPEG_QUALITY, Bundle, described, save_picture
from conversion import convert
from drawn_faces import identity, portrait
from drawn_styles import STYLES
from litert import Runner
from photographs import CREDIT, HELD_OUT, TRAINING, photographs, piece
from pictures import prepared
from style_networks import (
    MARGIN, SIDE, STYLE_SIDE, VALUES, Describing, Painting, describing_network, painting_network,
)  # fmt: skip
from texture import LUMA, Texture, difference, structure, unlikeness

LEARNING_SIDE = 96
STEPS = 600
BATCH = 4
RATE = 3e-3
CONTENTS = 300
PICTURES_OF_A_STYLE = 6
CONTENT_WEIGHT = 0.4
HELD_OUT_CONTENTS = 10
TOLERANCE = {"predict": 0.02, "transform": 6}


# Training


def contents():
    """Returns crops of photographs, and some drawn faces."""
    random = np.random.default_rng(reproducible.SEED)
    size = LEARNING_SIDE, LEARNING_SIDE
    pieces = [piece(random, size, TRAINING) for _ in range(CONTENTS * 3 // 4)]
    faces = [portrait(random, identity(random), LEARNING_SIDE, TRAINING)[0] for _ in range(CONTENTS // 4)]
    return values_of(pieces + faces)


def values_of(pictures):
    return normalized(np.stack([np.asarray(picture) for picture in pictures]))


def drawn(seed, count):
    """Returns some images of each style."""
    random = np.random.default_rng(seed)
    return [[draw(random) for _ in range(count)] for draw in STYLES.values()]


def small(style_picture):
    return normalized(prepared(style_picture, STYLE_SIDE, "RGB"))


def usual_texture(texture, styles):
    """Returns the target moments of each style."""
    by_style = [
        [[tf.reduce_mean(part, 0) for part in level] for level in texture(values_of(pictures))]
        for pictures in styles
    ]
    return [[tf.stack(parts) for parts in zip(*level)] for level in zip(*by_style)]


def trained():
    styles = drawn(reproducible.SEED, PICTURES_OF_A_STYLE)
    style_pictures = np.stack([[small(picture) for picture in group] for group in styles])
    describe = describing_network(np.concatenate(style_pictures))
    paint, texture = painting_network(LEARNING_SIDE), Texture()
    usual = usual_texture(texture, styles)
    variables = describe.trainable_variables + paint.trainable_variables
    optimizer = tf.keras.optimizers.Adam(tf.keras.optimizers.schedules.CosineDecay(RATE, STEPS))
    optimizer.build(variables)

    @tf.function
    def step(pictures, examples, kinds):
        with tf.GradientTape() as tape:
            painted = paint([pictures, describe(examples)])
            wanted = [[tf.gather(part, kinds) for part in level] for level in usual]
            style = tf.reduce_mean(difference(texture(painted), wanted))
            loss = style + CONTENT_WEIGHT * unlikeness(structure(painted), structure(pictures))
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))

    for batch in batches(style_pictures):
        step(*batch)
    whole = painting_network(SIDE, MARGIN)
    whole.set_weights(paint.get_weights())
    return describe, whole


def batches(style_pictures):
    """Returns photographs, style images, and the indices of their styles."""
    random = np.random.default_rng(reproducible.SEED)
    pictures = contents()
    for _ in range(STEPS):
        kinds = random.integers(len(STYLES), size=BATCH)
        chosen = style_pictures[kinds, random.integers(PICTURES_OF_A_STYLE, size=BATCH)]
        yield pictures[random.integers(CONTENTS, size=BATCH)], chosen, tf.constant(kinds)


def trained_models():
    describe, paint = trained()
    return (
        convert(Describing(describe), ["picture"], ["style"], half=True),
        convert(Painting(paint), ["picture", "style"], ["painting"], half=True),
    )


# Evaluation


class Pair:
    """Both models, loaded."""

    def __init__(self, predict, transform):
        self.predict, self.transform = Runner(predict), Runner(transform)

    def style(self, picture):
        return self.predict(small(picture))[0]

    def painting(self, picture, style):
        return self.transform(normalized(prepared(picture, SIDE, "RGB")), style)[0]


def measured(pair):
    """Returns how often a painting is nearest to its own style, and the luminance correlation."""
    random = np.random.default_rng(reproducible.SEED + 1)
    pictures = [piece(random, (SIDE, SIDE), HELD_OUT) for _ in range(HELD_OUT_CONTENTS)]
    styles = drawn(reproducible.SEED + 1, 1)
    texture = Texture()
    usual = usual_texture(texture, drawn(reproducible.SEED, PICTURES_OF_A_STYLE))
    nearest, kept = [], []
    for kind, (style_picture,) in enumerate(styles):
        for picture in pictures:
            painting = pair.painting(picture, pair.style(style_picture))
            nearest.append(int(np.argmin(difference(texture(painting[None]), usual))) == kind)
            kept.append(likeness(painting, normalized(np.asarray(picture))))
    return {"nearest": sum(nearest), "paintings": len(nearest), "kept": float(np.mean(kept))}


def likeness(one, other):
    """Returns the luminance correlation of two images, at an eighth of their size."""
    lumas = [tf.nn.avg_pool2d((picture @ LUMA)[None, ..., None], 8, 8, "VALID") for picture in (one, other)]
    return float(np.corrcoef(*(np.ravel(luma) for luma in lumas))[0, 1])


# Writing


def picture_layer(name, side, direction):
    standard = {"standard": "[0,1]"}
    return {"name": name, "type": "image", "shape": [side, side, 3], "format": "RGB", direction: standard}


def style_layer():
    return {"name": "style", "type": "array", "shape": [VALUES]}


def predict_description():
    return described(
        name="Style of an image",
        id="style-predict",
        details=f"Computes a {VALUES}-dimensional style vector of an image for `style-transform`",
        kind="image.style.predict",
        inputs=[picture_layer("picture", STYLE_SIDE, "normalize")],
        outputs=[style_layer()],
    )


def transform_description():
    return described(
        name="Picture in a style",
        id="style-transform",
        details="Paints a photograph in the style given by a vector of `style-predict`",
        kind="image.style.transform",
        inputs=[picture_layer("picture", SIDE, "normalize"), style_layer()],
        outputs=[picture_layer("painting", SIDE, "denormalize") | {"role": "image"}],
        task={"type": "style"},
    )


def write_predict(model, pair, style_pictures, summary, card):
    bundle = Bundle(predict_description(), model)
    for name, picture in style_pictures.items():
        file = f"{name}.jpg"
        bundle.add_sample(file, picture, None)
        values = pair.style(Image.open(bundle.path / "samples" / file))
        bundle.expected[file] = {"style": [round(float(value), 4) for value in values]}
    bundle.finish(tolerance=TOLERANCE["predict"], measured=summary, card=card)


def write_transform(model, pair, style_pictures, summary, card):
    """Writes samples as documents with both inputs; the image file is in base64."""
    bundle = Bundle(transform_description(), model)
    for subject, style in ("temple", "waves"), ("flower", "mosaic"):
        file = jpeg(subjects()[subject])
        vector = [round(float(value), 4) for value in pair.style(style_pictures[style])]
        painting = pair.painting(Image.open(io.BytesIO(file)), vector)
        answer = f"expected/{subject}-{style}.png"
        save_picture(Image.fromarray(denormalized(painting)), bundle.path / answer)
        sample = {"picture": "base64:" + base64.b64encode(file).decode(), "style": vector}
        bundle.add_sample(f"{subject}-{style}.json", sample, {"painting": answer})
    bundle.finish(tolerance=TOLERANCE["transform"], measured=summary, card=card)


def subjects():
    """Returns both photographs, preprocessed."""
    pictures = [Image.fromarray(prepared(picture, SIDE, "RGB")) for picture in photographs()]
    return dict(zip(("temple", "flower"), pictures))


def jpeg(picture):
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=JPEG_QUALITY)
    return file.getvalue()


def summary_of(facts):
    return (
        f"{facts['nearest']} of {facts['paintings']} paintings of held-out photographs are nearest to their own"
        f" of {len(STYLES)} styles, with a luminance correlation of {facts['kept']:.2f}"
    )


BOTH = f"""\
## Data

Six styles drawn by `drawn_styles.py`: {", ".join(STYLES)}. The painted images are crops of {CREDIT}
Training images come from the left {TRAINING[1]:.0%} of the photographs, evaluation images from the rest.
A quarter of the training images are drawn faces (`drawn_faces.py`).

## Training

Both networks are trained together: {STEPS} steps of {BATCH} crops of {LEARNING_SIDE}×{LEARNING_SIDE}, seed {reproducible.SEED} (`train_styles.py`). The
style loss compares the means and covariances of random filter responses at four scales between the
painting and images of the style (`texture.py`). The content loss compares the luminance at two scales,
independent of contrast. Weights are stored as float16.

## Evaluation

Of {HELD_OUT_CONTENTS} held-out crops, each painted in all styles of style images not used for training: the share of
paintings whose texture is nearest to that of their own style, and the correlation of their luminance with
that of the photograph, at an eighth of the size.

Only the six styles were trained; other images are mapped to a mixture of them.

## Reproducing

`Models/train-all`
"""


def predict_card():
    return f"""
## What it does

The input is an image ({STYLE_SIDE}×{STYLE_SIDE}, cropped to its center square), the output a vector of {VALUES} values from
-1 to 1 for `style-transform`. Interpolated vectors represent intermediate styles. The samples are
images of the six styles, drawn after training.

{BOTH}"""


def transform_card():
    return f"""
## What it does

The inputs are an image ({SIDE}×{SIDE}, cropped to its center square) and a style vector of {VALUES} values; the
output is a painting of the same size. The style determines the scale and offset of each channel
(conditional instance normalization). `expected/` contains the paintings of the samples with a tolerance
of ±{TOLERANCE['transform']}. The samples are documents with both inputs, with JPEG files of the two photographs in base64.

{BOTH}"""


def write(models):
    pair = Pair(*models)
    summary = summary_of(measured(pair))
    style_pictures = {name: group[0] for name, group in zip(STYLES, drawn(reproducible.SEED + 2, 1))}
    write_predict(models[0], pair, style_pictures, summary, predict_card())
    write_transform(models[1], pair, style_pictures, summary, transform_card())


def main():
    write(trained_models())


if __name__ == "__main__":
    main()
