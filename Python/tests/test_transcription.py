"""Transcripts of the tiny speech model of `Scripts/fixtures/onnx-models/speech.py`."""

import asyncio
import json
from typing import Any

import numpy
import pytest

import tensorio
from conftest import ROOT

FIXTURES = ROOT / "Tests" / "Fixtures"
GOLDEN = json.loads((FIXTURES / "ONNX" / "speech.json").read_text())
EXACT: tensorio.TranscriptionOptions = {"temperatures": [0], "silence_threshold": 1}


def samples(name: str) -> Any:
    return numpy.array(GOLDEN["sounds"][name], numpy.float32) / 32768


@pytest.fixture(scope="module")
def model() -> tensorio.Model:
    try:
        return tensorio.Model(FIXTURES / "Bundles" / "speech.tiobundle")
    except tensorio.RuntimeMissing:
        pytest.skip("ONNX Runtime is not installed")


@pytest.mark.parametrize("case", GOLDEN["transcripts"], ids=lambda case: f"{case['sound']}-{case['language']}-{case['beams']}")
def test_segments_are_those_of_numpy(case: dict[str, Any], model: tensorio.Model) -> None:
    options: tensorio.TranscriptionOptions = {"language": case["language"], "beams": case["beams"], **EXACT}
    transcription = model.transcribe(samples(case["sound"]), **options)
    segments = list(transcription)
    assert [segment.tokens for segment in segments] == [segment["tokens"] for segment in case["segments"]]
    assert [segment.text for segment in segments] == [segment["text"] for segment in case["segments"]]
    transcript = transcription.result()
    assert transcript.segments == segments and transcript.text == "".join(segment.text for segment in segments)
    assert transcript.language == case["language"] and str(transcript) == transcript.text.strip()
    assert all(segment.words == [] for segment in segments)


def test_words_have_times(model: tensorio.Model) -> None:
    transcript = model.transcribe(samples("tones"), language="en", words=True, **EXACT).result()
    words = [word for segment in transcript.segments for word in segment.words]
    assert words and all(word.start <= word.end and 0 <= word.probability <= 1 for word in words)
    assert str(words[0]) == words[0].word.strip()


def test_sounds_of_other_forms_are_taken(model: tensorio.Model) -> None:
    expected = model.transcribe(samples("clicks"), language="de").result()
    sound = tensorio.Sound(samples("clicks"), 1600)
    assert model.transcribe(sound, language="de").result().text == expected.text
    assert model.transcribe(sound.wav(), language="de").result().text == expected.text
    assert isinstance(model(samples("clicks")).value("transcript"), dict)


def test_segments_are_read_by_async_for(model: tensorio.Model) -> None:
    async def texts() -> list[str]:
        return [segment.text async for segment in model.transcribe(samples("tones"), language="en", **EXACT)]

    assert asyncio.run(texts()) == [segment["text"] for segment in GOLDEN["transcripts"][0]["segments"]]


def test_a_canceled_transcription_ends(model: tensorio.Model) -> None:
    transcription = model.transcribe(samples("tones"), language="en", **EXACT)
    next(transcription)
    transcription.cancel()
    with pytest.raises(tensorio.RunError) as error:
        list(transcription)
    assert error.value.code == "cancelled"


def test_options_and_models_that_do_not_fit_are_errors(model: tensorio.Model) -> None:
    options: list[Any] = [{"language": "xx"}, {"words": 1}, {"beams": True}, {"temperatures": []}]
    for wrong in options:
        with pytest.raises(tensorio.InputError):
            model.transcribe(samples("tones"), **wrong)
    with pytest.raises(FileNotFoundError):
        model.transcribe("a text that is no path")
    other = tensorio.Model(FIXTURES / "Bundles" / "decoder-growing.tiobundle")
    with pytest.raises(tensorio.RunError):
        other.transcribe(samples("tones"))
