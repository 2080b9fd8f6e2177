"""Text of language models: the decoders of `Scripts/fixtures/onnx-models/decoders.py`, which write bytes without sense."""

import asyncio
import contextlib
import gc
import json
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import numpy
import pytest

import tensorio
from conftest import BUNDLES, ROOT
from test_processes import _resident

FIXTURES = ROOT / "Tests" / "Fixtures"
KINDS = ["growing", "shared", "fixed"]
RAW: tensorio.GenerationOptions = {"raw": True, "max_tokens": 40}


def path(kind: str) -> pathlib.Path:
    return FIXTURES / "Bundles" / f"decoder-{kind}.tiobundle"


@pytest.fixture(scope="module")
def model() -> tensorio.Model:
    try:
        return tensorio.Model(path("growing"))
    except tensorio.RuntimeMissing:
        pytest.skip("ONNX Runtime is not installed")


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_are_the_text_of_the_golden_tokens(kind: str, model: tensorio.Model) -> None:
    cases = json.loads((FIXTURES / "ONNX" / "decoders.json").read_text())[kind]
    assert len(cases) == 3
    decoder = tensorio.Model(path(kind))
    for case in cases:
        generation = decoder.generate(case["prompt"], **RAW)
        assert generation.text == "" and generation.tokens == [] and generation.end == "cancelled"
        pieces = list(generation)
        assert [piece.id for piece in pieces if piece.id is not None] == case["ids"] == generation.tokens
        text = generation.result()
        assert "".join(pieces) == text.text == generation.text == bytes(case["ids"]).decode(errors="replace")
        assert (text.end, text.prompt_tokens, text.cached_tokens) == ("length", len(case["prompt"].encode()), 0)
        assert text.prompt_seconds > 0 and text.seconds > 0
        assert next(generation, None) is None
    assert all(isinstance(piece, str) for piece in pieces) and pieces[0].id == case["ids"][0]
    assert pickle.loads(pickle.dumps(pieces[0])).id == pieces[0].id


def test_an_encoder_is_a_function_of_the_bundle(model: tensorio.Model) -> None:
    cases = json.loads((FIXTURES / "ONNX" / "decoders.json").read_text())
    bundle = FIXTURES / "Bundles" / "encoder-decoder.tiobundle"
    translator = tensorio.Model(bundle)
    assert translator.functions == ["encode"] and model.functions == []
    for case in cases["encoder"]:
        assert translator.generate(case["prompt"], max_tokens=40).result().tokens == case["ids"]
    encoder = tensorio.Model(bundle, function="encode")
    states = encoder("Hello")["last_hidden_state"]
    assert states.size == 5 * 16
    again = pickle.loads(pickle.dumps(encoder))
    assert (again("Hello")["last_hidden_state"] == states).all()
    with pytest.raises(tensorio.BundleError, match="encode"):
        tensorio.Model(bundle, function="decode")


def test_a_model_describes_an_image(model: tensorio.Model) -> None:
    ids = json.loads((FIXTURES / "ONNX" / "decoders.json").read_text())["captions"]
    captions = tensorio.Model(FIXTURES / "Bundles" / "captions.tiobundle")
    image = (5 * numpy.arange(48, dtype=numpy.uint8)).reshape(4, 4, 3)
    assert [layer.name for layer in captions.inputs] == ["pixel_values"]
    assert captions(image)["text"] == [bytes(ids[:12]).decode(errors="replace")]


def test_a_text_is_that_of_the_command_line(model: tensorio.Model) -> None:
    options = ["--temperature", "0.7", "--top-k", "50", "--top-p", "0.9", "--seed", "7", "--max-tokens", "30"]
    done = subprocess.run(
        [tensorio._commands.executable(), "generate", path("growing"), "Hello", "--format", "json", *options],
        capture_output=True, check=True)
    text = model.generate("Hello", temperature=0.7, top_k=50, top_p=0.9, seed=7, max_tokens=30).result()
    assert json.loads(done.stdout)["tokens"] == text.tokens
    assert json.loads(done.stdout).keys() == vars(text).keys()


def test_a_text_can_be_constrained(model: tensorio.Model) -> None:
    schema = {"properties": {"a": {"type": "boolean"}, "b": {"enum": ["x", "y"]}}, "required": ["a", "b"]}
    text = model.generate("Hello", raw=True, json_schema=schema, max_tokens=60).result()
    value = json.loads(text.text)
    assert text.end == "stop" and list(value) == ["a", "b"] and value["b"] in ("x", "y")
    assert re.fullmatch("a{2,4}b", model.generate("Hello", raw=True, pattern="a{2,4}b", max_tokens=9).result().text)
    assert model.generate("Hello", raw=True, json=True, max_tokens=5).result().text.startswith("{")
    with pytest.raises(tensorio.InputError, match="'minimum'"):
        model.generate("Hello", json_schema={"minimum": 1})
    with pytest.raises(tensorio.InputError, match="cannot be combined"):
        model.generate("Hello", json=True, pattern="a")


@pytest.mark.parametrize("kind", KINDS)
def test_a_conversation_reads_only_what_is_new(kind: str, model: tensorio.Model) -> None:
    decoder = tensorio.Model(path(kind))
    chat = decoder.chat(max_tokens=4)
    assert chat.messages == []
    first = chat.send("a").result()
    second = chat.send("b").result()
    assert first.cached_tokens == 0 < second.cached_tokens < second.prompt_tokens
    messages = chat.messages
    assert [message["role"] for message in messages] == ["user", "assistant", "user", "assistant"]
    assert messages[3]["content"] == second.text
    fresh = decoder.generate(messages[:3], max_tokens=4).result()
    assert fresh.tokens == second.tokens and fresh.cached_tokens == 0


def test_the_instructions_and_an_answer_that_was_read_in_part_are_messages(model: tensorio.Model) -> None:
    chat = model.chat("x", max_tokens=9)
    answer = chat.send("a")
    start = next(answer) + next(answer)
    following = chat.send("b")
    next(following)
    # The earlier answer does not disturb the later one.
    answer.cancel()
    with pytest.raises(tensorio.RunError) as error:
        next(answer)
    assert error.value.code == "cancelled"
    del answer
    text = following.result().text
    assert chat.messages == [
        {"role": "system", "content": "x"}, {"role": "user", "content": "a"}, {"role": "assistant", "content": start},
        {"role": "user", "content": "b"}, {"role": "assistant", "content": text}]


def test_the_library_has_the_options_of_the_type(model: tensorio.Model) -> None:
    with pytest.raises(tensorio.InputError, match='unknown key "max_token"') as error:
        model.generate("a", max_token=3)  # type: ignore[call-arg]
    known = re.findall(r'"(\w+)"', error.value.message.rsplit("the keys are", 1)[1])
    assert known == list(tensorio.GenerationOptions.__annotations__)
    for name, value in [("temperature", -1), ("top_k", "x"), ("seed", -1), ("stop", 3), ("raw", 1), ("max_tokens", 0)]:
        with pytest.raises(tensorio.InputError, match=name):
            model.generate("a", **{name: value})  # type: ignore[arg-type]
        with pytest.raises(tensorio.InputError, match=name):
            model.chat(**{name: value})  # type: ignore[arg-type]


def test_options_choose_the_tokens_and_the_end(model: tensorio.Model) -> None:
    def tokens(**options: Any) -> list[int]:
        return model.generate("Hello", **RAW, **options).result().tokens

    greedy = tokens()
    assert tokens(temperature=None, top_k=None, stop=None) == greedy
    drawn = [tokens(temperature=3, top_k=50, seed=seed) for seed in (0, 1, 1)]
    assert greedy != drawn[0] != drawn[1] == drawn[2]
    for penalty in ("presence_penalty", "frequency_penalty"):
        assert tokens(**{penalty: 50}) != greedy == tokens(**{penalty: 0})
    assert tokens(repetition_penalty=5) != greedy
    assert tokens(temperature=3, top_p=0.01) == tokens(temperature=3, min_p=1) == tokens(temperature=3, top_k=1) == greedy
    text = model.generate("Hello", **RAW).result().text
    for stop in (text[3:5], [text[20], text[3:5]]):
        stopped = model.generate("Hello", **RAW, stop=stop).result()
        assert (stopped.text, stopped.end) == (text[:3], "stop")
    # The bundle has a template, and at most 12 tokens.
    assert len(model.generate("Hello").result().tokens) == 12
    assert model.generate("Hello").result().prompt_tokens > 5
    with pytest.raises(tensorio.InputError, match="limit is 1000"):
        model.generate("Hello", max_cache_bytes=1000)
    with pytest.raises(tensorio.InputError, match="special token '</s>'"):
        model.generate("</s>")
    assert model.generate("</s>", allow_special_tokens=True, max_tokens=2).result().tokens


def test_prompts_that_are_no_text_are_errors(model: tensorio.Model) -> None:
    good = {"role": "user", "content": "a"}
    for prompt in ([], 3, None, b"a", ["a"], [good, {"role": "user"}], [{**good, "name": "x"}], [{**good, "content": 3}]):
        with pytest.raises(tensorio.InputError) as error:
            model.generate(prompt)  # type: ignore[arg-type]
        assert error.value.code == "wrong-type"
    assert "message 1" in str(pytest.raises(tensorio.InputError, model.generate, [good, "a"]).value)
    with pytest.raises(tensorio.InputError, match="maximum context length is 200"):
        model.generate("a" * 300)
    with pytest.raises(tensorio.InputError, match="empty"):
        model.generate("", raw=True)
    # A zero is a character like others.
    assert model.generate("a\0b", **RAW).result().prompt_tokens == 3
    for create in (lambda: model.chat("a\0"), lambda: model.chat().send("a\0")):
        with pytest.raises(ValueError, match="null"):
            create()
    many = [{"role": "user", "content": ""}] * 100
    with pytest.raises(tensorio.InputError, match="context"):
        model.generate(many)


def test_a_bundle_that_writes_no_text(digits: tensorio.Model) -> None:
    for create in (lambda: digits.generate("a"), digits.chat):
        with pytest.raises(tensorio.RunError, match="'generation'"):
            create()
    digits_copy = tensorio.Model(BUNDLES / "digits.tiobundle")
    digits_copy.close()
    with pytest.raises(ValueError, match="closed"):
        digits_copy.generate("a")


def test_a_loop_that_ends_early_can_go_on(model: tensorio.Model) -> None:
    whole = list(model.generate("Hello", **RAW))
    generation = model.generate("Hello", **RAW)
    start = [piece for piece, _ in zip(generation, range(5))]
    assert len(generation.tokens) in (5, 6) and generation.end == "cancelled"
    assert generation.text == "".join(whole[:len(generation.tokens)]) and start == whole[:5]
    assert generation.result().text == "".join(whole) and generation.end == "length"
    assert repr(generation) == f"Generation({''.join(whole)!r})"


def test_a_text_outlives_its_model(model: tensorio.Model) -> None:
    own = tensorio.Model(path("growing"))
    generation, chat = own.generate("Hello", **RAW), own.chat(max_tokens=2)
    own.close()
    del own
    gc.collect()
    assert generation.result().tokens == model.generate("Hello", **RAW).result().tokens
    assert len(chat.send("a").result().tokens) == 2


def test_texts_are_read_without_blocking_the_event_loop(model: tensorio.Model) -> None:
    async def read() -> list[list[tensorio.GeneratedPiece]]:
        async def pieces() -> list[tensorio.GeneratedPiece]:
            return [piece async for piece in model.generate("Hello", **RAW)]

        return await asyncio.gather(pieces(), pieces(), pieces())

    assert asyncio.run(read()) == [list(model.generate("Hello", **RAW))] * 3


def test_canceling_a_task_ends_its_text(model: tensorio.Model) -> None:
    generation = model.generate("Hello", raw=True, max_tokens=150)

    async def read() -> None:
        async def pieces() -> None:
            async for _ in generation:
                is_begun.set()

        is_begun = asyncio.Event()
        task = asyncio.create_task(pieces())
        await is_begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(read())
    # The step that ran has had the error, unless it was done before.
    with contextlib.suppress(tensorio.RunError):
        generation.result()
    assert generation.end == "cancelled" and 0 < len(generation.tokens) < 150


def test_another_thread_cancels_and_reads(model: tensorio.Model) -> None:
    generation = model.generate("Hello", raw=True, max_tokens=150)
    errors: list[tensorio.RunError] = []

    def read() -> None:
        try:
            for _ in generation:
                time.sleep(0.001)
        except tensorio.RunError as error:
            errors.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    while not generation.tokens:
        time.sleep(0.001)
    generation.cancel()
    thread.join()
    assert [error.code for error in errors] == ["cancelled"]
    assert generation.end == "cancelled" and 0 < len(generation.tokens) < 150


def test_the_interpreter_is_free_during_a_step(model: tensorio.Model) -> None:
    count, is_done = 0, threading.Event()

    def work() -> None:
        nonlocal count
        while not is_done.is_set():
            count += 1
            time.sleep(0)

    # The interpreter does not change threads by itself: the other one runs only if the lock is released.
    interval = sys.getswitchinterval()
    sys.setswitchinterval(60)
    thread = threading.Thread(target=work)
    thread.start()
    try:
        before = count
        for _ in range(50):
            model.generate("Hello" * 20, raw=True, max_tokens=20).result()
        assert count > before + 50
    finally:
        sys.setswitchinterval(interval)
        is_done.set()
        thread.join()


def test_abandoned_texts_keep_no_memory(model: tensorio.Model) -> None:
    decoder = tensorio.Model(path("shared"))

    def work(count: int) -> None:
        for _ in range(count):
            next(decoder.generate("Hello", **RAW))
            chat = decoder.chat(max_tokens=3)
            next(chat.send("a"))
            next(chat.send("b"))

    work(300)
    gc.collect()
    before = _resident()
    work(1500)
    gc.collect()
    assert _resident() - before < 4 << 20


def test_ctrl_c_ends_a_text(model: tensorio.Model) -> None:
    code = (
        "import signal, tensorio\n"
        # A shell starts background processes with SIGINT ignored.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"model = tensorio.Model({os.fspath(path('growing'))!r})\n"
        "print('ready', flush=True)\n"
        "while True: model.generate('Hello', raw=True, max_tokens=190).result()\n")
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors and process.returncode != 0


def test_a_run_returns_the_text(model: tensorio.Model) -> None:
    expected = model.generate("Hello").result().text
    result = model.run("Hello")
    assert result.value("text") == expected and result["text"] == [expected]
    assert result.to_dict()["outputs"] == result.outputs == {"text": expected}
    assert [(layer.name, layer.dtype, layer.shape) for layer in model.outputs] == [("text", "string", [1])]
    assert pickle.loads(pickle.dumps(result)).value("text") == expected
    assert model.batch(["Hello", "Hello"])["text"].tolist() == [expected] * 2
    results = model.batch(["Hello", "</s>", "Hello"], errors="return")
    assert isinstance(results[1], tensorio.ItemError) and results[2].value("text") == expected
    table = model.predict({"input_ids": ["Hello", "</s>"]})
    assert table["text"] == [expected, None] and "special token" in table["error"][1]


def test_tables_of_prompts_are_tables_of_texts(model: tensorio.Model, tmp_path: pathlib.Path) -> None:
    """As on clusters: Ray, Spark and Dask call the same functions with each part of a table."""
    pyarrow = pytest.importorskip("pyarrow")
    import tensorio.arrow

    prompts = ["Hello", "</s>", "a", None]
    table = pyarrow.table({"id": [1, 2, 3, 4], "prompt": prompts})
    settings = tensorio.arrow.scoring(path("growing"), columns="prompt")
    assert tensorio.arrow.schema(settings, table.schema).field("text").type == pyarrow.string()
    rows = tensorio.arrow.score(settings, table).to_pylist()
    assert [row["id"] for row in rows] == [1, 2, 3, 4]
    assert [row["text"] for row in rows] == [
        None if prompt in ("</s>", None) else model.generate(prompt).result().text for prompt in prompts]
    assert [row["error"] is None for row in rows] == [True, False, True, False]
    assert "special token" in rows[1]["error"]
