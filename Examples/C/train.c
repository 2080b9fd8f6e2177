/* Trains a bundle on labeled images, and writes the trained bundle: train BUNDLE FOLDER OUTPUT
 *
 *     cc -std=c99 train.c -I../../Sources/Bindings/CTensorIO/include -L../../.build/wheel -ltensorio -o train
 */
#include <stdio.h>

#include "tensorio.h"

static int fail(tio_error *error) {
  fprintf(stderr, "%s: %s\n", tio_error_code(error), tio_error_message(error));
  tio_error_release(error);
  return 1;
}

/* Prints the name, the type and the size of each weight. */
static int print_weights(tio_trainer *trainer) {
  tio_weights *weights = NULL;
  tio_error *error = NULL;
  int status = 0;
  if (tio_trainer_weights(trainer, 0, &weights, &error) != TIO_OK) return fail(error);
  for (size_t index = 0; index < tio_weights_count(weights) && status == 0; index++) {
    tio_tensor tensor;
    if (tio_weights_tensor(weights, index, &tensor, &error) == TIO_OK)
      printf("%s: %zu bytes\n", tio_weights_name(weights, index), tensor.byte_count);
    else
      status = fail(error);
  }
  tio_weights_release(weights);
  return status;
}

int main(int argc, char **argv) {
  tio_trainer *trainer = NULL;
  tio_dataset *data = NULL;
  tio_training *training = NULL;
  tio_error *error = NULL;
  const char *step = NULL;
  int status = 0;
  if (argc != 4) {
    fprintf(stderr, "usage: %s BUNDLE FOLDER OUTPUT\n", argv[0]);
    return 2;
  }
  if (tio_trainer_open(argv[1], NULL, &trainer, &error) != TIO_OK ||
      tio_dataset_open(trainer, argv[2], &data, &error) != TIO_OK ||
      tio_training_start(trainer, data, "{\"epochs\": 1}", NULL, 0, &training, &error) != TIO_OK) {
    status = fail(error);
  } else {
    do {
      if (tio_training_next(training, &step, &error) != TIO_OK) status = fail(error);
      if (step != NULL) puts(step);
    } while (step != NULL);
  }
  if (status == 0) status = print_weights(trainer);
  if (status == 0 && tio_trainer_export(trainer, argv[3], 0, &error) != TIO_OK) status = fail(error);
  tio_training_release(training);
  tio_dataset_release(data);
  tio_trainer_release(trainer);
  return status;
}
