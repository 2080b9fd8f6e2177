#include "CPNGRows.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct png_rows {
  png_structp png;
  png_infop info;
  const uint8_t *rest;
  size_t rest_count;
  int failed;
  char message[96];
  jmp_buf escape;
};

static void record(png_rows *rows, const char *message) {
  if (rows->message[0] == 0) strncpy(rows->message, message, sizeof rows->message - 1);
  rows->failed = 1;
}

static void fail(png_structp png, png_const_charp message) {
  png_rows *rows = png_get_error_ptr(png);
  record(rows, message);
  longjmp(rows->escape, 1);
}

// A warning means that some pixels are guesses, which counts as an error.
static void warn(png_structp png, png_const_charp message) {
  record(png_get_error_ptr(png), message);
}

static void read_bytes(png_structp png, png_bytep target, size_t count) {
  png_rows *rows = png_get_io_ptr(png);
  if (count > rows->rest_count) png_error(png, "read beyond end of data");
  memcpy(target, rows->rest, count);
  rows->rest += count;
  rows->rest_count -= count;
}

static void read_header(png_rows *rows, uint32_t width, uint32_t height, int gray) {
  if (setjmp(rows->escape)) return;
  png_structp png = rows->png;
  png_infop info = rows->info;
  png_set_read_fn(png, rows, read_bytes);
  png_set_benign_errors(png, 1);
  png_read_info(png, info);
  png_byte color = png_get_color_type(png, info);
  if (png_get_image_width(png, info) != width || png_get_image_height(png, info) != height)
    png_error(png, "conflicting headers");
  if (png_get_interlace_type(png, info) != PNG_INTERLACE_NONE) png_error(png, "interlaced");
  if (color == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (!(color & PNG_COLOR_MASK_COLOR)) png_set_expand_gray_1_2_4_to_8(png);
  if (png_get_bit_depth(png, info) == 16) png_set_scale_16(png);
  if (color & PNG_COLOR_MASK_ALPHA) png_set_strip_alpha(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != (size_t)width * (gray ? 1 : 3))
    png_error(png, "conflicting headers");
}

png_rows *png_rows_open(
    const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, int gray) {
  png_rows *rows = calloc(1, sizeof *rows);
  if (!rows) return NULL;
  rows->rest = bytes;
  rows->rest_count = count;
  rows->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, rows, fail, warn);
  if (rows->png) rows->info = png_create_info_struct(rows->png);
  if (!rows->info) {
    png_rows_close(rows);
    return NULL;
  }
  read_header(rows, width, height, gray);
  return rows;
}

int png_rows_next(png_rows *rows, uint8_t *target) {
  if (rows->failed) return 0;
  if (setjmp(rows->escape)) return 0;
  png_read_row(rows->png, target, NULL);
  return !rows->failed;
}

const char *png_rows_message(const png_rows *rows) { return rows->message; }

void png_rows_close(png_rows *rows) {
  if (rows->png) png_destroy_read_struct(&rows->png, &rows->info, NULL);
  free(rows);
}
