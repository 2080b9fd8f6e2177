/* Answers a prompt with a language model: generate BUNDLE PROMPT [OPTIONS]
 *
 *     cc -std=c99 generate.c -I../../Sources/Bindings/CTensorIO/include -L../../.build/wheel -ltensorio -o generate
 */
#include <stdio.h>
#include <string.h>

#include "tensorio.h"

static int fail(tio_error *error) {
  fprintf(stderr, "%s: %s\n", tio_error_code(error), tio_error_message(error));
  tio_error_release(error);
  return 1;
}

/* Prints a piece as soon as it is generated; ends the text if the reader has closed the pipe. */
static int32_t print_piece(void *context, const char *text, size_t byte_count, int32_t token) {
  FILE *file = (FILE *)context;
  (void)token;
  return fwrite(text, 1, byte_count, file) != byte_count || fflush(file) != 0;
}

int main(int argc, char **argv) {
  tio_model *model = NULL;
  tio_generation *generation = NULL;
  tio_string *json = NULL;
  tio_error *error = NULL;
  int status = 0;
  if (argc != 3 && argc != 4) {
    fprintf(stderr, "usage: %s BUNDLE PROMPT [OPTIONS]\n", argv[0]);
    return 2;
  }
  if (tio_model_open(argv[1], NULL, &model, &error) != TIO_OK) return fail(error);
  tio_value prompt = tio_text(argv[2], strlen(argv[2]));
  if (tio_model_generate(model, &prompt, 1, argv[3], &generation, &error) != TIO_OK ||
      tio_generation_read(generation, print_piece, stdout, &error) != TIO_OK ||
      tio_generation_result(generation, &json, &error) != TIO_OK)
    status = fail(error);
  else
    fprintf(stderr, "%s\n", tio_string_text(json));
  tio_string_release(json);
  tio_generation_release(generation);
  tio_model_release(model);
  return status;
}
