#include "Kernels.h"

#include <string.h>

static inline void pick(
    const uint8_t *source, const int32_t channels, const int32_t *columns, int32_t count,
    uint8_t *target) {
  for (int32_t x = 0; x < count; x++)
    memcpy(
        target + (ptrdiff_t)x * channels, source + (ptrdiff_t)columns[x] * channels,
        (size_t)channels);
}

void pixels_pick(
    const uint8_t *source, int32_t channels, const int32_t *columns, int32_t count,
    uint8_t *target) {
  switch (channels) {
  case 1: pick(source, 1, columns, count, target); break;
  case 3: pick(source, 3, columns, count, target); break;
  case 4: pick(source, 4, columns, count, target); break;
  }
}

enum { GATHER_BLOCK = 32 };

static inline void gather(
    const uint8_t *origin, ptrdiff_t step_x, ptrdiff_t step_y, const int32_t bytes_per_pixel,
    int32_t width, int32_t rows, uint8_t *target, ptrdiff_t target_stride) {
  // Blocks keep the lines of a turned picture in the cache while all rows take from them.
  for (int32_t block = 0; block < width; block += GATHER_BLOCK) {
    int32_t end = width - block < GATHER_BLOCK ? width : block + GATHER_BLOCK;
    for (int32_t y = 0; y < rows; y++) {
      const uint8_t *from = origin + y * step_y + block * step_x;
      uint8_t *to = target + y * target_stride + (ptrdiff_t)block * bytes_per_pixel;
      for (int32_t x = block; x < end; x++) {
        memcpy(to, from, (size_t)bytes_per_pixel);
        from += step_x;
        to += bytes_per_pixel;
      }
    }
  }
}

void pixels_gather(
    const uint8_t *origin, ptrdiff_t step_x, ptrdiff_t step_y, int32_t bytes_per_pixel,
    int32_t width, int32_t rows, uint8_t *target, ptrdiff_t target_stride) {
  switch (bytes_per_pixel) {
  case 1: gather(origin, step_x, step_y, 1, width, rows, target, target_stride); break;
  case 3: gather(origin, step_x, step_y, 3, width, rows, target, target_stride); break;
  case 4: gather(origin, step_x, step_y, 4, width, rows, target, target_stride); break;
  }
}

void pixels_rearrange(
    const uint8_t *source, pixels_layout from, uint8_t *target, pixels_layout to, int32_t count) {
  for (int32_t x = 0; x < count; x++) {
    uint8_t red = source[from.red], green = source[from.green], blue = source[from.blue];
    uint8_t alpha = from.alpha < 0 ? 255 : source[from.alpha];
    if (to.alpha >= 0) target[to.alpha] = alpha;
    target[to.red] = red;
    target[to.green] = green;
    target[to.blue] = blue;
    source += from.bytes;
    target += to.bytes;
  }
}

void pixels_luma(const uint8_t *source, pixels_layout from, uint8_t *target, int32_t count) {
  for (int32_t x = 0; x < count; x++) {
    target[x] = (uint8_t)((source[from.red] * 19595 + source[from.green] * 38470 +
                           source[from.blue] * 7471 + 0x8000) >> 16);
    source += from.bytes;
  }
}

static inline uint8_t through(uint8_t ink, uint8_t black) {
  // ink · black / 255, rounded, without a division
  uint32_t product = (uint32_t)ink * black + 128;
  return (uint8_t)((product + (product >> 8)) >> 8);
}

void pixels_inks_to_rgb(const uint8_t *source, uint8_t *target, size_t count) {
  for (size_t i = 0; i < count; i++, source += 4, target += 3) {
    for (int channel = 0; channel < 3; channel++)
      target[channel] = through(source[channel], source[3]);
  }
}
