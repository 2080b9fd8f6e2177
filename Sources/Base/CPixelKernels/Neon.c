#include "Kernels.h"

#if PIXELS_ARM
#include <arm_neon.h>
#include <string.h>

// A weight fills a 32-bit lane, so that products are exact without splitting weights as the x86
// kernels do. One table lookup widens four bytes to 32-bit lanes. Floats and layouts have no form of
// their own: compilers vectorize the portable ones with as few instructions.

enum { ROWS = 4, TAPS = 4, COLUMNS = 16, LANES = 4 };

// Indices outside the table give zero.
#define GAP 255
#define LANE(byte) (byte), GAP, GAP, GAP

// Bytes 4i to 4i + 3, one per lane.
static const uint8_t widen_four[4][16] = {
    {LANE(0), LANE(1), LANE(2), LANE(3)},
    {LANE(4), LANE(5), LANE(6), LANE(7)},
    {LANE(8), LANE(9), LANE(10), LANE(11)},
    {LANE(12), LANE(13), LANE(14), LANE(15)}};
// Pixel i of three channels; the fourth lane is zero.
static const uint8_t widen_three[4][16] = {
    {LANE(0), LANE(1), LANE(2), LANE(GAP)},
    {LANE(3), LANE(4), LANE(5), LANE(GAP)},
    {LANE(6), LANE(7), LANE(8), LANE(GAP)},
    {LANE(9), LANE(10), LANE(11), LANE(GAP)}};

PIXELS_INLINE int32x4_t widened(uint8x16_t bytes, uint8x16_t indices) {
  return vreinterpretq_s32_u8(vqtbl1q_u8(bytes, indices));
}

// Converts fixed-point sums to integers between 0 and 65535.
PIXELS_INLINE uint16x4_t clipped(int32x4_t sums) {
  return vqmovun_s32(vshrq_n_s32(sums, PIXELS_WEIGHT_BITS));
}

PIXELS_INLINE void color_output(
    const uint8_t *const *source, uint8_t *const *target, const int rows, const int channels,
    const pixels_taps *taps, int32_t x, const uint8x16_t indices[TAPS]) {
  const int32_t *weights = taps->weights + (ptrdiff_t)x * taps->stride;
  const ptrdiff_t first = (ptrdiff_t)taps->starts[x] * channels;
  int32x4_t sums[ROWS];
  for (int row = 0; row < rows; row++) sums[row] = vdupq_n_s32(PIXELS_HALF);

  for (int32_t i = 0; i < taps->counts[x]; i += TAPS) {
    const int32x4_t four = vld1q_s32(weights + i);
    for (int row = 0; row < rows; row++) {
      const uint8x16_t bytes = vld1q_u8(source[row] + first + (ptrdiff_t)i * channels);
      sums[row] = vmlaq_laneq_s32(sums[row], widened(bytes, indices[0]), four, 0);
      sums[row] = vmlaq_laneq_s32(sums[row], widened(bytes, indices[1]), four, 1);
      sums[row] = vmlaq_laneq_s32(sums[row], widened(bytes, indices[2]), four, 2);
      sums[row] = vmlaq_laneq_s32(sums[row], widened(bytes, indices[3]), four, 3);
    }
  }

  for (int row = 0; row < rows; row++) {
    const uint16x4_t words = clipped(sums[row]);
    const uint8x8_t narrow = vqmovn_u16(vcombine_u16(words, words));
    const uint32_t bytes = vget_lane_u32(vreinterpret_u32_u8(narrow), 0);
    uint8_t *pixel = target[row] + (ptrdiff_t)x * channels;
    memcpy(pixel, &bytes, 2);
    pixel[2] = (uint8_t)(bytes >> 16);
    if (channels == 4) pixel[3] = (uint8_t)(bytes >> 24);
  }
}

PIXELS_INLINE void color_rows(
    const uint8_t *const *source, uint8_t *const *target, const int rows, const int channels,
    int32_t width, const pixels_taps *taps) {
  uint8x16_t indices[TAPS];
  for (int tap = 0; tap < TAPS; tap++)
    indices[tap] = vld1q_u8(channels == 3 ? widen_three[tap] : widen_four[tap]);
  for (int32_t x = 0; x < taps->length; x++) {
    const int32_t steps = (taps->counts[x] + TAPS - 1) / TAPS;
    // A load reads 16 bytes, of which three channels use 12. Near the end of a row, it would read
    // past the end, so the portable code is used.
    const ptrdiff_t end =
        ((ptrdiff_t)taps->starts[x] + steps * TAPS) * channels + (channels == 3 ? 4 : 0);
    if (end <= (ptrdiff_t)width * channels)
      color_output(source, target, rows, channels, taps, x, indices);
    else
      for (int row = 0; row < rows; row++)
        pixels_one_output(source[row], target[row], channels, taps, x);
  }
}

// Adds eight products of one row.
PIXELS_INLINE int32x4_t plus_eight(
    int32x4_t sums, const uint8_t *pixels, int32x4_t front, int32x4_t back) {
  const uint16x8_t words = vmovl_u8(vld1_u8(pixels));
  const uint32x4_t low = vmovl_u16(vget_low_u16(words)), high = vmovl_high_u16(words);
  sums = vmlaq_s32(sums, vreinterpretq_s32_u32(low), front);
  return vmlaq_s32(sums, vreinterpretq_s32_u32(high), back);
}

PIXELS_INLINE void gray_rows(
    const uint8_t *const *source, uint8_t *const *target, const int rows, int32_t width,
    const pixels_taps *taps) {
  for (int32_t x = 0; x < taps->length; x++) {
    const int32_t start = taps->starts[x], steps = (taps->counts[x] + 7) / 8;
    if (start + steps * 8 > width) {
      for (int row = 0; row < rows; row++)
        pixels_one_output(source[row], target[row], 1, taps, x);
      continue;
    }
    const int32_t *weights = taps->weights + (ptrdiff_t)x * taps->stride;
    int32x4_t sums[ROWS];
    for (int row = 0; row < rows; row++) sums[row] = vdupq_n_s32(0);
    for (int32_t i = 0; i < steps * 8; i += 8) {
      const int32x4_t front = vld1q_s32(weights + i), back = vld1q_s32(weights + i + LANES);
      for (int row = 0; row < rows; row++)
        sums[row] = plus_eight(sums[row], source[row] + start + i, front, back);
    }
    for (int row = 0; row < rows; row++)
      target[row][x] = pixels_clip(vaddvq_s32(sums[row]) + PIXELS_HALF);
  }
}

void pixels_horizontal_neon(
    const uint8_t *const *source, uint8_t *const *target, int32_t rows, int32_t channels,
    int32_t width, const pixels_taps *taps) {
  if (channels == 1) {
    if (rows == ROWS) { gray_rows(source, target, ROWS, width, taps); return; }
    for (int32_t row = 0; row < rows; row++)
      gray_rows(source + row, target + row, 1, width, taps);
  } else if (channels == 3) {
    if (rows == ROWS) { color_rows(source, target, ROWS, 3, width, taps); return; }
    for (int32_t row = 0; row < rows; row++)
      color_rows(source + row, target + row, 1, 3, width, taps);
  } else {
    if (rows == ROWS) { color_rows(source, target, ROWS, 4, width, taps); return; }
    for (int32_t row = 0; row < rows; row++)
      color_rows(source + row, target + row, 1, 4, width, taps);
  }
}

PIXELS_INLINE void vertical_blocks(
    const uint8_t *const *rows, int32_t count, const int32_t *weights, uint8_t *target,
    size_t from, const int blocks, const uint8x16_t indices[4]) {
  int32x4_t sums[2][4];
  for (int block = 0; block < blocks; block++)
    for (int i = 0; i < 4; i++) sums[block][i] = vdupq_n_s32(PIXELS_HALF);
  for (int32_t y = 0; y < count; y++) {
    const int32x4_t weight = vdupq_n_s32(weights[y]);
    for (int block = 0; block < blocks; block++) {
      const uint8x16_t bytes = vld1q_u8(rows[y] + from + block * COLUMNS);
      for (int i = 0; i < 4; i++)
        sums[block][i] = vmlaq_s32(sums[block][i], widened(bytes, indices[i]), weight);
    }
  }
  for (int block = 0; block < blocks; block++) {
    const uint16x8_t low = vcombine_u16(clipped(sums[block][0]), clipped(sums[block][1]));
    const uint16x8_t high = vcombine_u16(clipped(sums[block][2]), clipped(sums[block][3]));
    vst1q_u8(
        target + from + block * COLUMNS, vcombine_u8(vqmovn_u16(low), vqmovn_u16(high)));
  }
}

int pixels_vertical_neon(
    const uint8_t *const *rows, int32_t count, const int32_t *weights, uint8_t *target,
    size_t bytes) {
  if (bytes < COLUMNS) return 0;
  uint8x16_t indices[4];
  for (int i = 0; i < 4; i++) indices[i] = vld1q_u8(widen_four[i]);
  size_t from = 0;
  for (; from + 2 * COLUMNS <= bytes; from += 2 * COLUMNS)
    vertical_blocks(rows, count, weights, target, from, 2, indices);
  if (from + COLUMNS <= bytes) {
    vertical_blocks(rows, count, weights, target, from, 1, indices);
    from += COLUMNS;
  }
  // The last block overlaps the previous one.
  if (from < bytes)
    vertical_blocks(rows, count, weights, target, bytes - COLUMNS, 1, indices);
  return 1;
}

#endif
