#!/usr/bin/env python3
"""Writes Tests/Fixtures/Audio: WAV files of all encodings, and the samples that references decode from them.

Requires Python 3.11 (for audioop) with numpy 2.4.6, scipy 1.17.1 and librosa 0.11.0.
"""

import audioop
import io
import json
import pathlib
import shutil
import struct
import warnings

import librosa
import numpy as np
from scipy.io import wavfile
from scipy.signal import resample_poly

AUDIO = pathlib.Path(__file__).resolve().parents[2] / "Tests" / "Fixtures" / "Audio"
GUID = bytes.fromhex("000000001000800000aa00389b71")


def tone(frames, channels):
    """Returns tones that use the whole range, with the extreme values in front."""
    time = np.arange(frames)[:, None] / 8000
    samples = 0.9 * np.sin(2 * np.pi * (440 + 200 * np.arange(channels)) * time)
    samples[0], samples[1] = 1, -1
    return samples


def integers(samples, bits):
    limit = 1 << (bits - 1)
    return np.clip(np.round(samples * limit), -limit, limit - 1).astype(np.int64)


def packed(samples, kind, order):
    prefix = "<" if order == "little" else ">"
    flat = samples.flatten()
    if kind == "u8":
        return (integers(flat, 8) + 128).astype("u1").tobytes()
    if kind == "s16":
        return integers(flat, 16).astype(prefix + "i2").tobytes()
    if kind == "s24":
        return b"".join(int(each).to_bytes(3, order, signed=True) for each in integers(flat, 24))
    if kind == "s32":
        return integers(flat, 32).astype(prefix + "i4").tobytes()
    if kind in ("f32", "f64"):
        return flat.astype(prefix + "f" + ("4" if kind == "f32" else "8")).tobytes()
    law = audioop.lin2alaw if kind == "alaw" else audioop.lin2ulaw
    return law(integers(flat, 16).astype("<i2").tobytes(), 2)


BITS = {"u8": 8, "s16": 16, "s24": 24, "s32": 32, "f32": 32, "f64": 64, "alaw": 8, "mulaw": 8}
TAGS = {"f32": 3, "f64": 3, "alaw": 6, "mulaw": 7}


def wav(samples, kind, rate, order="little", extensible=False, chunks=()):
    prefix = "<" if order == "little" else ">"
    channels, bits = samples.shape[1], BITS[kind]
    tag = TAGS.get(kind, 1)
    frame = channels * bits // 8
    fields = struct.pack(prefix + "HHIIHH", 0xFFFE if extensible else tag, channels, rate, rate * frame, frame, bits)
    if extensible:
        fields += struct.pack(prefix + "HHI", 22, bits, 0) + struct.pack("<H", tag) + GUID
    elif tag != 1:
        fields += struct.pack(prefix + "H", 0)

    def chunk(name, content):
        return name + struct.pack(prefix + "I", len(content)) + content + b"\0" * (len(content) % 2)

    body = b"WAVE" + b"".join(chunk(*each) for each in chunks) + chunk(b"fmt ", fields)
    body += chunk(b"LIST", b"INFOodd") + chunk(b"data", packed(samples, kind, order))
    return (b"RIFF" if order == "little" else b"RIFX") + struct.pack(prefix + "I", len(body)) + body


def rf64(samples, kind, rate):
    """Returns the same file with sizes of 64 bits."""
    plain = wav(samples, kind, rate)
    data = plain.index(b"data")
    size = struct.unpack_from("<I", plain, data + 4)[0]
    ds64 = b"ds64" + struct.pack("<IQQQI", 28, len(plain) - 8 + 36, size, samples.shape[0], 0)
    return (b"RF64" + struct.pack("<I", 0xFFFFFFFF) + b"WAVE" + ds64 + plain[12:data + 4]
            + struct.pack("<I", 0xFFFFFFFF) + plain[data + 8:])


def reference(file, kind):
    """Returns the samples that SciPy decodes, or audioop for the logarithmic encodings."""
    if kind in ("alaw", "mulaw"):
        content = file[file.index(b"data") + 8:]
        law = audioop.alaw2lin if kind == "alaw" else audioop.ulaw2lin
        numbers = np.frombuffer(law(content, 2), "<i2").astype(np.float64) / 32768
        return numbers
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, numbers = wavfile.read(io.BytesIO(file))
    numbers = numbers.flatten()
    if numbers.dtype == np.uint8:
        return (numbers.astype(np.float64) - 128) / 128
    if numbers.dtype.kind == "i":
        return numbers.astype(np.float64) / (1 << (8 * numbers.dtype.itemsize - 1))
    return numbers.astype(np.float64)


def write_wav_files():
    folder = AUDIO / "WAV"
    folder.mkdir(parents=True)
    cases = []

    def add(name, kind, rate, channels, file):
        (folder / f"{name}.wav").write_bytes(file)
        expected = reference(file, kind).astype(np.float32)
        cases.append({"name": name, "sampleRate": rate, "channelCount": channels,
                      "samples": [float(each) for each in expected]})

    for kind in BITS:
        for channels, rate in ((1, 8000), (2, 44100)):
            samples = tone(20, channels)
            add(f"{kind}-{channels}", kind, rate, channels, wav(samples, kind, rate))
    for kind in ("s16", "s24", "s32", "f32", "f64"):
        add(f"{kind}-big-endian", kind, 16000, 3, wav(tone(10, 3), kind, 16000, order="big"))
    for kind in ("u8", "s16", "s24", "f32"):
        add(f"{kind}-extensible", kind, 48000, 6, wav(tone(8, 6), kind, 48000, extensible=True))
    add("rf64", "s16", 96000, 2, rf64(tone(12, 2), "s16", 96000))
    add("bext", "s16", 22050, 1, wav(tone(12, 1), "s16", 22050, chunks=[(b"bext", bytes(7)), (b"fact", bytes(4))]))
    add("64-channels", "u8", 1, 64, wav(tone(3, 64), "u8", 1))
    write("wav.json", cases)


# Input and output rate, and the number of input samples.
RATES = [(44100, 16000, 400), (48000, 16000, 200), (22050, 16000, 200), (8000, 16000, 100), (11025, 48000, 50),
         (16000, 44100, 80), (96000, 16000, 300), (4411, 4410, 60), (7, 1, 90), (1, 7, 20), (16000, 16000, 20)]


def write_resampled():
    signal = noise(400, 3).astype(np.float32)
    cases = [{"from": before, "to": after, "count": count,
              "samples": numbers(resample_poly(signal[:count].astype(np.float64), after, before))}
             for before, after, count in RATES]
    write("resampling.json", {"input": numbers(signal), "cases": cases})


def hann_spectrum(signal, window, hop, size):
    """Returns the magnitudes of frames that begin at multiples of the hop, as TensorFlow frames a signal."""
    shape = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window) / window)
    starts = range(0, len(signal) - window + 1, hop)
    return np.abs(np.array([np.fft.rfft(signal[each:each + window] * shape, size) for each in starts]))


def mel(frequency):
    return 1127 * np.log(1 + np.asarray(frequency) / 700)


def filters_in_mels(bands, size, rate, low, high):
    """Returns triangles whose sides are straight in mels, as those of TensorFlow."""
    edges = np.linspace(mel(low), mel(high), bands + 2)
    positions = mel(np.arange(size // 2 + 1) * rate / size)[:, None]
    rising = (positions - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - positions) / (edges[2:] - edges[1:-1])
    return np.maximum(0, np.minimum(rising, falling))


def librosa_energies(signal, **options):
    return librosa.feature.melspectrogram(y=signal, sr=16000, **options).T


def write_spectrograms():
    time = np.arange(2400) / 16000
    signal = 0.4 * np.sin(2 * np.pi * (200 + 12000 * time) * time) + 0.2 * noise(2400, 8)
    (AUDIO / "signal.wav").write_bytes(wav(signal[:, None], "s16", 16000))
    signal = integers(signal, 16) / 32768

    yamnet = np.log(hann_spectrum(signal, 400, 160, 512) @ filters_in_mels(64, 512, 16000, 125, 7500) + 0.001)
    micro = np.log(hann_spectrum(signal, 480, 320, 512) ** 2 @ filters_in_mels(40, 512, 16000, 125, 7500) + 1e-6)
    whisper = librosa_energies(
        signal, n_fft=400, hop_length=160, n_mels=80, pad_mode="reflect")[:-1]
    whisper = np.log10(np.maximum(whisper, 1e-10))
    whisper = (np.maximum(whisper, whisper.max() - 8) + 4) / 4
    decibels = librosa.power_to_db(
        librosa_energies(signal, n_fft=1024, hop_length=256, n_mels=32, pad_mode="constant"), top_db=20)
    htk = librosa_energies(
        signal, n_fft=480, win_length=400, hop_length=200, n_mels=40, center=False, htk=True, norm=None,
        fmin=50, fmax=7000)
    magnitudes = librosa_energies(
        signal, n_fft=600, win_length=301, hop_length=150, n_mels=20, pad_mode="reflect", power=1)
    write("spectrograms.json", {
        name: {"frameCount": features.shape[0], "features": [float(f"{each:.7g}") for each in features.flatten()]}
        for name, features in {"yamnet": yamnet, "micro": micro, "whisper": whisper, "decibels": decibels,
                               "htk": np.log(htk), "magnitudes": magnitudes}.items()})


def noise(count, seed):
    return np.random.default_rng(seed).uniform(-1, 1, count)


def numbers(array):
    return [float(f"{each:.8g}") for each in array.flatten()]


def write(name, content):
    (AUDIO / name).write_text(json.dumps(content) + "\n", encoding="utf-8")


def main():
    shutil.rmtree(AUDIO, ignore_errors=True)
    AUDIO.mkdir(parents=True)
    write_wav_files()
    write_resampled()
    write_spectrograms()


if __name__ == "__main__":
    main()
