"""The C interface: the header, the examples, and calls with invalid arguments."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
from typing import Any

import numpy
import pytest

import tensorio
from conftest import BUNDLES, ROOT
from tensorio._drawing import pillow_image

HEADER = ROOT / "Sources" / "Bindings" / "CTensorIO" / "include"
FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{HEADER}"]
LIBRARY = pathlib.Path(os.environ.get("TENSORIO_C_LIBRARY_FOLDER", ROOT / ".build" / "wheel"))


def _compile(compiler: str, standard: str, source: pathlib.Path, target: pathlib.Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"no {compiler}")
    subprocess.run(
        [compiler, f"-std={standard}", *FLAGS, source, f"-L{LIBRARY}", "-ltensorio",
         "-lm", f"-Wl,-rpath,{LIBRARY}", "-o", target], check=True)


def _environment() -> dict[str, str]:
    tensorio.Model(BUNDLES / "diabetes.tiobundle")
    return dict(os.environ)


@pytest.mark.parametrize("compiler", ["clang", "gcc"])
def test_the_c_example_classifies(compiler: str, tmp_path: pathlib.Path, digit: str) -> None:
    _compile(compiler, "c99", ROOT / "Examples" / "C" / "classify.c", tmp_path / "classify")
    done = subprocess.run(
        [tmp_path / "classify", BUNDLES / "digits.tiobundle", digit], capture_output=True, text=True,
        env=_environment(), check=True)
    expected = tensorio.Model(BUNDLES / "digits.tiobundle")(digit).to_dict(top=3)
    assert json.loads(done.stdout)["outputs"] == expected["outputs"]
    done = subprocess.run(
        [tmp_path / "classify", "missing.tiobundle", digit], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith("missing-bundle: ")


def _expect_same(column: Any, value: Any) -> None:
    """Checks what the example prints of a column: images have the sum of their pixels in place of a PNG."""
    if isinstance(value, dict):
        assert list(column) == list(value)
        for name, item in value.items():
            if name != "png":
                _expect_same(column[name], item)
                continue
            pixels = numpy.asarray(pillow_image(base64.b64decode(item)))
            assert column[name] == {
                "width": pixels.shape[1], "height": pixels.shape[0], "sum": int(pixels.astype(int).sum())}
    elif isinstance(value, list):
        assert len(column) == len(value)
        for pair in zip(column, value):
            _expect_same(*pair)
    elif isinstance(value, float):
        assert column == pytest.approx(value, rel=1e-6)
    else:
        assert column == value


@pytest.mark.parametrize("compiler, standard", [("clang", "c99"), ("gcc", "c99"), ("clang++", "c++17")])
@pytest.mark.parametrize("name", [
    "digits", "shape-detector", "shape-segmenter", "figure-pose", "digits-embedder", "negative", "face-detector"])
def test_columns_have_the_results(compiler: str, standard: str, name: str, tmp_path: pathlib.Path) -> None:
    source = ROOT / "Examples" / "C" / "columns.c"
    if compiler.endswith("++"):
        source = shutil.copy(source, tmp_path / "columns.cpp")
    _compile(compiler, standard, source, tmp_path / "columns")
    bundle = BUNDLES / f"{name}.tiobundle"
    images = sorted(path for path in (bundle / "samples").iterdir() if path.suffix in (".png", ".jpg"))
    done = subprocess.run(
        [tmp_path / "columns", bundle, *images], capture_output=True, text=True, env=_environment(), check=True)
    model = tensorio.Model(bundle)
    lines = done.stdout.splitlines()
    assert len(lines) == len(images)
    for line, image in zip(lines, images):
        _expect_same(json.loads(line), model(image).to_dict()["outputs"])


@pytest.mark.parametrize("compiler", ["clang++", "g++"])
def test_the_cpp_example_predicts(compiler: str, tmp_path: pathlib.Path) -> None:
    _compile(compiler, "c++17", ROOT / "Examples" / "C" / "predict.cpp", tmp_path / "predict")
    done = subprocess.run(
        [tmp_path / "predict", BUNDLES / "diabetes.tiobundle", *["0.1"] * 10], capture_output=True,
        text=True, env=_environment(), check=True)
    expected = tensorio.Model(BUNDLES / "diabetes.tiobundle")(numpy.full(10, 0.1, numpy.float32)).array
    assert float(done.stdout.split()[1]) == pytest.approx(expected.item(), rel=1e-5)


@pytest.mark.parametrize("compiler, standard", [("clang", "c99"), ("gcc", "c99"), ("clang++", "c++17")])
def test_the_c_example_trains(compiler: str, standard: str, tmp_path: pathlib.Path) -> None:
    source = ROOT / "Examples" / "C" / "train.c"
    if compiler.endswith("++"):
        source = shutil.copy(source, tmp_path / "train.cpp")
    _compile(compiler, standard, source, tmp_path / "train")
    bundle, data = BUNDLES / "digits-trainable-tflite.tiobundle", ROOT / "Examples" / "Data" / "digits-training"
    done = subprocess.run(
        [tmp_path / "train", bundle, data, tmp_path / "trained.tiobundle"], capture_output=True, text=True,
        env=_environment(), check=True)
    lines = done.stdout.splitlines()
    steps = [json.loads(line) for line in lines if line.startswith("{")]
    trainer = tensorio.Trainer(bundle)
    history = trainer.fit(data)
    assert len(steps) == history.steps and steps[-1]["summary"]["loss"] == history.loss
    names = [line.split(":")[0] for line in lines if not line.startswith("{")]
    assert names == list(trainer.weights())
    sample = sorted((bundle / "samples").glob("*.png"))[0]
    exported = tensorio.Model(tmp_path / "trained.tiobundle")
    assert (exported(sample).array == trainer.model()(sample).array).all()


DECODER = ROOT / "Tests" / "Fixtures" / "Bundles" / "decoder-growing.tiobundle"


def _require_decoder() -> None:
    try:
        tensorio.Model(DECODER)
    except tensorio.RuntimeMissing:
        pytest.skip("ONNX Runtime is not installed")


@pytest.mark.parametrize("compiler, standard", [("clang", "c99"), ("gcc", "c99"), ("clang++", "c++17")])
def test_the_c_example_generates(compiler: str, standard: str, tmp_path: pathlib.Path) -> None:
    _require_decoder()
    source = ROOT / "Examples" / "C" / "generate.c"
    if compiler.endswith("++"):
        source = shutil.copy(source, tmp_path / "generate.cpp")
    _compile(compiler, standard, source, tmp_path / "generate")
    options = {"max_tokens": 30, "raw": True, "temperature": 2, "seed": 5}
    command = [tmp_path / "generate", DECODER, "Hello", json.dumps(options)]
    done = subprocess.run(command, capture_output=True, env=_environment(), check=True)
    expected = tensorio.Model(DECODER).generate("Hello", **options).result()
    assert done.stdout.decode() == expected.text
    printed = json.loads(done.stderr)
    assert (printed["text"], printed["tokens"], printed["end"]) == (expected.text, expected.tokens, "length")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=_environment())
    assert json.loads(done.stderr)["end"] == "cancelled" and len(json.loads(done.stderr)["tokens"]) == 1


def test_texts_and_conversations_in_c(tmp_path: pathlib.Path) -> None:
    _require_decoder()
    (tmp_path / "texts.c").write_text(r"""
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "tensorio.h"

#define EXPECT(condition) \
  do { if (!(condition)) { printf("line %d: %s\n", __LINE__, error ? tio_error_message(error) : "no error"); failures++; } } while (0)

static int failures;

typedef struct { int count, max, tokens; tio_generation *canceled; } Reader;

static int32_t count_pieces(void *context, const char *text, size_t byte_count, int32_t token) {
  Reader *reader = (Reader *)context;
  if (strlen(text) > byte_count || token >= 258) failures++;
  reader->tokens += token >= 0;
  if (reader->canceled) tio_generation_cancel(reader->canceled);
  return ++reader->count == reader->max;
}

static void *cancel(void *generation) {
  tio_generation_cancel((tio_generation *)generation);
  return NULL;
}

static int has(tio_string *json, const char *text) {
  int found = json != NULL && strstr(tio_string_text(json), text) != NULL;
  tio_string_release(json);
  return found;
}

int main(int argc, char **argv) {
  tio_model *model = NULL, *digits = NULL;
  tio_generation *generation = NULL, *other = NULL;
  tio_conversation *chat = NULL;
  tio_string *json = NULL;
  tio_error *error = NULL;
  tio_value prompt = tio_text("Hello", 5), messages[65];
  (void)argc;
  if (tio_model_open(argv[1], NULL, &model, &error) != TIO_OK || tio_model_open(argv[2], NULL, &digits, &error) != TIO_OK)
    return 100;

  /* A function ends a call, and another call continues. */
  Reader reader = {0, 3, 0, NULL};
  EXPECT(tio_model_generate(model, &prompt, 1, "{\"raw\": true, \"max_tokens\": 40}", &generation, &error) == TIO_OK);
  EXPECT(tio_generation_result(generation, &json, &error) == TIO_OK && has(json, "\"tokens\":[]"));
  EXPECT(tio_generation_read(generation, count_pieces, &reader, &error) == TIO_OK && reader.count == 3);
  EXPECT(tio_generation_result(generation, &json, &error) == TIO_OK && has(json, "\"end\":\"cancelled\""));
  EXPECT(tio_generation_read(generation, count_pieces, &reader, &error) == TIO_OK && reader.tokens == 40);
  EXPECT(tio_generation_result(generation, &json, &error) == TIO_OK && has(json, "\"end\":\"length\""));
  reader.count = 0;
  EXPECT(tio_generation_read(generation, count_pieces, &reader, &error) == TIO_OK && reader.count == 0);
  tio_generation_release(generation);

  /* Canceled by its function, and by another thread. */
  Reader endless = {0, -1, 0, NULL};
  EXPECT(tio_model_generate(model, &prompt, 1, "{\"raw\": true, \"max_tokens\": 150}", &generation, &error) == TIO_OK);
  endless.canceled = generation;
  EXPECT(tio_generation_read(generation, count_pieces, &endless, &error) == TIO_ERROR_RUN && endless.count == 1);
  EXPECT(error && strcmp(tio_error_code(error), "cancelled") == 0);
  tio_error_release(error);
  error = NULL;
  tio_generation_release(generation);
  pthread_t thread;
  EXPECT(tio_model_generate(model, &prompt, 1, NULL, &generation, &error) == TIO_OK);
  if (pthread_create(&thread, NULL, cancel, generation) != 0 || pthread_join(thread, NULL) != 0) return 101;
  EXPECT(tio_generation_read(generation, NULL, NULL, NULL) == TIO_ERROR_RUN);
  tio_generation_release(generation);

  /* Messages. */
  for (int index = 0; index < 65; index++) {
    messages[index] = tio_text("a", 1);
    messages[index].name = index == 0 ? "system" : index % 2 ? "user" : "assistant";
  }
  EXPECT(tio_model_generate(model, messages, 2, "{\"max_tokens\": 2}", &generation, &error) == TIO_OK);
  EXPECT(tio_generation_read(generation, NULL, NULL, &error) == TIO_OK);
  EXPECT(tio_generation_result(generation, &json, &error) == TIO_OK && !has(json, "\"tokens\":[]"));
  tio_generation_release(generation);
  EXPECT(tio_model_generate(model, messages, 65, NULL, &generation, &error) == TIO_ERROR_INPUT && generation == NULL);
  tio_error_release(error);
  error = NULL;

  /* A conversation: a released answer counts, and an earlier one does not disturb a later one. */
  EXPECT(tio_conversation_open(model, "x", "{\"max_tokens\": 4}", &chat, &error) == TIO_OK);
  EXPECT(tio_conversation_send(chat, "a", &generation, &error) == TIO_OK);
  reader.count = 0;
  reader.max = 2;
  EXPECT(tio_generation_read(generation, count_pieces, &reader, &error) == TIO_OK && reader.count == 2);
  EXPECT(tio_conversation_send(chat, "b", &other, &error) == TIO_OK);
  reader.count = 0;
  EXPECT(tio_generation_read(other, count_pieces, &reader, &error) == TIO_OK && reader.count == 2);
  EXPECT(tio_generation_read(generation, NULL, NULL, NULL) == TIO_ERROR_RUN);
  tio_generation_cancel(generation);
  tio_generation_release(generation);
  tio_conversation_release(chat);
  EXPECT(tio_generation_read(other, NULL, NULL, &error) == TIO_OK);
  EXPECT(tio_generation_result(other, &json, &error) == TIO_OK && has(json, "\"end\":\"length\""));
  tio_generation_release(other);
  EXPECT(tio_conversation_open(model, NULL, NULL, &chat, &error) == TIO_OK);
  EXPECT(tio_conversation_messages(chat, &json, &error) == TIO_OK && has(json, "[]"));
  EXPECT(tio_conversation_send(chat, "\"", &other, &error) == TIO_OK);
  EXPECT(tio_conversation_messages(chat, &json, &error) == TIO_OK && has(json, "[{\"role\":\"user\",\"content\":\"\\\"\"}"));
  tio_generation_release(other);
  tio_conversation_release(chat);

  /* Errors. */
#define REJECTED(expected, text, call) \
  do { \
    error = NULL; \
    tio_status status = call; \
    EXPECT(status == expected && error && strstr(tio_error_message(error), text)); \
    tio_error_release(error); \
    error = NULL; \
  } while (0)
  tio_value number = tio_numbers(TIO_FLOAT32, NULL, NULL, 0);
  REJECTED(TIO_ERROR_ARGUMENT, "tio_model_generate", tio_model_generate(NULL, &prompt, 1, NULL, &generation, &error));
  REJECTED(TIO_ERROR_ARGUMENT, "tio_model_generate", tio_model_generate(model, NULL, 1, NULL, &generation, &error));
  REJECTED(TIO_ERROR_ARGUMENT, "tio_model_generate", tio_model_generate(model, &prompt, 0, NULL, &generation, &error));
  REJECTED(TIO_ERROR_ARGUMENT, "tio_model_generate", tio_model_generate(model, &prompt, 1, NULL, NULL, &error));
  REJECTED(TIO_ERROR_ARGUMENT, "top_q", tio_model_generate(model, &prompt, 1, "{\"top_q\": 1}", &generation, &error));
  REJECTED(TIO_ERROR_ARGUMENT, "JSON", tio_model_generate(model, &prompt, 1, "{", &generation, &error));
  REJECTED(TIO_ERROR_ARGUMENT, "object", tio_conversation_open(model, NULL, "[]", &chat, &error));
  REJECTED(TIO_ERROR_INPUT, "text", tio_model_generate(model, &number, 1, NULL, &generation, &error));
  REJECTED(TIO_ERROR_RUN, "generation", tio_model_generate(digits, &prompt, 1, NULL, &generation, &error));
  messages[1].name = NULL;
  REJECTED(TIO_ERROR_INPUT, "role", tio_model_generate(model, messages, 2, NULL, &generation, &error));
  REJECTED(TIO_ERROR_ARGUMENT, "tio_generation_read", tio_generation_read(NULL, NULL, NULL, &error));
  REJECTED(TIO_ERROR_ARGUMENT, "tio_generation_result", tio_generation_result(NULL, &json, &error));
  REJECTED(TIO_ERROR_ARGUMENT, "tio_conversation_open", tio_conversation_open(NULL, NULL, NULL, &chat, &error));
  REJECTED(TIO_ERROR_ARGUMENT, "tio_conversation_send", tio_conversation_send(NULL, "a", &other, &error));
  REJECTED(TIO_ERROR_ARGUMENT, "tio_conversation_messages", tio_conversation_messages(NULL, &json, &error));
  tio_generation_cancel(NULL);
  tio_generation_release(NULL);
  tio_conversation_release(NULL);
  tio_model_release(model);
  tio_model_release(digits);
  return failures;
}
""")
    _compile("clang", "gnu99", tmp_path / "texts.c", tmp_path / "texts")
    done = subprocess.run(
        [tmp_path / "texts", DECODER, BUNDLES / "digits.tiobundle"], capture_output=True, text=True,
        env=_environment(), timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_invalid_arguments_are_errors(tmp_path: pathlib.Path) -> None:
    (tmp_path / "invalid.c").write_text(r"""
#include <stdio.h>
#include <string.h>
#include "tensorio.h"

static int failures;

static void expect(const char *name, tio_status status, tio_status expected, tio_error *error) {
  int is_right = status == expected && error != NULL && strlen(tio_error_message(error)) > 0 &&
                 tio_error_status(error) == expected && tio_error_json(error)[0] == '{';
  if (!is_right) {
    printf("%s: status %d, %s\n", name, (int)status, error ? tio_error_message(error) : "no error");
    failures++;
  }
  tio_error_release(error);
}

int main(int argc, char **argv) {
  tio_model *model = NULL;
  tio_output *output = NULL;
  tio_error *error = NULL;
  const float numbers[10] = {0};
  int64_t shape[2] = {10, -1};
  float result[4] = {0};
  (void)argc;
  expect("no path", tio_model_open(NULL, NULL, &model, &error), TIO_ERROR_ARGUMENT, error);
  expect("no model", tio_model_open("a", NULL, NULL, &error), TIO_ERROR_ARGUMENT, error);
  expect("bad JSON", tio_model_open(argv[1], "{", &model, &error), TIO_ERROR_ARGUMENT, error);
  expect("unknown option", tio_model_open(argv[1], "{\"x\":1}", &model, &error), TIO_ERROR_ARGUMENT, error);
  expect("missing", tio_model_open("missing", NULL, &model, &error), TIO_ERROR_BUNDLE, error);
  if (tio_model_open(argv[1], "{\"threads\":1,\"sessions\":2}", &model, &error) != TIO_OK) return 2;
  expect("no values", tio_model_run(model, NULL, 1, &output, &error), TIO_ERROR_ARGUMENT, error);
  expect("no output", tio_model_run(model, NULL, 0, NULL, &error), TIO_ERROR_ARGUMENT, error);
  tio_value value = tio_numbers(TIO_FLOAT32, numbers, shape, 2);
  expect("negative dimension", tio_model_run(model, &value, 1, &output, &error), TIO_ERROR_INPUT, error);
  value = tio_numbers(TIO_FLOAT32, NULL, shape, 1);
  expect("no data", tio_model_run(model, &value, 1, &output, &error), TIO_ERROR_INPUT, error);
  value = tio_numbers((tio_dtype)77, numbers, shape, 1);
  expect("unknown dtype", tio_model_run(model, &value, 1, &output, &error), TIO_ERROR_INPUT, error);
  shape[0] = INT64_MAX;
  value = tio_numbers(TIO_FLOAT32, numbers, shape, 1);
  expect("too large", tio_model_run(model, &value, 1, &output, &error), TIO_ERROR_INPUT, error);
  shape[0] = 9;
  expect("wrong count", tio_model_run(model, &value, 1, &output, &error), TIO_ERROR_INPUT, error);
  value.kind = 99;
  expect("unknown kind", tio_model_run(model, &value, 1, &output, &error), TIO_ERROR_INPUT, error);
  value.kind = TIO_VALUE_LIST;
  value.data = NULL;
  expect("no values of a list", tio_model_run(model, &value, 1, &output, &error), TIO_ERROR_INPUT, error);
  value.data = &value;
  shape[0] = 1;
  expect("a list in itself", tio_model_run(model, &value, 1, &output, &error), TIO_ERROR_INPUT, error);
  expect("no rows", tio_model_run_floats(model, numbers, 10, result, 1, 0, &error), TIO_ERROR_ARGUMENT, error);
  expect("wrong rows", tio_model_run_floats(model, numbers, 5, result, 1, 2, &error), TIO_ERROR_INPUT, error);
  shape[0] = 10;
  value = tio_numbers(TIO_FLOAT32, numbers, shape, 1);
  tio_tensor tensor, from, to;
  if (!tio_model_memory(model, &from, &to) || tio_model_memory(NULL, &from, &to)) failures++;
  if (from.dtype != TIO_FLOAT32 || from.byte_count != 40 || to.byte_count != 4 || to.data != NULL) failures++;
  expect("no items", tio_model_run_memory(model, numbers, result, 0, &error), TIO_ERROR_ARGUMENT, error);
  expect("no memory", tio_model_run_memory(model, NULL, result, 1, &error), TIO_ERROR_ARGUMENT, error);
  expect("too many items", tio_model_run_memory(model, numbers, result, SIZE_MAX / 2, &error), TIO_ERROR_INPUT, error);
  expect("no result", tio_model_output(model, NULL, 0, &output, &error), TIO_ERROR_ARGUMENT, error);
  if (tio_model_run_memory(model, numbers, result, 1, &error) != TIO_OK) return 8;
  if (tio_model_output(model, result, 1000, &output, &error) != TIO_OK) return 9;
  if (tio_output_tensor(output, 0, &tensor, &error) != TIO_OK || *(const float *)tensor.data != result[0]) failures++;
  tio_output_release(output);
  if (tio_model_run(model, &value, 1, &output, &error) != TIO_OK) return 3;
  expect("no such output", tio_output_tensor(output, 9, &tensor, &error), TIO_ERROR_ARGUMENT, error);
  if (tio_output_name(output, 9) != NULL || tio_output_string(output, 0, 0, NULL) != NULL) failures++;
  tio_columns *columns = NULL;
  tio_output *outputs[2] = {output, NULL};
  expect("no outputs", tio_result_columns(NULL, 1, NULL, &columns, &error), TIO_ERROR_ARGUMENT, error);
  expect("no output", tio_result_columns(outputs, 2, NULL, &columns, &error), TIO_ERROR_ARGUMENT, error);
  expect("zero outputs", tio_result_columns(outputs, 0, NULL, &columns, &error), TIO_ERROR_ARGUMENT, error);
  expect("no columns", tio_result_columns(outputs, 1, NULL, NULL, &error), TIO_ERROR_ARGUMENT, error);
  outputs[1] = output;
  if (tio_result_columns(outputs, 2, "{\"top\": 1}", &columns, &error) != TIO_OK) return 10;
  const tio_column *root = tio_columns_root(columns), *member = tio_column_child(root, "progression");
  if (root->kind != TIO_COLUMN_RECORDS || root->count != 2 || root->child_count != 1 || root->name != NULL) failures++;
  if (member == NULL || member != root->children || member->kind != TIO_COLUMN_NUMBERS || member->count != 2) return 11;
  if (member->dtype != TIO_FLOAT32 || ((const float *)member->data)[1] != result[0]) failures++;
  if (tio_column_child(root, "other") != NULL || tio_column_child(member, "progression") != NULL) failures++;
  if (tio_column_child(NULL, "x") != NULL || tio_column_child(root, NULL) != NULL || tio_columns_root(NULL) != NULL) failures++;
  tio_columns_release(columns);
  tio_columns_release(NULL);
  tio_model *other_model = NULL;
  tio_output *other_output = NULL;
  if (tio_model_open(argv[1], NULL, &other_model, &error) != TIO_OK) return 12;
  if (tio_model_run(other_model, &value, 1, &other_output, &error) != TIO_OK) return 13;
  outputs[1] = other_output;
  expect("two models", tio_result_columns(outputs, 2, NULL, &columns, &error), TIO_ERROR_OUTPUT, error);
  tio_output_release(other_output);
  tio_model_release(other_model);
  value = tio_bytes("no image", 8);
  const void *png;
  size_t size;
  expect("no image", tio_output_draw(output, &value, &png, &size, &error), TIO_ERROR_INPUT, error);
  tio_model *again = tio_model_retain(model);
  tio_model_release(model);
  tio_output_release(output);
  if (tio_model_run(again, NULL, 0, &output, NULL) == TIO_OK) failures++;
  tio_model_release(again);
  tio_model_release(NULL);
  tio_output_release(NULL);
  tio_error_release(NULL);
  tio_stream_release(NULL);
  tio_trainer *trainer = NULL;
  tio_dataset *data = NULL;
  tio_training *training = NULL;
  tio_weights *weights = NULL;
  const char *json = NULL;
  expect("no trainer", tio_trainer_open(argv[2], NULL, NULL, &error), TIO_ERROR_ARGUMENT, error);
  expect("not trainable", tio_trainer_open(argv[1], NULL, &trainer, &error), TIO_ERROR_BUNDLE, error);
  if (tio_trainer_open(argv[2], NULL, &trainer, &error) != TIO_OK) return 4;
  expect("no data", tio_dataset_open(trainer, "missing", &data, &error), TIO_ERROR_INPUT, error);
  expect("no items", tio_dataset_create(&value, 1, 0, &data, &error), TIO_ERROR_ARGUMENT, error);
  expect("no names", tio_dataset_create(&value, 1, 1, &data, &error), TIO_ERROR_INPUT, error);
  expect("no dataset", tio_training_start(trainer, NULL, NULL, NULL, 0, &training, &error), TIO_ERROR_ARGUMENT, error);
  shape[0] = 1;
  value = tio_numbers(TIO_FLOAT32, numbers, shape, 1);
  value.name = "labels";
  if (tio_dataset_create(&value, 1, 1, &data, &error) != TIO_OK || tio_dataset_count(data) != 1) return 5;
  expect("bad option", tio_training_start(trainer, data, "{\"epochs\": \"two\"}", NULL, 0, &training, &error),
         TIO_ERROR_ARGUMENT, error);
  expect("bad timing", tio_trainer_step(trainer, data, NULL, 0, "later", &output, &error), TIO_ERROR_ARGUMENT, error);
  expect("missing input", tio_trainer_step(trainer, data, NULL, 0, NULL, &output, &error), TIO_ERROR_INPUT, error);
  if (tio_training_start(trainer, data, NULL, NULL, 0, &training, &error) != TIO_OK) return 6;
  expect("missing input of a training", tio_training_next(training, &json, &error), TIO_ERROR_INPUT, error);
  expect("unknown variable", tio_trainer_set_weights(trainer, &value, 1, 1, &error), TIO_ERROR_INPUT, error);
  expect("existing", tio_trainer_export(trainer, argv[2], 0, &error), TIO_ERROR_RUN, error);
  if (tio_trainer_weights(trainer, 0, &weights, &error) != TIO_OK || tio_weights_count(weights) != 6) return 7;
  expect("no such variable", tio_weights_tensor(weights, 6, &tensor, &error), TIO_ERROR_ARGUMENT, error);
  if (tio_weights_name(weights, 6) != NULL) failures++;
  tio_weights_release(weights);
  tio_training_release(training);
  tio_dataset_release(data);
  tio_trainer_release(trainer);
  tio_trainer_release(NULL);
  tio_dataset_release(NULL);
  tio_training_release(NULL);
  tio_weights_release(NULL);
  tio_string_release(NULL);
  return failures;
}
""")
    _compile("clang", "c99", tmp_path / "invalid.c", tmp_path / "invalid")
    done = subprocess.run(
        [tmp_path / "invalid", BUNDLES / "diabetes.tiobundle",
         BUNDLES / "digits-trainable-tflite.tiobundle"], capture_output=True, text=True,
        env=_environment())
    assert done.returncode == 0, done.stdout + done.stderr
