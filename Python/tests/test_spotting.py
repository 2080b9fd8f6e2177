"""Words and sections with speech of the tiny models of `Scripts/fixtures/onnx-models/keywords.py` and `activity.py`."""

import json
from typing import Any

import numpy
import pytest

import tensorio
from conftest import ROOT

FIXTURES = ROOT / "Tests" / "Fixtures"


def golden(name: str) -> dict[str, Any]:
    return json.loads((FIXTURES / "ONNX" / f"{name}.json").read_text())


def samples(name: str) -> Any:
    return numpy.array(golden(name)["samples"], numpy.float32) / 32768


def model(name: str, **options: Any) -> tensorio.Model:
    try:
        return tensorio.Model(FIXTURES / "Bundles" / f"{name}.tiobundle", **options)
    except tensorio.RuntimeMissing:
        pytest.skip("ONNX Runtime is not installed")


@pytest.mark.parametrize("isolation", ["none", "process"])
def test_words_are_those_of_numpy(isolation: Any, tmp_path: Any) -> None:
    keyword = model("keyword", isolation=isolation)
    sound = tensorio.Sound(samples("keywords"), 1600)
    path = tmp_path / "sound.wav"
    path.write_bytes(sound.wav())
    for value in (sound, path, sound.wav(), samples("keywords")):
        found = keyword(value).value("keywords")["spotted"]
        assert [word["label"] for word in found] == [word["word"] for word in golden("keywords")["spotted"]]
        times = [word["time"] for word in golden("keywords")["spotted"]]
        numpy.testing.assert_allclose([word["time"] for word in found], times, atol=1e-6)


@pytest.mark.parametrize("isolation", ["none", "process"])
def test_sections_are_those_of_numpy(isolation: Any) -> None:
    activity = model("activity", isolation=isolation)
    found = activity(samples("activity")).value("activity")
    assert [[segment["start"], segment["end"]] for segment in found["segments"]] == golden("activity")["sections"]
    numpy.testing.assert_allclose(found["probabilities"], golden("activity")["probabilities"], atol=1e-5)


def test_a_stream_has_the_probability_of_each_window() -> None:
    activity = model("activity")
    sound = numpy.concatenate([numpy.zeros(16, numpy.float32), samples("activity")])
    stream = activity.stream()
    for index, expected in enumerate(golden("activity")["probabilities"][:100]):
        result = stream(sound[64 * index:64 * index + 80].reshape(1, 80))
        assert abs(result.value("activity")["probabilities"][0] - expected) < 1e-5


def test_sections_of_a_transcript() -> None:
    sections = [(segment["start"], segment["end"]) for segment in model("activity")(samples("activity")).value("activity")["segments"]]
    speech = model("speech")
    options: tensorio.TranscriptionOptions = {"language": "en", "temperatures": [0], "silence_threshold": 1}
    found = speech.transcribe(samples("activity"), sections=sections, **options).result()
    assert found.segments and all(any(start <= segment.start for start, _ in sections) for segment in found.segments)
    assert min(segment.start for segment in found.segments) >= sections[0][0] - 0.01
    assert speech.transcribe(samples("activity"), sections=[], **options).result().segments == []
    wrong: list[Any] = [[(2, 1)], [(1,)], [1, 2]]
    for pairs in wrong:
        with pytest.raises(tensorio.InputError):
            speech.transcribe(samples("activity"), sections=pairs, **options)


def test_speakers_of_a_transcript() -> None:
    speech, voices = model("speech"), model("speaker")
    recordings = json.loads((FIXTURES / "ONNX" / "voices.json").read_text())["speakers"]
    sound = numpy.concatenate([numpy.array(one["samples"], numpy.float32) / 32768 for one in recordings])
    plain = speech.transcribe(sound, language="en").result()
    assert plain.segments and all(segment.speaker is None for segment in plain.segments)
    transcription = speech.transcribe(sound, speakers=voices, language="en")
    assert all(segment.speaker is None for segment in transcription)
    found = transcription.result()
    assert [segment.text for segment in found.segments] == [segment.text for segment in plain.segments]
    assert found.segments[0].speaker == "Speaker 1"
    assert all(segment.speaker and segment.speaker.startswith("Speaker ") for segment in found.segments)
    assert transcription.result() == found
    whole = speech.transcribe(tensorio.Sound(sound, 1600), speakers=voices, speaker_similarity=-1, language="en").result()
    assert {segment.speaker for segment in whole.segments} == {"Speaker 1"}
    with pytest.raises(tensorio.ModelError):
        speech.transcribe(sound, speakers=speech, language="en").result()
    with pytest.raises(tensorio.InputError):
        speech.transcribe(sound, speakers=voices, speaker_similarity=2, language="en").result()
