"""Spoken digits: the log-mel spectrogram of a second of sound in, a score for each digit out."""

import multiprocessing
import shutil

import reproducible

import numpy as np
import tensorflow as tf

from bundle import EXAMPLES, Bundle, described
from conversion import FrozenNetwork, convert
from litert import Runner
from sounds import log_mel, padded, save_sound
from synthesized_sounds import LABELS, synthesized
from synthesized_speech import (
    ACCENTS, BANDS, DIGITS, FEATURES, HELD_OUT_OTHERS, HELD_OUT_VOICES, NOISES, OTHERS, RATE, VOICES, Voice,
    random_voice, recording, recordings,
)  # fmt: skip

FRAMES = 80
LENGTH = FEATURES["window"] + (FRAMES - 1) * FEATURES["hop"]
HOP = 800
LAYER = {
    "name": "sound",
    "type": "audio",
    "shape": [1, FRAMES, BANDS],
    "rate": RATE,
    "hop": HOP,
    # A window has this many samples that the window before has too.
    "context": LENGTH - HOP,
    "features": FEATURES,
}
# A digit is trained from its end to this many seconds later, so that several windows in a row recognize it.
HEARD = 0.32
# Windows that end so many seconds before or after those that have a digit are not trained.
UNCERTAIN = 0.1
# No digit.
NONE = len(DIGITS)
# Numbers of recordings with words, and how many of them there are for each one without.
TRAINED, HELD_OUT, PER_OTHER = 2400, 300, 8
# The windows of an epoch: of each digit, and of no digit.
PER_DIGIT, PER_NONE = 2200, 18000
EPOCHS = 9
TASK = {"type": "keyword", "words": DIGITS, "threshold": 0.4, "min_steps": 2, "pause": 0.5}
TOLERANCE = 0.01
# The noise in the table of the card, in decibels below the words.
BACKGROUNDS = [50, 30, 20, 10, 5, 0]
# The texts of the recordings in Examples/Data: single digits, three digits, and other words.
SINGLE_FILES, TRIPLE_FILES, OTHER_FILES = 20, 5, 5


def frames(sound):
    """Returns the spectrogram of all windows of a sound, which share frames."""
    return log_mel(padded(sound, LAYER), LAYER)


def labels_of(words, count):
    """Returns the digit of a window that begins at each frame, `NONE`, or -1 where that is uncertain."""
    ends = (np.arange(count - FRAMES + 1) * FEATURES["hop"] + HOP) / RATE
    labels = np.full(len(ends), NONE)
    for word in words:
        later = ends - word.end / RATE
        heard = (later >= 0) & (later < HEARD)
        if word.text in DIGITS:
            labels[(later >= -UNCERTAIN) & (later < HEARD + UNCERTAIN)] = -1
            labels[heard] = DIGITS.index(word.text)
        else:
            labels[heard] = NONE
    return labels


class WindowSet:
    """The windows of recordings, from which training draws."""

    def __init__(self, made):
        self.sounds, positions, labels = [], [], []
        start = 0
        for sound, words in made:
            self.sounds.append(frames(sound))
            found = labels_of(words, len(self.sounds[-1]))
            positions.append(start + np.arange(len(found)))
            labels.append(found)
            start += len(self.sounds[-1])
        self.sounds, positions, labels = map(np.concatenate, (self.sounds, positions, labels))
        self.positions = [positions[labels == label] for label in range(NONE + 1)]

    def drawn(self, random):
        """Returns the windows and labels of an epoch in random order."""
        counts = [PER_DIGIT] * NONE + [PER_NONE]
        starts = np.concatenate([random.choice(self.positions[label], count) for label, count in enumerate(counts)])
        order = random.permutation(len(starts))
        return starts[order], np.repeat(np.arange(NONE + 1), counts)[order]

    def windows(self, starts):
        return self.sounds[starts[:, None] + np.arange(FRAMES)]


def without_speech(random):
    """Returns a recording of noise, silence and other sounds."""
    kinds = random.choice(LABELS, random.integers(2, 6))
    sound = np.concatenate([synthesized(random, kind, int(random.uniform(0.5, 2) * RATE)) for kind in kinds])
    return sound, []


def network():
    layers = tf.keras.layers

    def convolution(channels, strides):
        return [
            layers.Conv2D(channels, 3, strides, "same", use_bias=False),
            layers.BatchNormalization(),
            layers.ReLU(),
        ]

    return tf.keras.Sequential(
        [
            layers.Input((FRAMES, BANDS, 1)),
            *convolution(12, (2, 2)),
            *convolution(24, (2, 2)),
            *convolution(40, (2, 1)),
            *convolution(48, (2, 2)),
            layers.Flatten(),
            layers.Dropout(0.3),
            layers.Dense(NONE + 1, activation="softmax"),
        ]
    )


def trained(made):
    drawn_from, random = WindowSet(made), np.random.default_rng([reproducible.SEED, 7])
    model = network()
    per_epoch = (PER_DIGIT * NONE + PER_NONE) // 64
    rate = tf.keras.optimizers.schedules.CosineDecay(3e-3, EPOCHS * per_epoch)
    model.compile(tf.keras.optimizers.Adam(rate), "sparse_categorical_crossentropy")

    def batches():
        while True:
            starts, labels = drawn_from.drawn(random)
            for first in range(0, per_epoch * 64, 64):
                yield drawn_from.windows(starts[first : first + 64])[..., None], labels[first : first + 64]

    model.fit(batches(), steps_per_epoch=per_epoch, epochs=EPOCHS, verbose=0)
    return model


class Recognizer(FrozenNetwork):
    @tf.function(input_signature=[tf.TensorSpec([1, FRAMES, BANDS], tf.float32, "sound")])
    def run(self, sound):
        return {"digits": self.applied(sound[..., None])[:, :NONE]}


def scores_of(run, sound):
    """Returns the scores of the digits in each window of a sound."""
    found = frames(sound)
    step = HOP // FEATURES["hop"]
    return np.stack([run(found[start : start + FRAMES])[0] for start in range(0, len(found) - FRAMES + 1, step)])


def heard(scores):
    """Returns the digits that are heard, as the task does."""
    found, last, steps = [], {}, np.zeros(NONE, int)
    for number, window in enumerate(scores):
        steps = np.where(window >= TASK["threshold"], steps + 1, 0)
        time = (number + 1) * HOP / RATE
        for digit in np.flatnonzero(steps >= TASK["min_steps"]):
            if time >= last.get(digit, -np.inf) + TASK["pause"]:
                last[digit] = time
                found.append(DIGITS[digit])
    return found


class Measures:
    """Counts over recordings of digits that were spoken, of those that were heard, and of both."""

    def __init__(self, run, made):
        self.seconds = sum(len(sound) for sound, _ in made) / RATE
        self.recordings, self.right = len(made), 0
        self.spoken = self.heard = self.both = 0
        for sound, words in made:
            digits = [word.text for word in words if word.text in DIGITS]
            found = heard(scores_of(run, sound))
            self.spoken += len(digits)
            self.heard += len(found)
            self.both += sum(min(digits.count(digit), found.count(digit)) for digit in DIGITS)
            self.right += digits == found

    @property
    def recall(self):
        return self.both / self.spoken if self.spoken else 0

    @property
    def precision(self):
        return self.both / self.heard if self.heard else 0

    @property
    def false_per_minute(self):
        return (self.heard - self.both) / (self.seconds / 60)


def recording_set(seed, count, **settings):
    return recordings(np.random.default_rng([reproducible.SEED, seed]), count, **settings)


def single_digits(seed, count):
    """Returns recordings of one digit in held-out voices."""
    random = np.random.default_rng([reproducible.SEED, seed])
    return [
        recording(random, [DIGITS[number % NONE]], random_voice(random, HELD_OUT_VOICES), around=(0.15, 0.35))
        for number in range(count)
    ]


def samples():
    """Returns recordings by file name, in a held-out voice."""
    random = np.random.default_rng([reproducible.SEED, 5])

    def spoken_by(texts, variant, speed, noise):
        voice = Voice("en", variant, 50, speed)
        return recording(
            random, texts, voice, noises=(noise, noise), other_sounds=0, pauses=(0.3, 0.6), around=(0.3, 0.4)
        )[0]

    return {
        "number.wav": spoken_by(["four", "two", "zero", "eight", "one"], "f3", 160, 35),
        "seven.wav": spoken_by(["seven"], "f3", 150, 40),
        "words.wav": spoken_by(["hello", "nine", "thunder", "three"], "m7", 170, 20),
    }


def save_held_out():
    """Writes recordings in held-out voices and their digits for `tensorio evaluate`."""
    random = np.random.default_rng([reproducible.SEED, 6])
    folder = EXAMPLES / "Data" / "spoken-digits-held-out"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    texts = [[DIGITS[number % NONE]] for number in range(SINGLE_FILES)]
    texts += [list(random.choice(DIGITS, 3)) for _ in range(TRIPLE_FILES)]
    texts += [[word] for word in random.choice(HELD_OUT_OTHERS, OTHER_FILES, replace=False)]
    for number, words in enumerate(texts):
        variant = HELD_OUT_VOICES[number % len(HELD_OUT_VOICES)]
        voice = random_voice(random, [variant])
        sound, _ = recording(random, words, voice, other_sounds=0, pauses=(0.05, 0.3), around=(0.1, 0.35))
        save_sound(sound, RATE, folder / f"{number:02}.wav")
        (folder / f"{number:02}.txt").write_text(" ".join(words) + "\n")


def description():
    return described(
        name="Spoken digits",
        id="spoken-digits",
        details="Recognizes the English digits from zero to nine in recordings and streams of speech",
        kind="audio.keyword.digits",
        inputs=[LAYER],
        outputs=[{"name": "digits", "type": "array", "shape": [1, NONE], "role": "scores"}],
        task=TASK,
    )


def card(single, measures, without, by_background):
    rows = "\n".join(
        f"| {level} dB | {found.recall:.1%} | {found.precision:.1%} |" for level, found in by_background.items()
    )
    return f"""
## What it does

The input is a sound of any length. TensorIO converts it to one channel at {RATE} samples per second and divides it into windows of
{LENGTH / RATE:.4g} seconds, {HOP / RATE} seconds apart. The model takes the log-mel spectrogram of a window, {FRAMES} frames of {BANDS} bands,
and returns a score for each digit, which is high if the digit has just ended. A digit is heard when its score reaches {TASK['threshold']} in
{TASK['min_steps']} windows in a row, and not again within {TASK['pause']} seconds.

```sh
tensorio run Examples/Bundles/spoken-digits.tiobundle Examples/Bundles/spoken-digits.tiobundle/samples/number.wav
arecord -q -f S16_LE -r 16000 | tensorio stream Examples/Bundles/spoken-digits.tiobundle -
```

## Data

Generated by `synthesized_speech.py`: digits, and {len(OTHERS)} other words that are not to be recognized, which eSpeak NG speaks with {len(VOICES)} variants
of its voice in {len(ACCENTS)} accents of English, with random pitch, speed, pauses, rooms, levels and noise, {NOISES[0]} to {NOISES[1]} dB below the words. A
part of the pauses, and recordings without words, have other sounds: those of the bundle `tones`.

## Training

Four convolutions with batch normalization, and a dense layer with softmax: `train_spoken_digits.py`. {TRAINED} recordings of five to nine words; each of
the {EPOCHS} epochs draws {PER_DIGIT} windows of each digit and {PER_NONE} of none; seed {reproducible.SEED}. A window has a digit if that ended at most
{HEARD} seconds before the end of the window.

## Accuracy

Measured by LiteRT on recordings with {len(HELD_OUT_VOICES)} other variants of the voice and {len(HELD_OUT_OTHERS)} other words, neither of which were
trained:

| recordings | digits | recall | precision | false per minute | all right |
|---|---|---|---|---|---|
| {single.recordings} of one digit | {single.spoken} | {single.recall:.1%} | {single.precision:.1%} | {single.false_per_minute:.2g} | {single.right / single.recordings:.1%} |
| {measures.recordings} of five to nine words | {measures.spoken} | {measures.recall:.1%} | {measures.precision:.1%} | {measures.false_per_minute:.2g} | {measures.right / measures.recordings:.1%} |
| {without.recordings} of other words | | | | {without.false_per_minute:.2g} | {without.right / without.recordings:.1%} |

Recall is the part of the spoken digits that were heard, precision the part of the heard ones that were spoken. *All right* are recordings whose digits
were heard in their order, and nothing else.

Recordings without other sounds, by the level of the words above the noise:

| words above noise | recall | precision |
|---|---|---|
{rows}

`Examples/Data/spoken-digits-held-out` contains {SINGLE_FILES + TRIPLE_FILES + OTHER_FILES} more recordings in those voices: {SINGLE_FILES} of one digit, {TRIPLE_FILES} of three,
and {OTHER_FILES} of other words.

## Limitations

Trained with synthesized voices only, and measured with voices of the same program: the accuracy for voices of people is not known.
Other words that resemble a digit are recognized as one, as the table shows, and *won*, *ate* and *for* sound like digits. The threshold, the number of windows and the
pause were chosen with recordings of the trained voices.

## Reproducing

`Models/train-all`
"""


def save(model):
    """Measures a model, and writes its bundle and recordings."""
    run = Runner(model)
    save_held_out()
    held_out = {"variants": HELD_OUT_VOICES, "others": HELD_OUT_OTHERS}
    single = Measures(run, single_digits(2, HELD_OUT * 2))
    measures = Measures(run, recording_set(3, HELD_OUT, **held_out))
    without = Measures(run, recording_set(4, HELD_OUT // 2, digits=0, **held_out))
    by_background = {
        level: Measures(run, recording_set(5, HELD_OUT // 6, noises=(level, level), other_sounds=0, **held_out))
        for level in BACKGROUNDS
    }

    bundle = Bundle(description(), model)
    for name, sound in samples().items():
        means = [round(float(score), 4) for score in np.mean(scores_of(run, sound), axis=0)]
        bundle.add_sound(name, sound, RATE, {"digits": means})
    bundle.finish(
        TOLERANCE,
        f"recall {single.recall:.1%} and precision {single.precision:.1%} of {single.spoken} single digits, "
        f"{measures.recall:.1%} and {measures.precision:.1%} of {measures.spoken} among other words, in voices that were not trained",
        card(single, measures, without, by_background),
    )


def main():
    random = np.random.default_rng([reproducible.SEED, 8])
    others = [without_speech(random) for _ in range(TRAINED // PER_OTHER)]
    model = convert(Recognizer(trained(recording_set(1, TRAINED) + others)), ["sound"], ["digits"])
    # What eSpeak NG returns depends on what it spoke before. In a new process, the recordings do not depend on training.
    with multiprocessing.get_context("spawn").Pool(1) as process:
        process.apply(save, (model,))


if __name__ == "__main__":
    main()
