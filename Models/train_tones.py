"""Synthesized sounds: a log-mel spectrogram in, seven labeled scores out."""

import shutil

import reproducible

import numpy as np
import tensorflow as tf

from bundle import EXAMPLES, Bundle, described
from conversion import FrozenNetwork, convert
from litert import Runner
from sounds import as_stored, log_mel, save_sound, window_length, windows
from synthesized_sounds import (
    BACKGROUNDS, LABELS, LEVELS, NOISE_LEVELS, RATE, SILENCE_LEVELS, synthesized,
    with_neighbor,
)  # fmt: skip

FRAMES, BANDS = 48, 32
LAYER = {
    "name": "sound",
    "type": "audio",
    "shape": [1, FRAMES, BANDS],
    "rate": RATE,
    "hop": 2000,
    "features": {
        "type": "log-mel",
        "window": 200,
        "hop": 80,
        "fft": 256,
        "bands": BANDS,
        "low": 60,
        "high": 3800,
        "offset": 1e-5,
        "scale": 0.1,
        "bias": 0.25,
    },
}
TRAINED, HELD_OUT = 1200, 200
HELD_OUT_FILES = 4
EPOCHS = 10
# The backgrounds of the table in the card, in decibels below the sound.
LOUD_BACKGROUNDS = [40, 20, 10, 5, 0]
TOLERANCE = 0.05
SAMPLE_BACKGROUNDS = (-60, -40)
# Sounds one after another, of 0.6 seconds each.
SEQUENCE = ["tone", "silence", "bell", "noise"]


def window_of(random, label, background=BACKGROUNDS, neighbors=0.0):
    """Returns the spectrogram of a window, with a part of another sound at this probability."""
    sound = synthesized(random, label, window_length(LAYER), background)
    if random.random() < neighbors:
        sound = with_neighbor(random, sound)
    return log_mel(as_stored(sound), LAYER)


def sound_set(seed, count, **settings):
    """Returns spectrograms and labels, `count` of each kind."""
    random = np.random.default_rng([reproducible.SEED, seed])
    kinds = np.repeat(np.arange(len(LABELS)), count)
    return np.stack([window_of(random, LABELS[kind], **settings) for kind in kinds]), kinds


def trained(spectrograms, kinds):
    layers = tf.keras.layers
    network = tf.keras.Sequential(
        [
            layers.Input((FRAMES, BANDS, 1)),
            layers.Conv2D(12, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(20, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Conv2D(32, 3, padding="same", activation="relu"),
            layers.MaxPooling2D(),
            layers.Flatten(),
            layers.Dropout(0.4),
            layers.Dense(len(LABELS), activation="softmax"),
        ]
    )
    rate = tf.keras.optimizers.schedules.CosineDecay(2e-3, EPOCHS * len(spectrograms) // 64)
    network.compile(tf.keras.optimizers.Adam(rate), "sparse_categorical_crossentropy")
    network.fit(spectrograms[..., None], kinds, batch_size=64, epochs=EPOCHS, verbose=0)
    return network


class Classifier(FrozenNetwork):
    @tf.function(input_signature=[tf.TensorSpec([1, FRAMES, BANDS], tf.float32, "sound")])
    def run(self, sound):
        return {"classification": self.applied(sound[..., None])}


def confusion(run, spectrograms, kinds):
    """Returns the number of windows of each kind by the kind with the highest score."""
    counts = np.zeros((len(LABELS), len(LABELS)), int)
    for spectrogram, kind in zip(spectrograms, kinds, strict=True):
        counts[kind, np.argmax(run(spectrogram)[0])] += 1
    return counts


def scores_of(run, sound):
    """Returns the mean scores over the windows of a sound."""
    return np.mean([run(log_mel(window, LAYER))[0] for window in windows(sound, LAYER)], axis=0)


def samples(run):
    """Returns sounds and their scores by file name: the first of each kind that the model recognizes.

    `sequence.wav` contains several sounds.
    """
    random = np.random.default_rng([reproducible.SEED, 5])

    def sound(labels, length):
        parts = [synthesized(random, label, round(length * RATE), SAMPLE_BACKGROUNDS) for label in labels]
        return as_stored(np.concatenate(parts))

    def recognized(label):
        while True:
            found = sound([label], 1)
            scores = scores_of(run, found)
            if np.argmax(scores) == LABELS.index(label):
                return found, scores

    chosen = {f"{label}.wav": recognized(label) for label in ("bell", "knocks", "sweep")}
    sequence = sound(SEQUENCE, 0.6)
    return chosen | {"sequence.wav": (sequence, scores_of(run, sequence))}


def save_held_out():
    """Writes some sounds of one window each for `tensorio evaluate`, a folder per label."""
    random = np.random.default_rng([reproducible.SEED, 6])
    folder = EXAMPLES / "Data" / "tones-held-out"
    shutil.rmtree(folder, ignore_errors=True)
    for label in LABELS:
        (folder / label).mkdir(parents=True)
        for number in range(HELD_OUT_FILES):
            sound = synthesized(random, label, window_length(LAYER))
            save_sound(sound, RATE, folder / label / f"{number}.wav")


def description():
    return described(
        name="Synthesized sounds",
        id="tones",
        details=f"Recognizes synthesized sounds: {', '.join(LABELS)}",
        kind="audio.classification.tones",
        inputs=[LAYER],
        outputs=[
            {"name": "classification", "type": "array", "shape": [1, len(LABELS)], "labels": "labels.txt"}
        ],
        task={"type": "classification"},
    )


def table(counts):
    rows = [f"| {label} | " + " | ".join(map(str, row)) + " |" for label, row in zip(LABELS, counts)]
    return "\n".join([f"| | {' | '.join(LABELS)} |", "|---" * (len(LABELS) + 1) + "|", *rows])


def right(counts):
    return np.trace(counts)


def card(alone, mixed, by_background):
    rows = "\n".join(f"| {level} dB | {accuracy:.1%} |" for level, accuracy in by_background.items())
    return f"""
## What it does

The input is a sound of any length. TensorIO converts it to one channel at {RATE} samples per second and
divides it into windows of {window_length(LAYER) / RATE:.3f} seconds, {LAYER['hop'] / RATE} seconds apart. The model
takes the log-mel spectrogram of a window, {FRAMES} frames of {BANDS} bands, and returns a score for each of
{len(LABELS)} kinds of sounds:

| label | sound |
|---|---|
| bell | decaying partials that are not multiples of one frequency |
| buzz | a sawtooth, square or pulse wave of 60 to 700 Hz |
| knocks | short hollow bursts at regular intervals |
| noise | steady noise: white, pink, brown or in a wide band |
| silence | at most {SILENCE_LEVELS[1]} dB |
| sweep | a sine that rises or falls by more than half an octave, or a siren |
| tone | a sine of 150 to 3500 Hz, with or without vibrato |

The scores of a sound are the means over its windows; the timeline has the sections in which one kind has
the highest score. A window that contains two sounds should have the label of the longer one.

## Data

Generated by `synthesized_sounds.py`, without recordings: random pitch, timing, timbre and loudness (peaks
of {LEVELS[0]} to {LEVELS[1]} dB, noise {NOISE_LEVELS[0]} to {NOISE_LEVELS[1]} dB), with background noise of
{-BACKGROUNDS[1]} to {-BACKGROUNDS[0]} dB below the sound. The samples are such sounds, the first
of each kind that the model recognizes; `sequence.wav` contains
{', '.join(SEQUENCE[:-1])} and {SEQUENCE[-1]}, one after another.

## Training

Three convolutions, each with a pooling layer, and a dense layer with softmax: `train_tones.py`.
{TRAINED} windows of each kind, {EPOCHS} epochs, seed {reproducible.SEED}. Half of the windows begin or end with
another sound or padding, for at most two fifths of their length.

## Accuracy

Measured by LiteRT on windows that the same program generates with other seeds, {HELD_OUT} of each kind:

| windows | correct | accuracy |
|---|---|---|
| with one sound | {right(alone)} of {alone.sum()} | {right(alone) / alone.sum():.2%} |
| that begin or end with another sound | {right(mixed)} of {mixed.sum()} | {right(mixed) / mixed.sum():.2%} |

The windows with two sounds by the label with the highest score, in columns:

{table(mixed)}

Windows with one sound and another background, by the level of the sound above it, without `noise` and
`silence`:

| sound above noise | accuracy |
|---|---|
{rows}

`Examples/Data/tones-held-out` contains {HELD_OUT_FILES} more sounds of each kind, one folder per label.

## Limitations

Trained on synthesized sounds only. Recordings of instruments, voices or machines are labeled with one
of the kinds too, usually with a high score. Sounds between {SILENCE_LEVELS[1]} and {LEVELS[0]} dB were not in the
training data.

## Reproducing

`Models/train-all`
"""


def main():
    network = trained(*sound_set(1, TRAINED, neighbors=0.5))
    model = convert(Classifier(network), ["sound"], ["classification"])
    run = Runner(model)
    save_held_out()
    alone = confusion(run, *sound_set(2, HELD_OUT))
    mixed = confusion(run, *sound_set(3, HELD_OUT, neighbors=1))
    loud = [LABELS.index(label) for label in LABELS if label not in ("noise", "silence")]
    by_background = {}
    for level in LOUD_BACKGROUNDS:
        found = confusion(run, *sound_set(4, HELD_OUT // 2, background=(-level, -level)))[loud]
        by_background[level] = found[range(len(loud)), loud].sum() / found.sum()

    bundle = Bundle(description(), model)
    bundle.add_labels(LABELS)
    for name, (sound, scores) in samples(run).items():
        rounded = [round(float(score), 4) for score in scores]
        bundle.add_sound(name, sound, RATE, {"classification": rounded})
    bundle.finish(
        TOLERANCE,
        f"{right(alone) / alone.sum():.2%} of {alone.sum()} held-out sounds, "
        f"{right(mixed) / mixed.sum():.2%} of those that begin or end with another sound",
        card(alone, mixed, by_background),
    )


if __name__ == "__main__":
    main()
