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
  // Blocks keep the source rows of a rotated image in the cache while all target rows read from
  // them.
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

// Compilers vectorize these loops well if the layouts are constants and shuffle instructions are
// available, so each is compiled for the common layouts, with and without AVX2.

PIXELS_INLINE void rearrange(
    const uint8_t *source, const pixels_layout from, uint8_t *target, const pixels_layout to,
    int32_t count) {
  for (int32_t x = 0; x < count; x++) {
    const uint8_t *pixel = source + (ptrdiff_t)x * from.bytes;
    uint8_t *result = target + (ptrdiff_t)x * to.bytes;
    uint8_t red = pixel[from.red], green = pixel[from.green], blue = pixel[from.blue];
    uint8_t alpha = from.alpha < 0 ? 255 : pixel[from.alpha];
    if (to.alpha >= 0) result[to.alpha] = alpha;
    result[to.red] = red;
    result[to.green] = green;
    result[to.blue] = blue;
  }
}

PIXELS_INLINE void luma(
    const uint8_t *source, const pixels_layout from, uint8_t *target, int32_t count) {
  for (int32_t x = 0; x < count; x++) {
    const uint8_t *pixel = source + (ptrdiff_t)x * from.bytes;
    target[x] = (uint8_t)((pixel[from.red] * 19595u + pixel[from.green] * 38470u +
                           pixel[from.blue] * 7471u + 0x8000u) >> 16);
  }
}

static const pixels_layout rgb = {3, 0, 1, 2, -1}, bgr = {3, 2, 1, 0, -1};
static const pixels_layout rgba = {4, 0, 1, 2, 3}, bgra = {4, 2, 1, 0, 3}, argb = {4, 1, 2, 3, 0};

static inline int equal(pixels_layout a, pixels_layout b) {
  return a.bytes == b.bytes && a.red == b.red && a.green == b.green && a.blue == b.blue;
}

PIXELS_INLINE void luma_of(
    const uint8_t *source, pixels_layout from, uint8_t *target, int32_t count) {
  if (equal(from, rgb)) luma(source, rgb, target, count);
  else if (equal(from, bgr)) luma(source, bgr, target, count);
  else if (equal(from, rgba)) luma(source, rgba, target, count);
  else if (equal(from, bgra)) luma(source, bgra, target, count);
  else luma(source, argb, target, count);
}

PIXELS_INLINE void rearrange_of(
    const uint8_t *source, pixels_layout from, uint8_t *target, pixels_layout to, int32_t count) {
  if (equal(from, rgb) && equal(to, bgr)) rearrange(source, rgb, target, bgr, count);
  else if (equal(from, bgr) && equal(to, rgb)) rearrange(source, bgr, target, rgb, count);
  else if (equal(from, rgba) && equal(to, rgb)) rearrange(source, rgba, target, rgb, count);
  else if (equal(from, bgra) && equal(to, rgb)) rearrange(source, bgra, target, rgb, count);
  else rearrange(source, from, target, to, count);
}

#if PIXELS_X86
PIXELS_FOR_AVX2 static void rearrange_avx2(
    const uint8_t *source, pixels_layout from, uint8_t *target, pixels_layout to, int32_t count) {
  rearrange_of(source, from, target, to, count);
}

PIXELS_FOR_AVX2 static void luma_avx2(
    const uint8_t *source, pixels_layout from, uint8_t *target, int32_t count) {
  luma_of(source, from, target, count);
}
#endif

void pixels_rearrange(
    const uint8_t *source, pixels_layout from, uint8_t *target, pixels_layout to, int32_t count) {
#if PIXELS_X86
  if (pixels_fastest_form() >= PIXELS_AVX2) {
    rearrange_avx2(source, from, target, to, count);
    return;
  }
#endif
  rearrange_of(source, from, target, to, count);
}

void pixels_luma(const uint8_t *source, pixels_layout from, uint8_t *target, int32_t count) {
#if PIXELS_X86
  if (pixels_fastest_form() >= PIXELS_AVX2) { luma_avx2(source, from, target, count); return; }
#endif
  luma_of(source, from, target, count);
}

static inline uint8_t multiply(uint8_t ink, uint8_t black) {
  // ink · black / 255, rounded, without a division
  uint32_t product = (uint32_t)ink * black + 128;
  return (uint8_t)((product + (product >> 8)) >> 8);
}

void pixels_inks_to_rgb(const uint8_t *source, uint8_t *target, size_t count) {
  for (size_t i = 0; i < count; i++, source += 4, target += 3) {
    for (int channel = 0; channel < 3; channel++)
      target[channel] = multiply(source[channel], source[3]);
  }
}
