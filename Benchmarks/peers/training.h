// A SavedModel trained with TensorFlow's C API alone.

#ifndef TRAINING_H
#define TRAINING_H

#include <stddef.h>
#include <stdint.h>

typedef struct Training Training;

/// Opens a SavedModel whose tensors are called `image`, `labels` and `loss` and whose operation is
/// called `train`, and which may have a tensor `learning_rate` that is 0.01 here, for batches of the given pictures (count first) and labels.
///
/// No number of threads is 0: TensorFlow then chooses. Ends the process when that fails.
Training *training_open(
    const char *path, int threads, const float *pictures, const int64_t *shape, int rank,
    const int32_t *labels);
void training_close(Training *training);

/// Steps with fresh tensors, and gives the last loss: of the run that trained, or of one more.
float training_steps_during(Training *training, size_t times);
float training_steps_after(Training *training, size_t times);

#endif
