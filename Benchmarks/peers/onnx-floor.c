// A run of an ONNX model in plain C, from exec to exit: `onnx-floor LIBRARY MODEL NUMBER…` prints the
// output. The floor under a whole process.

#include "onnx-session.c"

int main(int count, char **words) {
  if (count < 3) onnx_fail(words[0], "takes LIBRARY MODEL NUMBER…");
  ONNXSession session;
  onnx_session_open(&session, words[1], words[2]);
  if ((size_t)(count - 3) != session.input_count) onnx_fail(words[2], "takes another input");
  for (int i = 3; i < count; i++) session.input[i - 3] = strtof(words[i], NULL);
  onnx_session_run(&session);
  for (size_t i = 0; i < session.output_count; i++) printf("%g\n", session.output[i]);
  return 0;
}
