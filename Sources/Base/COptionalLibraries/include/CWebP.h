// The parts of libwebp's C API that TensorIO uses to decode images.
//
// The library is loaded at run time, on first use, and nothing here is linked: the declarations
// only provide the types of the function table that `cwebp_open` fills. All functions exist in
// libwebp 0.2 and later.

#ifndef CWEBP_H
#define CWEBP_H

#include "FunctionTable.h"

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

// MARK: Functions

/// Returns the version, with a byte for each of its three numbers.
int WebPGetDecoderVersion(void);

/// Decodes an image to RGB without alpha. Returns NULL on failure.
uint8_t *_Nullable WebPDecodeRGBInto(
    const uint8_t *bytes, size_t count, uint8_t *pixels, size_t pixelByteCount, int bytesPerRow);

// MARK: The table

#define CWEBP_FUNCTIONS(F)                                                                         \
  F(WebPGetDecoderVersion)                                                                         \
  F(WebPDecodeRGBInto)

/// The functions of the loaded library.
typedef struct {
  CWEBP_FUNCTIONS(FUNCTION_TABLE_MEMBER)
} CWebPTable;

/// Loads the library and looks up all functions.
///
/// The table and the library stay loaded for the lifetime of the process. On failure the result is
/// null and `message` is set to a message, which the caller must `free`.
const CWebPTable *_Nullable cwebp_open(const char *path, char *_Nullable *_Nonnull message);

#pragma clang assume_nonnull end

#endif
