"""Sounds of the tiny voice of `Scripts/fixtures/onnx-models/voices.py`."""

import asyncio
import json
from typing import Any

import numpy
import pytest

import tensorio
from conftest import ROOT

FIXTURES = ROOT / "Tests" / "Fixtures"
GOLDEN = json.loads((FIXTURES / "ONNX" / "voices.json").read_text())


@pytest.fixture(scope="module")
def model() -> tensorio.Model:
    try:
        return tensorio.Model(FIXTURES / "Bundles" / "voice.tiobundle")
    except tensorio.RuntimeMissing:
        pytest.skip("ONNX Runtime is not installed")


@pytest.mark.parametrize("case", GOLDEN["spoken"], ids=lambda case: f"{case['voice']}-{case['speed']}")
def test_samples_are_those_of_numpy(case: dict[str, Any], model: tensorio.Model) -> None:
    speech = model.speak(case["text"], voice=case["voice"], speed=case["speed"])
    sentences = list(speech)
    assert [sentence.text for sentence in sentences] == [sentence["text"] for sentence in case["sentences"]]
    for sentence, expected in zip(sentences, case["sentences"]):
        assert sentence.phonemes == expected["phonemes"] and sentence.rate == 1600
        assert sentence.samples.dtype == numpy.float32
        numpy.testing.assert_allclose(sentence.samples, expected["samples"], atol=2e-6)
    sound = speech.result()
    assert sound.rate == speech.rate == 1600 and abs(sound.duration - sentences[-1].end) < 1e-3
    assert numpy.array_equal(sound.samples[:len(sentences[0].samples)], sentences[0].samples)
    assert str(sentences[0]) == sentences[0].text and sentences[0].sound.rate == 1600


def test_a_call_returns_the_sound_as_well(model: tensorio.Model) -> None:
    expected = model.speak("Hello, world! Two cats.").result()
    output = model("Hello, world! Two cats.")
    assert numpy.array_equal(numpy.asarray(output["audio"]), expected.samples)


def test_sentences_are_read_by_async_for(model: tensorio.Model) -> None:
    async def texts() -> list[str]:
        return [sentence.text async for sentence in model.speak("One. Two. Three.")]

    assert asyncio.run(texts()) == ["One.", "Two.", "Three."]


def test_a_canceled_speech_ends(model: tensorio.Model) -> None:
    speech = model.speak("One. Two. Three.")
    next(speech)
    speech.cancel()
    with pytest.raises(tensorio.RunError) as error:
        list(speech)
    assert error.value.code == "cancelled" and len(speech.sentences) == 1


def test_texts_options_and_models_that_do_not_fit_are_errors(model: tensorio.Model) -> None:
    options: list[Any] = [{"voice": "clara"}, {"speed": "fast"}, {"speed": 9}, {"tempo": 1}, {"language": "-x"}]
    for wrong in options:
        with pytest.raises(tensorio.InputError):
            model.speak("Hello.", **wrong)
    for text in ["", "...", 5]:
        with pytest.raises(tensorio.InputError):
            model.speak(text)  # type: ignore[arg-type]
    other = tensorio.Model(FIXTURES / "Bundles" / "decoder-growing.tiobundle")
    with pytest.raises(tensorio.RunError):
        other.speak("Hello.")
