// ONNX Runtime's C API alone, with inputs and outputs bound, to be measured in the process in which
// TensorIO is measured.

#ifndef CONNXFloor_h
#define CONNXFloor_h

#include <stddef.h>

#pragma clang assume_nonnull begin

typedef struct ONNXFloor ONNXFloor;

/// Opens a model with one float32 input and one float32 output of fixed shapes, with one thread.
/// Ends the process when that fails, or when the input does not have that many elements.
ONNXFloor *onnx_floor_open(
    const char *library, const char *model, const float *input, size_t input_count);
void onnx_floor_close(ONNXFloor *floor);

/// Copies the input in, runs, and copies the output out, so many times.
void onnx_floor_write_run_read(ONNXFloor *floor, size_t times);

/// The output of the last run.
const float *onnx_floor_output(const ONNXFloor *floor);
size_t onnx_floor_output_count(const ONNXFloor *floor);

#pragma clang assume_nonnull end

#endif
