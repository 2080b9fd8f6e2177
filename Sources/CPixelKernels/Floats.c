#include "Kernels.h"

// Compilers make good vectors of these loops once the number of channels is a constant. A fused
// multiplication and addition would round otherwise than the portable form.

#pragma STDC FP_CONTRACT OFF

// So many elements that channels and vectors both begin anew.
enum { PERIOD = 48 };

PIXELS_INLINE void floats(
    const uint8_t *restrict source, int32_t count, const int32_t channels,
    const float *restrict scales, const float *restrict biases, float *restrict target) {
  float scale[PERIOD], bias[PERIOD];
  for (int32_t i = 0; i < PERIOD; i++) {
    scale[i] = scales[i % channels];
    bias[i] = biases[i % channels];
  }
  int32_t whole = count * channels / PERIOD * PERIOD;
  for (int32_t start = 0; start < whole; start += PERIOD)
    for (int32_t i = 0; i < PERIOD; i++)
      target[start + i] = (float)source[start + i] * scale[i] + bias[i];
  for (int32_t i = whole; i < count * channels; i++)
    target[i] = (float)source[i] * scale[i - whole] + bias[i - whole];
}

PIXELS_INLINE void planes(
    const uint8_t *restrict source, int32_t count, const int32_t channels,
    const float *restrict scales, const float *restrict biases, float *restrict target,
    ptrdiff_t stride) {
  for (int32_t channel = 0; channel < channels; channel++) {
    const float scale = scales[channel], bias = biases[channel];
    float *plane = target + channel * stride;
    for (int32_t x = 0; x < count; x++)
      plane[x] = (float)source[(ptrdiff_t)x * channels + channel] * scale + bias;
  }
}

#define FLOATS(NAME, TARGET)                                                                       \
  TARGET static void floats_##NAME(                                                                \
      const uint8_t *source, int32_t count, int32_t channels, const float *scales,                 \
      const float *biases, float *target) {                                                        \
    switch (channels) {                                                                            \
    case 1: floats(source, count, 1, scales, biases, target); break;                               \
    case 3: floats(source, count, 3, scales, biases, target); break;                               \
    case 4: floats(source, count, 4, scales, biases, target); break;                               \
    }                                                                                              \
  }                                                                                                \
  TARGET static void planes_##NAME(                                                                \
      const uint8_t *source, int32_t count, int32_t channels, const float *scales,                 \
      const float *biases, float *target, ptrdiff_t stride) {                                      \
    switch (channels) {                                                                            \
    case 1: planes(source, count, 1, scales, biases, target, stride); break;                       \
    case 3: planes(source, count, 3, scales, biases, target, stride); break;                       \
    case 4: planes(source, count, 4, scales, biases, target, stride); break;                       \
    }                                                                                              \
  }

FLOATS(portable, )
#if PIXELS_X86
FLOATS(avx2, PIXELS_FOR_AVX2)
FLOATS(avx512, PIXELS_FOR_AVX512)
#endif

void pixels_floats(
    pixels_form form, const uint8_t *source, int32_t count, int32_t channels, const float *scales,
    const float *biases, float *target) {
  switch (form) {
#if PIXELS_X86
  case PIXELS_AVX512: floats_avx512(source, count, channels, scales, biases, target); break;
  case PIXELS_AVX2: floats_avx2(source, count, channels, scales, biases, target); break;
#endif
  default: floats_portable(source, count, channels, scales, biases, target); break;
  }
}

void pixels_planes(
    pixels_form form, const uint8_t *source, int32_t count, int32_t channels, const float *scales,
    const float *biases, float *target, ptrdiff_t stride) {
  switch (form) {
#if PIXELS_X86
  case PIXELS_AVX512: planes_avx512(source, count, channels, scales, biases, target, stride); break;
  case PIXELS_AVX2: planes_avx2(source, count, channels, scales, biases, target, stride); break;
#endif
  default: planes_portable(source, count, channels, scales, biases, target, stride); break;
  }
}
