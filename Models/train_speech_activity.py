"""Voice activity: a log-mel spectrogram and a state in, the probability of speech and the next state out."""

import reproducible

import numpy as np
import tensorflow as tf

from bundle import Bundle, described
from conversion import FrozenNetwork, convert
from litert import Runner
from sounds import log_mel, padded
from synthesized_sounds import LABELS, synthesized
from synthesized_speech import (
    ACCENTS, BANDS, DIGITS, FEATURES, HELD_OUT_OTHERS, HELD_OUT_VOICES, NOISES, OTHERS, RATE, VOICES, Voice,
    random_voice, recording, recordings,
)  # fmt: skip

FRAMES, STATE = 4, 40
HOP = 100 * FRAMES
LAYER = {
    "name": "sound",
    "type": "audio",
    "shape": [1, FRAMES, BANDS],
    "rate": RATE,
    "hop": HOP,
    # The samples that the last frame of a window shares with the first one of the next.
    "context": FEATURES["window"] - FEATURES["hop"],
    "features": FEATURES,
}
# Numbers of recordings with words, and how many of them there are for each one without.
TRAINED, HELD_OUT, PER_OTHER = 2400, 300, 4
# The number of windows of a sequence in training: 6 seconds.
STEPS = 120
EPOCHS = 14
TOLERANCE = 0.01
THRESHOLD = 0.5
# The noise in the table of the card, in decibels below the words.
BACKGROUNDS = [50, 30, 20, 10, 5, 0]
TASK = {"type": "activity", "threshold": THRESHOLD, "min_speech": 0.15, "min_silence": 0.2, "padding": 0.05}


def spectrograms(sound):
    """Returns the spectrograms of the windows of a sound, which share no frames."""
    return log_mel(padded(sound, LAYER), LAYER).reshape(-1, FRAMES, BANDS)


def speech_of(words, count):
    """Returns 1 for each of a number of windows whose middle is in a word."""
    middles = np.arange(count) * HOP + HOP // 2
    return np.float32([any(word.start <= middle < word.end for word in words) for middle in middles])


def without_speech(random):
    """Returns a recording of noise, silence and other sounds."""
    kinds = random.choice(LABELS, random.integers(1, 5))
    return np.concatenate([synthesized(random, kind, int(random.uniform(0.5, 3) * RATE)) for kind in kinds])


def recording_set(seed, count, **settings):
    """Returns the spectrograms of windows, and whether they have speech, of each recording."""
    random = np.random.default_rng([reproducible.SEED, seed])
    return [labeled(sound, words) for sound, words in recordings(random, count, **settings)]


def labeled(sound, words):
    found = spectrograms(sound)
    return found, speech_of(words, len(found))


def sequences(sets):
    """Returns spectrograms and labels of sequences of equal length, and which windows count."""
    inputs, labels, weights = [], [], []
    for found, speech in sets:
        for start in range(0, len(found), STEPS):
            missing = STEPS - len(found[start : start + STEPS])
            inputs.append(np.pad(found[start : start + STEPS], ((0, missing), (0, 0), (0, 0))))
            labels.append(np.pad(speech[start : start + STEPS], (0, missing)))
            weights.append(np.pad(np.ones(STEPS - missing, np.float32), (0, missing)))
    return np.stack(inputs), np.stack(labels)[..., None], np.stack(weights)


def trained(sets):
    """Returns a network that takes the spectrogram of a window and a state."""
    layers = tf.keras.layers
    first, cell = layers.Dense(48, activation="relu"), layers.GRUCell(STATE)
    last = layers.Dense(1, activation="sigmoid")
    sound = layers.Input((None, FRAMES, BANDS))
    hidden = first(layers.Reshape((-1, FRAMES * BANDS))(sound))
    network = tf.keras.Model(sound, last(layers.RNN(cell, return_sequences=True)(hidden)))
    inputs, labels, weights = sequences(sets)
    rate = tf.keras.optimizers.schedules.CosineDecay(3e-3, EPOCHS * len(inputs) // 32)
    network.compile(tf.keras.optimizers.Adam(rate), "binary_crossentropy")
    network.fit(inputs, labels, sample_weight=weights, batch_size=32, epochs=EPOCHS, verbose=0)

    window, state = layers.Input((FRAMES, BANDS)), layers.Input((STATE,))
    output, [following] = cell(first(layers.Flatten()(window)), [state])
    return tf.keras.Model([window, state], [last(output), following])


class Detector(FrozenNetwork):
    @tf.function(
        input_signature=[
            tf.TensorSpec([1, FRAMES, BANDS], tf.float32, "sound"),
            tf.TensorSpec([1, STATE], tf.float32, "state"),
        ]
    )
    def run(self, sound, state):
        speech, following = self.applied([sound, state])
        return {"speech": speech, "next_state": following}


def outputs(run, found):
    """Returns the probability of speech, and the next state, for each window of a recording."""
    state, speech, states = np.zeros(STATE, np.float32), [], []
    for window in found:
        probability, state = run(window, state)
        speech.append(probability[0])
        states.append(state)
    return np.stack(speech), np.stack(states)


class Measures:
    """Counts of windows with and without speech, and of those that the model finds."""

    def __init__(self, run, sets):
        pairs = [(outputs(run, found)[0] >= THRESHOLD, speech > 0) for found, speech in sets]
        detected, speech = (np.concatenate(side) for side in zip(*pairs))
        self.count = len(speech)
        self.accuracy = np.mean(detected == speech)
        self.recall = np.mean(detected[speech]) if speech.any() else 0
        self.false_alarms = np.mean(detected[~speech])


def samples():
    """Returns recordings by file name: words with pauses, words in noise, and sounds without speech."""
    random = np.random.default_rng([reproducible.SEED, 5])
    voice = random_voice(random, HELD_OUT_VOICES)

    def spoken_by(texts, voice, **settings):
        return recording(random, texts, voice, pauses=(0.4, 0.9), around=(0.6, 0.8), other_sounds=0, **settings)[0]

    return {
        "digits.wav": spoken_by(["four", "seven", "one", "nine"], Voice("en", "f3", 50, 160), noises=(40, 40)),
        "noise.wav": spoken_by(["hello", "three", "five"], voice, noises=(10, 10)),
        "sounds.wav": np.concatenate(
            [synthesized(random, kind, RATE // 2) for kind in ("knocks", "silence", "sweep", "bell")]
        ),
    }


def description():
    return described(
        name="Speech activity",
        id="speech-activity",
        details="Finds the sections of a recording in which someone speaks",
        kind="audio.activity.speech",
        inputs=[LAYER, {"name": "state", "type": "array", "shape": [1, STATE]}],
        outputs=[
            {"name": "speech", "type": "array", "shape": [1, 1], "role": "scores"},
            {"name": "next-state", "type": "array", "shape": [1, STATE]},
        ],
        state=[{"input": "state", "output": "next-state"}],
        task=TASK,
    )


def card(measures, without, by_background):
    rows = "\n".join(
        f"| {level} dB | {found.accuracy:.1%} | {found.recall:.1%} | {found.false_alarms:.1%} |"
        for level, found in by_background.items()
    )
    return f"""
## What it does

The input is a sound of any length. TensorIO converts it to one channel at {RATE} samples per second and divides it into
windows of {HOP / RATE:.2f} seconds. The model takes the log-mel spectrogram of a window, {FRAMES} frames of {BANDS} bands, and its state
after the window before, and returns the probability that someone speaks. TensorIO makes sections of the probabilities:
speech begins at {THRESHOLD}, a pause of {TASK['min_silence']} seconds ends a section, and sections up to {TASK['min_speech']} seconds are left out.

```sh
tensorio run Examples/Bundles/speech-activity.tiobundle Examples/Bundles/speech-activity.tiobundle/samples/digits.wav
```

`tensorio stream` prints the probability of each window while sound arrives, also that of a microphone.

## Data

Generated by `synthesized_speech.py`: words that eSpeak NG speaks with {len(VOICES)} variants of its voice in {len(ACCENTS)} accents of
English, with random pitch, speed, pauses, rooms, levels and noise, {NOISES[0]} to {NOISES[1]} dB below the words. A part of the pauses, and
a fifth of the recordings, has other sounds: those of the bundle `tones`. A window has speech if its middle is between the beginning and the
end of a word.

## Training

A dense layer, a gated recurrent unit with {STATE} values, and a dense layer: `train_speech_activity.py`. {TRAINED} recordings with
{len(DIGITS) + len(OTHERS)} words, {EPOCHS} epochs, seed {reproducible.SEED}.

## Accuracy

Measured by LiteRT on recordings with {len(HELD_OUT_VOICES)} other variants of the voice, with the digits and {len(HELD_OUT_OTHERS)} words that were
not trained:

| recordings | windows | correct | of the windows with speech, found | of those without, false alarms |
|---|---|---|---|---|
| {HELD_OUT} with words | {measures.count} | {measures.accuracy:.1%} | {measures.recall:.1%} | {measures.false_alarms:.1%} |
| {HELD_OUT // PER_OTHER} without speech | {without.count} | {without.accuracy:.1%} | | {without.false_alarms:.1%} |

Most errors are windows in which a word begins or ends: the model sees no sound after a window.

Recordings without other sounds, by the level of the words above the noise:

| words above noise | correct | found | false alarms |
|---|---|---|---|
{rows}

## Limitations

Trained with synthesized voices only, and measured with voices of the same program: the accuracy for voices of people is not known.
Music, animals and several people at a time were not in the training data.

## Reproducing

`Models/train-all`
"""


def made_without_speech(seed, count):
    random = np.random.default_rng([reproducible.SEED, seed])
    return [labeled(without_speech(random), []) for _ in range(count)]


def save(model):
    """Measures a model, and writes its bundle."""
    run = Runner(model)
    held_out = {"variants": HELD_OUT_VOICES, "others": HELD_OUT_OTHERS}
    measures = Measures(run, recording_set(3, HELD_OUT, **held_out))
    without = Measures(run, made_without_speech(6, HELD_OUT // PER_OTHER))
    by_background = {
        level: Measures(run, recording_set(4, HELD_OUT // 6, noises=(level, level), other_sounds=0, **held_out))
        for level in BACKGROUNDS
    }

    bundle = Bundle(description(), model)
    for name, sound in samples().items():
        speech, states = outputs(run, spectrograms(sound))
        last = [round(float(value), 4) for value in states[-1]]
        bundle.add_sound(name, sound, RATE, {"speech": [round(float(np.mean(speech)), 4)], "next-state": last})
    bundle.finish(
        TOLERANCE,
        f"{measures.accuracy:.1%} of {measures.count} windows of recordings with voices that were not trained",
        card(measures, without, by_background),
    )


def main():
    network = trained(recording_set(1, TRAINED) + made_without_speech(2, TRAINED // PER_OTHER))
    save(convert(Detector(network), ["sound", "state"], ["speech", "next-state"]))


if __name__ == "__main__":
    main()
