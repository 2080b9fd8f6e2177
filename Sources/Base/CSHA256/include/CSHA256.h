#ifndef CSHA256_H
#define CSHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Adds blocks of 64 bytes to a state of eight words with the processor's SHA instructions, which
/// are about ten times as fast as portable code. Returns false without changing the state if the
/// processor has none.
bool csha256_add_blocks(
    uint32_t *_Nonnull state, const uint8_t *_Nonnull bytes, size_t blocks,
    const uint32_t *_Nonnull constants);

#endif
