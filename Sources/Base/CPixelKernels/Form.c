#include "Kernels.h"

pixels_form pixels_fastest_form(void) {
#if PIXELS_X86
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
      __builtin_cpu_supports("avx512vnni"))
    return PIXELS_AVX512;
  if (__builtin_cpu_supports("avx2")) return PIXELS_AVX2;
#elif PIXELS_ARM
  return PIXELS_NEON;  // every arm64 processor has it
#endif
  return PIXELS_PORTABLE;
}

int pixels_supports(pixels_form form) {
  const pixels_form fastest = pixels_fastest_form();
  return form == PIXELS_PORTABLE || form == fastest ||
      (form == PIXELS_AVX2 && fastest == PIXELS_AVX512);
}
