#include "session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum { any_integer = 2, option_accelerators = 24, option_least_severity = 25, errors_only = 3 };

/// Not among the functions that TensorIO uses.
LiteRtStatus LiteRtGetTensorBufferPackedSize(LiteRtTensorBuffer buffer, size_t *size);

#define CHECK(call) check((call), #call)

static void check(LiteRtStatus status, const char *call) {
  if (status == 0) return;
  char text[64];
  snprintf(text, sizeof text, "LiteRT's status is %d", status);
  fail(call, text);
}

unsigned char *file_contents(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) fail(path, "cannot be read");
  long length = ftell(file);
  rewind(file);
  unsigned char *bytes = length > 0 ? malloc(length) : NULL;
  if (!bytes || fread(bytes, 1, length, file) != (size_t)length) fail(path, "cannot be read");
  fclose(file);
  *size = length;
  return bytes;
}

static LiteRtEnvironment environment_with_cpu_only(void) {
  LiteRtEnvironment environment;
  LiteRtEnvOption options[] = {
      {option_least_severity, {.type = any_integer, .integer = errors_only}},
      {option_accelerators, {.type = any_integer, .integer = CLiteRTAcceleratorCPU}},
  };
  CHECK(LiteRtCreateEnvironment(2, options, &environment));
  return environment;
}

static LiteRtOptions options_with_threads(int threads) {
  LiteRtOptions options;
  LiteRtOpaqueOptions cpu;
  char toml[64];
  snprintf(toml, sizeof toml, "num_threads = %d\n", threads);
  CHECK(LiteRtCreateOptions(&options));
  CHECK(LiteRtSetOptionsHardwareAccelerators(options, CLiteRTAcceleratorCPU));
  CHECK(LiteRtCreateOpaqueOptions("xnnpack", strdup(toml), free, &cpu));
  CHECK(LiteRtAddOpaqueOptions(options, cpu));
  return options;
}

static void describe(Layer *layer, LiteRtTensor tensor) {
  int kind;
  CHECK(LiteRtGetRankedTensorType(tensor, &layer->type));
  CHECK(LiteRtGetQuantizationTypeId(tensor, &kind));
  layer->quantization = (LiteRtQuantizationPerTensor){1, 0};
  if (kind == CLiteRTQuantizationPerTensor)
    CHECK(LiteRtGetPerTensorQuantization(tensor, &layer->quantization));
}

static void allocate(
    Layer *layer, LiteRtEnvironment environment, LiteRtTensorBufferRequirements requirements) {
  CHECK(LiteRtCreateManagedTensorBufferFromRequirements(
      environment, &layer->type, requirements, &layer->buffer));
  CHECK(LiteRtGetTensorBufferPackedSize(layer->buffer, &layer->size));
}

static void open_inputs(Session *session, LiteRtEnvironment environment, LiteRtSignature signature) {
  CHECK(LiteRtGetNumSignatureInputs(signature, &session->input_count));
  if (session->input_count > most_layers) fail("inputs", "too many");
  for (size_t i = 0; i < session->input_count; i++) {
    LiteRtTensor tensor;
    LiteRtTensorBufferRequirements requirements;
    Layer *layer = &session->inputs[i];
    CHECK(LiteRtGetSignatureInputTensorByIndex(signature, i, &tensor));
    describe(layer, tensor);
    CHECK(LiteRtGetCompiledModelInputTensorLayout(session->compiled, session->signature, i, &layer->type.layout));
    CHECK(LiteRtGetCompiledModelInputBufferRequirements(session->compiled, session->signature, i, &requirements));
    allocate(layer, environment, requirements);
  }
}

static void open_outputs(Session *session, LiteRtEnvironment environment, LiteRtSignature signature) {
  LiteRtLayout layouts[most_layers];
  CHECK(LiteRtGetNumSignatureOutputs(signature, &session->output_count));
  if (session->output_count > most_layers) fail("outputs", "too many");
  CHECK(LiteRtGetCompiledModelOutputTensorLayouts(
      session->compiled, session->signature, session->output_count, layouts, true));
  for (size_t i = 0; i < session->output_count; i++) {
    LiteRtTensor tensor;
    LiteRtTensorBufferRequirements requirements;
    Layer *layer = &session->outputs[i];
    CHECK(LiteRtGetSignatureOutputTensorByIndex(signature, i, &tensor));
    describe(layer, tensor);
    layer->type.layout = layouts[i];
    CHECK(LiteRtGetCompiledModelOutputBufferRequirements(session->compiled, session->signature, i, &requirements));
    allocate(layer, environment, requirements);
  }
}

/// Loads and compiles a model, without buffers.
static OpenModel model_open(Session *session, const char *path, int threads) {
  size_t size;
  OpenModel opened;
  const unsigned char *bytes = file_contents(path, &size);
  opened.environment = environment_with_cpu_only();
  CHECK(LiteRtCreateModelFromBuffer(opened.environment, bytes, size, &opened.model));
  LiteRtOptions options = options_with_threads(threads);
  CHECK(LiteRtCreateCompiledModel(opened.environment, opened.model, options, &session->compiled));
  LiteRtDestroyOptions(options);
  return opened;
}

void session_open(Session *session, const char *path, int threads) {
  LiteRtSignature signature;
  OpenModel opened = model_open(session, path, threads);
  session->signature = 0;
  CHECK(LiteRtGetModelSignature(opened.model, session->signature, &signature));
  open_inputs(session, opened.environment, signature);
  open_outputs(session, opened.environment, signature);
}

void session_run(Session *session) {
  LiteRtTensorBuffer inputs[most_layers], outputs[most_layers];
  for (size_t i = 0; i < session->input_count; i++) inputs[i] = session->inputs[i].buffer;
  for (size_t i = 0; i < session->output_count; i++) outputs[i] = session->outputs[i].buffer;
  CHECK(LiteRtRunCompiledModel(
      session->compiled, session->signature, session->input_count, inputs, session->output_count,
      outputs));
}

void layer_write(Layer *layer, const void *values) {
  void *memory;
  CHECK(LiteRtLockTensorBuffer(layer->buffer, &memory, CLiteRTLockWrite));
  memcpy(memory, values, layer->size);
  CHECK(LiteRtUnlockTensorBuffer(layer->buffer));
}

void layer_read(Layer *layer, void *values) {
  void *memory;
  CHECK(LiteRtLockTensorBuffer(layer->buffer, &memory, CLiteRTLockRead));
  memcpy(values, memory, layer->size);
  CHECK(LiteRtUnlockTensorBuffer(layer->buffer));
}
