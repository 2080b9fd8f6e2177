"""Recordings of words that eSpeak NG speaks, in many voices, with pauses, noise and other sounds.

| parameter | variation |
|---|---|
| voice | an accent of English and a variant of eSpeak NG, a part of which is held out |
| pitch | 20 to 80 of 100 |
| speed | 110 to 240 words per minute |
| pauses | 0.05 to 0.9 seconds between words, short ones more often |
| other sounds | one in eight pauses has a bell, a buzz, knocks, a sweep or a tone |
| room | an echo that fades in 0.05 to 0.3 seconds, for 3 of 10 recordings |
| level | peaks of -24 to -1 dB |
| noise | white, pink or brown, 3 to 50 dB below the words |

The package `espeakng-loader` contains the program as a library.
"""

import ctypes
import functools
from dataclasses import dataclass

import espeakng_loader
import numpy as np
from scipy.signal import fftconvolve, resample_poly

from reproducible import SEED
from sounds import as_stored
from synthesized_sounds import SHAPES, amplitude

RATE = 8000
# The spectrogram that the models of speech take.
BANDS = 24
FEATURES = {
    "type": "log-mel",
    "window": 200,
    "hop": 100,
    "fft": 256,
    "bands": BANDS,
    "low": 60,
    "high": 3800,
    "offset": 1e-6,
    "scale": 0.1,
    "bias": 0.5,
}

DIGITS = "zero one two three four five six seven eight nine".split()
OTHERS = """
about after again apple away baby because before better bird black blue book bread bring brown build call carry chair
change children city clean clock close cloud coffee color come cook corner country day door down dream drink early
evening every eye face family far fast father find finger fire fish floor flower follow food forest friend garden give
glass go good green hand happy hat heart hello help home house hour how kitchen know lamp large later learn leave left
letter light listen little long look love machine make many milk minute moon morning mother mountain music name near
never new night no now number off old on open orange orchard other outside over page paper people phone picture play
please question quick rain read red remember ride right river road room run school sea second see sheep shirt shop short
show sing sister sit sleep slow small snow some soon sound spring star start stop story street summer sun table take
thank thing time today together tomorrow train travel tree under up very voice wait walk wall warm wash watch water
weather when where white who why window winter with woman word work world write yellow yes young
""".split()
# Words that were not trained, for measurements.
HELD_OUT_OTHERS = """
above animal autumn bottle bridge brother butter candle circle dinner dog energy engine market maybe island kite pencil
photo pocket quiet ribbon silver sugar teacher thunder village wonder
""".split()

ACCENTS = ["en", "en-us", "en-us-nyc", "en-gb-scotland", "en-gb-x-rp", "en-gb-x-gbcwmd", "en-029"]
VOICES = """
Alex Alicia Andrea Andy Denis Diogo Gene Henrique Hugo Jacky Lee Marco Michael Nguyen Reed adam anika antonio aunty belinda
boris caleb david edward f1 f2 f4 f5 grandma ian iven john klatt klatt2 klatt5 linda m1 m2 m3 m4 m6 m8 marcelo max miguel
norbert paul quincy rob shelby steph sandro travis zac
""".split()
HELD_OUT_VOICES = "Annie Mario ed f3 grandpa iven3 klatt4 m5 m7 michel pablo pedro robert steph3 victor".split()

PITCHES, SPEEDS = (20, 80), (110, 240)
PAUSES = (0.05, 0.9)
OTHER_SOUNDS, SOUND_LENGTHS = 1 / 8, (0.1, 0.6)
ROOMS, ECHOES = 0.3, (0.05, 0.3)
LEVELS, WORD_LEVELS = (-24, -1), (-8, 0)
NOISES = (3, 50)
# The part of its peak below which a recording is silence.
QUIET = 0.02

# Numbers in the header of the library.
SYNCHRONOUS, BY_CHARACTER, UTF8 = 2, 1, 1
SPEED, PITCH = 1, 3


class Speaker:
    """The library, which speaks with one voice at a time."""

    def __init__(self):
        self.library = ctypes.CDLL(espeakng_loader.get_library_path())
        folder = espeakng_loader.get_data_path().encode()
        self.rate = self.library.espeak_Initialize(SYNCHRONOUS, 0, folder, 0)
        assert self.rate > 0, "eSpeak NG does not find its data"
        # It draws random numbers, such as the flutter of a voice.
        self.library.espeak_ng_SetRandSeed(ctypes.c_long(SEED))
        self.pieces = []
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
        self.callback = kind(self.collect)
        self.library.espeak_SetSynthCallback(self.callback)

    def collect(self, samples, count, _):
        if samples and count:
            self.pieces.append(np.ctypeslib.as_array(samples, (count,)).copy())
        return 0

    def speak(self, text, voice):
        """Returns the samples of a text, from its first to its last sound."""
        name = f"{voice.accent}+{voice.variant}"
        assert self.library.espeak_SetVoiceByName(name.encode()) == 0, f"there is no voice {name}"
        self.library.espeak_SetParameter(PITCH, voice.pitch, 0)
        self.library.espeak_SetParameter(SPEED, voice.speed, 0)
        self.pieces = []
        written = text.encode()
        self.library.espeak_Synth(written, len(written) + 1, 0, BY_CHARACTER, 0, UTF8, None, None)
        return without_silence(resample_poly(np.concatenate(self.pieces) / 32768, RATE, self.rate))


@dataclass(frozen=True)
class Voice:
    accent: str
    variant: str
    pitch: int
    speed: int


@dataclass(frozen=True)
class Word:
    """A word in a recording, with the samples at which it begins and ends."""

    text: str
    start: int
    end: int


def without_silence(sound):
    heard = np.flatnonzero(np.abs(sound) > QUIET * np.abs(sound).max())
    return sound[heard[0] : heard[-1] + 1]


@functools.cache
def speaker():
    return Speaker()


def random_voice(random, variants):
    accent, variant = ACCENTS[random.integers(len(ACCENTS))], variants[random.integers(len(variants))]
    return Voice(accent, variant, int(random.integers(*PITCHES)), int(random.integers(*SPEEDS)))


def spoken(text, voice):
    """Returns a word with a peak of 1."""
    sound = speaker().speak(text, voice)
    return sound / np.abs(sound).max()


def noise(random, length):
    """Returns white, pink or brown noise with a root mean square of 1."""
    slope = random.choice([0, 0.5, 1])
    frequencies = np.fft.rfftfreq(length, 1 / RATE)
    shaped = np.fft.rfft(random.normal(0, 1, length)) / np.maximum(frequencies, 20) ** slope
    sound = np.fft.irfft(shaped, length)
    return sound / np.sqrt(np.mean(sound**2))


def in_room(random, sound):
    """Returns a sound with the echo of a room."""
    length = random.uniform(*ECHOES)
    times = np.arange(int(length * RATE)) / RATE
    # The echo has lost 60 dB at its end.
    echo = random.normal(0, 1, len(times)) * np.exp(-6.9 * times / length)
    echo *= random.uniform(0.2, 0.8) / np.sqrt(np.sum(echo**2))
    echo[0] = 1
    return fftconvolve(sound, echo)[: len(sound)]


def pause(random, bounds, other_sounds):
    """Returns what is between two words: silence, at this probability with another sound in it."""
    low, high = bounds
    silence = np.zeros(int((low + (high - low) * random.random() ** 2) * RATE))
    if random.random() >= other_sounds:
        return silence
    sound = SHAPES[random.choice(list(SHAPES))](random, int(random.uniform(*SOUND_LENGTHS) * RATE))
    peak = max(np.abs(sound).max(), 1e-9)
    return np.concatenate([silence, sound / peak * amplitude(random.uniform(-20, 0)), silence])


def recording(
    random, texts, voice, noises=NOISES, other_sounds=OTHER_SOUNDS, pauses=PAUSES, around=(0, 0.9),
):  # fmt: skip
    """Returns a recording of words with pauses, as stored in a WAV file, and its words.

    `around` has the bounds of the silence before the first and after the last word, in seconds.
    """
    pieces, words = [np.zeros(int(random.uniform(*around) * RATE))], []
    for text in texts:
        position = sum(map(len, pieces))
        sound = spoken(text, voice) * amplitude(random.uniform(*WORD_LEVELS))
        words.append(Word(text, position, position + len(sound)))
        pieces += [sound, pause(random, pauses, other_sounds)]
    pieces[-1] = np.zeros(int(random.uniform(*around) * RATE))
    sound = np.concatenate(pieces)
    if random.random() < ROOMS:
        sound = in_room(random, sound)
    peak = np.abs(sound).max()
    # The root mean square of speech is about a fifth of its peak.
    background = noise(random, len(sound)) * amplitude(-random.uniform(*noises)) * peak / 5
    level = amplitude(random.uniform(*LEVELS)) / peak
    return as_stored(np.clip((sound + background) * level, -1, 1)), words


def random_texts(random, count, others=OTHERS, digits=0.65):
    """Returns digits and other words in random order."""
    return [
        DIGITS[random.integers(len(DIGITS))] if random.random() < digits else others[random.integers(len(others))]
        for _ in range(count)
    ]


def recordings(random, count, variants=VOICES, others=OTHERS, digits=0.65, **settings):
    """Returns recordings of five to nine words each, every one in another voice."""
    made = []
    for _ in range(count):
        texts = random_texts(random, random.integers(5, 10), others, digits)
        made.append(recording(random, texts, random_voice(random, variants), **settings))
    return made
