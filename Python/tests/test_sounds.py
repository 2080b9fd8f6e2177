"""Sound in memory."""

import math
import pickle
import struct
import wave

import numpy
import pytest

import tensorio
from conftest import BUNDLES

RATE = 8000
TONE = numpy.sin(numpy.arange(2 * RATE) * 2 * math.pi * 440 / RATE)


@pytest.fixture(scope="module")
def tones() -> tensorio.Model:
    return tensorio.Model(BUNDLES / "tones.tiobundle")


def test_the_rate_of_an_input_is_known(tones: tensorio.Model, digits: tensorio.Model) -> None:
    assert tones.inputs[0].rate == RATE and digits.inputs[0].rate is None


@pytest.mark.parametrize(
    ("dtype", "scale", "offset"),
    [("uint8", 127, 128), ("int16", 32767, 0), ("int32", 2**31 - 1, 0), (">i2", 32767, 0), ("float16", 1, 0),
     ("float32", 1, 0), ("float64", 1, 0)])
def test_all_types_of_samples_are_the_same_sound(
    tones: tensorio.Model, dtype: str, scale: int, offset: int
) -> None:
    expected = tones(TONE.astype(numpy.float32)).tensors["classification"]
    samples = (TONE * scale + offset).round(0 if scale > 1 else 9).astype(dtype)
    tolerance = 0.01 if dtype == "uint8" else 0.003
    for value in (samples, tensorio.Sound(samples, RATE), tensorio.Sound(samples, float(RATE))):
        assert numpy.abs(tones(value).tensors["classification"] - expected).max() < tolerance


def test_sound_equals_a_file_with_its_samples(tones: tensorio.Model) -> None:
    file = BUNDLES / "tones.tiobundle" / "samples" / "sequence.wav"
    with wave.open(str(file)) as reader:
        assert reader.getsampwidth() == 2
        rate, channels = reader.getframerate(), reader.getnchannels()
        samples = numpy.frombuffer(reader.readframes(reader.getnframes()), "<i2").reshape(-1, channels)
    sound = tensorio.Sound(samples, rate)
    assert sound.rate == rate and sound.duration == pytest.approx(len(samples) / rate)
    result = tones(sound)
    assert result.outputs == tones(file).outputs
    assert pickle.loads(pickle.dumps(sound)).wav() == sound.wav()
    (stacked,) = tones.batch([sound]).values()
    assert stacked.shape == (1, 7)
    assert (stacked[0] == result.tensors["classification"].reshape(-1)).all()


def test_channels_are_mixed_and_rates_are_converted(tones: tensorio.Model) -> None:
    single = tones(TONE)
    stereo = numpy.stack([TONE * 1.5, TONE * 0.5], axis=1)
    assert numpy.abs(tones(tensorio.Sound(stereo, RATE)).tensors["classification"] -
                     single.tensors["classification"]).max() < 1e-4
    fast = numpy.sin(numpy.arange(4 * RATE) * 2 * math.pi * 440 / (2 * RATE))
    result = tones(tensorio.Sound(fast, 2 * RATE))
    assert len(result.windows) == len(single.windows) and result.label == single.label


def test_a_wav_file_has_the_format_of_its_samples() -> None:
    wav = tensorio.Sound(numpy.zeros((3, 2), numpy.int16), 44100).wav()
    assert wav[:4] == b"RIFF" and wav[8:16] == b"WAVEfmt " and wav[36:40] == b"data"
    assert struct.unpack("<IHHIIHH", wav[16:36]) == (16, 1, 2, 44100, 44100 * 4, 4, 16)
    assert struct.unpack("<I", wav[4:8])[0] == len(wav) - 8 and struct.unpack("<I", wav[40:44])[0] == 12


@pytest.mark.parametrize(
    ("samples", "rate", "message"),
    [
        (TONE.reshape(2, -1), RATE, "at most 64 channels"),
        (TONE.reshape(2, 2, -1), RATE, "(frames, channels)"),
        (TONE.astype(numpy.int64), RATE, "int64"),
        (numpy.zeros(9, numpy.uint16), RATE, "uint16"),
        (numpy.zeros(9, bool), RATE, "bool"),
        (["a"], RATE, "<U1"),
        ([[1, 2], [3]], RATE, "ragged"),
        (None, RATE, "None"),
        (TONE, 0, "from 1 to"),
        (TONE, 44100.5, "from 1 to"),
        (TONE, 10**6, "from 1 to"),
        (TONE, math.inf, "from 1 to"),
        (TONE, math.nan, "from 1 to"),
    ])
def test_values_that_are_no_sound_are_rejected(samples: object, rate: float, message: str) -> None:
    with pytest.raises(ValueError) as raised:
        tensorio.Sound(samples, rate)
    assert message in str(raised.value)


def test_models_reject_sound_that_they_do_not_take(tones: tensorio.Model, diabetes: tensorio.Model) -> None:
    with pytest.raises(tensorio.InputError, match="takes no sound"):
        diabetes(tensorio.Sound(TONE, RATE))
    with pytest.raises(tensorio.InputError, match="one channel"):
        tones(TONE.reshape(-1, 2))
    with pytest.raises(tensorio.InputError, match="without samples"):
        tones(tensorio.Sound([], RATE))
    with pytest.raises(tensorio.InputError, match="got an array of int64"):
        tones(TONE.astype(numpy.int64))
