#include "Kernels.h"

#if PIXELS_X86
#include <immintrin.h>
#include <string.h>

// One instruction adds four products of a pixel byte and a signed byte to a 32-bit sum, so a 24-bit
// weight takes three instructions, and four rows are processed together.

enum { TOGETHER = 4, COLUMNS = 64 };

// Groups of four weights, split into bytes.
typedef struct {
  int32_t parts[3][PIXELS_MAX_ROWS / TOGETHER];
} split_weights;

static void split(const int32_t *weights, int32_t count, split_weights *all) {
  for (int part = 0; part < 3; part++) {
    int8_t *bytes = (int8_t *)all->parts[part];
    all->parts[part][(count - 1) / TOGETHER] = 0;
    for (int32_t y = 0; y < count; y++) bytes[y] = pixels_split(weights[y]).bytes[part];
  }
}

PIXELS_FOR_AVX512 static inline __m512i finished(const __m512i sums[3]) {
  __m512i upper = _mm512_add_epi32(_mm512_slli_epi32(sums[2], 8), sums[1]);
  return _mm512_srai_epi32(
      _mm512_add_epi32(_mm512_slli_epi32(upper, 8), sums[0]), PIXELS_WEIGHT_BITS);
}

// Unpacking changes the order of columns within each 128-bit lane; packing restores it.
PIXELS_FOR_AVX512 static inline void interleave(
    const uint8_t *const rows[TOGETHER], size_t from, __m512i columns[4]) {
  __m512i a = _mm512_loadu_si512(rows[0] + from), b = _mm512_loadu_si512(rows[1] + from);
  __m512i c = _mm512_loadu_si512(rows[2] + from), d = _mm512_loadu_si512(rows[3] + from);
  __m512i ab = _mm512_unpacklo_epi8(a, b), cd = _mm512_unpacklo_epi8(c, d);
  columns[0] = _mm512_unpacklo_epi16(ab, cd);
  columns[1] = _mm512_unpackhi_epi16(ab, cd);
  ab = _mm512_unpackhi_epi8(a, b);
  cd = _mm512_unpackhi_epi8(c, d);
  columns[2] = _mm512_unpacklo_epi16(ab, cd);
  columns[3] = _mm512_unpackhi_epi16(ab, cd);
}

PIXELS_FOR_AVX512 static inline void wide_block(
    const uint8_t *const *rows, int32_t count, const split_weights *all, uint8_t *target,
    size_t from) {
  __m512i sums[4][3];
  for (int i = 0; i < 4; i++) {
    sums[i][0] = sums[i][1] = _mm512_setzero_si512();
    sums[i][2] = _mm512_set1_epi32(PIXELS_HALF >> 16);
  }
  for (int32_t y = 0; y < count; y += TOGETHER) {
    const uint8_t *four[TOGETHER];
    // After the last row, its copies with a weight of zero.
    for (int32_t i = 0; i < TOGETHER; i++) four[i] = rows[y + i < count ? y + i : count - 1];
    __m512i columns[4];
    interleave(four, from, columns);
    for (int part = 0; part < 3; part++) {
      __m512i weights = _mm512_set1_epi32(all->parts[part][y / TOGETHER]);
      for (int i = 0; i < 4; i++)
        sums[i][part] = _mm512_dpbusd_epi32(sums[i][part], columns[i], weights);
    }
  }
  __m512i front = _mm512_packs_epi32(finished(sums[0]), finished(sums[1]));
  __m512i back = _mm512_packs_epi32(finished(sums[2]), finished(sums[3]));
  _mm512_storeu_si512(target + from, _mm512_packus_epi16(front, back));
}

PIXELS_FOR_AVX512 int pixels_vertical_wide(
    const uint8_t *const *rows, int32_t count, const int32_t *weights, uint8_t *target,
    size_t bytes) {
  if (bytes < COLUMNS || count > PIXELS_MAX_ROWS) return 0;
  for (int32_t y = 0; y < count; y++)
    if (!pixels_can_split(weights[y])) return 0;
  split_weights all;
  split(weights, count, &all);
  size_t from = 0;
  for (; from + COLUMNS <= bytes; from += COLUMNS)
    wide_block(rows, count, &all, target, from);
  // The last block overlaps the previous one.
  if (from < bytes) wide_block(rows, count, &all, target, bytes - COLUMNS);
  return 1;
}

#endif
