#include "Kernels.h"

pixels_form pixels_fastest_form(void) {
#if PIXELS_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
      __builtin_cpu_supports("avx512vnni"))
    return PIXELS_AVX512;
  if (__builtin_cpu_supports("avx2")) return PIXELS_AVX2;
#endif
  return PIXELS_PORTABLE;
}
