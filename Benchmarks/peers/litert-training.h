// A .tflite model with a signature `train`, trained with LiteRT's C API alone.

#ifndef LITERT_TRAINING_H
#define LITERT_TRAINING_H

#include <stddef.h>
#include <stdint.h>

typedef struct LiteRTTraining LiteRTTraining;

/// Opens a model for batches of the given pictures and labels, whose number of items comes first in
/// `shape`. The inputs of its signature are called `image`, `labels` and `learning_rate`, which is
/// 0.01, and its output is the loss. Ends the process when that fails.
LiteRTTraining *litert_training_open(
    const char *path, int threads, const float *pictures, const int *shape, size_t rank,
    const int32_t *labels);
void litert_training_close(LiteRTTraining *training);

/// Steps that copy the batch in and the loss out; gives the last loss.
float litert_training_steps(LiteRTTraining *training, size_t times);

#endif
