#include "Kernels.h"

#if PIXELS_X86
#include <immintrin.h>
#endif

// Compilers vectorize these loops well, except for separating channels on x86-64. Fused
// multiply-add would round differently from the portable implementation.

#pragma STDC FP_CONTRACT OFF

PIXELS_INLINE void floats(
    const uint8_t *restrict source, size_t count, const float *restrict scales,
    const float *restrict biases, float *restrict target) {
  size_t whole = count / PIXELS_PERIOD * PIXELS_PERIOD;
  for (size_t start = 0; start < whole; start += PIXELS_PERIOD)
    for (size_t i = 0; i < PIXELS_PERIOD; i++)
      target[start + i] = (float)source[start + i] * scales[i] + biases[i];
  for (size_t i = whole; i < count; i++)
    target[i] = (float)source[i] * scales[i - whole] + biases[i - whole];
}

PIXELS_INLINE void planes(
    const uint8_t *restrict source, int32_t begin, int32_t count, const int32_t channels,
    const float *restrict scales, const float *restrict biases, float *restrict target,
    ptrdiff_t stride) {
  for (int32_t channel = 0; channel < channels; channel++) {
    const float scale = scales[channel], bias = biases[channel];
    float *plane = target + channel * stride;
    for (int32_t x = begin; x < count; x++)
      plane[x] = (float)source[(ptrdiff_t)x * channels + channel] * scale + bias;
  }
}

static void planes_portable(
    const uint8_t *source, int32_t begin, int32_t count, int32_t channels, const float *scales,
    const float *biases, float *target, ptrdiff_t stride) {
  switch (channels) {
  case 1: planes(source, begin, count, 1, scales, biases, target, stride); break;
  case 3: planes(source, begin, count, 3, scales, biases, target, stride); break;
  case 4: planes(source, begin, count, 4, scales, biases, target, stride); break;
  }
}

#if PIXELS_X86
PIXELS_FOR_AVX2 static void floats_avx2(
    const uint8_t *source, size_t count, const float *scales, const float *biases, float *target) {
  floats(source, count, scales, biases, target);
}

PIXELS_FOR_AVX512 static void floats_avx512(
    const uint8_t *source, size_t count, const float *scales, const float *biases, float *target) {
  floats(source, count, scales, biases, target);
}

// The number of pixels whose channels are separated at a time; the bytes of a channel fill a lane.
enum { PIXELS_PER_BLOCK = 16 };

PIXELS_FOR_AVX2 static inline void store_avx2(
    __m128i bytes, float scale, float bias, float *target) {
  __m256 by = _mm256_set1_ps(scale), plus = _mm256_set1_ps(bias);
  __m256 low = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(bytes));
  __m256 high = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_srli_si128(bytes, 8)));
  _mm256_storeu_ps(target, _mm256_add_ps(_mm256_mul_ps(low, by), plus));
  _mm256_storeu_ps(target + 8, _mm256_add_ps(_mm256_mul_ps(high, by), plus));
}

// Computes the positions of a channel's bytes among 16 of 48 bytes; other bytes become zero.
static void find_third(int channel, int third, uint8_t positions[16]) {
  for (int i = 0; i < PIXELS_PER_BLOCK; i++) {
    int position = i * 3 + channel - third * 16;
    positions[i] = position < 0 || position > 15 ? 0x80 : (uint8_t)position;
  }
}

PIXELS_FOR_AVX2 static int32_t planes_avx2(
    const uint8_t *source, int32_t count, const float *scales, const float *biases, float *target,
    ptrdiff_t stride) {
  uint8_t positions[3][3][16];
  for (int channel = 0; channel < 3; channel++)
    for (int third = 0; third < 3; third++) find_third(channel, third, positions[channel][third]);
  int32_t x = 0;
  for (; x + PIXELS_PER_BLOCK <= count; x += PIXELS_PER_BLOCK) {
    const __m128i *from = (const __m128i *)(source + (ptrdiff_t)x * 3);
    __m128i thirds[3] = {
        _mm_loadu_si128(from), _mm_loadu_si128(from + 1), _mm_loadu_si128(from + 2)};
    for (int channel = 0; channel < 3; channel++) {
      __m128i bytes = _mm_setzero_si128();
      for (int third = 0; third < 3; third++) {
        __m128i indices = _mm_loadu_si128((const __m128i *)positions[channel][third]);
        bytes = _mm_or_si128(bytes, _mm_shuffle_epi8(thirds[third], indices));
      }
      store_avx2(bytes, scales[channel], biases[channel], target + channel * stride + x);
    }
  }
  return x;
}

PIXELS_FOR_AVX512 static inline void store_avx512(
    __m128i bytes, float scale, float bias, float *target) {
  __m512 values = _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(bytes));
  values = _mm512_add_ps(_mm512_mul_ps(values, _mm512_set1_ps(scale)), _mm512_set1_ps(bias));
  _mm512_storeu_ps(target, values);
}

PIXELS_FOR_AVX512 static int32_t planes_avx512(
    const uint8_t *source, int32_t count, const float *scales, const float *biases, float *target,
    ptrdiff_t stride) {
  uint8_t positions[64] = {0};
  for (int i = 0; i < 3 * PIXELS_PER_BLOCK; i++)
    positions[i] = (uint8_t)(i % PIXELS_PER_BLOCK * 3 + i / PIXELS_PER_BLOCK);
  const __m512i indices = _mm512_loadu_si512(positions);
  const __mmask64 mask = ((__mmask64)1 << 3 * PIXELS_PER_BLOCK) - 1;
  int32_t x = 0;
  for (; x + PIXELS_PER_BLOCK <= count; x += PIXELS_PER_BLOCK) {
    __m512i pixels = _mm512_maskz_loadu_epi8(mask, source + (ptrdiff_t)x * 3);
    __m512i separated = _mm512_permutexvar_epi8(indices, pixels);
    float *to = target + x;
    store_avx512(_mm512_castsi512_si128(separated), scales[0], biases[0], to);
    store_avx512(_mm512_extracti32x4_epi32(separated, 1), scales[1], biases[1], to + stride);
    store_avx512(_mm512_extracti32x4_epi32(separated, 2), scales[2], biases[2], to + 2 * stride);
  }
  return x;
}
#endif

void pixels_floats(
    pixels_form form, const uint8_t *source, size_t count, const float *scales,
    const float *biases, float *target) {
  switch (form) {
#if PIXELS_X86
  case PIXELS_AVX512: floats_avx512(source, count, scales, biases, target); break;
  case PIXELS_AVX2: floats_avx2(source, count, scales, biases, target); break;
#endif
  default: floats(source, count, scales, biases, target); break;
  }
}

void pixels_planes(
    pixels_form form, const uint8_t *source, int32_t count, int32_t channels, const float *scales,
    const float *biases, float *target, ptrdiff_t stride) {
  int32_t begin = 0;
#if PIXELS_X86
  if (channels == 3 && form == PIXELS_AVX512)
    begin = planes_avx512(source, count, scales, biases, target, stride);
  else if (channels == 3 && form == PIXELS_AVX2)
    begin = planes_avx2(source, count, scales, biases, target, stride);
#endif
  (void)form;
  planes_portable(source, begin, count, channels, scales, biases, target, stride);
}
