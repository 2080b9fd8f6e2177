// Compiled together with session.c, whose functions it uses.

#include "litert-training.h"

#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "session.h"

enum { most_axes = 4 };

struct LiteRTTraining {
  Session session;
  const void *values[most_layers];
};

static const float learning_rate = 0.01f;

/// The signature that trains.
static size_t training_signature(LiteRtModel model) {
  size_t count;
  CHECK(LiteRtGetNumModelSignatures(model, &count));
  for (size_t i = 0; i < count; i++) {
    LiteRtSignature signature;
    const char *key;
    CHECK(LiteRtGetModelSignature(model, i, &signature));
    CHECK(LiteRtGetSignatureKey(signature, &key));
    if (!strcmp(key, "train")) return i;
  }
  fail("train", "is not a signature of the model");
}

LiteRTTraining *litert_training_open(
    const char *path, int threads, const float *pictures, const int *shape, size_t rank,
    const int32_t *labels) {
  LiteRTTraining *training = calloc(1, sizeof *training);
  if (!training || rank > most_axes) fail(path, "cannot be held");
  Session *session = &training->session;
  OpenModel opened = model_open(session, path, threads);
  session->signature = training_signature(opened.model);
  LiteRtSignature signature;
  CHECK(LiteRtGetModelSignature(opened.model, session->signature, &signature));
  size_t count;
  CHECK(LiteRtGetNumSignatureInputs(signature, &count));
  if (count > most_layers) fail("inputs", "too many");
  for (size_t i = 0; i < count; i++) {
    const char *name;
    CHECK(LiteRtGetSignatureInputName(signature, i, &name));
    const int label_shape[] = {shape[0], 1};
    if (!strcmp(name, "image")) {
      training->values[i] = pictures;
      CHECK(LiteRtCompiledModelResizeInputTensor(
          session->compiled, session->signature, i, shape, rank));
    } else if (!strcmp(name, "labels")) {
      training->values[i] = labels;
      CHECK(LiteRtCompiledModelResizeInputTensor(
          session->compiled, session->signature, i, label_shape, 2));
    } else if (!strcmp(name, "learning_rate")) {
      training->values[i] = &learning_rate;
    } else {
      fail(name, "is an input that is not expected");
    }
  }
  open_inputs(session, opened.environment, signature);
  open_outputs(session, opened.environment, signature);
  if (session->output_count != 1 || session->outputs[0].size != sizeof(float))
    fail(path, "has another output than the loss");
  return training;
}

void litert_training_close(LiteRTTraining *training) { free(training); }

float litert_training_steps(LiteRTTraining *training, size_t times) {
  Session *session = &training->session;
  float loss = 0;
  for (size_t step = 0; step < times; step++) {
    for (size_t i = 0; i < session->input_count; i++)
      layer_write(&session->inputs[i], training->values[i]);
    session_run(session);
    layer_read(&session->outputs[0], &loss);
  }
  return loss;
}
