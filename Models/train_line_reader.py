"""The characters of an image with one line of text."""

import shutil

import reproducible

import numpy as np
import tensorflow as tf
from PIL import Image

from arithmetic import normalized
from bundle import EXAMPLES, Bundle, described, save_picture
from conversion import FrozenNetwork, convert
from drawn_lines import CHARACTERS, FONTS, OTHER_FONTS, line
from litert import Runner
from photographs import CREDIT, HELD_OUT, TRAINING
from pictures import boxed

HEIGHT, WIDTH = 24, 256
COLUMNS = WIDTH // 2
# The blank, the characters, and a space, which is the class after those of the file.
CLASSES = 1 + len(CHARACTERS) + 1
CLASS_OF = {character: place for place, character in enumerate([*CHARACTERS, " "], 1)}
MOST_CHARACTERS = 40
CHANNELS = 16, 32, 56, 96
TRAINING_LINES, EPOCHS, BATCH, RATE = 48_000, 2, 16, 2e-3
HELD_OUT_LINES = 500
WRITTEN_LINES = 15  # of each kind of font
SAMPLES = 3
TOLERANCE = 0.05

layers = tf.keras.layers


def prepared(picture):
    return boxed(picture, (WIDTH, HEIGHT), "L", centered=False)


def line_set(seed, count, part, **settings):
    """Returns images of lines with their texts."""
    random = np.random.default_rng([reproducible.SEED, seed])
    return [line(random, part, **settings) for _ in range(count)]


def classes_of(text):
    """Returns the class of each character, and 0 after the last one."""
    classes = np.zeros(MOST_CHARACTERS, np.int32)
    classes[: len(text)] = [CLASS_OF[character] for character in text]
    return classes


def loss(expected, scores):
    """Connectionist temporal classification."""
    count = tf.shape(scores)[0]
    losses = tf.nn.ctc_loss(
        tf.sparse.from_dense(tf.cast(expected, tf.int32)), scores, None, tf.fill([count], COLUMNS),
        logits_time_major=False, blank_index=0,
    )  # fmt: skip
    return tf.reduce_mean(losses)


def convolution(values, channels, size, stride=1, padding="same"):
    values = layers.Conv2D(channels, size, stride, padding=padding, use_bias=False)(values)
    return layers.ReLU()(layers.BatchNormalization(momentum=0.9)(values))


def untrained():
    """Returns a network whose columns are two pixels wide: it halves the height in three steps, and the width in one."""
    first, second, third, fourth = CHANNELS
    picture = layers.Input((HEIGHT, WIDTH, 1))
    values = convolution(picture, first, 3, 2)
    values = convolution(values, second, 3, (2, 1))
    values = convolution(values, third, 3, (2, 1))
    values = layers.ZeroPadding2D((0, 1))(values)
    values = convolution(values, fourth, 3, padding="valid")
    values = layers.Reshape((COLUMNS, fourth))(values)
    for _ in range(2):
        found = layers.Conv1D(fourth, 5, padding="same", use_bias=False)(values)
        values = layers.Add()([values, layers.ReLU()(layers.BatchNormalization(momentum=0.9)(found))])
    return tf.keras.Model(picture, layers.Dense(CLASSES)(layers.Dropout(0.1)(values)))


class Reader(FrozenNetwork):
    @tf.function(input_signature=[tf.TensorSpec([1, HEIGHT, WIDTH, 1], tf.float32, "line")])
    def run(self, line):
        return {"characters": tf.nn.softmax(self.applied(line))}


def trained_model():
    training = line_set(1, TRAINING_LINES, TRAINING)
    images = normalized(np.stack([prepared(picture) for picture, _ in training]))
    texts = np.stack([classes_of(text) for _, text in training])
    network = untrained()
    rates = tf.keras.optimizers.schedules.CosineDecay(RATE, EPOCHS * len(images) // BATCH)
    network.compile(tf.keras.optimizers.Adam(rates, clipnorm=5.0), loss, jit_compile=False)
    network.fit(images, texts, batch_size=BATCH, epochs=EPOCHS, verbose=2)
    return convert(Reader(network), ["line"], ["characters"], half=True)


def scores_of(run, picture):
    return run(normalized(prepared(picture)))[0]


def text_of(scores):
    """Returns the text of the best class of each column."""
    best = scores.argmax(-1)
    kept = best[(best != 0) & (best != np.concatenate([[0], best[:-1]]))]
    return "".join([*CHARACTERS, " "][place - 1] for place in kept)


def edits(one, other):
    """Returns the number of characters to insert, remove or replace."""
    row = np.arange(len(other) + 1)
    for place, first in enumerate(one, 1):
        before, row = row, np.full_like(row, place)
        for column, second in enumerate(other, 1):
            row[column] = min(before[column] + 1, row[column - 1] + 1, before[column - 1] + (first != second))
    return int(row[-1])


def measured(run, lines):
    """Returns the parts of characters and of lines that are right."""
    found = [(text_of(scores_of(run, picture)), text) for picture, text in lines]
    wrong = sum(edits(read, text) for read, text in found)
    return 1 - wrong / sum(len(text) for _, text in found), np.mean([read == text for read, text in found])


def save_held_out():
    """Writes lines for `tensorio evaluate`: half in fonts that were trained, half in another one."""
    folder = EXAMPLES / "Data" / "lines-held-out"
    shutil.rmtree(folder, ignore_errors=True)
    lines = line_set(4, WRITTEN_LINES, HELD_OUT, held_out=True)
    lines += line_set(5, WRITTEN_LINES, HELD_OUT, held_out=True, fonts=OTHER_FONTS)
    for number, (picture, _) in enumerate(lines):
        save_picture(picture, folder / "images" / f"{number:02}.png")
    rows = [f"images/{number:02}.png\t{text}\n" for number, (_, text) in enumerate(lines)]
    (folder / "lines.txt").write_text("".join(rows))


def description():
    return described(
        name="Characters of a line",
        id="line-reader",
        details="Reads an image of one line of digits and Latin letters",
        kind="image.text.lines",
        inputs=[
            {
                "name": "line", "type": "image", "shape": [HEIGHT, WIDTH, 1], "format": "GRAY", "fit": "letterbox",
                "fit_anchor": "top-left", "normalize": {"standard": "[0,1]"},
            }
        ],
        outputs=[
            {"name": "characters", "type": "array", "shape": [1, COLUMNS, CLASSES], "role": "character_scores"}
        ],
        task={"type": "text-line", "characters": "characters.txt", "min_score": 0.3},
    )  # fmt: skip


def card(known, other):
    return f"""
## What it does

The input is an image of one line of text. TensorIO converts it to gray and fits it into the upper left corner of
{WIDTH}×{HEIGHT} pixels, with black after it. The output has the probability of each of {CLASSES} classes in each of {COLUMNS}
columns: no character, {len(CHARACTERS)} characters (`{''.join(CHARACTERS)}`) and the space. TensorIO takes the
best class of each column, drops repetitions, and drops the class for no character.

The chain `reading` runs it on each line that `line-detector` finds.

## Data

Drawn by `drawn_lines.py`, which documents the rules, in five typefaces: Aileron, which Pillow contains, Caladea, Hanken
Grotesk, Source Sans and Source Serif (licenses: Apache-2.0 and SIL OFL 1.1). Half of the words are made up. The backgrounds of two fifths of the lines are crops of
{CREDIT}
Training images use crops from the left {TRAINING[1]:.0%} of the photographs, held-out images the rest.

`Examples/Data/lines-held-out` contains {2 * WRITTEN_LINES} further held-out lines with their texts.

## Training

Four convolutions, which reduce the height to 1 and the width to one half, and two along the line, with
connectionist temporal classification: {TRAINING_LINES} lines, {EPOCHS} epochs, seed {reproducible.SEED}. Weights are stored as
float16.

## Accuracy

Measured by LiteRT on {HELD_OUT_LINES} held-out lines each, with words that are not in the training data:

| typefaces | characters | lines without an error |
|---|---|---|
| the five of the training | {known[0]:.1%} | {known[1]:.1%} |
| Manrope, which was not trained | {other[0]:.1%} | {other[1]:.1%} |

The part of characters is 1 minus the edits divided by the characters of the texts.

## Limitations

It reads no other characters, and no more than about 25 in a line, because longer lines are reduced to fit. `I` and `l`, and `O`
and `0`, look alike in several typefaces, so that only the case of their neighbors distinguishes them. Handwriting, and type
that is condensed or decorative, were not in the training data.

## Reproducing

`Models/train-all`
"""


def add_samples(bundle, run):
    """Adds the first lines of another seed that are read without an error."""
    candidates = line_set(6, 40, HELD_OUT, held_out=True)
    right = [(picture, text) for picture, text in candidates if text_of(scores_of(run, picture)) == text]
    for number, (picture, _) in enumerate(right[:SAMPLES], 1):
        name = f"{number}.png"
        bundle.add_sample(name, picture, None)
        saved = Image.open(bundle.path / "samples" / name)
        bundle.expect(name, {"characters": np.round(scores_of(run, saved).astype(float), 3).tolist()})


def main():
    model = trained_model()
    run = Runner(model)
    known = measured(run, line_set(2, HELD_OUT_LINES, HELD_OUT, held_out=True, fonts=FONTS))
    other = measured(run, line_set(3, HELD_OUT_LINES, HELD_OUT, held_out=True, fonts=OTHER_FONTS))
    bundle = Bundle(description(), model)
    bundle.add_asset("characters.txt", CHARACTERS)
    add_samples(bundle, run)
    bundle.finish(
        TOLERANCE,
        f"{known[0]:.1%} of the characters and {known[1]:.1%} of {HELD_OUT_LINES} held-out lines",
        card(known, other),
    )
    save_held_out()


if __name__ == "__main__":
    main()
