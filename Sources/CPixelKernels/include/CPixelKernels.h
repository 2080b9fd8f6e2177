#ifndef CPixelKernels_H
#define CPixelKernels_H

// The few pixel loops that must be fast in every build. Each has a portable form; where the
// processor has AVX2 or the wanted parts of AVX-512, which is asked at run time, faster forms give
// the same bytes.

#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/// How many fractional bits a weight has.
enum { PIXELS_WEIGHT_BITS = 22 };

/// The weights of one axis: output `i` is the sum of `counts[i]` inputs from `starts[i]` on, each
/// times a weight from `weights + i * stride` on. Weights behind the last one up to `stride`, a
/// multiple of eight, are zero.
typedef struct {
  int32_t length;
  int32_t stride;
  const int32_t *starts;
  const int32_t *counts;
  const int32_t *weights;
} pixels_taps;

/// The ways to run a loop, each faster than the one before it; all give the same bytes.
typedef enum { PIXELS_PORTABLE, PIXELS_AVX2, PIXELS_AVX512 } pixels_form;

/// The fastest form that the processor has.
pixels_form pixels_fastest_form(void);

/// Weights along rows, arranged for the widest instructions.
typedef struct pixels_arrangement pixels_arrangement;

/// Arranges weights for rows of `width` pixels; null where a form has no use for it.
pixels_arrangement *_Nullable pixels_arrange(
    pixels_form form, const pixels_taps *taps, int32_t channels, int32_t width);
void pixels_arrangement_free(pixels_arrangement *arranged);

/// Resamples up to four rows of `width` pixels along the row, as arranged if they are.
void pixels_horizontal(
    pixels_form form, const uint8_t *const _Nonnull *_Nonnull source,
    uint8_t *const _Nonnull *_Nonnull target, int32_t rows, int32_t channels, int32_t width,
    const pixels_taps *taps, const pixels_arrangement *_Nullable arranged);

/// Adds rows up, each times its weight.
void pixels_vertical(
    pixels_form form, const uint8_t *const _Nonnull *_Nonnull rows, int32_t count,
    const int32_t *weights, uint8_t *target, size_t bytes);

/// So many elements that any number of channels and any vector begin anew behind them.
enum { PIXELS_PERIOD = 48 };

/// Writes bytes as floats: each times a scale, plus a bias, without fusing; there is a period of both.
void pixels_floats(
    pixels_form form, const uint8_t *source, size_t count, const float *scales,
    const float *biases, float *target);

/// The same by channel, each into a plane of its own; planes begin `stride` elements apart.
void pixels_planes(
    pixels_form form, const uint8_t *source, int32_t count, int32_t channels, const float *scales,
    const float *biases, float *target, ptrdiff_t stride);

/// Picks the pixels at the given columns.
void pixels_pick(
    const uint8_t *source, int32_t channels, const int32_t *columns, int32_t count,
    uint8_t *target);

/// Copies a rectangle whose pixel (x, y) lies at `origin + x * step_x + y * step_y`: any of the
/// eight orientations.
void pixels_gather(
    const uint8_t *origin, ptrdiff_t step_x, ptrdiff_t step_y, int32_t bytes_per_pixel,
    int32_t width, int32_t rows, uint8_t *target, ptrdiff_t target_stride);

/// Where the channels of a pixel lie; `alpha` is negative where there is none.
typedef struct {
  int32_t bytes, red, green, blue, alpha;
} pixels_layout;

/// Rearranges channels; alpha that the source lacks is opaque.
void pixels_rearrange(
    const uint8_t *source, pixels_layout from, uint8_t *target, pixels_layout to, int32_t count);

/// The luma (ITU-R 601) of colour pixels, one byte each.
void pixels_luma(const uint8_t *source, pixels_layout from, uint8_t *target, int32_t count);

/// Colours of inverted inks, four bytes each, as Adobe stores them.
void pixels_inks_to_rgb(const uint8_t *source, uint8_t *target, size_t count);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
