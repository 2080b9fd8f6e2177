// LiteRT's C API alone, to be measured in the process in which TensorIO is measured.

#ifndef CLiteRTFloor_h
#define CLiteRTFloor_h

#include <stddef.h>

#pragma clang assume_nonnull begin

typedef struct LiteRTFloor LiteRTFloor;

/// Opens a model of one input and one output. Ends the process when that fails, or when the input
/// does not have that many bytes.
LiteRTFloor *litert_floor_open(
    const char *model, int threads, const void *input, size_t input_size);
void litert_floor_close(LiteRTFloor *floor);

/// Runs the model so many times on what its input holds.
void litert_floor_invoke(LiteRTFloor *floor, size_t times);
/// Copies the input in, runs, and copies the output out, so many times.
void litert_floor_write_invoke_read(LiteRTFloor *floor, size_t times);

/// The output of the last run that was read.
const void *litert_floor_output(const LiteRTFloor *floor);
size_t litert_floor_output_size(const LiteRTFloor *floor);

typedef struct LiteRTTraining LiteRTTraining;

/// A model with a signature `train`, opened for one batch; see `peers/litert-training.h`.
LiteRTTraining *litert_training_open(
    const char *path, int threads, const float *pictures, const int *shape, size_t rank,
    const int *labels);
void litert_training_close(LiteRTTraining *training);
float litert_training_steps(LiteRTTraining *training, size_t times);

#pragma clang assume_nonnull end

#endif
