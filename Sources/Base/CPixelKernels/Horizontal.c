#include "Kernels.h"

#include <string.h>

#if PIXELS_X86
#include <immintrin.h>
#endif

static void horizontal_portable(
    const uint8_t *const *source, uint8_t *const *target, int32_t rows, int32_t channels,
    int32_t width, const pixels_taps *taps) {
  (void)width;
  for (int32_t row = 0; row < rows; row++)
    for (int32_t x = 0; x < taps->length; x++)
      switch (channels) {  // constants, so that the inner loops are unrolled
      case 1: pixels_one_output(source[row], target[row], 1, taps, x); break;
      case 3: pixels_one_output(source[row], target[row], 3, taps, x); break;
      case 4: pixels_one_output(source[row], target[row], 4, taps, x); break;
      }
}

#if PIXELS_X86

enum { ROWS = 4, PIXELS_PER_STEP = 4 };

// Converts the bytes of four pixels to 16-bit lanes, with two pixels of a channel in adjacent
// lanes, so that one multiply-add applies two weights: the lower half has pixels 0 and 1, the upper
// half 2 and 3.
#define GAP -128
static const int8_t shuffle_three[32] = {
    0, GAP, 3, GAP, 1, GAP, 4,  GAP, 2, GAP, 5,  GAP, GAP, GAP, GAP, GAP,
    6, GAP, 9, GAP, 7, GAP, 10, GAP, 8, GAP, 11, GAP, GAP, GAP, GAP, GAP};
static const int8_t shuffle_four[32] = {
    0, GAP, 4,  GAP, 1, GAP, 5,  GAP, 2,  GAP, 6,  GAP, 3,  GAP, 7,  GAP,
    8, GAP, 12, GAP, 9, GAP, 13, GAP, 10, GAP, 14, GAP, 11, GAP, 15, GAP};

PIXELS_FOR_AVX2 static inline __m128i total(__m256i high, __m256i low) {
  __m256i sum = _mm256_add_epi32(_mm256_slli_epi32(high, PIXELS_SPLIT_BITS), low);
  __m128i both = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
  return _mm_srai_epi32(_mm_add_epi32(both, _mm_set1_epi32(PIXELS_HALF)), PIXELS_WEIGHT_BITS);
}

PIXELS_FOR_AVX2 PIXELS_INLINE void color_output(
    const uint8_t *const *source, uint8_t *const *target, const int rows, const int channels,
    const pixels_taps *taps, int32_t x, __m256i shuffle) {
  const __m256i spread_high = _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1);
  const __m256i spread_low = _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3);
  const int32_t *weights = taps->weights + (ptrdiff_t)x * taps->stride;
  const ptrdiff_t first = (ptrdiff_t)taps->starts[x] * channels;
  __m256i high[ROWS], low[ROWS];
  for (int row = 0; row < rows; row++) high[row] = low[row] = _mm256_setzero_si256();

  for (int32_t i = 0; i < taps->counts[x]; i += PIXELS_PER_STEP) {
    __m128i weight = _mm_loadu_si128((const __m128i *)(weights + i));
    __m256i split = _mm256_castsi128_si256(_mm_packs_epi32(
        _mm_srai_epi32(weight, PIXELS_SPLIT_BITS),
        _mm_and_si128(weight, _mm_set1_epi32(PIXELS_SPLIT_MASK))));
    __m256i weight_high = _mm256_permutevar8x32_epi32(split, spread_high);
    __m256i weight_low = _mm256_permutevar8x32_epi32(split, spread_low);
    for (int row = 0; row < rows; row++) {
      const uint8_t *pixels = source[row] + first + (ptrdiff_t)i * channels;
      __m256i lanes = _mm256_shuffle_epi8(
          _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)pixels)), shuffle);
      high[row] = _mm256_add_epi32(high[row], _mm256_madd_epi16(lanes, weight_high));
      low[row] = _mm256_add_epi32(low[row], _mm256_madd_epi16(lanes, weight_low));
    }
  }

  for (int row = 0; row < rows; row++) {
    __m128i sums = total(high[row], low[row]);
    sums = _mm_packs_epi32(sums, sums);
    uint32_t bytes = (uint32_t)_mm_cvtsi128_si32(_mm_packus_epi16(sums, sums));
    uint8_t *pixel = target[row] + (ptrdiff_t)x * channels;
    memcpy(pixel, &bytes, 2);
    pixel[2] = (uint8_t)(bytes >> 16);
    if (channels == 4) pixel[3] = (uint8_t)(bytes >> 24);
  }
}

PIXELS_FOR_AVX2 PIXELS_INLINE void color_rows(
    const uint8_t *const *source, uint8_t *const *target, const int rows, const int channels,
    int32_t width, const pixels_taps *taps) {
  const __m256i shuffle = _mm256_loadu_si256(
      (const __m256i *)(channels == 3 ? shuffle_three : shuffle_four));
  for (int32_t x = 0; x < taps->length; x++) {
    int32_t steps = (taps->counts[x] + PIXELS_PER_STEP - 1) / PIXELS_PER_STEP;
    // A load reads 16 bytes, of which three channels use 12. Near the end of a row, it would read
    // past the end, so the scalar code is used.
    ptrdiff_t end = ((ptrdiff_t)taps->starts[x] + steps * PIXELS_PER_STEP) * channels +
        (channels == 3 ? 4 : 0);
    if (end <= (ptrdiff_t)width * channels)
      color_output(source, target, rows, channels, taps, x, shuffle);
    else
      for (int row = 0; row < rows; row++) pixels_one_output(source[row], target[row], channels, taps, x);
  }
}

PIXELS_FOR_AVX2 static void gray_row(
    const uint8_t *source, uint8_t *target, int32_t width, const pixels_taps *taps) {
  for (int32_t x = 0; x < taps->length; x++) {
    int32_t start = taps->starts[x], steps = (taps->counts[x] + 7) / 8;
    if (start + steps * 8 > width) {
      pixels_one_output(source, target, 1, taps, x);
      continue;
    }
    const int32_t *weights = taps->weights + (ptrdiff_t)x * taps->stride;
    const __m128i mask = _mm_set1_epi32(PIXELS_SPLIT_MASK);
    __m128i high = _mm_setzero_si128(), low = high;
    for (int32_t i = 0; i < steps * 8; i += 8) {
      __m128i lanes = _mm_cvtepu8_epi16(_mm_loadl_epi64((const __m128i *)(source + start + i)));
      __m128i front = _mm_loadu_si128((const __m128i *)(weights + i));
      __m128i back = _mm_loadu_si128((const __m128i *)(weights + i + 4));
      __m128i weight_high = _mm_packs_epi32(
          _mm_srai_epi32(front, PIXELS_SPLIT_BITS), _mm_srai_epi32(back, PIXELS_SPLIT_BITS));
      __m128i weight_low =
          _mm_packs_epi32(_mm_and_si128(front, mask), _mm_and_si128(back, mask));
      high = _mm_add_epi32(high, _mm_madd_epi16(lanes, weight_high));
      low = _mm_add_epi32(low, _mm_madd_epi16(lanes, weight_low));
    }
    __m128i sum = _mm_add_epi32(_mm_slli_epi32(high, PIXELS_SPLIT_BITS), low);
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, _MM_SHUFFLE(1, 0, 3, 2)));
    sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, _MM_SHUFFLE(2, 3, 0, 1)));
    target[x] = pixels_clip(_mm_cvtsi128_si32(sum) + PIXELS_HALF);
  }
}

PIXELS_FOR_AVX2 static void horizontal_avx2(
    const uint8_t *const *source, uint8_t *const *target, int32_t rows, int32_t channels,
    int32_t width, const pixels_taps *taps) {
  if (channels == 1) {
    for (int32_t row = 0; row < rows; row++) gray_row(source[row], target[row], width, taps);
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

#endif

void pixels_horizontal(
    pixels_form form, const uint8_t *const *source, uint8_t *const *target, int32_t rows,
    int32_t channels, int32_t width, const pixels_taps *taps, const pixels_arrangement *arranged) {
#if PIXELS_X86
  if (arranged) { pixels_horizontal_wide(source, target, rows, arranged); return; }
  if (form >= PIXELS_AVX2) {
    horizontal_avx2(source, target, rows, channels, width, taps);
    return;
  }
#elif PIXELS_ARM
  if (form == PIXELS_NEON) {
    pixels_horizontal_neon(source, target, rows, channels, width, taps);
    return;
  }
#endif
  (void)form, (void)arranged;
  horizontal_portable(source, target, rows, channels, width, taps);
}
