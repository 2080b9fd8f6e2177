// LiteRT's C API alone on any model: the floor under every run.

#include <stdlib.h>

#include "measure.h"
#include "session.h"

typedef struct {
  Session session;
  void *input_values[most_layers], *output_values[most_layers];
} Subject;

static void invoke(void *context) {
  session_run(&((Subject *)context)->session);
}

static void write_invoke_read(void *context) {
  Subject *subject = context;
  Session *session = &subject->session;
  for (size_t i = 0; i < session->input_count; i++)
    layer_write(&session->inputs[i], subject->input_values[i]);
  session_run(session);
  for (size_t i = 0; i < session->output_count; i++)
    layer_read(&session->outputs[i], subject->output_values[i]);
}

/// Zeros: they are a value of every element type.
static void prepare(Subject *subject) {
  Session *session = &subject->session;
  for (size_t i = 0; i < session->input_count; i++)
    subject->input_values[i] = calloc(1, session->inputs[i].size);
  for (size_t i = 0; i < session->output_count; i++)
    subject->output_values[i] = calloc(1, session->outputs[i].size);
}

int main(int count, char **values) {
  Arguments arguments = arguments_of(
      count, values, 1, "litert-floor MODEL [--rounds N] [--iterations N] [--threads N]");
  if (arguments.word_count != 1) fail("usage", "litert-floor MODEL");
  Subject subject;
  session_open(&subject.session, arguments.words[0], arguments.threads);
  prepare(&subject);
  Measurement measurements[] = {
      {.name = "invoke", .work = invoke, .context = &subject},
      {.name = "write_invoke_read", .work = write_invoke_read, .context = &subject},
  };
  write_invoke_read(&subject);
  measure("litert-floor", arguments.words[0], arguments, measurements, 2);
  return 0;
}
