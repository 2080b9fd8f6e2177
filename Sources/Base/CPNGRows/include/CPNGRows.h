#ifndef CPNGRows_H
#define CPNGRows_H

// Decodes a PNG row by row, so that a large image never exists in memory. Errors are reported by
// return value: the longjmp of libpng does not leave this module.

#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/// A PNG that is being decoded.
typedef struct png_rows png_rows;

/// Starts decoding a PNG in memory, which must outlive the result. Returns null without memory.
///
/// The image must have the given size and must not be interlaced. Rows have 8 bits per channel and
/// no alpha: one channel if `gray` is not zero, three otherwise. Errors of the header are reported
/// by the first call of `png_rows_next`.
png_rows *_Nullable png_rows_open(
    const uint8_t *bytes, size_t count, uint32_t width, uint32_t height, int gray);

/// Decodes the next row into `target`. Returns 0 on an error, and for all rows after one.
int png_rows_next(png_rows *rows, uint8_t *target);

/// The first error or warning of libpng; empty if there was none.
const char *png_rows_message(const png_rows *rows);

void png_rows_close(png_rows *rows);

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
