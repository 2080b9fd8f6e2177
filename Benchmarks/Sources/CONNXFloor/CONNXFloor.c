#include "CONNXFloor.h"

// The code of the peers, so that the minimum measured here equals that of a separate process.
#include "../../peers/onnx-session.c"

struct ONNXFloor {
  ONNXSession session;
  float *input, *output;
};

ONNXFloor *onnx_floor_open(
    const char *library, const char *model, const float *input, size_t input_count) {
  ONNXFloor *floor = calloc(1, sizeof *floor);
  if (!floor) onnx_fail(model, "no memory");
  onnx_session_open(&floor->session, library, model);
  if (floor->session.input_count != input_count) onnx_fail(model, "takes an input of another size");
  floor->input = malloc(input_count * sizeof *input);
  floor->output = calloc(floor->session.output_count, sizeof *input);
  if (!floor->input || !floor->output) onnx_fail(model, "no memory");
  memcpy(floor->input, input, input_count * sizeof *input);
  onnx_floor_write_run_read(floor, 1);
  return floor;
}

void onnx_floor_close(ONNXFloor *floor) {
  free(floor->input);
  free(floor->output);
  free(floor);
}

void onnx_floor_write_run_read(ONNXFloor *floor, size_t times) {
  ONNXSession *session = &floor->session;
  for (size_t i = 0; i < times; i++) {
    memcpy(session->input, floor->input, session->input_count * sizeof(float));
    onnx_session_run(session);
    memcpy(floor->output, session->output, session->output_count * sizeof(float));
  }
}

const float *onnx_floor_output(const ONNXFloor *floor) { return floor->output; }

size_t onnx_floor_output_count(const ONNXFloor *floor) { return floor->session.output_count; }
