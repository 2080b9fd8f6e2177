#ifndef Kernels_H
#define Kernels_H

#include "CPixelKernels.h"

#if defined(__x86_64__)
#define PIXELS_HAVE_AVX2 1
#define PIXELS_AVX2 __attribute__((target("avx2")))
#endif

enum {
  PIXELS_HALF = 1 << (PIXELS_WEIGHT_BITS - 1),
  // A weight has up to 24 bits, a product of 16-bit lanes takes 16: weights are split in two.
  PIXELS_SPLIT_BITS = 12,
  PIXELS_SPLIT_MASK = (1 << PIXELS_SPLIT_BITS) - 1,
};

static inline uint8_t pixels_clip(int32_t sum) {
  int32_t value = sum >> PIXELS_WEIGHT_BITS;
  return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value;
}

static inline int pixels_has_avx2(void) {
#if PIXELS_HAVE_AVX2
  return __builtin_cpu_supports("avx2");
#else
  return 0;
#endif
}

#endif
