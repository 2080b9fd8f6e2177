/* Prints the results of images as JSON, from their columns: columns BUNDLE IMAGE...
 *
 *     cc -std=c99 columns.c -I../../Sources/Bindings/CTensorIO/include -L../../.build/wheel -ltensorio -lm -o columns
 *
 * tio_output_json does the same with less code. This is how a binding reads results into objects of its language.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tensorio.h"

enum { MAX_IMAGES = 64 };

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

static void print_text(const char *text, const char *end) {
  putchar('"');
  for (; text < end; text++) {
    unsigned char byte = (unsigned char)*text;
    if (byte < ' ')
      printf("\\u%04x", byte);
    else if (byte == '"' || byte == '\\')
      printf("\\%c", byte);
    else
      putchar(byte);
  }
  putchar('"');
}

static void print_number(const tio_column *column, int64_t index) {
  double number = 0;
  int digits = 17;
  switch (column->dtype) {
    case TIO_BOOL: fputs(((const uint8_t *)column->data)[index] ? "true" : "false", stdout); return;
    case TIO_INT64: printf("%lld", (long long)((const int64_t *)column->data)[index]); return;
    case TIO_FLOAT32: number = ((const float *)column->data)[index], digits = 9; break;
    default: number = ((const double *)column->data)[index]; break;
  }
  if (isfinite(number))
    printf("%.*g", digits, number);
  else
    fputs("null", stdout);
}

/* Prints the size of an image and the sum of its bytes. */
static void print_image(const tio_image *image) {
  static const int channels[] = {0, 3, 3, 4, 4, 4, 1};
  long long sum = 0;
  for (int64_t y = 0; y < image->height; y++)
    for (int64_t x = 0; x < image->width * channels[image->pixel_format]; x++)
      sum += image->pixels[y * image->row_bytes + x];
  printf("{\"width\": %lld, \"height\": %lld, \"sum\": %lld}", (long long)image->width, (long long)image->height, sum);
}

/* Returns the position of an entry among those that are there; -1 if it is missing. */
static int64_t position(const tio_column *optionals, int64_t index) {
  int64_t count = 0;
  if (!optionals->present[index]) return -1;
  for (int64_t before = 0; before < index; before++) count += optionals->present[before];
  return count;
}

static void print_entry(const tio_column *column, int64_t index) {
  const char *separator = "";
  switch (column->kind) {
    case TIO_COLUMN_NUMBERS: print_number(column, index); break;
    case TIO_COLUMN_TEXTS:
      print_text((const char *)column->data + column->offsets[index], (const char *)column->data + column->offsets[index + 1]);
      break;
    case TIO_COLUMN_IMAGES: print_image(&column->images[index]); break;
    case TIO_COLUMN_LISTS:
      putchar('[');
      for (int64_t element = column->offsets[index]; element < column->offsets[index + 1]; element++, separator = ", ") {
        fputs(separator, stdout);
        print_entry(column->children, element);
      }
      putchar(']');
      break;
    case TIO_COLUMN_RECORDS:
      putchar('{');
      for (int64_t member = 0; member < column->child_count; member++) {
        const tio_column *child = &column->children[member];
        int64_t entry = index;
        /* A member that is missing is left out. */
        if (child->kind == TIO_COLUMN_OPTIONALS && (entry = position(child, index)) < 0) continue;
        printf("%s\"%s\": ", separator, child->name);
        print_entry(child->kind == TIO_COLUMN_OPTIONALS ? child->children : child, entry);
        separator = ", ";
      }
      putchar('}');
      break;
    default: /* optional values, in a list */
      if (column->present[index])
        print_entry(column->children, position(column, index));
      else
        fputs("null", stdout);
  }
}

int main(int argc, char **argv) {
  tio_model *model = NULL;
  tio_output *outputs[MAX_IMAGES] = {NULL};
  tio_columns *columns = NULL;
  tio_error *error = NULL;
  int count = argc - 2, status = 0;
  if (count < 1 || count > MAX_IMAGES) {
    fprintf(stderr, "usage: %s BUNDLE IMAGE...\n", argv[0]);
    return 2;
  }
  if (tio_model_open(argv[1], NULL, &model, &error) != TIO_OK) return fail(error);
  for (int index = 0; index < count && status == 0; index++) {
    size_t size = 0;
    void *image = read_file(argv[index + 2], &size);
    tio_value value = tio_bytes(image, size);
    if (image == NULL) {
      perror(argv[index + 2]);
      status = 1;
    } else if (tio_model_run(model, &value, 1, &outputs[index], &error) != TIO_OK) {
      status = fail(error);
    }
    free(image);
  }
  if (status == 0 && tio_result_columns(outputs, (size_t)count, NULL, &columns, &error) != TIO_OK) status = fail(error);
  /* The columns do not need the outputs any more. */
  for (int index = 0; index < count; index++) tio_output_release(outputs[index]);
  for (int index = 0; columns != NULL && index < count; index++) {
    print_entry(tio_columns_root(columns), index);
    putchar('\n');
  }
  tio_columns_release(columns);
  tio_model_release(model);
  return status;
}
