#include "CResultRunner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorio.h"

struct ResultRunner {
  tio_model *model;
  void *image;
  size_t byte_count;
};

static void check(tio_status status, tio_error *error) {
  if (status == TIO_OK) return;
  fprintf(stderr, "%s\n", error ? tio_error_json(error) : "failed");
  exit(1);
}

ResultRunner *result_runner_open(
    const char *model, const char *options, const void *image, size_t byte_count) {
  ResultRunner *runner = calloc(1, sizeof *runner);
  void *copy = malloc(byte_count);
  if (!runner || !copy) exit(1);
  memcpy(copy, image, byte_count);
  runner->image = copy;
  runner->byte_count = byte_count;
  tio_error *error = NULL;
  check(tio_model_open(model, options, &runner->model, &error), error);
  return runner;
}

void result_runner_close(ResultRunner *runner) {
  tio_model_release(runner->model);
  free(runner->image);
  free(runner);
}

size_t result_runner_run(ResultRunner *runner, size_t times) {
  tio_value image = tio_bytes(runner->image, runner->byte_count);
  size_t length = 0;
  for (size_t time = 0; time < times; ++time) {
    tio_error *error = NULL;
    tio_output *output = NULL;
    check(tio_model_run(runner->model, &image, 1, &output, &error), error);
    const char *json = NULL;
    check(tio_output_json(output, NULL, &json, &error), error);
    length = strlen(json);
    tio_output_release(output);
  }
  return length;
}
