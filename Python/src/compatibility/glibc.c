/*
 * Binds functions to older versions of the C library than those of the machine that compiles, so that the result runs
 * on systems with glibc 2.34. Each function here replaces the one of the C library in the linked file only.
 */

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/random.h>

#define BIND(version, result, name, parameters, arguments) \
  __asm__(".symver old_" #name ", " #name "@GLIBC_" version); \
  result old_##name parameters; \
  __attribute__((visibility("hidden"))) result name parameters { return old_##name arguments; }

#define BIND_1(version, type, name) BIND(version, type, name, (type x), (x))
#define BIND_2(version, type, name) BIND(version, type, name, (type x, type y), (x, y))

/* New in 2.36; expat calls it. */
__attribute__((visibility("hidden"))) void arc4random_buf(void *bytes, size_t size) {
  for (char *next = bytes; size > 0;) {
    const ssize_t count = getrandom(next, size, 0);
    if (count < 0) {
      if (errno != EINTR) abort();
      continue;
    }
    next += count;
    size -= (size_t)count;
  }
}

#if defined(__x86_64__)

BIND_2("2.2.5", float, hypotf)
BIND_2("2.2.5", double, hypot)

#elif defined(__aarch64__)

#include <stdarg.h>

/* Later versions differ from these in how they report errors. */
BIND_1("2.17", float, acosf)
BIND_1("2.17", float, acoshf)
BIND_1("2.17", float, asinf)
BIND_1("2.17", float, atanhf)
BIND_1("2.17", float, coshf)
BIND_1("2.17", float, log10f)
BIND_1("2.17", float, sinhf)
BIND_1("2.17", float, sqrtf)
BIND_1("2.17", float, tgammaf)
BIND_2("2.17", float, atan2f)
BIND_2("2.17", float, fmodf)
BIND_2("2.17", double, fmod)
BIND_2("2.17", float, hypotf)
BIND_2("2.17", double, hypot)
BIND_2("2.17", float, remainderf)
BIND_2("2.17", double, remainder)
BIND("2.17", float, lgammaf_r, (float x, int *sign), (x, sign))

/* Headers since 2.38 declare these under other names, which also read binary numbers. */
__asm__(".symver old_strtol, strtol@GLIBC_2.17");
__asm__(".symver old_strtoll, strtoll@GLIBC_2.17");
__asm__(".symver old_vsscanf, __isoc99_vsscanf@GLIBC_2.17");
long old_strtol(const char *text, char **end, int base);
long long old_strtoll(const char *text, char **end, int base);
int old_vsscanf(const char *text, const char *format, va_list arguments);

__attribute__((visibility("hidden"))) long __isoc23_strtol(const char *text, char **end, int base) {
  return old_strtol(text, end, base);
}

__attribute__((visibility("hidden"))) long long __isoc23_strtoll(const char *text, char **end, int base) {
  return old_strtoll(text, end, base);
}

__attribute__((visibility("hidden"))) int __isoc23_sscanf(const char *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int count = old_vsscanf(text, format, arguments);
  va_end(arguments);
  return count;
}

/* New in 2.38. */
__attribute__((visibility("hidden"))) size_t strlcpy(char *target, const char *source, size_t size) {
  size_t length = 0;
  for (; source[length]; length++)
    if (length + 1 < size) target[length] = source[length];
  if (size) target[length < size ? length : size - 1] = 0;
  return length;
}

/* std::__glibcxx_assert_fail, which is new in the C++ library of GCC 12. */
__attribute__((visibility("hidden"))) void _ZSt21__glibcxx_assert_failPKciS0_S0_(
    const char *file, int line, const char *function, const char *condition) {
  (void)file, (void)line, (void)function, (void)condition;
  abort();
}

#endif
