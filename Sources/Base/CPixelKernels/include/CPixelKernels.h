#ifndef CPixelKernels_H
#define CPixelKernels_H

// Pixel loops that must be fast in every build configuration. Each has a portable implementation.
// If the processor supports AVX2 or the required AVX-512 extensions, which is determined at run
// time, or NEON, which every arm64 processor has, faster implementations compute the same bytes.

#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/// The number of fractional bits of a weight.
enum { PIXELS_WEIGHT_BITS = 22 };

/// The weights of one axis: output `i` is the sum of `counts[i]` inputs starting at `starts[i]`,
/// each multiplied by a weight starting at `weights + i * stride`. The remaining weights up to
/// `stride`, a multiple of eight, are zero.
typedef struct {
  int32_t length;
  int32_t stride;
  const int32_t *starts;
  const int32_t *counts;
  const int32_t *weights;
} pixels_taps;

/// The implementations. All compute the same bytes. A processor supports the portable one and either
/// NEON or, in ascending order of speed, those for x86-64 up to its fastest.
typedef enum { PIXELS_PORTABLE, PIXELS_AVX2, PIXELS_AVX512, PIXELS_NEON } pixels_form;

/// Returns the fastest implementation that the processor supports.
pixels_form pixels_fastest_form(void);

/// Returns 1 if the processor supports an implementation, otherwise 0.
int pixels_supports(pixels_form form);

/// Horizontal weights, arranged for AVX-512.
typedef struct pixels_arrangement pixels_arrangement;

/// Arranges weights for rows of `width` pixels. Returns null if the implementation does not use it.
pixels_arrangement *_Nullable pixels_arrange(
    pixels_form form, const pixels_taps *taps, int32_t channels, int32_t width);
void pixels_arrangement_free(pixels_arrangement *arranged);

/// Resamples up to four rows of `width` pixels horizontally, using arranged weights if given.
void pixels_horizontal(
    pixels_form form, const uint8_t *const _Nonnull *_Nonnull source,
    uint8_t *const _Nonnull *_Nonnull target, int32_t rows, int32_t channels, int32_t width,
    const pixels_taps *taps, const pixels_arrangement *_Nullable arranged);

/// Computes the weighted sum of rows.
void pixels_vertical(
    pixels_form form, const uint8_t *const _Nonnull *_Nonnull rows, int32_t count,
    const int32_t *weights, uint8_t *target, size_t bytes);

/// The number of elements after which the pattern of channels and vector lanes repeats.
enum { PIXELS_PERIOD = 48 };

/// Converts bytes to floats: each times a scale, plus a bias, without fused operations. `scales`
/// and `biases` have `PIXELS_PERIOD` elements.
void pixels_floats(
    pixels_form form, const uint8_t *source, size_t count, const float *scales,
    const float *biases, float *target);

/// Converts bytes to floats and writes each channel to its own plane; planes are `stride` elements
/// apart.
void pixels_planes(
    pixels_form form, const uint8_t *source, int32_t count, int32_t channels, const float *scales,
    const float *biases, float *target, ptrdiff_t stride);

/// Copies the pixels at the given columns.
void pixels_pick(
    const uint8_t *source, int32_t channels, const int32_t *columns, int32_t count,
    uint8_t *target);

/// Copies a rectangle whose pixel (x, y) is at `origin + x * step_x + y * step_y`, which covers all
/// eight orientations.
void pixels_gather(
    const uint8_t *origin, ptrdiff_t step_x, ptrdiff_t step_y, int32_t bytes_per_pixel,
    int32_t width, int32_t rows, uint8_t *target, ptrdiff_t target_stride);

/// The offsets of the channels in a pixel; `alpha` is negative if there is none.
typedef struct {
  int32_t bytes, red, green, blue, alpha;
} pixels_layout;

/// Rearranges channels. Missing alpha becomes opaque.
void pixels_rearrange(
    const uint8_t *source, pixels_layout from, uint8_t *target, pixels_layout to, int32_t count);

/// Computes the luma (ITU-R BT.601) of pixels, one byte each.
void pixels_luma(const uint8_t *source, pixels_layout from, uint8_t *target, int32_t count);

/// Converts inverted CMYK pixels, as Adobe stores them, to RGB.
void pixels_inks_to_rgb(const uint8_t *source, uint8_t *target, size_t count);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
