#include "CLiteRTFloor.h"

// The code of the peers, so that the minimum measured here equals that of a separate process.
#include "../../peers/measure.c"
#include "../../peers/session.c"
#include "../../peers/litert-training.c"

struct LiteRTFloor {
  Session session;
  void *input, *output;
};

LiteRTFloor *litert_floor_open(
    const char *model, int threads, const void *input, size_t input_size) {
  LiteRTFloor *floor = calloc(1, sizeof *floor);
  if (!floor) fail(model, "no memory");
  Session *session = &floor->session;
  session_open(session, model, threads);
  if (session->input_count != 1 || session->output_count != 1)
    fail(model, "has not one input and one output");
  if (session->inputs[0].size != input_size) fail(model, "takes an input of another size");
  floor->input = malloc(input_size);
  floor->output = calloc(1, session->outputs[0].size);
  if (!floor->input || !floor->output) fail(model, "no memory");
  memcpy(floor->input, input, input_size);
  litert_floor_write_invoke_read(floor, 1);
  return floor;
}

void litert_floor_close(LiteRTFloor *floor) {
  free(floor->input);
  free(floor->output);
  free(floor);
}

void litert_floor_invoke(LiteRTFloor *floor, size_t times) {
  for (size_t i = 0; i < times; i++) session_run(&floor->session);
}

void litert_floor_write_invoke_read(LiteRTFloor *floor, size_t times) {
  for (size_t i = 0; i < times; i++) {
    layer_write(&floor->session.inputs[0], floor->input);
    session_run(&floor->session);
    layer_read(&floor->session.outputs[0], floor->output);
  }
}

const void *litert_floor_output(const LiteRTFloor *floor) { return floor->output; }

size_t litert_floor_output_size(const LiteRTFloor *floor) {
  return floor->session.outputs[0].size;
}
