// An ONNX model in plain C: ONNX Runtime's C API with bound inputs and outputs, one thread.

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct OrtStatus OrtStatus;
typedef struct {
  const void *const *(*table)(uint32_t version);
  const char *(*version)(void);
} OrtApiBase;

/// A model, and the memory that its only input and output are bound to.
typedef struct {
  const void *const *api;
  void *session, *binding;
  float *input, *output;
  size_t input_count, output_count;
} ONNXSession;

static void onnx_fail(const char *subject, const char *problem) {
  fprintf(stderr, "%s: %s\n", subject, problem);
  exit(1);
}

/// Calls a function of the table, and ends the process if it fails.
#define ONNX_CALL(api, index, types, ...)                                                          \
  do {                                                                                             \
    OrtStatus *status = ((OrtStatus *(*)types)(api)[index])(__VA_ARGS__);                          \
    if (status) onnx_fail("ONNX Runtime", ((const char *(*)(OrtStatus *))(api)[2])(status));       \
  } while (0)

typedef struct {
  void *name, *value;
  float *memory;
  size_t count;
} ONNXTensorMemory;

/// Allocates a tensor for the first input or output.
static ONNXTensorMemory onnx_tensor(
    const void *const *api, void *session, int is_output, void *allocator, void *memory_info) {
  ONNXTensorMemory tensor = {.count = 1};
  void *info, *shape;
  size_t rank;
  int64_t sizes[8] = {0};
  ONNX_CALL(api, is_output ? 34 : 33, (void *, size_t, void **), session, 0, &info);
  ONNX_CALL(api, 55, (void *, void **), info, &shape);
  ONNX_CALL(api, 61, (void *, size_t *), shape, &rank);
  if (rank > 8) onnx_fail("model", "has a tensor of too many axes");
  ONNX_CALL(api, 62, (void *, int64_t *, size_t), shape, sizes, rank);
  for (size_t axis = 0; axis < rank; axis++) {
    if (sizes[axis] <= 0) onnx_fail("model", "has a tensor of a dynamic shape");
    tensor.count *= (size_t)sizes[axis];
  }
  ONNX_CALL(
      api, is_output ? 37 : 36, (void *, size_t, void *, void **), session, 0, allocator,
      &tensor.name);
  tensor.memory = calloc(tensor.count, sizeof(float));
  if (!tensor.memory) onnx_fail("model", "no memory");
  ONNX_CALL(
      api, 49, (void *, void *, size_t, const int64_t *, size_t, int, void **), memory_info,
      tensor.memory, tensor.count * sizeof(float), sizes, rank, 1, &tensor.value);
  return tensor;
}

static void onnx_session_open(ONNXSession *session, const char *library, const char *model) {
  setenv("ORT_DISABLE_TELEMETRY", "1", 1);
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) onnx_fail(library, dlerror());
  const OrtApiBase *(*base)(void) = (const OrtApiBase *(*)(void))dlsym(handle, "OrtGetApiBase");
  if (!base) onnx_fail(library, "is not ONNX Runtime");
  const void *const *api = session->api = base()->table(18);
  if (!api) onnx_fail(library, "is too old");

  FILE *file = fopen(model, "rb");
  if (!file || fseek(file, 0, SEEK_END)) onnx_fail(model, "cannot be read");
  size_t size = (size_t)ftell(file);
  void *bytes = malloc(size);
  rewind(file);
  if (!bytes || fread(bytes, 1, size, file) != size) onnx_fail(model, "cannot be read");
  fclose(file);

  void *environment, *options, *memory_info, *allocator;
  ONNX_CALL(api, 3, (int, const char *, void **), 3, "floor", &environment);
  ONNX_CALL(api, 10, (void **), &options);
  ONNX_CALL(api, 24, (void *, int), options, 1);
  ONNX_CALL(api, 25, (void *, int), options, 1);
  ONNX_CALL(
      api, 8, (void *, const void *, size_t, void *, void **), environment, bytes, size, options,
      &session->session);
  free(bytes);
  ONNX_CALL(api, 69, (int, int, void **), 1, 0, &memory_info);
  ONNX_CALL(api, 78, (void **), &allocator);
  ONNXTensorMemory input = onnx_tensor(api, session->session, 0, allocator, memory_info);
  ONNXTensorMemory output = onnx_tensor(api, session->session, 1, allocator, memory_info);
  ONNX_CALL(api, 134, (void *, void **), session->session, &session->binding);
  ONNX_CALL(api, 136, (void *, void *, void *), session->binding, input.name, input.value);
  ONNX_CALL(api, 137, (void *, void *, void *), session->binding, output.name, output.value);
  session->input = input.memory;
  session->output = output.memory;
  session->input_count = input.count;
  session->output_count = output.count;
}

static void onnx_session_run(ONNXSession *session) {
  ONNX_CALL(session->api, 133, (void *, void *, void *), session->session, NULL, session->binding);
}
