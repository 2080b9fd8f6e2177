// A model opened with LiteRT's C API alone, with buffers for all its inputs and outputs.

#ifndef SESSION_H
#define SESSION_H

#include "CLiteRT.h"

enum { most_layers = 16 };

typedef struct {
  LiteRtRankedTensorType type;
  LiteRtQuantizationPerTensor quantization;
  LiteRtTensorBuffer buffer;
  size_t size;
} Layer;

typedef struct {
  LiteRtCompiledModel compiled;
  Layer inputs[most_layers], outputs[most_layers];
  size_t input_count, output_count;
  size_t signature;
} Session;

typedef struct {
  LiteRtEnvironment environment;
  LiteRtModel model;
} OpenModel;

/// Loads the model from memory, as TensorIO does. Ends the process when that fails.
void session_open(Session *session, const char *path, int threads);
void session_run(Session *session);
/// Copies values into a layer's memory, or out of it.
void layer_write(Layer *layer, const void *values);
void layer_read(Layer *layer, void *values);

/// The whole of a file. Ends the process when it cannot be read.
unsigned char *file_contents(const char *path, size_t *size);

#endif
