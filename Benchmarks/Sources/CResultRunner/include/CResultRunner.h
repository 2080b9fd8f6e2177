// TensorIO's library for C in this process: an encoded image in, the result as JSON out.

#ifndef CResultRunner_h
#define CResultRunner_h

#include <stddef.h>

#pragma clang assume_nonnull begin

typedef struct ResultRunner ResultRunner;

/// Opens a bundle or a bare model with options of `tio_model_open`, and keeps an encoded image.
/// Ends the process when that fails.
ResultRunner *result_runner_open(
    const char *model, const char *options, const void *image, size_t byte_count);
void result_runner_close(ResultRunner *runner);

/// Runs the model on the image and writes the result as JSON, so many times; returns the number of bytes of the result.
size_t result_runner_run(ResultRunner *runner, size_t times);

#pragma clang assume_nonnull end

#endif
