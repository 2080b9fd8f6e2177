#include "training.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "measure.h"
#include "tensorflow/c/c_api.h"

enum { most_axes = 4, most_feeds = 3 };

struct Training {
  TF_Status *status;
  TF_Graph *graph;
  TF_Session *session;
  TF_Output inputs[most_feeds], loss;
  int feeds;
  const TF_Operation *train;
  const float *pictures;
  const int32_t *labels;
  int64_t shape[most_axes], label_shape[most_axes];
  int rank, label_rank;
};

static const float learning_rate = 0.01f;

static void check(const Training *training, const char *call) {
  if (TF_GetCode(training->status) != TF_OK) fail(call, TF_Message(training->status));
}

static TF_Operation *operation(const Training *training, const char *name) {
  TF_Operation *operation = TF_GraphOperationByName(training->graph, name);
  if (!operation) fail(name, "is not in the graph");
  return operation;
}

static TF_SessionOptions *options_with_threads(const Training *training, int threads) {
  TF_SessionOptions *options = TF_NewSessionOptions();
  if (!threads) return options;
  // ConfigProto: intra_op_parallelism_threads and inter_op_parallelism_threads.
  const unsigned char configuration[] = {0x10, threads, 0x28, threads};
  TF_SetConfig(options, configuration, sizeof configuration, training->status);
  check(training, "TF_SetConfig");
  return options;
}

Training *training_open(
    const char *path, int threads, const float *pictures, const int64_t *shape, int rank,
    const int32_t *labels) {
  Training *training = calloc(1, sizeof *training);
  if (!training || rank > most_axes) fail(path, "cannot be held");
  training->status = TF_NewStatus();
  training->graph = TF_NewGraph();
  TF_SessionOptions *options = options_with_threads(training, threads);
  const char *tags[] = {"serve"};
  training->session = TF_LoadSessionFromSavedModel(
      options, NULL, path, tags, 1, training->graph, NULL, training->status);
  check(training, "TF_LoadSessionFromSavedModel");
  TF_DeleteSessionOptions(options);
  training->inputs[0] = (TF_Output){operation(training, "image"), 0};
  training->inputs[1] = (TF_Output){operation(training, "labels"), 0};
  training->feeds = 2;
  TF_Operation *rate = TF_GraphOperationByName(training->graph, "learning_rate");
  if (rate) training->inputs[training->feeds++] = (TF_Output){rate, 0};
  training->loss = (TF_Output){operation(training, "loss"), 0};
  training->train = operation(training, "train");
  training->pictures = pictures;
  training->labels = labels;
  training->rank = rank;
  memcpy(training->shape, shape, rank * sizeof *shape);
  training->label_rank =
      TF_GraphGetTensorNumDims(training->graph, training->inputs[1], training->status);
  check(training, "TF_GraphGetTensorNumDims");
  if (training->label_rank < 1 || training->label_rank > most_axes)
    fail("labels", "have too many axes");
  training->label_shape[0] = shape[0];
  for (int axis = 1; axis < training->label_rank; axis++) training->label_shape[axis] = 1;
  return training;
}

void training_close(Training *training) {
  TF_CloseSession(training->session, training->status);
  TF_DeleteSession(training->session, training->status);
  TF_DeleteGraph(training->graph);
  TF_DeleteStatus(training->status);
  free(training);
}

static TF_Tensor *tensor(
    TF_DataType type, const int64_t *shape, int rank, size_t size, const void *values) {
  for (int axis = 0; axis < rank; axis++) size *= shape[axis];
  TF_Tensor *tensor = TF_AllocateTensor(type, shape, rank, size);
  memcpy(TF_TensorData(tensor), values, size);
  return tensor;
}

static void run(Training *training, TF_Tensor *fed[], TF_Tensor **loss, bool trains) {
  TF_SessionRun(
      training->session, NULL, training->inputs, fed, training->feeds, &training->loss, loss, loss ? 1 : 0,
      &training->train, trains ? 1 : 0, NULL, training->status);
  check(training, "TF_SessionRun");
}

static float step(Training *training, bool during) {
  TF_Tensor *fed[most_feeds] = {
      tensor(TF_FLOAT, training->shape, training->rank, sizeof(float), training->pictures),
      tensor(
          TF_INT32, training->label_shape, training->label_rank, sizeof(int32_t),
          training->labels),
      training->feeds > 2 ? tensor(TF_FLOAT, NULL, 0, sizeof(float), &learning_rate) : NULL,
  };
  TF_Tensor *loss = NULL;
  run(training, fed, during ? &loss : NULL, true);
  if (!during) run(training, fed, &loss, false);
  float value = *(float *)TF_TensorData(loss);
  TF_DeleteTensor(loss);
  for (int feed = 0; feed < training->feeds; feed++) TF_DeleteTensor(fed[feed]);
  return value;
}

float training_steps_during(Training *training, size_t times) {
  float loss = 0;
  for (size_t i = 0; i < times; i++) loss = step(training, true);
  return loss;
}

float training_steps_after(Training *training, size_t times) {
  float loss = 0;
  for (size_t i = 0; i < times; i++) loss = step(training, false);
  return loss;
}
