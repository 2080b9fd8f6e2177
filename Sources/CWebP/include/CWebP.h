// libwebp's C API, as far as TensorIO reads pictures with it.
//
// The library is opened when the first such picture is met, so nothing here is ever linked and the
// start of a program does not pay for it: the declarations only give types to the table of functions
// that `cwebp_open` looks up. Everything in use is there since libwebp 0.2.

#ifndef CWEBP_H
#define CWEBP_H

#include <CFunctionTable.h>

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: Functions

/// The version, with a byte for each of its three numbers.
int WebPGetDecoderVersion(void);

/// Writes the pixels of a picture in red, green and blue, without alpha; NULL when it cannot.
uint8_t *_Nullable WebPDecodeRGBInto(
    const uint8_t *bytes, size_t count, uint8_t *pixels, size_t pixelByteCount, int bytesPerRow);

// MARK: The table

#define CWEBP_FUNCTIONS(F)                                                                         \
  F(WebPGetDecoderVersion)                                                                         \
  F(WebPDecodeRGBInto)

/// The functions, as found in the opened library.
typedef struct {
  CWEBP_FUNCTIONS(FUNCTION_TABLE_MEMBER)
} CWebPTable;

/// Opens the library and looks every function up.
///
/// The table and the library stay for the life of the process. On failure there is no table, and a
/// text, the caller's to `free`, says what is the matter.
const CWebPTable *_Nullable cwebp_open(const char *path, char *_Nullable *_Nonnull problem);

#pragma clang assume_nonnull end

#endif
