/* Classifies an image: classify BUNDLE IMAGE
 *
 *     cc -std=c99 classify.c -I../../Sources/Bindings/CTensorIO/include -L../../.build/wheel -ltensorio -o classify
 */
#include <stdio.h>
#include <stdlib.h>

#include "tensorio.h"

static int fail(tio_error *error) {
  fprintf(stderr, "%s: %s\n", tio_error_code(error), tio_error_message(error));
  tio_error_release(error);
  return 1;
}

/* Returns the contents of a file, or NULL. */
static void *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  void *bytes = NULL;
  if (file == NULL) return NULL;
  if (fseek(file, 0, SEEK_END) == 0) {
    long length = ftell(file);
    rewind(file);
    bytes = length > 0 ? malloc((size_t)length) : NULL;
    *size = bytes == NULL ? 0 : fread(bytes, 1, (size_t)length, file);
  }
  fclose(file);
  return bytes;
}

int main(int argc, char **argv) {
  tio_model *model = NULL;
  tio_output *output = NULL;
  tio_error *error = NULL;
  const char *json = NULL;
  size_t size = 0;
  int status = 0;
  if (argc != 3) {
    fprintf(stderr, "usage: %s BUNDLE IMAGE\n", argv[0]);
    return 2;
  }
  void *image = read_file(argv[2], &size);
  if (image == NULL) {
    perror(argv[2]);
    return 1;
  }
  if (tio_model_open(argv[1], NULL, &model, &error) != TIO_OK) return fail(error);
  tio_value value = tio_bytes(image, size);
  if (tio_model_run(model, &value, 1, &output, &error) != TIO_OK ||
      tio_output_json(output, "{\"top\": 3}", &json, &error) != TIO_OK)
    status = fail(error);
  else
    puts(json);
  tio_output_release(output);
  tio_model_release(model);
  free(image);
  return status;
}
