#include "Kernels.h"

#if PIXELS_X86
#include <immintrin.h>
#endif

enum { BLOCK = 64 };

static void portable_block(
    const uint8_t *const *rows, int32_t count, const int32_t *weights, uint8_t *target,
    size_t from, size_t bytes) {
  int32_t sums[BLOCK];
  for (size_t i = 0; i < bytes; i++) sums[i] = PIXELS_HALF;
  for (int32_t y = 0; y < count; y++) {
    const uint8_t *row = rows[y] + from;
    int32_t weight = weights[y];
    for (size_t i = 0; i < bytes; i++) sums[i] += row[i] * weight;
  }
  for (size_t i = 0; i < bytes; i++) target[from + i] = pixels_clip(sums[i]);
}

static void vertical_portable(
    const uint8_t *const *rows, int32_t count, const int32_t *weights, uint8_t *target,
    size_t bytes) {
  for (size_t from = 0; from < bytes; from += BLOCK)
    portable_block(
        rows, count, weights, target, from, bytes - from < BLOCK ? bytes - from : BLOCK);
}

#if PIXELS_X86

enum { COLUMNS = 32 };

PIXELS_FOR_AVX2 static inline __m256i pair(int32_t first, int32_t second) {
  return _mm256_set1_epi32((int32_t)((uint32_t)second << 16 | (first & 0xFFFF)));
}

// Converts fixed-point sums to integers.
PIXELS_FOR_AVX2 static inline __m256i finished(__m256i high, __m256i low) {
  __m256i sum = _mm256_add_epi32(_mm256_slli_epi32(high, PIXELS_SPLIT_BITS), low);
  sum = _mm256_add_epi32(sum, _mm256_set1_epi32(PIXELS_HALF));
  return _mm256_srai_epi32(sum, PIXELS_WEIGHT_BITS);
}

PIXELS_FOR_AVX2 static inline void store_columns(uint8_t *target, __m256i first, __m256i second) {
  __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(first, second), 0xD8);
  __m128i bytes = _mm_packus_epi16(
      _mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
  _mm_storeu_si128((__m128i *)target, bytes);
}

PIXELS_FOR_AVX2 static void avx2_block(
    const uint8_t *const *rows, int32_t count, const int32_t *weights, uint8_t *target,
    size_t from) {
  __m256i high[4], low[4];
  for (int i = 0; i < 4; i++) high[i] = low[i] = _mm256_setzero_si256();
  for (int32_t y = 0; y < count; y += 2) {
    // One multiply-add processes two rows; an odd last row is paired with itself and a weight of
    // zero.
    int32_t partner = y + 1 < count ? y + 1 : y;
    int32_t weight = weights[y], other = y + 1 < count ? weights[partner] : 0;
    __m256i weight_high = pair(weight >> PIXELS_SPLIT_BITS, other >> PIXELS_SPLIT_BITS);
    __m256i weight_low = pair(weight & PIXELS_SPLIT_MASK, other & PIXELS_SPLIT_MASK);
    for (int half = 0; half < 2; half++) {
      size_t at = from + half * 16;
      __m128i a = _mm_loadu_si128((const __m128i *)(rows[y] + at));
      __m128i b = _mm_loadu_si128((const __m128i *)(rows[partner] + at));
      __m256i left = _mm256_cvtepu8_epi16(_mm_unpacklo_epi8(a, b));
      __m256i right = _mm256_cvtepu8_epi16(_mm_unpackhi_epi8(a, b));
      int i = half * 2;
      high[i] = _mm256_add_epi32(high[i], _mm256_madd_epi16(left, weight_high));
      low[i] = _mm256_add_epi32(low[i], _mm256_madd_epi16(left, weight_low));
      high[i + 1] = _mm256_add_epi32(high[i + 1], _mm256_madd_epi16(right, weight_high));
      low[i + 1] = _mm256_add_epi32(low[i + 1], _mm256_madd_epi16(right, weight_low));
    }
  }
  store_columns(target + from, finished(high[0], low[0]), finished(high[1], low[1]));
  store_columns(target + from + 16, finished(high[2], low[2]), finished(high[3], low[3]));
}

PIXELS_FOR_AVX2 static void vertical_avx2(
    const uint8_t *const *rows, int32_t count, const int32_t *weights, uint8_t *target,
    size_t bytes) {
  size_t from = 0;
  for (; from + COLUMNS <= bytes; from += COLUMNS)
    avx2_block(rows, count, weights, target, from);
  // The last block overlaps the previous one.
  if (from < bytes) avx2_block(rows, count, weights, target, bytes - COLUMNS);
}

#endif

void pixels_vertical(
    pixels_form form, const uint8_t *const *rows, int32_t count, const int32_t *weights,
    uint8_t *target, size_t bytes) {
#if PIXELS_X86
  if (form >= PIXELS_AVX512 && pixels_vertical_wide(rows, count, weights, target, bytes)) return;
  if (form >= PIXELS_AVX2 && bytes >= COLUMNS) {
    vertical_avx2(rows, count, weights, target, bytes);
    return;
  }
#elif PIXELS_ARM
  if (form == PIXELS_NEON && pixels_vertical_neon(rows, count, weights, target, bytes)) return;
#endif
  (void)form;
  vertical_portable(rows, count, weights, target, bytes);
}
