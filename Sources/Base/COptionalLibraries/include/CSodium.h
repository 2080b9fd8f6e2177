// The parts of libsodium's C API that TensorIO uses for signatures.
//
// The library is loaded at run time, on first use, and nothing here is linked: the declarations
// only provide the types of the function table that `csodium_open` fills. All functions exist in
// libsodium 1.0.12 and later.

#ifndef CSODIUM_H
#define CSODIUM_H

#include "FunctionTable.h"

#pragma clang assume_nonnull begin

/// Must be called before all other functions, on any thread. Returns -1 if no source of randomness
/// is available.
int sodium_init(void);
const char *sodium_version_string(void);

void randombytes_buf(void *bytes, size_t byteCount);

int crypto_sign_ed25519_keypair(unsigned char *publicKey, unsigned char *secretKey);
int crypto_sign_ed25519_detached(
    unsigned char *signature, unsigned long long *_Nullable signatureLength,
    const unsigned char *message, unsigned long long messageLength,
    const unsigned char *secretKey);
int crypto_sign_ed25519_verify_detached(
    const unsigned char *signature, const unsigned char *message,
    unsigned long long messageLength, const unsigned char *publicKey);

int crypto_generichash_blake2b(
    unsigned char *digest, size_t digestLength, const unsigned char *message,
    unsigned long long messageLength, const unsigned char *_Nullable key, size_t keyLength);

int crypto_pwhash_scryptsalsa208sha256(
    unsigned char *stream, unsigned long long streamLength, const char *password,
    unsigned long long passwordLength, const unsigned char *salt, unsigned long long operations,
    size_t memory);

#define CSODIUM_FUNCTIONS(F)                                                                       \
  F(sodium_init)                                                                                   \
  F(sodium_version_string)                                                                         \
  F(randombytes_buf)                                                                               \
  F(crypto_sign_ed25519_keypair)                                                                   \
  F(crypto_sign_ed25519_detached)                                                                  \
  F(crypto_sign_ed25519_verify_detached)                                                           \
  F(crypto_generichash_blake2b)                                                                    \
  F(crypto_pwhash_scryptsalsa208sha256)

/// The functions of the loaded library.
typedef struct {
  CSODIUM_FUNCTIONS(FUNCTION_TABLE_MEMBER)
} CSodiumTable;

/// Loads the library and looks up all functions.
///
/// The table and the library stay loaded for the lifetime of the process. On failure the result is
/// null and `message` is set to a message, which the caller must `free`.
const CSodiumTable *_Nullable csodium_open(const char *path, char *_Nullable *_Nonnull message);

#pragma clang assume_nonnull end

#endif
