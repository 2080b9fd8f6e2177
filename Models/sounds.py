"""Sounds as TensorIO preprocesses them: windows of WAV files and log-mel spectrograms."""

import functools
import wave

import numpy as np

# The values of 16-bit samples that are 1.
FULL_SCALE = 32768
DEFAULT_FLOOR = 1e-10


def save_sound(samples, rate, path):
    """Writes samples from -1 to 1 as a WAV file with one channel of 16 bits."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(as_integers(samples).tobytes())


def as_integers(samples):
    return np.clip(np.round(samples * FULL_SCALE), -FULL_SCALE, FULL_SCALE - 1).astype("<i2")


def as_stored(samples):
    """Returns samples with the precision of a WAV file."""
    return as_integers(samples) / np.float32(FULL_SCALE)


def load_sound(path, rate):
    """Returns the samples of a WAV file with one channel of 16 bits."""
    with wave.open(str(path)) as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, rate)
        return np.frombuffer(file.readframes(file.getnframes()), "<i2") / np.float32(FULL_SCALE)


def window_length(layer):
    """Returns the number of samples that fill the tensor of a layer."""
    features = layer["features"]
    return features["window"] + (layer["shape"][-2] - 1) * features["hop"]


def padded(samples, layer):
    """Returns a sound with the silence before its first window, if it has context, and after its last one."""
    length, hop, context = window_length(layer), layer["hop"], layer.get("context", 0)
    count = 1 + max(0, -((length - context - len(samples)) // hop))
    return np.pad(samples, (context, length - context + (count - 1) * hop - len(samples)))


def windows(samples, layer):
    """Returns the windows of a sound."""
    sound, length = padded(samples, layer), window_length(layer)
    return [sound[start : start + length] for start in range(0, len(sound) - length + 1, layer["hop"])]


def log_mel(samples, layer):
    """Returns the spectrogram of one window, or of several that share frames: [frames, bands]."""
    features = layer["features"]
    length = features["window"]
    frames = np.lib.stride_tricks.sliding_window_view(samples, length)[:: features["hop"]]
    angles = 2 * np.pi * np.arange(length) / length
    hann = 0.5 - 0.5 * np.cos(angles)  # periodic
    energies = np.abs(np.fft.rfft(frames * hann, features["fft"])) ** 2
    bands = energies @ mel_filters(
        layer["rate"], features["fft"], features["bands"], features["low"], features["high"]
    )
    logarithms = np.log(np.maximum(bands + features["offset"], DEFAULT_FLOOR))
    return (logarithms * features["scale"] + features["bias"]).astype(np.float32)


@functools.cache
def mel_filters(rate, transform, bands, low, high):
    """Returns the weight of each frequency in each band; triangles are straight in hertz."""
    edges = hertz(np.linspace(mel(low), mel(high), bands + 2))
    start, center, end = edges[:-2], edges[1:-1], edges[2:]
    position = np.arange(transform // 2 + 1)[:, None] * rate / transform
    rising, falling = (position - start) / (center - start), (end - position) / (end - center)
    return np.maximum(0, np.minimum(rising, falling))


def mel(frequency):
    return 2595 * np.log10(1 + frequency / 700)


def hertz(pitch):
    return 700 * (10 ** (pitch / 2595) - 1)
