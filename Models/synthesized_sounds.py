"""Synthesized sounds of seven kinds, with random pitch, loudness, timing and background noise."""

import numpy as np

RATE = 8000
LABELS = ["bell", "buzz", "knocks", "noise", "silence", "sweep", "tone"]

# Peak levels of sounds and of the background relative to the sound, in decibels.
LEVELS = (-30, -1)
BACKGROUNDS = (-60, -12)
# Root mean squares of noise and silence, in decibels.
NOISE_LEVELS = (-40, -10)
SILENCE_LEVELS = (-110, -66)

# Frequencies of the partials of a bell relative to its strike tone, as tuned bells have.
PARTIALS = np.array([0.5, 1, 1.19, 1.5, 2, 2.5, 3, 4.1])


def amplitude(decibels):
    return 10 ** (decibels / 20)


def seconds(count):
    return np.arange(count) / RATE


def logarithmic(random, low, high):
    return np.exp(random.uniform(np.log(low), np.log(high)))


def tone(random, count):
    """A sine, possibly with vibrato."""
    pitch, depth, speed = logarithmic(random, 150, 3500), random.uniform(0, 0.012), random.uniform(3, 7)
    if random.random() < 0.5:
        depth = 0
    frequency = pitch * (1 + depth * np.sin(2 * np.pi * speed * seconds(count)))
    return np.sin(2 * np.pi * np.cumsum(frequency) / RATE + random.uniform(0, 2 * np.pi))


def buzz(random, count):
    """A sawtooth, square or pulse wave without aliases."""
    pitch, form = logarithmic(random, 60, 700), random.integers(3)
    number = np.arange(1, int(0.48 * RATE / pitch) + 1)[:, None]
    loudness = (
        1 / number,
        (number % 2) / number,
        np.abs(np.sin(np.pi * number * random.uniform(0.05, 0.3))) / number,
    )[form]
    waves = np.sin(2 * np.pi * number * pitch * seconds(count) + random.uniform(0, 2 * np.pi) * number)
    return np.sum(loudness * waves, axis=0)


def sweep(random, count):
    """A sine whose frequency rises or falls, or does both in turn like a siren."""
    low = logarithmic(random, 200, 1200)
    high = min(low * logarithmic(random, 1.8, 8), 3600)
    if random.random() < 0.6:
        part = np.linspace(0, 1, count)
    else:
        part = np.abs((seconds(count) * logarithmic(random, 1.5, 5) + random.uniform(0, 2)) % 2 - 1)
    if random.random() < 0.5:
        part = 1 - part
    frequency = low * (high / low) ** part if random.random() < 0.5 else low + (high - low) * part
    return np.sin(2 * np.pi * np.cumsum(frequency) / RATE)


def bell(random, count):
    """Decaying partials that are not multiples of one frequency."""
    pitch = logarithmic(random, 250, 900)
    frequencies = pitch * PARTIALS * random.uniform(0.99, 1.01, len(PARTIALS))
    decays = random.uniform(0.15, 0.6) / (0.5 + PARTIALS / 2)
    loudness = random.uniform(0.3, 1, len(PARTIALS)) * (frequencies < 0.48 * RATE)
    start = random.uniform(-0.15, 0.2)
    time = seconds(count)[:, None] - start
    waves = np.sin(2 * np.pi * frequencies * time) * np.exp(-np.maximum(time, 0) / decays)
    return np.sum(waves * loudness * (time >= 0), axis=1)


def knocks(random, count):
    """Short bursts of a hollow sound at regular intervals."""
    interval = random.uniform(0.08, 0.24)
    starts = np.arange(random.uniform(0, min(interval, 0.15)), count / RATE, interval)
    pitch, decay, roughness = logarithmic(random, 120, 1500), logarithmic(random, 0.004, 0.018), random.random()
    sound = np.zeros(count)
    for start in starts + random.normal(0, 0.004, len(starts)):
        time = seconds(count) - max(start, 0)
        hit = np.sin(2 * np.pi * pitch * time) + roughness * random.normal(0, 1, count)
        sound += random.uniform(0.6, 1) * np.where(time >= 0, hit * np.exp(-np.maximum(time, 0) / decay), 0)
    return sound


def colored_noise(random, count):
    """Noise whose energy decreases with frequency, or not, or is in a wide band."""
    spectrum = np.fft.rfft(random.normal(0, 1, count))
    frequency = np.maximum(np.fft.rfftfreq(count, 1 / RATE), 20)
    spectrum *= frequency ** -random.choice([0, 0.5, 1])
    if random.random() < 0.3:
        center = logarithmic(random, 500, 2500)
        spectrum *= np.abs(np.log2(frequency / center)) < random.uniform(0.7, 1.5)
    noise = np.fft.irfft(spectrum, count)
    return noise / np.sqrt(np.mean(noise**2))


def with_neighbor(random, sound):
    """Returns samples that begin or end with another sound, for at most two fifths of their length."""
    count = random.integers(1, len(sound) * 2 // 5)
    other = synthesized(random, LABELS[random.integers(len(LABELS))], len(sound))
    if random.random() < 0.4:
        other = np.zeros(len(sound))  # as TensorIO pads the last window
    if random.random() < 0.5:
        return np.concatenate([other[-count:], sound[: len(sound) - count]])
    return np.concatenate([sound[: len(sound) - count], other[:count]])


SHAPES = {"tone": tone, "buzz": buzz, "sweep": sweep, "bell": bell, "knocks": knocks}


def synthesized(random, label, count, background=BACKGROUNDS):
    """Returns samples of one kind, from -1 to 1."""
    if label in ("noise", "silence"):
        levels = NOISE_LEVELS if label == "noise" else SILENCE_LEVELS
        return np.clip(amplitude(random.uniform(*levels)) * colored_noise(random, count), -1, 1)
    sound = SHAPES[label](random, count)
    sound *= amplitude(random.uniform(*LEVELS)) / np.max(np.abs(sound))
    below = amplitude(random.uniform(*background))
    loudness = np.sqrt(np.mean(sound**2)) * below
    return np.clip(sound + loudness * colored_noise(random, count), -1, 1)
