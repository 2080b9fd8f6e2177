#ifndef Kernels_H
#define Kernels_H

#include "CPixelKernels.h"

#if defined(__x86_64__)
#define PIXELS_X86 1
#define PIXELS_FOR_AVX2 __attribute__((target("avx2")))
#define PIXELS_FOR_AVX512 \
  __attribute__(( \
      target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vnni,no-prefer-256-bit"), \
      min_vector_width(512)))
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define PIXELS_ARM 1
#endif

#define PIXELS_INLINE static inline __attribute__((always_inline))

enum {
  PIXELS_HALF = 1 << (PIXELS_WEIGHT_BITS - 1),
  // A weight has up to 24 bits, but products are computed in 16-bit lanes: weights are split in
  // two.
  PIXELS_SPLIT_BITS = 12,
  PIXELS_SPLIT_MASK = (1 << PIXELS_SPLIT_BITS) - 1,
  // Limits of the AVX-512 kernels.
  PIXELS_MAX_ROWS = 256,
  PIXELS_MAX_WEIGHT = 0x7F7F7F,
};

static inline uint8_t pixels_clip(int32_t sum) {
  int32_t value = sum >> PIXELS_WEIGHT_BITS;
  return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
}

// A weight as three signed bytes, least significant first.
typedef struct {
  int8_t bytes[3];
} pixels_parts;

static inline pixels_parts pixels_split(int32_t weight) {
  int32_t upper = (weight + 128) >> 8;
  pixels_parts parts = {{(int8_t)weight, (int8_t)upper, (int8_t)((upper + 128) >> 8)}};
  return parts;
}

static inline int pixels_can_split(int32_t weight) {
  return weight >= -PIXELS_MAX_WEIGHT && weight <= PIXELS_MAX_WEIGHT;
}

// Computes one pixel of a resampled row.
static inline void pixels_one_output(
    const uint8_t *_Nonnull source, uint8_t *_Nonnull target, int32_t channels,
    const pixels_taps *_Nonnull taps, int32_t x) {
  const int32_t *weights = taps->weights + (ptrdiff_t)x * taps->stride;
  const uint8_t *first = source + (ptrdiff_t)taps->starts[x] * channels;
  for (int32_t channel = 0; channel < channels; channel++) {
    int32_t sum = PIXELS_HALF;
    for (int32_t i = 0; i < taps->counts[x]; i++)
      sum += first[(ptrdiff_t)i * channels + channel] * weights[i];
    target[(ptrdiff_t)x * channels + channel] = pixels_clip(sum);
  }
}

#if PIXELS_X86
// The AVX-512 kernels. `pixels_vertical_wide` returns 0 if it does not support its arguments.

int pixels_vertical_wide(
    const uint8_t *const _Nonnull *_Nonnull rows, int32_t count, const int32_t *_Nonnull weights,
    uint8_t *_Nonnull target, size_t bytes);

void pixels_horizontal_wide(
    const uint8_t *const _Nonnull *_Nonnull source, uint8_t *const _Nonnull *_Nonnull target,
    int32_t rows, const pixels_arrangement *_Nonnull arranged);
#endif

#if PIXELS_ARM
// The NEON kernels. `pixels_vertical_neon` returns 0 if rows are too short.

void pixels_horizontal_neon(
    const uint8_t *const _Nonnull *_Nonnull source, uint8_t *const _Nonnull *_Nonnull target,
    int32_t rows, int32_t channels, int32_t width, const pixels_taps *_Nonnull taps);

int pixels_vertical_neon(
    const uint8_t *const _Nonnull *_Nonnull rows, int32_t count, const int32_t *_Nonnull weights,
    uint8_t *_Nonnull target, size_t bytes);
#endif

#endif
