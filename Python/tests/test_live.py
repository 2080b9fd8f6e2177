"""Transcripts of sound in pieces, and their speakers, by the tiny models of `Scripts/fixtures/onnx-models`."""

import asyncio
import json
import shutil
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import numpy
import pytest

import tensorio
from conftest import ROOT

FIXTURES = ROOT / "Tests" / "Fixtures"
GOLDEN = json.loads((FIXTURES / "ONNX" / "speech.json").read_text())
EXACT: tensorio.TranscriptionOptions = {"language": "en", "temperatures": [0], "silence_threshold": 1}


def samples(name: str) -> Any:
    return numpy.array(GOLDEN["sounds"][name], numpy.float32) / 32768


def pieces(sound: Any, size: int) -> Iterator[Any]:
    return (sound[start:start + size] for start in range(0, len(sound), size))


def opened(path: Path, **options: Any) -> tensorio.Model:
    try:
        return tensorio.Model(path, **options)
    except tensorio.RuntimeMissing:
        pytest.skip("ONNX Runtime is not installed")


@pytest.fixture(scope="module")
def model() -> tensorio.Model:
    return opened(FIXTURES / "Bundles" / "speech.tiobundle")


@pytest.mark.parametrize("name", ["tones", "clicks", "short"])
def test_sound_without_updates_has_the_transcript_of_a_recording(name: str, model: tensorio.Model) -> None:
    live = model.live_transcription(**EXACT)
    assert live.rate == 1600
    for piece in pieces(samples(name), 300):
        live.append(piece)
    transcript = live.finish()
    assert transcript == model.transcribe(samples(name), **EXACT).result()
    assert live.finish() is transcript
    with pytest.raises(tensorio.RunError):
        live.update()


def test_updates_have_partial_texts_and_final_segments(model: tensorio.Model) -> None:
    live = model.live_transcription(**EXACT)
    updates = list(live.read(pieces(numpy.concatenate([samples("tones")] * 2), 800)))
    assert any(update.partial_text for update in updates)
    assert [update.duration for update in updates] == sorted(update.duration for update in updates)
    transcript = live.finish()
    assert transcript.duration == 10
    assert [segment for update in updates for segment in update.segments] == transcript.segments
    assert "".join(segment.text for segment in transcript.segments) == transcript.text
    assert any(update.segments for update in updates[:-1]) and updates[-1].partial_text == ""
    silent = model.live_transcription(**EXACT).read(pieces(samples("tones"), 800), partial=False)
    assert all(update.partial_text == "" for update in silent)


def test_updates_are_read_by_async_for(model: tensorio.Model) -> None:
    async def arriving() -> AsyncIterator[Any]:
        for piece in pieces(samples("tones"), 800):
            yield piece
            await asyncio.sleep(0.01)

    async def read(sound: Any) -> tuple[list[Any], tensorio.Transcript]:
        live = model.live_transcription(**EXACT)
        segments = [segment async for update in live.read(sound) for segment in update.segments]
        return segments, live.finish()

    for sound in (arriving(), list(pieces(samples("tones"), 800))):
        segments, transcript = asyncio.run(read(sound))
        assert segments == transcript.segments and transcript.duration == 5 and segments
    with pytest.raises(TypeError):
        list(model.live_transcription(**EXACT).read(arriving()))


def test_an_error_of_the_pieces_ends_the_loop(model: tensorio.Model) -> None:
    def broken() -> Iterator[Any]:
        yield samples("short")
        raise OSError("the microphone was unplugged")

    async def read() -> None:
        async for _ in model.live_transcription(**EXACT).read(broken()):
            pass

    with pytest.raises(OSError):
        list(model.live_transcription(**EXACT).read(broken()))
    with pytest.raises(OSError):
        asyncio.run(read())


def test_a_canceled_transcript_ends(model: tensorio.Model) -> None:
    live = model.live_transcription(**EXACT)
    live.append(samples("tones"))
    live.cancel()
    for call in (live.update, live.finish):
        with pytest.raises(tensorio.RunError) as error:
            call()
        assert error.value.code == "cancelled"

    # A task that waits for sound that never arrives.
    live = model.live_transcription(**EXACT)

    async def never() -> AsyncIterator[Any]:
        yield samples("short")
        await asyncio.Event().wait()

    async def leave() -> None:
        async def read() -> None:
            async for _ in live.read(never()):
                pass

        task = asyncio.create_task(read())
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(leave())
    with pytest.raises(tensorio.RunError):
        live.finish()


def test_sound_is_added_while_another_thread_reads_updates(model: tensorio.Model) -> None:
    live = model.live_transcription(**EXACT)

    def append() -> None:
        for piece in pieces(samples("tones"), 100):
            live.append(piece)

    thread = threading.Thread(target=append)
    thread.start()
    while thread.is_alive():
        live.update()
    thread.join()
    assert live.finish().duration == 5


def test_sound_of_other_forms_is_converted_across_pieces(model: tensorio.Model) -> None:
    tones = numpy.repeat(samples("tones"), 5)
    wide = numpy.stack([tones] * 7, axis=1)
    for sound, rate in ((wide, 8000), (numpy.repeat(wide, 24, axis=0), 192_000), ((wide * 32767).astype(numpy.int16), 8000)):
        whole = model.live_transcription(**EXACT)
        whole.append(tensorio.Sound(sound, rate))
        cut = model.live_transcription(**EXACT)
        for piece in pieces(sound, 12_345):
            cut.append(tensorio.Sound(piece, rate))
        transcript = whole.finish()
        assert transcript.segments and cut.finish() == transcript
        assert transcript.duration == pytest.approx(5, abs=0.01)


def test_bad_sound(model: tensorio.Model) -> None:
    for nothing in ([], [numpy.zeros(0, numpy.float32)], [numpy.zeros(8000, numpy.float32)], [numpy.full(8000, numpy.nan, numpy.float32)]):
        live = model.live_transcription(language="en")
        updates = list(live.read(nothing))
        transcript = live.finish()
        assert transcript.duration == sum(len(piece) for piece in nothing) / 1600
        assert all(segment.avg_logprob == segment.avg_logprob for segment in transcript.segments)
        assert [segment for update in updates for segment in update.segments] == transcript.segments
    # Samples that are no numbers do not spoil the sound after them.
    expected = model.live_transcription(**EXACT)
    expected.append(numpy.zeros(1600, numpy.float32))
    expected.append(samples("tones"))
    spoiled = model.live_transcription(**EXACT)
    spoiled.append(numpy.array([numpy.nan, numpy.inf, -numpy.inf, 0] * 400, numpy.float32))
    spoiled.append(samples("tones"))
    assert spoiled.finish() == expected.finish()
    single = model.live_transcription(**EXACT)
    for sample in samples("short"):
        single.append([sample])
    assert single.finish() == model.transcribe(samples("short"), **EXACT).result()
    wrong: list[Any] = ["a text", numpy.zeros((2, 2), numpy.float32), numpy.zeros(2, numpy.complex64), None]
    for sound in wrong:
        with pytest.raises(tensorio.InputError):
            model.live_transcription(**EXACT).append(sound)


def test_models_and_options_that_do_not_fit_are_errors(model: tensorio.Model) -> None:
    options: list[Any] = [{"language": "xx"}, {"beams": True}, {"sections": [(0, 1)]}, {"label_speakers": True}]
    for wrong in options:
        with pytest.raises(tensorio.InputError):
            model.live_transcription(**wrong)
    other = opened(FIXTURES / "Bundles" / "decoder-growing.tiobundle")
    with pytest.raises(tensorio.RunError):
        other.live_transcription()


# Speakers


def talk() -> tuple[Any, dict[str, Any]]:
    recordings = json.loads((FIXTURES / "ONNX" / "voices.json").read_text())["speakers"]
    sounds = {one["name"]: numpy.array(one["samples"], numpy.float32) / 32768 for one in recordings}
    return numpy.concatenate(list(sounds.values())), sounds


@pytest.fixture
def meeting(tmp_path: Path) -> Path:
    """The tiny speech model with a model of voices."""
    path = tmp_path / "meeting.tiobundle"
    shutil.copytree(FIXTURES / "Bundles" / "speech.tiobundle", path)
    shutil.copy(FIXTURES / "Bundles" / "speaker.tiobundle" / "model.onnx", path / "voices.onnx")
    speaker = json.loads((FIXTURES / "Bundles" / "speaker.tiobundle" / "model.json").read_text())
    description = json.loads((path / "model.json").read_text())
    description["task"]["speakers"] = "voices"
    description["functions"]["voices"] = {
        "file": "voices.onnx", "inputs": speaker["inputs"], "outputs": speaker["outputs"],
        "task": {**speaker["task"], "threshold": 0.5}}
    (path / "model.json").write_text(json.dumps(description))
    return path


@pytest.mark.parametrize("isolation", ["none", "process"])
def test_a_bundle_names_the_speakers_of_each_transcript(isolation: Any, meeting: Path) -> None:
    sound, _ = talk()
    named = opened(meeting, isolation=isolation)
    voices = opened(FIXTURES / "Bundles" / "speaker.tiobundle")
    expected = opened(FIXTURES / "Bundles" / "speech.tiobundle").transcribe(sound, speakers=voices, language="en").result()
    speakers = [segment.speaker for segment in expected.segments]
    assert speakers and all(speakers)
    assert named.transcribe(sound, language="en").result() == expected
    assert named.transcribe(sound, speakers=voices, language="en").result() == expected
    assert {segment.speaker for segment in named.transcribe(sound, speaker_similarity=-1).result().segments} == {"Speaker 1"}
    assert {segment.speaker for segment in named.transcribe(sound, label_speakers=False).result().segments} == {None}
    assert all(segment["speaker"] for segment in named(sound).value("transcript")["segments"])
    live = named.live_transcription(language="en")
    updates = list(live.read(pieces(sound, 700)))
    assert all(segment.speaker is None for update in updates[:-1] for segment in update.segments)
    segments = live.finish().segments
    assert segments and all(segment.speaker for segment in segments)
    assert updates[-1].segments == segments[-len(updates[-1].segments):]


def test_speakers_have_the_names_of_a_gallery(meeting: Path, tmp_path: Path) -> None:
    _, sounds = talk()
    gallery = tmp_path / "voices.sqlite"
    embedder = opened(meeting, function="voices", gallery=gallery)
    embedder.gallery.enroll("Ada", sounds["low-1"])
    for options, name in (({"gallery": gallery}, "Ada"), ({}, "Speaker 1")):
        named = opened(meeting, **options)
        segments = named.transcribe(sounds["low-1"], language="en").result().segments
        assert segments and {segment.speaker for segment in segments} == {name}
    separate = tmp_path / "separate.sqlite"
    voices = opened(FIXTURES / "Bundles" / "speaker.tiobundle", gallery=separate)
    voices.gallery.enroll("Bob", sounds["low-1"])
    speech = opened(FIXTURES / "Bundles" / "speech.tiobundle")
    found = speech.transcribe(sounds["low-1"], speakers=voices, language="en").result()
    assert found.segments and all(segment.speaker is not None for segment in found.segments)
