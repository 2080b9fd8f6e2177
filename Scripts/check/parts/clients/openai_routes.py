"""Runs OpenAI's client, and those libraries that use it, against a server.

Usage: openai_routes.py HOST:PORT KEY CLIENT…, with openai, langchain, litellm, llamaindex or curl as CLIENT

The server has the models `decoder-growing`, which writes bytes without sense, `tools`, which is the same with a template with
tools, and `sentences`, which embeds texts.
"""

import asyncio
import importlib.metadata
import json
import math
import os
import subprocess
import sys

import openai

ADDRESS, KEY = sys.argv[1:3]
BASE = f"http://{ADDRESS}/v1"
WRITER, CALLER, EMBEDDER = "decoder-growing", "tools", "sentences"
MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say hello"}]
SCHEMA = {
    "title": "Answer", "type": "object", "properties": {"yes": {"type": "boolean"}},
    "required": ["yes"], "additionalProperties": False,
}  # fmt: skip
TOOL = {"type": "function", "function": {"name": "switch", "description": "", "parameters": SCHEMA}}
FORMAT = {"type": "json_schema", "json_schema": {"name": "answer", "schema": SCHEMA}}
TEXTS = ["Where is my parcel?", "I want my money back", "Where is my parcel?"]


def are_near(first, second, tolerance=1e-6):
    return len(first) == len(second) and all(
        math.isclose(a, b, abs_tol=tolerance) for a, b in zip(first, second)
    )


def check_vectors(vectors, count=3):
    assert len(vectors) == count, vectors
    assert are_near(vectors[0], vectors[2]) and not are_near(vectors[0], vectors[1], 1e-3), vectors
    assert all(math.isclose(sum(x * x for x in vector), 1, abs_tol=1e-5) for vector in vectors)


def fails(call, kind, code, member=None, text=""):
    try:
        call()
    except kind as error:
        assert error.code == code and error.param == member, (error.code, error.param)
        assert text in str(error), error
        if isinstance(error, openai.APIStatusError):
            assert error.request_id and error.request_id == error.response.headers["x-request-id"]
    else:
        raise AssertionError(f"expected {kind}")


class Checks:
    """OpenAI's own client."""

    def __init__(self):
        self.client = openai.OpenAI(base_url=BASE, api_key=KEY)

    def models(self):
        models = {model.id: model for model in self.client.models.list()}
        assert set(models) == {WRITER, CALLER, EMBEDDER}, models
        assert all(model.object == "model" and model.created > 0 for model in models.values())
        retrieved = self.client.models.retrieve(WRITER)
        assert retrieved.id == WRITER, retrieved

    def embeddings(self):
        create = self.client.embeddings.create
        for options in ({}, {"encoding_format": "float"}, {"encoding_format": "base64"}):
            response = create(model=EMBEDDER, input=TEXTS, **options)
            assert [item.index for item in response.data] == [0, 1, 2]
            assert response.usage.prompt_tokens > 0 and response.model == EMBEDDER
            if options.get("encoding_format") != "base64":
                check_vectors([item.embedding for item in response.data])
        assert len(create(model=EMBEDDER, input=TEXTS[0]).data) == 1

    def chat(self):
        create = self.client.chat.completions.create
        answer = create(model=WRITER, messages=MESSAGES, max_completion_tokens=8)
        choice = answer.choices[0]
        assert choice.message.role == "assistant" and choice.message.content, answer
        assert choice.finish_reason == "length" and answer.usage.completion_tokens == 8, answer
        stream = create(
            model=WRITER, messages=MESSAGES, max_tokens=8, stream=True,
            stream_options={"include_usage": True},
        )  # fmt: skip
        chunks = list(stream)
        parts = [chunk.choices[0] for chunk in chunks if chunk.choices]
        assert "".join(part.delta.content or "" for part in parts) == choice.message.content
        assert parts[0].delta.role == "assistant" and parts[-1].finish_reason == "length"
        assert not chunks[-1].choices and chunks[-1].usage.total_tokens == answer.usage.total_tokens
        assert len({(chunk.id, chunk.created, chunk.model) for chunk in chunks}) == 1
        answer = create(model=WRITER, messages=MESSAGES, max_tokens=3, logprobs=True, top_logprobs=2)
        tokens = answer.choices[0].logprobs.content
        assert len(tokens) == 3 and all(len(token.top_logprobs) == 2 for token in tokens)
        answer = create(model=WRITER, messages=MESSAGES, max_tokens=50, response_format=FORMAT)
        assert type(json.loads(answer.choices[0].message.content)["yes"]) is bool, answer

    def tools(self):
        create = self.client.chat.completions.create
        options = {"model": CALLER, "messages": MESSAGES, "max_tokens": 80, "tools": [TOOL]}
        answer = create(tool_choice="required", **options)
        call = answer.choices[0].message.tool_calls[0]
        assert answer.choices[0].finish_reason == "tool_calls" and call.function.name == "switch"
        assert type(json.loads(call.function.arguments)["yes"]) is bool
        parts = [
            chunk.choices[0].delta.tool_calls[0]
            for chunk in create(tool_choice="required", stream=True, **options)
            if chunk.choices[0].delta.tool_calls
        ]
        assert parts[0].id and parts[0].function.name == "switch"
        assert "".join(part.function.arguments for part in parts) == call.function.arguments
        messages = [
            *MESSAGES, answer.choices[0].message, {"role": "tool", "tool_call_id": call.id, "content": "done"}
        ]  # fmt: skip
        assert create(**options | {"messages": messages, "max_tokens": 2}).choices[0].message
        fails(
            lambda: create(**options | {"model": WRITER}), openai.BadRequestError, "unsupported", "tools"
        )

    def several(self):
        answer = self.client.chat.completions.create(
            model=WRITER, messages=MESSAGES, max_tokens=8, n=3, temperature=2
        )
        assert [choice.index for choice in answer.choices] == [0, 1, 2]
        assert len({choice.message.content for choice in answer.choices}) > 1

    def responses(self):
        create = self.client.responses.create
        response = create(model=WRITER, instructions="Be brief.", input="Say hello", max_output_tokens=8)
        assert response.output_text and response.status == "incomplete", response
        events = list(create(model=WRITER, instructions="Be brief.", input="Say hello", max_output_tokens=8, stream=True))
        deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
        assert "".join(deltas) == response.output_text
        assert events[-1].response.output_text == response.output_text
        tool = {"type": "function", **TOOL["function"]}
        response = create(model=CALLER, input="Say hello", tools=[tool], tool_choice="required", max_output_tokens=80)
        assert response.status == "completed" and response.output[0].name == "switch", response
        fails(
            lambda: create(model=WRITER, input="a", previous_response_id="x"),
            openai.BadRequestError, "unsupported", "previous_response_id",
        )  # fmt: skip

    def stream_helper(self):
        # 1.x has it under `beta`.
        completions = self.client.chat.completions
        if not hasattr(completions, "stream"):
            completions = self.client.beta.chat.completions
        with completions.stream(
            model=WRITER, messages=MESSAGES, max_tokens=50, response_format=FORMAT
        ) as stream:
            text = "".join(event.delta for event in stream if event.type == "content.delta")
            assert stream.get_final_completion().choices[0].message.content == text

    def leaving(self):
        # The model has few sequences: each is used again when its client has left.
        for _ in range(8):
            stream = self.client.completions.create(
                model=WRITER, prompt="a", max_tokens=150, stream=True
            )
            next(stream)
            stream.close()
        assert self.client.completions.create(model=WRITER, prompt="a", max_tokens=1).choices

    def completions(self):
        create = self.client.completions.create
        answer = create(model=WRITER, prompt=["a", "b"], max_tokens=4)
        assert [choice.index for choice in answer.choices] == [0, 1], answer
        text = "".join(
            chunk.choices[0].text for chunk in create(model=WRITER, prompt="a", max_tokens=4, stream=True)
        )
        assert text == answer.choices[0].text

    def errors(self):
        client, chat = self.client, self.client.chat.completions.create
        missing = "model_not_found"
        fails(lambda: chat(model="no", messages=MESSAGES), openai.NotFoundError, missing, "model")
        fails(
            lambda: client.embeddings.create(model="no", input="a"),
            openai.NotFoundError, missing, "model",
        )  # fmt: skip
        fails(
            lambda: client.embeddings.create(model=EMBEDDER, input=[[1, 2]]),
            openai.BadRequestError, "unsupported", "input[0]", "check_embedding_ctx_length",
        )  # fmt: skip
        fails(
            lambda: chat(model=WRITER, messages=MESSAGES, temperature=-1),
            openai.BadRequestError, "invalid-value", "temperature",
        )  # fmt: skip
        fails(
            lambda: client.completions.create(model=WRITER, prompt="a" * 300, stream=True),
            openai.BadRequestError, "context_length_exceeded", "prompt", "maximum context length",
        )  # fmt: skip
        other = openai.OpenAI(base_url=BASE, api_key="another")
        fails(lambda: other.models.list(), openai.AuthenticationError, "invalid_api_key")
        try:
            client.models.retrieve("no")
        except openai.NotFoundError:
            pass  # the body is TensorFlow Serving's
        else:
            raise AssertionError("a model that does not exist")

    async def _asynchronous(self):
        async with openai.AsyncOpenAI(base_url=BASE, api_key=KEY) as client:
            answers = await asyncio.gather(
                *[
                    client.chat.completions.create(model=WRITER, messages=MESSAGES, max_tokens=4)
                    for _ in range(8)
                ]
            )
            assert len({answer.choices[0].message.content for answer in answers}) == 1
            stream = await client.chat.completions.create(
                model=WRITER, messages=MESSAGES, max_tokens=4, stream=True
            )
            assert [chunk async for chunk in stream]

    def asynchronous(self):
        asyncio.run(self._asynchronous())


def check_openai():
    checks = Checks()
    for name in vars(Checks):
        if not name.startswith("_"):
            getattr(checks, name)()


def check_langchain():
    from langchain_openai import ChatOpenAI, OpenAI, OpenAIEmbeddings

    chat = ChatOpenAI(model=WRITER, base_url=BASE, api_key=KEY, max_tokens=8)
    answer = chat.invoke("Say hello")
    assert answer.content and answer.response_metadata["finish_reason"] == "length", answer
    assert answer.usage_metadata["output_tokens"] == 8
    assert "".join(chunk.content for chunk in chat.stream("Say hello")) == answer.content
    model = ChatOpenAI(model=WRITER, base_url=BASE, api_key=KEY, max_tokens=50)
    structured = model.with_structured_output(SCHEMA, method="json_schema")
    assert type(structured.invoke("Say hello")["yes"]) is bool
    caller = ChatOpenAI(model=CALLER, base_url=BASE, api_key=KEY, max_tokens=80)
    answer = caller.bind_tools([TOOL], tool_choice="required").invoke("Say hello")
    assert answer.tool_calls[0]["name"] == "switch" and "yes" in answer.tool_calls[0]["args"], answer
    assert OpenAI(model=WRITER, base_url=BASE, api_key=KEY, max_tokens=4).invoke("Once")
    embeddings = OpenAIEmbeddings(
        model=EMBEDDER, base_url=BASE, api_key=KEY, check_embedding_ctx_length=False
    )
    check_vectors(embeddings.embed_documents(TEXTS))
    assert embeddings.embed_query(TEXTS[0])
    missing = ChatOpenAI(model="no", base_url=BASE, api_key=KEY)
    fails(lambda: missing.invoke("Hi"), openai.NotFoundError, "model_not_found", "model")


def check_litellm():
    # Otherwise it downloads prices.
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm

    options = {"api_base": BASE, "api_key": KEY}
    answer = litellm.completion(f"openai/{WRITER}", MESSAGES, max_tokens=8, **options)
    text = answer.choices[0].message.content
    assert text and answer.choices[0].finish_reason == "length", answer
    answer = litellm.completion(
        f"openai/{CALLER}", MESSAGES, max_tokens=80, tools=[TOOL], tool_choice="required", **options
    )
    assert answer.choices[0].message.tool_calls[0].function.name == "switch", answer
    chunks = litellm.completion(f"openai/{WRITER}", MESSAGES, max_tokens=8, stream=True, **options)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == text
    answer = litellm.text_completion(
        "Once", f"text-completion-openai/{WRITER}", max_tokens=4, **options
    )
    assert answer.choices[0].text, answer
    response = litellm.embedding(f"openai/{EMBEDDER}", TEXTS, **options)
    check_vectors([item["embedding"] for item in response.data])
    try:
        litellm.completion(
            f"openai/{WRITER}", [{"role": "user", "content": "a" * 300}], **options
        )
    except litellm.ContextWindowExceededError as error:
        assert "maximum context length" in str(error)
    else:
        raise AssertionError("a message that is too long")


def check_llamaindex():
    from llama_index.core.llms import ChatMessage
    from llama_index.embeddings.openai import OpenAIEmbedding
    from llama_index.llms.openai_like import OpenAILike

    options = {"model": WRITER, "api_base": BASE, "api_key": KEY, "max_tokens": 8}
    writer = OpenAILike(**options)
    text = writer.complete("Once").text
    assert text and [part.text for part in writer.stream_complete("Once")][-1] == text
    writer = OpenAILike(is_chat_model=True, **options)
    messages = [ChatMessage(role="user", content="Say hello")]
    text = writer.chat(messages).message.content
    assert text and "".join(part.delta for part in writer.stream_chat(messages)) == text
    embedder = OpenAIEmbedding(model_name=EMBEDDER, api_base=BASE, api_key=KEY)
    check_vectors(embedder.get_text_embedding_batch(TEXTS))
    missing = OpenAILike(model="no", api_base=BASE, api_key=KEY, is_chat_model=True)
    fails(lambda: missing.chat(messages), openai.NotFoundError, "model_not_found", "model")


def curl(path, body=None, *options, key=KEY):
    """Returns the status and the body of a response."""
    command = ["curl", "--silent", "--no-buffer", "--write-out", "%{http_code}", f"{BASE}{path}"]
    command += ["--header", f"Authorization: Bearer {key}", *options]
    if body is not None:
        command += ["--json", json.dumps(body)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return int(text[-3:]), text[:-3]


def check_curl():
    status, body = curl("/models")
    assert status == 200 and [model["id"] for model in json.loads(body)["data"]], body
    status, body = curl("/embeddings", {"model": EMBEDDER, "input": TEXTS})
    check_vectors([item["embedding"] for item in json.loads(body)["data"]])
    request = {"model": WRITER, "messages": MESSAGES, "max_tokens": 8}
    # curl waits for `100 Continue` before it sends a large body.
    for options in ((), ("--header", "Expect: 100-continue"), ("--http2-prior-knowledge",)):
        status, body = curl("/chat/completions", request, *options)
        text = json.loads(body)["choices"][0]["message"]["content"]
        assert status == 200 and text, body
        status, body = curl("/chat/completions", request | {"stream": True}, *options)
        events = body.split("\n\n")
        assert status == 200 and events[-2:] == ["data: [DONE]", ""], body
        chunks = [json.loads(event.removeprefix("data: ")) for event in events[:-2]]
        parts = [chunk["choices"][0]["delta"].get("content", "") for chunk in chunks]
        assert "".join(parts) == text, body
    status, body = curl("/chat/completions", request | {"model": "no"})
    assert status == 404 and json.loads(body)["error"]["code"] == "model_not_found", body
    status, body = curl("/chat/completions", request, key="another")
    assert status == 401 and json.loads(body)["error"]["type"] == "authentication_error", body


def main():
    print(f"openai {importlib.metadata.version('openai')}")
    for name in sys.argv[3:]:
        globals()[f"check_{name}"]()
        print(f"{name} passed")


if __name__ == "__main__":
    main()
