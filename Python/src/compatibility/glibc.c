/* Binds functions to their oldest version, so that the library loads on systems with glibc 2.34. */
#if defined(__x86_64__)
__asm__(".symver old_hypotf, hypotf@GLIBC_2.2.5");
float old_hypotf(float x, float y);
__attribute__((visibility("hidden"))) float hypotf(float x, float y) { return old_hypotf(x, y); }

__asm__(".symver old_hypot, hypot@GLIBC_2.2.5");
double old_hypot(double x, double y);
__attribute__((visibility("hidden"))) double hypot(double x, double y) { return old_hypot(x, y); }
#endif
